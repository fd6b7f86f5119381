#!/usr/bin/env python3
"""Sleet's path tracer and Mitsuba 3 (PyPI mitsuba) on real frames, with the same samples: noise and time.

usage: peer_mitsuba_real.py [--build BUILD] [--folder BUILD/mitsuba-real] [--dam-frame 60] [--work 1]
                            [--threads 2] [--scenes snow water] [--check]

snow   the density of frame 16 of scenes/showcase/snowball.json with a spacing of 10.8 mm on a lattice of 4 mm, on a white
       plate, with the extinction, albedo, phase function and camera of the picture, its sun and a uniform sky
water  the surface of scenes/papers/apbf/dam_216k.json, from `sleet mesh`, as glass of index 1.333 with
       absorption over a diffuse floor, with a square lamp and a uniform sky; triangles have their own normals

Frames are simulated at the first call, by BUILD/sleet into the folder. Both renderers draw eight rounds of other
seeds, from which the variances come (sums over pixels and channels). `equal noise` is time × variance of Mitsuba over
that of Sleet; above 1 Sleet is faster. Sleet's snow is drawn twice: with Mitsuba's model, and with the similarity
relation that pictures use by default.
Mitsuba plays no roulette: from the depth where it begins at most 0.95 of the paths survive each scattering, which
makes paths of hundreds of scatterings in snow a hundred times as noisy. Its time is without compilation.

--check: exit code 1 unless Sleet is faster in both and the means differ by at most 2 % or 4 standard errors.
Exit code 77: not available here."""
import argparse
import pathlib
import subprocess
import sys

import peer_mitsuba as peer

SKY = (0.35, 0.42, 0.55)
SNOW = {"size": (32, 18), "samples": 16, "camera": ((0.55, 0.26, 1.02), (0, 0.055, 0), 26), "spacing": 0.0108, "cell": 0.004,
        "extinction": 2000.0, "albedo": (0.996, 0.9975, 0.999), "g": 0.5,
        "sun": ((-1, 0.4, 0.05), (5.2, 4.5, 3.4)), "ground": (0.8, 0.84, 0.9)}
WATER = {"size": (96, 54), "samples": 64, "camera": ((17, 9, 19), (6.8, 2.4, 3), 44), "index": 1.333,
         "absorption": (0.33, 0.057, 0.033), "floor": (0.3, 0.3, 0.3),
         "lamp": ((10, 25, 14), (6, 0, 3), 12.0, (9, 8.5, 8))}
FLOOR = ((-40, 0, -40), (0, 0, 80), (80, 0, 0))


def call(words):
    run = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {run.stderr or run.stdout}")
    return run.stdout


def simulate(args, root):
    """The frame of snow and the mesh of water; kept for later calls."""
    folder = pathlib.Path(args.folder)
    folder.mkdir(parents=True, exist_ok=True)
    sleet, snow, dam = f"{args.build}/sleet", folder / "snow", folder / "dam"
    frame, mesh = snow / "frame_000016.slf", folder / f"water_{args.dam_frame}.ply"
    if not frame.exists():
        call([sleet, "run", root / "scenes/showcase/snowball.json", "-o", snow, "--frames", 16, "--overwrite",
              "--set", f"systems.snow.parameters.spacing={SNOW['spacing']}"])
    if not mesh.exists():
        call([sleet, "run", root / "scenes/papers/apbf/dam_216k.json", "-o", dam, "--frames", args.dam_frame,
              "--overwrite"])
        call([sleet, "mesh", dam, "--frames", args.dam_frame, "--sink", 0.5, "-o", mesh])
    return frame, mesh


def samples_of(args, scene):
    return max(int(scene["samples"] * args.work), 8)


def draw_sleet(np, args, scene):
    """(mean, variance of the mean, seconds)"""
    samples = samples_of(args, scene)
    folder = pathlib.Path(args.folder)
    width, height = scene["size"]
    lines = [peer.words("size", width, height), peer.words("samples", samples), peer.words("seed", 3),
             peer.words("camera", *scene["camera"]), peer.words("sky", SKY)] + scene["lines"]
    (folder / "scene").write_text("\n".join(lines) + "\n")
    seconds = float(call([f"{args.build}/path_peer", folder / "scene", folder / "out", args.threads]))
    mean, variance = np.fromfile(folder / "out", np.float32).astype(np.float64).reshape(2, height, width, 3)
    return mean, variance, seconds


