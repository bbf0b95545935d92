#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Bad input gets one clear line and status 1 or 2, and leaves nothing in the target.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# The message has at most LINES lines and no sign of a crash.
refused() { # SENTENCE STATUS LINES REGEX COMMAND...
	local status=$2 lines=$3 regex=$4
	begin "$1" || return 0
	shift 4
	F_DIR=$(mktemp -d "$WORK/trace.XXXXXX")
	F_STATUS=0
	timeout -k 1 100 "$@" >"$F_DIR/stdout" 2>"$F_DIR/stderr" </dev/null || F_STATUS=$?
	status_is "$status"
	says "$regex"
	[ "$(wc -l <"$F_DIR/stderr")" -le "$lines" ] || finding "more than $lines lines:" "$(cat "$F_DIR/stderr")"
	[ -s "$F_DIR/stdout" ] && finding "on stdout:" "$(head -n 3 "$F_DIR/stdout")"
	ended "$T_PID" && finding "the target is gone"
	target_untouched "$T_PID"
	verdict
}

frtrace() { # SENTENCE STATUS LINES REGEX ARGUMENT...
	refused "$1" "$2" "$3" "$4" "$FRTRACE" "${@:5}"
}

out=$WORK/out.jfr
jdk_use "${JDKS[0]}"
target_start Late 10
findings=()
target_ready || { verdict "a target"; exit 1; }
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
sleep 300 &
sleeper=$!
STARTED+=("$sleeper")

frtrace "no such pid" 1 1 '4194000' -p 4194000 -m A -o "$out"
frtrace "a process that is not a JVM" 1 1 "$sleeper" -p $sleeper -m A -o "$out"
frtrace "no JVM with that name" 1 1 'NoSuchProgram' -p NoSuchProgram -m A -o "$out"
frtrace "a pid of 0" 2 1 '.' -p 0 -m A -o "$out"
frtrace "a negative pid" 1 1 '.' -p -5 -m A -o "$out"
frtrace "no target at all" 2 2 '-p' -m A
frtrace "no filter at all" 2 2 'filter|method' -p "$T_PID" -o "$out"
frtrace "an unknown option" 2 2 'frobnicate' -p "$T_PID" -m A --frobnicate
frtrace "an option without its value" 2 2 'm|value|argument' -p "$T_PID" -m
frtrace "a filter with an empty part has a caret under it" 2 3 '^ *\^' -p "$T_PID" -m 'a..B' -o "$out"
frtrace "a filter without method has a caret under it" 2 3 '^ *\^' -p "$T_PID" -m 'a.B::' -o "$out"
frtrace "a filter with a slash has a caret under it, and the correct form is shown" 2 4 '^ *\^' -p "$T_PID" -m 'a/B' -o "$out"
frtrace "a filter that is empty" 2 3 '.' -p "$T_PID" -m '' -o "$out"
frtrace "a duration with an unknown unit" 2 2 '10x' -p "$T_PID" -m A -d 10x -o "$out"
frtrace "a negative duration" 2 2 '.' -p "$T_PID" -m A -d -5s -o "$out"
frtrace "a duration that is not a number" 2 2 'soon' -p "$T_PID" -m A -d soon -o "$out"
frtrace "a threshold that is not a time" 2 2 'slow' -p "$T_PID" -m A -t slow -o "$out"
frtrace "a number of events that is not a number" 2 2 'many' -p "$T_PID" -m A -n many -o "$out"
frtrace "a size that is not a number" 2 2 'huge' -p "$T_PID" -m A --max-size=huge -o "$out"
frtrace "a duration that overflows" 2 2 '99999999999999999999' -p "$T_PID" -m A -d 99999999999999999999h -o "$out"
frtrace "an output in a missing directory" 1 1 '/nowhere' -p "$T_PID" -m live.Late -o /nowhere/x.jfr
frtrace "an output that cannot be created" 1 1 '/proc/x.jfr' -p "$T_PID" -m live.Late -o /proc/x.jfr
ln -s "$WORK/elsewhere" "$WORK/link.jfr"
frtrace "an output that is a link is not followed" 1 1 'link.jfr' -p "$T_PID" -m live.Late -o "$WORK/link.jfr"
for other in '-i 1s' --lines --in-memory --with-jfr --report=x.html; do
	# shellcheck disable=SC2086
	frtrace "-o - and ${other%%[ =]*}" 2 1 'do not go together' -p "$T_PID" -m A -o - $other
