# SPDX-License-Identifier: BSD-2-Clause
"""chains.py LOG JSON HOW: compare critical paths with what the program says that it did.

LOG is what live.Chains writes, JSON is `view path --json`. Prints "CALLS PATHS UNEVEN RIGHT STRANGE UNKNOWN": calls of
run(), those with a path, paths with a gap, an overlap or another sum than their call, per mille of the compared time that have
the planned thread, state and method, ns of threads of the program that are not on the planned chain, and per mille of all
time of which it should be known what its threads did. With --inside as HOW, which calls a thread was in outside of roots is not known. The calls that are less than nine tenths right follow.

A thread says what it did, but not whether somebody waited for that yet. So the time is not compared in which a thread of the chain
was ready to run and had no CPU, which the kernel knows; nor that in which the JVM was waited for.
"""
import collections
import json
import sys

OURS = {"main", "holder", "worker", "pooled"}
PLACES = {"cpu": "live.Chains.computes(int)", "sleep": "live.Chains.sleeps(int)"}
UNCOMPARED = {"unknown", "safepoint", "gc", "jit", "class", "jvm", "frtrace"}
CHAINS = {"sleeper": {"main", "holder"}, "locks": {"main", "holder", "worker"}, "pool": {"main", "pooled"},
          "socket": {"main", "holder", "worker"}, "own": {"main"}}


def read_log(name):
    calls, did = [], collections.defaultdict(list)
    with open(name) as file:
        for line in file:
            word = line.split()
            if word[0] == "call":
                calls.append((word[1], word[2], int(word[3]), int(word[4])))
            else:
                did[word[1]].append((word[2], word[3], int(word[4]), int(word[5])))
    return calls, did


def read_paths(name):
    paths = collections.defaultdict(list)
    with open(name) as file:
        for row in json.load(file)["rows"]:
            if ".run(" in row["method"]:
                paths[row["call"]].append(row)
    return sorted(paths.values(), key=lambda path: path[0]["startTime"])


def is_uneven(path):
    at = 0
    for row in path:
        if row["offsetNs"] != at:
            return True
        at += row["durationNs"]
    return at != path[0]["totalNs"]


def is_needlessly_unknown(row):
    """Threads of the JVM come and go."""
    return row["state"] == "unknown" and row["thread"] in OURS


def time_of(path, wanted):
    return sum(row["durationNs"] for row in path if wanted(row))


def is_in(row, state):
    """In JDK 8 a sleep is a wait for a futex."""
    return row["state"] == state or (state == "sleep" and row["state"] == "futex" and row["frames"][:1] == ["java.lang.Thread.sleep(long)"])


def is_placed(row, state):
    return PLACES[state] in row["frames"] or (sys.argv[3].startswith("--inside") and not row["frames"])


def compare(path, began, length, plan):
    """ns that can be compared, and how many of those the path has right."""
    compared = right = 0
    for thread, state, since, until in plan:
        since, until = max(since - began, 0), min(until - began, length)
        for row in path:
            shared = min(until, row["offsetNs"] + row["durationNs"]) - max(since, row["offsetNs"])
            if shared <= 0 or row["state"] in UNCOMPARED:
                continue
            same = row["thread"] == thread and (row["state"] == "runQueue" or (is_in(row, state) and is_placed(row, state)))
            if same or (row["thread"] in OURS and row["state"] != "runQueue"):
                compared += shared
                right += same * shared
    return compared, right


def show(call, path, compared, right):
    rows = [f"{call[0]} {call[1]}: {right / 1e6:.3f} of {compared / 1e6:.3f} ms:"]
    for r in path:
        rows.append(f"    {r['depth']} {r['offsetNs'] / 1e6:.3f} {r['durationNs'] / 1e6:.3f} {r['thread']} {r['state']} {r['frames'][:2]} {r['why']}")
    return rows


def main():
    calls, did = read_log(sys.argv[1])
    paths = read_paths(sys.argv[2])
    compared = right = strange = unknown = total = 0
    odd = []
    for call, path in zip(calls, paths):
        number, kind, begin, end = call
        counts = compare(path, begin, end - begin, did[number])
        others = time_of(path, lambda row: row["thread"] in OURS - CHAINS[kind] and row["state"] != "unknown")
        compared += counts[0]
        right += counts[1]
        strange += others
        unknown += time_of(path, is_needlessly_unknown)
        total += path[0]["totalNs"]
        if others or counts[1] < counts[0] * 0.9:
            odd += show(call, path, *counts)
    print(len(calls), len(paths), sum(map(is_uneven, paths)), right * 1000 // max(compared, 1), strange, unknown * 1000 // max(total, 1))
    print("\n".join(odd[:200]))


main()
