#!/usr/bin/env python3
"""Size and time of runs of snow, as in Table 3 of [Stomakhin 2013]. usage: tools/snow_table.py DIR...

A row of a Markdown table for each run folder: particles, nodes of the grid (blocks of 4 x 4 x 4 that kernels touch, most in any
of six frames), length of a time step (median), steps and seconds per frame (median and worst, the sum of the stages of
stats.csv), frames that were simulated. Frames that were still under way are left out."""
import csv
import json
import os
import statistics
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from read_frame import read_frame


def snow_systems(scene):
    return {s.get("name", "snow"): s.get("parameters", {}) for s in scene["systems"] if s["solver"] == "snow"}


def nodes_of(path, systems):
    """Nodes of the blocks that the kernels of all systems touch."""
    total = 0
    for system in read_frame(path, meshes=False)["systems"]:
        if system["name"] not in systems:
            continue
        parameters = systems[system["name"]]
        width = float(system["spacing"]) * float(parameters.get("cell", 2))
        usual = "flip" if parameters.get("preset") == "stomakhin2013" else "mls"
        reach = 3 if parameters.get("transfer", usual) == "flip" else 2
        position = np.asarray(system["fields"]["position"][0])[:, :3].astype(float)
        first = np.floor(position / width - (1.0 if reach == 3 else 0.5)).astype(np.int64)
        blocks = set()
        for corner in np.ndindex(2, 2, 2):
            block = np.floor_divide(first + reach * np.array(corner), 4) + 2 ** 19
            blocks.update(np.unique(block[:, 0] << 40 | block[:, 1] << 20 | block[:, 2]).tolist())
        total += 64 * len(blocks)
    return total


def frames_of(folder, rate, systems):
    """Of the named systems, per frame: seconds, and steps of the one that has most; lengths of all steps; the number of particles."""
    seconds, steps, lengths, count = {}, {}, [], {}
    with open(os.path.join(folder, "stats.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if row["system"] not in systems:
                continue
            step = float(row["dt_s"])
            frame = int((float(row["time_s"]) - 0.5 * step) * rate)
            seconds[frame] = seconds.get(frame, 0) + 1e-3 * sum(float(v) for k, v in row.items() if k.endswith("_ms"))
            own = steps.setdefault(frame, {})
            own[row["system"]] = own.get(row["system"], 0) + 1
            lengths.append(step)
            count[row["system"]] = int(row["particles"])
    return seconds, {k: max(own.values()) for k, own in steps.items()}, lengths, sum(count.values())


def row_of(folder):
    with open(os.path.join(folder, "scene.json"), encoding="utf-8") as file:
        scene = json.load(file)
    systems = snow_systems(scene)
    stored = sorted(int(name[6:12]) for name in os.listdir(folder) if name.startswith("frame_") and name.endswith(".slf"))
    if not stored:
        sys.exit(f"{folder} has no frames")
    seconds, steps, lengths, particles = frames_of(folder, scene["time"]["frame_rate"], systems)
    done = [k for k in sorted(seconds) if k < stored[-1]]
    if not done:
        sys.exit(f"{folder} has no frame that was simulated")
    looked_at = {stored[len(stored) * k // 5] for k in range(5)} | {stored[-1]}
    nodes = max(nodes_of(os.path.join(folder, f"frame_{k:06d}.slf"), systems) for k in sorted(looked_at))
    times = [seconds[k] for k in done]
    return (f"| {os.path.basename(os.path.normpath(folder))} | {particles:,} | {nodes:,} | "
            f"{1e3 * statistics.median(lengths):.3f} | {statistics.median(steps[k] for k in done):.0f} | "
            f"{statistics.median(times):.1f} | {max(times):.1f} | {len(done)} |")


def main():
    print("| run | particles | grid nodes | step, ms | steps per frame | s per frame | worst | frames |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for folder in sys.argv[1:]:
        print(row_of(folder), flush=True)


if __name__ == "__main__":
    main()
