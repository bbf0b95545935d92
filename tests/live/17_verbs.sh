#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# `frtrace list`: what it says of JVMs, and that it leaves them as they were.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# Run a verb; its standard output is in $WORK/out, standard error in $WORK/err.
verb() { # STATUS ARGUMENT...
	local want=$1 status
	shift
	timeout -k 1 60 "${as[@]}" "$BINARY" "$@" >"$WORK/out" 2>"$WORK/err" </dev/null
	status=$?
	[ "$status" = "$want" ] || finding "frtrace $*: status $status, not $want:" "$(tail -n 5 "$WORK/out" "$WORK/err")"
}

out_has() { # REGEX...: in one line of the output
	local regex lines
	lines=$(cat "$WORK/out")
	for regex in "$@"; do lines=$(grep -E -- "$regex" <<<"$lines"); done
	[ -n "$lines" ] || finding "no line has $*:" "$(cat "$WORK/out" "$WORK/err")"
}

# No thread dump, no socket, no agent.
target_unsignalled() {
	target_untouched "$T_PID"
	[ -e "/proc/$T_PID/root/tmp/.java_pid$T_PID" ] && finding "somebody has attached to it"
	grep -q 'Full thread dump' "$T_DIR/stdout" && finding "it has printed a thread dump"
}

listed() {
	local sentence="a JVM is listed and left alone, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start Waits
	if target_ready; then
		verb 0 list
		out_has "^ *$T_PID  +(1\\.)?$FEATURE[.0-9a-z_-]*  +root  +-  +yes  +yes  +live\\.Waits$"
		verb 0 list --json
		out_has "\"pid\":$T_PID,\"pidInside\":$T_PID,\"name\":\"live.Waits\",\"vm\":\"HotSpot\",\"version\":\"(1\\.)?$FEATURE" \
			'"trace":true,"noTrace":null,"stacks":true,"noStacks":null'
		target_unsignalled
	fi
	verdict "$sentence"
}

stopped() {
	local sentence="a JVM that is stopped is listed with the reason, JDK $FEATURE"
	begin "$sentence" || return 0
	kill -STOP "$T_PID"
	wait_for 5 grep -q '^State:.T' "/proc/$T_PID/status"
	verb 0 list
	kill -CONT "$T_PID"
	out_has "^ *$T_PID  .*  no  +yes  +live\\.Waits  \\(it is stopped"
	target_unsignalled
	verdict "$sentence"
}

no_attach() {
	local sentence="a JVM that does not attach is listed with the reason, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start -XX:+DisableAttachMechanism Waits
	if target_ready; then
		verb 0 list
		out_has "^ *$T_PID  .*  no  +yes  +live\\.Waits  \\(it was started with -XX:\\+DisableAttachMechanism\\)$"
		target_unsignalled
	fi
	verdict "$sentence"
	target_drop
}

traced() {
	local sentence="a JVM that is being traced is listed with the one who does, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start Waits
	if target_ready && trace_start -m live.Waits::dive --no-stack; then
		verb 0 list
		out_has "^ *$T_PID  .*  no  +yes  +live\\.Waits  \\(.*frtrace pid $F_PID "
		trace_stop
	fi
	verdict "$sentence"
	target_drop
}

without_rights() {
	local sentence="without rights a JVM is listed by its command line, which cannot play with the terminal"
	begin "$sentence" || return 0
	# no JVM, but it looks like one from afar
	bash -c $'exec -a java sh -c "sleep 300; # evil\e[2J\xc2\x9b2J.jar"' &
	local fake=$!
	STARTED+=("$fake")
	wait_for 5 grep -q evil "/proc/$fake/cmdline"
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	verb 0 list
	out_has "^ *$T_PID  +\\?  .*  no  +no  +live\\.Waits  \\(no right to look into a process of user 'root': run with sudo\\)$"
	out_has "^ *$fake  .*evil.\\[2J.u009b2J.jar"
	LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x9b]' "$WORK/out" && finding "control characters:" "$(cat -v "$WORK/out")"
	as=()
	kill "$fake"
	verdict "$sentence"
}

inside='mount --make-rprivate / && mount -t proc proc /proc && mount -t tmpfs -o mode=1777 tmpfs /tmp && exec "$@"'

contained() {
	local sentence="a JVM in namespaces of its own is listed with its version, JDK $FEATURE"
	begin "$sentence" || return 0
	unshare --fork --pid --mount --kill-child sh -c "$inside" - "${SERVICE[@]}" "$JAVA/bin/jshell" -s \
		>"$WORK/inner" 2>&1 < <(sleep 300) &
	local outer=$!
	STARTED+=("$outer")
	disown "$outer"
	if wait_for 20 inner_is_listed "$outer"; then
		out_has "^ *$T_PID  +$FEATURE[.0-9]*  .*  own pid namespace  +yes  +yes  +"
		verb 0 list --json
		out_has "\"pid\":$T_PID,\"pidInside\":1,"
	else
		finding "it is not listed:" "$(cat "$WORK/out" "$WORK/err" "$WORK/inner")"
	fi
	verdict "$sentence"
	kill -9 "$outer"
}

inner_is_listed() { # OUTER
	T_PID=$(pgrep -P "$1") && "$FRTRACE" list >"$WORK/out" 2>"$WORK/err" && grep -q "^ *$T_PID  .*  yes  *yes  " "$WORK/out"
}

coming_and_going() {
	local sentence="processes that come and go while the list is made do not disturb it"
	begin "$sentence" || return 0
	(while :; do "$JAVA/bin/java" -version & sleep 0.05; done) >"$WORK/noise" 2>&1 &
	local noise=$!
	STARTED+=("$noise")
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		verb 0 list
		out_has "^ *$T_PID  .*  yes  +yes  +live\\.Waits$"
		[ -s "$WORK/err" ] && finding "$(cat "$WORK/err")"
	done
	kill "$noise"
	verdict "$sentence"
}

as=()
BINARY=$WORK/frtrace # where everybody can start it
cp "$FRTRACE" "$BINARY" && chmod 755 "$BINARY"
roots_find
for version in 8 11 21 26; do
	if root_use $version; then
		listed
		target_drop
	else
		skip "a JVM is listed and left alone, JDK $version" "$(roots_why)"
	fi
done
for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	no_attach
	traced
	contained
	listed
	stopped
done
without_rights
coming_and_going
