# SPDX-License-Identifier: BSD-2-Clause
"""joined.py LOG REQUESTS TREE CSV: compare what views and the export say of requests over threads with what Joined has logged.

REQUESTS is `view request --by=id --json`, TREE `view tree --by=sql --json`, CSV `export --csv --events=j.Query`. The log has the
time on both sides of the beginning and of the end of each call, so a gap and a duration have a least and a most value, however
busy the machine is. Prints what is wrong; on standard error how many are within 2 ms of the log.
"""
import collections
import csv
import json
import sys

CLOCK = 0.1  # ms: the clocks of Java and of the hooks
NEAR = 2  # ms
METHODS = ["accept", "query", "reply"]


def rows(name):
    with open(name) as file:
        return [json.loads(line) for line in file if line.strip()]


log = collections.defaultdict(dict)
statement = {}
with open(sys.argv[1]) as file:
    for method, number, *times, sql in (line.rstrip("\n").split("\t") for line in file):
        log[number][method] = [int(t) / 1e6 for t in times]
        if method == "query":
            statement[number] = sql

seen, near, compared = collections.defaultdict(list), 0, 0
for row in rows(sys.argv[2])[0]["rows"]:
    seen[str(row["value"])].append(row)
if sorted(seen) != sorted(log):
    print(f"{len(seen)} requests, not {len(log)}")


def compare(what, number, got, least, most):
    global near, compared
    compared += 1
    near += abs(got - most) <= NEAR
    if not least - CLOCK <= got <= most + CLOCK:
        print(f"{what} of {number}: {got:.3f} ms, not {least:.3f} to {most:.3f}")


for number, calls in seen.items():
    methods = [call["method"].split("Joined.")[1].split("(")[0] for call in calls]
    if methods != METHODS or number not in log:
        print(f"request {number}: {methods}")
        continue
    threads = [call["thread"] for call in calls]
    if threads != ["front", "db", "out"]:
        print(f"request {number}: on {threads}")
    outside = 0
    for i, (method, call) in enumerate(zip(METHODS, calls)):
        before, begin, end, after = log[number][method]
        compare(f"duration of {method}", number, call["durationNs"] / 1e6, end - begin, after - before)
        if i:
            before_last, _, end_last, after_last = log[number][METHODS[i - 1]]
            compare(f"queue before {method}", number, call["gapNs"] / 1e6, before - after_last, begin - end_last)
            outside += call["gapNs"]
        elif call["gapNs"] is not None:
            print(f"{method} of {number} has a gap")
    if abs(outside - calls[0]["outsideNs"]) > 10:
        print(f"request {number}: {calls[0]['outsideNs']} ns in no call, but the gaps are {outside}")

count, want = collections.Counter(), collections.Counter(statement.values())
for row in rows(sys.argv[3])[0]["rows"]:
    if "Joined.query(" in row["method"]:
        count[row["values"]["j.Query"]["sql"]] += row["calls"]
if count != want:
    print(f"by statement: {count}, not {want}")

with open(sys.argv[4], newline="") as file:
    events = list(csv.DictReader(file))
if sorted(e["id"] for e in events) != sorted(log):
    print(f"{len(events)} events in CSV, not {len(log)}")
for e in events:
    before, begin, end, after = log[e["id"]]["query"]
    if e["sql"] != statement[e["id"]]:
        print(f"{e['id']}: sql is '{e['sql']}', not '{statement[e['id']]}'")
    compare("duration in CSV", e["id"], int(e["duration_ns"]) / 1e6, end - begin, after - before)

print(f"{near} of {compared} queues and durations within {NEAR} ms of the log", file=sys.stderr)
