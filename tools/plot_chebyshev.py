#!/usr/bin/env python3
"""Draws what `sleet bench chebyshev` wrote: figure 4 and the convergence within a step.

usage: plot_chebyshev.py [FOLDER] [OUTPUT]     (out/bench-chebyshev docs/notes)"""
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def draw_figure_4(rows, path):
    figure, axes = plot.subplots(figsize=(7, 4.2))
    for start in dict.fromkeys(row["omega_start"] for row in rows):
        some = [row for row in rows if row["omega_start"] == start]
        axes.plot([1 - float(row["rho"]) for row in some], [float(row["iterations"]) for row in some],
                  marker="o", label=f"start: {start}")
    axes.set_xscale("log")
    axes.invert_xaxis()
    axes.set_xlabel("1 − ρ")
    axes.set_ylabel("iterations per step, mean of the first 80")
    axes.set_title("Dam break, 88,000 particles, stop at 1e-3 d, no safeguard")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def draw_curves(rows, path):
    figure, both = plot.subplots(1, 2, figsize=(11, 4.2))
    for solver in dict.fromkeys(row["solver"] for row in rows):
        some = [row for row in rows if row["solver"] == solver]
        for axes, value in zip(both, ("move_d", "mean_compression")):
            axes.semilogy([float(row["iteration"]) for row in some],
                          [max(float(row[value]), 1e-9) for row in some], label=solver)
    both[0].set_ylabel("largest movement, spacings")
    both[1].set_ylabel("mean compression")
    for axes in both:
        axes.set_xlabel("iteration")
    both[1].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    if any(word in ("-h", "--help") for word in sys.argv):
        print(__doc__)
        return
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out/bench-chebyshev")
    output = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "docs/notes")
    draw_figure_4(rows_of(folder / "figure4.csv"), output / "chebyshev_figure4.png")
    draw_curves(rows_of(folder / "curves.csv"), output / "chebyshev_curves.png")


if __name__ == "__main__":
    main()
