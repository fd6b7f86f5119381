#!/usr/bin/env python3
"""Reads a Sleet frame file (docs/frame-file.md). usage: tools/read_frame.py FILE"""
import struct
import sys
import numpy
try:
    import xxhash  # python3-xxhash; without it checksums are not checked
except ImportError:
    xxhash = None

HEADER = struct.Struct("<8sIIQQd6fIIQQQ")
SECTION = struct.Struct("<32s16s24sIIIIQQQQQ")
SYSTEM = struct.Struct("<32sfIQ")
SHAPE = numpy.dtype([("kind", "<u4"), ("center", "<f4", 3), ("axis", "<f4", 3), ("side", "<f4", 3),
                     ("half", "<f4", 3), ("radius", "<f4"), ("height", "<f4"), ("friction", "<f4")])
TYPES = {1: ("<u4", 1), 2: ("<f4", 1), 3: ("<f4", 3)}

def text(raw):
    return raw.split(b"\0")[0].decode()

def check(data, seed, expected):
    if xxhash is not None and xxhash.xxh3_64_intdigest(data, seed=seed) != expected:
        raise ValueError("a checksum is wrong")

def read_frame(path):
    with open(path, "rb") as file:
        data = file.read()
    header = HEADER.unpack_from(data)
    magic, version, sections, size, frame, time = header[:6]
    if magic != b"SLEETF\r\n" or version != 2 or size != len(data):
        raise ValueError("not a whole frame file of version 2")
    seed = xxhash.xxh3_64_intdigest(data[:80]) if xxhash is not None else 0
    check(data[HEADER.size:HEADER.size + sections * SECTION.size], seed, header[-2])
    result = {"frame": frame, "time": time, "domain": header[6:12], "systems": [], "shapes": []}
    for k in range(sections):
        (name, unit, _, kind, type_, system, _, count, offset, bytes_, checksum,
         _) = SECTION.unpack_from(data, HEADER.size + k * SECTION.size)
        check(data[offset:offset + bytes_], 0, checksum)
        if kind == 1:  # a system comes before its fields
            solver, spacing, _, _ = SYSTEM.unpack_from(data, offset)
            result["systems"].append({"name": text(name), "solver": text(solver),
                                      "spacing": spacing, "fields": {}})
        elif kind == 2:
            number, lanes = TYPES[type_]
            values = numpy.frombuffer(data, number, count * lanes, offset).reshape(count, lanes)
            result["systems"][system]["fields"][text(name)] = (values, text(unit))
        elif kind == 3:
            result["shapes"] = numpy.frombuffer(data, SHAPE, count, offset)
    return result

if __name__ == "__main__":
    f = read_frame(sys.argv[1])
    print(f"frame {f['frame']} at {f['time']:.6g} s, {len(f['shapes'])} colliders")
    for s in f["systems"]:
        print(f"{s['name']} ({s['solver']}), {s['spacing']:g} m apart")
        for name, (values, unit) in s["fields"].items():
            print(f"  {name:9}{values.shape} {values.dtype} {unit}: "
                  f"{values.min(axis=0)} to {values.max(axis=0)}")
