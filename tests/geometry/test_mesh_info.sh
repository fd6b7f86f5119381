#!/usr/bin/env bash
# sleet info on a mesh: its lines, and the sentence and exit code of a file that is none.
set -euo pipefail
sleet=$SLEET_BUILD/sleet
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

fail() {
    echo "$1" >&2
    exit 1
}

cat > "$folder/tetrahedron.obj" << 'END'
v 0 0 0
v 2 0 0
v 0 3 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
END
"$sleet" info "$folder/tetrahedron.obj" > "$folder/report"
while read -r line; do
    grep -qxF "$line" "$folder/report" || fail "no line \"$line\" in: $(cat "$folder/report")"
done << 'END'
vertices: 4
triangles: 4
closed: yes
open edges: 0
non-manifold edges: 0
flipped edges: 0
degenerate faces: 0
components: 1
size: 2 × 3 × 1 m
area: 9 m^2
volume: 1 m^3
END

sed -i '$d' "$folder/tetrahedron.obj"
"$sleet" info "$folder/tetrahedron.obj" > "$folder/report"
grep -qx 'closed: no' "$folder/report" && grep -qx 'open edges: 3' "$folder/report" ||
    fail "an open tetrahedron: $(cat "$folder/report")"

# expect NAME CODE WORDS
expect() {
    local code=0
    "$sleet" info "$folder/$1" > "$folder/report" 2>&1 || code=$?
    [[ $code == "$2" ]] && grep -qF "$3" "$folder/report" ||
        fail "$1: exit code $code, $(cat "$folder/report")"
}
: > "$folder/empty.ply"
printf '\x01\x02\x03' > "$folder/garbage.stl"
printf 'v 0 0 0\nf 1 2 3\n' > "$folder/bad.obj"
expect missing.obj 5 "missing.obj: cannot be read: No such file"
expect empty.ply 3 "empty.ply: is empty; a mesh has at least one face"
expect garbage.stl 3 "garbage.stl: byte 3: the file ends here"
expect bad.obj 3 "bad.obj:2: f: vertex 2, but 1 vertices stand above this line"
