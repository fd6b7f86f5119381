# Shell functions for tests that run the command. Sourced by bash; wants SLEET_SOURCE and
# SLEET_BUILD, as ctest gives them. Every test ends with `finish`.
# shellcheck shell=bash
SLEET_SOURCE=${SLEET_SOURCE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
SLEET_BUILD=${SLEET_BUILD:-$SLEET_SOURCE/build}
sleet=$SLEET_BUILD/sleet
work=$(mktemp -d)
on_exit=() # commands a test adds: run first
clean_up() {
    local command
    for command in "${on_exit[@]}"; do
        eval "$command"
    done
    chmod -R u+w "$work"
    rm -rf "$work"
}
trap clean_up EXIT
[ -x "$sleet" ] || { echo "no $sleet"; exit 1; }
cd "$work" || exit 1
unset SLEET_ISA
failures=0
checks=0
said=""   # standard output of the last `expect`
errors="" # its standard error
code=0    # its exit code

sanitized() {
    grep -qE '^SLEET_SANITIZE:STRING=.' "$SLEET_BUILD/CMakeCache.txt"
}

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# One case that cannot be tested here; tools/test_report.py lists and counts the line.
skip() {
    echo "SKIPPED: $*"
}

# check WORDS COMMAND…: the command must succeed.
check() {
    local words=$1
    shift
    checks=$((checks + 1))
    "$@" || fail "$words"
}

# expect CODE ARGUMENTS…: runs sleet with them; standard output, error and exit code are kept.
expect() {
    local wanted=$1
    shift
    checks=$((checks + 1))
    timeout 300 "$sleet" "$@" > "$work/.said" 2> "$work/.errors"
    code=$?
    said=$(cat "$work/.said")
    errors=$(cat "$work/.errors")
    [ "$code" -eq "$wanted" ] || fail "sleet $*: exit code $code, expected $wanted: $errors"
}

# The last one's output or errors must hold each of the texts.
says() {
    local text
    for text in "$@"; do
        checks=$((checks + 1))
        [[ $said == *"$text"* ]] || fail "no \"$text\" in: $said"
    done
}
complains() {
    local text
    for text in "$@"; do
        checks=$((checks + 1))
        [[ $errors == *"$text"* ]] || fail "no \"$text\" in: $errors"
    done
}
same() {
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1: \"$2\" and \"$3\" should be the same"
}
differ() {
    checks=$((checks + 1))
    [ "$2" != "$3" ] || fail "$1: \"$2\" twice, they should differ"
}

# small_scene FILE [FRAMES]: a dam break of 1,000 particles, drawn small.
small_scene() {
    cat > "$1" << END
{
  "name": "Small",
  "domain": {"min": [0, 0, 0], "max": [2, 1.5, 1]},
  "time": {"frames": ${2:-6}, "frame_rate": 50},
  "systems": [
    {"name": "water", "solver": "pbf", "parameters": {"spacing": 0.1, "steps": 2},
     "blocks": [{"min": [0, 0, 0], "max": [1, 1, 1]}]}
  ],
  "colliders": [{"name": "ball", "shape": "sphere", "center": [1.5, 0.2, 0.5], "radius": 0.15}],
  "cameras": [
    {"name": "main", "eye": [3, 1.5, 3], "target": [1, 0.5, 0.5]},
    {"name": "top", "eye": [1, 4, 0.6], "target": [1, 0, 0.5]}
  ],
  "render": {"width": 160, "height": 90}
}
END
}

# Every frame in the folder reads, and nothing half-written is left beside them.
check_frames() {
    local file left
    for file in "$1"/frame_*.slf; do
        [ -e "$file" ] || continue
        checks=$((checks + 1))
        "$sleet" info "$file" > "$work/.said" 2>&1 || fail "$file: $(cat "$work/.said")"
    done
    left=$(find "$1" -name '*.part*')
    [ -z "$left" ] || fail "left behind: $left"
}

# check_stats FILE MIN_ROWS MAX_ROWS DT: whole rows of finite numbers, time is step × DT.
check_stats() {
    checks=$((checks + 1))
    python3 - "$@" << 'END' || fail "$1 is not as it should be"
import csv, math, sys
path, least, most, dt = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
text = open(path).read()
assert text.endswith("\n"), "the last row is cut"
rows = list(csv.reader(text.splitlines()))
head = ("system step time_s dt_s particles iterations mean_iterations inner_iterations stop rho predict_ms sort_ms "
        "neighbours_ms levels_ms solve_ms velocities_ms mean_compression max_compression kinetic_energy_J total_energy_J "
        "max_speed_m_per_s").split()
forces = [f"ball.{k}" for k in ("force_x_N force_y_N force_z_N torque_x_Nm torque_y_Nm "
                                 "torque_z_Nm").split()]
assert rows[0] in (head, head + forces), rows[0]
head = rows[0]
assert least <= len(rows) - 1 <= most, f"{len(rows) - 1} rows, expected {least} to {most}"
for number, row in enumerate(rows[1:], 1):
    assert len(row) == len(head), f"row {number} has {len(row)} values"
    stop = dict(zip(head, row))["stop"]
    assert stop in ("none", "move", "mean", "max", "limit"), row
    value = {k: float(v) for k, v in zip(head[1:], row[1:]) if k != "stop"}
    assert all(math.isfinite(v) for v in value.values()), row
    assert value["step"] == number, row
    assert abs(value["time_s"] - number * dt) < 1e-6, row
    assert abs(value["dt_s"] - dt) < 1e-8, row
    assert value["particles"] > 0 and value["iterations"] >= 1, row
    assert all(value[k] >= 0 for k in head if k.endswith("_ms")), row
    assert 0 <= value["mean_compression"] <= value["max_compression"], row
    assert value["kinetic_energy_J"] >= 0 and value["max_speed_m_per_s"] >= 0, row
    assert value["total_energy_J"] >= value["kinetic_energy_J"], row
END
}

finish() {
    echo "$checks checks, $failures failures"
    [ "$failures" -eq 0 ]
    exit
}
