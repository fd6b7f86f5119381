#!/usr/bin/env python3
"""Draws [Köster 2016] Figure 9 from the tables of bench apbf: docs/notes/level-of-detail/density.png, deviation.png.

  build/sleet bench apbf -o docs/notes/level-of-detail
  tools/plot_apbf.py docs/notes/level-of-detail docs/notes/level-of-detail
"""
import csv
import pathlib
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

source, target = map(pathlib.Path, sys.argv[1:3])
titles = {"dam": "Dam break, 216,000", "double": "Double dam break, 672,800",
          "multi": "Multi dam break, 225,280"}
scenes = [name for name in titles if (source / f"{name}.csv").exists()]
# Colours of [Köster 2016]: grey PBF, red DTC, green DTVS; the lowest level is not in its figure.
looks = {"pbf_max": ("0.45", "-", "PBF, most iterations"), "pbf_min": ("#3060c0", ":", "PBF, least"),
         "dtc": ("#c02020", "--", "APBF, DTC"), "dtvs": ("#208020", "-.", "APBF, DTVS")}

def draw(column, label, file, kinds):
    figure, panels = plt.subplots(1, len(scenes), figsize=(4.2 * len(scenes), 3.2), dpi=100,
                                  squeeze=False)
    for name, axes in zip(scenes, panels[0]):
        with open(source / f"{name}.csv") as table:
            rows = list(csv.DictReader(table))
        frames = [int(row["frame"]) for row in rows]
        for kind in kinds:
            color, line, words = looks[kind]
            axes.plot(frames, [float(row[f"{kind}.{column}"]) for row in rows], line, color=color,
                      label=words, linewidth=1.4)
        axes.set_title(titles[name], fontsize=10)
        axes.set_xlabel("frame")
        axes.grid(alpha=0.3)
    panels[0][0].set_ylabel(label)
    panels[0][0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(target / file)

draw("density", "mean density / rest density", "density.png", list(looks))
draw("deviation_percent", "mean density against PBF's, %", "deviation.png",
     ["pbf_min", "dtc", "dtvs"])
