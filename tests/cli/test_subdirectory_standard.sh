#!/usr/bin/env bash
# A project that takes Sleet by add_subdirectory gets the library and nothing else: no tests, no
# command, no assets, and none of its own settings changed. The build is only planned, not done.
set -euo pipefail
source=${SLEET_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.21)
project(game LANGUAGES C)
add_subdirectory("$source" sleet)
add_executable(game main.c)
target_link_libraries(game PRIVATE sleet::sleet)
if(DEFINED SLEET_HAVE_TESTS OR TARGET sleet OR TARGET walker)
    message(FATAL_ERROR "more than the library was added")
endif()
if(DEFINED CMAKE_C_VISIBILITY_PRESET)
    message(FATAL_ERROR "settings of the project were changed")
endif()
END
cat > "$folder/main.c" << END
#include <sleet/sleet.h>
#if SLEET_VERSION_MAJOR * 100 + SLEET_VERSION_MINOR < 1
#error version
#endif
int main(void)
{
    return sl_has_feature("png") ? 0 : 0;
}
END
cmake -S "$folder" -B "$folder/build" -G Ninja > "$folder/log" || { tail -20 "$folder/log"; exit 1; }
ninja -C "$folder/build" -t commands game > "$folder/plan"
grep -q 'libsleet.a' "$folder/plan"
if grep -qE '/(cli|bench|tests)/' "$folder/plan"; then
    echo "the plan holds more than the library:"
    grep -E '/(cli|bench|tests)/' "$folder/plan" | head
    exit 1
fi
ninja -C "$folder/build" CMakeFiles/game.dir/main.c.o > /dev/null
echo "planned $(wc -l < "$folder/plan") steps"
