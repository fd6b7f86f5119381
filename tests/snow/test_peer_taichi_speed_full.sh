#!/usr/bin/env bash
# Explicit snow against taichi: 300,000 particles, three frames through the impact.
exec python3 "${SLEET_SOURCE:?}/tests/snow/peer_taichi.py" --build "${SLEET_BUILD:?}" --rounds 1 --check
