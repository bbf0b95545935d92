#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The agent in the JVM: loaded once for many recordings; simultaneous first attaches; full tables; seccomp filters that kill.
. "$(dirname "$0")/../lib.sh"

memfds_of() { # PID
	find "/proc/$1/fd" -lname '/memfd:frtrace-*' 2>/dev/null | wc -l
}

libraries_of() { # PID
	awk '/libfrtrace/ && $3 == "00000000"' "/proc/$1/maps" | wc -l
}

files_of() { # PID
	find "/proc/$1/fd" -lname '*/libfrtrace-*.so (deleted)' 2>/dev/null | wc -l
}

# Sets `held`: how many descriptors and threads the JVM has.
look_at_held() { held=("$(descriptors | wc -l)" "$(find "/proc/$T_PID/task" -mindepth 1 -maxdepth 1 | wc -l)"); }

holds_no_more() { look_at_held && [ "${held[0]}" -le "$1" ] && [ "${held[1]}" -le "$2" ]; } # DESCRIPTORS THREADS

# One library, one segment, and one file are in the JVM.
one_of_each() { # [ROUND]
	[ "$(libraries_of "$T_PID")" = 1 ] || finding "$*: $(libraries_of "$T_PID") libraries are mapped"
	[ "$(memfds_of "$T_PID")" = 1 ] || finding "$*: $(memfds_of "$T_PID") segments"
	[ "$(files_of "$T_PID")" = 1 ] || finding "$*: $(files_of "$T_PID") descriptors of the agent's file"
	target_restored
}

