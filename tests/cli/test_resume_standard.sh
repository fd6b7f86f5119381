#!/usr/bin/env bash
# A run that was killed, stopped, or ran out of disk continues with the same bits.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
# shellcheck source=tests/support/resume.sh
source "$SLEET_SOURCE/tests/support/resume.sh"
busy_scene busy.json 60

expect 0 run busy.json -o whole -q
hash=$said
kill_and_resume busy.json "$hash" 10
same_run whole killed

# --- a finished run, and one that is not there ------------------------------------------------
expect 0 run busy.json -o whole --resume
same "hash of a finished run" "$said" "$hash"
complains "resuming at frame 60 of 60"
expect 0 run busy.json -o fresh --resume --frames 2
expect 0 run busy.json -o fresh --resume
complains "resuming at frame 2 of 60" "changed since: time.frames: 2 → 60"
same "hash of a longer run" "$said" "$hash"
same_run whole fresh
mkdir -p empty
expect 0 run busy.json -o empty --resume --frames 1
complains "empty has no checkpoint: starting at frame 0"

# --- any checkpointed frame, changed values ---------------------------------------------------
expect 0 run busy.json -o some --checkpoint-every 7 -q
same "the last two checkpoints" "$(cd some && echo checkpoint_*)" \
    "checkpoint_000056.slc checkpoint_000060.slc"
expect 0 run busy.json -o some --resume=56 -q
same "hash from frame 56" "$said" "$hash"
expect 3 run busy.json -o some --resume=20
complains "no checkpoint of frame 20" "56, 60"
expect 5 run busy.json -o some --resume=56 --set systems.water.parameters.viscosity=0.2
complains "systems[0].parameters.viscosity: (not given) → 0.2" "frames after 56"
expect 0 run busy.json -o some --resume=56 --overwrite --set systems.water.parameters.viscosity=0.2
differ "hash with another viscosity" "$said" "$hash"
check "no record of the change" grep -q "viscosity: (not given) → 0.2" some/run.json
expect 0 info some
says "changed: systems[0].parameters.viscosity: (not given) → 0.2" "frames 56 to 60, finished"
expect 3 run busy.json -o some --resume --set systems.water.name=sea
complains '"sea"' '"water"'
for bad in 0 x 5parsecs -3; do
    expect 2 run busy.json -o bad --checkpoint-every $bad
    complains "--checkpoint-every takes"
done
expect 0 run busy.json -o none --checkpoint-every off -q --frames 2
same "checkpoints of a run without" "$(find none -name '*.slc')" ""

# --- another instruction-set path: it says so, and the record has it ---------------------------
if grep -q avx2 /proc/cpuinfo; then
    SLEET_ISA=avx2 expect 0 run busy.json -o paths --frames 3 -q
    SLEET_ISA=base expect 0 run busy.json -o paths --frames 6 --resume
    complains "the run so far was computed on the avx2 path" "SLEET_ISA=avx2 keeps the path" \
        "changed since: instruction-set path: avx2 → base"
    expect 0 info paths
    says "changed: instruction-set path: avx2 → base" "avx2 path" "base path"
else
    skip "one instruction-set path only: no resume on another"
fi

# --- a damaged checkpoint: the one before it --------------------------------------------------
expect 0 run busy.json -o hurt --checkpoint-every 7 -q
printf x | dd of=hurt/checkpoint_000060.slc bs=1 seek=3000 conv=notrunc 2> /dev/null
printf x | dd of=hurt/frame_000010.slf bs=1 seek=3000 conv=notrunc 2> /dev/null
expect 3 verify hurt
says "frame_000010.slf: not a valid frame file" "checkpoint_000060.slc: not a valid checkpoint" \
    "60 frames intact, 1 damaged, 0 missing; 1 checkpoints intact, 1 damaged"
expect 0 run busy.json -o hurt --resume
complains "checkpoint_000060.slc: not a valid checkpoint" "resuming at frame 56"
same "hash from the one before" "$said" "$hash"

# --- signals ----------------------------------------------------------------------------------
for signal in INT TERM HUP PIPE; do
    for pause in 0.1 0.25 0.4; do
        env --default-signal=INT "$sleet" run busy.json --frames 4000 -o "stopped-$signal" --overwrite \
            > said 2> errors &
        process=$!
        sleep $pause
        kill -s $signal "$process"
        wait "$process"
        same "exit code after SIG$signal" $? 75
        check "no word of it: $(cat errors)" grep -q "stopped; frames 0 to .* --resume continues" errors
        expect 0 run busy.json --frames 60 -o "stopped-$signal" --resume -q
        if [ -e "stopped-$signal/frame_000061.slf" ]; then # it was faster than the signal
            same "hash of a run that has more frames" "$said" ""
            continue
        fi
        same "hash after SIG$signal" "$said" "$hash"
        same_run whole "stopped-$signal"
    done
done
# A run that is to end with the frame after which it was stopped: never with half a step more.
for ((k = 0; k < 6; k++)); do
    "$sleet" run busy.json --frames 4000 -o end --overwrite -q > said 2> errors &
    process=$!
    sleep "0.$((RANDOM % 3 + 1))$((RANDOM % 10))"
    kill -TERM "$process"
    wait "$process"
    last=$(find end -name 'frame_*.slf' | sort | tail -n 1 | tr -dc '0-9' | sed 's/^0*//')
    [ "${last:-0}" -gt 0 ] || continue
    expect 0 run busy.json --frames "$last" -o end --resume -q
    resumed=$said
    expect 0 run busy.json --frames "$last" -o direct --overwrite -q
    same "hash at frame $last" "$resumed" "$said"
done
"$sleet" run busy.json --frames 4000 -o requested -q > said 2> errors &
process=$!
for ((k = 0; k < 100; k++)); do
    [ ! -e requested/frame_000003.slf ] || break
    sleep 0.05
done
kill -USR1 "$process"
for ((k = 0; k < 100; k++)); do
    [ -z "$(find requested -name '*.slc')" ] || break
    sleep 0.05
done
check "no checkpoint after SIGUSR1" test -n "$(find requested -name '*.slc')"
check "the run ended with SIGUSR1" kill -0 "$process"

# --- one run in a folder at a time, readers beside it -----------------------------------------
expect 5 run busy.json -o requested
complains "another run is writing there"
expect 0 render requested --frames 2 -o picture -q
says "picture/frame_000002.png"
expect 0 verify requested
kill -9 "$process"
wait "$process" 2> /dev/null
"$sleet" run busy.json -o followed -q > said 2> errors &
for ((k = 0; k < 100; k++)); do
    [ ! -e followed/frame_000001.slf ] || break
    sleep 0.02
done
expect 0 render followed --follow --no-video -o pictures -q
wait
same "pictures of a run that was followed" "$(find pictures -name '*.png' | wc -l)" 61

# --- a full disk ------------------------------------------------------------------------------
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=1500k tmpfs disk 2> /dev/null; then
    on_exit+=("umount '$work/disk'")
    expect 5 run busy.json -o disk/out --checkpoint-every 5
    complains "No space left on device" "--resume continues"
    expect 0 verify disk/out
    mount -o remount,size=40m disk
    expect 0 run busy.json -o disk/out --resume -q
    same "hash once there is room" "$said" "$hash"
    same_run whole disk/out
else
    skip "no small disk can be mounted here"
fi
finish
