# SPDX-License-Identifier: BSD-2-Clause
"""pooled.py LOG <`view slowest`: compare the calls after which tasks woke requests with those that Pooled has logged.

A call must be of the request that waits, or unknown. Prints what is wrong, and how many are known.
"""
import collections
import re
import sys

NEAR = 0.06, 0.3  # a view prints three digits; ms: the log's clock is read within the call
LEAST = 0.95

requests, calls = collections.defaultdict(list), collections.defaultdict(list)
with open(sys.argv[1]) as file:
    for what, number, thread, value, *java_id in (line.rstrip("\n").split("\t") for line in file):
        if what == "request":
            requests[thread].append((int(value), number))
        else:
            calls[number].append(({thread, f"thread #{java_id[0]}"}, what, int(value) / 1e6))


def of_day(text):
    hours, minutes, seconds = text.split(":")
    return (int(hours) * 60 + int(minutes)) * 60000 + float(seconds) * 1000


def ms(number, unit):
    return float(number.replace(",", "")) * {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1000}[unit]


def is_of(number, waker, method, took):
    return any(waker in threads and name == method and abs(took - logged) <= max(NEAR[1], logged * NEAR[0]) for threads, name, logged in calls[number])


count, other = collections.Counter(), 0
number = None
for line in sys.stdin:
    when = re.match(r' +(\d\d:\d\d:\d\d\.\d+)  "([^"]*)"', line)
    if when:
        begins = requests[when[2]]
        number = min(begins, key=lambda b: abs(b[0] - of_day(when[1])))[1] if begins else None
    wait = re.match(r' +([\d.]+)(us|ms|s) (?:futex|parked)\b', line)
    if not wait or ms(wait[1], wait[2]) < 1.5 or number is None:
        continue
    who = re.search(r'woken by "([^"]*)"', line)
    call = re.search(r'(?:after|in) live\.Pooled\.(\w+)\([^)]*\) ([\d.,]+) (ns|us|ms|s)$', line.rstrip())
    traced = bool(calls[number])  # else a task without a traced call
    if "Thread.run" in line:
        print("the first frame of a thread:", line.strip())
    if call and not is_of(number, who[1], call[1], ms(call[2], call[3])):
        print(f"request {number}: {line.strip()}, but it had {calls[number]}")
    count[traced, bool(call)] += 1
known, unknown = count[True, True], count[True, False]
print(f"{known} of {known + unknown} known; {count[False, False]} waits for a task without a call", file=sys.stderr)
if known < LEAST * (known + unknown) or known < 100:
    print(f"only {known} of {known + unknown} are known")
