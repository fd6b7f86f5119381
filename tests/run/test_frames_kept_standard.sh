#!/usr/bin/env bash
# Ways to lose frames: after each of them every frame that was in the folder is still there with the
# same bytes, and where the command stopped it has said why. A table of the cases is printed.
#
# SLEET_BINARY=PATH runs another program through the cases, e.g. an older one.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
sleet=${SLEET_BINARY:-$sleet}
old=${SLEET_BINARY:+yes} # an older program knows no --overwrite and keeps no run.json

scene() { # FILE FRAMES [NAME] [VISCOSITY] [EVERY]: 125 particles in a box
    cat > "$1" << SCENE
{
  "name": "${3:-Drop}",
  "domain": {"min": [0, 0, 0], "max": [1, 1, 1]},
  "time": {"frames": $2, "frame_rate": 50},
  "systems": [
    {"name": "water", "solver": "pbf", "parameters": {"spacing": 0.1, "viscosity": ${4:-0.01}},
     "blocks": [{"min": [0, 0, 0], "max": [0.5, 0.5, 0.5]}]}
  ],
  "output": {"every": ${5:-1}}
}
SCENE
}
cube() { # FILE SIZE: a closed mesh
    python3 - "$@" << 'MESH'
import sys
s = float(sys.argv[2])
with open(sys.argv[1], "w") as f:
    for x in (0, 1):
        for y in (0, 1):
            for z in (0, 1):
                f.write(f"v {x*s} {y*s} {z*s}\n")
    for q in ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)):
        f.write("f %d %d %d %d\n" % q)
MESH
}
mesh_scene() { # FILE FRAMES
    scene "$1" "$2" Meshed
    python3 - "$1" << 'EDIT'
import json, sys
scene = json.load(open(sys.argv[1]))
scene["colliders"] = [{"name": "cube", "shape": "mesh", "file": "cube.obj", "position": [0.7, 0, 0.3]}]
json.dump(scene, open(sys.argv[1], "w"), indent=1)
EDIT
}
endless() { # starts a long run into $1 with checkpoints every $2 frames (default 3); $process
    "$sleet" run long.json -o "$1" --checkpoint-every "${2:-3}" > "$1.said" 2> "$1.errors" &
    process=$!
}
wait_for_frame() { # FOLDER NUMBER
    local k
    for ((k = 0; k < 600; k++)); do
        [ ! -e "$1/$(printf 'frame_%06d.slf' "$2")" ] || return 0
        sleep 0.02
    done
    fail "$1: no frame $2"
}

# --- the table ----------------------------------------------------------------------------------
number=0
results=()
begin() { # TITLE: the next case, in a folder of its own; frames of $folder are noted by `note`
    number=$((number + 1))
    title=$1
    folder=case$number
    lost_before=$failures
    : > noted
}
note() { # remembers the checksums of all frames in the folder
    (cd "${1:-$folder}" && find . -name 'frame_*.slf' -type f -exec sha256sum {} + | sort -k 2) > noted
}
lost=0
kept() { # every frame noted is there with the same bytes
    local wrong
    checks=$((checks + 1))
    wrong=$( (cd "${1:-$folder}" && sha256sum --check --quiet ../noted 2>&1) | head -n 3)
    if [ -n "$wrong" ] || [ ! -s noted ]; then
        fail "case $number ($title): frames lost: $wrong"
        lost=1
    fi
}
end() {
    local result=kept
    [ "$lost" -eq 0 ] || result=LOST
    [ "$failures" -eq "$lost_before" ] || [ "$lost" -eq 1 ] || result="kept, but see above"
    results+=("$(printf '%2d  %-58s %s' "$number" "$title" "$result")")
    lost=0
}
# answer CODE ARGUMENTS…: as expect; an older program may answer otherwise.
answer() {
    if [ -n "$old" ]; then
        shift
        timeout 300 "$sleet" "$@" > .said 2> .errors
        errors=$(cat .errors) said=$(cat .said)
    else
        expect "$@"
    fi
}
told() { [ -n "$old" ] || complains "$@"; }
make() { # FRAMES [ARGUMENTS…]: a finished run of $scene in $folder
    local frames=$1
    shift
    timeout 300 "$sleet" run scene.json -o "$folder" --frames "$frames" -q "$@" > .said 2> .errors ||
        fail "case $number: $(cat .errors)"
}

