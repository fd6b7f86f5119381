#!/usr/bin/env python3
"""Reads a Sleet frame or checkpoint (docs/frame-file.md). usage: tools/read_frame.py FILE"""
import ctypes
import ctypes.util
import struct
import sys
import numpy
try:
    import xxhash  # python3-xxhash; without it checksums are not checked
except ImportError:
    xxhash = None

HEADER = struct.Struct("<8sIIQQd6fIIIIQQ")
SECTION = struct.Struct("<32s16s24sIIIIQQQ16x")
CHUNK = struct.Struct("<QQIII4x")
SYSTEM = struct.Struct("<32sfIQ")
SHAPE = numpy.dtype([("kind", "<u4"), ("center", "<f4", 3), ("axis", "<f4", 3), ("side", "<f4", 3),
                     ("half", "<f4", 3), ("radius", "<f4"), ("height", "<f4"), ("friction", "<f4")])
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
    (magic, version, kind, size, frame, time, *domain, sections, systems, shapes, chunk_elements,
     chunks, checksum) = HEADER.unpack_from(data)
    if magic != b"SLEETF\r\n" or version != 3 or size != len(data):
        raise ValueError("not a whole file of version 3")
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

def read_frame(path):
    head, parts = read_container(path)
    result = {"frame": head["frame"], "time": head["time"], "domain": head["domain"],
              "systems": [], "shapes": []}
    for name, unit, kind, type_, system, _, values in parts:
        if kind == 1:  # a system comes before its fields
            solver, spacing, _, _ = SYSTEM.unpack_from(values)
            result["systems"].append({"name": name, "solver": text(solver), "spacing": spacing,
                                      "fields": {}})
        elif kind == 2:
            result["systems"][system]["fields"][name] = (as_array(type_, values), unit)
        elif kind == 3:
            result["shapes"] = numpy.frombuffer(values, SHAPE)
    return result

def print_checkpoint(head, parts):
    print(f"checkpoint of frame {head['frame']} at {head['time']:.6g} s")
    for name, unit, kind, type_, system, element, values in parts:
        owner = "world" if system == head["systems"] else f"system {system}"
        print(f"  {owner:9} {name:16} {len(values) // element} × {element} bytes {unit}")

if __name__ == "__main__":
    file_head, file_parts = read_container(sys.argv[1])
    if file_head["kind"] == 2:
        print_checkpoint(file_head, file_parts)
        sys.exit()
    f = read_frame(sys.argv[1])
    print(f"frame {f['frame']} at {f['time']:.6g} s, {len(f['shapes'])} colliders")
    for s in f["systems"]:
        print(f"{s['name']} ({s['solver']}), {s['spacing']:g} m apart")
        for field, (array, field_unit) in s["fields"].items():
            print(f"  {field:9}{array.shape} {array.dtype} {field_unit}: "
                  f"{array.min(axis=0)} to {array.max(axis=0)}")