def mitsuba_base(mi, np, scene, floor):
    T = mi.ScalarTransform4f
    eye, target, fov = scene["camera"]
    corner, a, b = (np.array(v, float) for v in FLOOR)
    m = np.eye(4)
    m[:3, 0], m[:3, 1], m[:3, 2], m[:3, 3] = a / 2, b / 2, (0, 1, 0), corner + (a + b) / 2
    return {
        "type": "scene", "integrator": {"type": "volpath", "max_depth": 100000, "rr_depth": 100000},
        "sensor": {"type": "perspective", "fov": fov, "fov_axis": "y", "near_clip": 0.001, "far_clip": 1e4,
                   "to_world": T().look_at(origin=list(eye), target=list(target), up=[0, 1, 0]),
                   "film": {"type": "hdrfilm", "width": scene["size"][0], "height": scene["size"][1],
                            "rfilter": {"type": "box"}, "pixel_format": "rgb", "component_format": "float32"},
                   "sampler": {"type": "independent"}},
        "sky": {"type": "constant", "radiance": peer.rgb(SKY)},
        "floor": {"type": "rectangle", "to_world": T(m),
                  "bsdf": {"type": "twosided", "b": {"type": "diffuse", "reflectance": peer.rgb(floor)}}},
    }


def snow_scenes(mi, np, args, frame):
    """Sleet's scene, and Mitsuba's."""
    grid = pathlib.Path(args.folder) / "grid"
    out = call([f"{args.build}/path_peer", "grid", frame, grid, SNOW["cell"]]).split()
    count, origin, cell = [int(n) for n in out[:3]], [float(n) for n in out[3:]], SNOW["cell"]
    to_sun, light = SNOW["sun"]
    sleet = dict(SNOW, lines=[
        peer.words("sun", to_sun, light, 0.02), peer.words("diffuse", SNOW["ground"]), peer.words("plate", *FLOOR),
        peer.words("volume", str(grid), count, origin, cell, SNOW["extinction"], SNOW["albedo"], SNOW["g"])])
    scene = mitsuba_base(mi, np, SNOW, SNOW["ground"])
    T = mi.ScalarTransform4f
    low, size = np.array(origin), (np.array(count) - 1) * cell
    density = np.fromfile(grid, np.float32).reshape(count[::-1])
    values = mi.VolumeGrid((density * SNOW["extinction"])[..., None].copy())
    scene["sun"] = {"type": "directional", "direction": [-c for c in to_sun], "irradiance": peer.rgb(light)}
    scene["volume"] = {
        "type": "cube", "bsdf": {"type": "null"},
        "to_world": T().translate(list(low + size / 2)) @ T().scale(list(size / 2)),
        "interior": {"type": "heterogeneous", "albedo": peer.rgb(SNOW["albedo"]),
                     "phase": {"type": "hg", "g": SNOW["g"]},
                     "sigma_t": {"type": "gridvolume", "grid": values, "raw": True, "filter_type": "trilinear",
                                 "to_world": T().translate(list(low - cell / 2))
                                 @ T().scale([c * cell for c in count])}}}
    return sleet, mi.load_dict(scene)


