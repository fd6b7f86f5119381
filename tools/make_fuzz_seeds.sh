#!/usr/bin/env bash
# Writes the seeds of tests/io/fuzz_frame and fuzz_checkpoint anew: run it when the version of the
# container or its records change. usage: tools/make_fuzz_seeds.sh [BUILD]
set -eu
source_folder=$(cd "$(dirname "$0")/.." && pwd)
sleet=$(cd "${1:-$source_folder/build}" && pwd)/sleet
frames=$source_folder/tests/io/fuzz_frame.seeds
checkpoints=$source_folder/tests/io/fuzz_checkpoint.seeds
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The world of fuzz_checkpoint.c: one system, a block of 64 particles, a jet.
system='"solver": "pbf", "blocks": [{"min": [0, 0, 0], "max": [0.4, 0.4, 0.4]}],
    "emitters": [{"shape": "box", "center": [0.9, 0.6, 0.2], "up": [1, 0, 0], "width": 0.2,
                  "height": 0.2, "direction": [0, -1, 0]}]'
head='"time": {"frames": 2}, "domain": {"min": [0, 0, 0], "max": [1.2, 0.8, 0.4]}'
echo "{\"name\": \"jet\", $head, \"systems\": [{$system}]}" > jet.json
"$sleet" run jet.json -o jet -q --checkpoint-every 1
rm -f "$frames"/*
for frame in 0 1 2; do
    cp "jet/frame_00000$frame.slf" "$frames/frame$frame.slf"
done
rm -f "$checkpoints"/*
cp jet/checkpoint_*.slc "$checkpoints/"
(cd "$checkpoints" && for file in checkpoint_*; do mv "$file" "frame${file:16:1}.slc"; done)
head -c 900 "$frames/frame1.slf" > "$frames/cut.slf"
"$sleet" run jet.json -o small -q --quantise
cp small/frame_000002.slf "$frames/quantised.slf"

# Two systems; every kind of collider: shapes, a mesh, a mesh that deforms.
for key in 0 1; do
    printf 'v 0 0 0\nv 0.%d 0 0\nv 0 0.2 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' \
        $((2 + key)) > "key_$key.obj"
done
cat > solids.json << END
{"name": "solids", $head,
 "systems": [{$system, "material": {"color": [0.1, 0.2, 0.3]}},
             {"name": "snow", "solver": "snow", "parameters": {"spacing": 0.1},
              "blocks": [{"min": [0.5, 0, 0], "max": [0.7, 0.2, 0.2]}]}],
 "colliders": [{"shape": "sphere", "center": [1, 0.1, 0.1], "radius": 0.1},
               {"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]},
               {"shape": "mesh", "file": "key_0.obj", "position": [0.8, 0.4, 0.1], "cell": 0.1,
                "material": {"kind": "glass"}, "motion": {"spin": [0, 90, 0]}},
               {"shape": "mesh", "files": ["key_0.obj", "key_1.obj"], "cell": 0.1,
                "position": [0.2, 0.5, 0.1]}],
 "cameras": [{"name": "a", "eye": [3, 2, 3], "target": [0, 0, 0]},
             {"name": "b", "eye": [0, 2, 3], "target": [0, 0, 0]}]}
END
"$sleet" run solids.json -o solids -q
cp solids/frame_000002.slf "$frames/solids.slf"

ls -l "$frames" "$checkpoints"
