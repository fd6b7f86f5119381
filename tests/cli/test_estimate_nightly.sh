#!/usr/bin/env bash
# What `sleet estimate` says of memory is within 15 % of what the run takes, on every scene.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
# shellcheck source=tests/support/estimate.sh
source "$SLEET_SOURCE/tests/support/estimate.sh"
# A run takes its memory in the first frames; with emitters, when the first water drains off.
for scene in "$SLEET_SOURCE"/scenes/*.json; do
    if grep -q '"emitters"' "$scene"; then
        check_estimate "$scene" 150
    else
        check_estimate "$scene" 8
    fi
done
finish
