#!/usr/bin/env bash
# Kills at any moment (KILLS, 30 here; 1000 in the nightly tier), over a scene with emitters and moving solids and one with a mesh.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
# shellcheck source=tests/support/resume.sh
source "$SLEET_SOURCE/tests/support/resume.sh"
busy_scene busy.json 120
expect 0 run busy.json -o whole -q
kill_and_resume busy.json "$said" $((${KILLS:-30} * 7 / 10))
same_run whole killed

rm -rf whole
squirrel=("$SLEET_SOURCE/scenes/squirrel.json" --frames 12 --set systems.water.parameters.spacing=0.12)
expect 0 run "${squirrel[@]}" -o whole -q
cp whole/scene.json squirrel.json
kill_and_resume squirrel.json "$said" $((${KILLS:-30} * 3 / 10))
same_run whole killed
finish
