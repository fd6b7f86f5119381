#!/usr/bin/env bash
# The same with a million particles, every step of the three frames.
exec python3 "${SLEET_SOURCE:?}/tests/snow/peer_taichi.py" --build "${SLEET_BUILD:?}" --spacing 0.00483 --steps 0 \
    --rounds 1 --check
