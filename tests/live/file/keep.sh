#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The output file is replaced only by something better: a failed start does not change it, a kill leaves it or a
# complete recording, and a recording that somebody removes is reported as gone.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/live/disk.sh
. "$(dirname "$0")/../disk.sh"

nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# ---- a file that must not change

keep() { # FILE
	kept=$1
	head -c 20000 /dev/urandom >"$kept"
	touch -d '2 days ago' "$kept"
	kept_was=$(kept_look)
}

kept_look() { stat -c 'inode %i, changed %Y, %s bytes of %u, mode %a' "$kept"; md5sum <"$kept"; ls -d "$kept"*; }

is_kept() {
	local now
	now=$(kept_look 2>&1)
	[ "$now" = "$kept_was" ] || finding "was: $kept_was" "is: $now"
}

# ---- starts that fail

refused() { # SENTENCE STATUS REGEX COMMAND...
	local status=$2 regex=$3
	begin "$1: the existing output file stays" || return 0
	shift 3
	F_DIR=$(mktemp -d "$WORK/trace.XXXXXX") F_STATUS=0
	timeout -k 1 60 "$@" >"$F_DIR/stdout" 2>"$F_DIR/stderr" </dev/null || F_STATUS=$?
	status_is "$status"
	says "$regex"
	is_kept
	verdict
}

bad_arguments() {
	keep "$WORK/kept.jfr"
	refused "a wrong filter" 2 '\^' "$FRTRACE" -p "$T_PID" -m 'a..B' -o "$kept"
	refused "an unknown option" 2 frobnicate "$FRTRACE" -p "$T_PID" -m A -o "$kept" --frobnicate
	refused "a size that is too small" 2 'at least 1m' "$FRTRACE" -p "$T_PID" -m A -o "$kept" --max-size=1k
	refused "no such process" 1 4194000 "$FRTRACE" -p 4194000 -m A -o "$kept"
	refused "settings that the JVM does not have" 1 'own recording' "$FRTRACE" -p "$T_PID" -m A -o "$kept" --with-jfr=nothing
	refused "a program that cannot start" 127 '/nowhere/program' "$FRTRACE" -m A -o "$kept" -- /nowhere/program
	refused "a program without a JVM" 0 'nothing traced' "$FRTRACE" -m A -o "$kept" -- true
	refused "nothing to dump" 1 'not being recorded' "$FRTRACE" dump "$T_PID" -o "$kept"
	refused "a merge of files that are no recordings" 1 'is there already' "$FRTRACE" merge -o "$kept" "$0" "$LIVE/lib.sh"
	refused "a recovery of a file that is no recording" 1 'no Flight Recorder file' "$FRTRACE" recover -o "$kept" "$0"
}

files_of_others() {
	mkdir -p "$WORK/nobody" "$WORK/real" && chown 65534:65534 "$WORK/nobody"
	keep "$WORK/nobody/kept.jfr"
	chown 65534:65534 "$kept" && kept_was=$(kept_look)
	refused "a file of another user" 1 'belongs to user 65534' "$FRTRACE" -p "$T_PID" -m live.Late -o "$kept"
	cp "$FRTRACE" "$WORK/nobody/frtrace" && chmod 755 "$WORK/nobody/frtrace"
	refused "no rights" 1 'root|right|permi|CAP_' "${nobody[@]}" "$WORK/nobody/frtrace" -p "$T_PID" -m live.Late -o "$kept"
	keep "$WORK/real/kept.jfr"
	"${nobody[@]}" ln -s ../real "$WORK/nobody/way"
	refused "a link of another user in the path" 1 "the link 'way'" "$FRTRACE" -p "$T_PID" -m live.Late -o "$WORK/nobody/way/kept.jfr"
	ln "$kept" "$WORK/second-name" && kept_was=$(kept_look)
	refused "a file with two names" 1 'one name' "$FRTRACE" -p "$T_PID" -m live.Late -o "$kept"
	keep "$WORK/with-jvm.jfr"
	refused "the name of the JVM's own recording is taken" 1 'with-jvm.jfr. is there already' \
		"$FRTRACE" -p "$T_PID" -m live.Late -o "$WORK/with.jfr" --with-jfr
}

