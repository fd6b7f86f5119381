#!/usr/bin/env bash
# The README's C example compiles against the shared and the static library without warnings, runs, and
# prints what the README says. A sanitizer's runtime would have to be linked too: such builds are passed over.
set -euo pipefail
source_dir=${SLEET_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build_dir=${SLEET_BUILD:-$source_dir/build}

if grep -qE '^SLEET_SANITIZE:STRING=.' "$build_dir/CMakeCache.txt"; then
    printf 'SKIPPED: a sanitizer build; the example is tried in the release build\n'
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n '/^```c$/,/^```$/p' "$source_dir/README.md" | sed '1d;$d' > "$work/water.c"
"${CC:-cc}" -std=c17 -Wall -Wextra -Werror -I"$source_dir/include" "$work/water.c" -o "$work/water" \
    -L"$build_dir" -lsleet -Wl,-rpath,"$build_dir"
said=$("$work/water")
printf '%s\n' "$said"
grep -qF "It prints \`$said\`" "$source_dir/README.md"
# shellcheck disable=SC2046 # a list of flags
"${CC:-cc}" -std=c17 -I"$source_dir/include" "$work/water.c" -o "$work/static" "$build_dir/libsleet.a" \
    $(cat "$build_dir/link_flags")
[[ $("$work/static") == "$said" ]]
