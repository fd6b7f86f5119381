#!/usr/bin/env bash
# sleet filter: results in the run folder, made once; the scene's filters and those of the command line; other
# commands are not confused by them; errors.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
cat > splash.json << 'END'
{"domain": {"min": [0, 0, 0], "max": [1.2, 2, 1.2]}, "time": {"frames": 10, "frame_rate": 25},
 "systems": [{"name": "water", "solver": "pbf", "parameters": {"spacing": 0.1},
              "blocks": [{"min": [0, 0, 0], "max": [1.2, 0.4, 1.2]},
                         {"min": [0.3, 0.6, 0.3], "max": [0.9, 1.4, 0.9]}]}],
 "filters": [{"type": "surface", "smoothing": 5}, {"type": "whitewater", "lifetime": 4}]}
END
expect 0 run splash.json -o out --quiet
check "the scene in the folder has the filters" grep -q '"whitewater"' out/scene.json
expect 0 filter out --quiet
says "11 frames: 11 made" "whitewater: " "surface of water: "
expect 0 filter out --quiet
says "11 frames: 0 made" "11 stored already"
expect 0 filter out --filter whitewater --frames 8 --threads 5
says "1 frames: 1 made" # and those before it
check "frames on the way are stored" test "$(find out/filters -name frame_000003.slf | wc -l)" -eq 3
expect 0 filter out --filter whitewater --frames 2-8
says "7 frames: 0 made"
expect 0 filter out --filter whitewater --set size=0.004 --frames 8 --quiet
says "1 frames: 1 made"

# Same bytes for any number of threads.
find out/filters -name frame_000008.slf | sort | xargs cat | cksum > two
rm -r out/filters
expect 0 filter out --quiet --threads 1
expect 0 filter out --filter whitewater --frames 8 --quiet --threads 1
expect 0 filter out --filter whitewater --set size=0.004 --frames 8 --quiet --threads 1
find out/filters -name frame_000008.slf | sort | xargs cat | cksum > one
check "results depend on the number of threads" cmp one two

# Whitewater as PLY files, a system of its own: every particle has the values that are stored in the run folder.
rm -r out/filters
expect 0 filter out --filter whitewater --frames 7-8 -o 'white_%03d.ply' --quiet
says "white_007.ply and 1 more"
cat > compare_ply.py << 'END'
import glob, os, re, sys
import numpy
sys.path.insert(0, os.path.join(os.environ["SLEET_SOURCE"], "tools"))
from read_frame import read_frame
data = open("white_008.ply", "rb").read()
head = data[:data.index(b"end_header\n") + len(b"end_header\n")]
kinds = {"float": "<f4", "uint": "<u4"}
names = [(name, kinds[kind]) for kind, name in re.findall(r"property (\w+) (\w+)", head.decode())]
points = numpy.frombuffer(data, numpy.dtype(names), offset=len(head))
assert len(points) == int(re.search(rb"element vertex (\d+)", head).group(1)) > 50, len(points)
(stored,) = read_frame(glob.glob("out/filters/whitewater-*/frame_000008.slf")[0])["systems"]
assert stored["name"] == "whitewater" and stored["particle_count"] == len(points), stored["particle_count"]
lanes = {"position": ("x", "y", "z"), "velocity": ("vx", "vy", "vz")}
for field in ("position", "velocity", "phase", "radius", "lifetime", "id"):
    array = stored["fields"][field][0]
    for k, name in enumerate(lanes.get(field, (field,))):
        assert (points[name] == array[:, k]).all(), field
assert set(points["phase"]) <= {0, 1, 2} and len(set(points["phase"])) > 1, set(points["phase"])
assert (points["radius"] > 0).all() and abs(points["vy"]).max() > 0.1
END
python=python3 # the one that has numpy: Debian's, if another is first
python3 -c 'import numpy' 2> /dev/null || python=/usr/bin/python3
check "the PLY file is not the stored whitewater" env SLEET_SOURCE="$SLEET_SOURCE" $python compare_ply.py
expect 0 filter out --filter whitewater --frames 8 -o water.ply --system water --quiet
check "water has no density" grep -aq 'property float density_ratio' water.ply
check "water has phases" bash -c '! grep -aq "property uint phase" water.ply'
expect 0 filter out --filter surface --frames 8 -o all.ply --quiet # no whitewater: what the frame has
check "not all particles" grep -aq "$(grep -a 'element vertex' water.ply)" all.ply
expect 3 filter out --filter whitewater --frames 8 -o oil.ply --system oil --quiet
complains "oil"
check "a file of no system" test ! -e oil.ply
expect 3 filter out --filter whitewater -o white.ply --quiet
complains "%d"
expect 2 filter out --filter whitewater -o white.obj
complains ".ply"
expect 2 filter out --filter whitewater --system water
complains "--output"
expect 5 filter out --filter whitewater --frames 8 -o nowhere/white.ply --quiet
complains "nowhere/white.ply"
expect 5 filter out --filter whitewater --frames 8 -o /dev/full/white.ply --quiet

# Other commands.
expect 0 verify out
says "11 frames intact, 0 damaged, 0 missing"
expect 0 info out
says "frames: 11"
expect 0 run splash.json -o out --resume --quiet
check "resume keeps results" test -d out/filters
expect 0 run splash.json -o out --resume --quiet --set filters[1].lifetime=5 # decides nothing
expect 0 run splash.json -o out --overwrite --quiet
check "overwrite removes results" test ! -e out/filters