scene scene.json 12
scene other.json 12 Other 0.3
scene shorter.json 4 Shorter 0.3
scene changed.json 12 Drop 0.3
scene changed20.json 20 Drop 0.3
scene long.json 100000
scene strided.json 12 Drop 0.01 2

# --- asking for something else ------------------------------------------------------------------
begin "--resume with fewer frames than there are"
make 12; note
answer 0 run scene.json -o $folder --frames 5 --resume
told "holds frames 0 to 12" "the same scene" "nothing to do"
kept; end

begin "--resume with a wrong, shorter scene"
make 12; note
answer 5 run shorter.json -o $folder --resume
told "holds frames 0 to 12" "another scene" "-o DIR"
kept; end

begin "--resume with a wrong scene of the same length"
make 12; note
answer 5 run other.json -o $folder --resume
told "another scene" "--overwrite"
kept; end

begin "plain run into a finished run"
make 12; note
answer 5 run scene.json -o $folder
told "holds frames 0 to 12" "finished" "--resume" "--overwrite" "-o DIR"
kept; end

begin "plain run of another scene into a finished run"
make 12; note
answer 5 run other.json -o $folder
told "another scene" "-o DIR"
kept; end

begin "plain run with fewer frames"
make 12; note
answer 5 run scene.json -o $folder --frames 3
told "holds frames 0 to 12"
kept; end

begin "plain run into an unfinished run"
endless $folder; wait_for_frame $folder 5; kill -TERM $process; wait $process
note
answer 5 run scene.json -o $folder
told "stopped at frame"
kept; end

begin "--frames 0"
make 12; note
answer 2 run scene.json -o $folder --frames 0 --resume
kept; end

begin "--resume=FRAME beyond the run"
make 12 --checkpoint-every 4; note
answer 3 run scene.json -o $folder --resume=40 --frames 60
told "has no checkpoint of frame 40"
answer 3 run scene.json -o $folder --resume=12 --frames 8
kept; end

begin "resume of a finished run"
make 12; note
answer 0 run scene.json -o $folder --resume
told "resuming at frame 12 of 12"
kept; end

begin "--resume=0 of a finished run"
make 12; note
answer 0 run scene.json -o $folder --resume=0
kept; end

begin "--resume=4 with another seed and viscosity"
make 8 --checkpoint-every 4
note
answer 5 run changed.json -o $folder --resume=4 --frames 8 --seed 7
told "frames after 4" "--resume --overwrite" "viscosity"
kept; end

begin "--resume with changed values, frames after the checkpoint"
make 8 --checkpoint-every 4; rm $folder/checkpoint_000008.slc; note
answer 5 run changed.json -o $folder --resume --frames 8
told "frames after 4 are of the scene before it was changed" "viscosity: 0.01 → 0.3"
kept; end

begin "--resume with changed values, fewer frames"
make 12 --checkpoint-every 4; note
answer 5 run changed.json -o $folder --resume --frames 8
told "more than asked for"
kept; end

begin "--resume with a changed mesh"
cube cube.obj 0.2
mesh_scene meshed.json 8
cp scene.json scene.keep; cp meshed.json scene.json
make 8 --checkpoint-every 4
note
cube cube.obj 0.3
answer 5 run scene.json -o $folder --frames 8 --resume=4
told "contents of" "frames after 4"
mv scene.keep scene.json
kept; end

begin "output.every changed on --resume"
make 12 --checkpoint-every 5; note
answer 5 run strided.json -o $folder --resume=10
kept; end

