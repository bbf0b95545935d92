#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Calls that have not returned are in the file: those that the program knows to be open, with stacks from the JVM's
# thread dump.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

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

# The open calls in the file must be those that the program knows.
open_agrees() { # NONE|STACKS
	local seen n
	judged_by live.OpenCheck \
		"$F_FILE" "$T_DIR/open" "$1"
	n=$(end_line_number 'still open')
	[ "${SAID##*$'\n'}" = "$n" ] || finding "${SAID##*$'\n'} events, $n still open"
	[ "$n" = "$(wc -l <"$T_DIR/open")" ] || finding "$n still open, the program has $(wc -l <"$T_DIR/open")"
}

# The jfr of each JDK counts these events in its summary and prints them correctly.
tools_agree() {
	local jdk jfr text
	for jdk in "${JDKS[@]}"; do
		jfr=(jfr_of "${jdk#* }")
		"${jfr[@]}" summary "$F_FILE" | grep -E "^ frtrace.OpenCall +$(wc -l <"$T_DIR/open") " >/dev/null ||
			finding "summary of JDK ${jdk%% *}: $("${jfr[@]}" summary "$F_FILE" | grep OpenCall)"
		text=$("${jfr[@]}" print --events OpenCall --stack-depth 20 "$F_FILE" 2>&1 |
			awk 'BEGIN { RS = "frtrace.OpenCall {" } /method = live.Open.openRead/')
		for what in 'startTime = [0-9:.]+' 'duration = [0-9.]+ m?s' 'eventThread = "o-read" \(javaThreadId = [0-9]+\)' \
			'live.Open.openRead\(long\) line: [0-9]+'; do
			grep -qE "$what" <<<"$text" || finding "print of JDK ${jdk%% *} has no /$what/:" "$text"
		done
	done
}

# Start the program, trace it, and let the calls begin.
open_begin() { # [TRACE-OPTION...] -- CLASS-ARGUMENT...
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	target_start Open "$@"
	trace_target -m "$FILTER" "${options[@]}" || return
	target_go && return
	finish
	return 1
}

case_all() { # SENTENCE HOW-IT-ENDS [TRACE-OPTION...]
	local how=$2
	begin "$1, JDK $FEATURE" || return 0
	shift 2
	open_begin "$@" -- all || return 0
	dump_stacks >"$T_DIR/dump"
	grep -q '^o-read' "$T_DIR/dump" || finding "no thread dump"
	$how
	status_is 0 3
	open_agrees "$T_DIR/dump"
	says "open for [0-9.]+ m?s: live.Open.open[A-Z][a-z]+\\(long(, int)?\\), and 24 more"
	tools_agree
	target_leaves
	finish
}

# Each thread in jstack's output as the kernel has it: name, now (us), system call or "running", functions of its kernel
# stack. A thread that has not been switched to for a second has been waiting since then.
kernel_waits() { # DUMP
	local name id now before
	while IFS=$'\t' read -r name id; do
		now=${EPOCHREALTIME/[^0-9]/} before=$(switches "$id")
		echo "$name"$'\t'"$now"$'\t'"$(cut -d' ' -f1 "/proc/$T_PID/task/$id/syscall")"$'\t'"$(stack_functions "$id")"$'\t'"$before"$'\t'"$id"
	done < <(thread_ids) >"$WORK/first"
	sleep 1
	while IFS=$'\t' read -r name now call functions before id; do
		[ "$call" = running ] || [ "$(switches "$id")" = "$before" ] || finding "$name is not waiting"
		echo "$name"$'\t'"$now"$'\t'"$call"$'\t'"$functions"
	done <"$WORK/first" >"$1"
	[ "$(wc -l <"$1")" -ge 7 ] || finding "only these threads: $(cat "$1")"
	[ "$(cut -f3 "$1" | sort -u | paste -sd,)" = 0,202,running ] || finding "they do not wait as expected: $(cat "$1")"
}

thread_ids() { # "NAME<TAB>ID" of threads with open calls
	"$(jdk_newest)/bin/jstack" "$T_PID" | sed -nE 's/^"(o-[a-z]+|main)".* nid=(0x[0-9a-f]+|[0-9]+).*/\1 \2/p' |
		while read -r name id; do echo "$name"$'\t'"$((id))"; done
}

switches() { awk '/^voluntary_ctxt_switches/ { print $2 }' "/proc/$T_PID/task/$1/status"; }

stack_functions() { sed -E 's/^\[<0>\] //; s/\+0x.*//' "/proc/$T_PID/task/$1/stack" | paste -sd' '; }

