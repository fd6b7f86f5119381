#!/usr/bin/env python3
"""Holds Sleet's explicit snow against taichi (PyPI taichi), alternated in one run.

usage: peer_taichi.py [--build BUILD] [--spacing 0.0072] [--frames 3] [--steps 50] [--rounds 2] [--threads 2]
                      [--ratio 7] [--check]

The scene is scenes/papers/snow/drop.json, smaller particles (--spacing, 300,000 with 0.0072 m): a ball hits the floor in the
first frame. Sleet simulates the first frames whole; its time is the sum of all stages of stats.csv. Taichi
continues from Sleet's state at the begin of each of these frames (positions, velocities; not deformed) with
the same cells and Sleet's mean time step, for --steps steps (0: as many as Sleet took), and its time per
step is taken for the whole frame. The ratio is that of the times for all frames, the median over rounds.

The solver in taichi is MLS-MPM as in taichi's own examples: quadratic kernels, APIC, singular value
decomposition and clamped stretches, one kernel with atomic sums into a dense grid around the snow, f32, the CPU
backend. It gets particles sorted by cell, and the fastest of two grid layouts and several block sizes. All kernels are
compiled before anything is timed.

--check: exit code 1 unless the ratio reaches --ratio. Times mean something only on a machine that does
nothing else. Taichi is installed into BUILD/taichi-venv at the first call. Exit code 77: not available here."""
import argparse
import csv
import glob
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve()
SCENE = HERE.parents[2] / "scenes" / "papers" / "snow" / "drop.json"
PACKAGES = ["numpy", "taichi==1.7.4"]
PYTHONS = [(3, minor) for minor in (11, 12, 10, 13, 9)]  # that the package is built for
CELL = 1.5  # spacings, as in the scene
LIFT = 4  # cells: how far snow is lifted to see it fall freely
MATERIAL = {"density": 400.0, "stiffness": 1e6, "poisson": 0.2, "hardening": 15.0, "compression": 0.12,
            "stretch": 0.012, "plastic": 1.5, "friction": 0.4, "gravity": 9.81}


