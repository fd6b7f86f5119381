"""A walking person, 1.75 m tall, walking towards +x: a field meshed once, standing with its arms
a little out, then bent by bones (linear blend skinning). Every frame has the same vertices and
triangles; the foot that bears the weight keeps its place on y = 0.
"""
import numpy as np

from .field import ellipsoid, length, limb, mirrored, union
from .mesh import surface_nets

HIP, KNEE, ANKLE = (0, 0.92, 0.10), (0.015, 0.50, 0.115), (-0.02, 0.09, 0.125)
SHOULDER, ELBOW, WRIST = (0, 1.405, 0.185), (-0.02, 1.14, 0.285), (0.02, 0.91, 0.355)
HAND = (0.045, 0.82, 0.37)
# name: parent, joint, end, radius of influence; sides are made by mirroring
SPINE = {"pelvis": (None, (0, 0.95, 0), (0, 1.10, 0), 0.15),
         "chest": ("pelvis", (0, 1.12, 0), (0, 1.40, 0), 0.15),
         "head": ("chest", (0, 1.50, 0), (0.02, 1.66, 0), 0.10)}
SIDE = {"thigh": ("pelvis", HIP, KNEE, 0.08), "shin": ("thigh", KNEE, ANKLE, 0.055),
        "foot": ("shin", ANKLE, (0.15, 0.03, 0.13), 0.045),
        "arm": ("chest", SHOULDER, ELBOW, 0.05), "forearm": ("arm", ELBOW, HAND, 0.04)}
STEPS_PER_CYCLE = 28  # frames of one cycle of two steps; at 25 frames a second, an easy walk


def body():
    return union([
        (ellipsoid((0, 1.02, 0), (0.115, 0.14, 0.165)), 0),
        (ellipsoid((0.005, 1.28, 0), (0.115, 0.21, 0.165)), 0.12),
        (limb((0, 1.42, 0), (0.01, 1.55, 0), 0.062, 0.055), 0.05),
        (ellipsoid((0.02, 1.64, 0), (0.100, 0.125, 0.082)), 0.03),
        (ellipsoid((0.115, 1.62, 0), (0.022, 0.028, 0.018)), 0.02),
        (mirrored(limb(HIP, KNEE, 0.090, 0.060)), 0.04),
        (mirrored(limb(KNEE, ANKLE, 0.060, 0.042)), 0.01),
        (mirrored(limb((-0.05, 0.045, 0.125), (0.15, 0.034, 0.135), 0.045, 0.034)), 0.03),
        (mirrored(limb(SHOULDER, ELBOW, 0.060, 0.045)), 0.08),
        (mirrored(limb(ELBOW, WRIST, 0.045, 0.034)), 0.005),
        (mirrored(limb(WRIST, HAND, 0.038, 0.030)), 0.01),
    ])


def skeleton():
    bones = {name: (parent, np.array(a, float), np.array(b, float), r)
             for name, (parent, a, b, r) in SPINE.items()}
    for side, sign in (("left", -1), ("right", 1)):
        flip = np.array([1, 1, sign])
        for name, (parent, a, b, r) in SIDE.items():
            above = parent if parent in SPINE else f"{side} {parent}"
            bones[f"{side} {name}"] = (above, np.array(a) * flip, np.array(b) * flip, r)
    return bones


def weights(p, bones):
    """Inverse eighth power of the distance to each bone, in its radii; none across the middle."""
    w = []
    for name, (_, a, b, radius) in bones.items():
        d = b - a
        t = np.clip(((p - a) * d).sum(axis=1) / (d * d).sum(), 0, 1)
        near = (length(p - a - t[:, None] * d) / radius) ** 2
        share = 1 / (near * near * near * near + 1e-6)
        if "thigh" in name or "shin" in name or "foot" in name:
            share = share * np.clip(0.5 + p[:, 2] / (0.06 if "right" in name else -0.06), 0, 1)
        w.append(share)
    return np.array(w) / np.sum(w, axis=0)


def angles(name, phase):
    """How far a bone is turned about z, forwards positive, at a phase in [0, 1) of the cycle."""
    at = 2 * np.pi * (phase + (0.5 if name.startswith("left") else 0))
    if "thigh" in name:
        return 0.08 + 0.42 * np.cos(at)
    if "shin" in name:
        return -0.12 - 0.85 * max(0, -np.sin(at + 0.35)) ** 1.5
    if "foot" in name:
        return 0.05 - 0.30 * np.sin(at + 0.4)
    if "forearm" in name:
        return 0.35 - 0.20 * np.cos(at)
    if "arm" in name:
        return -0.38 * np.cos(at)
    return {"pelvis": -0.04, "chest": -0.02, "head": 0.05}[name]


def pose(bones, phase):
    """Per bone: a rotation and a shift from the standing pose."""
    turned = {}
    for name, (parent, joint, _, _) in bones.items():
        c, s = np.cos(angles(name, phase)), np.sin(angles(name, phase))
        own = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        above, shift = turned[parent] if parent else (np.eye(3), np.zeros(3))
        turned[name] = (above @ own, above @ (joint - own @ joint) + shift)
    return turned


def frames(count):
    """Yields (vertices, triangles) of each frame."""
    p, triangles = surface_nets(body(), (-0.3, -0.1, -0.6), (0.4, 1.95, 0.6), 0.021)
    bones = skeleton()
    w, way, last = weights(p, bones), 0.0, None
    for frame in range(count):
        turned = pose(bones, frame / STEPS_PER_CYCLE % 1)
        moved = np.zeros_like(p)
        for share, (rotation, shift) in zip(w, turned.values()):
            moved += share[:, None] * (p @ rotation.T + shift)
        lowest = moved[:, 1].min()
        ankles = {}
        for side in ("left", "right"):
            rotation, shift = turned[f"{side} foot"]
            ankles[side] = rotation @ bones[f"{side} foot"][1] + shift
        if last is not None:  # the foot that bears goes back under the body, the other forwards
            way += max(last[side][0] - ankles[side][0] for side in ankles)
        last = ankles
        yield moved + np.array([way, -lowest, 0]), triangles
