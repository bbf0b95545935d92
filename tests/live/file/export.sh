#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# Exports for other tools have the numbers of the JDK's own jfr.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# Shared by the checks: the events as jfr prints them, and each field in the form of the exports.
cat >"$WORK/shared.py" <<'P'
import collections, csv, datetime, json, sys

recorded = json.load(open(sys.argv[1]))["recording"]["events"]
events = [e["values"] for e in recorded if e["type"] == "jdk.MethodTrace"]
path = sys.argv[2]


def name(method):
    return method["type"]["name"].replace("/", ".") + "." + method["name"]


def frames(event):
    return (event["stackTrace"] or {"frames": []})["frames"]


def ns(text):  # of "2026-11-20T18:05:24.123456789Z"
    t, _, rest = text.partition(".")
    digits = rest.rstrip("Z").partition("+")[0].partition("-")[0]
    zone = rest[len(digits):].replace("Z", "+00:00")
    return int(datetime.datetime.fromisoformat(t + zone).timestamp()) * 10**9 + int(digits.ljust(9, "0"))


def span(text):  # of "PT0.002S"; None if missing
    return None if text.startswith("PT-") else round(float(text[2:-1]) * 10**9)


def thread(value):
    return value["javaName"] or value["osName"]


def near(a, b):
    return a == b or (a is not None and b is not None and abs(a - b) <= 1)
P

check_export() { # SENTENCE, a Python program on standard input
	local sentence=$1
	begin "$sentence" || return 0
	cat "$WORK/shared.py" - >"$WORK/check_export.py"
	python3 "$WORK/check_export.py" "$WORK/jfr.json" "$WORK/exported" >"$WORK/verdict" 2>&1 || finding "$(tail -n 1 "$WORK/verdict" | tail -c 900)"
	verdict "$sentence"
}

export_as() { # ARGUMENT...
	"$FRTRACE" export "$@" "$F_FILE" >"$WORK/exported" 2>"$WORK/stderr" || finding "export $*: status $?: $(cat "$WORK/stderr")"
}

target_start Exported 60
if target_ready && trace_start -m 'live.Exported::order;live.Exported::price'; then
	target_go
	trace_stop
	target_quit
	"$JAVA/bin/jfr" print --json --stack-depth 2000 --events 'jdk.MethodTrace,frtrace.*' "$F_FILE" >"$WORK/jfr.json"
	export_as --csv
	check_export "--csv has the calls that jfr print shows" <<'P'
rows = list(csv.DictReader(open(path, newline="")))
assert len(rows) == len(events) == 3 * 60 * 3, (len(rows), len(events))
assert sum(e["thrown"] for e in events) == 3 * 15
events.sort(key=lambda e: (ns(e["startTime"]), span(e["duration"])))
rows.sort(key=lambda r: (int(r["start_ns"]), int(r["duration_ns"])))
for e, r in zip(events, rows):
    who = thread(e["eventThread"])
    assert near(ns(e["startTime"]), int(r["start_ns"])) and near(span(e["duration"]), int(r["duration_ns"])), (e, r)
    assert r["method"].split("(")[0] == name(e["method"]) and r["thrown"] == str(int(e["thrown"])), (e, r)
    assert r["thread"] == ("'" if who[0] in "=+-@" else "") + who, (e, r)
    assert (r["caller"] == "") == (not frames(e)), (e, r)
    for cell, field in (("cpu_ns", "cpuTime"), ("run_queue_ns", "runQueueTime"), ("blocked_ns", "blockedTime"), ("pause_ns", "pauseTime")):
        assert near(span(e[field]), int(r[cell]) if r[cell] else None), (field, e, r)
    assert r["syscalls"] == "", r
    if frames(e):
        assert r["caller"].split("(")[0] == name(frames(e)[0]["method"]) and r["line"] == str(frames(e)[0]["lineNumber"]), (e, r)
assert len({(r["thread"], r["thread_id"]) for r in rows}) == len({r["thread_id"] for r in rows}) == 3
P
	export_as --jdk
	mv "$WORK/exported" "$WORK/plain.jfr"
	"$(jdk_newest)/bin/jfr" print --json --stack-depth 2000 --events jdk.MethodTrace "$WORK/plain.jfr" >"$WORK/exported"
	check_export "--jdk has the same calls with the fields of JEP 520 alone" <<'P'
