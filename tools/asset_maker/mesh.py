"""From a field to a closed mesh (surface nets), the check of a mesh, and OBJ files."""
import numpy as np

from .field import length


def gradient(field, p, step):
    g = np.empty_like(p)
    for k in range(3):
        e = np.zeros(3)
        e[k] = step
        g[:, k] = (field(p + e) - field(p - e)) / (2 * step)
    return g


def project(field, p, step, rounds):
    """Newton steps onto the surface, each at most half a cell."""
    for _ in range(rounds):
        g = gradient(field, p, 0.01 * step)
        move = field(p) / np.maximum((g * g).sum(axis=1), 1e-6)
        p = p - np.clip(move, -0.5 * step, 0.5 * step)[:, None] * g
    return p


def relax(field, p, triangles, step, rounds):
    """Evens out triangles: towards the mean of the neighbours, along the surface, and back on."""
    a, b = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    for _ in range(rounds):
        total, count = np.zeros_like(p), np.zeros(len(p))
        np.add.at(total, a, p[b])
        np.add.at(count, a, 1)
        g = gradient(field, p, 0.01 * step)
        g = g / np.maximum(length(g), 1e-9)[:, None]
        move = total / count[:, None] - p
        move = move - (move * g).sum(axis=1)[:, None] * g
        p = project(field, p + 0.5 * move, step, 1)
    return p


def corners_of(low, high, step):
    n = np.ceil((np.array(high) - np.array(low)) / step).astype(int) + 1
    axes = [low[k] + step * np.arange(n[k]) for k in range(3)]
    return n, np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def cell_vertices(value, points, n):
    """One vertex per cell with a change of sign: the mean of the crossings of its edges."""
    v, x = value.reshape(n), points.reshape(*n, 3)
    total, count = np.zeros((*(n - 1), 3)), np.zeros(n - 1)
    for axis in range(3):
        lower = [slice(None)] * 3
        upper = [slice(None)] * 3
        lower[axis], upper[axis] = slice(0, -1), slice(1, None)
        a, b = v[tuple(lower)], v[tuple(upper)]
        cut = (a < 0) != (b < 0)
        t = np.where(cut, a / np.where(cut, a - b, 1), 0)[..., None]
        at = np.where(cut[..., None], x[tuple(lower)] * (1 - t) + x[tuple(upper)] * t, 0)
        others = [k for k in range(3) if k != axis]
        for i in (0, 1):
            for j in (0, 1):
                part = [slice(None)] * 3
                part[others[0]] = slice(i, n[others[0]] - 1 + i)
                part[others[1]] = slice(j, n[others[1]] - 1 + j)
                total += at[tuple(part)]
                count += cut[tuple(part)]
    used = count > 0
    number = np.cumsum(used.ravel()).reshape(used.shape) - 1
    return total[used] / count[used][:, None], number


def quads_across(value, number, n):
    """A quad around every edge whose ends differ in sign, seen counter-clockwise from outside."""
    v, quads = value.reshape(n), []
    for axis in range(3):
        b, c = (axis + 1) % 3, (axis + 2) % 3
        lower = [slice(1, -1)] * 3
        upper = [slice(1, -1)] * 3
        lower[axis], upper[axis] = slice(0, -1), slice(1, None)
        inside, beyond = v[tuple(lower)] < 0, v[tuple(upper)] < 0
        at = np.argwhere(inside != beyond)
        at[:, b] += 1
        at[:, c] += 1
        ring = []
        for db, dc in ((0, 0), (-1, 0), (-1, -1), (0, -1)):
            q = at.copy()
            q[:, b] += db
            q[:, c] += dc
            ring.append(number[q[:, 0], q[:, 1], q[:, 2]])
        ring = np.stack(ring, axis=1)
        turned = beyond[inside != beyond]
        quads.append(np.where(turned[:, None], ring[:, ::-1], ring))
    return np.concatenate(quads)


def surface_nets(field, low, high, step, rounds=6):
    """Vertices and triangles of the zero set inside the box."""
    n, points = corners_of(low, high, step)
    value = field(points)
    p, number = cell_vertices(value, points, n)
    q = quads_across(value, number, n)
    p = project(field, p, step, 3)
    triangles = split(p, q)
    p = relax(field, p, triangles, step, rounds)
    return project(field, p, step, 3), split(p, q)


def split(p, q):
    """Quads by their shorter diagonal."""
    ac, bd = length(p[q[:, 0]] - p[q[:, 2]]), length(p[q[:, 1]] - p[q[:, 3]])
    first = np.where((ac <= bd)[:, None], q[:, [0, 1, 2]], q[:, [0, 1, 3]])
    second = np.where((ac <= bd)[:, None], q[:, [0, 2, 3]], q[:, [1, 2, 3]])
    return np.stack([first, second], axis=1).reshape(-1, 3)


def stand(p):
    """On y = 0, centred in x and z."""
    low, high = p.min(axis=0), p.max(axis=0)
    return p - np.array([(low[0] + high[0]) / 2, low[1], (low[2] + high[2]) / 2])


def write_obj(path, name, p, triangles, decimals=4):
    lines = [f"# Sleet: {name}, made by tools/make_assets.py; MIT licence\n"]
    for v in np.round(p, decimals) + 0.0:
        lines.append("v " + " ".join(f"{x:.{decimals}f}".rstrip("0").rstrip(".") for x in v) + "\n")
    lines += [f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles]
    with open(path, "w", encoding="ascii", newline="\n") as file:
        file.writelines(lines)


def read_obj(path):
    p, triangles = [], []
    with open(path, encoding="ascii") as file:
        for line in file:
            word = line.split()
            if word and word[0] == "v":
                p.append([float(x) for x in word[1:]])
            elif word and word[0] == "f":
                triangles.append([int(x) - 1 for x in word[1:]])
    return np.array(p), np.array(triangles)


def measure(p, triangles):
    """Facts of a mesh; `faults` is empty for one that is closed, manifold and outward."""
    count, faults = len(p), []
    a, b = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    there, back = np.sort(a * count + b), np.sort(b * count + a)
    if (there[1:] == there[:-1]).any():
        faults.append("an edge used twice in one direction")
    if not np.array_equal(there, back):
        faults.append("an edge without its opposite")
    corner = p[triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    volume = (corner[:, 0] * normal).sum() / 6
    if volume <= 0:
        faults.append("faces turned inwards")
    if (length(normal) <= 0).any():
        faults.append("faces without area")
    if len(np.unique(triangles)) != count:
        faults.append("vertices that no face uses")
    return {"vertices": count, "triangles": len(triangles), "size": np.ptp(p, axis=0),
            "area": length(normal).sum() / 2, "volume": volume,
            "euler": count - len(there) // 2 + len(triangles), "faults": faults}
