#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Traced programs work as before.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

whitelist() {
	begin "a loader with a list of allowed names works as before, its class is skipped and named, JDK $FEATURE" || return 0
	STATUS='0 3' record_program Whitelist 20000 -- -m live.Copy || return 0
	says 'live.Copy'
	grep -qx 'loaded before: 10000 good, 10000 bad' "$T_DIR/stdout" && grep -qx 'loaded later: 10000 good, 10000 bad' "$T_DIR/stdout" ||
		finding "the program said:" "$(cat "$T_DIR/stdout" "$T_DIR/stderr")"
	finish
}

# StackOverflowError between lock() and try leaves a lock locked now and then, also untraced: a few in 100.
# A traced round makes many calls, and a third of them end with the error. On a busy machine it takes seconds.
deep() {
	local SECONDS_MAX=240 before after n
	begin "recursion into StackOverflowError while locks are taken ends as it does untraced, JDK $FEATURE" || return 0
	n=$(amount 30 100)
	target_start Deep "$n"
	target_ready && target_go
	before=$(cat "$T_DIR/left")
	target_quit
	STATUS='0 3' record_program Deep "$n" -- \
		-m 'live.Deep::plain;live.Deep::locked;live.Deep::monitor;java.util.concurrent.locks.ReentrantLock;java.util.concurrent.locks.AbstractQueuedSynchronizer;java.util.concurrent.ConcurrentHashMap' || return 0
	after=$(cat "$T_DIR/left")
	[ "$after" -le $((before + n / 6)) ] || finding "$after of $n locks stay locked, untraced $before"
	grep -q "deep: $((3 * n)) overflows, $n monitors free" "$T_DIR/stdout" || finding "$(tail -n 3 "$T_DIR/stdout")"
	finish
}

# -Xrs: SIGQUIT keeps its default and kills.
no_signals() {
	begin "a JVM with -Xrs and a cleaned /tmp survives, and the reason is reported, JDK $FEATURE" || return 0
	run_program -Xrs Late 10 || return 0
	rm -f "/tmp/.java_pid$T_PID"
	trace_launch -p "$T_PID" -m live.Late -o "$WORK/xrs.jfr" -d 1s
	ended_with 1
	sleep 0.3
	ended "$T_PID" && finding "the target is dead"
	target_untouched "$T_PID"
	finish
}

# The signal must not be sent before the JVM handles it.
just_started() {
	local n i delay
	n=$(amount 8 20)
	begin "a JVM that has just been started survives, $n times, JDK $FEATURE" || return 0
	for i in $(seq "$n"); do
		delay=$((i * 60 / n))
		target_start Late 10
		sleep "0.$(printf %03d $delay)"
		trace_launch -p "$T_PID" -m live.Late -o "$WORK/started-$i.jfr" -d 100ms
		trace_wait 30
		wait_for 10 target_has ready
		ended "$T_PID" && finding "dead after $delay ms:" "$(cat "$F_DIR/stderr")"
		[ "$F_STATUS" -le 1 ] || finding "status $F_STATUS after $delay ms" "$(cat "$F_DIR/stderr")"
		target_drop
	done
	verdict
}

# All of java.base at once, and a program that uses many parts of it.
everything() {
	local before filters=() line hooked
	begin "all of java.base rewritten under -Xverify:all runs a real program, JDK $FEATURE" || return 0
	while IFS= read -r line; do
		filters+=(-m "$line")
	done < <("$JAVA/bin/java" -cp "$CLASSES" live.Everything)
	target_start Everything
	target_ready && target_go
	before=$T_DIR
	target_quit
	trace_program -Xverify:all Everything -- "${filters[@]}" -t 10s || return 0
	hooked=$(sed -nE 's/^tracing ([0-9,]+) methods .*/\1/p' "$F_DIR/stderr" | tr -d ,)
	[ "${hooked:-0}" -gt 3000 ] || finding "only ${hooked:-no} methods are hooked"
	target_go
	cmp "$before/stdout" "$T_DIR/stdout" || finding "it prints:" "$(head -n 5 "$T_DIR/stdout" "$T_DIR/stderr")"
	trace_stop
	target_leaves
	finish
}

# A small version of a thousand attaches: the mappings do not grow.
repeated() {
	local n i libraries
	n=$(amount 5 10)
	begin "$n recordings leave one library and one helper class, JDK $FEATURE" || return 0
	run_program Speed || return 0
	for i in $(seq "$n"); do
		trace_start -m live.Speed::work -t 1s -d 100ms
		ended_with 0
	done
	libraries=$(awk '/libfrtrace/ { print $6 }' "/proc/$T_PID/maps" | sort -u | wc -l)
	[ "$libraries" = 1 ] || finding "$libraries libraries are mapped"
	[ "$(awk '/libfrtrace/ && $3 == "00000000"' "/proc/$T_PID/maps" | wc -l)" = 1 ] || finding "mapped more than once"
	"$JAVA/bin/jcmd" "$T_PID" GC.class_histogram -all 2>/dev/null | grep -ciE 'java\.lang\.[a-z$]*frt' >"$T_DIR/helpers"
	[ "$(cat "$T_DIR/helpers")" -le 1 ] || finding "$(cat "$T_DIR/helpers") helper classes"
	tmp_is_clean
	target_restored
	finish
}

# Hooks are added and removed while four threads use every kind of exit.
churn() {
	local n i
	n=$(amount 5 20)
	begin "$n attaches under load change no result, JDK $FEATURE" || return 0
	run_program Churn 4 || return 0
	for i in $(seq "$n"); do
		trace_start -m "$EXITS" -d "$((i * 200 / n))ms" || break
		ended_with 0 3 # 3: calls were lost
		rm -f "$F_FILE"
	done
	target_leaves
	grep -qx 'churn: every round as the first' "$T_DIR/stdout" || finding "$(head -n 20 "$T_DIR/stdout" "$T_DIR/stderr")"
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	whitelist
	churn
	turn 0 && deep
	turn 1 && no_signals
	turn 1 && just_started
	everything
	turn 0 && repeated
done
