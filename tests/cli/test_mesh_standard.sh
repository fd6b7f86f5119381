#!/usr/bin/env bash
# sleet mesh: closed meshes of the right volume as PLY and OBJ, the same for any number of threads; names
# for several frames; errors for missing frames, bad values and targets that cannot be written.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
cat > pool.json << 'END'
{"domain": {"min": [0, 0, 0], "max": [1.5, 1, 0.5]}, "time": {"frames": 4},
 "systems": [{"name": "water", "solver": "pbf", "parameters": {"spacing": 0.05},
              "blocks": [{"min": [0, 0, 0], "max": [0.5, 0.8, 0.5]}]}]}
END
expect 0 run pool.json -o out --quiet
expect 0 mesh out --frames 0 -o a.ply
says "a.ply"
expect 0 info a.ply
says "closed: yes" "manifold: yes" "volume: 0.2" # 0.5 × 0.8 × 0.5
expect 0 mesh out --frames 0 -o a.obj --quiet
expect 0 info a.obj
says "closed: yes" "manifold: yes" "volume: 0.2"
printf 'v 0 0 0\nv 0 0 1\nv 1 0 0\nv 0 1 0\nv -1 0 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n' > fins.obj
expect 0 info fins.obj
says "closed: no" "manifold: no"
expect 0 mesh out -o "m_%03d.ply"
check "every frame has its mesh" test -s m_000.ply -a -s m_004.ply
expect 0 mesh out --frames 3-4 --threads 5 -o "n_%03d.ply"
check "the same bytes for any number of threads" cmp m_004.ply n_004.ply
expect 0 mesh out/frame_000002.slf -o one.ply --cube 0.7 --smoothing 3 --anisotropy 1
check "one frame file" test -s one.ply
expect 0 mesh out --frames 1
check "the default name" test -s out/surface/frame_000001.ply

expect 2 mesh
expect 2 mesh out --cubes 1
complains "did you mean --cube"
expect 3 mesh out -o m.ply
complains "%d"
expect 3 mesh out --frames 90 -o m.ply
complains "holds frames 0 to 4 only"
expect 3 mesh out --frames 1 -o m.stl
complains ".ply or .obj"
expect 3 mesh out --frames 1 -o m.ply --cube 7
complains "cube"
expect 3 mesh out --frames 1 -o m.ply --system oil
complains "oil"
expect 5 mesh out --frames 1 -o nowhere/m.ply
expect 5 mesh nothing.slf -o m.ply
mkdir empty
expect 5 mesh empty
complains "no frames"
printf 'broken' > out/frame_000003.slf
expect 3 mesh out --frames 2-4 -o "k_%d.ply"
check "what came before a broken frame is kept" test -s k_2.ply
finish
