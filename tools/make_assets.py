#!/usr/bin/env python3
"""Makes the meshes in assets/: all our own, MIT licence, remakeable to the byte.

    tools/make_assets.py                        writes assets/*.obj again
    tools/make_assets.py --out DIR [NAME …]     writes them (or those named) into DIR
    tools/make_assets.py --check [DIR]          reads DIR (assets/) and checks every mesh
    tools/make_assets.py --walker DIR --frames N  a walking person, N files of the same vertices

Every mesh made or checked is reported on one line; a mesh that is not closed, not manifold, not
turned outwards or too large ends the command with status 1. Needs numpy (python3-numpy).
"""
import argparse
import os
import sys

try:
    from asset_maker import squirrel, things, walker
    from asset_maker.mesh import measure, read_obj, write_obj
except ModuleNotFoundError as missing:
    sys.exit(f"make_assets.py: {missing.name} is missing; apt-get install python3-numpy")

MAX_BYTES = 2_000_000
ASSETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "assets")
# name: maker, what the file's first line calls it, fewest and most triangles
MESHES = {"squirrel": (squirrel.make, "a squirrel", 15000, 25000),
          "cone": (things.cone, "a cone", 100, 200),
          "container": (things.container, "an open tank", 28, 28),
          "plough": (things.plough, "a snow plough blade", 1000, 10000),
          "axe": (things.axe, "an axe", 5000, 25000),
          "hill": (things.hill, "a hill", 5000, 25000),
          "hill_snow": (things.hill_snow, "a layer of snow on the hill", 5000, 25000)}


def report(path, limits=(4, 10**6)):
    """Prints the facts of a mesh file; True if nothing is wrong with it."""
    m = measure(*read_obj(path))
    faults, size = m["faults"], os.path.getsize(path)
    if not limits[0] <= m["triangles"] <= limits[1]:
        faults.append(f"not {limits[0]} to {limits[1]} triangles")
    if size > MAX_BYTES:
        faults.append(f"{size} bytes, more than {MAX_BYTES}")
    x, y, z = m["size"]
    print(f"{os.path.basename(path)}: {m['vertices']} vertices, {m['triangles']} triangles, "
          f"{x:.3f} x {y:.3f} x {z:.3f} m, {m['area']:.4f} m2, {m['volume']:.5f} m3, "
          f"Euler number {m['euler']}, {size} bytes: {'; '.join(faults) or 'closed, good'}")
    return not faults


def make(folder, names):
    os.makedirs(folder, exist_ok=True)
    good = True
    for name in names:
        maker, title, least, most = MESHES[name]
        path = os.path.join(folder, name + ".obj")
        write_obj(path, title, *maker())
        good &= report(path, (least, most))
    return good


def check(folder):
    return all([report(os.path.join(folder, name + ".obj"), MESHES[name][2:]) for name in MESHES])


def walk(folder, count):
    os.makedirs(folder, exist_ok=True)
    good = True
    for k, (p, triangles) in enumerate(walker.frames(count)):
        path = os.path.join(folder, f"walker_{k:04d}.obj")
        write_obj(path, "a walking person", p, triangles)
        good &= report(path)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="; ".join(MESHES))
    parser.add_argument("--out", default=ASSETS, metavar="DIR")
    parser.add_argument("--check", nargs="?", const=ASSETS, metavar="DIR")
    parser.add_argument("--walker", metavar="DIR")
    parser.add_argument("--frames", type=int, default=walker.STEPS_PER_CYCLE, metavar="N")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in MESHES]
    if unknown:
        parser.error(f"no asset is called {unknown[0]}; there are {', '.join(MESHES)}")
    if options.check:
        return check(options.check)
    if options.walker:
        return walk(options.walker, options.frames)
    return make(options.out, options.names or MESHES)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
