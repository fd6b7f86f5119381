#!/usr/bin/env bash
# Runs of snow, explicit and semi-implicit, that were killed go on with the same bits.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
# shellcheck source=tests/support/resume.sh
source "$SLEET_SOURCE/tests/support/resume.sh"

for integration in explicit implicit; do
    snow_scene "$integration.json" 24 "$integration"
    rm -rf whole
    expect 0 run "$integration.json" -o whole -q
    hash=$said
    kill_and_resume "$integration.json" "$hash" 8
    same_run whole killed
    # From any checkpointed frame, with any number of threads.
    expect 0 run "$integration.json" -o some --checkpoint-every 7 -q --threads 1
    same "hash of one thread" "$said" "$hash"
    expect 0 run "$integration.json" -o some --resume=21 -q --threads 3
    same "hash from frame 21" "$said" "$hash"
    rm -rf some
done
# The force on each body is in the statistics.
check "no forces in the statistics" grep -q "shape2.force_x_N" whole/stats.csv
finish
