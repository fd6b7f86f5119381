"""Cone, container, plough blade, hill: meshes written down directly. Axe: a field, meshed."""
import numpy as np

from .field import ellipsoid, limb, smooth_max, union
from .mesh import stand, surface_nets


def fan(centre, ring):
    return [(centre, a, b) for a, b in zip(ring, ring[1:] + ring[:1])]


def quad(a, b, c, d):
    return [(a, b, c), (a, c, d)]


def circle(count):
    """Points of the unit circle by repeated turning."""
    c, s = np.cos(2 * np.pi / count), np.sin(2 * np.pi / count)
    points, x, y = [], 1.0, 0.0
    for _ in range(count):
        points.append((x, y))
        x, y = c * x - s * y, s * x + c * y
    return points


def cone():
    """Radius 0.4 m, 1 m tall, point up, 64 sides."""
    ring = circle(64)
    p = [(0, 1, 0), (0, 0, 0)] + [(0.4 * x, 0, 0.4 * z) for x, z in ring]
    sides = list(range(2, 66))
    return np.array(p), np.array(fan(0, sides[::-1]) + fan(1, sides))


def container():
    """A tank open at the top: 1 x 0.6 x 0.6 m outside, walls and floor 0.04 m."""
    x, y, z, wall = 0.5, 0.6, 0.3, 0.04

    def ring(dx, height, dz):
        return [(-dx, height, -dz), (-dx, height, dz), (dx, height, dz), (dx, height, -dz)]
    p = ring(x, 0, z) + ring(x, y, z) + ring(x - wall, y, z - wall) + ring(x - wall, wall, z - wall)
    triangles = quad(3, 2, 1, 0) + quad(12, 13, 14, 15)
    for k in range(4):
        n = (k + 1) % 4
        for low in (0, 4, 8):
            triangles += quad(low + k, low + n, low + n + 4, low + k + 4)
    return np.array(p), np.array(triangles)


