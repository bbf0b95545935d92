# SPDX-License-Identifier: BSD-2-Clause
"""layered.py CSV COLLAPSED TREE ROOTS THRESHOLD_MS BRIEF_US: compare a recording of live.Layered, as frtrace export --csv and
--collapsed and frtrace view tree --json show it, with what the program is: the ROOTS requests that wait, and others that a
busy machine has held up, have all their calls, each with the one stack that it can have; or with none where it is brief and
its root could still be dropped. Prints each difference, and on stderr the number of calls without a stack."""
import csv
import json
import sys
from collections import defaultdict

ROOTS, LIMIT, BRIEF = int(sys.argv[4]), int(sys.argv[5]) * 1000000, int(sys.argv[6]) * 1000
SLACK = 2000  # ns: the clock of the file is not that of the JVM
ROWS, FIELDS, CONVERTS = 40, 24, 3
CALLS = {"rows": 1, "query": 1, "load": ROWS, "check": ROWS, "field": ROWS * FIELDS, "convert": ROWS * FIELDS * CONVERTS}
BEFORE = {name: n // 2 for name, n in CALLS.items() if n > 1}  # what has ended when query() waits
REQUEST = ["request"] + ["layer"] * 30 + ["rows"]
FAST = {name: n for name, n in CALLS.items() if name != "query"}
STACK = {"request": ["request"], "rows": REQUEST, "query": REQUEST + ["query"], "load": REQUEST + ["load"],
         "check": REQUEST + ["load", "check"], "field": REQUEST + ["load", "field"],
         "convert": REQUEST + ["load", "field", "convert"]}


def short(method):
    return method.split("(")[0].rsplit(".", 1)[-1]


roots, calls, unknown = [], defaultdict(list), 0
for row in csv.DictReader(open(sys.argv[1], newline="")):
    start, duration = int(row["start_ns"]), int(row["duration_ns"])
    call = (start, start + duration, short(row["method"]), short(row["caller"]), row["thrown"] == "1", row["thread_id"])
    if call[2] == "request":
        roots.append(call)
    else:
        calls[row["thread_id"]].append(call)


def check_calls(what, inside, expected, sure_from):
    """sure_from: the moment from which on the root was kept for sure."""
    global unknown
    counts = defaultdict(int)
    for start, end, method, caller, thrown, _ in inside:
        counts[method] += 1
        if caller == STACK[method][-2]:
            continue
        if caller != "<unknown>":
            print(f"{what}: {method} is called by {caller}")
        elif thrown or end - start > BRIEF + SLACK or end > sure_from + SLACK:
            print(f"{what}: {method} of {end - start} ns, {sure_from - end} ns before that, has no stack; thrown: {thrown}")
        unknown += 1
    if dict(counts) not in expected:
        print(f"{what}: {dict(counts)}, not {expected}")
    return counts["query"]


waited = 0
for start, end, _, caller, thrown, thread in roots:
    if caller != "serve":
        print(f"a request is called by {caller}")
    inside = [c for c in calls[thread] if start <= c[0] and c[1] <= end]
    calls[thread] = [c for c in calls[thread] if not (start <= c[0] and c[1] <= end)]
    waited += check_calls(f"request at {start}", inside, [CALLS, FAST], start + LIMIT)
    if end - start < LIMIT - SLACK:
        print(f"a request of {end - start} ns was kept")
if waited != ROOTS:
    print(f"{waited} requests waited, not {ROOTS}")
left = [c for of in calls.values() for c in of]
check_calls("the open request", left, [BEFORE], max(c[1] for c in left) if left else 0)

for line in open(sys.argv[2]):
    stack = [short(f) for f in line.rsplit(" ", 1)[0].split(";")]
    want = STACK[stack[-1]]
    if stack[-len(want):] != want and stack != ["<unknown>", stack[-1]] or stack[0] == "<unknown>" and len(stack) > 2:
        print(f"a stack that {stack[-1]} cannot have: {stack}")

trees = defaultdict(lambda: defaultdict(int))
for row in json.load(open(sys.argv[3]))["rows"]:
    if not row["parent"]:
        tree = trees[len(trees)]
    tree[short(row["method"])] += row["calls"]
trees = [dict(tree) for tree in trees.values() if "request" in tree]
for tree in trees:
    if tree not in [dict(CALLS, request=1), dict(FAST, request=1)]:
        print(f"a tree with {tree}")
if len(trees) != len(roots):
    print(f"{len(trees)} trees, not {len(roots)}")
print(unknown, file=sys.stderr)
