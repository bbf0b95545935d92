#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The system calls that frtrace may still make once it records: what is refused, and that nothing that it needs is.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# gdb makes the process call it. Prints "RESULT ERRNO" for each.
calls_of() { # PID CALL...
	local pid=$1 call commands=()
	shift
	for call in "$@"; do
		commands+=(-ex "printf \"%ld %d\\n\", (long)syscall($call), *(int *)__errno_location()")
	done
	timeout -k 10 200 gdb --nx --batch -p "$pid" -ex 'handle SIGSYS nostop noprint pass' "${commands[@]}" 2>"$WORK/gdb" | grep -E '^-?[0-9]+ [0-9]+$'
}

# All threads must have the filter, now or soon: it comes after the line with "tracing".
filtered() { # PID [THREADS]
	wait_for 5 has_filters "$1" "${2:-3}" || finding "there are not ${2:-3} threads with a filter:" "$(grep -E '^(Seccomp|NoNewPrivs):' "/proc/$1/task/"*/status)"
}

has_filters() { # PID THREADS
	local with
	with=$(cat "/proc/$1/task/"*/status | grep -cxE $'Seccomp:\t2|NoNewPrivs:\t1')
	[ "$with" = $((2 * $2)) ] && [ "$(ls "/proc/$1/task" | wc -l)" = "$2" ]
}

# By number, x86-64: execve, execveat, ptrace, setns, unshare, mount, socket, process_vm_writev, kill, clone, tgkill.
REFUSED=('59, "/bin/true", 0, 0' '322, -100, "/bin/true", 0, 0, 0' '101, 16, 1, 0, 0' '308, 0, 0' '272, 0x20000' '165, "none", "/", "tmpfs", 0, 0'
	'41, 1, 1, 0' '311, 1, 0, 0, 0, 0, 0' '62, 1, 0' '56, 17, 0, 0, 0, 0' '234, 1, 1, 0')

refused() {
	local said
	begin "a recording starts no program, and reaches into no other process, JDK $FEATURE" || return 0
	trace_program Splits 20 sleep -- -m live.Splits::sleep || return 0
	filtered "$F_PID"
	said=$(calls_of "$F_PID" "${REFUSED[@]}" | sort | uniq -c | tr -s ' ')
	[ "$said" = " ${#REFUSED[@]} -1 1" ] || finding "results and errors:" "$said" "$(cat "$WORK/gdb")"
	said=$(calls_of "$F_PID" 39) # getpid
	[ "${said% *}" = "$F_PID" ] || finding "getpid() gives $said"
	trace_calls
	[ "$(file_events live.Splits.sleep)" -gt 0 ] || finding "no calls"
	finish
}

# The process that waits for JVMs forks, attaches and signals, and so it may do these, too.
WAITING_REFUSED=("${REFUSED[@]:0:6}" "${REFUSED[7]}")

# --follow, and a JVM that it traces, F_PID and T_PID.
follow_start() { # [-o FILE] OPTION...
	local jar=$WORK/confined-$$.jar
	[ -e "$jar" ] || "$JAVA/bin/jar" cfe "$jar" live.Pulse -C "$CLASSES" live/Pulse.class || finding "cannot make $jar"
	rm -f "$WORK/quit"
	mkdir -p "$WORK/followed"
	[ "$1" = -o ] || set -- -o "$WORK/followed/" "$@"
	trace_launch --follow="${jar##*/}" "$@"
	wait_for 20 grep -qs '^following ' "$F_DIR/stderr" || finding "it does not follow"
	"${SERVICE[@]}" "$JAVA/bin/java" "${BRIEF[@]}" -jar "$jar" "$WORK/quit" >"$WORK/pulse" 2>&1 </dev/null &
	T_PID=$!
	STARTED+=("$T_PID")
	wait_for "$TRACE_SECONDS_MAX" grep -qs "^$T_PID: tracing " "$F_DIR/stderr" && return
	finding "it does not trace: $(cat "$F_DIR/stderr" "$WORK/pulse")"
	return 1
}

follow_stop() {
	touch "$WORK/quit"
	wait_for "$SECONDS_MAX" ended "$T_PID" || finding "the JVM does not end"
	stopped_with 0
	grep -qE "^$T_PID: [1-9][0-9,]* calls?, 0 thrown, 0 lost" "$F_DIR/stderr" || finding "$(cat "$F_DIR/stderr")"
}

# The child that records; others look at processes, or watch.
recorder() {
	local child
	for child in $(cat "/proc/$F_PID/task/$F_PID/children"); do
		[ "$(cat "/proc/$child/comm")" != frtrace ] || echo "$child"
	done
}

waiting() {
	local said
	begin "--follow starts no program while it waits, and reaches into no other process, JDK $FEATURE" || return 0
	if follow_start -m live.Pulse::beat; then
		filtered "$F_PID" 1
		filtered "$(recorder)" 3
		said=$(calls_of "$F_PID" "${WAITING_REFUSED[@]}" | sort | uniq -c | tr -s ' ')
		[ "$said" = " ${#WAITING_REFUSED[@]} -1 1" ] || finding "results and errors:" "$said" "$(cat "$WORK/gdb")"
		follow_stop
	fi
	verdict
}

