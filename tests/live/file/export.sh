#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Exports for other tools have the numbers of the JDK's own jfr.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
TOGETHER=$0

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

# Modules of Python come with packages, for the system's own.
check_export() { # SENTENCE, a Python program on standard input
	begin "$1" || return 0
	cat "$WORK/shared.py" - >"$WORK/check_export.py"
	/usr/bin/python3 "$WORK/check_export.py" "$WORK/jfr.json" "$WORK/exported" >"$WORK/verdict" 2>&1 || finding "$(tail -n 1 "$WORK/verdict" | tail -c 900)"
	verdict
}

# Decode the export with protoc into its text form. A field that it does not know has a number instead of a name.
decode() { # MESSAGE
	protoc --decode="$1" --proto_path="$LIVE" formats.proto <"$WORK/exported" >"$WORK/decoded" 2>"$WORK/stderr" ||
		finding "protoc: $(tail -n 3 "$WORK/stderr")"
	mv "$WORK/decoded" "$WORK/exported"
	cat >"$WORK/text.py" <<-'P'
		import codecs


		def messages(path):  # protoc's text form as dictionaries of lists
		    stack = [{}]
		    for line in open(path, encoding="utf-8"):
		        line = line.strip()
		        if line == "}":
		            stack.pop()
		        elif line.endswith(" {"):
		            stack.append({})
		            stack[-2].setdefault(line[:-2], []).append(stack[-1])
		        else:
		            key, _, value = line.partition(": ")
		            assert not key.isdigit(), line
		            stack[-1].setdefault(key, []).append(codecs.escape_decode(value[1:-1].encode())[0].decode() if value[0] == '"' else value == "true" if value in ("true", "false") else int(value) if value.lstrip("-").isdigit() else float(value))
		    assert len(stack) == 1
		    return stack[0]
	P
	cat "$WORK/text.py" >>"$WORK/shared.py"
}

export_as() { # ARGUMENT...
	"$FRTRACE" export "$@" "$F_FILE" >"$WORK/exported" 2>"$WORK/stderr" || finding "export $*: status $?: $(cat "$WORK/stderr")"
}

# Without frtrace.Clock.
recorded_by_jvm() {
	"$(jdk_newest)/bin/java" "-XX:StartFlightRecording:filename=$WORK/own.jfr,$(jfr_tracing live.BigSource::main)" \
		-cp "$CLASSES" live.BigSource >"$WORK/log" 2>&1
	echo "$WORK/own.jfr"
}

processed() { # FILE
	local flows
	"$FRTRACE" export --perfetto "$1" >"$WORK/trace" || finding "export: status $?"
	"$FRTRACE" view method-trace --json "$1" >"$WORK/methods"
	flows=$("$FRTRACE" print --json --events ThreadWait "$1" 2>/dev/null | grep -c '"wakerThread": {')
	timeout 300 python3 "$LIVE/trace_processor.py" "$processor" "$WORK/trace" "$WORK/methods" "$flows" >"$WORK/found" 2>&1 ||
		finding "$1: status $?:" "$(cat "$WORK/found")"
}

target_start -Dotel.service.name=shop Exported 60
if target_ready && trace_start -m 'live.Exported::order;live.Exported::price'; then
	target_go
	trace_stop
	target_quit
	jfr_of "$JAVA" print --json --stack-depth 2000 --events 'jdk.MethodTrace,frtrace.*' "$F_FILE" >"$WORK/jfr.json"
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
	jfr_newest print --json --stack-depth 2000 --events jdk.MethodTrace "$WORK/plain.jfr" >"$WORK/exported"
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
	export_as --perfetto
	decode Trace
	check_export "--perfetto has calls, waits, flows and clocks as protoc and the rules of Perfetto read them" <<'P'
