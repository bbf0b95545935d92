# SPDX-License-Identifier: BSD-2-Clause
"""completed.py REQUESTS SLOWEST THRESHOLD_MS PATHS: the requests that Completed has logged are in `view slowest --json` if they
took long enough until complete() or their return, whichever was later. That is their time; those that never called complete()
have none. Their paths in `view path --json` end with them, and go on in the worker that called complete() after 60 ms."""
import json
import sys

import path_parts

threshold = float(sys.argv[3]) * 1e6
shown, of_start = {}, {}
for row in json.load(open(sys.argv[2]))["rows"]:
    if row["values"] and "live.Root" in row["values"]:
        shown[row["values"]["live.Root"]["n"]] = of_start[row["startTime"]] = row
ways, kept = {}, set()
for line in open(sys.argv[1]):
    n, way, before, begun, completing, completed, returns, returned, task = map(int, line.split())
    row, ways[n] = shown.pop(n, None), way
    if way == 0:
        least, most = max(completing, returns) - begun, max(completed, returned) - before
    elif way == 2:
        least, most = task - begun, None
    else:
        least, most = returns - begun, returned - before
    if not row and least >= threshold:
        print("missing:", n, way, least)
    if row and most and most < threshold:
        print("too short:", n, way, most)
    if not row:
        continue
    kept.add(way)
    took = row["requestNs"]
    if way == 2 and took is not None:
        print("an end that never was:", n, took)
    if way != 2 and (took is None or not least <= took <= most):
        print(n, way, "took", took, "not", least, "to", most)
    if not returns - begun <= row["durationNs"] <= returned - before:
        print(n, way, "the call took", row["durationNs"])
if shown:
    print("of no request:", shown)
if not {0, 2, 3} <= kept:
    print("not kept in each way:", kept)
paths = path_parts.paths_in(sys.argv[4])
for parts in paths:
    row = of_start.pop(parts[0]["startTime"], None)
    took = row and max(row["requestNs"] or 0, row["durationNs"])
    if not row or abs(parts[0]["totalNs"] - took) > 1000:
        print("a path that is not as long as its request:", row, parts)
        continue
    slept = path_parts.slept_in(parts, "worker")
    # a request that lost its CPU may return when the worker has slept already
    if ways[row["values"]["live.Root"]["n"]] == 0 and slept < 60e6 - row["durationNs"]:
        print("a path without the worker:", slept, row, parts)
if of_start:
    print("without a path:", of_start)
