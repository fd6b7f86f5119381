#!/usr/bin/env python3
"""Compares two builds of Sleet bit for bit.

Every case below is a small scene, simulated for some frames by either program with the scenes of its
own source tree. Position and velocity of the last frame, sorted by particle id, must have the same
bits. Results of the base program are cached in the work folder. Needs python3-numpy.

  tools/same_bits.py /tmp/base/build/sleet build/sleet --base-root /tmp/base --new-root .
  SLEET_ISA=base tools/same_bits.py ...         without AVX2; has a cache of its own

Exit codes: 0 all the same, 1 a case differs or failed, 2 bad command line.
"""
import argparse
import fnmatch
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field

import numpy

# Keys that have another name in the new tree; cases use the base tree's names. A name that the new
# program does not know (yet) is replaced by the old one, so the table may be ahead of the tree.
RENAMED = {
    "accelerate": "acceleration",
    "after": "post_solve",
    "calm_share": "restart_fraction",
    "least_iterations": "min_iterations",
    "precondition": "preconditioner",
    "stop_most": "stop_max",
    "torn_limit": "max_plastic_volume",
    "lod_least": "lod_min",
    "most_iterations": "max_iterations",
    "strays": "max_stale_fraction",
    "turn": "rotation",
    "under_relaxation": "relaxation",
}
# The same where it depends on the solver: (solver, old key): new key.
RENAMED_OF_SOLVER = {
    ("projective", "time_step"): "step_control",
    ("projective", "global"): "global_solver",
    ("projective", "iterations"): "max_iterations",
}
# Choices that have another name: (old key, old value): new value.
RENAMED_VALUES = {
}

TIMEOUT = 300  # s, of one run


@dataclass
class Case:
    name: str
    scene: str  # relative to scenes/, without .json
    frames: int
    parameters: dict = field(default_factory=dict)  # of all systems
    sets: dict = field(default_factory=dict)  # --set: path to value; "@" begins a path in the work folder
    solver: str = "pbf"
    systems: int = 1
    needs: str = ""  # pattern of files below a root's build/, without which the case is skipped


DAM = "dam_break_small"
PAPER_DAM = "papers/chebyshev/dam_30k"
DROP = "papers/snow/drop"
MOVING_BOX = [{"shape": "box", "min": [4.4, 0, 0.9], "max": [5, 1.2, 2], "friction": 0.1,
               "motion": {"keyframes": [{"time": 0},
                                        {"time": 0.2, "position": [-0.5, 0, 0], "turn": [0, 30, 0]},
                                        {"time": 0.6, "position": [0.3, 0.2, 0]}]}},
              {"shape": "sphere", "center": [4.2, 0.4, 0.5], "radius": 0.3,
               "motion": {"velocity": [-0.8, 0, 0], "spin": [0, 90, 0], "pivot": [4.2, 0.4, 0.5]}}]
DEFORMING_BOX = [{"shape": "mesh", "files": [f"@meshes/box_{k}.obj" for k in range(4)], "rate": 8,
                  "position": [4.6, 0, 1.4], "friction": 0.1}]
PAPER_LOD = {"lod_least": 2, "iterations": 6, "stabilise": 1, "skin": 0.01, "strays": 1,
             "after": "frame"}
PLAIN_LOOP = {"accelerate": "none", "under_relaxation": 1, "divisor": "own"}
HELD = {"boundary": "contact", "attach": 1e4, "attach_below": 0.6, "iterations": 20}
CUBE = {"systems[0].blocks": [{"min": [0.4, 0.4, 0.4], "max": [1.2, 1.2, 1.2]}], "energy_limit": 0}
OIL = {"systems[0].fluids": [{"name": "oil", "density": 700, "kinematic_viscosity": 1e-4}],
       "systems[0].blocks": [{"min": [0, 0, 0], "max": [0.8, 1.2, 0.8], "fluid": "oil"},
                             {"min": [0.8, 0, 0], "max": [1.6, 1.2, 0.8]}]}


def pbf(name, scene, frames, sets=None, needs="", **parameters):
    return Case(name, scene, frames, parameters, sets or {}, "pbf", needs=needs)


def projective(name, sets=None, frames=15, scene=PAPER_DAM, **parameters):
    return Case(name, scene, frames, {"spacing": 0.08, **parameters}, sets or {}, "projective")


def snow(name, scene, frames, systems=1, sets=None, **parameters):
    return Case(name, scene, frames, parameters, sets or {}, "snow", systems)