packets = messages(path)["packet"]
assert packets[0]["sequence_flags"] == [1] and packets[0]["trace_packet_defaults"][0]["timestamp_clock_id"] == [64]
snapshot = packets[0]["clock_snapshot"][0]
clocks = {c["clock_id"][0]: c["timestamp"][0] for c in snapshot["clocks"]}
assert snapshot["primary_trace_clock"] == [3] and clocks.keys() == {64, 3, 1, 6} and clocks[64] == clocks[3] == clocks[6]
base = clocks[1] - clocks[3]  # of CLOCK_REALTIME
interned = {k: {i["iid"][0]: i["name"][0] for i in v} for k, v in packets[0]["interned_data"][0].items()}
tracks = {p["track_descriptor"][0]["uuid"][0]: p["track_descriptor"][0] for p in packets if "track_descriptor" in p}
now, open_on, slices, starts, ends, counters = clocks[64], collections.defaultdict(list), [], {}, {}, collections.Counter()
for p in packets:
    assert p["trusted_packet_sequence_id"] == [102]
    if "track_event" not in p:
        continue
    e = p["track_event"][0]
    kind, track = e["type"][0], e["track_uuid"][0]
    assert track in tracks
    if kind == 4:
        assert p["timestamp_clock_id"] == [3] and "counter" in tracks[track]
        counters[tracks[track]["name"][0]] += e["double_counter_value"][0]
        continue
    now += p["timestamp"][0]
    if kind != 2:
        assert p["sequence_flags"] == [2]
        title = interned["event_names"][e["name_iid"][0]]
        category = interned["event_categories"][e["category_iids"][0]]
    if kind == 1:
        args = {interned["debug_annotation_names"][a["name_iid"][0]]: (a.get("int_value") or a["string_value"])[0] for a in e.get("debug_annotations", [])}
        open_on[track].append((now, category, title, args))
    elif kind == 2:
        start, category, title, args = open_on[track].pop()  # fails where an end has no beginning
        slices.append((start, now - start, track, category, title, args))
        for f in e.get("terminating_flow_ids", []):
            assert f in starts and f not in ends and starts[f][0] <= now
            ends[f] = track
    else:
        for f in e["flow_ids"]:
            assert f not in starts
            starts[f] = (now, track)
assert not any(open_on.values())
assert starts.keys() == ends.keys()


def who(track):
    t = tracks[track]
    return t["thread"][0]["thread_name"][0] if "thread" in t else t["name"][0]


def of(category):
    return [s for s in slices if s[3] == category]


def of_type(kind):
    return [e["values"] for e in recorded if e["type"] == "frtrace." + kind]


sums, want = collections.Counter(), collections.Counter()
for start, length, track, _, title, args in of("call"):
    sums[title.split("(")[0]] += length
    sums[title.split("(")[0], "cpu"] += args.get("cpuNs", 0)
    sums[title.split("(")[0], "thrown"] += args.get("thrown", 0)
for e in events:
    want[name(e["method"])] += span(e["duration"])
    want[name(e["method"]), "cpu"] += span(e["cpuTime"]) or 0
    want[name(e["method"]), "thrown"] += e["thrown"]
assert len(of("call")) == len(events) > 0
assert sums.keys() == want.keys() and all(abs(sums[k] - want[k]) <= len(events) for k in want), (sums, want)
mine = sorted((s[0] + base, s[1], who(s[2])) for s in of("call"))
for m, e in zip(mine, sorted((ns(e["startTime"]), span(e["duration"]), thread(e["eventThread"])) for e in events)):
    assert abs(m[0] - e[0]) < 100000 and near(m[1], e[1]) and m[2] == e[2], (m, e)
