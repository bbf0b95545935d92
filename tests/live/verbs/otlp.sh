#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015
# --otlp=-: spans of OpenTelemetry while a recording runs; and a collector of the OpenTelemetry project takes them.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

CALLS=540 # of Exported, whose order() calls price() in two calls of three

spans_in() { grep -oE '"spanId"' "$1" 2>/dev/null | wc -l; }
spans_are() { [ "$(spans_in "$1")" = "$2" ]; } # FILE NUMBER

# The spans of two files must be alike: threads, methods, times, errors, and which is in which.
alike() { # LIVE EXPORTED
	local said
	said=$(python3 - "$@" 2>&1 <<-'END'
		import json, sys

		def spans(path):
		    found, seen = {}, []
		    for line in open(path):
		        (resource,) = json.loads(line)["resourceSpans"]
		        assert resource["resource"]["attributes"][0]["value"]["stringValue"] == "shop"
		        for s in resource["scopeSpans"][0]["spans"]:
		            assert s["spanId"] not in found and len(s["spanId"]) == 16 and len(s["traceId"]) == 32
		            found[s["spanId"]] = s
		    for s in found.values():
		        start, end = int(s["startTimeUnixNano"]), int(s["endTimeUnixNano"])
		        a = {x["key"]: list(x["value"].values())[0] for x in s["attributes"]}
		        parent = found[s["parentSpanId"]] if "parentSpanId" in s else None
		        if parent:
		            assert int(parent["startTimeUnixNano"]) <= start <= end <= int(parent["endTimeUnixNano"])
		            assert parent["traceId"] == s["traceId"]
		        a.pop("frtrace.pause_ns", None)
		        seen.append((a["thread.name"], start, end - start, parent and parent["name"], s.get("status"), a))
		    return sorted(seen, key=lambda x: x[:2])

		live, file = spans(sys.argv[1]), spans(sys.argv[2])
		assert len(live) == len(file), (len(live), len(file))
		inside = 0
		for x, y in zip(live, file):
		    assert x[0] == y[0] and x[3:5] == y[3:5] and abs(x[2] - y[2]) <= 2, (x, y)
		    assert abs((x[1] - live[0][1]) - (y[1] - file[0][1])) < 50_000, (x, y)
		    assert x[5].keys() == y[5].keys() and all(v == y[5][k] or k.endswith("_ns") and abs(int(v) - int(y[5][k])) <= 2 for k, v in x[5].items()), (x, y)
		    inside += x[3] is not None
		assert inside == len(live) / 3, inside
	END
	) && [ -z "$said" ] || finding "$(tail -n 1 <<<"$said" | head -c 900)"
}

arriving() {
	local sentence="--otlp=- prints each call as a span when it is complete, as the file has it, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start -Dotel.service.name=shop Exported 60
	if target_ready && trace_start -m 'live.Exported::order;live.Exported::price' --otlp=-; then
		target_go
		wait_for 20 spans_are "$F_DIR/stdout" $CALLS || finding "$(spans_in "$F_DIR/stdout") spans while it records"
		trace_stop
		status_is 0
		target_quit
		"$FRTRACE" export --otlp "$F_FILE" >"$WORK/exported"
		alike "$F_DIR/stdout" "$WORK/exported"
		cp "$F_DIR/stdout" "$WORK/spans"
	fi
	verdict "$sentence"
	target_drop
}

wrong() {
	local sentence="--otlp has one output, which nothing else may use" arguments
	begin "$sentence" || return 0
	for arguments in --otlp=spans.json '--otlp=- --lines' '--otlp=- -i 1s' '--otlp=- -o -' '--otlp=- -M A' '--otlp=- --follow=x -o x/'; do
		# shellcheck disable=SC2086
		"$FRTRACE" -p 1 ${arguments/-M A/} $([[ $arguments == *-M* ]] && echo -M A || echo -m A) $arguments >"$WORK/out" 2>&1 </dev/null
		[ $? = 2 ] && [ "$(wc -l <"$WORK/out")" = 1 ] || finding "$arguments: $(cat "$WORK/out")"
	done
	verdict "$sentence"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

listens() { python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)' "$1" 2>/dev/null; } # PORT

# POST each line to a collector. Prints the answers that are not "200 {"partialSuccess":{}}".
post() { # PORT FILE
	python3 - "$@" <<-'END'
		import sys, urllib.error, urllib.request
		for line in open(sys.argv[2], "rb"):
		    request = urllib.request.Request(f"http://127.0.0.1:{sys.argv[1]}/v1/traces", line, {"Content-Type": "application/json"})
		    try:
		        answer = urllib.request.urlopen(request, timeout=20)
		        said = answer.status, answer.read().decode()
		    except urllib.error.HTTPError as e:
		        said = e.code, e.read().decode()
		    if said != (200, '{"partialSuccess":{}}'):
		        print(*said)
	END
}

# The collector prints what it has understood: "ID             : 0123456789abcdef", "Parent ID      : ...", "Name : ..."
received() { # FILE
	python3 - "$1" "$WORK/collector.log" <<-'END' 2>&1
		import json, re, sys
		want = set()
		for line in open(sys.argv[1]):
		    for s in json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]:
		        want.add((s["traceId"], s.get("parentSpanId", ""), s["spanId"], s["name"], len(s["events"])))
		seen, now, events = set(), {}, 0
		def end():
		    if now:
		        seen.add((now["Trace ID"], now["Parent ID"], now["ID"], now["Name"], events))
		for line in open(sys.argv[2], errors="replace"):
		    if re.match(r"Span #\d+$", line) or "\tinfo\t" in line:
		        end()
		        now, events = {}, 0
		    elif m := re.match(r" {4}(Trace ID|Parent ID|ID|Name) *: ?(.*)$", line):
		        now[m[1]] = m[2]
		    elif line.startswith("SpanEvent #"):
		        events += 1
		end()
		if seen != want:
		    print(f"{len(want)} spans, {len(seen)} were understood:", *list(want - seen)[:2], *list(seen - want)[:2])
	END
}

collector() {
	local sentence="a collector of the OpenTelemetry project takes live and exported spans, and understands them" port file said root
	begin "$sentence" || return 0
	root=$("$ROOT/scripts/otel-collector" 2>"$WORK/no-collector") || { skip "$sentence" "$(tail -n 1 "$WORK/no-collector")"; return 0; }
	[ -s "$WORK/spans" ] || { not_ok "$sentence" "no spans were recorded"; return 0; }
	port=$(free_port)
	cat >"$WORK/collector.yaml" <<-END
		receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:$port"}}}}
		exporters: {debug: {verbosity: detailed, sampling_initial: 1000000}}
		service: {telemetry: {metrics: {level: none}}, pipelines: {traces: {receivers: [otlp], exporters: [debug]}}}
	END
	for file in spans exported; do
		"$root" --config "$WORK/collector.yaml" >"$WORK/collector.log" 2>&1 &
		STARTED+=($!)
		wait_for 20 listens "$port" || finding "the collector does not listen:" "$(tail -n 3 "$WORK/collector.log")"
		said=$(post "$port" "$WORK/$file")
		[ -z "$said" ] || finding "$file: $(head -n 3 <<<"$said")"
		kill "${STARTED[-1]}"
		wait "${STARTED[-1]}" 2>/dev/null
		said=$(received "$WORK/$file")
		[ -z "$said" ] || finding "$file: $said"
	done
	verdict "$sentence"
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	arriving
done
wrong
collector
