#!/usr/bin/env bash
# The water surface of the hero scene, 1.25 million particles, against splashsurf: time, drops kept, volume, popping.
exec python3 "${SLEET_SOURCE:?}/tests/filters/peer_splashsurf.py" --build "${SLEET_BUILD:?}" --hero --only-hero --check
