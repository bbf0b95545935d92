# SPDX-License-Identifier: BSD-2-Clause
"""woken.py WAKES <JSON: compare the wakers in `frtrace print --json --events frtrace.ThreadWait` with those that Woken knows.

A waker may be unknown, but no other thread. Prints what is wrong, and the share of each kind that is known.
"""
import collections
import datetime
import json
import sys

LEAST = {"early": 0.9, "main": 0.9, "late": 0.9, "self": 0.6, "other": 0.9, "once": 0.6, "traced": 0.9}
SHORT = 3  # ms: the thread also waits for other reasons, outside of the call


def ms(text):
    return datetime.datetime.fromisoformat(text).timestamp() * 1000


with open(sys.argv[1]) as file:
    wakes = [line.rstrip("\n").split("\t") for line in file]
waits = []
for event in json.load(sys.stdin)["recording"]["events"]:
    v = event["values"]
    if v["eventThread"]["javaName"] == "waiter" and v["wakerThread"] and float(v["duration"][2:-1]) * 1000 > SHORT:
        waits.append((ms(v["startTime"]), v["wakerThread"]))
names = collections.defaultdict(set)
for _, _, _, java_id, name, _ in wakes:
    names[java_id].add(name)
count, known, reused, last = collections.Counter(), collections.Counter(), 0, None
for kind, begin, end, java_id, name, tid in wakes:
    mine = [w for at, w in waits if int(begin) - 1 <= at <= int(end) and w["osThreadId"] == int(tid)]
    reused += kind == "reused" and last == tid
    last = tid
    count[kind] += 1
    if not mine or not mine[0]["javaThreadId"]:
        continue
    known[kind] += 1
    got = mine[0]
    if str(got["javaThreadId"]) != java_id or (got["javaName"] != name and (kind != "other" or got["javaName"] not in names[java_id])):
        print(f"{kind}: #{java_id} '{name}' is #{got['javaThreadId']} '{got['javaName']}'")
for kind, least in LEAST.items():
    if known[kind] < least * count[kind]:
        print(f"{kind}: only {known[kind]} of {count[kind]} wakers are known")
print("known:", ", ".join(f"{kind} {known[kind]} of {count[kind]}" for kind in count) + f"; {reused} ids came back", file=sys.stderr)