CASES = [
    pbf("pbf", DAM, 40),
    pbf("pbf.wendland", DAM, 20, kernel="wendland", support=1.75, steps=4),
    pbf("pbf.poly6_equality", DAM, 20, kernel="poly6", constraint="equality"),
    pbf("pbf.averaging", DAM, 20, averaging=1, stabilise=2, tensile=0),
    pbf("pbf.chebyshev", DAM, 20, iterations=8, acceleration="chebyshev", relaxation=0.55),
    pbf("pbf.chebyshev_wang", DAM, 20, iterations=8, acceleration="chebyshev", delay=3,
        omega_start="wang", relaxation=0.5),
    pbf("pbf.kept_lists", DAM, 20, skin=0.1, strays=0.01, steps=4, iterations=2),
    pbf("pbf.realtime", "papers/apbf/dam_216k_realtime", 30, spacing=0.25),
    pbf("pbf.dtc", "papers/apbf/dam_216k", 30, spacing=0.25, lod="dtc"),
    pbf("pbf.dtvs", "papers/apbf/dam_216k", 30, spacing=0.25),
    pbf("pbf.dtvs_double", "papers/apbf/double_dam_673k", 20, spacing=0.4),
    pbf("pbf.dtvs_multi", "papers/apbf/multi_dam_225k", 30, spacing=0.25),
    pbf("pbf.dtvs_masked", DAM, 20, lod="dtvs", lod_sets="masked", lod_map="smoothstep", **PAPER_LOD),
    pbf("pbf.dtvs_halo", DAM, 20, lod="dtvs", lod_finished="halo", lod_map="power", **PAPER_LOD),
    pbf("pbf.dtc_stale", DAM, 20, lod="dtc", lod_finished="stale", lod_near=5, lod_far=15,
        lod_least=2),
    pbf("pbf.dtc_cameras", "obstacles", 15, spacing=0.15, lod="dtc", lod_blend="mean", lod_least=2,
        sets={"cameras.above.weight": 1}),
    pbf("pbf.surface_tension", DAM, 20, cohesion=20, curvature=1, vorticity=1),
    pbf("pbf.honey", "honey", 20, spacing=0.03),
    pbf("pbf.fluids", "oil_and_water", 20, spacing=0.05),
    pbf("pbf.fluids_particles", "oil_and_water", 15, spacing=0.06, boundary="particles"),
    pbf("pbf.fluids_dtvs", "oil_and_water", 15, spacing=0.06, lod="dtvs", lod_least=2),
    pbf("pbf.obstacles", "obstacles", 30, spacing=0.15, forces="all"),
    pbf("pbf.boundary_contact", "obstacles", 15, spacing=0.15, boundary="contact"),
    pbf("pbf.boundary_particles", "obstacles", 15, spacing=0.15, boundary="particles",
        forces="all"),
    pbf("pbf.boundary_both", "obstacles", 15, spacing=0.15, boundary="both"),
    pbf("pbf.squirrel", "squirrel", 40, spacing=0.12),
    pbf("pbf.squirrel_drop", "squirrel_drop", 25, spacing=0.1),
    pbf("pbf.moving", DAM, 30, sets={"colliders": MOVING_BOX}),
    pbf("pbf.moving_particles", DAM, 20, sets={"colliders": MOVING_BOX}, boundary="particles"),
    pbf("pbf.deforming", DAM, 30, sets={"colliders": DEFORMING_BOX}),
    pbf("pbf.deforming_both", DAM, 20, sets={"colliders": DEFORMING_BOX}, boundary="both"),
    pbf("pbf.walker", "walker", 24, spacing=0.09, needs="walker/walker_%04d.obj",
        sets={"colliders.walker.pattern": "@needs", "colliders.walker.last": 4,
              "colliders.walker.rate": 10, "colliders.walker.cell": 0.09}),
    pbf("pbf.fountain", "fountain", 90),
    pbf("pbf.unbounded", "unbounded", 90),
    pbf("pbf.compact_grid", DAM, 15, sets={"domain.grid": "compact"}),

    projective("projective.chebyshev"),
    projective("projective.chebyshev_wang", rho=0.98, omega_start="wang", delay=10,
               under_relaxation=0.9, calm_share=0),
    projective("projective.no_safeguard", rho=0.95, safeguard=False, stop_mean=1e-3, stop_move=0),
    projective("projective.jacobi", global_="jacobi", global_iterations=0, **PLAIN_LOOP),
    projective("projective.jacobi_1", global_="jacobi", **PLAIN_LOOP),
    projective("projective.global_chebyshev", global_="chebyshev", global_iterations=0, **PLAIN_LOOP),
    projective("projective.cg", global_="cg", global_iterations=0, frames=8, **PLAIN_LOOP),
    projective("projective.cg_diagonal", global_="cg", global_iterations=0, precondition="diagonal",
               **PLAIN_LOOP),
    projective("projective.cr", global_="cr", global_iterations=0, frames=8, **PLAIN_LOOP),
    projective("projective.ldlt", global_="ldlt", global_iterations=0, **PLAIN_LOOP),
    projective("projective.anderson", accelerate="anderson", divisor="own"),
    projective("projective.global_anderson", global_="anderson", global_iterations=0, **PLAIN_LOOP),
    *(projective(f"projective.differences_{solver}", rows="differences", global_=solver,
                 global_iterations=0, frames=4, sets=CUBE, **HELD)
      for solver in ("jacobi", "chebyshev", "cg", "cr", "ldlt", "anderson")),
    projective("projective.differences_cg_diagonal", rows="differences", global_="cg",
               global_iterations=3, precondition="diagonal", frames=4, sets=CUBE, **HELD),
    projective("projective.equality", constraint="equality", projections=3, count_relaxation=0.5),
    projective("projective.cfl", time_step="cfl", cfl=0.3),
    projective("projective.walls", boundary="walls", kernel="wendland"),
    projective("projective.attach", attach=1e5, attach_below=0.2),
    projective("projective.fluids", scene="oil_and_water", boundary="particles", frames=10, sets=OIL),
    projective("projective.viscosity", kinematic_viscosity=0.1, vorticity=1, cohesion=10),
    projective("projective.squirrel", scene="papers/chebyshev/squirrel_298k", spacing=0.2, frames=30),
    projective("projective.compact_grid", sets={"domain.grid": "compact"}, frames=5),

    snow("snow.mls", DROP, 6, spacing=0.03),
    snow("snow.flip", DROP, 6, spacing=0.03, transfer="flip"),
    snow("snow.mls_implicit", DROP, 4, spacing=0.03, integration="implicit"),
    snow("snow.flip_implicit", DROP, 4, spacing=0.03, transfer="flip", integration="implicit",
         most_iterations=300),
    snow("snow.trapezoidal", DROP, 3, spacing=0.03, integration="implicit", beta=0.5,
         time_step=2e-4),
    snow("snow.variation", DROP, 4, spacing=0.03, vary_hardening=0.4, vary_yield=0.3,
         vary_density=0.2),
    snow("snow.double", "papers/snow/double", 5, spacing=0.028),
    snow("snow.wall", "papers/snow/wall", 8, spacing=0.026, forces="all"),
    snow("snow.wall_flip_implicit", "papers/snow/wall", 4, spacing=0.03, transfer="flip",
         integration="implicit"),
    snow("snow.plough", "papers/snow/plough", 25, spacing=0.035),
    snow("snow.plough_implicit", "papers/snow/plough", 8, spacing=0.04, integration="implicit"),
    snow("snow.presets", "papers/snow/presets", 4, systems=5, spacing=0.03),
]


