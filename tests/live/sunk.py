# SPDX-License-Identifier: BSD-2-Clause
"""sunk.py ROOTS CSV LOST: compare what live.Sunk knows of its roots with the calls of a recording of those that took
200 ms, and of passed() (frtrace export --csv). LOST calls were reported as lost. Prints each difference."""
import csv
import sys
from collections import Counter

LIMIT = 200000000
NAMES = ("caught", "passed", "compiled", "last", "small")


def short(method):
    return method.split("(")[0].rsplit(".", 1)[1]


calls = []
for row in csv.DictReader(open(sys.argv[2], newline="")):
    calls.append((int(row["start_ns"]), int(row["duration_ns"]), short(row["method"]), row["thrown"] == "1"))

roots, end = [], 0
for start, duration, method, thrown in sorted(calls, key=lambda c: (c[0], -c[1])):
    if start + duration <= end:
        roots[-1][3][method] += 1
    elif method in NAMES:
        roots.append((method, duration, thrown, Counter()))
        end = start + duration
        if duration < LIMIT and method != "passed":
            print(f"a fast root was kept: {method}(), {duration} ns")
    else:
        print(f"a call of {method} is in no root")

wanted = [(name, int(ns), int(dives)) for name, ns, dives in map(str.split, open(sys.argv[1]))]
missing = 0
for name in "caught", "passed", "compiled":
    want = [dives for what, ns, dives in wanted if what == name and (ns >= LIMIT or name == "passed")]
    got = [(thrown, inside) for what, _, thrown, inside in roots if what == name]
    if len(want) != len(got):
        print(f"{len(got)} roots {name}(), not {len(want)}")
    for dives, (thrown, inside) in zip(want, got):
        missing += dives - inside["dive"]
        if thrown != (name == "passed") or inside["dive"] > dives:
            print(f"{name}(): thrown {thrown}, with {dict(inside)}, not {dives} of dive()")
        if name == "compiled" and inside["small"] < 100 or inside["child"] != (inside["small"] if name == "compiled" else 10):
            print(f"{name}(): has {dict(inside)}")
if missing > int(sys.argv[3]):
    print(f"{missing} calls are missing, {sys.argv[3]} of all were reported")
