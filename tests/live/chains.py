# SPDX-License-Identifier: BSD-2-Clause
"""chains.py LOG JSON HOW: compare critical paths with what the program says that it did.

LOG is what live.Chains or live.Graphs writes, JSON is `view path --json`. Prints
CALLS		calls of run()
PATHS		those with a path
UNEVEN		paths with a gap, an overlap or another sum than their call
RIGHT		per mille of the compared time that have the planned thread, state and method
STRANGE		ns of threads of the program that are not on the planned chain, but for pauses and locks of the JVM and the kernel
UNKNOWN		per mille of all time of which it should be known what its threads did
COMPARED	per mille of the planned time that are compared
With --inside as HOW, which calls a thread was in outside of roots is not known. The calls that are less than nine tenths
right follow.

A thread says what it did, and in live.Graphs for whom it waited; else not whether somebody waited for that yet. So the
time is not compared in which a thread of the chain was ready to run and had no CPU, which the kernel knows; nor that in
which the JVM was waited for. What a program says of its times is a little longer: before it sleeps or waits, and after
that, a thread runs.
"""
import collections
import json
import re
import sys

OURS = re.compile("main|holder|worker|pooled|worker-[0-9]|ping|pong|virtual")
PLACES = {"cpu": ".computes(int)", "sleep": ".sleeps(int)"}
UNCOMPARED = {"unknown", "safepoint", "gc", "jit", "class", "jvm", "frtrace"}
LOCKS = re.compile(r"ended a wait of .* \((jit|class|jvm|gc|safepoint|frtrace|other|page fault|sleep)\)")
# Nobody interrupts a sleep, and no lock of the program is in these: a thread that ends a wait in them has let go a lock of the JVM.
WAITLESS = re.compile(r"sun.misc.Unsafe.unpark\(Object\)|java.lang.Thread.sleep\(long\)|live.*\.computes\(int\)")
JVM = re.compile("VM Thread|C[12] CompilerThread[0-9]+")
CHAINS = {"sleeper": {"main", "holder"}, "locks": {"main", "holder", "worker"}, "pool": {"main", "pooled"},
          "socket": {"main", "holder", "worker"}, "own": {"main"}, "virtual": {"main", "virtual"}}


def read_log(name):
    calls, did = [], collections.defaultdict(list)
    with open(name) as file:
        for line in file:
            word = line.split()
            if word[0] == "call":
                calls.append((word[1], word[3], int(word[4]), int(word[5])))
            else:
                did[word[1]].append((word[0], word[2], word[3], int(word[4]), int(word[5])))
    return sorted(calls, key=lambda call: call[2]), did


EDGE_NS = 500000


def plan_of(did, thread, begin, end, above=()):
    """What the call waited for: what this thread did in that time, and those for whom it waited; with those who waited."""
    for what, by, of, since, until in did:
        since, until = max(since, begin), min(until, end)
        if by != thread or since >= until:
            continue
        if what == "wait":
            yield from plan_of(did, of, since, until, (*above, thread))
        else:
            yield thread, of, since, until, above


def plan_and_chain(kind, did, begin, end):
    if kind in CHAINS:
        return [(by, of, since, until, ()) for _, by, of, since, until in did], CHAINS[kind]
    return list(plan_of(did, "main", begin, end)), {"main"} | {of for what, _, of, _, _ in did if what == "wait"}


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


def is_ours(row):
    return bool(OURS.fullmatch(row["thread"]))


def is_needlessly_unknown(row):
    """Threads of the JVM come and go."""
    return row["state"] == "unknown" and is_ours(row)


def is_of_jvm(row):
    """It ended a wait for a lock of the JVM or the kernel, such as that of the memory map, which any two threads may share."""
    return bool(LOCKS.search(row["why"]))


def waits_for_jvm(path, at):
    """The thread of this row had itself waited for one of the JVM, perhaps by way of others. After a pause, or when the JVM's
    compiler has let go a lock, the threads that want it wake each other, and JDK 8 does not say that it was a pause."""
    depth = path[at]["depth"]
    for step in (1, -1):
        i = at
        while 0 <= i < len(path) and path[i]["depth"] >= depth:
            if path[i]["depth"] > depth and JVM.fullmatch(path[i]["thread"]):
                return True
            i += step
    return False