waits = of_type("ThreadWait")
assert collections.Counter((s[4], who(s[2])) for s in of("wait")) == collections.Counter((w["reason"], thread(w["eventThread"])) for w in waits)
assert len(starts) == sum(w["wakerThread"] is not None for w in waits)
assert collections.Counter(who(t) for _, t in starts.values()) == collections.Counter(thread(w["wakerThread"]) for w in waits if w["wakerThread"])
assert len(of("run queue")) == len(of_type("RunQueue")) and len(of("pause")) == len(of_type("VMPause"))
assert counters["calls per second"] > 0 and counters["open calls"] > 0
P
	SENTENCE="--perfetto, of the JVM's own recording too, is read by Perfetto's trace processor without an error, with the sums and wakers of the views"
	processor=${TRACE_PROCESSOR:-/usr/lib/chromium/libtest_trace_processor.so}
	if [ ! -e "$processor" ]; then
		skip "$SENTENCE" "needs chromium-shell, which has it as a library"
	elif begin "$SENTENCE"; then
		processed "$F_FILE"
		[ "${NEWEST%% *}" -lt 25 ] || processed "$(recorded_by_jvm)"
		verdict
	fi
	export_as --pprof
	gzip -dc <"$WORK/exported" >"$WORK/unpacked" || finding "gzip cannot unpack the profile"
	mv "$WORK/unpacked" "$WORK/exported"
	decode Profile
	check_export "--pprof has the calls and, with all below it, the times of each method" <<'P'
profile = messages(path)
texts = profile["string_table"]
assert texts[0] == "" and [texts[t["type"][0]] for t in profile["sample_type"]] == ["calls", "time", "cpu", "blocked"]
assert [texts[t["unit"][0]] for t in profile["sample_type"]] == ["count"] + 3 * ["nanoseconds"]
functions = {f["id"][0]: texts[f["name"][0]].split("(")[0] for f in profile["function"]}
places = {p["id"][0]: functions[p["line"][0]["function_id"][0]] for p in profile["location"]}
flat, cum, want = collections.Counter(), collections.Counter(), collections.Counter()
for s in profile["sample"]:
    stack = [places[i] for i in s["location_id"]]
    flat[stack[0]] += s["value"][0]
    for method in set(stack):
        for i in (1, 2, 3):
            cum[method, i] += s["value"][i]
for e in events:
    want[name(e["method"])] += 1
    for i, field in enumerate(("duration", "cpuTime", "blockedTime")):
        want[name(e["method"]), i + 1] += span(e[field]) or 0
assert flat == {m: n for m, n in want.items() if isinstance(m, str)} and len(flat) == 2, (flat, want)
for k, v in want.items():
    assert isinstance(k, str) or abs(cum[k] - v) <= 3 * len(events), (k, cum[k], v)
assert abs(profile["duration_nanos"][0] - (max(ns(e["startTime"]) + span(e["duration"]) for e in events) - profile["time_nanos"][0])) < 10
P
	export_as --otlp
	cp "$WORK/exported" "$WORK/first"
	export_as --otlp
	cmp -s "$WORK/first" "$WORK/exported" || finding "a second export differs"
	protoc --python_out="$WORK" --proto_path="$LIVE" formats.proto || finding "protoc fails"
	check_export "--otlp has a span for each call inside that of its caller, as protobuf reads it" <<'P'
from google.protobuf import json_format
sys.path.insert(0, sys.argv[2].rpartition("/")[0])
import formats_pb2


def attributes(of):
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in of.attributes}


spans = {}
for line in open(path):
    request = json_format.Parse(line, formats_pb2.ExportTraceServiceRequest())  # fails at an unknown field
    (resource,) = request.resource_spans
    assert attributes(resource.resource)["service.name"] == "shop", resource.resource
    plain = json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]  # ids are hexadecimal, unlike other bytes
    for p, s in zip(plain, resource.scope_spans[0].spans, strict=True):
        assert len(p["traceId"]) == 32 and len(p["spanId"]) == 16 and int(p["spanId"], 16) and s.kind == 1
        assert p["spanId"] not in spans
        spans[p["spanId"]] = (p, s)


def times(s):
    return s.start_time_unix_nano, s.end_time_unix_nano


by_thread, want = collections.defaultdict(list), []
for e in events:
    by_thread[thread(e["eventThread"])].append((ns(e["startTime"]), -span(e["duration"]), e))