disk_is_full() {
	disk_mount 64k "a full disk" || return 0
	keep "$WORK/disk/kept.jfr"
	cat /dev/zero >"$WORK/disk/fill" 2>/dev/null
	refused "a full disk" 1 'disk is full|No space' "$FRTRACE" -p "$T_PID" -m live.Late -o "$kept"
}

# An attach that another frtrace has begun, to this JVM or to another with the same output.
others_are_there() {
	local first=$T_PID tracer file
	if ! trace_start -m live.Stage; then
		verdict "a trace"
		return
	fi
	tracer=$F_PID file=$F_FILE
	keep "$WORK/kept.jfr"
	wait_for 20 test -e "$file" || not_ok "there is a file" "none after 20 s"
	target_start Late 10
	target_ready || verdict "a target"
	refused "the output file of another frtrace" 1 "frtrace pid $tracer is writing it" "$FRTRACE" -p "$T_PID" -m live.Late -o "$file"
	[ -s "$file" ] || not_ok "the output file of another frtrace exists" "it is gone"
	target_drop_pid "$T_PID"
	T_PID=$first F_PID=$tracer F_FILE=$file
	kill -INT "$F_PID"
	wait_for 30 ended "$F_PID"
	rm -f "$file"
}

target_drop_pid() { is_ours "$1" && kill -9 "$1" 2>/dev/null; }

attach_fails() {
	local stopped
	target_start -XX:+DisableAttachMechanism Late 10
	target_ready || verdict "a target"
	keep "$WORK/kept.jfr"
	refused "a JVM that does not accept an attach" 1 'DisableAttachMechanism|attach' "$FRTRACE" -p "$T_PID" -m live.Late -o "$kept"
	target_drop_pid "$T_PID"
	target_start Late 10
	target_ready || verdict "a target"
	stopped=$T_PID
	kill -STOP "$stopped"
	refused "a JVM that is stopped" 1 'is stopped' "$FRTRACE" -p "$stopped" -m live.Late -o "$kept"
	target_drop_pid "$stopped"
}

# Either the attach fails, or frtrace was quicker and there is a recording.
killed_meanwhile() {
	local after
	begin "a JVM that is killed meanwhile: the existing output file stays, or is a recording" || return 0
	for after in 0 0.05 0.2 0.4; do
		target_start Late 10
		target_ready || break
		keep "$WORK/kept.jfr"
		trace_launch -p "$T_PID" -m live.Late -o "$kept"
		sleep $after
		kill -9 "$T_PID"
		trace_wait 60
		if [ "$F_STATUS" = 1 ]; then
			is_kept
		else
			status_is 0 3
			python3 "$LIVE/chunks.py" "$kept" whole >"$WORK/chunks" && [ "$(ls -d "$kept"*)" = "$kept" ] || finding "incomplete: $(ls -l "$kept"*)"
		fi
	done
	verdict
}

failed_starts() {
	target_start Late 10
	target_ready || { verdict "a target"; return; }
	bad_arguments
	files_of_others
	disk_is_full
	others_are_there
	target_drop
	attach_fails
	killed_meanwhile
}

# ---- a recording that is removed

removed() {
	begin "a recording that was removed or replaced is reported as gone, JDK $FEATURE" || return 0
	trace_program Late 3000 -- -m 'live.Late$Latecomer::checkout' || return 0
	target_go
	wait_for 20 test -e "$F_FILE" || finding "no file after 20 s"
	mv "$F_FILE" "$WORK/moved.jfr"
	keep "$F_FILE"
	stopped_with 1
	says "3,000 calls, .*, but '$F_FILE' is gone: it was removed, renamed or replaced"
	grep -q '^next: ' "$F_DIR/stderr" && finding "suggests what to do next with it"
	is_kept
	target_restored
	rm "$F_FILE"
	F_FILE=$WORK/moved.jfr
	file_agrees
	target_quit
	finish
}

