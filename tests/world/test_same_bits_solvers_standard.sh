#!/usr/bin/env bash
# Every solver: the same state hash for 1, 2, 3 and 5 threads with gcc, and for 2 threads with clang.
# A clang build without the base path (SLEET_BASE_PATH=OFF) is compared on the AVX2 path only.
set -euo pipefail
scenes=$SLEET_SOURCE/scenes
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# name, scene, frames, settings of its first system
cases=(
    "pbf dam_break_small 6"
    "pbf-lod dam_break_small 6 lod=dtvs lod_min=2"
    "projective dam_break_small 4"
    "projective-cg papers/chebyshev/dam_30k 2 spacing=0.08 global_solver=cg global_iterations=0 acceleration=none"
    "snow-mls papers/snow/drop 2 spacing=0.03"
    "snow-flip papers/snow/drop 2 spacing=0.03 transfer=flip"
    "snow-implicit papers/snow/wall 2 spacing=0.03 integration=implicit"
)

clang=$SLEET_SOURCE/build-clang/sleet
if [ ! -x "$clang" ] || [ "$clang" = "$SLEET_BUILD/sleet" ]; then
    echo "SKIPPED: no clang build beside this one: gcc and clang are not compared"
    clang=
fi

# hash_of PROGRAM THREADS SOLVER SCENE FRAMES [SETTING...]
hash_of() {
    local program=$1 threads=$2 solver=$3 scene=$4 frames=$5 set
    local -a sets=(--set "systems[0].solver=$solver" --set 'output={"every": 1000000}')
    shift 5
    for set in "$@"; do
        sets+=(--set "systems[0].parameters.$set")
    done
    "$program" run "$scenes/$scene.json" -o "$out/run" --overwrite --quiet --frames "$frames" \
        --threads "$threads" --checkpoint-every off "${sets[@]}"
}

failed=0
for words in "${cases[@]}"; do
    read -r -a word <<< "$words"
    solver=${word[0]%%-*}
    first=$(hash_of "$SLEET_BUILD/sleet" 1 "$solver" "${word[@]:1}")
    [ -n "$first" ] || { echo "${word[0]}: no hash was printed"; failed=1; }
    for run in "$SLEET_BUILD/sleet 2" "$SLEET_BUILD/sleet 3" "$SLEET_BUILD/sleet 5" ${clang:+"$clang 2"}; do
        hash=$(hash_of "${run% *}" "${run##* }" "$solver" "${word[@]:1}")
        if [ "$hash" != "$first" ]; then
            echo "differs: ${word[0]}, ${run% *}, ${run##* } threads: $hash, not $first"
            failed=1
        fi
    done
    echo "${word[0]}: $first"
done
exit $failed
