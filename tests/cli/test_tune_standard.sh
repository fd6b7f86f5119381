#!/usr/bin/env bash
# sleet tune: a table, a value, written into the scene on request and only then; other solvers are refused.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
cat > pool.json << 'END'
{"domain": {"min": [0, 0, 0], "max": [1.5, 1, 0.5]},
 "systems": [{"name": "water", "solver": "projective", "parameters": {"spacing": 0.05},
              "blocks": [{"min": [0, 0, 0], "max": [0.5, 0.8, 0.5]}]}]}
END
cp pool.json before.json
expect 0 tune pool.json --from 4 --steps 3
says "iterations" "best: rho 0."
same "a scene that was not to be written" "$(cat pool.json)" "$(cat before.json)"
expect 0 tune pool.json --from 4 --steps 3 --write
rho=$(sed -n 's/^best: rho //p' <<< "$said")
says "written into pool.json"
check "the scene has the value" grep -qE "\"rho\": ${rho%0}" pool.json
expect 0 info pool.json
sed 's/projective/pbf/' before.json > other.json
expect 3 tune other.json
complains 'only "projective" has a rho to tune'
expect 2 tune
finish
