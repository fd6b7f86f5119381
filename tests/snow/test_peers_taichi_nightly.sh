#!/usr/bin/env bash
# Explicit snow against taichi: whole frames of the quick size, every step taken by both, and a million particles.
set -e
peer=(python3 "${SLEET_SOURCE:?}/tests/snow/peer_taichi.py" --build "${SLEET_BUILD:?}" --check)
"${peer[@]}" --spacing 0.0116 --frames 10 --steps 0 --rounds 1
"${peer[@]}" --spacing 0.0048 --steps 20 --rounds 1
