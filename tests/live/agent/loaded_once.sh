#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016
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

held_by() { # PID
	echo "$(find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l) descriptors, $(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l) threads"
}

one_agent() {
	local n sentence i first
	n=$(amount 10 50)
	sentence="$n recordings load the agent once, with one thread and two descriptors, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start "${FIXED_THREADS[@]}" Speed
	if target_ready; then
		for i in $(seq "$n"); do
			trace_start -m live.Speed::work -t 1s -d 20ms
			trace_wait 30
			status_is 0
			first=${first:-$(held_by "$T_PID")}
		done
		[ "$(held_by "$T_PID")" = "$first" ] || finding "after the first: $first; now $(held_by "$T_PID")"
		[ "$(libraries_of "$T_PID")" = 1 ] || finding "$(libraries_of "$T_PID") libraries are mapped"
		[ "$(memfds_of "$T_PID")" = 1 ] || finding "$(memfds_of "$T_PID") segments"
		[ "$(files_of "$T_PID")" = 1 ] || finding "$(files_of "$T_PID") descriptors of the agent's file"
		if [ "$FEATURE" -ge 25 ]; then
			"$JAVA/bin/jcmd" "$T_PID" JFR.start name=agents settings=default >/dev/null
			"$JAVA/bin/jcmd" "$T_PID" JFR.stop name=agents filename="$T_DIR/agents.jfr" >/dev/null
			i=$("$JAVA/bin/jfr" print --events jdk.NativeAgent "$T_DIR/agents.jfr" | grep -c 'name = ".*libfrtrace-')
			[ "$i" = 1 ] || finding "the JVM lists $i agents"
		fi
		target_restored
	fi
	verdict "$sentence"
	target_drop
}

# All get it, and share one agent.
first_attaches() {
	local n sentence i pids won round status
	n=$(amount 3 20)
	sentence="three simultaneous first attaches share one agent, $n times, JDK $FEATURE"
	begin "$sentence" || return 0
	for round in $(seq "$n"); do
		target_start Speed
		target_ready || break
		pids=() won=0
		for i in 1 2 3; do
			"$FRTRACE" -p "$T_PID" -m live.Speed::work -t 1s -d 2s -o "$T_DIR/race-$i.jfr" >"$T_DIR/race-$i" 2>&1 </dev/null &
			pids+=($!)
			STARTED+=($!)
		done
		for i in 1 2 3; do
			wait "${pids[i - 1]}"
			status=$?
			if [ $status = 0 ]; then
				won=$((won + 1))
			else
				finding "round $round: status $status: $(cat "$T_DIR/race-$i")"
			fi
		done
		[ "$won" = 3 ] || finding "round $round: $won of 3"
		[ "$(libraries_of "$T_PID")" = 1 ] || finding "round $round: $(libraries_of "$T_PID") libraries are mapped"
		[ "$(memfds_of "$T_PID")" = 1 ] || finding "round $round: $(memfds_of "$T_PID") segments"
		[ "$(files_of "$T_PID")" = 1 ] || finding "round $round: $(files_of "$T_PID") descriptors of the agent's file"
		target_restored
		target_drop
	done
	verdict "$sentence"
}

filtered_start() { # kill|refuse CALL
	local launch=("${LAUNCH[@]}")
	LAUNCH+=("$WORK/filtered" "$@")
	target_start Speed
	LAUNCH=("${launch[@]}")
	target_ready
}

filtered_away() { # kill|refuse CALL NAME REGEX
	local sentence="a JVM whose seccomp filter would $1 $3() is refused, and survives, JDK $FEATURE"
	begin "$sentence" || return 0
	if filtered_start "$1" "$2"; then
		trace_launch -p "$T_PID" -m live.Speed::work -o "$WORK/none.jfr"
		trace_wait 30
		status_is 1
		says "^frtrace: .*: $4"
		ended "$T_PID" && finding "the JVM is dead"
		[ -z "$(cat "/proc/$T_PID"/task/*/children)" ] || finding "the JVM has children"
		target_untouched "$T_PID"
	fi
	verdict "$sentence"
	target_drop
}

