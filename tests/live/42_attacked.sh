#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# What is done to us, and to the JVM meanwhile, harms neither it nor the file.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

state_is() { [ "$(peek "$T_PID" state)" = "$1" ]; }

# The JVM is still at work for the one that was killed; nobody else may have to wait for that one's heirs.
killed_at_start() {
	local sentence="when frtrace is killed while its recording begins the next one goes in at once, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start Hesitant 3000
	if target_ready; then
		trace_launch -p "$T_PID" -m live.Copy -o "$WORK/first.jfr"
		wait_for 30 state_is 1 || finding "the recording does not begin"
		kill -9 "$F_PID"
		wait "$F_PID" 2>/dev/null
		if trace_start -m live.Copy::work; then
			target_go
			trace_stop
			status_is 0
			target_restored
			target_quit
			file_agrees
		fi
	fi
	verdict "$sentence"
	target_drop
}

# Else the first file that is opened would be stderr.
closed_descriptors() {
	local sentence="with stdin, stdout and stderr closed the recording is whole, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start Late 500
	if target_ready; then
		F_FILE=$WORK/closed.jfr F_DIR=$T_DIR
		"$FRTRACE" -p "$T_PID" -m 'live.Late$Latecomer::checkout' --max-overhead=off -o "$F_FILE" <&- >&- 2>&- &
		F_PID=$!
		STARTED+=("$F_PID")
		wait_for 30 state_is 2 || finding "the recording does not begin"
		target_go
		trace_stop
		status_is 0
		target_restored
		target_quit
		file_agrees
	fi
	verdict "$sentence"
	target_drop
}

# What was easy to put in finds no memory any more to come out all at once.
full_heap() {
	local sentence="a JVM whose heap is full by the end of a recording is healed bit by bit, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start -Xmx24m -XX:+UseSerialGC Full
	if target_ready && trace_start -m '*' -t 10s; then
		target_go
		sleep 3
		trace_stop
		wait_for 60 state_is 0 || finding "still hooked: state $(peek "$T_PID" state)"
		target_restored
		target_quit
		grep -q 'full: fine' "$T_DIR/stdout" || finding "$(tail -n 5 "$T_DIR/stdout" "$T_DIR/stderr")"
	fi
	verdict "$sentence"
	target_drop
}

# An application server that reloads, a script engine: the agent's tables are not full for ever.
many_loaders() {
	local sentence="after more class loaders than there is room for the next recording has room again, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start Renewal 5000 300
	if target_ready && trace_start -m live.Copy::work -t 10s; then
		touch "$T_DIR/go"
		wait_for 60 target_has first
		trace_stop
		says '^4,095 calls' # of 5,000: one row is the boot loader's
		if trace_start -m live.Copy::work; then
			touch "$T_DIR/again"
			target_go
			trace_stop
			status_is 0
			target_restored
			target_quit
			file_agrees
		fi
	fi
	verdict "$sentence"
	target_drop
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	turn 0 && many_loaders
	full_heap
	turn 1 && killed_at_start
	turn 0 && closed_descriptors
done
