#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# JDKs that the host does not have, each in a root directory with the libraries that it was built for.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

modern='live.Modern;live.Modern$Point;live.Modern$Shape;live.Modern$Disc;live.Modern$Box'

# The program's own output; the JVM's warnings about agents came with 21 (JEP 451).
same_output() { # DIRECTORY
	local warnings=0
	[ "$FEATURE" -ge 21 ] && warnings=3
	grep -v '^WARNING: ' "$T_DIR/stderr" >"$T_DIR/stderr-own"
	cmp "$1/stdout" "$T_DIR/stdout" || finding "stdout differs:" "$(cat "$T_DIR/stdout")"
	cmp "$1/stderr" "$T_DIR/stderr-own" || finding "stderr differs:" "$(cat "$T_DIR/stderr")"
	[ "$(grep -c '^WARNING: ' "$T_DIR/stderr")" = $warnings ] ||
		finding "expected $warnings warnings of the JVM:" "$(cat "$T_DIR/stderr")"
}

output() {
	local before
	begin "a traced program prints what it prints untraced, JDK $FEATURE" || return 0
	target_start ExitsMain 2000
	target_ready && target_go
	target_quit
	before=$T_DIR
	STATUS='0 3' record_program ExitsMain 2000 -- -m "$EXITS" || return 0
	same_output "$before"
	finish
}

# The newest JDK's tool reads the file.
tool() { # ARGUMENT...
	jfr_newest "$@" "$F_FILE" >"$WORK/tool" 2>&1 || finding "jfr $*: $(head -c 600 "$WORK/tool")"
}

shows() { # REGEX
	grep -qE -- "$1" "$WORK/tool" || finding "jfr does not show /$1/:" "$(head -n 12 "$WORK/tool")"
}

# The JVM ends while it is traced, and the tools read the file.
own_end() {
	local main=1
	begin "when the target ends the file is complete, jfr summary and print read it, JDK $FEATURE" || return 0
	[ "$FEATURE" -ge 25 ] && main=3 # the id of the thread main
	trace_program Late 2000 -- -m 'live.Late$Latecomer::checkout' || return 0
	target_go
	target_quit
	ended_with 0
	file_agrees
	tool summary
	shows '^ *jdk\.MethodTrace +2000 '
	tool print
	shows '^  method = live\.Late\$Latecomer\.checkout\(int\)'
	shows '^  eventThread = "main" \(javaThreadId = '$main'\)'
	shows '^  jvmVersion = "OpenJDK 64-Bit Server VM \([0-9].* built '
	finish
}

# Some 200,000 calls were made since the last answer.
speed_answers() {
	touch "$T_DIR/ask-$((++asked))"
	wait_for "$SECONDS_MAX" target_has "answer-$asked" || finding "the program makes no calls"
}

traced_once() {
	trace_target -m live.Speed::work -t 200ns || return
	# In the second answer all calls were made after the first.
	speed_answers && speed_answers
	stopped_with 0
	target_restored
	tmp_is_clean
	[ "$(file_events live.Speed.work)" -gt 0 ] || finding "no events in the file, or it cannot be read"
	rm -f "$F_FILE"
}

# One JVM is traced, traced again by a tracer that is killed, and traced once more.
again() {
	local asked=0
	begin "a second tracer attaches, even after kill -9 of the previous one, JDK $FEATURE" || return 0
	run_program Speed && traced_once && trace_target -m live.Speed::work -t 1s || return 0
	trace_kill
	wait_for 10 agent_idle || finding "still hooked: state $(peek "$T_PID" state)"
	traced_once
	target_quit
	finish
}

# JDK 21 calls java.lang.System$2 while a virtual thread is neither on its carrier nor off it. Asking the JVM for the
# stack there would hang.
mounting() { # SOURCE
	begin "stacks (--stacks=$1) of methods that the JVM calls while mounting virtual threads block none, JDK $FEATURE" || return 0
	STATUS='0 3' record_program Threads virtual 100 100 -- \
		"--stacks=$1" -m 'java.lang.System$1;java.lang.System$2;java.lang.Thread;java.lang.VirtualThread' || return 0
	finish
}

# The JVM's own trace has a line for each class that it redefines, and one with the times of each operation.
one_by_one() { # FILTER
	local classes operations
	begin "classes go through RetransformClasses one by one, JDK $FEATURE" || return 0
	STATUS='0 3' record_program -XX:TraceRedefineClasses=5 ExitsMain 4000 -- -m "$1" || return 0
	classes=$(grep -c 'loading name=' "$T_DIR/stdout") operations=$(grep -c 'vm_op: all=' "$T_DIR/stdout")
	[ "$classes" -ge 4 ] && [ "$operations" = "$classes" ] || finding "$classes classes in $operations operations:" "$(head -n 10 "$T_DIR/stdout")"
	finish
}

in_turn() { [[ " ${JDKS_IN_TURN[*]} " == *" $1 "* ]]; }

for version in "${HALF_OF_DAY[@]}"; do
	root_use "$version" "a JVM is traced" || continue
	exact "every way out of a method is counted once, with the right value of thrown" "$EXITS" ExitsMain 4000
	exact "50 threads with 2,000 calls give 100,000 events" live.Threads::work Threads together 50 2000
	[ "$FEATURE" -gt 8 ] || one_by_one "$EXITS"
	if [ "$FEATURE" -ge 21 ]; then
		exact "1,000 virtual threads that park between calls" live.Threads::work Threads virtual 1000 5
		mounting auto
	fi
	if [ "$FEATURE" -ge 25 ]; then
		exact "constructors with code before super()" 'live.Flexible$Early;live.Flexible$Base' Flexible 4000
	fi
	output
	in_turn "$version" || continue
	exact "2,000 short-lived threads" live.Threads::work Threads one-by-one 2000 3
	if [ "$FEATURE" -ge 17 ]; then
		exact "records, sealed types, switch expressions, resources" "$modern" ModernMain 4000
	fi
	[ "$FEATURE" -lt 21 ] || mounting jvmti
	own_end
	again
done
