#!/usr/bin/env python3
"""Reads EXR files of `sleet render` by the OpenEXR project's own Python module, and runs the test of Open
Image Denoise with the library of the wheel pyoidn.

usage: peer_exr.py BUILD

Both come from PyPI into BUILD/exr-venv at the first call. Exit code 77: not available here."""
import os
import pathlib
import subprocess
import sys
import tempfile

PACKAGES = ["numpy", "OpenEXR==3.3.3", "pyoidn==2.5.1.0"]
SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"
SCENE = SCENES / "dam_break_small.json"
SNOW = SCENES / "papers" / "snow" / "drop.json"
HALF = ["R", "G", "B", "normal.X", "normal.Y", "normal.Z"]


def environment(build):
    folder = pathlib.Path(build) / "exr-venv"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        for step in ([sys.executable, "-m", "venv", str(folder)],
                     [str(python), "-m", "pip", "install", "-q"] + PACKAGES):
            if subprocess.run(step).returncode != 0:
                print("SKIPPED: OpenEXR and pyoidn cannot be installed (no network?)")
                sys.exit(77)
        (folder / "ready").touch()
    return python


def check_file(path, names, width, height):
    import numpy as np
    import OpenEXR
    channels = OpenEXR.File(str(path), separate_channels=True).channels()
    assert sorted(channels) == sorted(names), f"{path}: {sorted(channels)}"
    for name, channel in channels.items():
        pixels = channel.pixels
        assert pixels.shape == (height, width), f"{name}: {pixels.shape}"
        assert pixels.dtype == (np.float16 if name in HALF or name.startswith("albedo") else np.float32), name
        assert not np.isnan(pixels).any(), f"{name} has values that are not numbers"
    light = np.stack([channels[k].pixels for k in "RGB"])
    assert light.min() >= 0 and 0.01 < light.astype(float).mean() < 10, light.astype(float).mean()
    depth = channels["Z"].pixels
    assert depth.min() > 0.1 and np.isfinite(depth).mean() > 0.3
    normal = np.stack([channels["normal." + k].pixels.astype(float) for k in "XYZ"])
    length = np.sqrt((normal**2).sum(0))
    unit = (np.abs(length - 1) < 0.02).mean()
    assert length.max() < 1.01 and unit > 0.05, f"{path.name}: normals up to {length.max()}, {unit} of length 1"
    if "albedo.R" in names:
        albedo = np.stack([channels["albedo." + k].pixels for k in "RGB"])
        assert albedo.min() >= 0 and 0.05 < albedo.max() <= 1.001
    if "velocity.X" in names:
        speed = np.sqrt(sum(channels["velocity." + k].pixels.astype(float)**2 for k in "XYZ"))
        assert 0.05 < speed.max() < 50, speed.max()
    print(f"{path.name}: {len(names)} channels, {width} x {height}")


def check_snow(path):
    """The ball of the scene's first frame: normals of length 1, and the velocity that the scene gives it."""
    import numpy as np
    import OpenEXR
    channels = OpenEXR.File(str(path), separate_channels=True).channels()
    normal = np.stack([channels["normal." + k].pixels.astype(float) for k in "XYZ"])
    velocity = np.stack([channels["velocity." + k].pixels.astype(float) for k in "XYZ"])
    length, snow = np.sqrt((normal**2).sum(0)), (velocity**2).sum(0) > 0
    assert 0.01 < snow.mean() < 0.9, f"{path.name}: snow in {snow.mean()} of the pixels"
    assert np.abs(length[snow] - 1).max() < 0.01, f"{path.name}: normals {length[snow].min()} to {length[snow].max()}"
    off = np.abs(velocity[:, snow] - np.array([[1.4], [-9], [0]])).max()
    assert off < 1e-3, f"{path.name}: velocities are off by {off} m/s"
    print(f"{path.name}: snow in {snow.mean():.3f} of the pixels, velocities within {off:.1g} m/s")


def inside(build):
    import pyoidn
    library = pathlib.Path(pyoidn.__file__).parent / "oidn" / "lib"
    sleet = f"{build}/sleet"
    albedo = ["albedo.R", "albedo.G", "albedo.B"]
    layers = {"particles": HALF + ["Z"] + albedo, "water": HALF + ["Z"],
              "final": HALF + ["Z", "velocity.X", "velocity.Y", "velocity.Z"] + albedo}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sleet, "run", str(SCENE), "-o", f"{folder}/run", "--frames", "8", "-q"], check=True)
        for style, names in layers.items():
            more = ["--samples", "4", "--denoise", "oidn"] if style == "final" else []
            subprocess.run([sleet, "render", f"{folder}/run", "-n", "6", "-q", "--style", style, "--size", "160x90",
                            "-o", f"{folder}/{style}.exr"] + more, check=True,
                           env=dict(os.environ, SLEET_OIDN=str(library)))
            check_file(pathlib.Path(f"{folder}/{style}.exr"), names, 160, 90)
        coarse = ["--set", "systems.snow.parameters.spacing=0.04"]
        subprocess.run([sleet, "run", str(SNOW), "-o", f"{folder}/snow", "--frames", "1", "-q"] + coarse, check=True)
        for shutter in (0, 0.5):
            path = pathlib.Path(f"{folder}/snow_{shutter}.exr")
            subprocess.run([sleet, "render", f"{folder}/snow", "-n", "0", "-q", "--style", "final", "--size", "160x90",
                            "-o", str(path), "--samples", "4", "--denoise", "none",
                            "--set", f"render.shutter={shutter}"], check=True)
            check_file(path, layers["final"], 160, 90)
            check_snow(path)
    test = subprocess.run([f"{build}/tests/render_denoise"], env=dict(os.environ, SLEET_OIDN_TEST=str(library)))
    return test.returncode


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--inside":
        sys.exit(inside(sys.argv[2]))
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(subprocess.run([str(environment(sys.argv[1])), __file__, "--inside", sys.argv[1]]).returncode)


if __name__ == "__main__":
    main()