# --- two at once, signals, kills ----------------------------------------------------------------
begin "two runs at once, plain"
endless $folder; wait_for_frame $folder 3; note
answer 5 run other.json -o $folder
told "another run is writing there"
kept
kill -TERM $process; wait $process; kept; end

begin "two runs at once, --resume"
endless $folder; wait_for_frame $folder 3; note
answer 5 run scene.json -o $folder --resume --frames 2
told "another run is writing there"
kept
kill -TERM $process; wait $process; kept; end

for signal in TERM HUP PIPE; do
    begin "SIG$signal, then --resume with fewer frames"
    endless $folder 100000; wait_for_frame $folder 4; kill -$signal $process; wait $process
    code=$?
    [ -n "$old" ] || same "exit code after SIG$signal" $code 75
    note
    answer 0 run long.json -o $folder --frames 3 --resume
    kept
    [ -n "$old" ] || expect 0 verify $folder
    end
done

begin "a closed pipe on standard error"
(
    "$sleet" run long.json --frames 400 -o $folder --checkpoint-every 100000 2>&1 > /dev/null
    echo $? > piped
) | head -n 3 > /dev/null # the packing, the pressure, the run itself
wait_for_frame $folder 3
[ -n "$old" ] || same "exit code with a closed pipe" "$(cat piped)" 75
note
answer 0 run long.json -o $folder --frames 2 --resume
kept; end