background_gone() {
	local verb status
	begin "status and stop report that the file is gone, JDK $FEATURE" || return 0
	F_FILE=$WORK/background.jfr
	run_program Late 10 || return 0
	"$FRTRACE" start -p "$T_PID" -m 'live.Late$Latecomer::checkout' -o "$F_FILE" -q 2>"$WORK/said" || finding "$(cat "$WORK/said")"
	"$FRTRACE" -p "$T_PID" -m live.Late -d 1s -o "$F_FILE" 2>"$WORK/said" && finding "a second frtrace writes the file"
	grep -q 'is writing it' "$WORK/said" || finding "$(cat "$WORK/said")"
	"$FRTRACE" dump "$T_PID" -o "$WORK/dumped.jfr" 2>"$WORK/said" || finding "dump: $(cat "$WORK/said")"
	"$FRTRACE" dump "$T_PID" -o "$WORK/nobody/nowhere/x.jfr" 2>"$WORK/said" && finding "dumps to a missing directory"
	[ -s "$F_FILE" ] || finding "the recording is missing: $(ls -l "$F_FILE"*)"
	rm -f "$F_FILE"
	for verb in status stop; do
		status=0
		"$FRTRACE" $verb "$T_PID" >"$WORK/said" 2>&1 || status=$?
		[ $status = 1 ] && grep -q "'$F_FILE' is gone" "$WORK/said" || finding "$verb: status $status: $(cat "$WORK/said")"
	done
	target_restored
	finish
}

# ---- kill -9

is_early() {
	begin "the file has calls soon after the first one, JDK $FEATURE" || return 0
	trace_program Speed -- -m live.Speed::work --no-stack -t 200ns || return 0
	wait_for 4 test -s "$F_FILE" || finding "no file after 4 s"
	trace_kill
	[ "$(file_events live.Speed.work)" -gt 0 ] || finding "the file has no calls"
	finish
}

is_settled() { [ ! -e "$F_FILE.frtrace" ]; }

is_placed() { [ -e "$F_FILE" ] && [ "$(stat -c %s "$F_FILE")" != 20000 ]; } # differs from the file of keep()

is_restored() { case $(peek "$T_PID" state) in 0 | none) ;; *) false ;; esac; }

# The file is the old one or a complete recording.
survived() { # OLD: 1 if there was a file before
	wait_for 10 is_settled || finding "left: $(ls -l "$F_FILE"*)"
	if [ ! -e "$F_FILE" ]; then
		[ "$1" = 0 ] || finding "the old file is gone"
		return
	fi
	[ "$1" = 1 ] && [ "$(kept_look)" = "$kept_was" ] && return
	recordings=$((recordings + 1))
	wait_for 10 python3 "$LIVE/chunks.py" "$F_FILE" whole >/dev/null || finding "incomplete: $(ls -l "$F_FILE")"
	"$FRTRACE" summary "$F_FILE" 2>&1 | grep -E 'jdk.MethodTrace +[1-9]' >/dev/null || finding "a recording without calls, or it cannot be read"
	[ $((recordings % 10)) != 1 ] || [ "$(file_events live.Speed.work)" -gt 0 ] || finding "the JDK cannot read it"
}

killed() {
	begin "kill -9 in the first three seconds leaves only the old file or a complete recording, JDK $FEATURE" || return 0
	local times recordings=0 i after old
	times=$(amount 12 200)
	target_start Speed
	target_ready && for ((i = 0; i < times && ${#findings[@]} == 0; i++)); do
		F_FILE=$WORK/killed.jfr old=$((i % 2))
		rm -f "$F_FILE"
		[ $old = 0 ] || keep "$F_FILE"
		trace_launch -p "$T_PID" -o "$F_FILE" -m live.Speed::work --no-stack --max-overhead=off -t 200ns
		after=$(printf '%d.%03d' $((RANDOM % 3)) $((RANDOM % 1000)))
		[ $((i % 4)) != 3 ] || wait_for 30 is_placed || finding "no recording after 30 s"
		sleep "$after"
		trace_kill
		survived $old
		wait_for 15 is_restored || finding "not restored: state $(peek "$T_PID" state)"
		[ ${#findings[@]} = 0 ] || finding "in round $i, killed after $after s: $(cat "$F_DIR/stderr")"
	done
	target_restored_or_untouched
	[ "$recordings" -gt 0 ] || finding "no kill was later than the first chunk"
	[ ${#findings[@]} -gt 0 ] || { tmp_is_clean; target_quit; }
	echo "# $times kills, $recordings left a recording"
	finish
}

target_restored_or_untouched() {
	ended "$T_PID" && finding "the target is gone" "$(tail -n 5 "$T_DIR/stderr")"
}

jdk_use "${JDKS[0]}"
failed_starts
removed
background_gone
jdk_use "${JDKS[-1]}"
is_early
killed
