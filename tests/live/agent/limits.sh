#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A JVM at a limit, or one that cannot answer, is not attached to: the reason comes within two seconds, in 'check', too;
# the JVM lives, and nothing is left behind. With what an attach takes free, it is traced.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

AT_ONCE=2 # as by wait_for: eight seconds on an idle machine, where an attach waits for fifteen
GROUP=frtrace-test-$$

cgroup_points() { awk '$3 ~ /^cgroup2?$/ { print $2 }' /proc/mounts; }

# Control groups take no rm -r. True if all are gone.
rmdir_all() { # DIRECTORY
	find "$1" -depth -type d -exec rmdir {} \; 2>/dev/null
	[ ! -d "$1" ]
}

groups_remove() {
	local point
	for point in $(cgroup_points); do
		[ ! -d "$point/$GROUP" ] || wait_for 2 rmdir_all "$point/$GROUP"
	done
}
trap 'target_drop; groups_remove; live_end' EXIT

# Make a control group with a file of that name in it, which a hierarchy has; sets DIR. False if no hierarchy has one.
group_make() { # FILE NAME [V1|V2]
	local point file controller
	for point in $(cgroup_points); do
		[ "${3:-}" != V2 ] || [ -e "$point/cgroup.controllers" ] || continue
		mkdir -p "$point/$GROUP/$2" 2>/dev/null || continue
		DIR=$point/$GROUP/$2
		for file in "$point" "$point/$GROUP"; do # version 2
			for controller in pids memory; do echo +$controller 2>/dev/null >"$file/cgroup.subtree_control"; done
		done 2>/dev/null
		[ -e "$DIR/$1" ] && return
		rmdir_all "$point/$GROUP"
	done
	return 1
}

into_group='echo $$ >"$0/cgroup.procs" && exec "$@"'

AS=() # a command that starts the JVM as another user; in a root of its own it begins there

# Start Brim; it uses something up. If it does not start, the case is over.
brim() { # LIMIT-COMMAND... -- [-JVM-OPTION...] WHAT [SPARE]
	local before=() options=()
	while [ "$1" != -- ]; do before+=("$1"); shift; done
	shift
	while [[ $1 == -* ]]; do options+=("$1"); shift; done
	local LAUNCH=("${before[@]}" "${LAUNCH[@]}" "${AS[@]}")
	run_program -Xmx32m -XX:+UseSerialGC "${options[@]}" Brim "$@" || return
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" target_has "done"
	[ "${*: -1}" = spin ] || brim_rests
}

# Wait until it does no more than to sleep: less than a fifth of a second of CPU time in half a second, and no thread that
# waits for a CPU.
brim_rests() {
	local before now i
	for ((i = 0; i < 100; i++)); do
		before=$(awk '{ print $14 + $15 }' "/proc/$T_PID/stat" 2>/dev/null) || break
		sleep 0.5
		now=$(awk '{ print $14 + $15 }' "/proc/$T_PID/stat" 2>/dev/null) || break
		[ $((now - before)) -lt 10 ] && ! grep -qs $'^State:\tR' "/proc/$T_PID"/task/*/status && return
	done
	finding "the program does not come to rest" "$(tail -n 3 "$T_DIR/stderr" "$T_DIR/stdout")"
	finish
	return 1
}

record_it() { # [SECONDS]
	local begun=${EPOCHREALTIME/./}
	F_FILE=$(mktemp -u "$WORK/XXXXXX.jfr")
	trace_launch -p "$T_PID" -o "$F_FILE" -m live.Brim::work -d 300ms
	trace_wait "$@"
	TOOK_MS=$(((${EPOCHREALTIME/./} - begun) / 1000))
}

# It is not traced, at once and for that reason; 'check' says so, too, and it lives on.
refused() { # REGEX [UNKNOWN-TO-CHECK]
	local checked
	record_it $AT_ONCE
	status_is 1
	says "$1"
	checked=$("$FRTRACE" check "$T_PID" 2>&1)
	[ -n "${2:-}" ] || grep -qE "^  attach +no: .*$1" <<<"$checked" || finding "'check' does not say /$1/:" "$checked"
	sleep 0.2
	ended "$T_PID" && finding "the JVM has ended:" "$(tail -n 3 "$T_DIR/stdout" "$T_DIR/stderr")"
	silent
}

silent() { grep -q 'Full thread dump' "$T_DIR/stdout" && finding "a thread dump in the JVM's output"; return 0; }

traced() {
	record_it
	status_is 0 3
	says ' 0 lost'
	ended "$T_PID" && finding "the JVM has ended:" "$(tail -n 3 "$T_DIR/stdout" "$T_DIR/stderr")"
}

threads_of_a_group() {
	begin "a JVM that has used up the threads of a control group above its own is not attached to, JDK $FEATURE" || return
	group_make pids.max threads || { skip "$SENTENCE" "no control group with pids.max"; return; }
	local outer=$DIR
	mkdir -p "$outer/inner" && DIR=$outer/inner
	echo 60 >"$outer/pids.max"
	brim sh -c "$into_group" "$DIR" -- threads 3 || return 0
	refused '57 of 60 threads are in use \(pids.max of the control group .*/threads.\), and attaching takes room for 5'
	echo 62 >"$outer/pids.max"
	traced
	finish
}

