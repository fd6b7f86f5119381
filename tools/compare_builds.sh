#!/usr/bin/env bash
# Compares the speed of two builds of Sleet. Runs of the two alternate, the order swapped every time,
# so that whatever else the machine does meets both.
#
# usage: tools/compare_builds.sh BASE_BUILD NEW_BUILD [RUNS]
#
#   BASE_BUILD, NEW_BUILD  build folders; scenes are those of the source tree each lies in
#   RUNS                   runs of each build (7)
#   THREADS=N              of the scenes (1); with 2 also the results of benchmarks with two threads,
#                          for a machine where nothing else runs
#   LIMIT=X                greatest ratio allowed (1.02)
#   GATE=median|fastest    which ratio is held against the limit (median); the fastest is steadier on a
#                          machine that others use
#   ONLY=PATTERN           of cases, a regular expression: ONLY='passes|dam_88k'
#
# Scenes: the stages' times in stats.csv, summed and divided by the number of steps, and the processor
# time of the whole run. The fastest of a scene is every step's fastest, summed. Exit code 1 if a ratio,
# new over base, is above the limit.
set -euo pipefail

# Scenes, the number of frames that make a run of a few seconds, and what is set besides.
scenes=(
    "papers/apbf/dam_216k 12"
    "papers/apbf/dam_216k_realtime 25"
    "papers/apbf/multi_dam_225k 9"
    "papers/apbf/double_dam_673k 3"
    "papers/chebyshev/dam_88k 5"
    "papers/snow/drop 1"
    "papers/snow/drop 1 systems[0].parameters.integration=implicit"
)
# Benchmarks, with --quick, and the results of each that are compared.
one_thread=(
    "passes cubic.216k.1thread.list_ns cubic.216k.1thread.density_plus_dx_ns"
    "snow mls.100k.deformed.1_threads.step_ns mls.100k.deformed.1_threads.hessian_ns
     flip.100k.deformed.1_threads.step_ns flip.100k.deformed.1_threads.hessian_ns"
)
two_threads=(
    "passes cubic.216k.list_ns cubic.216k.density_plus_dx_ns wendland.216k.density_plus_dx_ns"
    "snow mls.100k.deformed.2_threads.step_ns flip.100k.deformed.2_threads.step_ns
     ball.30k.mls_explicit.s_per_s ball.30k.mls_implicit.s_per_s"
)
# Names of the base tree that the new one has changed, results of benchmarks and keys of --set:
# [old]=new.
declare -A renamed=(
)

usage() {
    sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" >&2
    exit 2
}

