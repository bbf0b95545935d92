#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --otlp=-: spans of OpenTelemetry while a recording runs; and a collector of the OpenTelemetry project takes them.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

CALLS=540 # of Exported, whose order() calls price() in two calls of three

spans_in() { grep -oE '"spanId"' "$1" 2>/dev/null | wc -l; }
spans_are() { [ "$(spans_in "$1")" = "$2" ]; } # FILE NUMBER

# All that the two files say must be alike: threads, methods, times, attributes, errors, waits, and which span is in which.
# A span of the program's that is a parent has the same id in both.
alike() { # LIVE EXPORTED WAITS-AT-LEAST
	local said
	said=$(python3 - "$@" 2>&1 <<-'END'
		import json, sys

		def values(of):
		    return {a["key"]: list(a["value"].items())[0] for a in of}

		def spans(path):
		    found = {}
		    for line in open(path):
		        (resource,) = json.loads(line)["resourceSpans"]
		        assert values(resource["resource"]["attributes"])["service.name"] == ("stringValue", "shop")
		        resources[path].add(json.dumps(resource["resource"]))
		        for s in resource["scopeSpans"][0]["spans"]:
		            assert s["spanId"] not in found and len(s["spanId"]) == 16 and len(s["traceId"]) == 32
		            found[s["spanId"]] = s
		    return sorted((described(s, found) for s in found.values()), key=lambda x: (x[0]["thread.name"], x[1], -x[2]))

		def described(s, found):
		    start, end = int(s["startTimeUnixNano"]), int(s["endTimeUnixNano"])
		    parent = found.get(s.get("parentSpanId"))
		    if parent:
		        assert int(parent["startTimeUnixNano"]) <= start <= end <= int(parent["endTimeUnixNano"])
		        assert parent["traceId"] == s["traceId"]
		        within = parent["name"]
		    else: # ids that frtrace makes are not alike
		        within = s.get("parentSpanId") and (s["traceId"], s["parentSpanId"])
		    waits = [(int(e["timeUnixNano"]) - start, values(e["attributes"])) for e in s["events"]]
		    return values(s["attributes"]), start, end - start, within, s["name"], s.get("status"), s.get("droppedEventsCount"), waits

		NEAR = 10 # ns: a time is rounded, and converted by the clock's readings so far, which may have become more meanwhile

		def near(x, y):
		    return x.keys() == y.keys() and all(v == y[k] or k.endswith("_ns") and abs(int(v[1]) - int(y[k][1])) <= NEAR for k, v in x.items())

		def same(x, y):
		    assert near(x[0], y[0]) and x[3:7] == y[3:7] and abs(x[2] - y[2]) <= NEAR, (x, y)
		    assert abs((x[1] - live[0][1]) - (y[1] - file[0][1])) < 50_000, (x, y)
		    assert len(x[7]) == len(y[7]), (x, y)
		    for v, w in zip(x[7], y[7]):
		        assert abs(v[0] - w[0]) <= NEAR and near(v[1], w[1]), (v, w, x)

		resources = {path: set() for path in sys.argv[1:3]}
		live, file = spans(sys.argv[1]), spans(sys.argv[2])
		assert resources[sys.argv[1]] == resources[sys.argv[2]], resources
		assert len(live) == len(file) and live, (len(live), len(file))
		for x, y in zip(live, file):
		    same(x, y)
		waits = sum(len(x[7]) + (x[6] or 0) for x in file)
		assert waits >= int(sys.argv[3]), waits
		print(len(live), "spans,", sum(x[3] is not None for x in live), "inside,", waits, "waits,", len(set(k for x in live for k in x[0])), "attributes,",
		      sum(isinstance(x[3], tuple) for x in live), "in the program's spans")
	END
	) && echo "# $said" || finding "$(tail -n 1 <<<"$said" | head -c 1500)"
	cat "$1" "$2" >>"$WORK/lines"
}

# What a recording prints must be what its file has.
compare() { # WAITS-AT-LEAST FILTER...
	trace_target "${@:2}" --otlp=- || return
	touch "$T_DIR/go" "$T_DIR/change" "$T_DIR/late"
	trace_calls
	target_quit
	"$FRTRACE" export --otlp "$F_FILE" >"$WORK/exported" || finding "the file is not exported"
	alike "$F_DIR/stdout" "$WORK/exported" "$1"
}

arriving() {
	begin "--otlp=- prints each call as a span when it is complete, as the file has it, JDK $FEATURE" || return 0
	trace_program -Dotel.service.name=shop Exported 60 -- \
		-m 'live.Exported::order;live.Exported::price' --otlp=- || return 0
	target_go
	wait_for 20 spans_are "$F_DIR/stdout" $CALLS || finding "$(spans_in "$F_DIR/stdout") spans while it records"
	stopped_with 0
	target_quit
	"$FRTRACE" export --otlp "$F_FILE" >"$WORK/exported"
	alike "$F_DIR/stdout" "$WORK/exported" 170
	cp "$F_DIR/stdout" "$WORK/spans"
	finish
}

# Chunks end while the calls go on, so their waits are written ahead of them.
long_calls() {
	begin "--otlp=- has the waits of calls that are longer than a chunk, JDK $FEATURE" || return 0
	target_start -Dotel.service.name=shop Exported 3000
	compare 9000 -m 'live.Exported::all' -t 10ms || return 0
	[ "$(spans_in "$F_DIR/stdout")" = 3 ] || finding "$(spans_in "$F_DIR/stdout") spans, expected 3"
	finish
}

