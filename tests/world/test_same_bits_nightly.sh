#!/usr/bin/env bash
# The 100k dam break for 100 steps with every thread count of both compilers, seven threads three times.
set -euo pipefail
export SLEET_SAME_BITS_SCENE=$SLEET_SOURCE/scenes/dam_break.json SLEET_SAME_BITS_ROUNDS=3
export SLEET_SAME_BITS_CLANG_THREADS='1 2 3 4 7' SLEET_SAME_BITS_BASE_KERNELS='cubic wendland poly6'
exec bash "$SLEET_SOURCE/tests/world/test_same_bits_standard.sh"
