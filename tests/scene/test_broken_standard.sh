#!/usr/bin/env bash
# Every broken scene gives its sentence and its exit code, and leaves nothing under a final name.
# tests/scene/broken/expected.csv holds what is expected; its last column runs to the line's end.
set -u
sleet=$SLEET_BUILD/sleet
broken=$SLEET_SOURCE/tests/scene/broken
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
cases=0

fail() {
    echo "FAILED $1: $2"
    failures=$((failures + 1))
}

# check NAME EXIT_CODE FRAGMENT OUTDIR ARGUMENTS…
check() {
    local name=$1 code=$2 fragment=$3 out=$4
    shift 4
    cases=$((cases + 1))
    timeout 60 "$sleet" run "$@" >"$work/stdout" 2>"$work/stderr"
    local got=$?
    [ "$got" -eq "$code" ] || fail "$name" "exit code $got, expected $code: $(cat "$work/stderr")"
    grep -qF -- "$fragment" "$work/stderr" ||
        fail "$name" "no \"$fragment\" in: $(cat "$work/stderr")"
    if [ -d "$out" ]; then
        local left
        left=$(find "$out" -name '*.slf' -o -name '*.part')
        [ -z "$left" ] || fail "$name" "left behind: $left"
    fi
}

[ -x "$sleet" ] || { echo "no $sleet"; exit 1; }

listed=0
while IFS=, read -r file code fragment; do
    [ "$file" = file ] && continue
    listed=$((listed + 1))
    check "$file" "$code" "$fragment" "$work/out-$file" \
        "$broken/$file" -o "$work/out-$file" --frames 1
done <"$broken/expected.csv"
[ "$listed" -eq "$(find "$broken" -name '*.json' | wc -l)" ] ||
    fail expected.csv "lists $listed scenes, the folder has another number"

# What is not a scene file at all.
good=$SLEET_SOURCE/scenes/dam_break_small.json
check "missing file" 5 "cannot be read: No such file or directory" "$work/a" \
    "$work/no-such-scene.json" -o "$work/a" --frames 1
check "a folder as scene" 5 "is a folder, not a file" "$work/b" "$broken" -o "$work/b" --frames 1
check "a device as scene" 5 "is not an ordinary file" "$work/c" /dev/zero -o "$work/c" --frames 1
head -c 70000000 /dev/zero >"$work/large.json"
check "a file too large" 5 "at most 67108864 are read" "$work/d" \
    "$work/large.json" -o "$work/d" --frames 1

# Output that cannot be written: a folder below a file, a file in the folder's place.
touch "$work/file"
check "output below a file" 5 "$work/file/out" "$work/file/out" \
    "$good" -o "$work/file/out" --frames 1
check "output is a file" 5 "$work/file" "$work/file" "$good" -o "$work/file" --frames 1

# Values set on the command line are part of the scene, so their mistakes are the scene's.
check "--set out of range" 3 "--set time.frames: frames is 0" "$work/e" \
    "$good" -o "$work/e" --frames 1 --set time.frames=0
check "--set of an unknown key" 3 'did you mean "iterations"?' "$work/f" \
    "$good" -o "$work/f" --frames 1 --set systems.water.parameters.iteratoins=3
check "--set of an unknown system" 3 'nothing in systems is called "watr"' "$work/g" \
    "$good" -o "$work/g" --frames 1 --set systems.watr.name=x

echo "$cases cases, $failures failures"
[ "$failures" -eq 0 ]
