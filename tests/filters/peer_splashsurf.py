#!/usr/bin/env python3
"""Holds Sleet's water surface against splashsurf (PyPI pysplashsurf), alternated in one run.

usage: peer_splashsurf.py [--build BUILD] [--dam DIR] [--frames A B C] [--still DIR] [--still-frame N]
                          [--hero [DIR]] [--hero-frame N] [--only-hero] [--threads 2] [--rounds 5] [--check]

Both surface the same frames with cubes of half a spacing d, smoothing and normals. splashsurf has the
settings of its manual: support 2 d, threshold 0.6, 25 iterations of weighted smoothing, 10 of the normals.
Times are those of the reconstruction, without files: pysplashsurf's call, and the sum of the stages that
`sleet mesh --verbose` prints.

  time      seconds, median of the rounds, and the ratio
  slope     degrees: median angle between the normals of the free surface of still water and their
            mean within about 3 d (Gaussian, sigma 3 d), away from walls; of the mesh and of its normals
  isolated  fraction of the particles with at most one other within 2 d that have a vertex within 0.8 d
  volume    of the mesh over that of the particles; `without spray`: without small pieces and particles that
            have fewer than 12 others within 2 d
  distance  Hausdorff, in d, from Sleet's vertices to splashsurf's and back; and the 99 % quantile, as drops
            that only one of them keeps decide the first
  popping   degrees: mean angle between the normals of a frame and those at the nearest vertices of the
            next one, the motion of the water apart: a vertex moves as the particles around it moved
            from frame to frame (by their ids), nearer ones count more (Gaussian, sigma d / 2), so that a
            drop follows its own particle; of still water and of the dam break away from walls

--hero adds frame 37 of scenes/showcase/hero.json, 1.25 million particles, which takes a quarter of an hour to
simulate; --only-hero leaves the others out.

Without --dam and --still the scenes are simulated into BUILD/peer-surface at the first call. --check: exit code 1
unless Sleet takes at most half the time, no threshold of the surface is missed and its popping is lower.
pysplashsurf is installed into BUILD/splashsurf-venv at the first call. Exit code 77: not available here."""
import argparse
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()
PACKAGES = ["numpy", "scipy", "zstandard", "pysplashsurf==0.14.1.0"]
DAM = HERE.parents[2] / "scenes" / "papers" / "apbf" / "dam_216k.json"
HERO = HERE.parents[2] / "scenes" / "showcase" / "hero.json"
STILL = {"domain": {"min": [0, 0, 0], "max": [4, 3, 3]}, "time": {"frames": 901, "frame_rate": 60},
        "systems": [{"name": "water", "solver": "pbf", "parameters": {"spacing": 0.1},
                     "blocks": [{"min": [0, 0, 0], "max": [3.4, 1.8, 3]}]}]}


