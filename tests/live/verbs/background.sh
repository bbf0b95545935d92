#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A recording in the background: start returns when tracing is on; status, dump and stop reach it.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# Run frtrace in the foreground.
tool() { # STATUS ARGUMENT...
	local want=$1 got
	shift
	timeout 200 "$FRTRACE" "$@" >"$WORK/stdout" 2>"$WORK/stderr" </dev/null
	got=$?
	[ "$got" = "$want" ] || finding "frtrace $*: status $got: $(cat "$WORK/stderr" "$WORK/stdout")"
}

prints() { # FILE REGEX
	grep -qE -- "$2" "$WORK/$1" || finding "does not print /$2/: $(cat "$WORK/$1")"
}

has_calls() { # NUMBER: in the last dump
	jfr_of "$JAVA" summary "$WORK/dumped.jfr" >"$WORK/summary" 2>&1
	grep -qE "jdk.MethodTrace +$1 " "$WORK/summary" || finding "dumped, not $1 calls: $(cat "$WORK/summary")"
}

background() {
	begin "start, status, dump and stop, JDK $FEATURE" || return 0
	F_FILE=$WORK/background.jfr
	run_program Namesake 2000 || return 0
	tool 0 start -p "$T_PID" -m 'live.Late$Latecomer::checkout' -o "$F_FILE"
	prints stderr '^tracing |^  no loaded class matches yet'
	prints stderr "in the background: frtrace status . dump . stop $T_PID"
	two_at_a_time
	target_go
	tool 0 dump "$T_PID" -o "$WORK/dumped.jfr" # takes the spans that are still in the rings
	has_calls 2000
	tool 0 status "$T_PID"
	prints stdout "^$T_PID .*2,000 calls .* in $F_FILE\$"
	tool 0 status
	prints stdout "^$T_PID "
	tool 0 status --json
	prints stdout "^\[(.*,)?\{\"pid\":$T_PID,\"name\":\"live\.Namesake\",\"elapsedNs\":[0-9]+,\"calls\":2000,.*\"fileGone\":false\}(,.*)?\]\$"
	tool 0 status --json "$T_PID"
	prints stdout "^\{\"pid\":$T_PID,.*\}\$"
	same_name
	(cd "$WORK" && tool 0 dump "$T_PID" -o dumped.jfr)
	tool 0 dump "$T_PID" -o "$WORK/dumped.jfr" --last=5m
	prints stderr 'in .*/dumped.jfr$'
	has_calls 2000
	sleep 1.5
	tool 0 dump "$T_PID" -o "$WORK/dumped.jfr" --last=1s
	has_calls 0
	tool 1 dump "$T_PID" -o "$F_FILE"
	prints stderr 'to itself'
	tool 2 dump "$T_PID"
	tool 0 stop "$T_PID"
	prints stderr '2,000 calls, .* 0 lost, .*The JVM runs its original code again'
	tool 1 stop "$T_PID"
	prints stderr 'is not being recorded in the background'
	target_leaves
	file_agrees
	finish
}

# Each is named by its own process.
two_at_a_time() {
	local second
	tool 0 start -p "$T_PID" -m 'live.Late$Latecomer::nothing' -o "$WORK/second.jfr"
	second=$(sed -nE 's/^in the background: .* stop ([0-9]+)$/\1/p' "$WORK/stderr")
	[ "$second" != "$T_PID" ] || finding "the second recording is named by the JVM"
	tool 2 stop "$T_PID"
	prints stderr "which one.*$second \(of $T_PID\)"
	tool 0 status "$T_PID"
	prints stdout "^$T_PID .*by $second .*second.jfr"
	tool 0 status --json "$second"
	prints stdout "\"recorder\":$second,"
	tool 0 stop "$second"
	prints stderr '^0 calls.*second.jfr'
	tool 1 stop "$second"
}

# A second JVM with the same name is not recorded, so the name stands for the first.
same_name() {
	local recorded=$T_PID directory=$T_DIR F_FILE=
	target_start Namesake 1
	if target_ready; then
		tool 0 status live.Namesake
		prints stdout "^$recorded "
		tool 0 dump live.Namesake -o "$WORK/dumped.jfr"
	fi
	target_drop
	T_PID=$recorded T_DIR=$directory
}

