#!/usr/bin/env bash
# The 100k dam break, once per thread count: the same bits at size.
set -euo pipefail
export SLEET_SAME_BITS_SCENE=$SLEET_SOURCE/scenes/dam_break.json SLEET_SAME_BITS_ROUNDS=1
exec bash "$SLEET_SOURCE/tests/world/test_same_bits_standard.sh"
