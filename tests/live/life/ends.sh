#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every way in which a recording ends: the file is complete, the JVM runs its original code.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/live/disk.sh
. "$(dirname "$0")/../disk.sh"

speed() { # prints "CALLS LEAST-NS" since the last request
	local asked=1
	while [ -e "$T_DIR/ask-$asked" ]; do asked=$((asked + 1)); done
	touch "$T_DIR/ask-$asked"
	wait_for 10 target_has "answer-$asked"
	cat "$T_DIR/answer-$asked" 2>/dev/null || echo "0 0"
}

some_events() {
	local n
	n=$(file_events live.Speed.work)
	[ "$n" -gt 0 ] || finding "no events in the file, or it cannot be read"
}

# Trace Speed, end it in one way, check the program and the file.
ending() { # SENTENCE ENDING-FUNCTION ARGUMENT...
	local how=$2
	begin "$1, JDK $FEATURE" || return 0
	shift 2
	trace_program Speed -- -m live.Speed::work -t 200ns "$@" || return 0
	$how
	target_restored
	some_events
	says 'original code'
	finish
}

by_signal() { sleep 0.3; trace_stop "$signal"; status_is 0; }
by_itself() { trace_wait 30; status_is 0; }

target_exits() {
	begin "the file is complete when the target ends, JDK $FEATURE" || return 0
	trace_program Late 5000 -- -m 'live.Late$Latecomer::checkout' || return 0
	target_go
	target_quit
	ended_with 0
	file_agrees
	finish
}

mapped_calls() { od -An -td8 -j $(($1 * 64)) -N 8 "$T_DIR/counts" | tr -d ' '; } # THREAD

all_call() { # THREADS
	local i
	for i in $(seq 0 $(($1 - 1))); do [ "$(mapped_calls "$i")" -gt 1000 ] || return; done
}

# When the JVM is killed, the file has every call that had returned; one more per thread may have been in progress.
target_killed() {
	local threads=4 i n
	begin "kill -9 of a busy JVM loses no call that had ended${BUFFER:+, --buffer=$BUFFER}, JDK $FEATURE" || return 0
	trace_program Mapped $threads -- -m live.Mapped::work || return 0
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" all_call $threads || finding "not every thread calls"
	sleep "$(amount 0.4 1.5)"
	kill -9 "$T_PID"
	ended_with 0
	for i in $(seq 0 $((threads - 1))); do
		n=$(mapped_calls "$i")
		printf 'count\tlive.Mapped\twork\t*\tmapped-%d\t*\t%d..%d\t0\n' "$i" "$n" $((n + 1))
	done >"$T_DIR/truth"
	file_agrees
	finish
}

tracer_killed() {
	begin "within 3 s of kill -9 of frtrace the JVM runs its original code at its old speed, and can be traced again, JDK $FEATURE" || return 0
	local before hooked after
	run_program Speed || return 0
	speed >/dev/null
	sleep 0.5
	before=$(speed)
	trace_target -m live.Speed::work || return 0
	speed >/dev/null
	sleep 0.5
	hooked=$(speed)
	trace_kill
	wait_for 3 agent_idle || finding "still hooked 3 s after the kill: state $(peek "$T_PID" state)"
	[ "$(peek "$T_PID" healed)" = 1 ] || finding "healed $(peek "$T_PID" healed) times"
	wait_for 5 is_as_fast ||
		finding "ns a call: ${before#* } before, ${hooked#* } traced, ${after#* } after"
	tmp_is_clean
	if trace_start -m live.Speed::work -t 200ns -d 500ms; then
		ended_with 0
		some_events
		target_restored
	fi
	finish
}

# At one of some looks: others use the CPU, too.
is_as_fast() {
	speed >/dev/null
	sleep 0.5
	after=$(speed)
	awk -v a="${before#* }" -v b="${hooked#* }" -v c="${after#* }" 'BEGIN { exit !(c < 1.25 * a && b > c) }'
}

# Its probe still exists, so only the missing heartbeat tells. The program does nothing: other tests run meanwhile.
tracer_stopped() {
	begin "thirty seconds after frtrace was stopped the JVM runs its original code, and frtrace says so, JDK $FEATURE" || return 0
	trace_program Late 1 -- -m live.Stage -t 1s || return 0
	kill -STOP "$F_PID"
	wait_for 36 agent_idle || finding "still hooked: state $(peek "$T_PID" state)"
	kill -CONT "$F_PID"
	ended_with 1
	says 'no sign of life'
	target_restored
	finish
}