def unavailable(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(77)


def environment(build):
    """The python of an environment that has pysplashsurf; made at the first call."""
    folder = pathlib.Path(build) / "splashsurf-venv"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        for step in ([sys.executable, "-m", "venv", str(folder)],
                     [str(python), "-m", "pip", "install", "-q"] + PACKAGES):
            if subprocess.run(step).returncode != 0:
                unavailable("pysplashsurf cannot be installed (no network?)")
        (folder / "ready").touch()
    if subprocess.run([str(python), "-c", "import pysplashsurf, scipy, zstandard"]).returncode != 0:
        unavailable("pysplashsurf cannot be imported")
    return str(python)


def simulate(sleet, scene, folder, frames):
    if not (folder / f"frame_{frames:06d}.slf").exists():
        command = [sleet, "run", str(scene), "-o", str(folder), "--frames", str(frames), "--quiet",
                   "--overwrite", "--checkpoint-every", "off"]
        if subprocess.run(command).returncode != 0:
            sys.exit(f"{scene}: the run failed")
    return folder


# --- frames (docs/frame-file.md) and meshes -------------------------------------------------------

FIELDS = {"position": ("<f4", 3), "id": ("<u4", 1)}


def unpack(data, codec, raw_bytes, kind, lanes):
    import numpy as np
    import zstandard
    if codec == 0:
        return np.frombuffer(data, kind).reshape(-1, lanes)
    if codec != 1:
        sys.exit("a quantised frame")
    raw = zstandard.ZstdDecompressor().decompress(data, max_output_size=raw_bytes)
    planes = np.frombuffer(raw, "u1").reshape(4, lanes, -1).astype("u4")
    folded = planes[0] | planes[1] << 8 | planes[2] << 16 | planes[3] << 24
    difference = np.where(folded & 1, ~(folded >> 1), folded >> 1)
    return np.cumsum(difference, axis=1, dtype="u4").view(kind).T


def read_frame(path):
    """Positions, domain, spacing and ids of the first system."""
    import struct
    import numpy as np
    data = pathlib.Path(path).read_bytes()
    domain = np.frombuffer(data, "<f4", 6, 40).reshape(2, 3)
    sections = struct.unpack_from("<I", data, 64)[0]
    table, found, spacing = 96 + 128 * sections, {}, None
    for s in range(sections):
        at = 96 + 128 * s
        name = data[at:at + 32].split(b"\0")[0].decode()
        kind, _, system = struct.unpack_from("<3I", data, at + 72)
        count, first, chunks = struct.unpack_from("<3Q", data, at + 88)
        parts = []
        for c in range(first, first + chunks):
            offset, _, stored, raw, codec, _ = struct.unpack_from("<QQIIII", data, table + 32 * c)
            chunk = data[offset:offset + stored]
            if kind == 1 and system == 0:
                spacing = struct.unpack_from("<f", chunk, 32)[0]
            if kind == 2 and system == 0 and name in FIELDS:
                parts.append(unpack(chunk, codec, raw, *FIELDS[name]))
        if parts:
            found[name] = np.ascontiguousarray(np.concatenate(parts)[:count])
    return found["position"], domain, spacing, found["id"][:, 0]


def read_ply(path):
    import numpy as np
    data = pathlib.Path(path).read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    vertices, faces = (int(n) for n in re.findall(rb"element \w+ (\d+)", data[:end]))
    v = np.frombuffer(data, "<f4", 9 * vertices, end).reshape(-1, 9)
    f = np.frombuffer(data, np.dtype([("n", "u1"), ("v", "<u4", 3)]), faces, end + 36 * vertices)["v"]
    return {"x": v[:, :3].astype("f8"), "n": v[:, 3:6].astype("f8"), "t": f.astype("i8")}


# --- the two ---------------------------------------------------------------------------------------

def sleet_mesh(arguments, folder, frame):
    """Of two frames in one process the second: as in a sequence, and as splashsurf's memory is in place."""
    shutil.rmtree(pathlib.Path(folder) / "filters", ignore_errors=True)  # stored meshes of earlier rounds
    with tempfile.TemporaryDirectory() as out:
        path, first = f"{out}/{frame}.ply", max(frame - 1, 0)
        command = [str(pathlib.Path(arguments.build) / "sleet"), "mesh", str(folder), "--frames",
                   f"{first}-{frame}", "-o", f"{out}/%d.ply", "--verbose", "--threads",
                   str(arguments.threads)]
        result = subprocess.run(command + arguments.options.split(), capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"sleet mesh failed: {result.stderr}")
        stages = re.findall(r"solids [0-9.]+, .* ms", result.stderr)[-1]
        mesh = read_ply(path)
        info = subprocess.run([command[0], "info", path], capture_output=True, text=True).stdout
        mesh["closed"] = "closed: yes" in info and "manifold: yes" in info
    mesh["seconds"] = sum(float(t) for t in re.findall(r"[a-z] ([0-9.]+)", stages)) / 1000
    mesh["stages"] = stages
    return mesh


def splashsurf_mesh(frame):
    import numpy as np
    import pysplashsurf
    x, _, d = frame[:3]
    began = time.perf_counter()
    made, _ = pysplashsurf.reconstruction_pipeline(
        x, particle_radius=d / 2, rest_density=1000.0, smoothing_length=2.0, cube_size=1.0,
        iso_surface_threshold=0.6, mesh_smoothing_iters=25, mesh_smoothing_weights=True,
        mesh_smoothing_weights_normalization=13.0, compute_normals=True, normals_smoothing_iters=10)
    seconds = time.perf_counter() - began
    attributes = made.get_point_attributes() if hasattr(made, "get_point_attributes") \
        else made.point_attributes
    return {"x": np.array(made.mesh.vertices, "f8"), "t": np.array(made.mesh.triangles, "i8"),
            "n": np.nan_to_num(np.array(attributes["normals"], "f8")), "seconds": seconds}


# --- measures --------------------------------------------------------------------------------------

def vertex_normals(mesh):
    import numpy as np
    x, t = mesh["x"], mesh["t"]
    area = np.cross(x[t[:, 1]] - x[t[:, 0]], x[t[:, 2]] - x[t[:, 0]])
    n = np.zeros_like(x)
    for k in range(3):
        np.add.at(n, t[:, k], area)
    return n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-30)


