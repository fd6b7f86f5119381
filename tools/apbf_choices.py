#!/usr/bin/env python3
"""What each choice of level of detail does: docs/apbf/choices.csv.

  tools/apbf_choices.py [FOLDER]        (default: docs/apbf)

Every choice goes on from one checkpoint of scenes/papers/apbf/dam_216k.json for twenty frames. Gains
are medians against the highest number of iterations; the runs follow one another, so the machine
should have nothing else to do.
"""
import csv
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "tools"))
import read_frame

sleet = os.environ.get("SLEET", str(root / "build/sleet"))
folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else root / "docs/apbf")
work = pathlib.Path(os.environ.get("SLEET_WORK") or tempfile.mkdtemp())
scene = root / "scenes/papers/apbf/dam_216k.json"
START, FRAMES, SPACING, DENSITY, GRAVITY = 60, 20, 0.1, 1000, 9.81
front = '{"name": "front", "eye": [17, 9, 19], "target": [6.8, 2.4, 3], "fov": 44, "weight": 1}'
back = '{"name": "back", "eye": [-6, 9, -12], "target": [6.8, 2.4, 3], "fov": 44, "weight": 0.5}'
two = f"cameras=[{front}, {back}]"

def p(**values):
    return [f"systems[0].parameters.{key}={value}" for key, value in values.items()]

choices = {
    "pbf_most": p(lod_least=6), "pbf_least": p(iterations=3),
    "dtc": p(lod="dtc"), "dtvs": p(),
    "dtc, range 10 m to 30 m (all there is)": p(lod="dtc", lod_near=10, lod_far=30),
    "dtvs, range 1 d to 3 d": p(lod_near=0.1, lod_far=0.3),
    "dtvs, range 2 d to 8 d": p(lod_near=0.2, lod_far=0.8),
    "dtvs, range 3 d to 10 d": p(lod_near=0.3, lod_far=1.0),
    "dtvs, range 0 to 30 d": p(lod_near=0.001, lod_far=3.0),
    "dtvs, map smoothstep": p(lod_map="smoothstep"),
    "dtvs, map power 2": p(lod_map="power"),
    "dtvs, map power 0.5": p(lod_map="power", lod_power=0.5),
    "dtvs, finished halo": p(lod_finished="halo"), "dtvs, finished stale": p(lod_finished="stale"),
    "dtc, finished halo": p(lod="dtc", lod_finished="halo"),
    "dtc, finished stale": p(lod="dtc", lod_finished="stale"),
    "dtvs, two cameras, max": [two] + p(), "dtvs, two cameras, mean": [two] + p(lod_blend="mean"),
    "dtvs, two cameras, weighted": [two] + p(lod_blend="weighted"),
}

def run(name, frames, sets, *more):
    words = [sleet, "run", scene, "-o", work / name, "--frames", str(frames), "--resume", "--quiet"]
    for text in ["output.every=1"] + sets:
        words += ["--set", text]
    subprocess.run(words + list(more), check=True, stdout=subprocess.DEVNULL)

def fields(name, frame):
    view = read_frame.read_frame(str(work / name / f"frame_{frame:06d}.slf"))
    return {key: values for key, (values, _) in view["systems"][0]["fields"].items()}

def measure(number, sets):
    name = f"choice{number}"
    (work / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(work / "base" / f"checkpoint_{START:06d}.slc", work / name)
    run(name, START + FRAMES, sets + p(forces="all"))
    with open(work / name / "stats.csv") as file:
        rows = [{k: float(v) for k, v in row.items() if k != "system"}
                for row in csv.DictReader(file)]
    stages = [key for key in rows[0] if key.endswith("_ms")]
    frames = list(zip(rows[0::2], rows[1::2]))
    result = {"loop": [a["solve_ms"] + b["solve_ms"] for a, b in frames],
              "whole": [sum(a[k] + b[k] for k in stages) for a, b in frames],
              "level": statistics.mean(row["mean_iterations"] for row in rows),
              "density": [], "momentum": []}
    least, rise = rows[0]["total_energy_J"], 0.0
    for row in rows:
        rise = max(rise, row["total_energy_J"] - least)
        least = min(least, row["total_energy_J"])
    result["rise"] = rise
    for frame in range(START + 1, START + FRAMES + 1):
        values = fields(name, frame)
        result["density"].append(float(numpy.mean(values["density"], dtype=float)))
        result["momentum"].append(numpy.sum(values["velocity"], axis=0, dtype=float))
    mass = DENSITY * SPACING ** 3
    count = len(values["density"])
    # From the end of the first frame to the last: gravity and what the walls report.
    given = numpy.array([0, -GRAVITY, 0]) * mass * count * (FRAMES - 1) / 60
    for row in rows[2:]:
        given -= numpy.array([row[f"domain.force_{k}_N"] for k in "xyz"]) * row["dt_s"]
    gained = mass * (result["momentum"][-1] - result["momentum"][0])
    result["drift"] = numpy.linalg.norm(gained - given) / (mass * count * GRAVITY * (FRAMES - 1) / 60)
    shutil.rmtree(work / name)
    return result

run("base", START, p(lod_least=6), "--checkpoint-every", "60")
with open(work / "base/stats.csv") as file:
    first = next(csv.DictReader(file))
potential = float(first["total_energy_J"]) - float(first["kinetic_energy_J"])
table = [["choice", "mean_level", "loop_gain_percent", "whole_gain_percent", "density_off_percent",
          "energy_rise_MJ", "momentum_drift_percent"]]
most = None
for number, (name, sets) in enumerate(choices.items()):
    r = measure(number, sets)
    most = most or r
    ratio = lambda key: 100 * (statistics.median(a / b for a, b in zip(most[key], r[key])) - 1)
    off = max(abs(a / b - 1) for a, b in zip(r["density"], most["density"]))
    table.append([name, f"{r['level']:.3f}", f"{ratio('loop'):.1f}", f"{ratio('whole'):.1f}",
                  f"{100 * off:.3f}", f"{r['rise'] / 1e6:.4f}", f"{100 * r['drift']:.3f}"])
    print(*table[-1], sep="\t", flush=True)
folder.mkdir(parents=True, exist_ok=True)
with open(folder / "choices.csv", "w", newline="") as file:
    csv.writer(file, lineterminator="\n").writerows(table)
