#!/usr/bin/env bash
# The path tracer against Mitsuba 3 on frames of snow and water: means, and time to equal noise.
exec python3 "${SLEET_SOURCE:?}/tests/render/peer_mitsuba_real.py" --build "${SLEET_BUILD:?}" --check