filtered_traced() { # kill|refuse CALLS NAMES
	local sentence="a JVM whose seccomp filter would $1 $3 is traced with stacks, JDK $FEATURE"
	begin "$sentence" || return 0
	if filtered_start "$1" "$2"; then
		trace_start -m live.Speed::work -n 100
		trace_wait 30
		status_is 0
		grep -q 'no stacks' "$F_DIR/stderr" && finding "$(cat "$F_DIR/stderr")"
		[ -z "$(cat "/proc/$T_PID"/task/*/children)" ] || finding "the JVM has children"
		target_restored
	fi
	verdict "$sentence"
	target_drop
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
	local sentence="with vm.memfd_noexec=$1 a JVM is traced as without, JDK $FEATURE" launch=("${LAUNCH[@]}") outer
	begin "$sentence" || return 0
	if [ ! -e /proc/sys/vm/memfd_noexec ]; then
		skip "$sentence" "the kernel has no vm.memfd_noexec"
		return
	fi
	LAUNCH+=(unshare --pid --fork --mount --kill-child sh -c "mount --make-rprivate / && mount -t proc proc /proc &&
		echo $1 >/proc/sys/vm/memfd_noexec && exec \"\$@\"" -)
	target_start Speed
	LAUNCH=("${launch[@]}") outer=$T_PID
	if target_ready; then
		T_PID=$(pgrep -P "$outer")
		STARTED+=("$T_PID")
		trace_start -m live.Speed::work --stacks=walk -n 10
		trace_wait 30
		status_is 0
		grep -q 'no stack' "$F_DIR/stderr" && finding "$(cat "$F_DIR/stderr")"
		target_restored
		target_drop
	fi
	T_PID=$outer
	verdict "$sentence"
	target_drop
}

# More loaders than half of their table, and a class that got hooks and was never defined.
crowded() {
	local sentence="crowded tables are emptied, also after a class without its superclass, JDK $FEATURE" first second
	begin "$sentence" || return 0
	target_start Undefined 2100
	if target_ready && trace_start -m 'live.Undefined$*' --no-stack; then
		target_go
		trace_stop
		status_is 0
		first=$(peek "$T_PID" methods)
		trace_start -m live.Undefined::work -n 10
		trace_wait 30
		status_is 0
		second=$(peek "$T_PID" methods)
		[ "$first" -gt 2100 ] && [ "$second" -lt 100 ] || finding "methods: $first, then $second"
		target_restored
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

# musl's dlopen() opens the file again each time, and the file is deleted after the first load.
musl() {
	local sentence="a program with musl is traced from start to stop, twice" home=$WORK/musl jni round calls
	begin "$sentence" || return 0
	jni=$(dirname "$(ls /usr/lib/jvm/*/include/jvmti.h | head -n 1)")
	mkdir -p "$home/bin" "$home/lib/server"
	echo 'JAVA_VERSION="17.0.1"' >"$home/release"
	if ! musl-gcc -I"$jni" -I"$jni/linux" -o "$home/bin/java" "$LIVE/musl_jvm.c" 2>"$WORK/musl.log" ||
		! musl-gcc -shared -fPIC -x c /dev/null -o "$home/lib/server/libjvm.so" 2>>"$WORK/musl.log"; then
		not_ok "$sentence" "$(cat "$WORK/musl.log")"
		return
	fi
	T_DIR=$(mktemp -d "$WORK/target.XXXXXX")
	"$home/bin/java" -cp - live.Speed "$T_DIR" "$CLASSES/live/Speed.class" 1000 >"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
	T_PID=$!
	STARTED+=("$T_PID")
	if target_ready; then
		for round in 1 2; do
			trace_start --no-stack -m live.Speed::work || break
			[ $round = 1 ] && target_go
			trace_stop
			status_is 0
			says 'The JVM runs its original code again'
			calls=$(file_events live.Speed.work)
			[ "$calls" = $((round == 1 ? 1000 : 0)) ] || finding "recording $round has $calls calls"
		done
		target_restored
		target_quit
	fi
	verdict "$sentence"
	target_drop
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