done
frtrace "-o - and a program" 2 1 'do not go together' -m A -o - -- java A

# a copy of the binary that everybody can run
mkdir -p "$WORK/bin" && cp "$FRTRACE" "$WORK/bin/frtrace" && chmod 755 "$WORK/bin" "$WORK/bin/frtrace"
refused "no rights to trace another user's JVM" 1 1 'root|right|permission|permitted|CAP_' \
	"${nobody[@]}" "$WORK/bin/frtrace" -p "$T_PID" -m live.Late -o /tmp/frtrace-nobody.jfr
[ -e "$out" ] && not_ok "a refused recording leaves no file" "$(ls -l "$out")" || ok "a refused recording leaves no file"
kill -9 "$T_PID"

# Nothing needs the kernel's own BTF today. If something does, one line must say so.
without_btf() {
	begin "a kernel without BTF can be traced, or is refused in one line" || return 0
	run_program Late 10 || return 0
	trace_launch -p "$T_PID" -m live.Late -o "$WORK/btf.jfr" -d 300ms
	ended_with 0 1
	[ "$F_STATUS" = 0 ] || { says BTF; [ "$(wc -l <"$F_DIR/stderr")" = 1 ] || finding "$(cat "$F_DIR/stderr")"; target_untouched "$T_PID"; }
	finish
}

real=$FRTRACE
printf '#!/bin/sh\nunshare -m sh -c '\''mount -t tmpfs none /sys/kernel/btf && exec "$@"'\'' - %s "$@"\n' "$real" >"$WORK/bin/no-btf"
chmod 755 "$WORK/bin/no-btf"
FRTRACE=$WORK/bin/no-btf
without_btf
FRTRACE=$real

attach_disabled() {
	begin "a JVM with attaching disabled, JDK $FEATURE" || return 0
	run_program -XX:+DisableAttachMechanism Late 10 || return 0
	frtrace "$SENTENCE" 1 1 'DisableAttachMechanism' -p "$T_PID" -m live.Late -o "$out"
	target_drop
}

# This is no error: the recording reports it and stays armed.
matches_nothing() {
	begin "a filter that matches nothing yet says so and is armed for classes loaded later, JDK $FEATURE" || return 0
	record_program Late 3000 -- -m 'live.Late$Latecomer::checkout' || return 0
	says 'no loaded class matches yet'
	file_agrees
	finish
}

suggestion() {
	begin "a filter with a misspelt name gets a suggestion, JDK $FEATURE" || return 0
	trace_program Speed -- -m live.Speed::wrok -d 500ms || return 0
	trace_wait
	says 'live\.Speed(::|\.)work'
	finish
}

never_called() {
	begin "a method that matches but is never called is reported at the end, JDK $FEATURE" || return 0
	trace_program Late 10 -- -m live.Late::main -d 300ms || return 0
	trace_wait
	says '0 calls'
	finish
}

foreign_user() {
	local java=$JAVA CLASSES=$CLASSES
	begin "root traces a JVM of another user, and the files of the attach belong to that user, JDK $FEATURE" || return 0
	classes_for_all
	JAVA=$WORK/as-nobody
	mkdir -p "$JAVA/bin"
	printf '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups %s/bin/java "$@"\n' "$java" >"$JAVA/bin/java"
	chmod 755 "$JAVA" "$JAVA/bin" "$JAVA/bin/java"
	if ! "$JAVA/bin/java" -cp "$CLASSES" live.BigSource >/dev/null 2>&1; then
		skip "$SENTENCE" "user nobody cannot read $CLASSES, or run $java/bin/java"
		JAVA=$java
		return
	fi
	target_start Late 3000
	if target_ready && trace_start -m 'live.Late$Latecomer::checkout'; then
		trace_calls
		target_leaves
		file_agrees
		tmp_is_clean
	fi
	JAVA=$java
	finish
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	attach_disabled
	turn 0 && matches_nothing
	turn 1 && suggestion
	turn 0 && never_called
	turn 1 && foreign_user
done