def plain(e):
    return json.dumps({k: e[k] for k in ("startTime", "duration", "eventThread", "stackTrace", "method")})


seen = [e["values"] for e in json.load(open(path))["recording"]["events"]]
assert all(list(e) == ["startTime", "duration", "eventThread", "stackTrace", "method"] for e in seen), seen[0].keys()
assert sorted(map(plain, seen)) == sorted(map(plain, events)) and len(seen) == 3 * 60 * 3, len(seen)
P
	export_as --collapsed
	check_export "--collapsed has the stacks that jfr print shows" <<'P'
want, seen = collections.Counter(), collections.Counter()
for e in events:
    want[";".join([name(f["method"]) for f in reversed(frames(e))] + [name(e["method"])])] += 1
for line in open(path):
    stack, n = line.rstrip("\n").rsplit(" ", 1)
    seen[";".join(f.split("(")[0] for f in stack.split(";"))] += int(n)
assert want == seen and len(want) >= 3, (want, seen)
P
	export_as --collapsed --weight=time
	check_export "--collapsed --weight=time sums the durations without those of traced calls inside" <<'P'
want, seen, outermost = collections.Counter(), collections.Counter(), 0
by_thread = collections.defaultdict(list)
for e in events:
    by_thread[e["eventThread"]["javaThreadId"]].append((ns(e["startTime"]), -span(e["duration"]), name(e["method"])))
for calls in by_thread.values():
    around = []
    for start, length, method in sorted(calls):
        while around and around[-1][0] < start - length:
            around.pop()
        want[method] -= length
        if around:
            want[around[-1][1]] += length
        else:
            outermost -= length
        around.append((start - length, method))
for line in open(path):
    stack, n = line.rstrip("\n").rsplit(" ", 1)
    seen[stack.split(";")[-1].split("(")[0]] += int(n)
assert want.keys() == seen.keys() and all(abs(want[m] - seen[m]) <= len(events) for m in want), (want, seen)
assert abs(sum(seen.values()) - outermost) <= len(events) and outermost < sum(span(e["duration"]) for e in events), (seen, outermost)
P
	export_as --chrome
	check_export "--chrome has each call and its waits in the track of its thread" <<'P'
trace = json.load(open(path))["traceEvents"]
tracks = {t["tid"]: t["args"]["name"] for t in trace if t["ph"] == "M" and t["name"] == "thread_name"}
base = min(ns(e["startTime"]) for e in events) - round(1000 * min(t["ts"] for t in trace if t.get("cat") == "call"))


def slices(category):
    return sorted((round(1000 * t["ts"]) + base, round(1000 * t["dur"]), tracks.get(t["tid"]), t["name"].split("(")[0], t["args"])
                  for t in trace if t["ph"] == "X" and t["cat"] == category)


def compare(want, seen):
    assert len(want) == len(seen) > 0, (len(want), len(seen))
    for w, s in zip(sorted(want, key=lambda w: w[:2]), seen):
        assert near(w[0], s[0]) and near(w[1], s[1]) and w[2:4] == s[2:4], (w, s)
        assert all(near(s[4][k], v) for k, v in w[4].items()), (w, s)


def split(e):
    return {k + "Ns": span(e[k + "Time"]) for k in ("cpu", "runQueue", "blocked", "pause")} | {"thrown": e["thrown"]}


def of(kind):
    return [e["values"] for e in recorded if e["type"] == "frtrace." + kind]


def times(e):
    return ns(e["startTime"]), span(e["duration"])


compare([(*times(e), thread(e["eventThread"]), name(e["method"]), split(e)) for e in events], slices("call"))
waits = [(*times(e), thread(e["eventThread"]), "run queue", {}) for e in of("RunQueue")]
sleeps = [(*times(e), thread(e["eventThread"]), e["reason"], {}) for e in of("ThreadWait")]
assert len(sleeps) >= 3 * 60, len(sleeps)  # one for each sleep
seen = slices("wait")
compare(sleeps, [s for s in seen if s[3] != "run queue"])
compare(waits, [s for s in seen if s[3] == "run queue"])
assert collections.Counter(s[2] for s in seen) == collections.Counter(w[2] for w in waits + sleeps)
compare([(*times(e), None, None, {}) for e in of("VMPause")], [(*s[:2], None, None, {}) for s in slices("pause")])
P
else
	verdict "a recording to export"
fi
target_drop
