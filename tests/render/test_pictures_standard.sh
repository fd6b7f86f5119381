#!/usr/bin/env bash
# Pictures of the renderers are those of tests/render/pictures, pixel for pixel: opaque and transparent
# particles, analytic solids, a mesh, an open domain; water by its surface and by its particles. A change that is meant to alter pictures
# makes them again with the commands below, and says so.
# shellcheck source=../support/command.sh
. "$(dirname "$0")/../support/command.sh"

# Other instruction sets and other versions of libm may round a colour differently.
max=2
[[ $(grep -c avx2 /proc/cpuinfo) -gt 0 ]] && max=0

picture() { # NAME SCENE FRAME [OPTION...]
    local name=$1 scene=$2 frame=$3 difference
    shift 3
    expect 0 render "$SLEET_SOURCE/scenes/$scene" -o "$name" --frames "$frame" -q \
        --size 240x136 "$@"
    expect 0 compare "$SLEET_SOURCE/tests/render/pictures/$name.png" \
        "$name/$(printf 'frame_%06d.png' "$frame")"
    difference=$(sed -n 's/^largest difference: \([0-9]*\) of 255$/\1/p' <<< "$said")
    check "$name differs by ${difference:-?} of 255" test "${difference:-256}" -le "$max"
}

picture opaque dam_break_small.json 0 --style particles --set render.color_by=position
picture transparent dam_break_small.json 0 --style particles --set render.blend=transparent
picture shapes obstacles.json 0 --style particles
picture mesh squirrel_drop.json 0 --style particles --set render.color_by=none
picture open unbounded.json 0 --style particles
picture water dam_break_small.json 24 --style water --set render.foam=0
by_particles=(--style water --set render.foam=0 --set render.surface=false)
picture water_particles dam_break_small.json 24 "${by_particles[@]}"
picture water_solids obstacles.json 0 "${by_particles[@]}"
picture water_open unbounded.json 0 "${by_particles[@]}"
finish
