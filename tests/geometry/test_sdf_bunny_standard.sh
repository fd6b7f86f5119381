#!/bin/bash
# The Stanford bunny from npm (not ours to commit) against brute force. Without npm or a network
# there is no bunny, and nothing is said about it.
set -u
folder="${SLEET_BUILD:?}/bunny"
index="$folder/package/index.js"
if [ ! -f "$index" ]; then
    mkdir -p "$folder" && cd "$folder" || exit 1
    timeout 60 npm pack bunny@1.0.1 >/dev/null 2>&1 && tar xzf bunny-1.0.1.tgz
    if [ ! -f "$index" ]; then
        echo "no bunny: npm pack bunny@1.0.1 failed; skipped"
        exit 0
    fi
fi
SLEET_BUNNY="$index" exec "$SLEET_BUILD/tests/geometry_sdf_brute_standard"