threads_of_a_user() {
	begin "a JVM whose user has used up his threads is not attached to; root's is, JDK $FEATURE" || return
	classes_for_all
	local AS=(setpriv --reuid=53211 --regid=53211 --clear-groups prlimit --nproc=60)
	brim -- threads || return 0
	refused '60 of 60 threads are in use \(ulimit -u of user 53211\), and attaching takes room for 5'
	target_drop
	wait_for 10 ended "$T_PID"
	brim -- threads 5 || return 0
	traced
	target_drop
	AS=()
	brim prlimit --nproc=10 -- nothing || return 0
	traced
	finish
}

addresses() {
	local size
	begin "a JVM whose address space is used up is not attached to, JDK $FEATURE" || return
	brim -- nothing || return 0
	size=$(awk '/^VmSize/ { printf "%d", $2 * 1024 }' "/proc/$T_PID/status")
	prlimit --pid="$T_PID" --as=$((size + (4 << 20))):
	refused '[0-9.]+ GB of [0-9.]+ GB of its address space are in use \(ulimit -v\), and attaching takes [0-9.]+ MB'
	prlimit --pid="$T_PID" --as=unlimited:
	size=$(awk '/^VmData/ { printf "%d", $2 * 1024 }' "/proc/$T_PID/status")
	prlimit --pid="$T_PID" --data=$((size + (4 << 20))):
	refused 'of its address space are in use \(ulimit -d\), and attaching takes 1[0-9](\.[0-9])? MB'
	prlimit --pid="$T_PID" --data=unlimited:
	traced
	finish
}

memory_of_a_group() {
	local file
	begin "a JVM whose control group has no memory left is not attached to, JDK $FEATURE" || return
	group_make memory.limit_in_bytes memory || group_make memory.max memory || { skip "$SENTENCE" "no control group with a memory limit"; return; }
	[ "$(awk '/^SwapFree/ { print $2 }' /proc/meminfo)" = 0 ] || { skip "$SENTENCE" "the machine has swap space"; return; }
	file=$DIR/memory.max
	[ -e "$file" ] || file=$DIR/memory.limit_in_bytes
	brim sh -c "$into_group" "$DIR" -- -XX:-UsePerfData nothing || return 0
	echo $(($(cat "$DIR"/memory.current "$DIR"/memory.usage_in_bytes 2>/dev/null) + (1 << 20))) >"$file"
	refused 'of the memory of its control group .*/memory. are in use, and attaching takes 4.0 MB'
	echo 1G >"$file"
	traced
	finish
}