[[ $# -ge 2 && $# -le 3 && $1 != -* && ${3:-7} =~ ^[1-9][0-9]*$ ]] || usage
runs=${3:-7}
[[ ${GATE:=median} =~ ^(median|fastest)$ ]] || usage
threads=${THREADS:-1}
benchmarks=("${one_thread[@]}")
[[ $threads -lt 2 ]] || benchmarks+=("${two_threads[@]}")
declare -A build=([base]=$(realpath "$1") [new]=$(realpath "$2"))
for side in base new; do
    [[ -x ${build[$side]}/sleet ]] || { echo "${build[$side]}/sleet is not a program" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/values"

# name_of SIDE NAME: how that tree spells a name.
name_of() {
    if [[ $1 == new && -n ${renamed[$2]:-} ]]; then
        echo "${renamed[$2]}"
    else
        echo "$2"
    fi
}

# run_or_stop COMMAND...: its output is shown only if it fails. A missed bar (exit code 1 of bench) is
# none of our business.
run_or_stop() {
    local code=0
    local TIMEFORMAT='%U %S'
    { time "$@" > "$work/log" 2>&1; } 2> "$work/time" || code=$?
    if [[ $code -gt 1 ]]; then
        tail -n 5 "$work/log" >&2
        echo "failed with exit code $code: $*" >&2
        exit 2
    fi
}

# run_scene SIDE SCENE FRAMES [KEY=VALUE...]
run_scene() {
    local side=$1 scene=$2 frames=$3 name=$2 set
    local -a sets=()
    shift 3
    for set in output.every=1000 "$@"; do
        sets+=(--set "$(name_of "$side" "${set%%=*}")=${set#*=}")
    done
    for set in "$@"; do
        name+=" ${set#*parameters.}"
    done
    rm -rf "$work/run"
    run_or_stop "${build[$side]}/sleet" run "${build[$side]}/../scenes/$scene.json" -o "$work/run" \
        --frames "$frames" --threads "$threads" --quiet --checkpoint-every off \
        "${sets[@]}"
    # side, case, value, and the value of every step
    awk -F, -v side="$side" -v name="$name, ms per step" '
        NR == 1 { for (k = 1; k <= NF; k++) if ($k ~ /_ms$/) stage[k] }
        NR > 1 { one = 0; for (k in stage) one += $k; sum += one; each = each " " one }
        END {
            if (NR < 2 || sum <= 0) exit 1
            printf "%s\t%s\t%.6g\t%s\n", side, name, sum / (NR - 1), each
        }' "$work/run/stats.csv" >> "$work/values"
    awk -v side="$side" -v name="$name, processor s" '
        { printf "%s\t%s\t%.6g\t\n", side, name, $1 + $2 }' "$work/time" >> "$work/values"
    rm -rf "$work/run"
}

# run_benchmark SIDE BENCHMARK RESULT...
run_benchmark() {
    local side=$1 bench=$2 result value
    shift 2
    run_or_stop "${build[$side]}/sleet" bench "$bench" --quick --json "$work/bench.json"
    for result in "$@"; do
        value=$(sed -n "s/.*\"name\": \"$bench\\.$(name_of "$side" "$result")\", \"value\": \([^,]*\),.*/\1/p" \
            "$work/bench.json" | head -n 1)
        [[ -n $value ]] || { echo "bench $bench of $side has no result $result" >&2; exit 2; }
        printf '%s\t%s\t%s\t\n' "$side" "$bench.$result" "$value" >> "$work/values"
    done
}

for ((run = 0; run < runs; run++)); do
    order=(base new)
    [[ $((run % 2)) -eq 0 ]] || order=(new base)
    [[ ! -t 2 ]] || printf '\rrun %d of %d ' $((run + 1)) "$runs" >&2
    for words in "${benchmarks[@]}"; do
        read -r -d '' -a word <<< "$words" || true
        [[ ${word[0]} =~ ${ONLY:-.} ]] || continue
        for side in "${order[@]}"; do
            run_benchmark "$side" "${word[@]}"
        done
    done
    for words in "${scenes[@]}"; do
        read -r -a word <<< "$words"
        [[ ${word[0]} =~ ${ONLY:-.} ]] || continue
        for side in "${order[@]}"; do
            run_scene "$side" "${word[@]}"
        done
    done
done
[[ ! -t 2 ]] || printf '\r' >&2

python3 - "$work/values" "${LIMIT:-1.02}" "$GATE" << 'END'
import statistics
import sys

limit, gate = float(sys.argv[2]), sys.argv[3]
values, steps = {}, {}  # by case and side, one of every run
with open(sys.argv[1]) as file:
    for line in file:
        side, case, value, each = line.rstrip("\n").split("\t")
        each = [float(x) for x in each.split()] or [float(value)]
        values.setdefault(case, {}).setdefault(side, []).append(float(value))
        steps.setdefault(case, {}).setdefault(side, []).append(each)
if not values:
    sys.exit("no case has been run")


def fastest(runs):
    return sum(min(step) for step in zip(*runs)) / len(runs[0])


print("medians of all runs and their ratio; spread: the middle half of the ratios run by run;")
print("fastest: the ratio of the fastest")
print(f"{'case':60} {'base':>8} {'new':>8} {'ratio':>6}  {'spread':14}  {'fastest':>7}")
slower = 0
for case, side in values.items():
    base, new = statistics.median(side["base"]), statistics.median(side["new"])
    each = sorted(b / a for a, b in zip(side["base"], side["new"]))
    low, high = each[len(each) // 4], each[-1 - len(each) // 4]
    ratio = {"median": new / base, "fastest": fastest(steps[case]["new"]) / fastest(steps[case]["base"])}
    bad = ratio[gate] > limit
    slower += bad
    print(f"{case:60} {base:8.4g} {new:8.4g} {ratio['median']:6.3f}  {low:.3f} to {high:.3f}  "
          f"{ratio['fastest']:7.3f}{'  SLOWER' if bad else ''}", flush=True)
sys.exit(1 if slower else 0)
END