for moment in 2 6 11; do
    begin "kill -9 after frame $moment, --resume"
    endless $folder 4; wait_for_frame $folder $moment; kill -KILL $process; wait $process 2> /dev/null
    note
    last=$(find $folder -name 'frame_*.slf' | sort | tail -n 1)
    last=${last##*frame_}
    answer 0 run long.json -o $folder --resume --frames $((10#${last%.slf} + 3))
    kept; end
done

begin "kill -9, no checkpoint yet, --resume"
endless $folder 100000; wait_for_frame $folder 6; kill -KILL $process; wait $process 2> /dev/null
note
last=$(find $folder -name 'frame_*.slf' | sort | tail -n 1)
last=${last##*frame_}
"$sleet" run long.json -o $folder --resume --checkpoint-every 100000 > said 2> errors &
process=$!
sleep 0.3 # and again, while it computes the first frames anew
kill -KILL $process 2> /dev/null; wait $process 2> /dev/null
kept
answer 0 run long.json -o $folder --resume --frames $((10#${last%.slf} + 2))
kept; end

# --- the disk -----------------------------------------------------------------------------------
begin "a full disk, then --resume"
mkdir $folder
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=400k tmpfs $folder 2> /dev/null; then
    on_exit+=("umount '$work/$folder'")
    mkdir $folder/out
    answer 5 run long.json -o $folder/out --checkpoint-every 5
    told "No space left on device"
    (cd $folder/out && sha256sum frame_*.slf) > $work/noted
    answer 5 run long.json -o $folder/out --resume
    answer 5 run scene.json -o $folder/out
    checks=$((checks + 1))
    wrong=$( (cd $folder/out && sha256sum --check --quiet "$work/noted" 2>&1) | head -n 3)
    [ -z "$wrong" ] || { fail "case $number: frames lost: $wrong"; lost=1; }
else
    skip "case $number: no small disk can be mounted here"
fi
end

begin "a limit of file size"
make 12 --checkpoint-every 4; note
(
    ulimit -f 1
    trap '' XFSZ # the write fails instead
    "$sleet" run scene.json -o $folder --resume --frames 30 > said 2> errors
    echo $? > coded
)
[ -n "$old" ] || same "exit code" "$(cat coded)" 5
kept; end

begin "a read-only folder"
make 12; note
chmod a-w $folder
as_user=()
[ "$(id -u)" -ne 0 ] || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
chmod a+rx .
if "${as_user[@]}" "$sleet" info scene.json > /dev/null 2>&1; then
    "${as_user[@]}" "$sleet" run scene.json -o $folder > said 2> errors
    same "exit code for a read-only folder" $? 5
    "${as_user[@]}" "$sleet" run scene.json -o $folder --resume --frames 30 > said 2> errors
    same "exit code for a read-only folder" $? 5
else
    skip "case $number: root may write anywhere and cannot change its user here"
fi
chmod u+w $folder
kept; end

# --- files renamed, removed, damaged ------------------------------------------------------------
begin "a frame renamed"
make 12; mv $folder/frame_000005.slf $folder/best.slf; note
answer 0 run scene.json -o $folder --resume
told "missing before frame 12: frames 5;"
check "the renamed frame is gone" test -s $folder/best.slf
[ -n "$old" ] || expect 3 verify $folder
kept; end

begin "frames deleted in the middle"
make 12 --checkpoint-every 4; (cd $folder && sha256sum frame_*.slf) > all
rm $folder/frame_00000{3,4,5,7}.slf; note
answer 0 run scene.json -o $folder --resume --frames 14
told "missing before frame 12: frames 3 to 5, 7;" "--resume=0"
if [ -z "$old" ]; then
    expect 3 verify $folder
    says "missing: frames 3 to 5, 7" "4 missing"
    expect 0 run scene.json -o $folder --resume=0 --frames 14
    check "frames that were missing are not as they were" \
        bash -c "cd $folder && sha256sum --check --quiet ../all"
    expect 0 verify $folder
fi
kept; end

begin "the last frames deleted"
make 12; rm $folder/frame_00001{0,1,2}.slf; note
[ -n "$old" ] || { expect 3 verify $folder; says "missing: frames 10 to 12"; }
answer 0 run scene.json -o $folder --resume
kept; end

begin "the last checkpoint cut short"
make 12 --checkpoint-every 5; note
truncate -s 2000 $folder/checkpoint_000012.slc
answer 0 run scene.json -o $folder --resume
told "not a" "checkpoint_000012.slc.damaged" "resuming at frame 10"
kept; end

begin "all checkpoints damaged"
make 12 --checkpoint-every 5; note
for file in "$folder"/checkpoint_*.slc; do truncate -s 1000 "$file"; done
answer 0 run scene.json -o $folder --resume
kept; end

begin "checkpoints removed"
make 12; note; rm $folder/checkpoint_*.slc
answer 0 run scene.json -o $folder --resume
told "has no checkpoint"
kept; end

begin "checkpoints removed, changed scene"
make 12; note; rm $folder/checkpoint_*.slc
answer 5 run changed20.json -o $folder --resume
told "before it was changed"
kept; end

begin "a damaged frame"
make 12 --checkpoint-every 5
cp $folder/frame_000011.slf good.slf
printf x | dd of=$folder/frame_000011.slf bs=1 seek=700 conv=notrunc 2> /dev/null
rm -f $folder/checkpoint_000012.slc
(cd $folder && sha256sum $(ls frame_*.slf | grep -v 000011)) > noted
[ -n "$old" ] || expect 3 verify $folder
answer 0 run scene.json -o $folder --resume
told "was damaged and is replaced"
check "the damaged frame was not computed again" cmp -s $folder/frame_000011.slf good.slf
kept; end

begin "stats.csv removed"
make 12; note; rm $folder/stats.csv
answer 0 run scene.json -o $folder --resume
kept; end

begin "run.json removed"
make 12; note; rm -f $folder/run.json
answer 5 run other.json -o $folder --resume
answer 5 run other.json -o $folder
kept; end

begin "run.json is not JSON"
make 12; note; echo '{"format": 1, "sta' > $folder/run.json
answer 0 run scene.json -o $folder --resume
kept; end

begin "scene.json removed, another scene"
make 12; note; rm $folder/scene.json
answer 5 run other.json -o $folder --resume --frames 20
answer 0 run scene.json -o $folder --resume
kept; end

begin "scene.json and run.json removed, another scene"
make 12; note; rm -f $folder/scene.json $folder/run.json
answer 5 run other.json -o $folder --resume --frames 10
answer 5 run other.json -o $folder
kept; end

begin "scene.json as its own input, other values"
make 12; note; cp $folder/scene.json before.json
answer 5 run $folder/scene.json -o $folder --frames 3 --seed 9
check "the input was replaced" cmp -s before.json $folder/scene.json
kept; end

begin "a scene.json written by hand as its own input"
mkdir $folder; scene $folder/scene.json 3; echo ' ' >> $folder/scene.json
cp $folder/scene.json before.json
answer 5 run $folder/scene.json -o $folder --frames 2
told "scene.json" "not written by a run"
check "the input was replaced" cmp -s before.json $folder/scene.json
answer 0 run $folder/scene.json -o $folder
check "the input was replaced" cmp -s before.json $folder/scene.json
note
answer 5 run $folder/scene.json -o $folder --frames 2
kept; end

# --- folders ------------------------------------------------------------------------------------
begin "the output is a file"
make 12; note; echo text > file-in-the-way
answer 5 run scene.json -o file-in-the-way --resume
same "the file" "$(cat file-in-the-way)" text
answer 5 run scene.json -o $folder/frame_000003.slf
kept; end

begin "a symbolic link to the folder"
make 12; note; ln -s $folder linked
answer 5 run other.json -o linked
answer 0 run scene.json -o linked --resume --frames 5
kept; end

begin "a relative path from another folder"
make 12; note; mkdir -p deep/er
(cd deep/er && timeout 300 "$sleet" run ../../other.json -o ../../$folder > "$work/.said" 2> "$work/.errors")
code=$?
[ -n "$old" ] || same "exit code" $code 5
(cd deep/er && timeout 300 "$sleet" run ../../scene.json -o ../../$folder --resume --frames 5 > "$work/.said" 2>&1)
kept; end

begin "frames of another path after the checkpoint"
make 12 --checkpoint-every 5
rm $folder/checkpoint_000012.slc
SLEET_ISA=base timeout 300 "$sleet" run scene.json -o base --frames 12 -q > .said 2> .errors
if cmp -s base/frame_000011.slf $folder/frame_000011.slf; then
    skip "case $number: the base path is the only one here"
    note
else
    cp base/frame_000011.slf $folder/frame_000011.slf
    note
    answer 5 run scene.json -o $folder --resume
    told "frame_000011.slf: differs from what is computed" "--resume --overwrite"
fi
kept; end

begin "--overwrite leaves other files alone"
if [ -z "$old" ]; then
    make 12
    mkdir $folder/render
    echo mine > $folder/notes.txt
    echo mine > $folder/frame_7.slf
    echo mine > $folder/frame_000001.png
    echo mine > $folder/render/picture.png
    (cd $folder && sha256sum notes.txt frame_7.slf frame_000001.png render/picture.png) > noted
    expect 0 run other.json -o $folder --overwrite --frames 4
    complains "replacing 13 frames"
    kept
    same "frames after --overwrite" "$(find $folder -name 'frame_0*.slf' | wc -l)" 5
    expect 0 verify $folder
fi
end

begin "--resume --overwrite keeps frames up to the checkpoint"
if [ -z "$old" ]; then
    make 12 --checkpoint-every 5
    (cd $folder && sha256sum frame_00000?.slf frame_000010.slf) > noted
    expect 0 run changed.json -o $folder --resume=10 --overwrite
    kept
    differ "frame 12 of the changed scene" "$(sha256sum < $folder/frame_000012.slf)" \
        "$(sha256sum < case4/frame_000012.slf)"
    check "no change in run.json" grep -q 'viscosity: 0.01 → 0.3' $folder/run.json
fi
end

begin "render --follow of a run that was killed"
endless $folder; wait_for_frame $folder 3; kill -KILL $process; wait $process 2> /dev/null
note
if [ -z "$old" ]; then
    expect 5 render $folder --follow --no-video -o $folder-pictures -q \
        --set render.width=32 --set render.height=32
    complains "its run has ended" "--resume"
fi
kept; end

printf '%s\n' "${results[@]}"
finish