def unavailable(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(77)


def interpreter():
    """A python that taichi has a package for."""
    if sys.version_info[:2] in PYTHONS:
        return sys.executable
    for major, minor in PYTHONS:
        found = shutil.which(f"python{major}.{minor}") or next(
            iter(sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{major}.{minor}.*/bin/python")))), None)
        if found:
            return found
    return unavailable("no python that taichi can be installed for")


def environment(build):
    """The python of an environment that has taichi; made at the first call."""
    folder = pathlib.Path(build) / "taichi-venv"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        for step in ([interpreter(), "-m", "venv", "--clear", str(folder)],
                     [str(python), "-m", "pip", "install", "-q"] + PACKAGES):
            if subprocess.run(step).returncode != 0:
                unavailable("taichi cannot be installed (no network?)")
        (folder / "ready").touch()
    if subprocess.run([str(python), "-c", "import taichi, numpy"], stdout=subprocess.DEVNULL).returncode != 0:
        unavailable("taichi cannot be imported")
    return str(python)


# --- Sleet -----------------------------------------------------------------------------------------

def sleet_run(arguments, folder):
    """Per frame: seconds of all stages, number of steps, mean time step."""
    command = [str(pathlib.Path(arguments.build) / "sleet"), "run", str(SCENE), "-o", str(folder), "--frames",
               str(arguments.frames), "--threads", str(arguments.threads), "--quiet", "--overwrite",
               "--checkpoint-every", "off", "--set", f"systems.snow.parameters.spacing={arguments.spacing}"]
    if subprocess.run(command).returncode != 0:
        sys.exit("sleet run failed")
    frames = [{"seconds": 0.0, "steps": 0, "length": 0.0} for _ in range(arguments.frames)]
    with open(folder / "stats.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    end = float(rows[-1]["time_s"])
    for row in rows:
        middle = float(row["time_s"]) - 0.5 * float(row["dt_s"])
        frame = frames[min(int(middle / end * arguments.frames), arguments.frames - 1)]
        frame["seconds"] += 1e-3 * sum(float(value) for name, value in row.items() if name.endswith("_ms"))
        frame["steps"] += 1
        frame["length"] += float(row["dt_s"])
    return frames


def read_state(folder, number, cell):
    """Positions and velocities, sorted by block of four cells and by cell."""
    import numpy as np
    sys.path.insert(0, str(HERE.parents[2] / "tools"))
    from read_frame import read_frame
    fields = read_frame(str(folder / f"frame_{number:06d}.slf"), meshes=False)["systems"][0]["fields"]
    x, v = fields["position"][0], fields["velocity"][0]
    at = np.floor(x / cell).astype(np.int64)
    order = np.lexsort(tuple((at % 4).T[::-1]) + tuple((at // 4).T[::-1]))
    return np.ascontiguousarray(x[order]), np.ascontiguousarray(v[order])


# --- taichi ----------------------------------------------------------------------------------------

def make_solver(arguments, count, low, size, layout, block):
    """(load, step, read): low is the grid's first node, size its nodes along each axis."""
    import numpy as np
    import taichi as ti
    ti.init(arch=ti.cpu, cpu_max_num_threads=arguments.threads, default_fp=ti.f32, log_level=ti.ERROR,
            offline_cache_file_path=str(pathlib.Path(arguments.build) / "peer-taichi" / "kernels"))
    m, d = MATERIAL, arguments.spacing
    h, volume = CELL * d, d ** 3
    mass, inverse = volume * m["density"], 1 / h
    mu = m["stiffness"] / (2 * (1 + m["poisson"]))
    lam = m["stiffness"] * m["poisson"] / ((1 + m["poisson"]) * (1 - 2 * m["poisson"]))
    smallest, largest, torn = 1 - m["compression"], 1 + m["stretch"], m["plastic"]
    hardening, friction, gravity = m["hardening"], m["friction"], m["gravity"]
    floor_node = int(-low[1])  # the node row at height 0
    position, velocity = (ti.Vector.field(3, ti.f32, count) for _ in range(2))
    affine, elastic = (ti.Matrix.field(3, 3, ti.f32, count) for _ in range(2))
    plastic = ti.field(ti.f32, count)
    momentum, node_mass = ti.Vector.field(3, ti.f32), ti.field(ti.f32)
    if layout == "dense":
        ti.root.dense(ti.ijk, size).place(momentum, node_mass)
    else:
        ti.root.dense(ti.ijk, [s // 4 for s in size]).dense(ti.ijk, 4).place(momentum, node_mass)

    @ti.kernel
    def step(dt: ti.f32):
        for node in ti.grouped(node_mass):
            momentum[node] = ti.Vector.zero(ti.f32, 3)
            node_mass[node] = 0.0
        ti.loop_config(block_dim=block)
        for p in position:
            at = position[p] * inverse
            base = ti.cast(at - 0.5, ti.i32)
            f = at - ti.cast(base, ti.f32)
            w = [0.5 * (1.5 - f) ** 2, 0.75 - (f - 1.0) ** 2, 0.5 * (f - 0.5) ** 2]
            tried = (ti.Matrix.identity(ti.f32, 3) + dt * affine[p]) @ elastic[p]
            left, stretch, right = ti.svd(tried)
            ratio = 1.0
            volume_ratio = 1.0
            for k in ti.static(range(3)):
                inside = ti.min(ti.max(stretch[k, k], smallest), largest)
                ratio *= stretch[k, k] / inside
                stretch[k, k] = inside
                volume_ratio *= inside
            plastic[p] = ti.min(plastic[p] * ratio, torn)
            kept = left @ stretch @ right.transpose()
            elastic[p] = kept
            hard = ti.exp(hardening * (1.0 - plastic[p]))
            stress = 2.0 * mu * hard * (kept - left @ right.transpose()) @ kept.transpose()
            stress += ti.Matrix.identity(ti.f32, 3) * (lam * hard * volume_ratio * (volume_ratio - 1.0))
            carried = (-dt * volume * 4.0 * inverse * inverse) * stress + mass * affine[p]
            for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
                offset = ti.Vector([i, j, k])
                away = (ti.cast(offset, ti.f32) - f) * h
                weight = w[i][0] * w[j][1] * w[k][2]
                momentum[base + offset] += weight * (mass * velocity[p] + carried @ away)
                node_mass[base + offset] += weight * mass
        for node in ti.grouped(node_mass):
            if node_mass[node] > 0.0:
                v = momentum[node] / node_mass[node]
                v[1] -= dt * gravity
                if node[1] <= floor_node and v[1] < 0.0:
                    slip = ti.sqrt(v[0] * v[0] + v[2] * v[2]) + 1e-20
                    left_over = ti.max(0.0, 1.0 + friction * v[1] / slip)
                    v = ti.Vector([v[0] * left_over, 0.0, v[2] * left_over])
                momentum[node] = v
        ti.loop_config(block_dim=block)
        for p in position:
            at = position[p] * inverse
            base = ti.cast(at - 0.5, ti.i32)
            f = at - ti.cast(base, ti.f32)
            w = [0.5 * (1.5 - f) ** 2, 0.75 - (f - 1.0) ** 2, 0.5 * (f - 0.5) ** 2]
            v = ti.Vector.zero(ti.f32, 3)
            gradient = ti.Matrix.zero(ti.f32, 3, 3)
            for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
                offset = ti.Vector([i, j, k])
                away = ti.cast(offset, ti.f32) - f
                part = w[i][0] * w[j][1] * w[k][2] * momentum[base + offset]
                v += part
                gradient += 4.0 * inverse * part.outer_product(away)
            velocity[p] = v
            affine[p] = gradient
            position[p] += dt * v

    corner = np.array(low, np.float32) * np.float32(h)

    def load(x, v):
        position.from_numpy(x - corner)
        velocity.from_numpy(v)
        affine.fill(0)
        plastic.fill(1)
        elastic.from_numpy(np.tile(np.eye(3, dtype=np.float32), (count, 1, 1)))

    def run(dt, steps):
        ti.sync()
        began = time.perf_counter()
        for _ in range(steps):
            step(dt)
        ti.sync()
        return time.perf_counter() - began

    return load, run, lambda: (position.to_numpy() + corner, velocity.to_numpy())


def grid_around(arguments, states, frames, cell):
    """The first node and the number of nodes along each axis, a multiple of four: room for all that moves."""
    import numpy as np
    ways = [np.abs(v).max() * frame["length"] * min(1, (arguments.steps or frame["steps"]) / frame["steps"])
            for (_, v), frame in zip(states, frames)]
    margin = LIFT + 4 + int(1.2 * max(ways) / cell)
    low = np.floor(np.min([x.min(axis=0) for x, _ in states], axis=0) / cell).astype(int) - margin
    high = np.ceil(np.max([x.max(axis=0) for x, _ in states], axis=0) / cell).astype(int) + margin
    return [int(k) for k in low], [int(k) for k in (high - low + 4) // 4 * 4]


def check_free_fall(load, run, read, state, dt, cell):
    """Above the floor all snow falls alike: the solver has no other force. It is lifted a little."""
    import numpy as np
    load(state[0] + np.array([0, LIFT * cell, 0], np.float32), state[1])
    run(dt, 10)
    x, v = read()
    expected = state[1] + np.array([0, -10 * dt * MATERIAL["gravity"], 0], np.float32)
    error = float(np.abs(v - expected).max())
    if not (np.isfinite(x).all() and error < 1e-3):
        sys.exit(f"the solver in taichi is wrong: velocities in free fall differ by {error:g} m/s")


def fastest_solver(arguments, states, frames):
    """Tries layouts and block sizes on the second frame; the best of three short runs of each."""
    low, size = grid_around(arguments, states, frames, CELL * arguments.spacing)
    count, dt = len(states[0][0]), [frame["length"] / frame["steps"] for frame in frames]
    trial, best = min(1, len(states) - 1), None
    for layout, block in (("dense", 128), ("blocks", 128), (None, 32), (None, 512), (None, 1024)):
        layout = layout or best[1]
        load, run, read = make_solver(arguments, count, low, size, layout, block)
        check_free_fall(load, run, read, states[0], min(dt[0], 1e-4), CELL * arguments.spacing)
        load(*states[trial])
        run(dt[trial], 1)
        seconds = min(run(dt[trial], 3) for _ in range(3)) / 3
        print(f"  taichi, grid {layout}, block_dim {block}: {1e9 * seconds / count:.0f} ns per particle and step",
              flush=True)
        if best is None or seconds < best[0]:
            best = (seconds, layout, block)
    print(f"  taichi's grid: {size[0]} x {size[1]} x {size[2]} nodes")
    return make_solver(arguments, count, low, size, *best[1:])[:2]


def taichi_run(arguments, solver, states, frames):
    """Seconds for each frame, by the time per step."""
    load, run = solver
    seconds = []
    for state, frame in zip(states, frames):
        steps = min(arguments.steps or frame["steps"], frame["steps"])
        load(*state)
        seconds.append(run(frame["length"] / frame["steps"], steps) / steps * frame["steps"])
    return seconds


def inner(arguments):
    folder = pathlib.Path(arguments.build) / "peer-taichi" / "drop"
    frames = sleet_run(arguments, folder)
    states = [read_state(folder, k, CELL * arguments.spacing) for k in range(arguments.frames)]
    count = len(states[0][0])
    print(f"{count} particles, {arguments.threads} threads, steps per frame: "
          + ", ".join(str(frame["steps"]) for frame in frames), flush=True)
    solver = fastest_solver(arguments, states, frames)
    load, run = solver
    load(*states[0])
    run(1e-5, 1)  # compiled
    ratios = []
    for k in range(arguments.rounds):
        theirs = taichi_run(arguments, solver, states, frames)
        frames = sleet_run(arguments, folder)
        ours = [frame["seconds"] for frame in frames]
        steps = sum(frame["steps"] for frame in frames)
        ratios.append(sum(theirs) / sum(ours))
        print(f"round {k + 1}: Sleet {sum(ours):.1f} s, {1e9 * sum(ours) / steps / count:.1f} ns per particle and step; "
              f"taichi {sum(theirs):.1f} s, {1e9 * sum(theirs) / steps / count:.1f} ns; ratio {ratios[-1]:.2f} (by frame "
              + ", ".join(f"{a / b:.2f}" for a, b in zip(theirs, ours)) + ")", flush=True)
    ratio = statistics.median(ratios)
    print(f"taichi's time over Sleet's: {ratio:.2f}")
    if ratio < arguments.ratio:
        print(f"MISS ratio {ratio:.2f} below {arguments.ratio:g}")
    sys.exit(1 if arguments.check and ratio < arguments.ratio else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default=str(HERE.parents[2] / "build"))
    parser.add_argument("--spacing", type=float, default=0.0072)
    parser.add_argument("--frames", type=int, default=3)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--ratio", type=float, default=7)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inner:
        inner(arguments)
    python = environment(arguments.build)
    (pathlib.Path(arguments.build) / "peer-taichi").mkdir(exist_ok=True)
    sys.exit(subprocess.run([python, str(HERE), "--inner"] + sys.argv[1:]).returncode)


if __name__ == "__main__":
    main()
