#!/usr/bin/env bash
# The command as its user meets it: help, wrong words, what run, render, info and params write and
# print, and that nothing but what is promised reaches standard output.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
small_scene scene.json

# --- help and wrong words ---------------------------------------------------------------------
commands=(demo run render measure info verify estimate compare params tune bench)
expect 0 --help
says "${commands[@]}" "exit codes" "130"
same "help and -h" "$("$sleet" help)" "$("$sleet" -h)"
same "help run and run --help" "$("$sleet" help run)" "$("$sleet" run --help)"
expect 2 help rum
complains 'did you mean "run"?'
expect 0 --version
[[ $said =~ ^sleet\ [0-9]+\.[0-9]+\.[0-9]+\ \(([0-9a-f]{12}(-dirty)?|unknown)\)$ ]] || fail "--version: $said"
declare -A options=(
    [demo]="--output --frames --set --threads --list"
    [run]="--output --frames --threads --set --seed --quantise --checkpoint-every --resume[=FRAME] --overwrite --quiet"
    [render]="--output --frames --camera --set --threads --png --no-video --follow --quiet"
    [measure]="--frames --system --box --turned --link --output --threads --quiet"
    [info]="--set" [verify]="--threads" [estimate]="--set" [compare]="--output --gain" [params]="--markdown" [bench]="--quick --json --scene --paper --executions --output"
    [tune]="--from --steps --write --threads --set")
for command in "${commands[@]}"; do
    expect 0 "$command" --help
    # shellcheck disable=SC2086
    says "usage: sleet $command" "examples:" "  sleet $command" "--help" ${options[$command]}
    same "help on standard error" "$errors" ""
    # Every option that the examples show is one of the table.
    for option in $(sed -n '/^examples:/,$p' <<< "$said" | grep -oE -- ' --[a-z-]+' | sort -u); do
        [[ ${said%%examples:*} == *"$option"* ]] || fail "$command's examples use $option"
    done
    expect 2 "$command" --no-such-option
    complains "sleet $command: unknown option --no-such-option" "sleet $command --help"
done
expect 2
complains "usage: sleet"
same "usage error on standard output" "$said" ""
expect 2 rum
complains 'no command "rum"' 'did you mean "run"?'
expect 2 zzzzzzzz
complains 'no command "zzzzzzzz"' "sleet --help"
expect 2 run scene.json --fraems 3
complains 'unknown option --fraems' 'did you mean --frames?'
expect 2 render out --camra x
complains 'did you mean --camera?'
expect 2 run scene.json -x
complains 'unknown option -x'
expect 2 run
complains "a scene file is needed"
expect 2 run scene.json scene.json
expect 2 run scene.json --frames
complains "--frames needs N"
expect 2 run scene.json --quiet=yes
complains "--quiet takes no value"
expect 2 run scene.json --frames 2 --frames 3
complains "--frames is given twice"
for bad in 0 -1 1.5 x 99999999999999999999 ""; do
    expect 2 run scene.json --frames "$bad" -o out-bad
    complains "--frames takes an integer"
done
for bad in 0 257 many; do
    expect 2 run scene.json --threads "$bad" -o out-bad
    complains "--threads takes an integer"
done
expect 2 run scene.json --seed -4 -o out-bad
expect 2 run scene.json --set gravity -o out-bad
complains "--set takes path=value"
expect 2 info --set name=a --set b scene.json
expect 2 run scene.json -o "$(printf 'long/%.0s' {1..200})"
complains "is too long"
for bad in x 3-1 1- - 1-2-3; do
    [ "$bad" = 1- ] && continue # an open end is fine
    expect 2 render scene.json --frames "$bad" -o out-bad
    complains "--frames takes a frame or a range"
done
expect 2 bench pases
complains 'did you mean "passes"?'
expect 2 bench passes --scene dam
complains "passes takes no --scene"
expect 2 bench apbf --quick --paper
complains "--quick and --paper exclude each other"
expect 2 bench apbf --executions 0
complains "--executions takes an integer"
expect 2 params pfb
complains 'nothing is called "pfb"' 'did you mean "pbf"?'
expect 2 params nonsense
expect 2 demo dam_braek
complains 'there is no demo "dam_braek"' 'did you mean "dam_break"?' "sleet demo --list"
expect 3 render scene.json --camera topp -o out-bad
complains 'no camera "topp"' 'did you mean "top"?'
check "a wrong command line made a folder" test ! -e out-bad

