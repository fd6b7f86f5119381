#!/usr/bin/env python3
"""How much snow a rolling ball has picked up. usage: tools/measure_ball.py DIR BALL_PARTICLES FRAME...

The first BALL_PARTICLES ids are the ball (its fill is the system's first). At each frame a rigid motion is fitted to
those of them within one radius of their median position; particles that move with that motion (within a quarter of
the ball's speed) and are connected with them by touching cells of 1.5 spacings belong to the ball now."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from read_frame import read_frame


def rigid(position, velocity):
    """Velocity and angular velocity of the best rigid motion, and the centre."""
    centre = position.mean(axis=0)
    arm, moved = position - centre, velocity - velocity.mean(axis=0)
    inertia = (arm ** 2).sum() * np.eye(3) - arm.T @ arm
    return velocity.mean(axis=0), np.linalg.solve(inertia, np.cross(arm, moved).sum(axis=0)), centre


def linked(position, seed, reach):
    """Particles connected with the seed: those whose cells of width `reach` touch cells of it, one after the other."""
    cell = np.floor(position / reach).astype(np.int64)
    keys = {}
    for i, c in enumerate(map(tuple, cell)):
        keys.setdefault(c, []).append(i)
    todo = {tuple(c) for c in cell[seed]}
    seen = set(todo)
    while todo:
        x, y, z = todo.pop()
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                for dz in (-1, 0, 1):
                    near = (x + dx, y + dy, z + dz)
                    if near in keys and near not in seen:
                        seen.add(near)
                        todo.add(near)
    return np.array([i for c in seen if c in keys for i in keys[c]])


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    print("frame,particles,of_first,ratio,speed,spin")
    for frame in map(int, sys.argv[3:]):
        f = read_frame(os.path.join(folder, f"frame_{frame:06d}.slf"), meshes=False)
        system = f["systems"][0]
        field = system["fields"]
        x, v, ids = (np.asarray(field[k][0]) for k in ("position", "velocity", "id"))
        x, v = x[:, :3].astype(float), v[:, :3].astype(float)
        spacing = float(system["spacing"])
        own = ids.reshape(-1) < count
        radius = (3 * count * spacing ** 3 / (4 * np.pi)) ** (1 / 3)
        core = own & (np.linalg.norm(x - np.median(x[own], axis=0), axis=1) < radius)
        mean, spin, centre = rigid(x[core], v[core])
        off = np.linalg.norm(v - mean - np.cross(spin, x - centre), axis=1)
        near = np.linalg.norm(x - centre, axis=1) < 2.5 * radius
        with_it = np.flatnonzero(near & (off < 0.25 * np.linalg.norm(mean)))
        body = with_it[linked(x[with_it], np.flatnonzero(core[with_it]), 1.5 * spacing)]
        print(f"{frame},{len(body)},{own[body].sum()},{len(body) / count:.3f},"
              f"{np.linalg.norm(mean):.2f},{np.linalg.norm(spin):.2f}", flush=True)


if __name__ == "__main__":
    main()