# Neither may a recording use a call that its filter refuses: the variant writes down those that it does.
unrefused() { # MODE
	[ ! -e "$FRTRACE_REFUSED" ] || finding "$1: $(sort "$FRTRACE_REFUSED" | uniq -c)"
	rm -f "$FRTRACE_REFUSED"
}

variant() {
	begin "a refused system call is noticed by the next cases, JDK $FEATURE" || return 0
	trace_program Splits 20 sleep -- -m live.Splits::sleep || return 0
	filtered "$F_PID"
	calls_of "$F_PID" "${REFUSED[0]}" >"$WORK/called"
	[ "$(cat "$FRTRACE_REFUSED")" = 'refused execve' ] || finding "written: $(cat "$FRTRACE_REFUSED" "$WORK/called" "$WORK/gdb")"
	rm -f "$FRTRACE_REFUSED"
	stopped_with 0
	unrefused "a recording"
	finish
}

own() { # MODE COMMAND...
	local mode=$1
	shift
	timeout 200 "$@" >"$WORK/own" 2>&1 || finding "$mode: status $?:" "$(cat "$WORK/own")"
	unrefused "$mode"
}

modes() {
	local dir=$WORK/ring
	begin "no recording, however it is made and ended, is refused a system call, JDK $FEATURE" || return 0
	run_program Waits || return 0
	mkdir -p "$dir"
	own "all that is recorded" "$FRTRACE" -p "$T_PID" -m live.Waits -M java.lang.Object --kernel=full -d 2s -o "$WORK/a.jfr"
	own "perf buffers" "$FRTRACE" -p "$T_PID" -m live.Waits --kernel=full -d 1s -o "$WORK/l.jfr" --buffer=perf
	own "a table" python3 "$LIVE/in_terminal.py" 80 24 "$WORK/screen" "$WORK/stop" "$FRTRACE" -p "$T_PID" -m live.Waits -i 500ms -d 2s -o "$WORK/b.jfr"
	own "lines" "$FRTRACE" -p "$T_PID" -m live.Waits --lines -d 1s -o "$WORK/c.jfr"
	own "a ring and metrics" "$FRTRACE" -p "$T_PID" -m live.Waits -d 2s --max-age=1s -o "$dir/" --metrics="$WORK/x.prom"
	own "a stream" sh -c '"$@" >"$0"' "$WORK/stream.jfr" "$FRTRACE" -p "$T_PID" -m live.Waits -d 1s -o -
	own "a report" "$FRTRACE" -p "$T_PID" -m live.Waits -d 1s -o "$WORK/d.jfr" --report="$WORK/d.html"
	[ "$FEATURE" = 8 ] || own "--with-jfr" "$FRTRACE" -p "$T_PID" -m live.Waits -d 2s -o "$WORK/e.jfr" --with-jfr
	own "start" "$FRTRACE" start -p "$T_PID" -m live.Waits -o "$WORK/f.jfr"
	own "dump" "$FRTRACE" dump "$T_PID" -o "$WORK/g.jfr"
	own "status" "$FRTRACE" status "$T_PID"
	own "stop" "$FRTRACE" stop "$T_PID"
	own "in memory" "$FRTRACE" start -p "$T_PID" -m live.Waits --in-memory=16m
	own "dump of memory" "$FRTRACE" dump "$T_PID" -o "$WORK/h.jfr"
	own "stop in memory" "$FRTRACE" stop "$T_PID" -o "$WORK/i.jfr"
	own "a condition that it cannot decide" sh -c '"$0" "$@"; [ $? = 5 ]' "$FRTRACE" -p "$T_PID" -m live.Waits -d 1s -o "$WORK/j.jfr" --fail-if='live.Waits p99>50s'
	own "a program" "$FRTRACE" -m live.Hot -o "$WORK/k.jfr" -- "$JAVA/bin/java" -version
	finish
}

# All that --follow and its recordings do from their start on.
follow_modes() {
	local probes
	begin "--follow is refused no system call, JDK $FEATURE" || return 0
	for probes in auto perf; do
		follow_start --attach=$probes --kernel=full -m live.Pulse -M java.lang.Object -m 'java.lang.Thread::sleep*' -m 'java.io.UnixFileSystem::*' --max-total=100m --max-age=1s && follow_stop
		unrefused "--attach=$probes"
	done
	follow_start --buffer=perf -m live.Pulse::beat && follow_stop
	unrefused "--buffer=perf"
	follow_start -o "$WORK/followed/%p.jfr" -m live.Pulse::beat --with-jfr && follow_stop
	unrefused "--with-jfr"
	gcc -D_GNU_SOURCE -shared -fPIC -o "$WORK/refuse.so" "$LIVE/refuse.c" 2>"$WORK/gcc" || finding "$(cat "$WORK/gcc")"
	local TRACE_AS=(env LD_PRELOAD="$WORK/refuse.so")
	follow_start -m live.Pulse::beat && follow_stop
	unrefused "no watch for new processes"
	verdict
}

command -v gdb >/dev/null || { skip "the system calls that are refused" "no gdb: scripts/deps --tests"; exit 0; }
jdk_use "${JDKS[-1]}"
refused
waiting
variant_build confined
FRTRACE=$VARIANT
export FRTRACE_REFUSED=$WORK/refused
variant
modes
follow_modes
