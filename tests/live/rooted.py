# SPDX-License-Identifier: BSD-2-Clause
"""rooted.py ROOTS CSV TREE THRESHOLD_MS METHOD...: compare what live.Rooted knows of its roots with the calls of a recording
(frtrace export --csv) and its trees (frtrace view tree --json); METHODs were recorded in roots. Prints each difference."""
import csv
import json
import sys
from collections import defaultdict

LIMIT = int(sys.argv[4]) * 1000000
RECORDED = set(sys.argv[5:])
ROOTS = {"root": "live.Rooted.root(Rooted.Plan, int)", "failing": "live.Rooted.failing(Rooted.Plan)"}


def short(method):
    return method.split("(")[0].rsplit(".", 1)[1]


class Root:
    def __init__(self, line):
        self.thread, self.method, *numbers, thrown = line.split()
        self.begin, self.end, self.least, self.children, self.leaves, self.nested, self.natives = map(int, numbers)
        self.thrown = thrown == "true"

    def shape(self):
        inside = {"child": self.children, "leaf": self.leaves, "freeMemory": self.natives}
        return [self.thrown, self.nested] + [n if name in RECORDED else 0 for name, n in inside.items()]

    def is_kept(self):
        """True, False, or None: the program cannot know."""
        if self.method == "failing":
            return self.thrown
        return True if self.least >= LIMIT else False if self.end - self.begin < LIMIT else None


def reachable(wanted, at):
    """The roots from `at` on, up to the first that must have been kept."""
    for i in range(at, len(wanted)):
        yield i
        if wanted[i].is_kept():
            return


truth = defaultdict(list)
for line in open(sys.argv[1]):
    root = Root(line)
    truth[root.thread, root.method].append(root)

rows = list(csv.DictReader(open(sys.argv[2], newline="")))
names = {row["thread_id"]: row["thread"] for row in rows if row["thread"]}  # native calls of virtual threads may have none
calls = defaultdict(list)
for row in rows:
    calls[names.get(row["thread_id"], "")].append((int(row["start_ns"]), int(row["duration_ns"]), short(row["method"]), row["thrown"] == "1"))

found = defaultdict(list)  # outermost calls of roots, with what is in them
for thread, list_of in calls.items():
    open_root, end = None, 0
    for start, duration, method, thrown in sorted(list_of, key=lambda c: (c[0], -c[1])):
        if open_root and start + duration <= end:
            open_root["in"][method] += 1
        elif method in ROOTS:
            open_root, end = {"start": start, "duration": duration, "thrown": thrown, "in": defaultdict(int)}, start + duration
            found[thread, method].append(open_root)
        else:
            print(f"{thread}: a call of {method} is in no root")

kept = 0
for key in sorted(set(truth) | set(found)):
    wanted = [r for r in truth[key] if r.is_kept() is not False]
    certain = sum(r.is_kept() is True for r in wanted)
    if not certain <= len(found[key]) <= len(wanted):
        print(f"{key}: {len(found[key])} roots, not {certain} to {len(wanted)}")
    kept += certain
    places = {0}  # in `wanted`, behind what has been found: roots of unknown duration may be missing, or look like others
    for got in found[key]:
        if key[1] == "root" and got["duration"] < LIMIT:
            print(f"{key}: a root of {got['duration']} ns was kept")
        shape = [got["thrown"]] + [got["in"][name] for name in ("root", "child", "leaf", "freeMemory")]
        next_places = {i + 1 for at in places for i in reachable(wanted, at) if wanted[i].shape() == shape}
        if not next_places:
            print(f"{key}: a root has {shape}, not {[wanted[i].shape() for at in places for i in reachable(wanted, at)]}")
            break
        places = next_places
    else:
        if not any(all(r.is_kept() is None for r in wanted[at:]) for at in places):
            print(f"{key}: roots at the end are missing, from {min(places)} of {len(wanted)} on")

trees = defaultdict(list)  # two roots may take equally long
rows = json.load(open(sys.argv[3]))["rows"]
for row in rows:
    if not row["parent"]:
        tree = defaultdict(int)
        trees[row["thread"], row["totalNs"]].append(tree)
    tree[short(row["method"])] += row["calls"]
for (thread, method), list_of in found.items():
    for got in list_of:
        want = dict(got["in"])
        want[method] = want.get(method, 0) + 1
        want = {name: n for name, n in want.items() if n}
        candidates = trees[thread, got["duration"]]
        if want in candidates:
            candidates.remove(want)
        else:
            print(f"{thread}: no tree of {method} with {got['duration']} ns and {want} among {[dict(t) for t in candidates]}")
for key, left in trees.items():
    for tree in left:
        print(f"{key}: a tree that is in no root of the file: {dict(tree)}")
print(f"kept {kept} children {sum(g['in']['child'] for l in found.values() for g in l)}", file=sys.stderr)
