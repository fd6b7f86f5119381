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

# --- a broken frame among good ones: the others have their meshes, and the exit code tells ---------
printf 'broken' > out/frame_000003.slf
expect 3 mesh out --frames 1-4 -o "k_%d.ply"
complains "frame_000003.slf" "1 damaged frames were left out"
check "one line per broken frame" test "$(grep -c 'this frame is left out' <<< "$errors")" -eq 1
check "the other frames" test -s k_1.ply -a -s k_2.ply -a ! -e k_3.ply -a -s k_4.ply
check "a mesh behind a broken frame is another" cmp k_4.ply m_004.ply
expect 3 mesh out/frame_000003.slf -o k_3.ply
check "a mesh of a broken frame" test ! -e k_3.ply

# --- no particles, one particle ----------------------------------------------------------------------
expect 0 run "$SLEET_SOURCE/scenes/fountain.json" -o none --frames 1 --quiet # emits nothing in frame 0
for ending in ply obj; do
    expect 0 mesh none --frames 0 -o none.$ending
    complains "frame 0 has no particles: its mesh is empty"
    check "an empty mesh is a file" test -s none.$ending
done
check "an empty PLY has elements" test "$(grep -ac '^element [a-z]* 0$' none.ply)" -eq 2
check "an empty OBJ has vertices" bash -c '! grep -q "^[vf] " none.obj'
sed 's/"min": \[0, 0, 0\], "max": \[0.5, 0.8, 0.5\]/"min": [0.7, 0.5, 0.2], "max": [0.75, 0.55, 0.25]/' pool.json > one.json
expect 0 run one.json -o one --frames 1 --quiet
expect 0 info one/frame_000000.slf
says ", 1 particles"
expect 0 mesh one --frames 0 -o drop.ply
expect 0 info drop.ply
says "closed: yes" "manifold: yes"
check "a drop has not the volume of its particle" python3 - << END
import re
volume = float(re.search(r"volume: ([0-9.e-]+)", """$said""").group(1))
assert abs(volume / 0.05 ** 3 - 1) < 0.15, volume
END

# --- a full disk and folders that cannot be written --------------------------------------------------
expect 5 mesh one --frames 0 -o /dev/full/m.ply
complains "/dev/full/m.ply"
: > taken
expect 5 mesh one --frames 0 -o taken/m.ply
complains "taken/m.ply"
rm -rf one/surface
: > one/surface # the default folder
expect 5 mesh one --frames 0
complains "one/surface"
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=8k tmpfs disk 2> /dev/null; then
    on_exit+=("umount '$work/disk'")
    for ending in ply obj; do
        expect 5 mesh out --frames 1 -o disk/m.$ending
        complains "disk/m.$ending" "No space left on device"
        same "left behind" "$(ls disk)" ""
    done
else
    skip "no file system can be mounted: no full disk"
fi
finish