values() {
	begin "--otlp=- has the fields of -e, JDK $FEATURE" || return 0
	target_start -Dotel.service.name=shop Valued 2 200
	compare 0 \
		-e 'test.Call live.Valued::call id=arg0 i=arg1 s=arg2 d=arg3 base=arg4.id items=arg5.length color=arg6 any=arg7 z=arg8 c=arg9 h=arg10 b=arg11 f=arg12 length=arg2.length back=return ex=exception total=live.Valued.total token=arg13' \
		-e 'test.Made live.Valued$Made::<init>:1us id=arg0 s=arg1 text=this.text ex=exception' -m live.Valued::fails || return 0
	finish
}

program_traces() {
	begin "--otlp=- makes calls children of the program's spans, JDK $FEATURE" || return 0
	gcc -O2 -shared -fPIC -o "$WORK/libtraced.so" -isystem "$JAVA/include" -isystem "$JAVA/include/linux" "$LIVE/traced.c" &&
		gcc -O2 -D_GNU_SOURCE -shared -fPIC -mtls-dialect=gnu2 -DVARIABLE=otel_thread_ctx_v1 -o "$WORK/libotel.so" "$LIVE/traced_publish.c" ||
		finding "the libraries are not built"
	target_start -Dotel.service.name=shop Traced "$WORK/libtraced.so" "$WORK/libotel.so" 4 200
	compare 0 -e 'test.Call live.Traced::call hi=arg0 lo=arg1 span=arg2 phase=arg3' -m live.Traced::plain || return 0
	[ "$(grep -oE '"parentSpanId"' "$F_DIR/stdout" | wc -l)" -gt 100 ] || finding "no call is in a span of the program"
	finish
}

virtual() {
	begin "--otlp=- has the waits of virtual threads, JDK $FEATURE" || return 0
	target_start -Dotel.service.name=shop -Djdk.virtualThreadScheduler.parallelism=2 Mounted 60
	compare 100 -m 'live.Mounted::in*;java.util.concurrent.ForkJoinTask::doExec' || return 0
	finish
}

# Printing must not hold up the recording: what comes too fast is counted.
too_fast() {
	local skipped
	begin "of calls that come faster than spans can be printed, each is printed or counted, and none is lost, JDK $FEATURE" || return 0
	trace_program AttackTarget -- -m 'live.AttackTarget::leaf' --no-stack --otlp=- || return 0
	sleep 2
	stopped_with 0
	skipped=$(end_line_number_of 'spans were not printed')
	[ $(($(spans_in "$F_DIR/stdout") + skipped)) = "$(end_line_number calls)" ] ||
		finding "$(spans_in "$F_DIR/stdout") printed, $skipped counted, $(end_line_number calls) recorded"
	echo "# $(spans_in "$F_DIR/stdout") of $(end_line_number calls) calls were printed"
	finish
}
end_line_number_of() { grep -oE "[0-9,]+ $1" "$F_DIR/stderr" | tr -dc 0-9 | grep . || echo 0; } # WORDS

wrong() {
	local arguments
	begin "--otlp has one output, which nothing else may use" || return 0
	for arguments in --otlp=spans.json '--otlp=- --lines' '--otlp=- -i 1s' '--otlp=- -o -' '--otlp=- -M A' '--otlp=- --follow=x -o x/'; do
		# shellcheck disable=SC2086
		"$FRTRACE" -p 1 ${arguments/-M A/} $([[ $arguments == *-M* ]] && echo -M A || echo -m A) $arguments >"$WORK/out" 2>&1 </dev/null
		[ $? = 2 ] && [ "$(wc -l <"$WORK/out")" = 1 ] || finding "$arguments: $(cat "$WORK/out")"
	done
	verdict
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

# Strictly: a field that the messages lack is an error.
published() {
	local said proto=opentelemetry/proto
	begin "each line, live or exported, is a request of OpenTelemetry's published .proto" || return 0
	[ -d "${OTLP_PROTO:-}/$proto" ] || { skip "$SENTENCE" "needs OTLP_PROTO=DIR, a copy of the repository opentelemetry-proto"; return; }
	protoc --python_out="$WORK" -I "$OTLP_PROTO" $proto/collector/trace/v1/trace_service.proto $proto/trace/v1/trace.proto $proto/common/v1/common.proto \
		$proto/resource/v1/resource.proto || finding "protoc fails"
	said=$(/usr/bin/python3 - "$WORK" "$WORK/lines" 2>&1 <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		from google.protobuf import json_format
		from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
		spans = 0
		for line in open(sys.argv[2]):
		    request = json_format.Parse(line, ExportTraceServiceRequest())
		    spans += sum(len(scope.spans) for resource in request.resource_spans for scope in resource.scope_spans)
		assert spans > 1000, spans
		print(spans, "spans")
	END
	) && echo "# $said" || finding "$(tail -n 2 <<<"$said")"
	verdict
}

collector() {
	local port file said root
	begin "a collector of the OpenTelemetry project takes live and exported spans, and understands them" || return 0
	root=$("$ROOT/scripts/otel-collector" 2>"$WORK/no-collector") || { skip "$SENTENCE" "$(tail -n 1 "$WORK/no-collector")"; return 0; }
	[ -s "$WORK/spans" ] || { not_ok "$SENTENCE" "no spans were recorded"; return 0; }
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
		reap "${STARTED[-1]}"
		said=$(received "$WORK/$file")
		[ -z "$said" ] || finding "$file: $said"
	done
	verdict
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	arriving
	long_calls
	values
	program_traces
	too_fast
	[ "$FEATURE" -lt 21 ] || virtual
done
jdk_use "${JDKS[-1]}"
wrong
published
collector
