# SPDX-License-Identifier: BSD-2-Clause
"""chunks.py FILE [whole]: print how many finished chunks FILE begins with, and the start of the last one in ns since
the epoch. whole: fail unless the file ends with them. A missing file has none."""
import struct
import sys

at = count = start = size = 0
try:
    with open(sys.argv[1], "rb") as file:
        size = file.seek(0, 2)
        while at + 68 <= size:
            file.seek(at)
            header = file.read(68)
            if header[:4] != b"FLR\0" or header[64] != 0:
                break
            (length,) = struct.unpack(">q", header[8:16])
            (start,) = struct.unpack(">q", header[32:40])
            at += length
            count += 1
except FileNotFoundError:
    pass
print(count, start)
sys.exit(len(sys.argv) > 2 and at != size)
