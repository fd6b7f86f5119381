#!/usr/bin/env bash
# tools/read_frame.py, written from docs/frame-file.md, reads what sleet writes: lossless, quantised,
# and the fields of a checkpoint.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
small_scene scene.json
expect 0 run scene.json -o exact -q
expect 0 run scene.json -o small -q --quantise
expect 0 run scene.json -o also_small -q --set output.quantise=true
check "--quantise and output.quantise differ" cmp small/frame_000006.slf also_small/frame_000006.slf
check "16 bits take as much room" test "$(stat -c %s small/frame_000006.slf)" -lt \
    "$(stat -c %s exact/frame_000006.slf)"
checks=$((checks + 1))
python=python3 # the one that has numpy: Debian's, if another is first
python3 -c 'import numpy' 2> /dev/null || python=/usr/bin/python3
"$python" - "$SLEET_SOURCE/tools" << 'END' || fail "what Python reads is not what was written"
import sys
sys.path.insert(0, sys.argv[1])
import numpy, read_frame
exact = read_frame.read_frame("exact/frame_000006.slf")["systems"][0]["fields"]
small = read_frame.read_frame("small/frame_000006.slf")["systems"][0]["fields"]
head, parts = read_frame.read_container("exact/checkpoint_000006.slc")
saved = {name: read_frame.as_array(type_, values)
         for name, _, kind, type_, _, _, values in parts if kind == 2}
assert head["frame"] == 6 and exact["position"][0].shape == (1000, 3)
assert sorted(exact["id"][0].ravel()) == list(range(1000))
assert exact["position"][0].min() > 0 and exact["position"][0].max() < 2
for name, (values, _) in exact.items():
    assert (saved[name] == values).all(), name
    if name in ("position", "velocity"):
        span = values.max(axis=0) - values.min(axis=0)
        assert (abs(small[name][0] - values) <= 0.51 * span / 65535 + 1e-6).all(), name
        assert (small[name][0] != values).any(), name
    else:
        assert (small[name][0] == values).all(), name
END
expect 0 info exact/frame_000006.slf
says "1000 particles" "least 0, mean 499.5, most 999"
finish
