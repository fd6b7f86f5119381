# Scenes and loops for tests of resumed runs. Sourced after command.sh.
# shellcheck shell=bash

# busy_scene FILE FRAMES: a jet, a drain and a turning box; level of detail, boundary particles.
busy_scene() {
    cat > "$1" << END
{
  "name": "Busy",
  "domain": {"min": [0, 0, 0], "max": [3, 2, 1]},
  "time": {"frames": $2, "frame_rate": 60},
  "systems": [
    {"name": "water", "solver": "pbf", "parameters": {"spacing": 0.08, "iterations": 5,
     "lod": "dtvs", "boundary": "particles"},
     "blocks": [{"min": [0, 0, 0], "max": [1, 1, 1]}],
     "emitters": [{"shape": "disk", "center": [2.4, 1.5, 0.5], "radius": 0.25, "speed": 3}],
     "drains": [{"shape": "box", "min": [2.8, 0, 0], "max": [3, 0.2, 1]}]}
  ],
  "colliders": [
    {"shape": "box", "min": [1.2, 0, 0.2], "max": [1.4, 0.6, 0.8],
     "motion": {"velocity": [-0.3, 0, 0], "spin": [0, 20, 0]}}
  ]
}
END
}

# snow_scene FILE FRAMES INTEGRATION: a ball of varied snow between a sticky wall and a moving box.
snow_scene() {
    cat > "$1" << END
{
  "name": "Snow",
  "domain": {"min": [0, 0, 0], "max": [2, 1, 1], "friction": 0.5},
  "time": {"frames": $2, "frame_rate": 240},
  "systems": [
    {"name": "snow", "solver": "snow", "parameters": {"spacing": 0.03, "preset": "packed",
     "integration": "$3", "vary_stiffness": 0.5},
     "fills": [{"name": "ball", "mode": "random", "velocity": [3, -2, 0],
       "noise": {"smooth": 0.8, "grain": 0.2, "size": 0.1},
       "shapes": [{"shape": "sphere", "center": [1.25, 0.25, 0.5], "radius": 0.2}]}],
     "emitters": [{"shape": "disk", "center": [0.5, 0.8, 0.5], "radius": 0.1, "speed": 3}],
     "drains": [{"shape": "box", "min": [0, 0, 0], "max": [0.6, 0.2, 1]}]}
  ],
  "colliders": [
    {"shape": "box", "min": [1.5, 0, 0], "max": [1.7, 0.8, 1], "sticky": true},
    {"shape": "box", "min": [0.7, 0, 0.2], "max": [0.9, 0.6, 0.8], "friction": 0.2,
     "motion": {"velocity": [1, 0, 0], "spin": [0, 20, 0]}}
  ]
}
END
}

# same_run A B: frames bit by bit, statistics but for their times.
same_run() {
    local frame
    for frame in "$1"/frame_*.slf; do
        checks=$((checks + 1))
        cmp -s "$frame" "$2/${frame##*/}" || fail "$frame and $2/${frame##*/} differ"
    done
    same "statistics" "$(cut -d, -f1-10,17- "$1/stats.csv")" "$(cut -d, -f1-10,17- "$2/stats.csv")"
}

# kill_and_resume SCENE HASH KILLS: SIGKILL at random moments, until so many have hit a run. Every
# frame has a checkpoint, so that many kills come while one is being written.
kill_and_resume() {
    local scene=$1 hash=$2 wanted=$3 kills=0 process pause
    rm -rf killed
    while [ "$kills" -lt "$wanted" ]; do
        "$sleet" run "$scene" -o killed --resume --checkpoint-every 1 -q > said 2> errors &
        process=$!
        pause=$((RANDOM % 400 + 5))
        sleep "0.$(printf '%03d' $pause)"
        if kill -9 "$process" 2> /dev/null; then
            kills=$((kills + 1))
        fi
        wait "$process" 2> /dev/null
        same "complaints of a resumed run" "$(cat errors)" ""
        if [ -s said ]; then # done before the kill: from the start again
            same "hash after $kills kills" "$(cat said)" "$hash"
            [ "$kills" -ge "$wanted" ] || rm -rf killed
        fi
    done
    expect 0 run "$scene" -o killed --resume -q
    same "hash after $kills kills" "$said" "$hash"
    same "left behind" "$(find killed -name '*.part')" ""
    expect 0 verify killed
}