class Failed(Exception):
    pass


class Tree:
    """A program, the source tree it belongs to, and the reader of its frames."""

    def __init__(self, title, program, root, reader, renames):
        self.title, self.renames = title, renames
        self.program, self.root = pathlib.Path(program).resolve(), pathlib.Path(root).resolve()
        self.reader_path = pathlib.Path(reader) if reader else find_reader(self.root)
        spec = importlib.util.spec_from_file_location(f"reader_of_{title}", self.reader_path)
        self.reader = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.reader)
        self.unknown = set()  # (solver, new key) that the program has refused
        self.hash = hashlib.sha256(self.program.read_bytes()).hexdigest()

    def scene(self, case):
        return self.root / "scenes" / f"{case.scene}.json"


def find_reader(root):
    """tools/read_frame.py, or another script of tools/ that has a function read_frame."""
    scripts = sorted(root.glob("tools/**/*.py"), key=lambda path: path.name != "read_frame.py")
    for script in scripts:
        if "def read_frame(" in script.read_text():
            return script
    sys.exit(f"same_bits.py: nothing in {root}/tools defines read_frame; use --new-reader")


def renamed(case, key, tree):
    new = RENAMED_OF_SOLVER.get((case.solver, key), RENAMED.get(key, key))
    return key if not tree.renames or (case.solver, new) in tree.unknown else new


