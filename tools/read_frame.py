#!/usr/bin/env python3
"""Reads a Sleet frame, mesh file or checkpoint (docs/frame-file.md). usage: tools/read_frame.py FILE"""
import ctypes
import ctypes.util
import os
import struct
import sys
import numpy
try:
    import xxhash  # python3-xxhash; without it checksums are not checked
except ImportError:
    xxhash = None

VERSION = 4
FRAME, CHECKPOINT, MESH = 1, 2, 3
(SYSTEM, FIELD, COLLIDERS, STATE, CAMERAS, WORLD, VERTICES, MESH_PART, SURFACES, SURFACE_DATA,
 FILTER) = range(1, 12)
HEADER = struct.Struct("<8sIIQQd6fIIIIQQ")
SECTION = struct.Struct("<32s16s24sIIIIQQQ16x")
CHUNK = struct.Struct("<QQIII4x")
MATERIAL_TYPE = numpy.dtype([("kind", "S16"), ("color", "<f4", 3), ("roughness", "<f4"),
                             ("index_of_refraction", "<f4"), ("absorption", "<f4", 3)])
WORLD_TYPE = numpy.dtype([("frame_time", "<f8"), ("gravity", "<f4", 3), ("reserved", "<u4"),
                          ("material", MATERIAL_TYPE)])
SYSTEM_TYPE = numpy.dtype([("solver", "S32"), ("spacing", "<f4"), ("mass", "<f4"),
                           ("volume", "<f4"), ("reserved", "<u4"), ("particle_count", "<u8"),
                           ("material", MATERIAL_TYPE)])
COLLIDER_TYPE = numpy.dtype([("name", "S32"), ("kind", "S16"), ("center", "<f4", 3),
                             ("axis", "<f4", 3), ("side", "<f4", 3), ("half", "<f4", 3),
                             ("radius", "<f4"), ("height", "<f4"), ("friction", "<f4"),
                             ("sticky", "<u4"), ("position", "<f4", 3), ("rotation", "<f4", 4),
                             ("deforms", "<u4"), ("mesh", "<u8", 2), ("material", MATERIAL_TYPE)])
CAMERA_TYPE = numpy.dtype([("name", "S32"), ("eye", "<f4", 3), ("target", "<f4", 3),
                           ("up", "<f4", 3), ("fov", "<f4"), ("weight", "<f4"),
                           ("reserved", "<u4")])
SURFACE_TYPE = numpy.dtype([("system", "S32"), ("vertex_count", "<u8"), ("triangle_count", "<u8"),
                            ("material", MATERIAL_TYPE)])
FILTER_TYPE = numpy.dtype([("name", "S32"), ("version", "<u4"), ("reserved", "<u4"),
                           ("settings", "<u8"), ("input", "<u8"), ("previous", "<u8"),
                           ("key", "<u8")])
LANES = {1: 1, 2: 1, 3: 3}
PLAIN, PACKED, QUANTISED, QUANTISED_ZSTD = range(4)

def text(raw):
    return raw.split(b"\0")[0].decode()

def check(data, seed, expected):
    if xxhash is not None and xxhash.xxh3_64_intdigest(data, seed=seed) != expected:
        raise ValueError("a checksum is wrong")

def unzstd(data, size):
    zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p,
                                     ctypes.c_size_t]
    raw = ctypes.create_string_buffer(size)
    if zstd.ZSTD_decompress(raw, size, data, len(data)) != size:
        raise ValueError("a chunk does not decompress")
    return raw.raw

def differences(planes, count, lanes, bytes_):
    """Bytes by significance to folded differences to values, one column per lane."""
    planes = numpy.frombuffer(planes, "u1").reshape(bytes_, lanes, count).astype("u4")
    folded = sum(planes[k] << numpy.uint32(8 * k) for k in range(bytes_))
    change = (folded >> 1) ^ (numpy.uint32(0) - (folded & 1))
    values = numpy.cumsum(change, axis=1, dtype="u4").T
    return values if bytes_ == 4 else values & 0xffff

