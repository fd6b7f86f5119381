#!/usr/bin/env python3
"""Holds Sleet's path tracer against Mitsuba 3 (PyPI mitsuba): equal scenes, drawn by both.

usage: peer_mitsuba.py [--build BUILD] [--scenes NAME ...] [--side 48] [--work 1] [--threads 2] [--check]
                       [--sampler independent] [--save DIR]

Scenes: slabs and spheres that scatter by Henyey-Greenstein with g = -0.3, 0.5, 0.85, without and with
absorption; a grid of varying density; a glass sphere, clear and absorbing; diffuse and coated plates; one
of all. Light: a square lamp and a uniform sky. Printed per scene and channel: both image means, their
difference in per cent and in standard errors. Sleet's scenes are drawn by the program path_peer, the
same numbers build Mitsuba's. --work multiplies the samples of both.

Coats are Mitsuba's plugin `roughplastic` with GGX: by themselves at two roughnesses, over a diffuse base where they
are nearly smooth. At large roughness the two bases differ on purpose: Mitsuba's loses the light that facets hide
from each other, Sleet's conserves it (that is what the furnace tests hold). So the plugin's base is scaled by one
number per roughness and index such that a white one loses nothing; the number comes from its own sampling.

--check: exit code 1 unless all means agree within 3 standard errors and 0.5 %.
Both are drawn in eight rounds of different seeds, from which the variances come: within a round samples
are spread evenly (Sleet; Mitsuba with --sampler multijitter) or independent.
Times are those of sampling alone on the same number of threads, after Mitsuba's kernels were compiled; `equal
noise` is the ratio of time × variance. They mean something only on a machine that does nothing else.
Mitsuba is installed into BUILD/mitsuba-venv at the first call. Exit code 77: not available here."""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

PACKAGES = ["numpy", "mitsuba==3.7.1"]
SKY, LAMP = (0.2, 0.25, 0.3), ((0.9, 1.6, 0.7), (0, 0, 0), 0.9, (6, 5, 4))
CAMERA = ((0.3, 0.9, 2.6), (0, 0, 0), 34)
GREY, RED, BLUE = (0.5, 0.5, 0.5), (0.7, 0.25, 0.2), (0.2, 0.3, 0.75)
FLOOR = ("plate", (-1.5, -0.5, -1.5), (0, 0, 3), (3, 0, 0))