def translated(case, key, value, tree, work, needed):
    """A value of a --set with new names and whole paths in it; key is what it stands behind."""
    if isinstance(value, dict):
        return {renamed(case, k, tree): translated(case, k, v, tree, work, needed)
                for k, v in value.items()}
    if isinstance(value, list):
        return [translated(case, key, v, tree, work, needed) for v in value]
    if value == "@needs":
        return str(needed)
    if isinstance(value, str) and value.startswith("@"):
        return str(work / value[1:])
    return RENAMED_VALUES.get((key, value), value) if tree.renames else value


def overrides(case, tree, work, needed):
    """The --set options of a case, in the names of a tree."""
    sets = {f"systems[{s}].parameters.{key.rstrip('_')}": value  # global is a word of Python
            for s in range(case.systems) for key, value in case.parameters.items()}
    sets = {"systems[0].solver": case.solver, **sets, **case.sets}
    options = []
    for path, value in sets.items():
        *front, last = path.split(".")
        value = translated(case, last, value, tree, work, needed)
        path = ".".join([*front, renamed(case, last, tree)])
        options += ["--set", f"{path}={json.dumps(value)}"]
    return options


def simulate(case, tree, work, needed):
    """The folder of frames that a run of the case leaves."""
    folder = work / f"run-{tree.title}"
    # A cache of its own: distance fields that another program has built would hide a difference.
    environment = {**os.environ, "XDG_CACHE_HOME": str(work / f"fields-{tree.title}")}
    while True:
        shutil.rmtree(folder, ignore_errors=True)
        command = [tree.program, "run", tree.scene(case), "-o", folder, "--frames", str(case.frames),
                   "--threads", "1", "--quiet", "--checkpoint-every", "off",
                   *overrides(case, tree, work, needed)]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True,
                                  timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"{tree.title}: not done after {TIMEOUT} s") from None
        if done.returncode == 0:
            return folder
        refused = re.search(r'unknown key "(\w+)"', done.stderr)
        names = {*RENAMED.values(), *RENAMED_OF_SOLVER.values()}
        known = refused is not None and (case.solver, refused[1]) not in tree.unknown
        if not (tree.renames and known and refused[1] in names):
            lines = done.stderr.strip().splitlines() or ["no message"]
            raise Failed(f"{tree.title}: exit code {done.returncode}: {lines[-1]}")
        tree.unknown.add((case.solver, refused[1]))


def last_frame(case, tree, folder):
    """All fields of the last frame, in the order of ids: {"system.field": array}."""
    frames = sorted(folder.glob("frame_*"))
    if not frames or int(re.search(r"\d+", frames[-1].name)[0]) != case.frames:
        raise Failed(f"{tree.title}: frame {case.frames} was not written")
    arrays = {}
    for k, system in enumerate(tree.reader.read_frame(str(frames[-1]))["systems"]):
        fields = {name: values[0] if isinstance(values, tuple) else values
                  for name, values in system["fields"].items()}
        for name in ("id", "position", "velocity"):
            if name not in fields:
                raise Failed(f"{tree.title}: {frames[-1].name} has no field {name}")
        order = numpy.argsort(fields["id"].ravel(), kind="stable")
        arrays.update({f"{k}.{name}": values[order] for name, values in fields.items()})
    return arrays


def run_case(case, tree, work, needed):
    try:
        return last_frame(case, tree, simulate(case, tree, work, needed))
    except (ValueError, KeyError, OSError) as error:
        raise Failed(f"{tree.title}: {type(error).__name__}: {error}") from error
    finally:
        shutil.rmtree(work / f"run-{tree.title}", ignore_errors=True)


def base_result(case, tree, work, needed):
    """Of the base program, from the cache if it is there."""
    what = [tree.hash, case.frames, overrides(case, tree, work, needed),
            tree.scene(case).read_text(), os.environ.get("SLEET_ISA", "")]
    key = hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]
    path = work / "base" / f"{case.name}-{key}.npz"
    if path.exists():
        with numpy.load(path) as stored:
            return {name: stored[name] for name in stored.files}
    arrays = run_case(case, tree, work, needed)
    path.parent.mkdir(parents=True, exist_ok=True)
    numpy.savez(path.with_suffix(".new.npz"), **arrays)
    path.with_suffix(".new.npz").replace(path)
    return arrays


def bits(values):
    return numpy.ascontiguousarray(values).view("u4").reshape(len(values), -1)


