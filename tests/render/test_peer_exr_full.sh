#!/usr/bin/env bash
# EXR layers read by an independent program, and Open Image Denoise with a real library.
exec python3 "${SLEET_SOURCE:?}/tests/render/peer_exr.py" "${SLEET_BUILD:?}"