for who, calls in by_thread.items():
    around = []
    for start, length, e in sorted(calls, key=lambda c: c[:2]):
        while around and around[-1][1] < start - length - 1:
            around.pop()
        want.append((start, start - length, who, name(e["method"]), e, around[-1][0] if around else None))
        around.append((start, start - length))
    assert len(calls) == len(events) / 3
assert len(spans) == len(want) == 540
seen = sorted(spans.values(), key=lambda x: (*times(x[1]), attributes(x[1])["thread.name"]))
blocked = 0
for w, (p, s) in zip(sorted(want, key=lambda w: w[:3]), seen):
    a = attributes(s)
    assert near(w[0], times(s)[0]) and abs(w[1] - times(s)[1]) <= 2 and w[2] == a["thread.name"], (w, s)
    assert w[3] == a["code.function.name"] and s.name == ".".join(w[3].split(".")[-2:]), (w, s)
    assert (s.status.code == 2) == w[4]["thrown"], (w, s)
    for key, field in (("cpu", "cpuTime"), ("run_queue", "runQueueTime"), ("blocked", "blockedTime"), ("pause", "pauseTime")):
        assert near(span(w[4][field]), a.get("frtrace." + key + "_ns")), (w, s)
    if w[5] is None:
        assert "parentSpanId" not in p, (w, p)
    else:
        q, parent = spans[p["parentSpanId"]]
        assert near(times(parent)[0], w[5]) and p["traceId"] == q["traceId"], (w, p, q)
        assert times(parent)[0] <= times(s)[0] <= times(s)[1] <= times(parent)[1], (parent, s)
    for event in s.events:
        assert event.name == "frtrace.wait" and times(s)[0] <= event.time_unix_nano <= times(s)[1]
        blocked += attributes(event)["frtrace.reason"] == "sleep"
assert len({p["traceId"] for p, s in seen}) == sum(w[5] is None for w in want)
# There are 180. A kernel that calls no program for the task of a hypervisor misses the end of one now and then.
assert blocked == sum(e["type"] == "frtrace.ThreadWait" and e["values"]["reason"] == "sleep" for e in recorded) >= 170, blocked
P
	if begin "diff finds no difference in a recording and itself, and judges conditions"; then
		"$FRTRACE" diff --json "$F_FILE" "$F_FILE" >"$WORK/diff.json" || finding "diff: status $?"
		python3 - "$WORK/diff.json" <<-'P' || finding "wrong: $(head -c 500 "$WORK/diff.json")"
			import json, sys
			d = json.load(open(sys.argv[1]))
			assert d["differ"] == 0 and len(d["methods"]) == 2 and not d["new"]["lost"] and not d["new"]["partial"]
			assert sum(m["new"]["calls"] for m in d["methods"]) == 540 and sum(m["old"]["thrown"] for m in d["methods"]) == 45
			assert all(m["new"] == m["old"] and m["p50"]["low"] <= 0 <= m["p50"]["high"] for m in d["methods"])
		P
		"$FRTRACE" diff --report="$WORK/diff.html" "$F_FILE" "$F_FILE" 2>"$WORK/stderr" && python3 "$LIVE/diff_page.py" "$WORK/diff.html" "$WORK/diff.json" >"$WORK/found" 2>&1 ||
			finding "--report: $(cat "$WORK/stderr" "$WORK/found")"
		"$FRTRACE" diff --collapsed "$F_FILE" "$F_FILE" | awk '$NF != $(NF - 1) { exit 1 } END { exit NR < 3 }' || finding "--collapsed"
		for case in "4:live.Exported::price thrown>0" "4:live.Exported p50>1ns" "0:live.Exported::order calls=0" \
			"5:live.Exported::oder thrown>0" "0:live.Exported p50>+9900%" "5:live.Exported p999>1h"; do
			"$FRTRACE" diff --fail-if="${case#*:}" "$F_FILE" "$F_FILE" >/dev/null 2>"$WORK/stderr"
			[ $? = "${case%%:*}" ] || finding "${case#*:}: not ${case%%:*}: $(cat "$WORK/stderr")"
		done
		verdict
	fi
else
	verdict "a recording to export"
fi
target_drop
