#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015
# --otlp=-: spans of OpenTelemetry while a recording runs.
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

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	arriving
done
wrong
