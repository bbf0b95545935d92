#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Ids of distributed traces: each recorded call has the ids that its thread was in, whatever the program's library does.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

EVENT='test.Call live.Traced::call hi=arg0 lo=arg1 span=arg2 phase=arg3'

library_build() { # NAME OPTION...
	gcc -O2 -D_GNU_SOURCE -shared -fPIC -Wall -Werror -o "$WORK/lib$1.so" "${@:2}"
}

libraries_build() {
	local jni=$JAVA/include
	library_build traced -isystem "$jni" -isystem "$jni/linux" "$LIVE/traced.c" &&
		library_build otel -mtls-dialect=gnu2 -DVARIABLE=otel_thread_ctx_v1 "$LIVE/traced_publish.c" &&
		library_build otel_large -mtls-dialect=gnu2 -DLARGE -DVARIABLE=otel_thread_ctx_v1 "$LIVE/traced_publish.c" &&
		library_build otel_exec -ftls-model=initial-exec -DVARIABLE=otel_thread_ctx_v1 "$LIVE/traced_publish.c" &&
		library_build elastic -mtls-dialect=gnu2 -DVARIABLE=elastic_apm_profiling_correlation_tls_v1 "$LIVE/traced_publish.c" &&
		library_build none -DVARIABLE=nobodys "$LIVE/traced_publish.c"
}

check() { # sets SAID
	SAID=$("$(jdk_newest)/bin/java" -Xmx1g -cp "$CACHE/classes-${JDKS[-1]%% *}" "${BRIEF[@]}" live.TracedCheck "$F_FILE" 2>&1) ||
		finding "${SAID:-no output}"
}

# With the library back, calls have ids from a later chunk on.
late_ids() {
	"$FRTRACE" dump "$T_PID" -o "$WORK/late.jfr" >/dev/null 2>&1 || return
	"$FRTRACE" print --events test.Call "$WORK/late.jfr" |
		awk '$1 == "phase" { late = $3 == 2 } $1 == "spanId" && late && $3 != 0 { found = 1 } END { exit !found }'
}

# What other tools get: the id in hexadecimal digits, and spans that are children of the program's.
shown() {
	"$FRTRACE" view slowest --top=200 "$F_FILE" >"$WORK/slowest"
	"$FRTRACE" view --json slowest --top=200 "$F_FILE" >"$WORK/slowest.json"
	"$FRTRACE" export --otlp "$F_FILE" >"$WORK/spans"
	python3 - "$WORK/slowest" "$WORK/slowest.json" "$WORK/spans" <<-'END' 2>"$WORK/err" || finding "the ids are shown wrongly:" "$(tail -n 2 "$WORK/err")"
		import json, re, sys
		digits = lambda n: "%016x" % (int(n) & (1 << 64) - 1)
		traces, children, others = set(), 0, 0
		for line in open(sys.argv[3]):
		    for r in json.loads(line)["resourceSpans"]:
		        for s in (s for scope in r["scopeSpans"] for s in scope["spans"] if s["name"] == "Traced.call"):
		            v = {a["key"]: a["value"].get("intValue") for a in s["attributes"]}
		            if v["phase"] == "0" and v["span"] != "0":
		                children += 1
		                traces.add(s["traceId"])
		                assert s["traceId"] == digits(v["hi"]) + digits(v["lo"]) and s["parentSpanId"] == digits(v["span"]), s
		            elif v["phase"] == "0":
		                others += 1
		                assert "parentSpanId" not in s and s["traceId"] != "0" * 32, s
		assert children > 100 and others > 100, (children, others)
		text = set(re.findall(r"trace ([0-9a-f]{32})\b", open(sys.argv[1]).read().replace("\n", " ")))
		rows = {r["traceId"] for r in json.load(open(sys.argv[2]))["rows"] if r["traceId"]}
		assert text == rows and text & traces, (text, rows)
	END
}

