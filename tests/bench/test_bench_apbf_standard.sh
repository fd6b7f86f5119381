#!/usr/bin/env bash
# `sleet bench apbf --quick`: what does not depend on how busy the machine is. Levels lie between the
# two numbers of iterations, first hits have the highest, the table of frames says what the JSON says.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"

expect 3 bench apbf --scene duoble
complains 'bench apbf has no scene "duoble"' 'did you mean "double"?'
touch file
expect 5 bench apbf --scene dam --quick -o file/tables
complains "file/tables"

timeout 900 "$sleet" bench apbf --quick --executions 2 --json result.json -o tables > said 2> errors
code=$?
check "exit code $code: $(cat errors)" test "$code" -le 1
same "tables" "$(ls tables)" dam.csv
checks=$((checks + 1))
python3 - result.json tables/dam.csv << 'END' || fail "results"
import csv, json, math, sys
result = json.load(open(sys.argv[1]))
value = {r["name"].removeprefix("apbf.dam."): r["value"] for r in result["results"]}
rows = list(csv.DictReader(open(sys.argv[2])))
assert all(math.isfinite(v) for v in value.values()), value
assert [int(r["frame"]) for r in rows] == list(range(21, 31)), rows # quick: 20 frames, then 10
column = lambda name: [float(r[name]) for r in rows]

assert value["pbf_min.mean_level"] == 3 and value["pbf_max.mean_level"] == 6
for kind in "dtc", "dtvs":
    assert 3 < value[f"{kind}.mean_level"] < 6, kind
    levels = column(f"{kind}.mean_level")
    assert abs(sum(levels) / len(levels) - value[f"{kind}.mean_level"]) < 1e-3
    off = max(map(abs, column(f"{kind}.deviation_percent")))
    assert abs(off - value[f"{kind}.density_off_percent"]) < 1e-4
    most, own = column("pbf_max.density"), column(f"{kind}.density")
    assert abs(max(abs(100 * (a / b - 1)) for a, b in zip(own, most)) - off) < 1e-3
    fixed, per = value["pbf_max.fixed_ms"], value["pbf_max.per_iteration_ms"]
    bound = (fixed + 6 * per) / (fixed + value[f"{kind}.mean_level"] * per) - 1
    assert abs(100 * bound - value[f"{kind}.gain_bound_percent"]) < 0.1
assert max(map(abs, column("pbf_max.deviation_percent"))) == 0
assert value["dtvs.first_hits"] > 1000 and value["dtvs.first_hits_low"] == 0
# Pairs push each other alike where all iterate alike.
assert value["pbf_max.momentum_drift_percent"] < 0.01, value["pbf_max.momentum_drift_percent"]
assert all(0.9 < d < 1.1 for k in ("pbf_min", "pbf_max", "dtc", "dtvs") for d in column(f"{k}.density"))
paper = {"pbf_min": (20, 25), "pbf_max": (39, 46), "dtc": (24, 30), "dtvs": (23, 29)}
for kind, (nvidia, amd) in paper.items():
    assert (value[f"{kind}.paper_gtx680_ms"], value[f"{kind}.paper_hd7850_ms"]) == (nvidia, amd)
assert all("double" not in limit["name"] for limit in result["limits"]), "limits of scenes not run"
END
finish
