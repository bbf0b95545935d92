#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# What other tools get: the numbers are those of the JDK's own jfr.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"


judge() { # SENTENCE, a program of python on standard input: `events` are jfr's, `path` what was exported
	local sentence=$1
	begin "$sentence" || return 0
	python3 - "$WORK/jfr.json" "$WORK/exported" >"$WORK/verdict" 2>&1 || finding "$(tail -n 5 "$WORK/verdict")"
	verdict "$sentence"
}

export_as() { # ARGUMENT...
	"$FRTRACE" export "$@" "$F_FILE" >"$WORK/exported" 2>"$WORK/stderr" || finding "export $*: status $?: $(cat "$WORK/stderr")"
}

target_start Late 300
if target_ready && trace_start -m 'live.Late$Latecomer::checkout;live.Late::*'; then
	target_go
	trace_stop
	target_quit
	"$JAVA/bin/jfr" print --json --stack-depth 2000 --events jdk.MethodTrace "$F_FILE" >"$WORK/jfr.json"
	export_as --csv
	judge "--csv has the calls that jfr print shows" <<'P'
import csv, json, sys
events = [e["values"] for e in json.load(open(sys.argv[1]))["recording"]["events"]]
rows = list(csv.DictReader(open(sys.argv[2], newline="")))
assert len(rows) == len(events) >= 300, (len(rows), len(events))
def name(m): return m["type"]["name"].replace("/", ".") + "." + m["name"] + "("
for r in rows:
    r["ns"] = int(r["start_ns"])
def moment(e): return e["startTime"]
import datetime
def ns(text):
    head, tail = text.split(".")
    digits, zone = "", ""
    for i, c in enumerate(tail):
        if not c.isdigit():
            digits, zone = tail[:i], tail[i:]
            break
    t = datetime.datetime.fromisoformat(head + zone.replace("Z", "+00:00"))
    return int(t.timestamp()) * 10**9 + int(digits.ljust(9, "0"))
def span(text): return round(float(text[2:-1]) * 1e9) if "M" not in text else None
want = sorted((ns(e["startTime"]), span(e["duration"]), name(e["method"]), e["eventThread"]["javaName"]) for e in events)
seen = sorted((r["ns"], int(r["duration_ns"]), r["method"].split("(")[0] + "(", r["thread"]) for r in rows)
for w, s in zip(want, seen):
    assert abs(w[0] - s[0]) <= 1 and abs(w[1] - s[1]) <= 1 and w[2:] == s[2:], (w, s)
for e, r in zip(sorted(events, key=lambda e: ns(e["startTime"])), sorted(rows, key=lambda r: r["ns"])):
    frames = (e["stackTrace"] or {"frames": []})["frames"]
    assert (r["caller"] == "") == (not frames), (e, r)
    if frames:
        assert r["caller"].startswith(name(frames[0]["method"])) and r["line"] == str(frames[0]["lineNumber"]), (frames[0], r)
P
	export_as --collapsed
	judge "--collapsed has the stacks that jfr print shows" <<'P'
import collections, json, sys
events = [e["values"] for e in json.load(open(sys.argv[1]))["recording"]["events"]]
def name(m): return m["type"]["name"].replace("/", ".") + "." + m["name"]
want, seen = collections.Counter(), collections.Counter()
for e in events:
    frames = (e["stackTrace"] or {"frames": []})["frames"]
    want[";".join([name(f["method"]) for f in reversed(frames)] + [name(e["method"])])] += 1
for line in open(sys.argv[2]):
    stack, n = line.rstrip("\n").rsplit(" ", 1)
    seen[";".join(f.split("(")[0] for f in stack.split(";"))] += int(n)
assert want == seen and len(want) >= 1, (want, seen)
P
	export_as --collapsed --weight=time
	judge "--collapsed --weight=time sums the durations" <<'P'
import json, sys
events = [e["values"] for e in json.load(open(sys.argv[1]))["recording"]["events"]]
want = sum(round(float(e["duration"][2:-1]) * 1e9) for e in events)
seen = sum(int(line.rsplit(" ", 1)[1]) for line in open(sys.argv[2]))
assert abs(want - seen) <= len(events), (want, seen)
P
	export_as --chrome
	judge "--chrome has each call in the track of its thread" <<'P'
import collections, json, sys
events = [e["values"] for e in json.load(open(sys.argv[1]))["recording"]["events"]]
trace = json.load(open(sys.argv[2]))["traceEvents"]
threads = {t["tid"]: t["args"]["name"] for t in trace if t["ph"] == "M" and t["name"] == "thread_name"}
calls = [t for t in trace if t["ph"] == "X" and t["cat"] == "call"]
want = collections.Counter(e["eventThread"]["javaName"] for e in events)
assert want == collections.Counter(threads[c["tid"]] for c in calls), want
assert abs(sum(c["dur"] for c in calls) * 1000 - sum(float(e["duration"][2:-1]) * 1e9 for e in events)) <= 2 * len(events)
P
else
	verdict "a recording to export"
fi