def decode(codec, data, raw_bytes, type_, count):
    lanes = LANES.get(type_, 0)
    if codec in (PACKED, QUANTISED_ZSTD):
        data = unzstd(data, raw_bytes)
    if codec == PLAIN:
        return data
    if codec == PACKED:
        return numpy.ascontiguousarray(differences(data, count, lanes, 4)).tobytes()
    bounds = numpy.frombuffer(data, "<f4", 2 * lanes).astype("f8").reshape(2, lanes)
    values = bounds[0] + differences(data[8 * lanes:], count, lanes, 2) * bounds[1]
    return values.astype("<f4").tobytes()

def read_container(path):
    """The header's values and a list of (name, unit, kind, type, system, element_bytes, bytes)."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < HEADER.size:
        raise ValueError(f"{path}: too short for a header")
    (magic, version, kind, size, frame, time, *domain, sections, systems, _, chunk_elements,
     chunks, checksum) = HEADER.unpack_from(data)
    if magic != b"SLEETF\r\n":
        raise ValueError(f"{path}: not a file of Sleet")
    if version != VERSION:
        raise ValueError(f"{path}: version {version}; this script reads version {VERSION}")
    if size != len(data):
        raise ValueError(f"{path}: {len(data)} bytes, but its header says {size}")
    directory, table = HEADER.size, HEADER.size + sections * SECTION.size
    seed = 0
    for part in (data[:88], data[directory:table]):
        seed = xxhash.xxh3_64_intdigest(part, seed=seed) if xxhash is not None else 0
    check(data[table:table + chunks * CHUNK.size], seed, checksum)
    parts = []
    for k in range(sections):
        (name, unit, _, section_kind, type_, system, element, count, first,
         section_chunks) = SECTION.unpack_from(data, directory + k * SECTION.size)
        values = b""
        for j in range(section_chunks):
            offset, chunk_checksum, stored, raw, codec = CHUNK.unpack_from(
                data, table + (first + j) * CHUNK.size)
            check(data[offset:offset + stored], 0, chunk_checksum)
            values += decode(codec, data[offset:offset + stored], raw, type_,
                             min(chunk_elements, count - j * chunk_elements))
        parts.append((text(name), text(unit), section_kind, type_, system, element, values))
    head = {"kind": kind, "frame": frame, "time": time, "domain": domain, "systems": systems}
    return head, parts

def as_array(type_, values):
    number = "<u4" if type_ == 1 else "<f4"
    return numpy.frombuffer(values, number).reshape(-1, LANES[type_])

def as_dict(record):
    """A record as a dictionary: text decoded, nested records too."""
    result = {}
    for name in record.dtype.names:
        value = record[name]
        if name == "reserved":
            continue
        if isinstance(value, numpy.void):
            value = as_dict(value)
        elif isinstance(value, bytes):
            value = value.decode()
        elif isinstance(value, numpy.generic):
            value = value.item()
        result[name] = value
    return result

def read_mesh(path):
    """(positions, triangles) of a mesh file: n × 3 floats and m × 3 vertices."""
    head, parts = read_container(path)
    if head["kind"] != MESH:
        raise ValueError(f"{path}: not a mesh file")
    arrays = {name: as_array(type_, values) for name, _, _, type_, _, _, values in parts}
    return arrays["position"], arrays["triangle"].reshape(-1, 3)

def read_frame(path, meshes=True):
    """A dictionary: frame, time, domain, gravity, systems with their fields, colliders, cameras, surfaces.
    A collider of kind "mesh" has "positions" (deformed ones at this time) and "triangles", a surface
    also "normals" and "velocities". The result of a filter has a dictionary "filter"."""
    head, parts = read_container(path)
    result = {"frame": head["frame"], "time": head["time"], "domain": head["domain"],
              "systems": [], "colliders": [], "cameras": [], "surfaces": []}
    for name, unit, kind, type_, system, _, values in parts:
        if kind == WORLD:
            result.update(as_dict(numpy.frombuffer(values, WORLD_TYPE)[0]))
        elif kind == SYSTEM:  # a system comes before its fields
            record = as_dict(numpy.frombuffer(values, SYSTEM_TYPE)[0])
            result["systems"].append({"name": name, **record, "fields": {}})
        elif kind == FIELD:
            result["systems"][system]["fields"][name] = (as_array(type_, values), unit)
        elif kind == COLLIDERS:  # before their vertices
            result["colliders"] = [as_dict(r) for r in numpy.frombuffer(values, COLLIDER_TYPE)]
        elif kind == CAMERAS:
            result["cameras"] = [as_dict(r) for r in numpy.frombuffer(values, CAMERA_TYPE)]
        elif kind == VERTICES:
            result["colliders"][system]["positions"] = as_array(type_, values)
        elif kind == SURFACES:  # before their arrays
            result["surfaces"] = [as_dict(r) for r in numpy.frombuffer(values, SURFACE_TYPE)]
        elif kind == SURFACE_DATA:
            array = as_array(type_, values)
            plural = {"position": "positions", "normal": "normals", "velocity": "velocities",
                      "triangle": "triangles"}[name]
            result["surfaces"][system][plural] = array.reshape(-1, 3)
        elif kind == FILTER:
            result["filter"] = as_dict(numpy.frombuffer(values, FILTER_TYPE)[0])
    for collider in result["colliders"]:
        low, high = (int(half) for half in collider["mesh"])
        collider["mesh"] = f"{high:016x}{low:016x}" if collider["kind"] == "mesh" else None
        if meshes and collider["kind"] == "mesh":
            file = os.path.join(os.path.dirname(path), "meshes", collider["mesh"] + ".slm")
            positions, collider["triangles"] = read_mesh(file)
            collider.setdefault("positions", positions)
    return result

def print_checkpoint(head, parts):
    print(f"checkpoint of frame {head['frame']} at {head['time']:.6g} s")
    for name, unit, kind, type_, system, element, values in parts:
        owner = "world" if system == head["systems"] else f"system {system}"
        print(f"  {owner:9} {name:16} {len(values) // element} × {element} bytes {unit}")

def print_frame(f):
    print(f"frame {f['frame']} at {f['time']:.6g} s")
    for s in f["systems"]:
        print(f"{s['name']} ({s['solver']}, {s['material']['kind']}), {s['spacing']:g} m apart")
        for field, (array, field_unit) in s["fields"].items():
            bounds = f"{array.min(axis=0)} to {array.max(axis=0)}" if len(array) else ""
            print(f"  {field:9}{array.shape} {array.dtype} {field_unit}: {bounds}")
    for c in f["colliders"]:
        where = f"at {c['position']}, mesh {c['mesh']}" if c["mesh"] else f"at {c['center']}"
        print(f"collider {c['name']} ({c['kind']}, {c['material']['kind']}) {where}")
    for s in f["surfaces"]:
        print(f"surface of {s['system']}: {s['vertex_count']} vertices, {s['triangle_count']} triangles")
    if "filter" in f:
        print(f"made by the filter {f['filter']['name']}, version {f['filter']['version']}")
    for c in f["cameras"]:
        print(f"camera {c['name']} at {c['eye']}, towards {c['target']}")

if __name__ == "__main__":
    file_head, file_parts = read_container(sys.argv[1])
    if file_head["kind"] == CHECKPOINT:
        print_checkpoint(file_head, file_parts)
    elif file_head["kind"] == MESH:
        mesh_positions, mesh_triangles = read_mesh(sys.argv[1])
        print(f"mesh of {len(mesh_positions)} vertices and {len(mesh_triangles)} triangles")
    else:
        print_frame(read_frame(sys.argv[1], meshes=False))
