#!/usr/bin/env python3
"""How water's defaults converge: a dam break, a tank and the impact of a block, refined in time, in
iterations and in space; DFSPH of SPlisHSPlasH beside the dam where it can be installed.

usage: study_convergence.py BUILD RESULTS.json [--plot FILE.png] [--threads 2] [--only TEXT] [--dfsph]

Each run is one line of `water_measure` (tests/water/); results that are in RESULTS.json already are not
repeated, so that a study can be stopped and continued. --only runs those whose name has TEXT. --dfsph runs
tests/water/peer_dfsph.py in its python environment. Prints a table in Markdown."""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOLVERS = ["pbf", "projective"]

# The dam of scenes/dam_break.json, 2 s; the tank is 4 m deep; a cube of 0.8 m hits a wall at 4 m/s.
DAM, TANK, BLOCK = "dam", "tank", "oblique"
FIGURES = {
    DAM: [("front_0.8", "front at 0.8 s, m"), ("run_up", "run-up, m"), ("energy", "energy left"),
          ("mean_compression", "mean compression")],
    TANK: [("level", "level"), ("rms", "rms / √(g d)")],
    BLOCK: [("impulse", "impulse / momentum"), ("peak", "peak force / (ρ A v²)")],
}


def runs():
    """(name, series, label, request)"""
    for solver in SOLVERS:
        for steps in (4, 8, 16, 32):
            yield (f"{solver} dam steps {steps}", "steps", steps,
                   f"dam solver={solver} curve=1 d=0.2 -- step_control=fixed steps={steps}")
            yield (f"{solver} tank steps {steps}", "steps", steps,
                   f"tank solver={solver} depth=20 d=0.2 base=8 time=5 -- step_control=fixed steps={steps}")
            yield (f"{solver} oblique steps {steps}", "steps", steps * 4,
                   f"oblique solver={solver} angle=0 size=16 d=0.05 time=0.5 -- step_control=fixed steps={steps * 4}")
        for count in (2, 4, 8, 16):
            extra = f"iterations={count}" if solver == "pbf" else f"max_iterations={3 * count} stop_move=0"
            label = count if solver == "pbf" else 3 * count
            yield (f"{solver} dam iterations {count}", "iterations", label,
                   f"dam solver={solver} curve=1 d=0.2 -- step_control=fixed steps=8 {extra}")
            yield (f"{solver} tank iterations {count}", "iterations", label,
                   f"tank solver={solver} depth=20 d=0.2 base=8 time=5 -- step_control=fixed steps=8 {extra}")
        for d, depth in ((0.4, 10), (0.2, 20), (0.1, 40)):
            yield f"{solver} dam d {d}", "d", d, f"dam solver={solver} curve=1 d={d}"
            yield (f"{solver} tank d {d}", "d", d,
                   f"tank solver={solver} depth={depth} d={d} base=8 time=5")
        for d, size in ((0.1, 8), (0.05, 16), (0.025, 32)):
            yield (f"{solver} oblique d {d}", "d", d,
                   f"oblique solver={solver} angle=0 size={size} d={d} time=0.5")


def measure(build, request, threads):
    case, rest = request.split(" ", 1)
    command = [str(pathlib.Path(build) / "water_measure"), case, f"threads={threads}"] + rest.split()
    result = subprocess.run(command, capture_output=True, text=True)
    values = {k: float(v) for k, v in re.findall(r"([a-z_0-9.]+)=([-+0-9.einfa]+)", result.stdout)}
    if result.returncode != 0:
        print(f"{request}: {result.stdout[-300:]}{result.stderr[-300:]}", file=sys.stderr)
        values["failed"] = 1.0
    return values


def dfsph(build, d, threads):
    """DFSPH with a maximum mean density error of 0.01 % on the same dam."""
    sys.path.insert(0, str(ROOT / "tests/water"))
    import peer_dfsph
    python = peer_dfsph.environment(build)
    arguments = argparse.Namespace(size=1.0, d=d, threads=threads)
    return peer_dfsph.dfsph(python, arguments, 0.01, 2.0)


def table(results, case, solver, series):
    rows = [r for r in results.values()
            if r["request"].startswith(case) and r["solver"] == solver and r["series"] == series
            and "failed" not in r["values"]]
    if not rows:
        return
    rows.sort(key=lambda r: r["label"], reverse=series == "d")
    print(f"\n| {case}, `{solver}`, {series} | " + " | ".join(text for _, text in FIGURES[case]) + " |")
    print("| --- |" + " --- |" * len(FIGURES[case]))
    for r in rows:
        cells = [f"{r['values'][f]:.4g}" if f in r["values"] else "–" for f, _ in FIGURES[case]]
        print(f"| {r['label']} | " + " | ".join(cells) + " |")


def plot(results, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    wanted = [(DAM, "front_0.8"), (DAM, "run_up"), (DAM, "energy"), (TANK, "level"), (BLOCK, "peak")]
    figure, axes = plt.subplots(3, len(wanted), figsize=(3.1 * len(wanted), 7.6), dpi=90)
    for row, series in zip(axes, ("steps", "iterations", "d")):
        for axis, (case, name) in zip(row, wanted):
            for solver, style in zip(SOLVERS + ["DFSPH"], ("o-", "s--", "k^:")):
                points = sorted((r["label"], r["values"][name]) for r in results.values()
                                if r["series"] == series and r["solver"] == solver and "failed" not in r["values"]
                                and r["request"].startswith(case) and name in r["values"])
                if points:
                    axis.plot(*zip(*points), style, label=solver, markersize=4)
            if not axis.lines:
                axis.axis("off")
                continue
            axis.set_xscale("log", base=2)
            if series == "d":
                axis.invert_xaxis()
            axis.grid(alpha=0.3)
            axis.set_xlabel({"steps": "steps per frame", "iterations": "iterations",
                             "d": "spacing d, m"}[series], fontsize=8)
            axis.set_title(dict(FIGURES[case])[name], fontsize=8)
            axis.tick_params(labelsize=7)
    axes[2][0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--plot", default=None)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--dfsph", action="store_true")
    arguments = parser.parse_args()
    results = json.loads(arguments.results.read_text()) if arguments.results.exists() else {}

    def keep(name, series, label, request, solver, values):
        results[name] = {"series": series, "label": label, "request": request, "solver": solver,
                         "values": values}
        arguments.results.write_text(json.dumps(results, indent=1))
        print(name, flush=True, file=sys.stderr)

    for name, series, label, request in runs():
        before = results.get(name, {"values": {"failed": 1}})
        if arguments.only in name and (before.get("request") != request or "failed" in before["values"]):
            keep(name, series, label, request, name.split()[0],
                 measure(arguments.build, request, arguments.threads))
    for d in (0.4, 0.2, 0.1) if arguments.dfsph else ():
        name = f"DFSPH dam d {d}"
        if arguments.only in name and name not in results:
            try:
                values = dfsph(arguments.build, d, arguments.threads)
            except SystemExit as stop:
                if isinstance(stop.code, str): # else the package is missing, which has been said
                    print(stop, file=sys.stderr)
                break
            values["mean_compression"] = values.pop("compression")
            keep(name, "d", d, f"dam d={d}", "DFSPH", values)
    for case in FIGURES:
        for solver in SOLVERS + ["DFSPH"]:
            for series in ("steps", "iterations", "d"):
                table(results, case, solver, series)
    if arguments.plot:
        plot(results, arguments.plot)


if __name__ == "__main__":
    main()