# It ends with the target and leaves no socket.
with_the_target() {
	begin "a recording in the background ends with its target, JDK $FEATURE" || return 0
	F_FILE=$WORK/ended.jfr
	run_program Late 100 || return 0
	tool 0 start -p "$T_PID" -m 'live.Late$Latecomer::checkout' -o "$F_FILE" -q
	target_go
	target_quit
	wait_for 20 gone || finding "it does not end: $(cat "$WORK/stdout")"
	file_agrees
	finish
}

gone() { ! "$FRTRACE" status "$T_PID" >"$WORK/stdout" 2>&1; }

# Another user is rejected.
other_users() {
	begin "another user is rejected, JDK $FEATURE" || return 0
	F_FILE=$WORK/strange.jfr
	run_program Late 100 || return 0
	tool 0 start -p "$T_PID" -m 'live.Late$Latecomer::checkout' -o "$F_FILE" -q
	cp "$FRTRACE" /tmp/.frtrace-stranger && chmod 755 /tmp/.frtrace-stranger
	setpriv --reuid=65534 --regid=65534 --clear-groups /tmp/.frtrace-stranger stop "$T_PID" 2>"$WORK/stderr" &&
		finding "another user stopped it"
	prints stderr 'is not being recorded in the background by this user; .* sudo'
	setpriv --reuid=65534 --regid=65534 --clear-groups /tmp/.frtrace-stranger status 2>"$WORK/stderr"
	prints stderr 'no recording in the background; .* sudo'
	rm -f /tmp/.frtrace-stranger
	tool 0 status "$T_PID"
	tool 0 stop "$T_PID"
	target_go
	target_quit
	finish
}

# A stopped collector holds its socket and does not answer.
mute() {
	local collector began
	begin "status, dump and stop of a recording that does not answer end with a way out, JDK $FEATURE" || return 0
	run_program Late 100 || return 0
	tool 0 start -p "$T_PID" -m 'live.Late$Latecomer::checkout' -o "$WORK/mute.jfr" -q
	collector=$(collector_pid)
	kill -STOP "$collector"
	for verb in status "status $T_PID" "stop $T_PID" "dump $T_PID -o $WORK/never.jfr"; do
		began=$SECONDS
		# shellcheck disable=SC2086 # words
		tool 1 $verb
		prints stderr "^frtrace: the recording of $T_PID does not answer .*'kill -9 $collector'"
		[ $((SECONDS - began)) -le 90 ] || finding "frtrace $verb takes $((SECONDS - began)) s"
	done
	kill -CONT "$collector"
	wait_for 20 gone || finding "the requested stop is lost"
	target_go
	target_quit
	finish
}

collector_pid() { "$FRTRACE" list | sed -nE "s/^ *$T_PID .*frtrace pid ([0-9]+).*/\1/p"; }

