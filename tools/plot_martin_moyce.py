#!/usr/bin/env python3
"""Draws the dam's front against the points Martin & Moyce measured: docs/notes/martin_moyce.png.

  SLEET_MARTIN_MOYCE_CSV=/tmp/mm.csv build/tests/fluid_pbf_physics_standard
  tools/plot_martin_moyce.py /tmp/mm.csv docs/notes/martin_moyce.png
"""
import csv
import pathlib
import re
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy

source, target = sys.argv[1:3]
with open(source) as file:
    T, Z = numpy.array([[float(r["T"]), float(r["Z"])] for r in csv.DictReader(file)]).T

# The measured points have one home: the test that compares against them.
test = pathlib.Path(__file__).parent.parent / "tests/fluid/test_pbf_physics_standard.c"
def points(name):
    numbers = re.search(name + r"\[\] = \{([^}]*)\}", test.read_text()).group(1)
    return numpy.array([float(n) for n in numbers.split(",")])
front_T, front_Z = points("front_T"), points("front_Z")

here = numpy.interp(front_T, numpy.concatenate([[0], T]), numpy.concatenate([[1], Z]))
mean = numpy.mean(numpy.abs(here / front_Z - 1))
figure, axes = plt.subplots(figsize=(7, 4.5), dpi=110)
axes.plot(numpy.concatenate([[0], T]), numpy.concatenate([[1], Z]), label="Sleet, pbf, 6 iterations")
axes.plot(front_T, front_Z, "o", mfc="none", mec="k", label="Martin & Moyce 1952, $n^2 = 2$")
axes.set_xlabel(r"$T = t\,\sqrt{2 g / a}$")
axes.set_ylabel("front $Z = x / a$")
axes.set_title(f"Front of a collapsing column: mean deviation {100 * mean:.1f} %", fontsize=11)
axes.set_xlim(0, 3.5)
axes.grid(alpha=0.3)
axes.legend()
figure.tight_layout()
figure.savefig(target)
print(f"mean deviation {100 * mean:.2f} %, at the points:",
      " ".join(f"{100 * d:+.1f}" for d in here / front_Z - 1))