def free_surface(mesh, domain, d):
    """Vertices that look up, away from the walls and above the floor."""
    x, n = mesh["x"], mesh["geometric"]
    low, high = domain[0] + 4 * d, domain[1] - 4 * d
    return ((x[:, 0] > low[0]) & (x[:, 0] < high[0]) & (x[:, 2] > low[2]) & (x[:, 2] < high[2])
            & (x[:, 1] > domain[0][1] + 2 * d) & (n[:, 1] > 0.5))


def slope_noise(x, n, d):
    """Against the mean normal, by bins of d / 2 and a Gaussian of sigma 3 d."""
    import numpy as np
    from scipy.ndimage import gaussian_filter
    low = x.min(axis=0)
    at = np.floor((x - low) / (d / 2)).astype(int)
    size = at[:, 0].max() + 1, at[:, 2].max() + 1
    bins = at[:, 0] * size[1] + at[:, 2]
    mean = np.stack([gaussian_filter(np.bincount(bins, n[:, k], size[0] * size[1]).reshape(size), 6,
                                     mode="constant") for k in range(3)], axis=-1).reshape(-1, 3)
    mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-30)
    cosine = np.clip((n * mean[bins]).sum(axis=1), -1, 1)
    return float(np.degrees(np.median(np.arccos(cosine))))


def volumes(mesh):
    """Of each closed piece; all, and those above 12 particles' are added by the caller."""
    import numpy as np
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components
    x, t = mesh["x"], mesh["t"]
    ones = np.ones(len(t) * 2)
    graph = coo_matrix((ones, (np.r_[t[:, 0], t[:, 1]], np.r_[t[:, 1], t[:, 2]])), (len(x), len(x)))
    _, piece = connected_components(graph, directed=False)
    each = np.einsum("ij,ij->i", x[t[:, 0]], np.cross(x[t[:, 1]], x[t[:, 2]])) / 6
    return np.bincount(piece[t[:, 0]], each)


def describe(mesh, frame, neighbours):
    import numpy as np
    from scipy.spatial import cKDTree
    x, _, d = frame[:3]
    found = {}
    isolated = x[neighbours <= 1]
    tree = cKDTree(mesh["x"])
    if len(isolated):
        found["isolated"] = float((tree.query(isolated)[0] < 0.8 * d).mean())
    each = volumes(mesh)
    found["volume"] = float(each.sum() / (len(x) * d ** 3))
    found["without spray"] = float(each[np.abs(each) > 12 * d ** 3].sum()
                                   / ((neighbours >= 12).sum() * d ** 3))
    found["triangles"] = len(mesh["t"])
    return found


def displacements(frame, then, at):
    """How the water at some points moves to the next frame: the mean over the 8 nearest particles that both
    frames have. Velocities times the frame's length would leave out what accelerates it on the way."""
    import numpy as np
    from scipy.spatial import cKDTree
    x, sigma = frame[0].astype("f8"), 0.5 * frame[2]
    _, now, later = np.intersect1d(frame[3], then[3], assume_unique=True, return_indices=True)
    shift = then[0][later] - x[now]
    distance, nearest = cKDTree(x[now]).query(at, min(8, len(now)))
    distance, nearest = distance.reshape(len(at), -1), nearest.reshape(len(at), -1)
    weight = np.exp((distance[:, :1] ** 2 - distance ** 2) / (2 * sigma ** 2))  # of the nearest one: 1
    return np.einsum("ij,ijk->ik", weight / weight.sum(axis=1, keepdims=True), shift[nearest])