# --- run --------------------------------------------------------------------------------------
hash_of() { # ARGUMENTS…: the hash that run prints, the only line of standard output
    expect 0 run "$@"
    [[ $said =~ ^state\ hash:\ [0-9a-f]{16}$ ]] || fail "run $*: standard output is: $said"
    hash=${said#state hash: }
}
hash_of scene.json -o out
first=$hash
complains "1000 particles" "frames 0 to 6" "out"
same "files written" "$(cd out && echo *)" \
    "checkpoint_000006.slc $(printf 'frame_%06d.slf ' 0 1 2 3 4 5 6)run.json scene.json stats.csv"
check_frames out
check_stats out/stats.csv 12 12 0.01
hash_of scene.json -o out-quiet --quiet
same "hash of a quiet run" "$hash" "$first"
same "standard error of a quiet run" "$errors" ""
for frame in out/frame_*.slf; do
    check "$frame differs between runs" cmp "$frame" "out-quiet/${frame#out/}"
done
for threads in 1 2 3; do
    hash_of scene.json -o out-quiet --overwrite --quiet --threads $threads
    same "hash with $threads threads" "$hash" "$first"
done
hash_of out/scene.json -o out-again --quiet
same "hash of the saved scene" "$hash" "$first"
hash_of out/scene.json -o out --quiet --overwrite # into the folder it is read from
same "hash of the saved scene in its place" "$hash" "$first"

# Values from the command line are in the saved scene, so that it repeats the run.
hash_of scene.json -o out-set --quiet --frames 3 --seed 7 \
    --set systems.water.parameters.iterations=7 --set "gravity=[0, -3, 0]"
differ "hash with other values" "$hash" "$first"
changed=$hash
check_frames out-set
same "frames of a shorter run" "$(find out-set -name '*.slf' | wc -l)" 4
hash_of out-set/scene.json -o out-again --overwrite --quiet
same "hash of the saved scene with values" "$hash" "$changed"
same "old frames in the folder" "$(find out-again -name '*.slf' | wc -l)" 4
expect 0 info out-set/scene.json
says "frames: 3 at 50 per second"
hash_of scene.json --frames 1 --quiet # the default folder
check "no frames in out/scene" test -e out/scene/frame_000001.slf
expect 0 run --quiet --frames=01 --seed 007 -o out-again --overwrite -- scene.json
# A hash that cannot be printed is an error.
if [ -w /dev/full ]; then
    "$sleet" run scene.json --frames 1 --quiet -o out-again --overwrite > /dev/full 2> errors
    same "exit code with a full standard output" $? 5
    check "silent about it" grep -q "standard output" errors
fi

# On a terminal there is one bar, drawn over itself: no line is as wide as the window.
checks=$((checks + 1))
python3 - "$sleet" << 'END' || fail "the progress bar on a terminal"
import fcntl, os, pty, struct, subprocess, sys, termios
for columns in (20, 60, 80, 200):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    run = subprocess.Popen([sys.argv[1], "run", "scene.json", "--frames", "3", "-o", "terminal", "--overwrite"],
                           stdout=subprocess.DEVNULL, stderr=theirs)
    assert run.wait() == 0
    os.close(theirs)
    text = b""
    try:
        while part := os.read(ours, 65536):
            text += part
    except OSError:
        pass # the other end is closed
    bars = [part.split("\r\n")[0] for part in text.decode().split("\r\033[K")[1:]]
    assert bars and "frame 3/3" in bars[-1] or columns == 20, bars
    assert max(map(len, bars)) < columns, bars
END

# --- instruction sets -------------------------------------------------------------------------
SLEET_ISA=base hash_of scene.json -o out-base --quiet
SLEET_ISA=base expect 0 info
says "path: base"
if grep -q avx2 /proc/cpuinfo; then
    SLEET_ISA=avx2 hash_of scene.json -o out-avx2 --quiet
    same "hash with avx2 forced" "$hash" "$first"
    SLEET_ISA=avx2 expect 0 info
    says "path: avx2"
else
    SLEET_ISA=avx2 expect 7 run scene.json -o out-avx2
fi
SLEET_ISA=nonsense expect 3 run scene.json -o out-nonsense
complains 'SLEET_ISA is "nonsense"; it may be base or avx2'
check "a run that cannot start made a folder" test ! -e out-nonsense

# --- render -----------------------------------------------------------------------------------
png_size() {
    python3 -c 'import struct, sys
b = open(sys.argv[1], "rb").read()
assert b[:8] == b"\x89PNG\r\n\x1a\n" and b[-8:-4] == b"IEND"
print("%dx%d" % struct.unpack(">II", b[16:24]))' "$1"
}
expect 0 render out --frames 3
same "path of the picture" "$said" "out/render/frame_000003.png"
same "its size" "$(png_size out/render/frame_000003.png)" 160x90
expect 0 render out --frames 3 --quiet -o pictures --camera top --set render.width=64
same "path of the picture" "$said" "pictures/frame_000003.png"
same "standard error of a quiet render" "$errors" ""
same "its size" "$(png_size pictures/frame_000003.png)" 64x90
expect 0 render out --frames 1-2 --no-video -o pair
same "pictures of a range" "$(cd pair && echo *)" "frame_000001.png frame_000002.png"
says "pair/frame_000001.png to pair/frame_000002.png"
expect 0 render scene.json --frames 2 -o live
check "a scene and its frames draw differently" cmp live/frame_000002.png \
    <("$sleet" render out --frames 2 -o stored -q > /dev/null && cat stored/frame_000002.png)
expect 3 render out --frames 7
complains "holds frames 0 to 6 only"
expect 5 render no-such-folder -o pair
complains "no-such-folder"
mkdir empty
expect 5 render empty
complains "empty: holds no frames"
expect 5 info empty
complains "holds no frames"

video_frames() {
    ffprobe -v error -count_frames -select_streams v:0 -of csv=p=0 \
        -show_entries stream=nb_read_frames "$1"
}
if command -v ffmpeg > /dev/null && command -v ffprobe > /dev/null; then
    expect 0 render out --frames 1-4
    same "path of the video" "$said" "out/render/video.mp4"
    same "frames of the video" "$(video_frames out/render/video.mp4)" 4
    expect 0 render out -o all --png
    says all/video.mp4
    same "frames of the whole video" "$(video_frames all/video.mp4)" 7
    same "pictures beside it" "$(find all -name '*.png' | wc -l)" 7
    expect 0 render scene.json -o film --frames 2-5
    says film/video.mp4
    same "frames of a scene's video" "$(video_frames film/video.mp4)" 4
    same "its rate" "$(ffprobe -v error -select_streams v:0 -of csv=p=0 \
        -show_entries stream=r_frame_rate film/video.mp4)" 50/1
    same "left behind" "$(find . -name '*.part')" ""
else
    skip "no ffmpeg, no videos"
fi
mkdir no-tools
PATH=$work/no-tools "$sleet" render out --frames 1-3 -o plain > said 2> errors
same "exit code without ffmpeg" $? 0
same "pictures without ffmpeg" "$(cd plain && echo *)" \
    "frame_000001.png frame_000002.png frame_000003.png"
same "lines about ffmpeg" "$(grep -c 'ffmpeg is not installed.*PNG.*plain' errors)" 1
check "no path is printed" grep -q plain/frame_000003.png said

# --- compare ----------------------------------------------------------------------------------
expect 0 compare pair/frame_000001.png pair/frame_000001.png
says "size: 160 × 90" "psnr: infinite" "ssim: 1.00000" "largest difference: 0 of 255"
expect 0 compare pair/frame_000001.png pair/frame_000002.png -o apart.png --gain 4
[[ $said =~ psnr:\ [0-9]+\.[0-9]{3}\ dB ]] || fail "no PSNR in: $said"
[[ $said =~ ssim:\ 0\.[0-9]{5} ]] || fail "no SSIM in: $said"
same "size of the differences" "$(png_size apart.png)" 160x90
there=$said
expect 0 compare pair/frame_000002.png pair/frame_000001.png
same "the other way round" "$said" "$there"
expect 3 compare pair/frame_000001.png pictures/frame_000003.png -o none.png
complains "160 × 90 and 64 × 90 pixels; they must be of one size"
check "a picture of nothing" test ! -e none.png
expect 3 compare pair/frame_000001.png out/stats.csv
complains "out/stats.csv: not a PNG file"
expect 5 compare pair/frame_000001.png no-such.png
complains "no-such.png"
expect 5 compare pair/frame_000001.png pair/frame_000002.png -o no-such/apart.png
expect 2 compare pair/frame_000001.png
complains "two PNG files are needed"
expect 2 compare pair/frame_000001.png pair/frame_000002.png --gain 0
complains "--gain takes an integer"

# --- info and params --------------------------------------------------------------------------
expect 0 info
says "sleet " "path: " "threads: " "memory available: "
expect 0 info scene.json
says "scene: Small" "frames: 6 at 50 per second" "particles: 1000" "memory: " "cameras: 2"
expect 0 info scene.json --set systems.water.parameters.spacing=0.2
says "particles: 125"
expect 0 info out/frame_000004.slf
says "frame: 4" "time: 0.08 s" "1000 particles" "position" "velocity" "colliders: 1"
expect 0 info out
says "frames: 7, 0 to 6" "frame: 6" "run: Small, finished, frame 6 of 6" "state hash: $first" "session: " \
    "threads" "sleet $("$sleet" --version | cut -d' ' -f2)"
expect 5 info no-such.slf
head -c 500 out/frame_000000.slf > cut.slf
expect 3 info cut.slf
complains "not a valid frame file"
cp out/stats.csv wrong.slf
expect 3 info wrong.slf
expect 2 info out out
expect 0 params
says "pbf" "splats" "solver" "renderer"
expect 0 params pbf
says "iterations" "kernel" "cubic" "spacing" "default" "range"
says "support 1.8, iterations 2" "multipliers per_iteration" # choices of a preset by name
expect 0 params --markdown
says "| key | default |"

# --- demo -------------------------------------------------------------------------------------
expect 0 demo --list
says "dam_break" "fountain"
# Each demo in a tiny size: NAME SYSTEM SPACING. Values of the command line come after the demo's own.
while read -r demo system spacing; do
    check "$demo and what it shows" grep -qE "^$demo +[a-z].{20}" <<< "$("$sleet" demo --list)"
    tiny=(demo "$demo" --frames 2 -o "tiny-$demo" --set "systems.$system.parameters.spacing=$spacing"
        --set render.width=64 --set render.height=36)
    scene=$SLEET_SOURCE/scenes/papers/snow/$demo.json
    if [ "$demo" = snowman ] && [ ! -e "$scene" ]; then
        expect 5 "${tiny[@]}"
        complains "scenes/papers/snow/snowman.json: cannot be read"
        continue
    fi
    case $system in
    snow) picture=final_000001.png tiny+=(--set render.samples=1) ;;
    *) picture=frame_000001.png ;;
    esac
    expect 0 "${tiny[@]}"
    says "picture: tiny-$demo/$picture"
    same "size of $demo" "$(png_size "tiny-$demo/$picture")" 64x36
    check "one path traced picture" test "$(find "tiny-$demo" -name 'final_*.png' | wc -l)" -le 1
done << 'DEMOS'
water water 0.4
adaptive water 0.6
squirrel water 0.3
snowball snow 0.02
snowman snow 0.05
plough snow 0.08
DEMOS
expect 2 demo snowbal
complains 'there is no demo "snowbal"' 'did you mean "snowball"?' "sleet demo --list"
expect 0 demo scene.json -o demo --frames 4
says "picture: demo/frame_000003.png"
same "its size" "$(png_size demo/frame_000003.png)" 160x90
if command -v ffmpeg > /dev/null && command -v ffprobe > /dev/null; then
    says "video:   demo/video.mp4"
    same "frames of the demo" "$(video_frames demo/video.mp4)" 4
fi
# --- the scene's own output settings ------------------------------------------------------------
expect 0 run scene.json --quiet --frames 4 --set 'output={"folder": "strided", "every": 2}'
same "frames of every second" "$(cd strided && echo frame_*.slf)" \
    "frame_000000.slf frame_000002.slf frame_000004.slf"
expect 0 run scene.json --quiet --frames 2 -o given --set 'output={"folder": "strided2"}'
check "-o before the scene's folder" test -f given/frame_000002.slf -a ! -e strided2

finish