def unavailable(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(77)


def environment(build):
    """The python of an environment that has Mitsuba; made at the first call."""
    folder = pathlib.Path(build) / "mitsuba-venv"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        for step in ([sys.executable, "-m", "venv", str(folder)],
                     [str(python), "-m", "pip", "install", "-q"] + PACKAGES):
            if subprocess.run(step).returncode != 0:
                unavailable("mitsuba cannot be installed (no network?)")
        (folder / "ready").touch()
    return python


# --- Scenes: lists of (word, numbers ...) as path_peer reads them. ---------------------------------

def grid(np, kind):
    """(nodes of relative density [z, y, x], origin, cell)"""
    if kind == "slab":
        return np.ones((33, 9, 33), np.float32), (-0.8, -0.2, -0.8), 0.05
    n, cell = 41, 0.03
    at = (np.arange(n) - (n - 1) / 2) * cell
    z, y, x = np.meshgrid(at, at, at, indexing="ij")
    r = np.sqrt(x * x + y * y + z * z)
    if kind == "sphere":
        density = np.clip((0.5 - r) / 0.06, 0, 1)
    else:
        waves = np.sin(9 * x + 2) * np.sin(7 * y + 1) * np.sin(8 * z) + 0.4 * np.sin(23 * x * y + 11 * z)
        density = np.clip(waves * 1.6, 0, 1) * (r < 0.58)
    return density.astype(np.float32), (-(n - 1) / 2 * cell,) * 3, cell


def scenes():
    """name -> (things, volume or None, samples of Sleet, samples of Mitsuba)"""
    out = {}
    for g in (-0.3, 0.5, 0.85):
        for name, albedo in (("white", (1, 1, 1)), ("absorbing", (0.9, 0.7, 0.97))):
            out[f"slab g {g} {name}"] = ([], ("slab", 8, albedo, g), 512, 512)
            out[f"sphere g {g} {name}"] = ([], ("sphere", 8, albedo, g), 512, 512)
    out["grid volume"] = ([("diffuse", GREY), FLOOR], ("waves", 25, (0.98, 0.95, 0.9), 0.6), 512, 512)
    out["glass sphere"] = ([("diffuse", RED), FLOOR, ("glass", 1.5, (0, 0, 0)), ("sphere", (0, 0, 0), 0.45)],
                           None, 4096, 4096)
    out["absorbing glass"] = ([("diffuse", GREY), FLOOR, ("glass", 1.33, (2, 0.6, 0.2)),
                               ("sphere", (0, 0, 0), 0.45)], None, 4096, 4096)
    walls = [("diffuse", GREY), FLOOR, ("diffuse", RED), ("plate", (-1, -0.5, -0.6), (1.2, 0, -0.3), (0, 1.2, 0)),
             ("diffuse", BLUE), ("plate", (0.5, -0.5, -0.8), (0.3, 0, 1.2), (0, 0.9, 0))]
    out["diffuse plates"] = (walls, None, 2048, 2048)
    black = (0, 0, 0)
    for roughness in (0.25, 0.6):
        out[f"coat {roughness}"] = (
            [("coated", black, roughness, 1.5), FLOOR, ("diffuse", RED), walls[3],
             ("coated", black, roughness, 1.9), walls[5]], None, 2048, 2048)
    out["coated plates"] = (
        [("coated", GREY, 0.1, 1.5), FLOOR, ("coated", RED, 0.1, 1.5), walls[3],
         ("coated", BLUE, 0.1, 1.9), walls[5]], None, 2048, 2048)
    out["mixed"] = (walls + [("coated", BLUE, 0.1, 1.5), ("plate", (-0.9, -0.2, 0.2), (0.5, 0.1, 0), (0, 0.1, 0.5)),
                             ("glass", 1.5, (0.5, 0.2, 0.1)), ("sphere", (0.1, -0.25, 0.85), 0.2)],
                    ("sphere", 12, (0.99, 0.97, 0.95), 0.5), 1024, 1024)
    return out


def words(*values):
    flat = []
    for v in values:
        flat.extend(v if isinstance(v, (tuple, list)) else [v])
    return " ".join(f"{v:.9g}" if isinstance(v, float) else str(v) for v in flat)


def draw_sleet(np, args, scene, volume, samples, seed):
    """(mean, variance of the mean, seconds)"""
    with tempfile.TemporaryDirectory() as folder:
        lines = [words("size", args.side, args.side), words("samples", samples), words("seed", seed),
                 words("camera", *CAMERA), words("sky", SKY), words("lamp", *LAMP)]
        lines += [words(*thing) for thing in scene]
        if volume is not None:
            density, origin, cell = grid(np, volume[0])
            density.tofile(f"{folder}/grid")
            lines.append(words("volume", f"{folder}/grid", density.shape[::-1], origin, cell, *volume[1:]))
        pathlib.Path(f"{folder}/scene").write_text("\n".join(lines) + "\n")
        run = subprocess.run([f"{args.build}/path_peer", f"{folder}/scene", f"{folder}/out", str(args.threads)],
                             capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(run.stderr)
        data = np.fromfile(f"{folder}/out", np.float32).astype(np.float64)
    mean, variance = data.reshape(2, args.side, args.side, 3)
    return mean, variance, float(run.stdout)


# --- Mitsuba. --------------------------------------------------------------------------------------

def plastic(color, roughness, index, specular=1):
    """Mitsuba's own rough plastic: a GGX coat with the masking of Smith over a diffuse base."""
    return {"type": "roughplastic", "distribution": "ggx", "alpha": max(roughness**2, 0.01), "int_ior": index,
            "ext_ior": 1.0, "nonlinear": False, "specular_reflectance": specular, "diffuse_reflectance": rgb(color)}


def mean_albedo(mi, dr, bsdf):
    """What the material reflects of light from all sides, by its own sampling."""
    side = 1000
    number = dr.arange(mi.UInt32, side * side)
    u1, u2 = (number % side + 0.5) / side, (number // side + 0.5) / side
    sampler = mi.PCG32(side * side)
    cosine = dr.sqrt(u1)  # of light from all sides
    si = dr.zeros(mi.SurfaceInteraction3f, side * side)
    si.wi = mi.Vector3f(dr.sqrt(1 - u1), 0, cosine)
    _, weight = bsdf.sample(mi.BSDFContext(), si, sampler.next_float32(),
                            mi.Point2f(u2, sampler.next_float32()))
    return float(dr.mean(weight.x)[0])


def coated(mi, roughness, index, color, known={}):
    """Rough plastic whose base is scaled such that a white one loses no light."""
    import drjit as dr
    if (roughness, index) not in known:
        coat = mean_albedo(mi, dr, mi.load_dict(plastic((0, 0, 0), roughness, index)))
        base = mean_albedo(mi, dr, mi.load_dict(plastic((1, 1, 1), roughness, index, 0)))
        known[roughness, index] = (1 - coat) / base
    return {"type": "twosided", "b": plastic([known[roughness, index] * c for c in color], roughness, index)}


def rgb(values):
    return {"type": "rgb", "value": list(values)}


def mitsuba_scene(mi, np, args, things, volume):
    T = mi.ScalarTransform4f
    eye, target, fov = CAMERA
    place, toward, side, light = LAMP
    normal = np.array(toward, float) - np.array(place, float)
    up = [0, 1, 0] if abs(normal[1]) < 0.9 * np.linalg.norm(normal) else [1, 0, 0]
    scene = {
        "type": "scene",
        "sensor": {"type": "perspective", "fov": fov, "fov_axis": "y", "near_clip": 0.001,
                   "to_world": T().look_at(origin=list(eye), target=list(target), up=[0, 1, 0]),
                   "film": {"type": "hdrfilm", "width": args.side, "height": args.side, "rfilter": {"type": "box"},
                            "pixel_format": "rgb", "component_format": "float32"},
                   "sampler": {"type": args.sampler}},
        "sky": {"type": "constant", "radiance": rgb(SKY)},
        "lamp": {"type": "rectangle", "bsdf": {"type": "diffuse", "reflectance": rgb((0, 0, 0))},
                 "to_world": T().look_at(origin=list(place), target=list(toward), up=up) @ T().scale(side / 2),
                 "emitter": {"type": "area", "radiance": rgb(light)}},
    }
    material, inside = None, None
    for k, thing in enumerate(things):
        word, values = thing[0], thing[1:]
        if word == "diffuse":
            material, inside = {"type": "twosided", "b": {"type": "diffuse", "reflectance": rgb(values[0])}}, None
        elif word == "coated":
            color, roughness, index = values
            material, inside = coated(mi, roughness, index, color), None
        elif word == "glass":
            material = {"type": "dielectric", "int_ior": values[0], "ext_ior": 1.0}
            inside = values[1] if any(values[1]) else None
        elif word == "plate":
            a, b = np.array(values[1], float), np.array(values[2], float)
            middle = np.array(values[0], float) + (a + b) / 2
            n = np.cross(a, b)
            m = np.eye(4)
            m[:3, 0], m[:3, 1], m[:3, 2], m[:3, 3] = a / 2, b / 2, n / np.linalg.norm(n), middle
            scene[f"thing{k}"] = {"type": "rectangle", "to_world": T(m), "bsdf": material}
        elif word == "sphere":
            scene[f"thing{k}"] = {"type": "sphere", "center": list(values[0]), "radius": values[1], "bsdf": material}
            if inside is not None:
                scene[f"thing{k}"]["interior"] = {"type": "homogeneous", "albedo": rgb((0, 0, 0)),
                                                  "scale": max(inside),
                                                  "sigma_t": rgb([v / max(inside) for v in inside])}
    if volume is not None:
        density, origin, cell = grid(np, volume[0])
        extinction, albedo, g = volume[1:]
        count = np.array(density.shape[::-1])
        low, size = np.array(origin, float), (count - 1) * cell
        values = mi.VolumeGrid((density * extinction)[..., None].copy())
        scene["volume"] = {
            "type": "cube", "bsdf": {"type": "null"},
            "to_world": T().translate(list(low + size / 2)) @ T().scale(list(size / 2)),
            "interior": {"type": "heterogeneous", "albedo": rgb(albedo), "phase": {"type": "hg", "g": g},
                         "sigma_t": {"type": "gridvolume", "grid": values, "raw": True, "filter_type": "trilinear",
                                     "to_world": T().translate(list(low - cell / 2)) @ T().scale(list(count * cell))}}}
    medium = volume is not None or any("interior" in v for v in scene.values() if isinstance(v, dict))
    # Roulette far out: with spectral MIS off it would be the same as Sleet's.
    scene["integrator"] = {"type": "volpath" if medium else "path", "max_depth": 100000, "rr_depth": 100000}
    return mi.load_dict(scene)


def draw_mitsuba(mi, np, args, scene, samples, rounds=8):
    """(mean, variance of the mean, seconds) from independent rounds"""
    each = max(samples // rounds, 1)
    pictures, seconds = [], 0.0
    mi.render(scene, spp=1, seed=99).numpy()  # compiles
    for k in range(rounds):
        began = time.perf_counter()
        pictures.append(mi.render(scene, spp=each, seed=k).numpy().astype(np.float64))
        seconds += time.perf_counter() - began
    pictures = np.array(pictures)
    return pictures.mean(0), pictures.var(0, ddof=1) / rounds, seconds


# --- The comparison. -------------------------------------------------------------------------------

def compare(args):
    import numpy as np
    import mitsuba as mi
    variant = "llvm_ad_rgb"
    try:
        mi.set_variant(variant)
        mi.Float([1, 2]) + 1
    except Exception:  # no LLVM library: the scalar variant draws all but the coated plates
        variant = "scalar_rgb"
        mi.set_variant(variant)
    import drjit as dr
    if variant != "scalar_rgb":
        dr.set_thread_count(args.threads)
    print(f"Mitsuba {mi.__version__}, {variant}; {args.side} x {args.side} pixels, {args.threads} threads")
    print(f"{'scene':26} {'Sleet r g b':>23} {'Mitsuba r g b':>23} {'difference %':>19} {'/ sigma':>15}", end="")
    print(f" {'Sleet s':>8} {'Mitsuba s':>9} {'equal noise':>11}")
    missed = []
    for name, (things, volume, mine, theirs) in scenes().items():
        if args.scenes and not any(s in name for s in args.scenes):
            continue
        if variant == "scalar_rgb" and any(t[0] == "coated" for t in things):
            print(f"{name:26} left out: needs the LLVM library")
            continue
        a, va, ta = draw_sleet(np, args, things, volume, max(int(mine * args.work), 2), args.seed)
        b, vb, tb = draw_mitsuba(mi, np, args, mitsuba_scene(mi, np, args, things, volume),
                                 max(int(theirs * args.work), 8))
        if args.save:
            np.savez(f"{args.save}/{name.replace(' ', '_')}.npz", sleet=a, mitsuba=b, vs=va, vm=vb)
        pixels = args.side * args.side
        ma, mb = a.mean((0, 1)), b.mean((0, 1))
        sigma = np.sqrt((va + vb).sum((0, 1))) / pixels
        percent, sigmas = 100 * (ma - mb) / mb, (ma - mb) / sigma
        speed = (tb * vb.sum()) / max(ta * va.sum(), 1e-30)
        bad = (np.abs(sigmas) > 3).any() or (np.abs(percent) > 0.5).any()
        if bad:
            missed.append(name)
        row = lambda v, f: " ".join(format(x, f) for x in v)
        print(f"{name:26} {row(ma, '7.4f')} {row(mb, '7.4f')} {row(percent, '+6.2f')} {row(sigmas, '+5.1f')}"
              f" {ta:8.2f} {tb:9.2f} {speed:10.1f}x{' MISSED' if bad else ''}", flush=True)
    print("equal noise: Mitsuba's time × variance over Sleet's; above 1 Sleet is faster")
    if missed:
        print("outside 3 standard errors or 0.5 %: " + ", ".join(missed))
    return 1 if missed and args.check else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--scenes", nargs="*")
    parser.add_argument("--side", type=int, default=48)
    parser.add_argument("--work", type=float, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sampler", default="independent", help="Mitsuba's, e.g. multijitter")
    parser.add_argument("--seed", type=int, default=8, help="Sleet's: of 40 numbers one passes 3 standard errors by chance with one seed in ten")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--save", help="folder for the pictures as .npz")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        sys.exit(compare(args))
    if not (pathlib.Path(args.build) / "path_peer").exists():
        unavailable(f"{args.build}/path_peer is not built")
    python = environment(args.build)
    sys.exit(subprocess.run([str(python), __file__, "--inside"] + sys.argv[1:]).returncode)


if __name__ == "__main__":
    main()
