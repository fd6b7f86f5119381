#!/bin/bash
# The Stanford bunny (not ours to commit) against brute force: npm's, or else Debian's. Where
# neither can be had the test says so and is skipped.
set -u
folder="${SLEET_BUILD:?}/bunny"
mkdir -p "$folder" && cd "$folder" || exit 1
find_bunny() {
    find . -path './package/index.js' -o -name 'bunny.obj' | sort | head -n 1
}
if [ -z "$(find_bunny)" ]; then
    timeout 60 npm pack bunny@1.0.1 >/dev/null 2>&1 && tar xzf bunny-1.0.1.tgz
fi
if [ -z "$(find_bunny)" ]; then
    timeout 60 apt-get download glmark2-data >/dev/null 2>&1 && dpkg -x glmark2-data_*.deb .
fi
bunny=$(find_bunny)
if [ -z "$bunny" ]; then
    echo "SKIPPED: no bunny; neither npm pack bunny@1.0.1 nor apt-get download glmark2-data worked"
    exit 77
fi
SLEET_BUNNY="$folder/$bunny" exec "$SLEET_BUILD/tests/geometry_sdf_brute_full"
