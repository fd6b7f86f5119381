#!/usr/bin/env bash
# libsleet exports exactly what include/sleet/ declares and has no mutable globals; and the script
# that says so can fail. A sanitizer's own symbols would drown ours: such builds are passed over.
set -euo pipefail
source_dir=${SLEET_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build_dir=${SLEET_BUILD:-$source_dir/build}
check=$source_dir/tools/check_symbols.sh

if grep -qE '^SLEET_SANITIZE:STRING=.' "$build_dir/CMakeCache.txt"; then
    printf 'SKIPPED: a sanitizer build; symbols are checked in the release build\n'
    exit 77
fi

# The tiny library of each line has one fault, or none.
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/include"
printf '#define SL_API __attribute__((visibility("default")))\nSL_API int\n    sl_one(int a,\n%s' \
    '           int b);' > "$tree/include/one.h"
good='int sl_one(int a, int b) { return a + b; }'
make_library() {
    printf '#include "one.h"\n%s\n' "$1" > "$tree/one.c"
    (cd "$tree" && "${CC:-cc}" -fPIC -O1 -fvisibility=hidden -Iinclude -c one.c -o one.o &&
        rm -f libone.a && ar rc libone.a one.o && "${CC:-cc}" -shared one.o -o libone.so)
}
expect() {
    local code=$1 words=$2 got=0 said
    make_library "$3"
    said=$("$check" "$tree/libone.so" "$tree/include") || got=$?
    if [[ $got -ne $code || $said != *"$words"* ]]; then
        printf 'expected exit code %d and "%s" for:\n%s\ngot %d and:\n%s\n' "$code" "$words" "$3" \
            "$got" "$said" >&2
        exit 1
    fi
}
expect 0 '1 exported' "$good"
expect 0 '1 exported' "$good const char *const table[] = {\"a\", \"b\"};"
expect 0 '1 exported' "$good int hidden(void); int hidden(void) { return 1; }"
expect 1 'sl_one is declared SL_API, but not exported' 'int nothing;'
expect 1 'sl_two is exported, but no public header' "$good SL_API int sl_two(void) { return 2; }"
expect 1 'two is exported, but does not start with sl_' "$good SL_API int two(void) { return 2; }"
expect 1 'calls is writable data' "$good int count(void); int count(void) { static int calls; return ++calls; }"
expect 1 'state is writable data' "$good int state = 3;"
expect 1 'local is writable data' "$good _Thread_local int local;"

"$check" "$build_dir/libsleet.so"