ongoing_agrees() { # FILE
	local said
	said=$(java_newest live.OngoingCheck "$1" "$T_DIR/waits" "$T_DIR/dump" 2>&1) || finding "$(basename "$1"): ${said:-no output}"
}

case_waits() {
	begin "the wait of a thread in an open call matches the kernel's data, JDK $FEATURE" || return 0
	open_begin -- all || return 0
	dump_stacks >"$T_DIR/dump"
	kernel_waits "$T_DIR/waits"
	stopped_with 0
	ongoing_agrees "$F_FILE"
	"$FRTRACE" view open "$F_FILE" >"$WORK/view"
	for what in 'live.Open.openRead\(long\) +o-read .* s socket' 'o-park .* s futex' 'o-spin .* (-|[0-9.]+ [um]s [a-z]+) *$'; do
		grep -qE "$what" "$WORK/view" || finding "view open has no /$what/:" "$(cat "$WORK/view")"
	done
	target_quit
	finish
}

case_dumped() {
	begin "a dump has the waits of threads in open calls, and so has the end of the recording, JDK $FEATURE" || return 0
	F_FILE=$WORK/dumped-$FEATURE.jfr
	target_start Open all
	if target_ready && "$FRTRACE" start -p "$T_PID" -m "$FILTER" -o "$F_FILE" 2>"$WORK/said" && target_go; then
		dump_stacks >"$T_DIR/dump"
		kernel_waits "$T_DIR/waits"
		"$FRTRACE" dump "$T_PID" -o "$WORK/copy.jfr" 2>>"$WORK/said" && ongoing_agrees "$WORK/copy.jfr"
		rm -f "$WORK/copy.jfr"
		"$FRTRACE" stop "$T_PID" 2>>"$WORK/said" || finding "status $?: $(cat "$WORK/said")"
		ongoing_agrees "$F_FILE"
		target_quit
	else
		finding "does not start: $(cat "$WORK/said")"
	fi
	finish
}

case_crowd() {
	begin "a thousand threads with an open call each are all in the file, JDK $FEATURE" || return 0
	open_begin -- crowd 1000 || return 0
	dump_stacks >"$T_DIR/dump"
	stopped_with 0
	open_agrees "$T_DIR/dump"
	target_quit
	finish
}

# A parked thread has no carrier. The expected stacks come from Thread.getStackTrace() of the threads.
case_virtual() {
	begin "virtual threads, parked and mounted, are in the file with their own stacks, JDK $FEATURE" || return 0
	open_begin -- virtual 300 || return 0
	stopped_with 0
	open_agrees "$T_DIR/stacks"
	target_leaves
	finish
}

# Constructors that ended unseen have taken all places for open calls when a method hangs.
case_broken() { # [TRACE-OPTION...]
	local lost
	begin "a call that hangs after constructors that ended unseen is in the file${1:+, $1}, JDK $FEATURE" || return 0
	open_begin "$@" -m 'live.Open$Part' -- broken || return 0
	dump_stacks >"$T_DIR/dump"
	stopped_with 0 3
	open_agrees "$T_DIR/dump"
	lost=$(jfr_newest summary "$F_FILE" | awk '$1 == "jdk.DataLoss" { print $2 }')
	[ "${lost:-0}" -gt 0 ] || finding "the constructors are not counted as lost"
	target_leaves
	finish
}

case_killed() {
	begin "open calls of a killed JVM are in the file, without stacks, JDK $FEATURE" || return 0
	open_begin -- all || return 0
	kill -9 "$T_PID"
	ended_with 0
	open_agrees NONE
	finish
}

# A stopped JVM does not answer. The recording must end nevertheless.
case_stopped() {
	begin "a JVM that hangs completely loses the stacks, not the open calls, JDK $FEATURE" || return 0
	open_begin -- all || return 0
	kill -STOP "$T_PID"
	trace_stop
	kill -CONT "$T_PID"
	status_is 3
	open_agrees NONE
	says 'no stack'
	finish
}

by_signal() { trace_stop; }
by_itself() { trace_wait 30; }

meanwhile case_stopped
for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	case_all "hanging calls are in the file, with their current stacks" by_signal
	turn 0 && case_all "thresholds do not filter open calls" by_itself -t 1h -d 10s
	turn 1 && case_waits
	turn 0 && case_dumped
	turn 1 && case_crowd
	[ "$FEATURE" -ge 21 ] && case_virtual
	turn 0 && case_killed
	case_broken
	turn 0 && case_broken --stacks=jvmti
done
meanwhile_ends
root_use 21 "open calls of virtual threads" && case_virtual
