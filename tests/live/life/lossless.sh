#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --lossless: calls wait for a frtrace that is slower than they are, and for none that stands still or is dead.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

THREADS=4
CALLS=$(amount 500000 20000000) # of each thread
ENDLESS=1000000000

# Of the lines of `counts`: collections, or calls of all threads in thousands.
collections() { od -An -v -td8 -w64 -N64 "$T_DIR/counts" | awk '{ print $1 }'; }
thousands() { od -An -v -td8 -w64 "$T_DIR/counts" | awk 'NR > 1 { n += $1 } END { print n + 0 }'; }

collections_beyond() { [ "$(collections)" -gt "$1" ]; } # N
thousands_beyond() { [ "$(thousands)" -gt "$1" ]; }	# N

# No thread has made a thousand calls for half a second.
stand_still() {
	local before
	before=$(thousands)
	sleep .5
	[ "$(thousands)" = "$before" ]
}

flood() { # CALLS TRACE-OPTION...
	trace_program Flood $THREADS "$1" -- -m 'live.Flood::tiny' --no-stack --max-size=8g "${@:2}" || return
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" thousands_beyond 0 || finding "the program does not run"
}

all_recorded() {
	begin "no call is lost at full rate, JDK $FEATURE" || return 0
	flood "$CALLS" --lossless=60s || return 0
	trace_calls
	says "^[0-9,]+ calls, 0 thrown, 0 lost"
	file_agrees
	target_drop
	finish
}

# Threads wait while frtrace stands still, in a state in which the JVM can collect garbage, and then go on, until the JVM is
# killed. What the program has counted itself is recorded, and at most the thousand that each thread was about to count.
held_up() {
	local before events counted
	begin "threads wait for a frtrace that stands still, safepoints do not wait for them, and no call is lost when the JVM is killed, JDK $FEATURE" || return 0
	flood $ENDLESS --lossless=60s -m live.Flood::flood || return 0
	kill -STOP "$F_PID"
	wait_for "$SECONDS_MAX" stand_still || finding "no thread waits"
	before=$(collections)
	wait_for "$SECONDS_MAX" collections_beyond $((before + 2)) || finding "no safepoint while threads wait"
	before=$(thousands)
	kill -CONT "$F_PID"
	wait_for "$SECONDS_MAX" thousands_beyond $((before + 10)) || finding "no thread goes on"
	kill -9 "$T_PID"
	ended_with 0
	says "^[0-9,]+ calls, 0 thrown, 0 lost"
	says "^  [0-9,]+ times? a call waited for frtrace, "
	"$FRTRACE" print --events frtrace.ThreadWait "$F_FILE" | grep 'reason = "frtrace"' >/dev/null ||
		finding "no wait is blamed on frtrace"
	events=$(java_newest live.Check "$F_FILE" 2>/dev/null | awk '$4 == "live.Flood.tiny" { print $1 }')
	counted=$(($(thousands) * 1000))
	[ "${events:-0}" -ge "$counted" ] && [ "$events" -le $((counted + THREADS * 1000)) ] ||
		finding "${events:-0} events of $counted calls"
	target_drop
	finish
}

# All have waited for so long once, and do not again.
goes_on() {
	local before
	begin "no thread waits again for a frtrace that stands still for longer than TIMEOUT, JDK $FEATURE" || return 0
	flood $ENDLESS --lossless=1ms || return 0
	kill -STOP "$F_PID"
	before=$(thousands)
	wait_for "$SECONDS_MAX" thousands_beyond $((before + 20000)) || finding "the program stands still"
	kill -CONT "$F_PID"
	trace_stop
	status_is 0 3
	[ "$(end_line_number lost)" -gt 0 ] || finding "nothing is lost"
	target_drop
	finish
}

killed() {
	begin "a killed frtrace holds up no call, JDK $FEATURE" || return 0
	flood $ENDLESS --lossless=60s || return 0
	kill -STOP "$F_PID"
	wait_for "$SECONDS_MAX" stand_still || finding "no thread waits"
	trace_kill
	wait_for 10 thousands_beyond $(($(thousands) + 20000)) || finding "the program stands still"
	wait_for "$SECONDS_MAX" agent_idle # it looks for its collector every few seconds
	target_restored
	target_drop
	finish
}

variants() {
	turn 0 && all_recorded
	turn 1 && held_up
	turn 0 && goes_on
	turn 1 && killed
	true
}
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	variants
done
