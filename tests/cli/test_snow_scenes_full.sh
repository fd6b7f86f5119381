#!/usr/bin/env bash
# The snow scenes of [Stomakhin 2013]: quick sizes of at most 100,000 particles, full sizes of 300,000 to 500,000 that
# start (a fifth of a frame) without losing a particle; and each starts with the printed method.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"

# scene and spacing of its full size (docs/notes/snow-scenes.md); `walk` has meshes that are made first
full=(drop=0.0067 wall=0.0059 double=0.0075 snowman=0.0191 castle=0.0088 plough=0.0299 roll=0.0085 axe=0.0076 letters=0.0057)

particles() {
    sed -n 's/^particles: \([0-9]*\).*/\1/p' <<< "$said"
}

# The last row of a run's statistics has as many particles as the first.
check_first_frame() {
    local scene=$1
    shift
    expect 0 run "$scene" -o first --overwrite --frames 1 -q --set time.frame_rate=300 "$@"
    checks=$((checks + 1))
    awk -F, 'NR == 2 { n = $5 } END { exit !(n > 0 && $5 == n) }' first/stats.csv ||
        fail "$scene: particles were lost in the first frame"
    rm -rf first
}

for entry in "${full[@]}"; do
    scene=$SLEET_SOURCE/scenes/papers/snow/${entry%=*}.json spacing=${entry#*=}
    expect 0 info "$scene"
    checks=$((checks + 1))
    [ "$(particles)" -le 100000 ] || fail "$scene: $(particles) particles, more than 100,000"
    expect 0 info "$scene" --set "systems.snow.parameters.spacing=$spacing"
    echo "${entry%=*}: $(particles) particles in full size"
    checks=$((checks + 1))
    { [ "$(particles)" -ge 300000 ] && [ "$(particles)" -le 500000 ]; } ||
        fail "$scene: $(particles) particles in full size"
    check_first_frame "$scene" --set "systems.snow.parameters.spacing=$spacing"
    check_first_frame "$scene" --set 'systems.snow.parameters={"preset":"stomakhin2013","spacing":0.03}'
done
finish
