# SPDX-License-Identifier: BSD-2-Clause
"""selves.py ROWS TRUTH: compare self times and times without recursion, in rows of a view (--json) or in what the JDK's
'jfr print --json' says of jdk.MethodTiming, with the bounds that live.Selves has measured. Prints what lies outside of them."""
import json
import re
import sys

ERROR = 0.001  # of the two clocks
METHOD = re.compile(r"Selves\$Work\.(ping|pong|leaf|deep|fails)\b")


def nanoseconds(duration):
    """Of an ISO 8601 duration: PT1M2.5S."""
    hours, minutes, seconds = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", duration).groups()
    return round(((int(hours or 0) * 60 + int(minutes or 0)) * 60 + float(seconds or 0)) * 1e9)


def of_view(rows):
    """Without the constructor, which is called before the recording."""
    named = [(METHOD.search(row["method"]), row) for row in rows]
    return {name.group(1): (row["selfNs"], row["outermostNs"], row["totalNs"]) for name, row in named if name}


def of_events(events):
    found = {}
    for values in (event["values"] for event in events if event["values"]["invocations"]):
        total = nanoseconds(values["average"]) * values["invocations"]
        found[values["method"]["name"]] = (nanoseconds(values["selfTime"]), nanoseconds(values["outermostTime"]), total)
    return found


said = json.load(open(sys.argv[1]))
found = of_view(said["rows"]) if "rows" in said else of_events(said["recording"]["events"])
truth = {}
for line in open(sys.argv[2]):
    name, *times = line.split()
    truth[name] = [int(ns) for ns in times]
(time,) = truth.pop("threads")
if found.keys() != truth.keys():
    print("methods:", *sorted(found), "instead of", *sorted(truth))
for name in found.keys() & truth.keys():
    bounds = (truth[name][:2], truth[name][2:])
    for what, ns, (least, most) in zip(("self time", "time without recursion"), found[name], bounds):
        if ns is None or not least * (1 - ERROR) <= ns <= most * (1 + ERROR):
            print(name, what, ns, "and measured by the program:", least, "to", most)
    if name in ("ping", "deep") and not found[name][2] > found[name][1] >= found[name][0] > 0:
        print(name, "self, without recursion, total:", *found[name])
if sum(own or 0 for own, _, _ in found.values()) > time:
    print("self times are more than the time of the threads:", found, time)