def popping(frame, then, first, second, chosen):
    """Mean angle between the normals of the vertices chosen, moved with the water, and those of the next
    frame there, from its three nearest vertices, one of them within d / 2."""
    import numpy as np
    from scipy.spatial import cKDTree
    d = frame[2]
    chosen = chosen & (np.abs(first["n"]).sum(axis=1) > 0)  # splashsurf has some that are not a number
    moved = first["x"][chosen] + displacements(frame, then, first["x"][chosen])
    distance, nearest = cKDTree(second["x"]).query(moved, 3)
    near = (distance[:, 0] < 0.5 * d) & (np.abs(second["n"][nearest]).sum(axis=2) > 0).all(axis=1)
    weight = 1 / (distance[near] + 1e-3 * d)
    after = np.einsum("ij,ijk->ik", weight, second["n"][nearest[near]])
    after /= np.maximum(np.linalg.norm(after, axis=1, keepdims=True), 1e-30)
    cosine = (first["n"][chosen][near] * after).sum(axis=1)
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))).mean())


def hausdorff(a, b, d):
    import numpy as np
    from scipy.spatial import cKDTree
    both = [cKDTree(q["x"]).query(p["x"])[0] / d for p, q in ((a, b), (b, a))]
    return [(float(r.max()), float(np.quantile(r, 0.99))) for r in both]


# --- the comparison --------------------------------------------------------------------------------

def surface_both(arguments, folder, number, rounds):
    frame = read_frame(folder / f"frame_{number:06d}.slf")
    pair, seconds = [None, None], ([], [])
    for _ in range(rounds):
        for k, make in enumerate((lambda: sleet_mesh(arguments, folder, number),
                                  lambda: splashsurf_mesh(frame))):
            pair[k] = make()
            seconds[k].append(pair[k]["seconds"])
    for mesh, times in zip(pair, seconds):
        mesh["seconds"] = statistics.median(times)
        mesh["geometric"] = vertex_normals(mesh)
    return frame, pair


def compare_dam(arguments, folder, number, misses):
    from scipy.spatial import cKDTree
    frame, pair = surface_both(arguments, folder, number, arguments.rounds)
    x, domain, d = frame[:3]
    neighbours = cKDTree(x).query_ball_point(x, 2 * d, return_length=True) - 1
    rows = [describe(mesh, frame, neighbours) for mesh in pair]
    ratio = pair[0]["seconds"] / pair[1]["seconds"]
    print(f"{folder.name} frame {number}: {len(x)} particles, {int((neighbours <= 1).sum())} isolated; "
          f"Sleet {pair[0]['seconds']:.3f} s, splashsurf {pair[1]['seconds']:.3f} s, ratio {ratio:.3f}")
    print(f"  {pair[0]['stages']}")
    for name, row in zip(("Sleet", "splashsurf"), rows):
        print(f"  {name:11}" + "".join(f"  {key} {value:.4g}" for key, value in row.items()))
    (there, there99), (back, back99) = hausdorff(*pair, d)
    print(f"  distance: {there:.2f} d there (99 %: {there99:.2f}), {back:.2f} d back (99 %: {back99:.2f})")
    then, after = surface_both(arguments, folder, number + 1, 1)
    pops = []
    for mesh, next_mesh in zip(pair, after):
        away = ((mesh["x"] > domain[0] + 4 * d) & (mesh["x"] < domain[1] - 4 * d)).all(axis=1)
        pops.append(popping(frame, then, mesh, next_mesh, away))
    print(f"  popping (moving): Sleet {pops[0]:.3f}, splashsurf {pops[1]:.3f} degrees", flush=True)
    tests = [(ratio <= 0.5, f"time ratio {ratio:.3f} above 0.5"),
             (pair[0]["closed"], "not closed and manifold"),
             (rows[0].get("isolated", 1) >= rows[1].get("isolated", 1), "fewer isolated particles kept"),
             (abs(rows[0]["without spray"] - 1) <= 0.06, f"volume {rows[0]['without spray']:.3f}"),
             (pops[0] < pops[1], f"popping {pops[0]:.3f}, splashsurf's {pops[1]:.3f}")]
    misses += [f"{folder.name} frame {number}: {text}" for good, text in tests if not good]


