#!/usr/bin/env bash
# The path tracer against Mitsuba 3 on equal scenes: image means, and time to equal noise.
exec python3 "${SLEET_SOURCE:?}/tests/render/peer_mitsuba.py" --build "${SLEET_BUILD:?}" --check
