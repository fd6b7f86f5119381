#!/usr/bin/env bash
# Each public header compiles alone, as C11 and as C++11, without a warning.
set -euo pipefail
source=${SLEET_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
failed=0
count=0
for compiler in 'gcc -x c -std=c11' 'g++ -x c++ -std=c++11'; do
    if ! command -v "${compiler%% *}" > /dev/null; then
        echo "SKIPPED: ${compiler%% *} is not installed"
        exit 77
    fi
    for header in "$source"/include/sleet/*.h; do
        name=sleet/$(basename "$header")
        count=$((count + 1))
        # shellcheck disable=SC2086
        echo "#include <$name>" |
            $compiler -pedantic-errors -Wall -Wextra -Werror -fsyntax-only -I"$source/include" - ||
            { echo "$name does not compile alone with $compiler"; failed=1; }
    done
done
echo "$count headers"
[[ $count -ge 30 && $failed -eq 0 ]]