# A folder that cannot hold results gives them all the same, and says so once.
: > out/filters
expect 0 filter out --filter whitewater --quiet
says "11 made"
check "one warning" test "$(grep -c 'cannot be stored' <<< "$errors")" -eq 1
rm out/filters

# A damaged result is made anew.
expect 0 filter out --filter whitewater --quiet
printf 'broken' > "$(find out/filters -name frame_000004.slf)"
expect 0 filter out --filter whitewater --quiet
says "1 made" "10 stored already"
complains "frame_000004.slf"

# A broken frame among good ones is left out, with one line; what is stored of the others stays.
cp -r out whole
printf 'broken' > out/frame_000005.slf
expect 3 filter out --filter whitewater --quiet
complains "frame_000005.slf" "1 damaged frames were left out"
says "10 frames: 0 made"
check "one line per broken frame" test "$(grep -c 'frame_000005.slf' <<< "$errors")" -eq 1

# Made anew, whitewater continues from the last good frame and says so: with two broken frames the result is that of
# a run that never had them.
printf 'broken' > out/frame_000006.slf
rm -r out/filters
expect 3 filter out --filter whitewater --quiet
complains "frame_000005.slf" "frame_000006.slf" "the next continues from the last good one" "2 damaged frames"
says "9 frames: 9 made"
for k in 5 6; do
    check "one line for frame $k" test "$(grep -c "frame_00000$k.slf" <<< "$errors")" -eq 1
done
cp -r whole gap
rm -r gap/filters gap/frame_00000[56].slf
expect 0 filter gap --filter whitewater --quiet
says "9 frames: 9 made"
for k in 4 7 10; do
    file=$(printf 'frame_%06d.slf' $k)
    check "frame $k does not continue from the last good one" cmp "$(find out/filters -name "$file")" \
        "$(find gap/filters -name "$file")"
done
# Where nothing can be stored it does the same, without beginning again.
rm -r out/filters
: > out/filters
expect 3 filter out --filter whitewater --quiet
says "9 frames: 9 made"
check "one line for frame 6" test "$(grep -c frame_000006.slf <<< "$errors")" -eq 1
rm out/filters
# The first frame broken; a filter without a past.
cp whole/frame_00000[56].slf out
printf 'broken' > out/frame_000000.slf
expect 3 filter out --filter whitewater --quiet
says "10 frames: 10 made"
check "one line for frame 0" test "$(grep -c frame_000000.slf <<< "$errors")" -eq 1
expect 3 filter out --filter surface --quiet
says "10 frames: 10 made"
complains "frame_000000.slf"
check "a surface continues from nothing" bash -c '! grep -q continues' <<< "$errors"
cp whole/frame_000000.slf out

# While the frames before the first that is asked for are made, the filter's name and the time left are shown: as
# lines, and as a bar on a terminal. Very small whitewater is slow; the first second is not shown, and reports come
# between frames, of which the last takes half of the time.
took=0
for size in 0.00005 0.00003 0.00002 0.00001; do
    slow=(filter out --filter whitewater --set size=$size --set max_particles=20000000 --frames 10)
    rm -rf out/filters
    expect 0 "${slow[@]}"
    # The filter's own time: start and end of the command show nothing.
    took=$(sed -nE 's/.* made in ([0-9]+)\.([0-9]) s .*/\1\200/p' <<< "$said")
    [ -n "$took" ] || fail "no time: $said"
    [ $took -le 4500 ] || break
done
if [ $took -gt 4500 ]; then
    checks=$((checks + 1))
    grep -qE '^whitewater: [0-9]+ % of the frames before, [0-9:]+ left$' <<< "$errors" || fail "no progress: $errors"
    complains "filtering: frame 1 of 1"
    rm -r out/filters
    expect 0 "${slow[@]}" --quiet
    same "quiet" "$errors" ""
    rm -r out/filters
    python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$sleet" "${slow[@]}" > terminal < /dev/null
    check "no bar: $(cat terminal)" grep -qE 'whitewater [█░]+ +[0-9]+ %  of the frames before  [0-9:]+ left' terminal
else
    skip "this machine takes only $took ms for slow whitewater: no progress to be seen"
fi

expect 2 filter
expect 2 filter out --filters whitewater
complains "did you mean --filter"
expect 3 filter out --filter whitewatre
complains "did you mean \"whitewater\""
expect 3 filter out --filter whitewater --set siz=1
complains "did you mean \"size\""
expect 3 filter out --filter whitewater --set size=7
complains "size is 7"
expect 3 filter out --set size=1
complains "--filter"
expect 3 filter out --filter whitewater --frames 90
complains "holds frames 0 to 10 only"
expect 5 filter nowhere
mkdir empty
expect 5 filter empty --filter thin
complains "no frames"
for wrong in '{"type": "whitewatre"}' '{"lifetime": 2}' '{"type": "whitewater", "lifetim": 2}' '3'; do
    sed "s/{\"type\": \"whitewater\", \"lifetime\": 4}/$wrong/" splash.json > wrong.json
    expect 3 run wrong.json -o wrong --quiet
    complains "wrong.json:5:"
done
finish
