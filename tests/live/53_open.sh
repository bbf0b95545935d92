#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# Calls that have not returned are in the file: what the program knows to be open, and the JVM's own thread dump.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

FILTER='live.Open::open*'

# "thread<TAB>class.method:line ...", of the JVM's own thread dump
dump_stacks() {
	"$(jdk_newest)/bin/jstack" "$T_PID" | awk '
		/^"/ { split($0, part, "\""); name = part[2]; at = "" }
		/^\tat / {
			frame = $2; sub(/\(.*/, "", frame); sub(/.*\//, "", frame)
			line = $0; if (!sub(/.*:/, "", line)) line = "-1"
			at = at frame ":" (line + 0 > 0 ? line + 0 : -1) " "
		}
		/^$/ && name ~ /^(o-|main$)/ { print name "\t" at; name = "" }'
}

# The open calls in the file are those that the program knows.
open_agrees() { # NONE|STACKS
	local seen n
	seen=$("$(jdk_newest)/bin/java" -cp "$CACHE/classes-${JDKS[-1]%% *}" -XX:TieredStopAtLevel=1 live.OpenCheck \
		"$F_FILE" "$T_DIR/open" "$1" 2>&1) || finding "${seen:-no output}"
	n=$(end_line_number 'still open')
	[ "${seen##*$'\n'}" = "$n" ] || finding "${seen##*$'\n'} events, $n still open"
	[ "$n" = "$(wc -l <"$T_DIR/open")" ] || finding "$n still open, the program knows of $(wc -l <"$T_DIR/open")"
}

# jfr of each JDK: its summary counts the events, its print shows them as what they are.
tools_agree() {
	local jdk jfr text
	for jdk in "${JDKS[@]}"; do
		jfr="${jdk#* }/bin/jfr"
		"$jfr" summary "$F_FILE" | grep -qE "^ frtrace.OpenCall +$(wc -l <"$T_DIR/open") " ||
			finding "summary of JDK ${jdk%% *}: $("$jfr" summary "$F_FILE" | grep OpenCall)"
		text=$("$jfr" print --events OpenCall --stack-depth 20 "$F_FILE" 2>&1 |
			awk 'BEGIN { RS = "frtrace.OpenCall {" } /method = live.Open.openRead/')
		for what in 'startTime = [0-9:.]+' 'duration = [0-9.]+ m?s' 'eventThread = "o-read" \(javaThreadId = [0-9]+\)' \
			'live.Open.openRead\(long\) line: [0-9]+'; do
			grep -qE "$what" <<<"$text" || finding "print of JDK ${jdk%% *} has no /$what/:" "$text"
		done
	done
}

# Start, trace, let the calls begin.
open_begin() { # [TRACE-OPTION...] -- CLASS-ARGUMENT...
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	target_start Open "$@"
	target_ready && trace_start -m "$FILTER" "${options[@]}" && target_go
}

case_all() { # SENTENCE HOW-IT-ENDS [TRACE-OPTION...]
	local sentence="$1, JDK $FEATURE" how=$2
	shift 2
	begin "$sentence" || return 0
	if open_begin "$@" -- all; then
		dump_stacks >"$T_DIR/dump"
		grep -q '^o-read' "$T_DIR/dump" || finding "no thread dump"
		$how
		status_is 0 3
		open_agrees "$T_DIR/dump"
		says "open for [0-9.]+ m?s: live.Open.open[A-Z][a-z]+\\(long\\), and 24 more"
		tools_agree
		target_restored
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

case_crowd() {
	local sentence="a thousand threads in a call each are all there, JDK $FEATURE"
	begin "$sentence" || return 0
	if open_begin -- crowd 1000; then
		dump_stacks >"$T_DIR/dump"
		trace_stop
		status_is 0
		open_agrees "$T_DIR/dump"
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

# The parked ones have no carrier now. Their own Thread.getStackTrace() is what is expected.
case_virtual() {
	local sentence="virtual threads, parked and mounted, are there with their own stacks, JDK $FEATURE"
	begin "$sentence" || return 0
	if open_begin -- virtual 300; then
		trace_stop
		status_is 0
		open_agrees "$T_DIR/stacks"
		target_restored
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

case_killed() {
	local sentence="the open calls of a JVM that is killed are in the file, without stacks, JDK $FEATURE"
	begin "$sentence" || return 0
	if open_begin -- all; then
		kill -9 "$T_PID"
		trace_wait 30
		status_is 0
		open_agrees NONE
	fi
	verdict "$sentence"
	target_drop
}

# Nobody answers in a JVM that is stopped: the end must come all the same.
case_stopped() {
	local sentence="a JVM that hangs as a whole costs the stacks, not the open calls, JDK $FEATURE"
	begin "$sentence" || return 0
	if open_begin -- all; then
		kill -STOP "$T_PID"
		trace_stop
		kill -CONT "$T_PID"
		status_is 3
		open_agrees NONE
		says 'no stack'
	fi
	verdict "$sentence"
	target_drop
}

by_signal() { trace_stop; }
by_itself() { trace_wait 30; }

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	case_all "what hangs is in the file, with its stack of now" by_signal
	case_all "thresholds filter no open calls" by_itself -t 1h -d 5s
	case_crowd
	[ "$FEATURE" -ge 21 ] && case_virtual
	case_killed
done
case_stopped
roots_find
if root_use 21; then
	case_virtual
else
	skip "virtual threads on JDK 21" "$(roots_why)"
fi
