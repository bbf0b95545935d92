#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Throttling: a method that is called too often is only counted from some call on; the others are still recorded.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# Millions of events surround these, so jfr would take a minute (file/reader_vs_jfr.sh shows that both print the same).
jfr_events() { "$FRTRACE" print --events "$1" "$F_FILE"; }

# One pass of the JDK's reader for both methods: "HOT SLOW" events.
recorded() {
	java_newest live.Check "$F_FILE" 2>/dev/null |
		awk '$4 == "live.Hot.hot" { hot = $1 } $4 == "live.Hot.slow" { slow = $1 } END { printf "%d %d\n", hot, slow }'
}

# Calls counted by the threads themselves: "HOT SLOW".
counted() { od -An -v -td8 -w64 "$T_DIR/counts" | awk 'NR == 1 { slow = $1 } NR > 1 { hot += $1 } END { printf "%d %d\n", hot, slow }'; }

# Invocations in the last emission; hot() must be the only timed method.
timed_hot() {
	jfr_events jdk.MethodTiming | awk '
		$1 == "method" && $3 !~ /^live.Hot.hot\(/ { other = 1 }
		$1 == "invocations" { n = $3 }
		END { print other ? -1 : n + 0 }'
}

# Each call is an event, or counted, or reported as lost; one more per thread may have been in progress. A method that
# is timed anyway has all its calls counted.
adds_up() { # OPEN-CALLS [timed]
	local hot slow events slow_events timed lost all
	read -r hot slow < <(counted)
	read -r events slow_events < <(recorded)
	timed=$(timed_hot) lost=$(end_line_number lost)
	[ "$events" -gt 0 ] || finding "no call of hot() is recorded"
	[ "$timed" -gt 0 ] || finding "no call of hot() is timed"
	if [ "${2:-}" = timed ]; then all=$timed; else all=$((events + timed + lost)); fi
	[ "$all" -ge "$hot" ] && [ "$all" -le $((hot + $1)) ] && [ "$events" -lt $((hot + $1)) ] ||
		finding "$hot calls of hot(): $events recorded, $timed timed, $lost lost"
	[ "$slow_events" -ge "$slow" ] && [ "$slow_events" -le $((slow + ($1 > 0))) ] ||
		finding "$slow calls of slow(), $slow_events recorded"
}

throttling_is_on() { grep -qs '^  throttled: ' "$F_DIR/stderr" || ended "$F_PID"; }

# The change is reported at once and at the beginning of each later chunk; there is one within two emissions.
is_in_each_chunk() {
	"$FRTRACE" print --json --events frtrace.Clock,frtrace.Message "$F_FILE" >"$WORK/said.json"
	python3 - "$WORK/said.json" >"$WORK/verdict" 2>&1 <<'P' || finding "$(tail -n 3 "$WORK/verdict")"
import json, sys
events = [(e["type"], e["values"]) for e in json.load(open(sys.argv[1]))["recording"]["events"]]
said = sorted(v["startTime"] for t, v in events if t == "frtrace.Message" and v["kind"] == "throttled")
later = [v["startTime"] for t, v in events if t == "frtrace.Clock" and v["startTime"] > said[0]]
assert len(later) >= 1 and sorted(later) == said[1:], (said, later)
P
	jfr_events frtrace.Message | grep 'live.Hot.hot(int)' >/dev/null || finding "the file does not name the method"
}

throttled() { # SENTENCE THREADS ENDING-FUNCTION OPTION...
	local ending=$3
	begin "$1, JDK $FEATURE" || return 0
	trace_program Hot "$2" "$LENGTH" -- -m 'live.Hot::hot;live.Hot::slow' --max-overhead=1% "${@:4}" || return 0
	touch "$T_DIR/go"
	wait_for 30 throttling_is_on
	$ending
	says '^  throttled: live.Hot.hot\(int\): .*\(--max-overhead=1%\)'
	says '^  1 method was throttled: [0-9,]+ calls are counted and timed'
	"$FRTRACE" view tree --merged "$F_FILE" >"$WORK/tree" 2>&1
	grep -A 2 '^≤: self time may include' "$WORK/tree" | grep -q 'live\.Hot\.hot(int)' || finding "the tree does not say so:" "$(tail -n 5 "$WORK/tree")"
	[ "$(grep -c 'throttled: ' "$F_DIR/stderr")" = 2 ] || finding "not reported once:" "$(cat "$F_DIR/stderr")"
	status_is 3
	finish
}

at_the_end() { # [timed]
	sleep 1
	touch "$T_DIR/stop"
	wait_for "$SECONDS_MAX" target_has "done" || finding "the program does not finish"
	trace_stop
	target_restored
	adds_up 0 "$@"
}

timed_anyway() { at_the_end timed; }

after_some_chunks() {
	sleep 6
	at_the_end
	is_in_each_chunk
}

killed() { # while it is busy
	sleep 1
	kill -9 "$T_PID"
	trace_wait 30
	adds_up "$threads"
}

killed_at_the_switch() {
	sleep 0.1
	kill -9 "$T_PID"
	trace_wait 30
	adds_up "$threads"
}

off() {
	local hot slow events slow_events lost
	begin "--max-overhead=off records every call, JDK $FEATURE" || return 0
	trace_program Hot 1 "$LENGTH" -- -m 'live.Hot::hot;live.Hot::slow' --max-overhead=off || return 0
	touch "$T_DIR/go"
	sleep 1
	touch "$T_DIR/stop"
	wait_for "$SECONDS_MAX" target_has "done"
	stopped_with 0 3
	grep -E 'throttled|hooks:' "$F_DIR/stderr" && finding "mentions throttling:" "$(cat "$F_DIR/stderr")"
	read -r hot slow < <(counted)
	read -r events slow_events < <(recorded)
	lost=$(end_line_number lost)
	[ $((events + lost)) = "$hot" ] || finding "$hot calls, $events recorded, $lost lost"
	[ "$slow_events" = "$slow" ] || finding "not all calls of slow() are recorded"
	jfr_events jdk.MethodTiming | grep invocations >/dev/null && finding "methods are timed"
	finish
}

# Calls that are not recorded cannot be throttled.
not_throttled() { # SENTENCE OPTION...
	begin "$1, JDK $FEATURE" || return 0
	trace_program Speed -- --max-overhead=1% "${@:2}" || return 0
	sleep 3
	stopped_with 0
	grep -q 'throttled' "$F_DIR/stderr" && finding "mentions throttling:" "$(cat "$F_DIR/stderr")"
	$check
	finish
}

reports_hooks() { says '^  hooks: [0-9,]+ calls a second that are not recorded take [0-9]+ % of a CPU'; }
no_hooks_line() { grep -q 'hooks:' "$F_DIR/stderr" && finding "$(cat "$F_DIR/stderr")"; }

# The program's own account shows that it goes on calling, while nothing is counted any more.
unhooked() {
	local more called
	begin "a short method that a filter with a * caught loses its hooks and is named with its calls, JDK $FEATURE" || return 0
	trace_program Speed -- --max-overhead=1% -m 'live.Speed::w*;live.Speed::loop' || return 0
	wait_for 60 grep -q '^  unhooked: ' "$F_DIR/stderr"
	sleep 1
	calls_asked 1 >/dev/null
	sleep 4 # the hooks are removed while calls go on
	more=$(calls_asked 2)
	trace_stop
	target_restored
	status_is 3
	says '^  unhooked: live.Speed.work\(int\), [0-9,]+ calls so far: no longer counted .*\(--auto-unhook=200 ns\)'
	says '^  1 of these was unhooked, and is not counted to the end'
	[ "$(grep -c '^  unhooked: ' "$F_DIR/stderr")" = 1 ] || finding "more is unhooked:" "$(cat "$F_DIR/stderr")"
	called=$(sed -nE 's/^  unhooked: [^ ]+ ([0-9,]+) calls.*/\1/p' "$F_DIR/stderr" | tr -d ,)
	"$FRTRACE" view method-timing --json "$F_FILE" | python3 -c '
import json, sys
called, more = map(int, sys.argv[1:])
counts = {r["method"]: r["invocations"] for r in json.loads(sys.stdin.readline())["rows"]}
count = counts["live.Speed.work(int)"]
assert 100000 < called <= count < called + more / 4, (counts, called, more)' "${called:-0}" "${more:-0}" >"$WORK/found" 2>&1 ||
		finding "calls:" "$(cat "$WORK/found")"
	finish
}

# Prints the number of calls since the last question.
calls_asked() { # NUMBER
	touch "$T_DIR/ask-$1"
	wait_for 30 test -s "$T_DIR/answer-$1" && sleep .1 && cut -d ' ' -f 1 "$T_DIR/answer-$1"
}

# Nothing of it is kept. In long roots the kernel has drained most before, of short ones nobody has seen anything.
throttled_in_roots() { # SENTENCE FILTER ROOT PROGRAM...
	begin "a hot method is throttled while all its calls are dropped with $1, JDK $FEATURE" || return 0
	trace_program "${@:4}" -- -m "$2" --inside="$3:1h" --max-overhead=1% || return 0
	touch "$T_DIR/go"
	wait_for 60 throttling_is_on
	trace_stop
	target_restored
	status_is 3
	says "^  throttled: ${2/::/.}\\(int\\): counted and timed only from .*\\(--max-overhead=1%\\)"
	says '^  0 roots kept of [0-9,]+'
	"$FRTRACE" print --events frtrace.Message "$F_FILE" | grep -q 'counted and timed only' || finding "the file does not say it"
	# A root that is open at the end is kept, with the calls that it had made before.
	[ "$(file_events "${2/::/.}")" = 0 ] || says '^  0 roots kept of [0-9,]+, [0-9]+ open'
	finish
}

threads=16
LENGTH=$(amount 1000 200) # of a call of hot(): a fifth of the events takes a fifth of the time to read
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	throttled "a hot method is throttled, each of its calls is recorded or counted, a slow method is recorded" 1 after_some_chunks
	throttled "throttled calls are counted also when the JVM is killed, 16 threads" 16 killed
done
jdk_use "${JDKS[-1]}"
throttled "throttled calls are counted with 16 threads" 16 at_the_end --no-stack
throttled "throttled calls are counted also when the JVM is killed at the moment of throttling" 16 killed_at_the_switch
throttled "a throttled method that is also timed has all its calls counted" 2 timed_anyway -M live.Hot::hot
unhooked
throttled_in_roots "long roots" live.Speed::work live.Speed::loop Speed
throttled_in_roots "short roots" live.Rooted::quick live.Rooted::fast Rooted 0 0 0 10000000
off
check=reports_hooks
not_throttled "calls below the threshold are not throttled: the cost of their hooks is reported" -m live.Speed::work -t 10s
check=no_hooks_line
not_throttled "methods that are only timed are not throttled" -M live.Speed::work
