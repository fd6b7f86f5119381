#!/usr/bin/env bash
# What `sleet bench` promises the tools that read it: valid JSON, limits as bench/limits.csv has them,
# finite numbers, exit code 1 exactly when a limit is missed. Whether limits are met is not judged here.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"

expect 0 bench
says passes render
# A result that cannot be written is known before minutes are spent on it.
touch file
started=$SECONDS
expect 5 bench passes --quick --json file/result.json
complains "file/result.json"
check "found after the benchmark only" test $((SECONDS - started)) -lt 5

timeout 600 "$sleet" bench passes --quick --json result.json > said 2> errors
code=$?
check "exit code $code: $(cat errors)" test "$code" -le 1
check "the machine is measured before and after" test "$(grep -c 'machine:' said)" -eq 2
checks=$((checks + 1))
python3 - result.json "$SLEET_SOURCE/bench/limits.csv" "$code" << 'END' || fail "result.json"
import csv, json, math, sys
def refuse(text):
    raise ValueError(f"{text} is not JSON")
result = json.load(open(sys.argv[1]), parse_constant=refuse)
rows = {row["name"]: row for row in csv.DictReader(open(sys.argv[2]))}
assert result["bench"] == "passes" and result["quick"] is True
machine = result["machine"]
assert all(math.isfinite(machine[k]) and machine[k] > 0 for k in machine), machine
assert 0.8 <= machine["scale"] <= 1.25
values = {r["name"]: r["value"] for r in result["results"]}
assert all(math.isfinite(v) and v > 0 for v in values.values()), values
for wanted in ("sort", "list", "density", "dx"):
    assert f"passes.cubic.216k.{wanted}_ns" in values, wanted
    assert f"passes.reference.216k.{wanted}_ns" in values, wanted
limits = result["limits"]
assert limits
for limit in limits:
    assert set(limit) == {"name", "value", "limit", "better", "ok"}, limit
    row = rows[limit["name"]]
    assert limit["limit"] == float(row["limit"]) and limit["better"] == row["better"], (limit, row)
    assert math.isfinite(limit["value"]) and limit["ok"] in (True, False)
    met = limit["value"] >= limit["limit"] if limit["better"] == "more" else limit["value"] <= limit["limit"]
    assert limit["ok"] is met, limit
    factor = machine["scale"] if int(row["scaled"]) else 1
    scaled = values[limit["name"]] * (1 / factor if limit["better"] == "more" else factor)
    assert abs(limit["value"] / scaled - 1) < 1e-4, (limit, scaled)
assert (int(sys.argv[3]) == 1) == (not all(limit["ok"] for limit in limits)), "exit code and limits differ"
END
same "left behind" "$(find . -name '*.part*')" ""
finish
