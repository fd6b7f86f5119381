"""Signed distance functions on arrays of points, and their smooth union.

A point array is (n, 3); a field is a function from it to n numbers, negative inside. Only
+ - * / sqrt and comparisons are used, so that every machine makes the same files.
"""
import numpy as np


def length(v):
    return np.sqrt(v[:, 0] * v[:, 0] + v[:, 1] * v[:, 1] + v[:, 2] * v[:, 2])


def dot(v, w):
    return v[:, 0] * w[0] + v[:, 1] * w[1] + v[:, 2] * w[2]


def ellipsoid(centre, radii, tilt=0.0):
    """Near-exact distance; `tilt` turns it about z; a slope, 1 is 45 degrees."""
    c, s = 1 / np.sqrt(1 + tilt * tilt), tilt / np.sqrt(1 + tilt * tilt)
    r = np.array(radii, float)

    def distance(p):
        q = p - np.array(centre, float)
        q = np.stack([c * q[:, 0] + s * q[:, 1], c * q[:, 1] - s * q[:, 0], q[:, 2]], axis=1)
        k0, k1 = length(q / r), length(q / (r * r))
        return np.where(k1 > 1e-9, k0 * (k0 - 1) / np.maximum(k1, 1e-9), -r.min())
    return distance


def limb(a, b, radius_a, radius_b, flat=(1, 1, 1)):
    """A capsule that tapers from a to b; `flat` stretches space to make it flat."""
    a, b, f = np.array(a, float), np.array(b, float), np.array(flat, float)

    def distance(p):
        q, d = (p - a) / f, (b - a) / f
        t = np.clip(dot(q, d) / (d * d).sum(), 0, 1)
        return (length(q - t[:, None] * d) - (radius_a + t * (radius_b - radius_a))) * f.min()
    return distance


def chain(points, blend):
    """Limbs along a curve through (x, y, z, radius), smoothed by Catmull and Rom."""
    k = np.array([points[0]] + list(points) + [points[-1]], float)
    curve = []
    for i in range(1, len(k) - 2):
        for t in (0.0, 0.25, 0.5, 0.75):
            a, b, c, d = k[i - 1], k[i], k[i + 1], k[i + 2]
            curve.append(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t
                                + (3 * b - a - 3 * c + d) * t * t * t))
    curve.append(k[-2])
    parts = [limb(p[:3], q[:3], p[3], q[3]) for p, q in zip(curve, curve[1:])]
    return union([(part, blend) for part in parts])


def mirrored(field):
    """The same on both sides of z = 0; the field describes z > 0."""
    def distance(p):
        return field(np.stack([p[:, 0], p[:, 1], np.abs(p[:, 2])], axis=1))
    return distance


def union(parts):
    """Polynomial smooth minimum of (field, blend width) in order; 0 gives a crease."""
    def distance(p):
        total = parts[0][0](p)
        for field, blend in parts[1:]:
            d = field(p)
            if blend > 0:
                h = np.maximum(blend - np.abs(total - d), 0) / blend
                total = np.minimum(total, d) - h * h * blend * 0.25
            else:
                total = np.minimum(total, d)
        return total
    return distance


def smooth_max(a, b, blend):
    h = np.maximum(blend - np.abs(a - b), 0) / blend
    return np.maximum(a, b) + h * h * blend * 0.25