def plough():
    """A blade that pushes towards +x: 2.4 m wide, an arc curled over, taller at its +z end."""
    steps, across, thick = 24, 48, 0.05
    # The arc, seen from its centre: from 60 degrees below straight back to 65 degrees above it.
    turn = circle(360)
    arc = [turn[120 + (k * 125) // steps] for k in range(steps + 1)]
    p = []
    for j in range(across + 1):
        tall = 0.40 + 0.12 * j / across
        z = -1.2 + 2.4 * j / across
        outline = [(tall * x, -tall * y) for x, y in arc]
        outline += [((tall + thick) * x, -(tall + thick) * y) for x, y in reversed(arc)]
        p += [(x, y - min(q[1] for q in outline), z) for x, y in outline]
    n, triangles = 2 * (steps + 1), []
    for j in range(across):
        for k in range(n):
            a, b = j * n + k, j * n + (k + 1) % n
            triangles += quad(a, b, b + n, a + n)
    last = across * n
    for k in range(steps):
        near, far = n - 1 - k, n - 2 - k
        triangles += quad(k, near, far, k + 1)
        triangles += quad(last + k, last + k + 1, last + far, last + near)
    return stand(np.array(p)), np.array(triangles)


def ramp(x):
    """From 0 at x <= 0 to 1 at x >= 1, smooth."""
    x = np.clip(x, 0, 1)
    return x * x * (3 - 2 * x)


def slab(x, z, top, bottom):
    """The closed mesh between two heights over a grid."""
    columns, rows = len(x), len(z)
    count = columns * rows
    grid = np.stack(np.meshgrid(x, z), axis=-1).reshape(-1, 2)
    p = np.zeros((2 * count, 3))
    p[:count, 0], p[:count, 2] = grid[:, 0], grid[:, 1]
    p[count:] = p[:count]
    p[:count, 1], p[count:, 1] = top.reshape(-1), bottom.reshape(-1)
    triangles = []
    for j in range(rows - 1):
        for i in range(columns - 1):
            a, b = j * columns + i, (j + 1) * columns + i
            triangles += quad(a, b, b + 1, a + 1)
            triangles += quad(count + a, count + a + 1, count + b + 1, count + b)
    border = list(range(columns)) + [j * columns + columns - 1 for j in range(1, rows)]
    border += [(rows - 1) * columns + i for i in range(columns - 2, -1, -1)]
    border += [j * columns for j in range(rows - 2, 0, -1)]
    for a, b in zip(border, border[1:] + border[:1]):
        triangles += quad(a, b, count + b, count + a)
    return p, np.array(triangles)


def hill_height(x, z):
    """A slope of 24 degrees that falls towards +x, with a shallow gully, and ends in level ground at x = 0.6."""
    way = np.linspace(-2.4, 2.4, 4801)
    slope = np.tan(np.radians(24)) * ramp((way + 2.1) / 0.5) * (1 - ramp((way + 0.15) / 0.75))
    height = np.interp(x, way, np.cumsum(slope[::-1])[::-1] * (way[1] - way[0]))
    gully = 0.10 * (1 - ramp((x + 0.3) / 0.9)) * (ramp(np.abs(z) / 0.7) - 0.5)
    sides = 1 - ramp((np.abs(z) - 0.75) / 0.9)
    return (height + gully) * sides * ramp((x + 2.4) / 0.5)


def hill():
    """3.1 m long and wide; its level border is below the ground."""
    x, z = np.linspace(-2.4, 0.7, 53), np.linspace(-1.65, 1.65, 56)
    height = hill_height(*np.meshgrid(x, z))
    top = np.where(height > 0.01, height, 3 * height - 0.02)
    return slab(x, z, top, np.full_like(top, -0.1))


def hill_snow():
    """A layer of snow, 0.07 m thick, on the hill and on the level ground before it; thin at its border."""
    x, z = np.linspace(-1.6, 1.7, 100), np.linspace(-0.62, 0.62, 39)
    gx, gz = np.meshgrid(x, z)
    wave = 0.06 * np.sin(5.1 * gx + 1.3) + 0.04 * np.sin(11.7 * gx)
    inside = ramp((0.56 + wave - np.abs(gz)) / 0.25) * ramp((gx + 1.6) / 0.3) * ramp((1.7 - gx) / 0.35)
    ground = np.maximum(hill_height(gx, gz), 0)
    top = ground + 0.07 * inside * (1 + 0.12 * np.sin(9 * gx + 4 * gz) * np.sin(8 * gz + 1))
    return slab(x, z, np.maximum(top, ground + 0.0005), ground - 0.03)


def axe_head(p):
    """A wedge along +x, its half thickness falling to the bit, its half height flaring to it."""
    x, y, z = p[:, 0], p[:, 1] - 0.70, np.abs(p[:, 2])
    bit = np.clip((x + 0.05) / 0.25, 0, 1)
    thickness = z - (0.030 - 0.0255 * bit)
    height = np.abs(y + 0.02 * bit) - (0.045 + 0.065 * bit * bit)
    front = x - 0.19 + 0.9 * (y + 0.02) * (y + 0.02)
    back = -0.065 - x
    return smooth_max(smooth_max(thickness, height, 0.012), smooth_max(front, back, 0.01), 0.012)


def axe():
    """0.8 m long, standing on its handle, the bit towards +x."""
    handle = union([(limb((0, 0.03, 0), (0.010, 0.25, 0), 0.024, 0.021, (1, 1, 0.75)), 0),
                    (limb((0.010, 0.25, 0), (-0.004, 0.50, 0), 0.021, 0.021, (1, 1, 0.75)), 0.003),
                    (limb((-0.004, 0.50, 0), (0, 0.765, 0), 0.021, 0.022, (1, 1, 0.75)), 0.003),
                    (ellipsoid((-0.008, 0.028, 0), (0.034, 0.028, 0.024), 0.3), 0.02)])
    field = union([(handle, 0), (axe_head, 0.008)])
    p, triangles = surface_nets(field, (-0.13, -0.06, -0.091), (0.25, 0.87, 0.091), 0.0065)
    return stand(p), triangles
