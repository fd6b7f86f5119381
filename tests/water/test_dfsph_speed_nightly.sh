#!/usr/bin/env bash
# The dam break at its full size, 106,496 particles against DFSPH of SPlisHSPlasH: error and time.
exec python3 "${SLEET_SOURCE:?}/tests/water/peer_dfsph.py" --build "${SLEET_BUILD:?}" --size 1 --check