def strange_time(path, chain):
    """ns of threads that are not in the chain. A row of some depth leads to the next row that is less deep."""
    links, places, time = {}, {}, 0
    for at, row in reversed(list(enumerate(path))):
        links = {depth: by for depth, by in links.items() if depth < row["depth"]}
        waitless = bool(WAITLESS.fullmatch(places.get(row["depth"] - 1, "")))
        links[row["depth"]] = waitless or is_of_jvm(row) or waits_for_jvm(path, at)
        places[row["depth"]] = "".join(row["frames"][:1])
        if is_ours(row) and row["thread"] not in chain and row["state"] != "unknown" and not any(links.values()):
            time += row["durationNs"]
    return time


def time_of(path, wanted):
    return sum(row["durationNs"] for row in path if wanted(row))


def is_in(row, state):
    """In JDK 8 a sleep is a wait for a futex, and a virtual thread that sleeps is parked."""
    if state == "sleep" and row["state"] == "futex":
        return row["frames"][:1] == ["java.lang.Thread.sleep(long)"]
    return row["state"] == state or (state == "sleep" and row["state"] == "parked")


def is_placed(row, state):
    return any(frame.endswith(PLACES[state]) for frame in row["frames"]) or (sys.argv[3].startswith("--inside") and not row["frames"])


def is_edge(row, thread, state, above, shared):
    return row["state"] == "cpu" and (row["thread"] in above or (row["thread"] == thread and state == "sleep" and shared < EDGE_NS))


def compare(path, began, length, plan):
    """ns that are planned, those that can be compared, and how many of those the path has right."""
    planned = compared = right = 0
    for thread, state, since, until, above in plan:
        since, until = max(since - began, 0), min(until - began, length)
        planned += max(until - since, 0)
        for row in path:
            shared = min(until, row["offsetNs"] + row["durationNs"]) - max(since, row["offsetNs"])
            if shared <= 0 or row["state"] in UNCOMPARED or is_edge(row, thread, state, above, shared):
                continue
            same = row["thread"] == thread and (row["state"] == "runQueue" or (is_in(row, state) and is_placed(row, state)))
            if same or (is_ours(row) and row["state"] != "runQueue"):
                compared += shared
                right += same * shared
    return planned, compared, right


def show(call, path, plan, compared, right):
    rows = [f"{call[0]} {call[1]}: {right / 1e6:.3f} of {compared / 1e6:.3f} ms:"]
    rows += [f"    {thread} {state} {(since - call[2]) / 1e6:.3f} {(until - since) / 1e6:.3f}" for thread, state, since, until, _ in plan]
    for r in path:
        rows.append(f"    {r['depth']} {r['offsetNs'] / 1e6:.3f} {r['durationNs'] / 1e6:.3f} {r['thread']} {r['state']} {r['frames'][:2]} {r['why']}")
    return rows


def main():
    calls, did = read_log(sys.argv[1])
    paths = read_paths(sys.argv[2])
    planned = compared = right = strange = unknown = total = 0
    odd = []
    for call, path in zip(calls, paths):
        number, kind, begin, end = call
        plan, chain = plan_and_chain(kind, did[number], begin, end)
        *counts, right_here = compare(path, begin, end - begin, plan)
        others = strange_time(path, chain)
        planned += counts[0]
        compared += counts[1]
        right += right_here
        strange += others
        unknown += time_of(path, is_needlessly_unknown)
        total += path[0]["totalNs"]
        if others or right_here < counts[1] * 0.9:
            odd += show(call, path, plan, counts[1], right_here)
    print(len(calls), len(paths), sum(map(is_uneven, paths)), right * 1000 // max(compared, 1), strange, unknown * 1000 // max(total, 1),
          compared * 1000 // max(planned, 1))
    print("\n".join(odd[:200]))


main()
