#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""trace_processor.py LIBRARY TRACE METHODS FLOWS: read a trace with Perfetto's own trace processor.

LIBRARY is chromium's libtest_trace_processor.so, which has the trace processor behind a class of three functions. METHODS
is what `frtrace view method-trace --json` prints, FLOWS the number of waits whose waker is known. Findings go to standard
output; status 1 if there are any, 77 if the library has other functions.
"""
import ctypes
import json
import re
import struct
import subprocess
import sys

CLASS = '_ZN4base4test22TestTraceProcessorImpl'
pointer = ctypes.c_void_p


def vector(data):
    """A std::vector<char> of libc++: begin, end, end of the memory. And what must live as long."""
    memory = ctypes.create_string_buffer(data, len(data))
    begin = ctypes.addressof(memory)
    return ctypes.create_string_buffer(struct.pack('QQQ', begin, begin + len(data), begin + len(data)), 24), memory


def string(text):
    """A long std::string of libc++: capacity with the lowest bit set, size, begin."""
    memory = ctypes.create_string_buffer(text.encode())
    return ctypes.create_string_buffer(struct.pack('QQQ', (len(text) + 16) // 16 * 16 | 1, len(text), ctypes.addressof(memory)), 24), memory


def text_at(place):
    raw = ctypes.string_at(place, 24)
    if raw[0] & 1:
        _, size, begin = struct.unpack('QQQ', raw)
        return ctypes.string_at(begin, size).decode()
    return raw[1:1 + (raw[0] >> 1)].decode()


class TraceProcessor:
    def __init__(self, path):
        library = ctypes.CDLL(path)
        names = subprocess.run(['nm', '-D', '--defined-only', path], stdout=subprocess.PIPE, text=True, check=True).stdout.split()

        def function(begin, count):
            found = [n for n in names if n.startswith(begin) and '__1' in n] or [n for n in names if n == begin]
            if not found:
                sys.exit(77)
            f = getattr(library, found[0])
            f.argtypes, f.restype = count * [pointer], pointer
            return f
        self.this = ctypes.create_string_buffer(1024)
        function(CLASS + 'C1Ev', 1)(ctypes.addressof(self.this))
        self.parse = function(CLASS + '10ParseTrace', 3)
        self.query = function(CLASS.replace('_ZN', '_ZNK') + '12ExecuteQuery', 3)

    def read(self, data):
        status = ctypes.create_string_buffer(256)
        argument, _ = vector(data)
        self.parse(ctypes.addressof(status), ctypes.addressof(self.this), ctypes.addressof(argument))
        return status.raw[0] == 1

    def rows(self, sql):
        """Without the row of titles."""
        result = ctypes.create_string_buffer(512)
        argument, _ = string(sql)
        self.query(ctypes.addressof(result), ctypes.addressof(self.this), ctypes.addressof(argument))
        begin, end = struct.unpack('QQ', result.raw[:16])
        rows = []
        for row in range(begin, end, 24):
            first, last = struct.unpack('QQ', ctypes.string_at(row, 16))
            rows.append([text_at(cell) for cell in range(first, last, 24)])
        return rows[1:]


def main():
    reader, found = TraceProcessor(sys.argv[1]), []
    if not reader.read(open(sys.argv[2], 'rb').read()):
        found.append('the trace cannot be read')
    for name, value in reader.rows("select name, value from stats where severity in ('error', 'data_loss') and value > 0"):
        found.append('%s: %s' % (name, value))
    sums = {name: (int(n), int(time)) for name, n, time in
            reader.rows("select name, count(*), sum(dur) from slice where category = 'call' group by name")}
    want = {re.sub(r'\s*\(loader .*', '', r['method']): (r['calls'], r['totalNs']) for r in json.loads(open(sys.argv[3]).readline())['rows']}
    # a stamp is rounded to a nanosecond
    for name in sorted(sums.keys() | want.keys()):
        has, should = sums.get(name, (0, 0)), want.get(name, (0, 0))
        if has[0] != should[0] or abs(has[1] - should[1]) > should[0]:
            found.append('%s: %s in the trace, %s in the view' % (name, has, should))
    flows = int(reader.rows('select count(*) from flow')[0][0])
    if flows != int(sys.argv[4]):
        found.append('%d flows, %s waits with a known waker' % (flows, sys.argv[4]))
    print('\n'.join(found), end='')
    sys.stdout.flush()
    sys.exit(bool(found))


main()
