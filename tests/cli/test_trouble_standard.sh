#!/usr/bin/env bash
# What is left when a run is stopped, the disk is full, the folder cannot be written or memory is
# short: the exit code, a message, and nothing under a final name that is not complete.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
small_scene scene.json 100000

# wait_for SECONDS COMMAND…: until it succeeds.
wait_for() {
    local tries=$(($1 * 20))
    shift
    while ! "$@" > /dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.05
    done
}

# --- stopped by a signal ----------------------------------------------------------------------
# The shell starts background jobs deaf to SIGINT; env gives it back its meaning.
for signal in INT TERM; do
    env --default-signal=INT "$sleet" run scene.json -o "stopped-$signal" > said 2> errors &
    process=$!
    check "no third frame after 60 s" wait_for 60 test -e "stopped-$signal/frame_000003.slf"
    kill -s "$signal" "$process"
    wait "$process"
    same "exit code after SIG$signal" $? 75
    same "standard output of a stopped run" "$(cat said)" ""
    check_frames "stopped-$signal"
    frames=$(find "stopped-$signal" -name '*.slf' | wc -l)
    check "not the frames it says: $(tail -n 1 errors)" \
        grep -q "stopped; frames 0 to $((frames - 1)) in stopped-$signal are complete" errors
    # Two steps a frame; the signal may come after the first.
    check_stats "stopped-$signal/stats.csv" $((2 * frames - 2)) $((2 * frames)) 0.01
    expect 0 run "stopped-$signal/scene.json" --frames 2 --quiet -o again --overwrite
    check "a stopped run's frame differs" cmp again/frame_000002.slf \
        "stopped-$signal/frame_000002.slf"
done
env --default-signal=INT "$sleet" run scene.json -o stopped-quiet --quiet > said 2> errors &
process=$!
check "no first frame after 60 s" wait_for 60 test -e stopped-quiet/frame_000001.slf
kill -INT "$process"
wait "$process"
same "exit code of a quiet run" $? 75
same "what a quiet run says when stopped" "$(cat said errors)" ""

if command -v ffprobe > /dev/null && command -v ffmpeg > /dev/null; then
    playable() {
        ffmpeg -v error -i "$1" -f null - && [ "$(ffprobe -v error -count_frames -of csv=p=0 \
            -show_entries stream=nb_read_frames "$1")" -ge 1 ]
    }
    for source in stopped-INT scene.json; do
        for pause in 0 0.3 1; do
            rm -rf film
            env --default-signal=INT "$sleet" render "$source" --frames 0-90000 -o film \
                --set render.width=1280 --set render.height=720 > said 2> errors &
            process=$!
            wait_for 20 test -d film
            sleep "$pause"
            kill -INT "$process" 2> /dev/null
            wait "$process"
            code=$?
            check "exit code $code of a stopped render" test "$code" -eq 130 -o "$code" -eq 0
            if [ -e film/video.mp4 ]; then
                check "a stopped video does not play" playable film/video.mp4
                check "its path is not printed" grep -qx film/video.mp4 said
            else
                same "a path without a video" "$(cat said)" ""
            fi
            same "left behind" "$(find film -name '*.part*')" ""
        done
    done
    none_left() {
        ! pgrep -f "file:film/video" > /dev/null
    }
    check "an ffmpeg is still running" wait_for 10 none_left
else
    skip "no ffmpeg, no stopped videos"
fi

# --- folders that cannot be written -----------------------------------------------------------
touch file
for folder in file file/below /proc/sleet; do
    expect 5 run scene.json --frames 1 -o "$folder"
    complains "$folder"
    same "standard output" "$said" ""
    expect 5 render scene.json --frames 1 -o "$folder"
    complains "$folder"
    expect 5 demo scene.json --frames 1 -o "$folder"
    complains "$folder"
done
mkdir locked
chmod a-w locked
chmod a+rx . # root looks at it as a user that may not write there
as_user=()
[ "$(id -u)" -ne 0 ] || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if "${as_user[@]}" "$sleet" info scene.json > /dev/null 2>&1; then
    for folder in locked locked/below; do
        "${as_user[@]}" "$sleet" run scene.json --frames 1 -o $folder > said 2> errors
        same "exit code for a read-only folder" $? 5
        check "no message: $(cat errors)" grep -q "$folder: .*Permission denied" errors
    done
else
    skip "root may write anywhere and cannot change its user: no read-only folder"
fi
# A folder in the place of a frame.
mkdir -p taken/frame_000001.slf
expect 5 run scene.json --frames 2 -o taken
complains "taken/frame_000001.slf"
expect 0 info taken/frame_000000.slf
same "left behind" "$(find taken -name '*.part*')" ""

# --- a full disk ------------------------------------------------------------------------------
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=256k tmpfs disk 2> /dev/null; then
    on_exit+=("umount '$work/disk'")
    expect 5 run scene.json --frames 50 -o disk/out
    complains "disk/out/" "No space left on device"
    same "standard output of a run that failed" "$said" ""
    check_frames disk/out
    check "no frame at all" test -e disk/out/frame_000002.slf
    rm -rf disk/*
    head -c 200k /dev/zero > disk/filler
    expect 5 run scene.json --frames 1 -o disk/out # not even the first frames
    check_frames disk/out
    rm -rf disk/*
    expect 5 render scene.json --frames 0-3 --no-video -o disk/out \
        --set render.width=1280 --set render.height=720
    complains "No space left on device"
    same "left behind" "$(find disk -name '*.part*')" ""
    if command -v ffmpeg > /dev/null; then
        rm -rf disk/*
        head -c 250k /dev/zero > disk/filler
        expect 5 render scene.json --frames 0-40 -o disk/out \
            --set render.width=1280 --set render.height=720
        complains "disk/out/video.mp4"
        same "a video on a full disk" "$(find disk -name '*.mp4*')" ""
    fi
else
    skip "no small disk can be mounted here"
fi

# --- memory -----------------------------------------------------------------------------------
if sanitized; then
    skip "a sanitizer takes all address space: no memory limit"
else
    for command in run render demo; do
        (
            ulimit -v 400000
            exec "$sleet" $command scene.json --frames 1 -o "large-$command" \
                --set systems.water.parameters.spacing=0.008
        ) > said 2> errors
        same "exit code of $command under a memory limit" $? 4
        check "$command does not say how much: $(cat errors)" grep -qE '[0-9.]+ [KMGT]iB' errors
        check "$command made a folder first" test ! -e "large-$command"
    done
fi
expect 4 run scene.json -o huge --set systems.water.parameters.spacing=0.0008
complains "iB"
check "a folder was made first" test ! -e huge
finish
