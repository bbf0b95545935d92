# SPDX-License-Identifier: BSD-2-Clause
"""pooled.py LOG <`view slowest`: compare the calls after which tasks woke requests with those that Pooled has logged.

A call must be of the request that waits, or unknown. A task that makes no traced call cannot be told from the call before it, and
is only counted. Prints what is wrong, and how many are known.
"""
import collections
import re
import sys

DIGITS = 0.06  # a view prints 1.0 ms for 950 us to 1.05 ms
LEAST = 0.9  # 0.95 to 0.99 with twenty times more threads than CPUs

requests, calls = collections.defaultdict(list), collections.defaultdict(list)
with open(sys.argv[1]) as file:
    for what, number, thread, *values in (line.rstrip("\n").split("\t") for line in file):
        if what == "request":
            requests[thread].append((int(values[0]), int(values[1]) / 1e6, number))
        else:
            calls[number].append(({thread, f"thread #{values[2]}"}, what, int(values[0]) / 1e6, int(values[1]) / 1e6))


def of_day(text):
    hours, minutes, seconds = text.split(":")
    return (int(hours) * 60 + int(minutes)) * 60000 + float(seconds) * 1000


def ms(number, unit):
    return float(number.replace(",", "")) * {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1000}[unit]


def request(thread, begin, took):
    """The number of the request that is around a call of this thread, to 2 ms; None: not known."""
    near = [r for r in requests[thread] if r[0] - 2 <= begin and begin + took * (1 - DIGITS) <= r[0] + r[1] + 2 and took <= r[1] * (1 + DIGITS)]
    return min(near, key=lambda r: abs(r[0] - begin) + abs(r[1] - took))[2] if near else None


def is_of(number, waker, method, took):
    return any(waker in threads and name == method and inside * (1 - DIGITS) <= took <= around * (1 + DIGITS) for threads, name, inside, around in calls[number])


count = collections.Counter()
number, duration = None, 0
for line in sys.stdin:
    call_line, when = re.match(r"\[([\d.]+)(ns|us|ms|s)\b", line), re.match(r' +(\d\d:\d\d:\d\d\.\d+)  "([^"]*)"', line)
    if call_line:
        duration = ms(*call_line.groups())
    if when:
        number = request(when[2], of_day(when[1]), duration)
    wait = re.match(r" +([\d.]+)(us|ms|s) (?:futex|parked)\b", line)
    if not wait or ms(*wait.groups()) < 1.5 or number is None:
        continue
    who = re.search(r'woken by "([^"]*)"', line)
    call = re.search(r"(?:after|in) live\.Pooled\.(\w+)\([^)]*\) ([\d.,]+) (ns|us|ms|s)$", line.rstrip())
    if "Thread.run" in line:
        print("the first frame of a thread:", line.strip())
    if call and calls[number] and not is_of(number, who[1], call[1], ms(call[2], call[3])):
        print(f"request {number}: {line.strip()}, but it had {calls[number]}")
    count[bool(calls[number]), bool(call)] += 1
known, unknown = count[True, True], count[True, False]
print(f"{known} of {known + unknown} known; of {count[False, True] + count[False, False]} waits for tasks without a call {count[False, True]}", file=sys.stderr)
if known < LEAST * (known + unknown) or known < 100:
    print(f"only {known} of {known + unknown} are known")
