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
# A shape and a mesh: materials, poses and triangles; the folder is moved away from its scene first.
"$python" - "$SLEET_SOURCE/assets/cone.obj" << 'END'
import json, sys
scene = json.load(open("scene.json"))
scene["colliders"] = [
    {"name": "ball", "shape": "sphere", "center": [1.5, 0.2, 0.5], "radius": 0.1,
     "material": {"kind": "glass", "color": [0.5, 0.25, 1]}},
    {"name": "cone", "shape": "mesh", "file": sys.argv[1], "scale": 0.1, "position": [1.7, 0.3, 0.5],
     "motion": {"velocity": [0, 0.5, 0]}}]
scene["systems"][0]["material"] = {"absorption": [1, 2, 3]}
json.dump(scene, open("solids.json", "w"))
END
expect 0 run solids.json -o solids -q --frames 2
mkdir away && mv solids away/ && rm solids.json
checks=$((checks + 1))
"$python" - "$SLEET_SOURCE/tools" << 'END' || fail "what Python reads of colliders is not what was written"
import sys
sys.path.insert(0, sys.argv[1])
import read_frame
frame = read_frame.read_frame("away/solids/frame_000002.slf")
ball, cone = frame["colliders"]
assert ball["name"] == "ball" and ball["kind"] == "sphere" and abs(ball["radius"] - 0.1) < 1e-6
assert ball["material"]["kind"] == "glass" and list(ball["material"]["color"]) == [0.5, 0.25, 1]
assert cone["kind"] == "mesh" and cone["material"]["kind"] == "solid" and cone["deforms"] == 0
assert abs(cone["position"][1] - 0.5 * frame["time"]) < 1e-5
assert cone["triangles"].max() == len(cone["positions"]) - 1
assert abs(cone["positions"][:, 0].mean() - 1.7) < 0.1
assert list(frame["systems"][0]["material"]["absorption"]) == [1, 2, 3]
assert frame["systems"][0]["mass"] > 0 and abs(frame["gravity"][1] + 9.81) < 1e-5
assert len(frame["cameras"]) >= 1 and frame["cameras"][0]["fov"] > 1
END
expect 0 render away/solids --frames 2 --png --no-video -q
check "no picture of the moved folder" test -s away/solids/render/frame_000002.png
expect 0 info exact/frame_000006.slf
says "1000 particles" "min 0, mean 499.5, max 999"
finish
