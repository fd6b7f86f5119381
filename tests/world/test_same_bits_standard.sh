#!/usr/bin/env bash
# The same state hash after 100 steps of a 20k dam break for 1, 2, 3, 4 and 7 threads, for each
# kernel, with gcc and with clang; with 7 threads, where the order of the work varies most, twice. The
# full and nightly tiers run the 100k scene: SLEET_SAME_BITS_SCENE, _FRAMES, _ROUNDS
# (repeats with 7 threads), _CLANG_THREADS and _BASE_KERNELS. A clang build without the base path
# (SLEET_BASE_PATH=OFF, the standard tier) is compared on the AVX2 path.
set -euo pipefail
scene=${SLEET_SAME_BITS_SCENE:-$SLEET_SOURCE/scenes/dam_break_small.json}
frames=${SLEET_SAME_BITS_FRAMES:-50}
rounds=${SLEET_SAME_BITS_ROUNDS:-2}
read -r -a clang_threads <<< "${SLEET_SAME_BITS_CLANG_THREADS:-2}"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

hash_of() { # program, kernel, threads
    "$1" run "$scene" -o "$out/run" --overwrite --quiet --frames "$frames" --threads "$3" \
        --set "systems[0].parameters.kernel=$2" --set "systems[0].parameters.steps=2" \
        --set 'output={"every": 1000000}' 
}

programs=("$SLEET_BUILD/sleet")
clang=$SLEET_SOURCE/build-clang/sleet
if [ -x "$clang" ] && [ "$clang" != "$SLEET_BUILD/sleet" ]; then
    programs+=("$clang")
else
    echo "SKIPPED: no clang build beside this one: gcc and clang are not compared"
fi
clang_has_base=yes
! grep -q '^SLEET_BASE_PATH:BOOL=OFF' "$SLEET_SOURCE/build-clang/CMakeCache.txt" 2> /dev/null || clang_has_base=no
failed=0
for isa in avx2 base; do
    kernels=(cubic wendland poly6)
    [ "$isa" != base ] || read -r -a kernels <<< "${SLEET_SAME_BITS_BASE_KERNELS:-cubic}"
    for kernel in "${kernels[@]}"; do
        first=
        for program in "${programs[@]}"; do
            [ "$program$isa$clang_has_base" != "${clang}baseno" ] || continue
            counts=(1 2 3 4 7)
            [ "$program" != "$clang" ] || counts=("${clang_threads[@]}")
            [ "$isa" != base ] || counts=(2)
            for threads in "${counts[@]}"; do
                repeats=1
                [ "$threads" != 7 ] || repeats=$rounds
                for _ in $(seq "$repeats"); do
                    hash=$(SLEET_ISA=$isa hash_of "$program" "$kernel" "$threads")
                    [ -n "$first" ] || first=$hash
                    if [ "$hash" != "$first" ]; then
                        echo "differs: $program $isa $kernel $threads threads: $hash, not $first"
                        failed=1
                    fi
                done
            done
        done
        echo "$isa $kernel: $first"
    done
done
exit $failed
