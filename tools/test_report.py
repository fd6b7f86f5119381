#!/usr/bin/env python3
"""Counts what a ctest run did and keeps the counts.

usage: test_report.py LOG --counts FILE --part NAME [--tier NAME]
       test_report.py --totals FILE

LOG is a build's Testing/Temporary/LastTest.log. Passed and failed are ctest's tests. Skipped are
tests that ended with exit code 77 and single cases inside of a test: both print a line
"SKIPPED: reason", which is listed here under the test's name, so that what was not tested is seen.
One row a run is appended to FILE (time, commit, tier, part, passed, failed, skipped, amount, unit).
The last line printed is "passed failed skipped", for ./check. --totals adds all rows up."""
import argparse
import csv
import datetime
import pathlib
import re
import subprocess
import sys

COLUMNS = ["time", "commit", "tier", "part", "passed", "failed", "skipped", "amount", "unit"]
HEAD = re.compile(r"^\d+/\d+ Test(?:ing)?: (\S+)$")


def read_log(path):
    """[(test, result, [skip reasons])]"""
    tests, name, reasons = [], None, []
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        head = HEAD.match(line)
        if head:
            name, reasons = head.group(1), []
        elif line.startswith("SKIPPED: "):
            reasons.append(line[len("SKIPPED: "):].strip())
        elif name and line.startswith("Test Passed."):
            tests.append((name, "passed", reasons))
            name = None
        elif name and line.startswith("Test Skipped."):
            tests.append((name, "skipped", reasons or ["no reason given"]))
            name = None
        elif name and (line.startswith("Test Failed.") or line.startswith("Test timed out")):
            tests.append((name, "failed", reasons))
            name = None
    if name:
        tests.append((name, "failed", reasons))  # the log ends inside of it
    return tests


def append(path, row):
    new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if new:
            writer.writeheader()
        writer.writerow(row)


def commit():
    run = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return run.stdout.strip() or "unknown"


def totals(path):
    sums = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            total = sums.setdefault((row["tier"], row["part"], row["unit"]), [0, 0, 0, 0, 0])
            for k, key in enumerate(("passed", "failed", "skipped", "amount")):
                total[k] += int(row[key] or 0)
            total[4] += 1
    for (tier, part, unit), (passed, failed, skipped, amount, runs) in sorted(sums.items()):
        more = f", {amount} {unit}" if unit else ""
        print(f"{tier} {part}: {runs} runs, {passed} passed, {failed} failed, {skipped} skipped{more}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("log", nargs="?", type=pathlib.Path)
    parser.add_argument("--counts", type=pathlib.Path)
    parser.add_argument("--part", default="tests")
    parser.add_argument("--tier", default="")
    parser.add_argument("--result", choices=("passed", "failed"), help="one check outside of ctest")
    parser.add_argument("--amount", type=int, default=0, help="with --result: how much it did")
    parser.add_argument("--unit", default="")
    parser.add_argument("--totals", type=pathlib.Path)
    options = parser.parse_args()
    if options.totals:
        totals(options.totals)
        return 0
    tests = read_log(options.log) if options.log else []
    counts = {key: sum(result == key for _, result, _ in tests) for key in ("passed", "failed", "skipped")}
    if options.result:
        counts[options.result] += 1
    for name, result, reasons in tests:
        for reason in reasons:
            print(f"skipped: {name}: {reason}")
        counts["skipped"] += len(reasons) if result != "skipped" else 0
    if options.counts:
        append(options.counts, {"time": datetime.datetime.now().isoformat(timespec="seconds"),
                                "commit": commit(), "tier": options.tier, "part": options.part,
                                **counts, "amount": options.amount, "unit": options.unit})
    print(counts["passed"], counts["failed"], counts["skipped"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
