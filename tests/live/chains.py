# SPDX-License-Identifier: BSD-2-Clause
"""chains.py LOG JSON: compare critical paths with what the program says that it did.

LOG is what live.Chains writes, JSON is `view path --json`. Prints "CALLS PATHS UNEVEN RIGHT STRANGE UNKNOWN TIMERS": calls of run(),
those with a path, paths with a gap, an overlap or another sum than their call, paths that give the planned threads and states
at least nine tenths of the time in which they say that they were at it, ns of threads of the program that are not on the planned chain, and
per mille of the time that is unknown, paths that end in a futex whose wait a timer ended. The wrong ones follow.
"""
import collections
import json
import sys

OURS = {"main", "holder", "worker", "pooled"}
CHAINS = {"sleeper": {"main", "holder"}, "locks": {"main", "holder", "worker"}, "pool": {"main", "pooled"},
          "socket": {"main", "holder", "worker"}, "own": {"main"}}
# What else the same thread may be in: a CPU may be taken from it, and a sleeper runs before and after it.
EDGE = 300_000

calls, did = [], collections.defaultdict(list)
for line in open(sys.argv[1]):
    word = line.split()
    if word[0] == "call":
        calls.append((word[1], word[2], int(word[3]), int(word[4])))
    else:
        did[word[1]].append((word[2], word[3], int(word[4]), int(word[5])))
paths = collections.defaultdict(list)
with open(sys.argv[2]) as file:
    for row in json.load(file)["rows"]:
        if ".run(" in row["method"]:
            paths[row["call"]].append(row)
in_order = sorted(paths.values(), key=lambda path: path[0]["startTime"])
uneven = right = strange = unknown = total = timers = 0
odd = []
for path in in_order:
    at = 0
    for row in path:
        uneven += row["offsetNs"] != at
        at += row["durationNs"]
    uneven += at != path[0]["totalNs"]
for (number, kind, begin, end), path in zip(calls, in_order):
    planned = matched = same = 0
    for thread, state, since, until in did[number]:
        since, until = max(since, begin) - begin, min(until, end) - begin
        if until - since < 2 * EDGE:
            continue
        planned += until - since
        for row in path:
            shared = min(until, row["offsetNs"] + row["durationNs"]) - max(since, row["offsetNs"])
            if shared > 0 and row["thread"] == thread and row["state"] != "unknown":
                matched += shared
                same += shared if row["state"] in (state, "runQueue") else 0
    others = sum(r["durationNs"] for r in path if r["thread"] in OURS - CHAINS[kind] and r["state"] != "unknown")
    strange += others
    unknown += sum(r["durationNs"] for r in path if r["state"] == "unknown")
    total += path[0]["totalNs"]
    # HotSpot before JDK 24 looks at a monitor from time to time, and may find that it is free
    timer = any(r["thread"] in CHAINS[kind] and r["state"] == "futex" and r["why"].endswith("a timer") for r in path)
    good = (timer or (matched >= planned * 0.9 and same >= planned * 0.5)) and not others
    timers += timer
    right += good
    if not good:
        odd.append(f"{kind}: {matched / 1e6:.3f} of {planned / 1e6:.3f} ms, others {others / 1e6:.3f} ms:")
        odd += [f"    {r['depth']} {r['offsetNs'] / 1e6:.3f} {r['durationNs'] / 1e6:.3f} {r['thread']} {r['state']} {r['why']}"
                for r in path]
print(len(calls), len(in_order), uneven, right, strange, unknown * 1000 // max(total, 1), timers)
print("\n".join(odd[:60]))
