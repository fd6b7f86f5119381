#!/usr/bin/env bash
# tools/check_modules.py can fail: a small tree with one breach of each kind must give exit code 1 and
# name the place.
set -euo pipefail
source_dir=${SLEET_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
check=$source_dir/tools/check_modules.py

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# expect_breach FILE TEXT WORDS: with that file in an otherwise clean tree, the script must fail and
# say WORDS.
expect_breach() {
    local file=$1 text=$2 words=$3 code=0 said
    rm -rf "$tree/src" "$tree/include"
    mkdir -p "$tree/src/core" "$tree/$(dirname "$file")"
    printf '/* printf( in a comment is fine */\n' > "$tree/src/core/clean.c"
    printf '%s\n' "$text" > "$tree/$file"
    said=$(python3 "$check" "$tree") || code=$?
    if [[ $code -ne 1 || $said != *"$file:1: "*"$words"* ]]; then
        printf 'expected a breach with "%s" in %s, got exit code %d and:\n%s\n' \
            "$words" "$file" "$code" "$said" >&2
        exit 1
    fi
}

# expect_clean FILE TEXT: must pass.
expect_clean() {
    rm -rf "$tree/src" "$tree/include"
    mkdir -p "$tree/$(dirname "$1")"
    printf '%s\n' "$2" > "$tree/$1"
    python3 "$check" "$tree" > "$tree/said" || { cat "$tree/said" >&2; exit 1; }
}

expect_breach src/math/a.c '#include "geometry/shape.h"' 'math/ may not include'
expect_breach src/solvers/pbf/a.c '#include "solvers/snow/grid.h"' 'solvers/pbf/ may not include'
expect_breach src/solvers/fluid/a.c '#include "solvers/snow/grid.h"' 'solvers/fluid/ may not include'
expect_breach src/render/a.c '#include "world/world.h"' 'render/ may not include'
expect_breach src/io/a.c '#include "sleet/world.h"' 'io/ may not include'
expect_breach src/world/a.c '#include "sleet/sleet.h"' 'world/ may not include'
expect_breach src/cli/a.c '#include "core/error.h"' 'cli/ may not include'
expect_breach src/cli/a.c '#include "bench/trial.h"' 'cli/ may not include'
expect_breach src/bench/a.c '#include "cli/cli.h"' 'bench/ may not include'
expect_breach src/run/a.c '#include "render/image.h"' 'run/ may not include'
expect_breach src/core/a.c '#include "memory.h"' 'write it from src/'
expect_breach src/core/a.c '#include "../math/vec3.h"' 'written from src/'
expect_breach src/solvers/fluid/a.c '#include "core/simd.h"' 'only *_kernels.c'
expect_breach src/math/a.h '#include <immintrin.h>' 'only *_kernels.c'
expect_breach src/solvers/fluid/a.c '#include "math/kernel_lanes.h"' 'only *_kernels.c'
expect_breach src/render/a.c 'int a = pthread_create(&t, 0, f, 0);' 'only in src/core'
expect_breach src/scene/a.c 'void f(void) { printf("hello"); }' 'never prints or exits'
expect_breach src/core/a.c 'void f(void) { abort(); }' 'never prints or exits'
expect_breach src/io/a.c 'void f(void) { fputs("hello", stderr); }' 'never prints'
expect_breach src/math/a.c 'void f(int a) { assert(a); }' 'SL_ASSERT'
expect_breach include/sleet/new.h '/* no row */' 'has no row'
expect_breach include/sleet/view.h '#include "sleet/render.h"' 'frame/ may not include'

# A module without a row.
rm -rf "$tree/src" "$tree/include"
mkdir -p "$tree/src/attic"
if python3 "$check" "$tree" > "$tree/said"; then
    printf 'a module without a row was let through\n' >&2
    exit 1
fi
grep -q 'module "attic" has no row' "$tree/said"

# Two modules that include each other.
sed 's/^module,math,core$/module,math,core spatial/' "$source_dir/tools/modules.csv" > "$tree/modules.csv"
mkdir -p "$tree/src/core"
rm -rf "$tree/src/attic"
if python3 "$check" --table "$tree/modules.csv" "$tree" > "$tree/said"; then
    printf 'a cycle of modules was let through\n' >&2
    exit 1
fi
grep -q 'include each other' "$tree/said"

expect_clean src/render/a.c '#include "frame/view.h"'
expect_clean src/io/a.c '#include "sleet/view.h"'
expect_clean src/cli/a.c '#include "sleet/sleet.h"'
expect_clean src/cli/a.c '#include "bench/bench.h"'
expect_clean src/solvers/fluid/pbf_kernels.c '#include "core/simd.h"'
expect_clean src/solvers/fluid/contact_lanes.h '#include "core/simd.h"'
expect_clean src/solvers/fluid/pbf_kernels.c '#include "math/kernel_lanes.h"'
expect_clean src/scene/a.c 'void f(char *t) { snprintf(t, 9, "exit(printf(stderr))"); d.exit(1); }'
expect_clean src/cli/a.c 'int main(void) { printf("hello"); exit(1); }'
