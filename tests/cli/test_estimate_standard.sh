#!/usr/bin/env bash
# `sleet estimate` on the two scenes that are short; the full tier has them all.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
# shellcheck source=tests/support/estimate.sh
source "$SLEET_SOURCE/tests/support/estimate.sh"
check_estimate "$SLEET_SOURCE/scenes/dam_break_small.json"
check_estimate "$SLEET_SOURCE/scenes/fountain.json" 150 # until water drains off
expect 5 estimate no-such-thing.json
complains "no-such-thing.json"
expect 2 estimate
expect 4 estimate "$SLEET_SOURCE/scenes/dam_break.json" --set systems.water.parameters.spacing=0.001
complains "GiB"
finish