def compare_still(arguments, folder, number, misses):
    frame, pair = surface_both(arguments, folder, number, 1)
    x, domain, d = frame[:3]
    then, after = surface_both(arguments, folder, number + 1, 1)
    found = []
    for mesh, next_mesh in zip(pair, after):
        top = free_surface(mesh, domain, d)
        at = mesh["x"][top]
        found.append((slope_noise(at, mesh["geometric"][top], d), slope_noise(at, mesh["n"][top], d),
                      popping(frame, then, mesh, next_mesh, top)))
    for name, (mesh, normal, pop) in zip(("Sleet", "splashsurf"), found):
        print(f"still frame {number}: {name:11} slope {mesh:.3f} (mesh), {normal:.3f} (normals); "
              f"popping {pop:.3f} degrees")
    volume = volumes(pair[0]).sum() / (len(x) * d ** 3)
    print(f"  volume {volume:.4f}", flush=True)
    for k, name in enumerate(("slope noise of the mesh", "slope noise of the normals", "popping")):
        if found[0][k] > found[1][k]:
            misses.append(f"still: {name} {found[0][k]:.3f}, splashsurf's {found[1][k]:.3f}")
    if abs(volume - 1) > 0.02:
        misses.append(f"still: volume {volume:.4f}")


def inner(arguments):
    misses = []
    if not arguments.only_hero:
        compare_still(arguments, pathlib.Path(arguments.still), arguments.still_frame, misses)
        for number in arguments.frames:
            compare_dam(arguments, pathlib.Path(arguments.dam), number, misses)
    if arguments.hero:
        compare_dam(arguments, pathlib.Path(arguments.hero), arguments.hero_frame, misses)
    for miss in misses:
        print("MISS " + miss)
    sys.exit(1 if arguments.check and misses else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default=str(HERE.parents[2] / "build"))
    parser.add_argument("--dam")
    parser.add_argument("--frames", type=int, nargs="+", default=[30, 75, 150])
    parser.add_argument("--still")
    parser.add_argument("--still-frame", type=int, default=900)
    parser.add_argument("--hero", nargs="?", const="simulate")
    parser.add_argument("--hero-frame", type=int, default=37)
    parser.add_argument("--only-hero", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--options", default="", help="more options of sleet mesh")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inner:
        inner(arguments)
    python = environment(arguments.build)
    sleet, work = str(pathlib.Path(arguments.build) / "sleet"), pathlib.Path(arguments.build) / "peer-surface"
    work.mkdir(exist_ok=True)
    if arguments.hero == "simulate":
        arguments.hero = simulate(sleet, HERO, work / "hero", arguments.hero_frame + 1)
    if arguments.dam is None and not arguments.only_hero:
        arguments.dam = simulate(sleet, DAM, work / "dam", max(arguments.frames) + 1)
    if arguments.still is None and not arguments.only_hero:
        (work / "still.json").write_text(json.dumps(STILL))
        arguments.still = simulate(sleet, work / "still.json", work / "still", arguments.still_frame + 1)
    import os
    command = [python, str(HERE), "--inner", "--build", arguments.build, "--dam", str(arguments.dam),
               "--still", str(arguments.still), "--still-frame", str(arguments.still_frame), "--threads",
               str(arguments.threads), "--rounds", str(arguments.rounds), f"--options={arguments.options}",
               "--frames"] + [str(f) for f in arguments.frames] + ["--check"] * arguments.check
    if arguments.hero:
        command += ["--hero", str(arguments.hero), "--hero-frame", str(arguments.hero_frame)]
    command += ["--only-hero"] * arguments.only_hero
    sys.exit(subprocess.run(command, env=dict(os.environ, RAYON_NUM_THREADS=str(arguments.threads))).returncode)


if __name__ == "__main__":
    main()
