#!/usr/bin/env bash
# sleet render --style final: solids are blurred by their motion, from disk and live, at both ends of a run.
# shellcheck source=../support/command.sh
. "$(dirname "$0")/../support/command.sh"

# A blade that spins and a ball that falls; nothing else moves.
cat > scene.json << 'EOF'
{"domain": {"min": [-2, 0, -2], "max": [2, 3, 2]}, "time": {"frames": 3, "frame_rate": 30},
 "systems": [],
 "colliders": [{"name": "blade", "shape": "box", "min": [-0.8, 1.4, -0.05], "max": [0.8, 1.6, 0.05],
                "motion": {"spin": [0, 0, 900], "pivot": [0, 1.5, 0]}},
               {"name": "ball", "shape": "sphere", "center": [-1.2, 1.5, 0], "radius": 0.2,
                "motion": {"velocity": [0, -12, 0]}}],
 "cameras": [{"name": "front", "eye": [0, 1.5, 6], "target": [0, 1.5, 0], "fov": 30}]}
EOF
expect 0 run scene.json -o out -q
final=(--style final --samples 8 --denoise none --size 64x48 -q)

for frame in 0 1 3; do # the first, one within, and the last
    expect 0 render out --frames $frame -o "sharp_$frame.png" "${final[@]}" --set render.shutter=0
    expect 0 render out --frames $frame -o "open_$frame.png" "${final[@]}" --set render.shutter=1
    check "frame $frame is not blurred" bash -c "! cmp -s sharp_$frame.png open_$frame.png"
done
# Without them the shutter changes nothing.
bare=(--frames 1 --set 'render.hide="blade,ball"')
expect 0 render out "${bare[@]}" -o bare_sharp.png "${final[@]}" --set render.shutter=0
expect 0 render out "${bare[@]}" -o bare_open.png "${final[@]}" --set render.shutter=1
check "a picture of what is at rest depends on the shutter" cmp -s bare_sharp.png bare_open.png

# A still, the same frame of a sequence, and the frame of a live world are one picture.
expect 0 render out --frames 1-3 -o 'all_%d.png' "${final[@]}" --set render.shutter=1
check "a still is not the frame of a sequence" cmp -s open_3.png all_3.png
expect 0 render scene.json --frames 3 -o live.png "${final[@]}" --set render.shutter=1
check "live and stored frames differ" cmp -s open_3.png live.png
finish
