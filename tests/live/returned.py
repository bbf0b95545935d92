# SPDX-License-Identifier: BSD-2-Clause
"""returned.py REQUESTS SLOWEST STEPS THRESHOLD_MS PATHS: the requests that Returned has logged are in `view slowest --json` if they took
long enough until their last task had ended, with that time, and their two steps are events live.Step. Their paths in `view path --json` are as long, and go on in the worker,
which sleeps twice for 30 ms for each third one."""
import collections
import json
import re
import sys

import path_parts

threshold = float(sys.argv[4]) * 1e6
shown, rows = {}, json.load(open(sys.argv[2]))["rows"]
for row in rows:
    if row["values"] and "live.Root" in row["values"]:
        shown[row["values"]["live.Root"]["n"]] = row
steps = collections.Counter(int(n.replace(",", "")) for n in re.findall(r"  call = ([\d,]+)", open(sys.argv[3]).read()))
kept = 0
for line in open(sys.argv[1]):
    n, before, begun, done, after = map(int, line.split())
    row, least, most = shown.pop(n, None), done - begun, after - before
    if not row and least >= threshold:
        print("missing:", n, least)
    if row and most < threshold:
        print("too short:", n, most)
    took = row and (row["requestNs"] or row["durationNs"])
    if row and not least <= took <= most:
        print(n, "took", took, "not", least, "to", most)
    if steps.pop(n, 0) != (2 if row else 0):
        print("not its steps:", n)
    kept += bool(row)
if shown or steps:
    print("of no request:", shown, steps)
times = [row["requestNs"] or row["durationNs"] for row in rows if ".request(" in row["method"]]
if times != sorted(times, reverse=True):
    print("not the longest first:", times)
if not kept:
    print("none was kept")
of_start = {row["startTime"]: row for row in rows if row["values"] and "live.Root" in row["values"]}
paths = path_parts.paths_in(sys.argv[5])
for parts in paths:
    request = of_start.get(parts[0]["startTime"])
    slept = path_parts.slept_in(parts, "worker")
    if not request:
        print("a path of no request:", parts[0])
    # the program does not let the others sleep; a request that lost its CPU may return when the worker has slept already
    elif request["values"]["live.Root"]["n"] % 3 == 0 and slept < 60e6 - request["durationNs"]:
        print("a path without the worker's steps:", slept, request, parts)
lengths = sorted((parts[0]["totalNs"] for parts in paths), reverse=True)
if len(lengths) != len(times) or any(abs(a - b) > 1000 for a, b in zip(lengths, times)):
    print("paths are not as long as requests:", lengths, times)
