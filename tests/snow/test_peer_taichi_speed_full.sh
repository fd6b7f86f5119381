#!/usr/bin/env bash
# Target: explicit snow, 300,000 particles, three frames through the impact: at least 7 times as fast as taichi.
exec python3 "${SLEET_SOURCE:?}/tests/snow/peer_taichi.py" --build "${SLEET_BUILD:?}" --check