platform() { # LIBRARY THREADS CALLS
	local all
	begin "no call has the ids of another trace, $1, $2 threads of $3 calls, the library comes and goes, JDK $FEATURE" || return 0
	run_program -Xcheck:jni Traced "$WORK/libtraced.so" "$WORK/lib$1.so" "$2" "$3" || return 0
	F_FILE=$WORK/traces.jfr
	"$FRTRACE" start -p "$T_PID" -o "$F_FILE" --max-overhead=off -e "$EVENT" -m live.Traced::plain >"$WORK/said" 2>&1 ||
		finding "frtrace does not start:" "$(cat "$WORK/said")"
	touch "$T_DIR/go" "$T_DIR/change"
	wait_for "$SECONDS_MAX" target_has running || finding "the program does not go on"
	wait_for 20 late_ids || finding "no call has ids after the library has come back"
	touch "$T_DIR/late"
	target_go
	"$FRTRACE" stop "$T_PID" >"$WORK/said" 2>&1 || finding "status $?:" "$(cat "$WORK/said")"
	grep -q ' 0 lost' "$WORK/said" || finding "not 0 lost:" "$(cat "$WORK/said")"
	target_restored
	check
	shown
	all=$(($2 * $3))
	[[ $SAID =~ all\ \[$all,\ $(($2 * 100)),.*with\ ids\ \[([0-9]+),\ 0, ]] && [ "${BASH_REMATCH[1]}" -gt $((all / 5)) ] || finding "$SAID"
	target_quit
	finish
}

virtual() { # LIBRARY virtual|followed SENTENCE CALLS
	local all=$((50 * $4 * 2)) with
	begin "$3, $1, JDK $FEATURE" || return 0
	record_program -Djdk.virtualThreadScheduler.parallelism=2 Traced "$WORK/libtraced.so" "$WORK/lib$1.so" 50 "$4" "$2" -- \
		-e "$EVENT" -m live.Traced::plain || return 0
	check
	[[ $SAID =~ all\ \[0,\ 0,\ 0,\ ([0-9]+),\ ([0-9]+)\]\ with\ ids\ \[0,\ 0,\ 0,\ ([0-9]+),\ ([0-9]+)\] ]] || finding "$SAID"
	with=$((BASH_REMATCH[3] + BASH_REMATCH[4]))
	[ $((BASH_REMATCH[1] + BASH_REMATCH[2])) = "$all" ] || finding "not $all calls: $SAID"
	if [ "$2" = followed ]; then [ "$with" -gt $((all / 10)) ]; else [ "$with" -lt $((all / 4)) ]; fi || finding "$SAID"
	finish
}

# The fields are there only where ids can be.
fields() { # LIBRARY [OPTION]
	begin "no call has fields for ids: library $1${2:+, $2}, JDK $FEATURE" || return 0
	trace_program Traced "$WORK/libtraced.so" "$WORK/lib$1.so" 2 50 -- \
		-e "$EVENT" -m live.Traced::plain ${2:+"$2"} || return 0
	touch "$T_DIR/go" "$T_DIR/change" "$T_DIR/late"
	trace_calls
	"$FRTRACE" print "$F_FILE" | grep 'phase = 0' >/dev/null || finding "the file has no calls"
	"$FRTRACE" print "$F_FILE" | grep -E 'traceId|spanId' >/dev/null && finding "the file has ids"
	target_quit
	finish
}

# The resources in lines of OTLP must be what traced_publish.c says, of one version after the other.
resources_are() { # FILE VERSION...
	python3 - "$@" <<-'END' 2>"$WORK/err" || finding "the resource of ${1##*/} is wrong:" "$(tail -n 1 "$WORK/err")"
		import json, sys
		want = {"service.name": {"stringValue": "shop"}, "replica": {"intValue": "3"}, "debug": {"boolValue": True},
		        "share": {"doubleValue": 0.25}, "vault.token": {"stringValue": "[REDACTED]"}}
		versions = []
		for line in open(sys.argv[1]):
		    for r in json.loads(line)["resourceSpans"]:
		        pairs = [(a["key"], a["value"]) for a in r["resource"]["attributes"]]
		        found = dict(pairs)
		        assert len(found) == len(pairs) and int(found.pop("process.pid")["intValue"]) > 0, pairs
		        version = found.pop("service.version")["stringValue"]
		        assert found == want, found
		        if versions[-1:] != [version]:
		            versions.append(version)
		assert versions == sys.argv[2:], versions
	END
}

resource() {
	begin "spans have the resource that the program publishes, while it changes and from the file, JDK $FEATURE" || return 0
	trace_program -Dotel.service.name=other Traced "$WORK/libtraced.so" "$WORK/libotel.so" 2 50 -- \
		-m live.Traced::plain --otlp=- || return 0
	touch "$T_DIR/go"
	wait_for 20 grep -q '"stringValue":"1"' "$F_DIR/stdout" || finding "no line has the first resource"
	touch "$T_DIR/change"
	wait_for 20 grep -q '"stringValue":"2"' "$F_DIR/stdout" || finding "the changed resource is not seen"
	touch "$T_DIR/late"
	trace_calls
	"$FRTRACE" export --otlp "$F_FILE" >"$WORK/exported"
	resources_are "$F_DIR/stdout" 1 2
	resources_are "$WORK/exported" 2
	jfr_newest print --json --events frtrace.ResourceAttribute "$F_FILE" >"$WORK/rows"
	grep -q '"value": "shop"' "$WORK/rows" || finding "the JDK reads no attributes"
	grep -c s3cr3t "$F_FILE" "$F_DIR/stdout" | grep -v ':0$' && finding "a secret is recorded"
	target_quit
	finish
}

no_resource() {
	begin "with --trace-ids=off nothing is recorded that the program publishes, JDK $FEATURE" || return 0
	trace_program -Dotel.service.name=other Traced "$WORK/libtraced.so" "$WORK/libotel.so" 2 50 -- \
		-m live.Traced::plain --trace-ids=off || return 0
	touch "$T_DIR/go" "$T_DIR/change" "$T_DIR/late"
	trace_calls
	"$FRTRACE" export --otlp "$F_FILE" >"$WORK/exported"
	grep -q '"service.name","value":{"stringValue":"other"}' "$WORK/exported" || finding "the name is not that of the option"
	"$FRTRACE" print --events frtrace.ResourceAttribute "$F_FILE" | grep . >/dev/null && finding "the file has attributes"
	target_quit
	finish
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	libraries_build || { not_ok "the libraries are built"; exit 1; }
	platform otel 64 "$(amount 300 8000)"
	turn 0 && platform otel_large 8 "$(amount 300 8000)"
	turn 1 && platform otel_exec 8 300
	turn 1 && platform elastic 8 "$(amount 300 8000)"
	if [ "$FEATURE" -ge 21 ]; then
		virtual otel virtual "no virtual thread has the ids that another one left on its carrier" "$(amount 40 2000)"
		virtual otel followed "virtual threads that take their records along have their ids" "$(amount 40 2000)"
		virtual otel_large followed "virtual threads that take their records along have their ids" 40
		virtual elastic followed "virtual threads that take their records along have their ids" 40
	fi
	turn 0 && resource
	turn 1 && no_resource
	turn 0 && fields none
	turn 1 && fields otel --trace-ids=off
done

# Virtual threads of other JDKs, with the libraries that the last one has built.
for version in "${OTHER_JDKS[@]}"; do
	[ "$version" -ge 21 ] || continue
	root_use "$version" "ids of virtual threads" || continue
	virtual otel virtual "no virtual thread has the ids that another one left on its carrier" "$(amount 40 2000)"
	virtual otel followed "virtual threads that take their records along have their ids" "$(amount 40 2000)"
done