# Regular files that the process has open for writing, besides its standard output. Devices and memfds are none.
written_files() { # PID
	local fd flags file
	for fd in "/proc/$1/fd/"*; do
		[ "${fd##*/}" -gt 2 ] || continue
		flags=$(sed -n 's/^flags:\t//p' "/proc/$1/fdinfo/${fd##*/}" 2>/dev/null)
		file=$(readlink "$fd")
		[ $((0${flags:-0} & 3)) -eq 0 ] || [[ $file != /* || $file == /memfd:* || $file == /dev/* ]] || echo "$file"
	done
}

no_file_is_written() { # PID
	local files
	files=$(written_files "$1")
	[ -z "$files" ] || finding "open for writing: $files"
}

# Nothing is written before dump and stop -o; what is written is complete.
in_memory() {
	local collector
	begin "a recording in memory is written by dump and stop -o only, JDK $FEATURE" || return 0
	F_FILE=$WORK/memory.jfr
	run_program Late 2000 || return 0
	tool 0 start -p "$T_PID" -m 'live.Late$Latecomer::checkout' --in-memory=16m
	prints stderr '^to memory, at most 16.0 MB, oldest goes first, to a file only by dump or stop -o'
	collector=$(collector_pid)
	no_file_is_written "$collector"
	target_go
	tool 0 status "$T_PID"
	prints stdout 'calls .* in memory, back to .* ago$'
	tool 0 dump "$T_PID" -o "$WORK/dumped.jfr"
	has_calls 2000
	no_file_is_written "$collector"
	tool 0 status --json "$T_PID"
	prints stdout '"inMemory":true,"reachesBackNs":[0-9]+,'
	tool 1 stop "$T_PID" -o /nowhere/x.jfr
	prints stderr "^frtrace: cannot create '/nowhere/x.jfr'"
	tool 0 status "$T_PID" # it goes on
	tool 0 stop "$T_PID" -o "$F_FILE"
	prints stderr "2,000 calls, .* 0 lost, .* in $F_FILE. The JVM runs its original code again"
	target_leaves
	file_agrees
	finish
}

# More calls than there is room for, then a kill.
in_memory_is_bounded() {
	begin "a recording in memory stays as small as it was told, and a killed one leaves nothing, JDK $FEATURE" || return 0
	local collector kb size left
	mkdir -p "$WORK/here"
	run_program Late 3000000 || return 0
	cd "$WORK/here" && tool 0 start -p "$T_PID" -m 'live.Late$Latecomer::checkout' --no-stack --max-overhead=off \
		--in-memory=16m -o never.jfr
	collector=$(collector_pid)
	target_go
	tool 0 dump "$T_PID" -o "$WORK/dumped.jfr"
	size=$(stat -c %s "$WORK/dumped.jfr")
	[ "$size" -le $((16 << 20)) ] || finding "the dump has $size bytes"
	[ "$size" -ge $((8 << 20)) ] || finding "the dump has only $size bytes"
	jfr_of "$JAVA" summary "$WORK/dumped.jfr" >"$WORK/summary" 2>&1 || finding "$(cat "$WORK/summary")"
	kb=$(sed -n 's/^RssAnon:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$collector/status")
	[ "${kb:-999999}" -le $((96 << 10)) ] || finding "it has $kb KB of memory"
	no_file_is_written "$collector"
	kill -9 "$collector"
	wait_for 20 ended "$collector"
	left=$(find "$WORK/here" -mindepth 1)
	[ -z "$left" ] || finding "left behind: $left"
	target_quit
	cd "$ROOT" || exit 1
	finish
}

# In the foreground it is written at its end.
in_memory_in_the_foreground() {
	begin "a recording in memory is written at its end to the file of -o, JDK $FEATURE" || return 0
	trace_program Late 2000 -- -m 'live.Late$Latecomer::checkout' --in-memory || return 0
	says 'to memory, at most 256.0 MB, .* at its end to '
	no_file_is_written "$F_PID"
	trace_calls
	says '2,000 calls, .* 0 lost'
	target_leaves
	file_agrees
	finish
}

dumps_are() { [ "$(find "$WORK" -name 'watched-dump-*.jfr' | wc -l)" = "$1" ]; }

# The first call that fulfils a condition makes the recording write a dump, which says why; later ones have to wait.
dumps_itself() { # PROGRAM FILTER CONDITION EVENT REASON
	local whole=$WORK/watched.jfr
	begin "--dump-when='$3' writes a dump with the call and the reason, JDK $FEATURE" || return 0
	# shellcheck disable=SC2086
	run_program $1 || return 0
	tool 0 start -p "$T_PID" -m "$2" --dump-when="$3" -o "$whole" -q
	target_go
	wait_for 10 dumps_are 1 || finding "no dump: $(ls "$WORK")"
	tool 0 stop "$T_PID"
	dumps_are 1 || finding "dumps: $(ls "$WORK")"
	for F_FILE in "$WORK"/watched-dump-*.jfr "$whole"; do
		jfr_prints "$4" 'startTime = '
		jfr_prints frtrace.Message "$5"
	done
	target_leaves
	rm -f "$WORK"/watched*.jfr
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	background
done
jdk_use "${JDKS[-1]}"
dumps_itself "Late 2000" 'live.Late$Latecomer::checkout' 'live.Late$Latecomer::checkout >1ns' jdk.MethodTrace \
	'"live.Late.Latecomer::checkout >1ns: live.Late.Latecomer.checkout\(.*\) took [0-9.]+ [mu]?s: dumped to .*/watched-dump-.*\.jfr"'
dumps_itself "Open crowd 2" 'live.Open::open*' 'live.Open open>2s' frtrace.OpenCall \
	'"live.Open open>2s: live.Open.open[A-Z][a-z]+\(.*\) is open for [0-9.]+ s: dumped to '
in_memory
in_memory_is_bounded
in_memory_in_the_foreground
with_the_target
other_users
mute
