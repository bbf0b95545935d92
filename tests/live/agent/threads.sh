#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Many threads: no call is lost, each thread has its name, memory stays bounded.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

crowd() {
	local cap used resident lost events
	begin "rings stay under their cap with 5,000 threads, JDK $FEATURE" || return 0
	trace_program -Xmx256m Crowd 5000 200 -- -m live.Crowd::work || return 0
	target_go
	cap=$(peek "$T_PID" ring_cap) used=$(peek "$T_PID" ring_used)
	[ "$cap" -gt 0 ] && [ "$used" -gt 0 ] && [ "$used" -le "$cap" ] || finding "rings: $used of $cap bytes"
	resident=$(awk '/memfd:.*fr/ { inside = 1 } /^Rss:/ && inside { sum += $2; inside = 0 } END { print sum + 0 }' "/proc/$T_PID/smaps")
	[ "$resident" -le 16384 ] || finding "the control segment has $resident KiB of memory"
	stopped_with 0 3
	target_restored
	lost=$(end_line_number lost)
	events=$(file_events live.Crowd.work)
	[ $((events + lost)) -eq 1000000 ] || finding "1000000 calls, but $events in the file and $lost reported as lost"
	finish
}

# Without CAP_IPC_LOCK the buffers are small: they are filled many times, or once if frtrace stands still.
overflow() { # LEAST-LOST SENTENCE
	local lost events
	begin "$2, JDK $FEATURE" || return 0
	local BUFFER=perf TRACE_AS=(setpriv --bounding-set=-ipc_lock prlimit --memlock=0)
	trace_program Threads together 50 20000 -- -m live.Threads::work --no-stack -v || return 0
	says '^perf buffers of [1-9][0-9]{2,3} KiB'
	[ "$1" = 0 ] || kill -STOP "$F_PID"
	target_go
	kill -CONT "$F_PID"
	stopped_with 0 3
	target_restored
	lost=$(end_line_number lost)
	events=$(file_events live.Threads.work)
	[ "$lost" -ge "$1" ] && [ $((events + lost)) -eq 1000000 ] ||
		finding "1000000 calls, but $events in the file and $lost reported as lost"
	finish
}

# The hooks for mounts come with the first virtual thread, and miss none of its waits.
first_virtual() {
	local redefined
	begin "java.lang.VirtualThread is left alone until the first virtual thread, whose calls have their times, JDK $FEATURE" || return 0
	trace_program -Xlog:redefine+class+load=info Threads virtual 20 5 -- \
		-m live.Threads::callsAndParks --no-stack || return 0
	redefined=$(grep -o 'redefined name=[^,]*' "$T_DIR/stdout" | paste -sd ' ')
	[ "$redefined" = "redefined name=live.Threads" ] || finding "before the first virtual thread: $redefined"
	trace_calls
	target_restored
	grep -q 'redefined name=java.lang.VirtualThread,' "$T_DIR/stdout" || finding "it has got no hooks"
	"$FRTRACE" print --json --events jdk.MethodTrace "$F_FILE" | python3 -c '
import json, sys
calls = [e["values"] for e in json.load(sys.stdin)["recording"]["events"]]
timed = [c for c in calls if c["blockedTime"] not in (None, "PT0S")]
sys.exit(0 if len(calls) == len(timed) == 20 else "%d of %d calls have a time in which they were parked" % (len(timed), len(calls)))
' 2>"$WORK/odd" || finding "$(cat "$WORK/odd")"
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	[ "$FEATURE" -ge 21 ] && first_virtual
	exact "50 threads with 20,000 calls give 1,000,000 events" live.Threads::work Threads together 50 20000
	turn 0 && BUFFER=perf exact "50 threads with 20,000 calls give 1,000,000 events" live.Threads::work Threads together 50 20000
	exact "10,000 short-lived threads" live.Threads::work Threads one-by-one 10000 3
	if [ "$FEATURE" -ge 21 ]; then
		exact "1,000 virtual threads that park between calls" live.Threads::work Threads virtual 1000 5
		BUFFER=perf exact "1,000 virtual threads that park between calls" live.Threads::work Threads virtual 1000 5
		PROBES=perf exact "1,000 virtual threads that park between calls" live.Threads::work Threads virtual 1000 5
	fi
	turn 0 && overflow 0 "calls that pass through small perf buffers are recorded or counted as lost"
	turn 1 && overflow 500000 "what does not fit into perf buffers is counted as lost"
	crowd
done

for version in "${OTHERS_OF_DAY[@]}"; do
	[ "$version" -ge 21 ] || continue
	root_use "$version" "virtual threads" && first_virtual
done
