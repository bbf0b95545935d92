#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# A JVM in namespaces of its own, as in a container: other pid, other /tmp, other user.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# The JVM's own /tmp is empty and only its own; the stage directory is kept visible in it.
inside='
	mount --make-rprivate / && mount -t proc proc /proc || exit 9
	mkdir -p /run/frtrace-stage && mount --bind "$1" /run/frtrace-stage || exit 9
	mount -t tmpfs -o mode=1777 tmpfs /tmp && mkdir -p "$1" && mount --bind /run/frtrace-stage "$1" || exit 9
	shift
	exec "$@"'

namespaced_start() { # CLASS ARGUMENT...
	local class=$1 outer
	shift
	T_DIR=$(mktemp -d "$WORK/target.XXXXXX")
	chmod 777 "$T_DIR"
	cp -r "$CLASSES" "$T_DIR/classes" # where they are may be hidden by its /tmp
	chmod -R a+rX "$T_DIR/classes"
	unshare --fork --pid --mount --kill-child sh -c "$inside" - "$T_DIR" \
		env --default-signal=INT,QUIT,TERM "${as[@]}" "$JAVA/bin/java" -cp "$T_DIR/classes" "live.$class" "$T_DIR" "$@" \
		>"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
	outer=$!
	STARTED+=("$outer")
	disown "$outer"
	wait_for 5 pgrep -P "$outer" >/dev/null
	T_PID=$(pgrep -P "$outer")
	STARTED+=("$T_PID")
}

contained() {
	local sentence="$1, JDK $FEATURE"
	begin "$sentence" || return 0
	namespaced_start Late 3000
	if target_ready && trace_start -m 'live.Late$Latecomer::checkout'; then
		target_go
		trace_stop
		status_is 0
		[ -z "$(find "/proc/$T_PID/root/tmp" -name '*frtrace*' -not -path '*/frtrace-live*' -o -name '.attach_pid*')" ] ||
			finding "left in its /tmp:" "$(ls -la "/proc/$T_PID/root/tmp")"
		target_restored
		target_quit
		file_agrees
	fi
	verdict "$sentence"
	target_drop
}

probe=$(mktemp -d "$WORK/probe.XXXXXX")
if ! unshare --fork --pid --mount sh -c "$inside" - "$probe" true 2>/dev/null; then
	skip "a JVM in a container" "no namespaces or mounts here"
	exit 0
fi

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	as=()
	contained "a JVM in pid and mount namespaces of its own is traced"
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	if "${as[@]}" "$JAVA/bin/java" -cp "$CLASSES" live.BigSource >/dev/null 2>&1; then
		contained "a JVM of another user in namespaces of its own is traced"
	else
		skip "a JVM of another user in namespaces of its own, JDK $FEATURE" "user nobody cannot read $CLASSES"
	fi
done
