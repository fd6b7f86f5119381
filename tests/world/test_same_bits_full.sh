#!/usr/bin/env bash
# The 100k dam break, once per thread count, all kernels, both compilers and both paths: the same bits
# at size. The nightly tier has more steps, thread counts and repeats.
set -euo pipefail
export SLEET_SAME_BITS_SCENE=$SLEET_SOURCE/scenes/dam_break.json SLEET_SAME_BITS_ROUNDS=1
export SLEET_SAME_BITS_FRAMES=10
export SLEET_SAME_BITS_CLANG_THREADS='2 7' SLEET_SAME_BITS_BASE_KERNELS='cubic wendland poly6'
exec bash "$SLEET_SOURCE/tests/world/test_same_bits_standard.sh"
