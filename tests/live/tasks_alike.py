# SPDX-License-Identifier: BSD-2-Clause
"""tasks_alike.py EVENTS SUBMITTED LOST: each task of TasksAlike, as `frtrace print` has it, was run by the thread of its
own pool, if it was seen, and none is missing without being counted. Says on stderr how many of each class there are."""
import collections
import re
import sys

lines, submitted, lost = open(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
count, event = collections.Counter(), {}
for line in lines:
    m = re.match(r'  (eventThread|submitThread|taskClass|outcome) = "?([^" ]*)', line)
    if m:
        event[m[1]] = m[2]
    elif line.startswith("}"):
        count[event.get("taskClass", "").rpartition("$")[2] == "Own"] += 1
        if event["outcome"] == "ran" and event["submitThread"].split("-")[1] != event["eventThread"].split("-")[1]:
            print("of another pool:", event)
        event = {}
if sum(count.values()) + lost != submitted:
    print(sum(count.values()), "recorded and", lost, "lost of", submitted)
if not count[True]:
    print("none of a new object is recorded")
print("new objects", count[True], "shared", count[False], "lost", lost, file=sys.stderr)