descriptors() {
	begin "a JVM whose file descriptors are all open is not attached to, JDK $FEATURE" || return
	brim prlimit --nofile=80:80 -- files 3 || return 0
	refused '77 of 80 file descriptors are open, and attaching takes 4'
	target_drop
	brim prlimit --nofile=80:80 -- files 6 || return 0
	traced
	finish
}

full='its Java heap is full \([0-9.]+ MB of [0-9.]+ MB in use\), and attaching takes some of it, too'

# It fills the heap without an OutOfMemoryError, which would end it.
deadly_heap() {
	begin "a JVM that an OutOfMemoryError would end is not attached to while its heap is full, JDK $FEATURE" || return
	[ "$FEATURE" -lt 26 ] || { skip "$SENTENCE" "there Brim cannot tell how large Serial's eden may become"; return; }
	brim -- -XX:-UseTLAB -XX:+ExitOnOutOfMemoryError heap 4000 || return 0
	refused "$full"
	target_drop
	brim -- -XX:-UseTLAB -XX:+ExitOnOutOfMemoryError heap 300000 || return 0
	traced
	finish
}

full_heap() { # COLLECTOR
	begin "a JVM whose heap is full is not attached to, $1, JDK $FEATURE" || return
	brim -- -XX:-UseSerialGC "-XX:+Use$1" error || return 0
	refused "$full"
	finish
}

frozen() { # V1|V2
	begin "a JVM that is frozen by its control group (${1,,}) is reported as frozen, and traced when it is thawed, JDK $FEATURE" || return
	local file=freezer.state on=FROZEN off=THAWED
	[ "$1" = V1 ] || file=cgroup.freeze on=1 off=0
	group_make "$file" frozen "$1" || { skip "$SENTENCE" "no control group with $file"; return; }
	brim -- nothing || return 0
	mkdir -p "$DIR/below"
	echo "$T_PID" >"$DIR/below/cgroup.procs"
	echo "$on" >"$DIR/$file"
	refused "it is frozen by its control group '/$GROUP/frozen/below'"
	echo "$off" >"$DIR/$file"
	traced
	silent
	finish
}

build_hold() {
	[ -x "$CACHE/hold" ] && [ "$CACHE/hold" -nt "$LIVE/hold.c" ] || gcc -o "$CACHE/hold" "$LIVE/hold.c" ||
		finding "cannot build hold"
}

# The thread that handles SIGQUIT is stopped after the check, so frtrace waits.
interrupted() {
	local dispatcher
	begin "a JVM that gets the signal after Ctrl-C prints no thread dump, JDK $FEATURE" || return
	build_hold
	brim -- nothing || return 0
	dispatcher=$(grep -lx 'Signal Dispatch' "/proc/$T_PID/task/"*/comm | cut -d / -f 5)
	"$CACHE/hold" "$dispatcher" >"$WORK/held" 2>&1 </dev/null &
	local holder=$!
	wait_for 10 grep -qx held "$WORK/held" || finding "Signal Dispatcher is not held"
	trace_launch -p "$T_PID" -o "$WORK/never.jfr" -m live.Brim::work
	wait_for 10 test -e "/tmp/.attach_pid$T_PID" || finding "no attach has begun"
	sleep 0.5
	stopped_with 1
	[ -e "/tmp/.attach_pid$T_PID" ] || finding "the file that the JVM looks for is gone"
	kill "$holder"
	wait_for 10 test -S "/tmp/.java_pid$T_PID" || finding "the JVM does not listen afterwards"
	silent
	traced
	tmp_is_clean
	finish
}

