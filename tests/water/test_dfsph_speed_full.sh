#!/usr/bin/env bash
# The dam break at half of its size against DFSPH of SPlisHSPlasH: error and time.
exec python3 "${SLEET_SOURCE:?}/tests/water/peer_dfsph.py" --build "${SLEET_BUILD:?}" --size 0.5 --check
