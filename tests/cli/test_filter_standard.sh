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

# A damaged result is made anew; a damaged frame is an error with its name.
expect 0 filter out --filter whitewater --quiet
printf 'broken' > "$(find out/filters -name frame_000004.slf)"
expect 0 filter out --filter whitewater --quiet
says "1 made" "10 stored already"
complains "frame_000004.slf"
printf 'broken' > out/frame_000005.slf
expect 3 filter out --filter whitewater --quiet
complains "frame_000005.slf"

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