one_agent() {
	local n i held first=()
	n=$(amount 10 50)
	begin "$n recordings load the agent once, with one thread and two descriptors, JDK $FEATURE" || return 0
	run_program "${FIXED_THREADS[@]}" Speed || return 0
	for i in $(seq "$n"); do
		trace_start -m live.Speed::work -t 1s -d 20ms
		ended_with 0
		[ ${#first[@]} -gt 0 ] || { look_at_held && first=("${held[@]}"); }
	done
	wait_for 5 holds_no_more "${first[@]}" || finding "descriptors and threads: ${first[*]} after the first, now ${held[*]}"
	one_of_each "after $n recordings"
	if [ "$FEATURE" -ge 25 ]; then
		"$JAVA/bin/jcmd" "$T_PID" JFR.start name=agents settings=default >/dev/null
		"$JAVA/bin/jcmd" "$T_PID" JFR.stop name=agents filename="$T_DIR/agents.jfr" >/dev/null
		i=$(jfr_of "$JAVA" print --events jdk.NativeAgent "$T_DIR/agents.jfr" | grep -c 'name = ".*libfrtrace-')
		[ "$i" = 1 ] || finding "the JVM lists $i agents"
	fi
	finish
}

# All get it, and share one agent.
first_attaches() {
	local n i pids round
	n=$(amount 3 20)
	begin "three simultaneous first attaches share one agent, $n times, JDK $FEATURE" || return 0
	for round in $(seq "$n"); do
		target_start Speed
		target_ready || break
		pids=()
		for i in 1 2 3; do
			"$FRTRACE" -p "$T_PID" -m live.Speed::work -t 1s -d 2s -o "$T_DIR/race-$i.jfr" >"$T_DIR/race-$i" 2>&1 </dev/null &
			pids+=($!)
			STARTED+=($!)
		done
		for i in 1 2 3; do
			wait "${pids[i - 1]}" || finding "round $round: status $?: $(cat "$T_DIR/race-$i")"
		done
		one_of_each "round $round"
		target_drop
	done
	verdict
}

filtered_start() { # kill|refuse CALL
	local LAUNCH=("${LAUNCH[@]}" "$WORK/filtered" "$@")
	run_program Speed
}

filtered_away() { # kill|refuse CALL NAME REGEX
	begin "a JVM whose seccomp filter would $1 $3() is refused, and survives, JDK $FEATURE" || return 0
	filtered_start "$1" "$2" || return 0
	trace_launch -p "$T_PID" -m live.Speed::work -o "$WORK/none.jfr"
	ended_with 1
	says "^frtrace: .*: $4"
	ended "$T_PID" && finding "the JVM is dead"
	[ -z "$(cat "/proc/$T_PID"/task/*/children)" ] || finding "the JVM has children"
	target_untouched "$T_PID"
	finish
}

filtered_traced() { # kill|refuse CALLS NAMES
	begin "a JVM whose seccomp filter would $1 $3 is traced with stacks, JDK $FEATURE" || return 0
	filtered_start "$1" "$2" || return 0
	trace_start -m live.Speed::work -n 100
	ended_with 0
	grep -q 'no stacks' "$F_DIR/stderr" && finding "$(cat "$F_DIR/stderr")"
	[ -z "$(cat "/proc/$T_PID"/task/*/children)" ] || finding "the JVM has children"
	target_restored
	finish
}

# System call numbers of x86-64. tests/unit/agent/test_seccomp.c tries all that the agent makes.
seccomp() {
	local kills='a seccomp filter would kill the JVM for' calls=35,61,310 names='nanosleep(), wait4() and process_vm_readv()'
	filtered_away kill 319 memfd_create "$kills memfd_create\(\): "
	filtered_away kill 18 pwrite64 "$kills pwrite64\(\): "
	filtered_away refuse 319 memfd_create 'memfd_create\(\) fails in the JVM, which the agent needs: Operation not permitted'
	filtered_away refuse 77 ftruncate 'ftruncate\(\) fails in the JVM'
	filtered_traced refuse "$calls" "$names"
	# glibc makes threads by clone3() since 2.34, by clone() before
	printf '%s\n' 2.34 "$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" | sort -CV && calls+=,56 names+=', clone()'
	filtered_traced kill "$calls" "$names"
}

# The kernel adds a seal to the segment. A setting of the pid namespace; the JVM is its first process. The agent walks
# stacks only while it knows the segment by its seals.
sealed_by_kernel() { # VM.MEMFD_NOEXEC
	local LAUNCH=("${LAUNCH[@]}") outer
	begin "with vm.memfd_noexec=$1 a JVM is traced as without, JDK $FEATURE" || return 0
	[ -e /proc/sys/vm/memfd_noexec ] || { skip "$SENTENCE" "the kernel has no vm.memfd_noexec"; return; }
	LAUNCH+=(unshare --pid --fork --mount --kill-child sh -c "mount --make-rprivate / && mount -t proc proc /proc &&
		echo $1 >/proc/sys/vm/memfd_noexec && exec \"\$@\"" -)
	run_program Speed || return 0
	outer=$T_PID T_PID=$(pgrep -P "$T_PID")
	STARTED+=("$T_PID")
	trace_start -m live.Speed::work --stacks=walk -n 10
	ended_with 0
	grep -q 'no stack' "$F_DIR/stderr" && finding "$(cat "$F_DIR/stderr")"
	target_restored
	target_drop
	T_PID=$outer
	finish
}

# More loaders than half of their table, and a class that got hooks and was never defined.
crowded() {
	local first second
	begin "crowded tables are emptied, also after a class without its superclass, JDK $FEATURE" || return 0
	trace_program Undefined 2100 -- -m 'live.Undefined$*' --no-stack || return 0
	trace_calls
	first=$(peek "$T_PID" methods)
	trace_start -m live.Undefined::work -n 10
	ended_with 0
	second=$(peek "$T_PID" methods)
	[ "$first" -gt 2100 ] && [ "$second" -lt 100 ] || finding "methods: $first, then $second"
	target_leaves
	finish
}

# musl's dlopen() opens the file again each time, and the file is deleted after the first load.
musl() {
	local home=$WORK/musl jni round calls
	begin "a program with musl is traced from start to stop, twice" || return 0
	jni=$(dirname "$(ls /usr/lib/jvm/*/include/jvmti.h | head -n 1)")
	mkdir -p "$home/bin" "$home/lib/server"
	echo 'JAVA_VERSION="17.0.1"' >"$home/release"
	if ! musl-gcc -I"$jni" -I"$jni/linux" -o "$home/bin/java" "$LIVE/musl_jvm.c" 2>"$WORK/musl.log" ||
		! musl-gcc -shared -fPIC -x c /dev/null -o "$home/lib/server/libjvm.so" 2>>"$WORK/musl.log"; then
		not_ok "$SENTENCE" "$(cat "$WORK/musl.log")"
		return
	fi
	stage
	"$home/bin/java" -cp - live.Speed "$T_DIR" "$CLASSES/live/Speed.class" 1000 >"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
	target_is $!
	for round in 1 2; do
		trace_target --no-stack -m live.Speed::work || return 0
		[ $round = 1 ] && target_go
		stopped_with 0
		says 'The JVM runs its original code again'
		calls=$(file_events live.Speed.work)
		[ "$calls" = $((round == 1 ? 1000 : 0)) ] || finding "recording $round has $calls calls"
	done
	target_leaves
	finish
}

gcc -Wall -o "$WORK/filtered" "$LIVE/filtered.c" || { not_ok "tests/live/filtered.c compiles"; exit 1; }
for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	one_agent
	turn 1 && first_attaches
	turn 0 && seccomp
	turn 1 && crowded
	turn 0 && sealed_by_kernel 1
	turn 1 && sealed_by_kernel 2
done
musl