two_tracers() {
	begin "kill -9 of a second tracer ends its recording alone, JDK $FEATURE" || return 0
	trace_program Speed -- -m live.Speed::work -t 200ns || return 0
	local pid=$F_PID dir=$F_DIR file=$F_FILE
	if trace_start -m live.Speed::loop; then
		trace_kill
		wait_for 10 healed_once || finding "not ended 10 s after the kill: healed $(peek "$T_PID" healed) times"
	fi
	F_PID=$pid F_DIR=$dir F_FILE=$file
	stopped_with 0
	some_events
	target_restored
	finish
}

healed_once() { [ "$(peek "$T_PID" healed)" = 1 ]; }

# The disk fills up below the reserve (5 %, at most 1 GB) during a recording.
full_disk() {
	local file=$WORK/disk/full.jfr
	begin "a full disk ends the recording with a complete file, and is reported, JDK $FEATURE" || return 0
	disk_mount 100m || return 0
	run_program Speed || return 0
	trace_launch -p "$T_PID" -m live.Speed::work -t 200ns -o "$file"
	F_FILE=$file
	wait_for 20 test -s "$file"
	fallocate -l 97m "$WORK/disk/ballast"
	ended_with 1 3
	says '[Dd]isk|space|free'
	some_events
	target_restored
	finish
}

# No space even for the first chunk.
tiny_disk() {
	begin "a disk without free space is reported, and the JVM stays unchanged, JDK $FEATURE" || return 0
	disk_mount 64k || return 0
	run_program Speed || return 0
	trace_launch -p "$T_PID" -m live.Speed::work -o "$WORK/disk/tiny.jfr"
	ended_with 1 3
	says '[Dd]isk|space|free'
	case $(peek "$T_PID" state) in none | 0) ;; *) finding "still hooked" ;; esac
	finish
}

# RLIMIT_FSIZE: beyond it SIGXFSZ kills by default. First no room for the agent's file, then none for later chunks.
file_size_limit() {
	begin "a limit of file sizes ends the recording with a complete file, and is reported, JDK $FEATURE" || return 0
	F_FILE=$WORK/limited.jfr
	run_program Speed || return 0
	local TRACE_AS=(bash -c 'ulimit -f "$0" && exec "$@"' 8)
	trace_launch -p "$T_PID" -m live.Speed::work -o "$F_FILE"
	ended_with 1
	says '^frtrace: cannot put the agent .*: /tmp: beyond the limit of file sizes \(ulimit -f\)'
	target_untouched "$T_PID"
	TRACE_AS=()
	trace_launch -p "$T_PID" -m live.Speed::work -d 100ms -o "$WORK/unlimited.jfr"
	trace_wait 30
	# some 60 KB a second, and several times as many on a busy machine: the first second fits
	TRACE_AS=(bash -c 'ulimit -f "$0" && exec "$@"' 400)
	trace_launch -p "$T_PID" -m live.Speed::work -t 200ns --max-overhead=off -d 60s -o "$F_FILE"
	ended_with 1
	says "^frtrace: cannot write '$F_FILE': it would exceed the limit of file sizes \(ulimit -f\)"
	some_events
	target_restored
	finish
}

max_size() {
	local bytes
	begin "--max-size drops the oldest chunks and keeps the file readable, JDK $FEATURE" || return 0
	trace_program Speed -- -m live.Speed::work --max-size=10m -d 2s || return 0
	sleep 1.5
	bytes=$(stat -c %s "$F_FILE" 2>/dev/null || echo 0)
	ended_with 0 3
	[ "$(stat -c %s "$F_FILE")" -le $((18 << 20)) ] || finding "the file has $(stat -c %s "$F_FILE") bytes, it had $bytes"
	some_events
	finish
}

meanwhile tracer_stopped
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	turn 0 && signal=INT ending "Ctrl-C finishes the file and restores the JVM" by_signal
	turn 1 && signal=TERM ending "SIGTERM finishes the file and restores the JVM" by_signal
	turn 1 && ending "--duration ends by itself" by_itself -d 300ms
	turn 0 && ending "--max-events ends by itself" by_itself -n 3
	turn 1 && target_exits
	target_killed
	turn 0 && BUFFER=perf target_killed
	tracer_killed
	turn 0 && two_tracers
	turn 1 && max_size
	turn 0 && full_disk
	turn 1 && tiny_disk
	turn 0 && file_size_limit
done
meanwhile_ends
