#!/usr/bin/env bash
# The water surface against splashsurf: time, slope noise, drops kept, volume, popping.
exec python3 "${SLEET_SOURCE:?}/tests/filters/peer_splashsurf.py" --build "${SLEET_BUILD:?}" --check
