# SPDX-License-Identifier: BSD-2-Clause
"""peers.py JSON FIELD [REASON...]: compare what waits were for with what the program says.

JSON is `print --json` of test.Peer, calls with the name of what they waited for, and of frtrace.ThreadWait, in whose FIELD it
should be. Waits with these
reasons that are as long as the program's are for descriptors, too. Prints
"CALLS WAITS NAMED WRONG": calls, their waits in system calls that have a descriptor, those with a name, and with another one
than the call's. A call may not know its own. Up to 20 unnamed or wrong ones follow.
"""
import bisect
import collections
import json
import re
import sys
from datetime import datetime

REASONS, MORE, LONG = {"socket", "pipe", "poll"}, set(sys.argv[3:]), 1_500_000
FIELD = sys.argv[2]
CALLS = {"fsync", "fdatasync"}


def ns(event):
    """From when to when, in ns since the epoch."""
    seconds, fraction = re.fullmatch(r"(.*)\.(\d+)Z", event["startTime"]).groups()
    start = int(datetime.fromisoformat(seconds + "+00:00").timestamp()) * 10**9 + int(fraction.ljust(9, "0"))
    return start, start + round(float(re.fullmatch(r"PT([0-9.]+)S", event["duration"])[1]) * 1e9)


with open(sys.argv[1]) as file:
    events = json.load(file)["recording"]["events"]
calls, waits = collections.defaultdict(list), []
for event in events:
    values = event["values"]
    thread = values["eventThread"]["javaThreadId"]
    if event["type"] == "test.Peer":
        calls[thread].append((*ns(values), values["peer"]))
    elif values["reason"] in REASONS or values["syscall"] in CALLS:
        waits.append((thread, *ns(values), values))
    elif values["reason"] in MORE and (values[FIELD] or ns(values)[1] - ns(values)[0] > LONG):
        waits.append((thread, *ns(values), values))
for of in calls.values():
    of.sort()
seen = named = wrong = 0
odd = []
for thread, start, end, wait in waits:
    at = bisect.bisect_right(calls[thread], (start, sys.maxsize)) - 1
    if at < 0 or end > calls[thread][at][1] + 1000 or not calls[thread][at][2]:
        continue
    peer = calls[thread][at][2]
    seen += 1
    named += wait[FIELD] is not None
    wrong += wait[FIELD] not in (None, peer)
    if wait[FIELD] != peer:
        odd.append(f"{wait['syscall']} for {wait[FIELD]}, not {peer}, {(end - start) / 1e6:.3f} ms")
print(sum(map(len, calls.values())), seen, named, wrong)
print("\n".join(odd[:20]))
