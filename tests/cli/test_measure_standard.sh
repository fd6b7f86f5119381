#!/usr/bin/env bash
# sleet measure: a row per frame and system, chosen columns, files, errors.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
cat > balls.json << 'SCENE'
{"domain": {"min": [-1, 0, -1], "max": [1, 2, 1]}, "time": {"frames": 3, "frame_rate": 100},
 "systems": [{"name": "snow", "solver": "snow", "parameters": {"spacing": 0.02},
              "fills": [{"shapes": [{"shape": "box", "min": [-0.5, 1, -0.1], "max": [-0.3, 1.2, 0.1]}]},
                        {"shapes": [{"shape": "box", "min": [0.3, 1, -0.1], "max": [0.5, 1.2, 0.1]}]}]}]}
SCENE
expect 0 run balls.json -o out --quiet
expect 0 measure out --quiet
same "nothing on standard error" "$errors" ""
same "rows" "$(wc -l <<< "$said")" 5
same "columns of all rows" "$(awk -F, '{print NF}' <<< "$said" | sort -u)" 24
cell() { # ROW COLUMN of the last output, the first row is 1
    awk -F, -v row="$1" -v name="$2" \
        'NR == 1 {for (k = 1; k <= NF; k++) if ($k == name) at = k} NR == row + 1 {print $at}' <<< "$said"
}
near() { # WORDS VALUE EXPECTED TOLERANCE
    check "$1: $2 is not $3 ± $4" awk -v a="$2" -v b="$3" -v t="$4" 'BEGIN {exit !(a != "" && a - b <= t && b - a <= t)}'
}
same "frames" "$(cut -d, -f1 <<< "$said" | tail -n +2 | tr '\n' ' ')" "0 1 2 3 "
same "system" "$(cell 1 system)" snow
same "pieces" "$(cell 1 pieces) $(cell 4 pieces)" "2 2"
near "half of the mass each" "$(cell 1 largest)" 0.5 0.02
near "centre of mass" "$(cell 1 center_y_m)" 1.1 0.005
near "it falls by ½ g t²" "$(cell 4 center_y_m)" "$(awk -v y="$(cell 1 center_y_m)" 'BEGIN {print y - 0.5 * 9.81 * 0.0009}')" 0.001
near "top speed" "$(cell 4 max_speed_m_per_s)" 0.2943 0.02
near "energy is kept" "$(cell 4 potential_energy_J)" \
    "$(awk -v e="$(cell 1 potential_energy_J)" -v k="$(cell 4 kinetic_energy_J)" 'BEGIN {print e - k}')" 0.1
near "run-out" "$(cell 1 run_out_m)" 0.49 0.02
near "not deformed" "$(cell 4 plastic)" 1 0.01
check "a density" test -n "$(cell 4 density_ratio)"
particles=$(cell 1 particles)

expect 0 measure out --quiet --threads 1
cp .said one
expect 0 measure out --quiet --threads 3
check "figures depend on the number of threads" cmp one .said

# A box, and which snow was turned over.
expect 0 measure out --frames 2-3 --box -1,0,-1,0,2,1 --turned --system snow --quiet
same "rows" "$(wc -l <<< "$said")" 3
same "columns of all rows" "$(awk -F, '{print NF}' <<< "$said" | sort -u)" 30
near "half is in the box" "$(cell 1 box_particles)" $((particles / 2)) $((particles / 50))
near "its mass" "$(cell 1 box_mass_kg)" "$(awk -v m="$(cell 1 mass_kg)" 'BEGIN {print m / 2}')" 0.1
check "its top is above the height of 95 %" awk -v a="$(cell 1 box_top_m)" -v b="$(cell 1 box_height_m)" 'BEGIN {exit !(a >= b && b > 1)}'
same "nothing was turned" "$(cell 2 low_on_top) $(cell 2 top_from_low)" "0 0"
expect 0 measure out --frames 3 --box 0.9,0,0,1,1,1 --quiet
same "an empty box" "$(cell 1 box_particles),$(cell 1 box_top_m)" "0,"
expect 0 measure out --frames 0 --link 10 --quiet
same "pieces linked over 0.2 m" "$(cell 1 pieces)" 2
expect 0 measure out --frames 0 --link 0.01 --quiet
same "pieces where nothing is linked" "$(cell 1 pieces)" 0
same "all are crumbs" "$(cell 1 crumbs)" 1

# A file, complete or not there.
expect 0 measure out -o table.csv --quiet
same "standard output" "$said" ""
check "the same table" cmp table.csv one
check "nothing else is left" test ! -e table.csv.tmp
expect 3 measure out -o other.csv --system sonw --quiet
complains 'has no system "sonw"' '"snow"'
check "a table of no system" test ! -e other.csv -a ! -e other.csv.tmp
expect 5 measure out -o none/table.csv --quiet
complains "none/table.csv: cannot be written"

# A frame that is missing, damaged frames, empty folders, wrong words.
cp -r out part
rm part/frame_000000.slf
expect 0 measure part
complains "frame 0 is missing"
printf 'broken' > part/frame_000002.slf
expect 3 measure part --quiet
complains "frame_000002.slf"
mkdir empty
expect 5 measure empty
complains "holds no frames"
expect 5 measure nowhere
complains "nowhere"
expect 3 measure out --frames 7-9
complains "holds frames 0 to 3 only"
expect 2 measure
complains "one run folder is needed"
expect 2 measure out out
for bad in 1,2,3 1,2,3,4,5 1,2,3,4,5,6,7 1,0,0,0,1,1 x,0,0,1,1,1 nan,0,0,1,1,1 ""; do
    expect 2 measure out --box "$bad"
    complains "--box takes six numbers"
done
for bad in 0 -1 11 x; do
    expect 2 measure out --link "$bad"
    complains "--link takes a number"
done
expect 2 measure out --frames x
finish