# A thread that spins stands for a collection of garbage: the JVM works, and does not answer for three seconds.
slow() {
	local dispatcher
	begin "a JVM with JDWP that works is waited for, JDK $FEATURE" || return
	build_hold
	brim -- -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0 spin || return 0
	dispatcher=$(grep -lx 'Signal Dispatch' "/proc/$T_PID/task/"*/comm | cut -d / -f 5)
	"$CACHE/hold" "$dispatcher" >"$WORK/held" 2>&1 </dev/null &
	local holder=$!
	wait_for 10 grep -qx held "$WORK/held" || finding "Signal Dispatcher is not held"
	{ wait_for 10 test -e "/tmp/.attach_pid$T_PID"; sleep 3; kill "$holder"; } &
	traced
	[ "$TOOK_MS" -gt 3000 ] || finding "it took only $TOOK_MS ms"
	silent
	wait $!
	finish
}

five_lines() { [ "$(grep -c 'Brim\.work' "$F_DIR/stdout")" -ge 5 ]; }

another_program() {
	begin "a recording of a JVM that becomes another program ends at once with its calls, JDK $FEATURE" || return
	gcc -shared -fPIC -o "$WORK/exec_on_signal.so" "$LIVE/exec_on_signal.c" || finding "cannot build exec_on_signal"
	brim env LD_PRELOAD="$WORK/exec_on_signal.so" -- nothing && trace_target -m live.Brim::work --lines || return 0
	wait_for "$SECONDS_MAX" five_lines || finding "no calls"
	kill -WINCH "$T_PID"
	ended_with 0
	says '^[0-9]+ calls, 0 thrown, 0 lost, .*The JVM has become another program \(exec\)'
	[ "$(end_line_number calls)" -ge 5 ] || finding "only $(end_line_number calls) calls"
	grep -qx sleep "/proc/$T_PID/comm" || finding "it is no other program: $(cat "/proc/$T_PID/comm")"
	finish
}

debugged() {
	local port
	begin "a JVM that a debugger has suspended is reported so within two seconds, JDK $FEATURE" || return
	brim -- -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0 nothing || return 0
	port=$(grep -oE 'address: [0-9]+' "$T_DIR/stdout" | cut -d ' ' -f 2)
	python3 - "$port" <<-'END' || finding "cannot suspend it"
		import socket, struct, sys
		s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		s.sendall(b"JDWP-Handshake")
		s.recv(14, socket.MSG_WAITALL)
		s.sendall(struct.pack(">IIBBB", 11, 1, 0, 1, 8))  # VirtualMachine.Suspend
		id = flags = 0
		while (id, flags) != (1, 0x80):  # its reply; events come before it
		    length, id, flags = struct.unpack(">IIB", s.recv(9, socket.MSG_WAITALL))
		    s.recv(length - 9, socket.MSG_WAITALL)
		sys.stdout.flush()
		import os, time
		if os.fork() == 0:
		    os.setsid()
		    devnull = os.open("/dev/null", os.O_RDWR)
		    for fd in range(3):
		        os.dup2(devnull, fd)
		    time.sleep(60)
		    s.sendall(struct.pack(">IIBBB", 11, 2, 0, 1, 9))
		    os._exit(0)
	END
	refused 'it did not answer within [0-9.]+ s: perhaps a debugger has suspended it \(it was started with JDWP\)' unknown
	finish
}

for line in "${JDKS[@]}"; do
	jdk_use "$line"
	threads_of_a_group
	turn 0 && threads_of_a_user
	turn 1 && addresses
	turn 0 && memory_of_a_group
	turn 1 && descriptors
	turn 0 && deadly_heap
	turn 1 && full_heap SerialGC
	turn 0 && full_heap ParallelGC
	[ -z "$SOAK" ] || full_heap G1GC
	turn 0 && frozen V1
	turn 1 && frozen V2
	turn 0 && interrupted
	turn 1 && another_program
	turn 0 && debugged
	turn 1 && slow
done

for number in "${OTHERS_OF_DAY[@]}"; do
	root_use "$number" "limits" || continue
	threads_of_a_group
	[ -n "$SOAK" ] || continue
	threads_of_a_user
	addresses
	memory_of_a_group
	descriptors
	deadly_heap
	for collector in SerialGC ParallelGC G1GC; do full_heap "$collector"; done
done
