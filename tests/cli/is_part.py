#!/usr/bin/env python3
"""Exit code 0 if a PNG picture of 8-bit RGB is a part of another.

usage: is_part.py ALL PART X Y"""
import struct
import sys
import zlib


def read(path):
    """Rows of bytes."""
    data = open(path, "rb").read()
    at, body, width, height = 8, b"", 0, 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[at + 8:at + 16])
        if kind == b"IDAT":
            body += data[at + 8:at + 8 + length]
        at += 12 + length
    raw, rows, before, stride = zlib.decompress(body), [], bytes(3 * width), 3 * width + 1
    for y in range(height):
        filtered, line = raw[y * stride], bytearray(raw[y * stride + 1:(y + 1) * stride])
        for k in range(3 * width):
            a, b, c = line[k - 3] if k > 2 else 0, before[k], before[k - 3] if k > 2 else 0
            p = a + b - c
            nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[k] = (line[k] + (0, a, b, (a + b) // 2, nearest)[filtered]) & 255
        rows.append(bytes(line))
        before = rows[-1]
    return rows


def main():
    everything, part = read(sys.argv[1]), read(sys.argv[2])
    x, y = int(sys.argv[3]), int(sys.argv[4])
    cut = [row[3 * x:3 * x + len(part[0])] for row in everything[y:y + len(part)]]
    sys.exit(0 if part == cut else 1)


if __name__ == "__main__":
    main()
