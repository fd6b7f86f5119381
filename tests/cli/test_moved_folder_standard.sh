#!/usr/bin/env bash
# `sleet render DIR` draws from frames alone: a folder that was moved away from its scene, with the files
# of its meshes deleted, gives the pictures of the live run, byte for byte.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
mkdir made
cp "$SLEET_SOURCE/assets/cone.obj" made/cone.obj
for key in 0 1 2; do
    printf 'v 0 0 0\nv 0.%d 0 0\nv 0 0.4 0\nv 0 0 0.4\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' \
        $((4 + 2 * key)) > "made/key_$key.obj"
done
cat > made/scene.json << 'END'
{"name": "solids", "time": {"frames": 3},
 "domain": {"min": [0, 0, 0], "max": [2, 1.5, 1], "material": {"color": [0.3, 0.3, 0.3]}},
 "systems": [{"solver": "pbf", "parameters": {"spacing": 0.1},
              "blocks": [{"min": [0, 0, 0], "max": [0.5, 0.5, 1]}]}],
 "colliders": [
   {"name": "ball", "shape": "sphere", "center": [0.9, 0.3, 0.5], "radius": 0.2,
    "motion": {"velocity": [0.5, 0, 0]}},
   {"name": "box", "shape": "box", "min": [1.6, 0, 0.1], "max": [1.8, 0.3, 0.4]},
   {"name": "cone", "shape": "mesh", "file": "cone.obj", "scale": 0.2, "position": [1.2, 0.5, 0.5],
    "cell": 0.1, "motion": {"spin": [0, 180, 45], "pivot": [1.2, 0.5, 0.5]}},
   {"name": "body", "shape": "mesh", "files": ["key_0.obj", "key_1.obj", "key_2.obj"], "rate": 40,
    "cell": 0.1, "position": [1.4, 0.7, 0.2]}],
 "cameras": [{"name": "side", "eye": [1, 1.2, 4], "target": [1, 0.4, 0.5]},
             {"name": "top", "eye": [1.5, 4, 2.5], "target": [1, 0.4, 0.5]}],
 "render": {"width": 320, "height": 200}}
END
for camera in side top; do
    expect 0 render made/scene.json --camera $camera --png --no-video -q -o "live_$camera"
done
expect 0 run made/scene.json -o run -q
check "two meshes are stored" test "$(find run/meshes -name '*.slm' | wc -l)" -eq 2
mkdir far && mv run far/away && rm -rf made
for camera in side top; do
    expect 0 render far/away --camera $camera --png --no-video -q -o "drawn_$camera"
    for frame in 0 1 2 3; do
        check "picture $frame of camera $camera" \
            cmp "live_$camera/frame_00000$frame.png" "drawn_$camera/frame_00000$frame.png"
    done
done
check "cameras differ" test "$(cmp -s live_side/frame_000001.png live_top/frame_000001.png; echo $?)" = 1
expect 0 info far/away/frame_000002.slf
says "colliders: 4" "cone, mesh, solid, meshes/" "ball, sphere, solid" "cameras: 2"
mv far/away/meshes far/away/hidden
expect 5 render far/away --frames 1 -q
complains "meshes"
finish
