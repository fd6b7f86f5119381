#!/usr/bin/env bash
# What `sleet estimate` says of memory is within 15 % of what the run takes, on every scene.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
# shellcheck source=tests/support/estimate.sh
source "$SLEET_SOURCE/tests/support/estimate.sh"
for scene in "$SLEET_SOURCE"/scenes/*.json; do
    check_estimate "$scene"
done
finish