def water_scenes(mi, np, args, mesh):
    loaded = mi.load_dict({"type": "ply", "filename": str(mesh), "face_normals": True})
    params = mi.traverse(loaded)
    positions, faces = np.array(params["vertex_positions"]), np.array(params["faces"])
    raw = pathlib.Path(args.folder) / "mesh"
    raw.write_bytes(positions.astype(np.float32).tobytes() + faces.astype(np.uint32).tobytes())
    place, toward, side, light = WATER["lamp"]
    sleet = dict(WATER, lines=[
        peer.words("lamp", *WATER["lamp"]), peer.words("diffuse", WATER["floor"]), peer.words("plate", *FLOOR),
        peer.words("glass", WATER["index"], WATER["absorption"]),
        peer.words("mesh", str(raw), len(positions) // 3, len(faces) // 3)])
    scene = mitsuba_base(mi, np, WATER, WATER["floor"])
    T = mi.ScalarTransform4f
    strongest = max(WATER["absorption"])
    scene["lamp"] = {"type": "rectangle", "bsdf": {"type": "diffuse", "reflectance": peer.rgb((0, 0, 0))},
                     "to_world": T().look_at(origin=list(place), target=list(toward), up=[0, 1, 0])
                     @ T().scale(side / 2), "emitter": {"type": "area", "radiance": peer.rgb(light)}}
    scene["water"] = {"type": "ply", "filename": str(mesh), "face_normals": True,
                      "bsdf": {"type": "dielectric", "int_ior": WATER["index"], "ext_ior": 1.0},
                      "interior": {"type": "homogeneous", "albedo": peer.rgb((0, 0, 0)), "scale": strongest,
                                   "sigma_t": peer.rgb([a / strongest for a in WATER["absorption"]])}}
    return sleet, mi.load_dict(scene)


def report(name, sleet, mitsuba):
    """Prints a row; (equal noise, whether the means agree)"""
    import numpy as np
    (a, va, ta), (b, vb, tb) = sleet, mitsuba
    ma, mb = a.mean((0, 1)), b.mean((0, 1))
    sigma = np.sqrt((va + vb).sum((0, 1))) / (a.shape[0] * a.shape[1])
    percent, sigmas = 100 * (ma - mb) / mb, (ma - mb) / sigma
    speed = tb * vb.sum() / (ta * va.sum())
    print(f"{name:30} " + " ".join(f"{p:+6.2f}" for p in percent) + "  " + " ".join(f"{s:+5.1f}" for s in sigmas) +
          f" {ta:8.2f} {tb:9.2f} {va.sum() ** 0.5:10.3f} {vb.sum() ** 0.5:9.3f} {speed:10.1f}x", flush=True)
    return speed, bool(((np.abs(percent) < 2) | ((np.abs(sigmas) < 4) & (np.abs(percent) < 5))).all())


def compare(args):
    import numpy as np
    import mitsuba as mi
    root = pathlib.Path(__file__).resolve().parents[2]
    mi.set_variant("llvm_ad_rgb")
    try:
        mi.Float([1, 2]) + 1
    except Exception:
        peer.unavailable("no LLVM library for Mitsuba")
    import drjit as dr
    dr.set_thread_count(args.threads)
    frame, mesh = simulate(args, root)
    print(f"Mitsuba {mi.__version__}, {args.threads} threads; the same samples in both")
    print(f"{'scene':30} {'difference r g b %':>20}  {'/ sigma':>17} {'Sleet s':>8} {'Mitsuba s':>9} {'noise S':>10}"
          f" {'noise M':>9} {'equal noise':>11}")
    results = []
    if "snow" in args.scenes:
        sleet, scene = snow_scenes(mi, np, args, frame)
        theirs = peer.draw_mitsuba(mi, np, args, scene, samples_of(args, sleet))
        results.append(report("snow", draw_sleet(np, args, sleet), theirs))
        similar = dict(sleet, lines=["similarity 1"] + sleet["lines"])
        report("snow, Sleet with similarity", draw_sleet(np, args, similar), theirs)
    if "water" in args.scenes:
        sleet, scene = water_scenes(mi, np, args, mesh)
        results.append(report("water", draw_sleet(np, args, sleet),
                              peer.draw_mitsuba(mi, np, args, scene, samples_of(args, sleet))))
    print("equal noise: Mitsuba's time × variance over Sleet's; above 1 Sleet is faster")
    good = all(speed > 1 and agree for speed, agree in results)
    return 1 if args.check and not good else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--folder", help="of simulated frames (default: BUILD/mitsuba-real)")
    parser.add_argument("--dam-frame", type=int, default=60)
    parser.add_argument("--work", type=float, default=1, help="factor of the samples of both")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--scenes", nargs="*", default=["snow", "water"])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.folder = args.folder or f"{args.build}/mitsuba-real"
    if args.inside:
        sys.exit(compare(args))
    if not (pathlib.Path(args.build) / "path_peer").exists():
        peer.unavailable(f"{args.build}/path_peer is not built")
    python = peer.environment(args.build)
    sys.exit(subprocess.run([str(python), __file__, "--inside"] + sys.argv[1:]).returncode)


if __name__ == "__main__":
    main()