def compare(base, new):
    """(same?, what to print)."""
    systems = sorted({name.split(".")[0] for name in base})
    count = sum(len(base[f"{s}.id"]) for s in systems)
    if systems != sorted({name.split(".")[0] for name in new}):
        return False, "the number of systems differs"
    for s in systems:
        if not numpy.array_equal(base[f"{s}.id"], new[f"{s}.id"]):
            return False, (f"ids of system {s} differ: {len(base[f'{s}.id'])} particles, "
                           f"new {len(new[f'{s}.id'])}")
    most, differing = {"position": 0.0, "velocity": 0.0}, 0
    for s in systems:
        wrong = numpy.zeros(len(base[f"{s}.id"]), bool)
        for name in most:
            a, b = base[f"{s}.{name}"], new[f"{s}.{name}"]
            wrong |= (bits(a) != bits(b)).any(axis=1)
            if len(a) > 0:
                most[name] = max(most[name], float(abs(a.astype("f8") - b).max()))
        differing += int(wrong.sum())
    if differing > 0:
        return False, (f"{differing} of {count} particles, by up to {most['position']:.3g} m, "
                       f"{most['velocity']:.3g} m/s")
    others = [name for name in base if name in new and base[name].dtype == new[name].dtype
              and not numpy.array_equal(bits(base[name]), bits(new[name]))]
    return True, f"{count} particles" + (f"; but differs: {', '.join(others)}" if others else "")


def write_boxes(folder):
    """Four boxes, one wider and lower than the other: keys of a deforming body."""
    faces = "1 3 2,2 3 4,5 6 7,6 8 7,1 2 5,2 6 5,3 7 4,4 7 8,1 5 3,3 5 7,2 4 6,4 8 6".split(",")
    folder.mkdir(parents=True, exist_ok=True)
    for k in range(4):
        half, height = 0.3 + 0.1 * k, 1 - 0.15 * k
        corners = [(x, y, z) for z in (-half, half) for y in (0, height) for x in (-half, half)]
        (folder / f"box_{k}.obj").write_text(
            "".join(f"v {x:g} {y:g} {z:g}\n" for x, y, z in corners) +
            "".join(f"f {face}\n" for face in faces))


def find_needed(case, trees):
    """The path of what a case needs, "" if it needs nothing, None if it is nowhere."""
    if case.needs == "":
        return ""
    for tree in trees:
        path = tree.root / "build" / case.needs
        if (pathlib.Path(str(path) % 0) if "%" in case.needs else path).exists():
            return path
    return None


def judge(case, base, new, work):
    needed = find_needed(case, (base, new))
    if needed is None:
        return "skipped", f"build/{case.needs} is missing; tools/make_assets.py makes it"
    try:
        same, words = compare(base_result(case, base, work, needed),
                              run_case(case, new, work, needed))
    except (Failed, OSError) as error:
        return "failed", str(error)
    return "same" if same else "differs", words


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("base_sleet", help="program before the change")
    parser.add_argument("new_sleet", help="program after it")
    parser.add_argument("--work", default="/tmp/same_bits", help="folder for the cache (%(default)s)")
    parser.add_argument("--base-root", default="/tmp/base", help="source tree (%(default)s)")
    parser.add_argument("--new-root", default=".", help="source tree (%(default)s)")
    parser.add_argument("--base-reader", help="script with read_frame() (BASE_ROOT/tools/read_frame.py)")
    parser.add_argument("--new-reader", help="script with read_frame() (NEW_ROOT/tools/read_frame.py)")
    parser.add_argument("--only", metavar="PATTERN", default="*", help="cases by name, as 'snow.*'")
    options = parser.parse_args()
    cases = [case for case in CASES if fnmatch.fnmatch(case.name, options.only)]
    for program in (options.base_sleet, options.new_sleet):
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is not a program")
    if not cases:
        parser.error(f"no case is called {options.only}")
    work = pathlib.Path(options.work).resolve()
    write_boxes(work / "meshes")
    base = Tree("base", options.base_sleet, options.base_root, options.base_reader, False)
    new = Tree("new", options.new_sleet, options.new_root, options.new_reader, True)
    shutil.rmtree(work / "fields-new", ignore_errors=True)
    counts, start = {}, time.monotonic()
    for case in cases:
        began = time.monotonic()
        verdict, words = judge(case, base, new, work)
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{case.name:36} {verdict:8} {time.monotonic() - began:6.1f} s  {words}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()) +
          f"; {time.monotonic() - start:.0f} s")
    if new.unknown:
        names = ", ".join(f"{key} ({solver})" for solver, key in sorted(new.unknown))
        print(f"not known to the new program, old names used: {names}")
    sys.exit(0 if not {"differs", "failed"} & counts.keys() else 1)


if __name__ == "__main__":
    main()
