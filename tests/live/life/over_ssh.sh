#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# frtrace on another machine: by ssh, through a server of the test's own on the loopback interface.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

SSH=$WORK/ssh RUN=/run/sshd MADE=

server_start() {
	local sshd
	sshd=$(PATH=$PATH:/usr/sbin command -v sshd) && command -v ssh-keygen >/dev/null || return 1
	mkdir -m 700 "$SSH"
	ssh-keygen -q -t ed25519 -N '' -f "$SSH/host" && ssh-keygen -q -t ed25519 -N '' -f "$SSH/user" || return 1
	cp "$SSH/user.pub" "$SSH/authorized"
	PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	TO_SERVER=(timeout -k 10 600 ssh -F /dev/null -p "$PORT" -i "$SSH/user" -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile="$SSH/known"
		-o BatchMode=yes -o IdentityAgent=none 127.0.0.1)
	[ -d "$RUN" ] || { mkdir "$RUN" && MADE=1; } # where sshd gives up its rights
	"$sshd" -D -e -f /dev/null -p "$PORT" -o ListenAddress=127.0.0.1 -h "$SSH/host" -o AuthorizedKeysFile="$SSH/authorized" \
		-o StrictModes=no -o UsePAM=no -o PidFile=none -o PermitRootLogin=prohibit-password -o PasswordAuthentication=no 2>"$SSH/log" &
	STARTED+=("$!")
	disown "$!"
	wait_for 10 grep -qs 'Server listening' "$SSH/log"
}

server_end() {
	[ -z "$MADE" ] || rmdir "$RUN"
	live_end
}
trap server_end EXIT

# The words are words of the remote shell, too.
remote() { # WORD...
	"${TO_SERVER[@]}" "$(printf '%q ' "$@")"
}

in_the_background() {
	local dump=$WORK/dump.jfr
	begin "by ssh a recording is started, asked, dumped and stopped, and goes on in between, JDK $FEATURE" || return 0
	target_start Late 1000
	F_FILE=$WORK/all.jfr
	if target_ready && remote "$FRTRACE" start -p "$T_PID" -m 'live.Late$Latecomer::checkout' -o "$F_FILE" >"$WORK/said" 2>&1; then
		target_go
		remote "$FRTRACE" status "$T_PID" >"$WORK/said" 2>&1 || finding "status: $(cat "$WORK/said")"
		grep -q '1,000 calls' "$WORK/said" || finding "status says: $(cat "$WORK/said")"
		remote "$FRTRACE" dump "$T_PID" -o "$dump" >"$WORK/said" 2>&1 || finding "dump: $(cat "$WORK/said")"
		remote "$FRTRACE" stop "$T_PID" >"$WORK/said" 2>&1 || finding "stop: $(cat "$WORK/said")"
		grep -q '^1,000 calls, 0 thrown, 0 lost' "$WORK/said" || finding "stop says: $(cat "$WORK/said")"
		for file in "$dump" "$F_FILE"; do
			jfr_newest summary "$file" 2>&1 | grep -qE 'jdk.MethodTrace +1000 ' || finding "$file has not 1000 calls"
		done
		target_leaves
	else
		finding "start:" "$(cat "$WORK/said" "$SSH/log")"
	fi
	finish
}

to_here() {
	local got=$WORK/got.jfr
	begin "-o - brings the recording through ssh, and the end of ssh ends it, JDK $FEATURE" || return 0
	run_program Late 1000 || return 0
	"${TO_SERVER[@]}" "$(printf '%q ' "$FRTRACE" -p "$T_PID" -m 'live.Late$Latecomer::checkout' -o -)" >"$got" 2>"$WORK/said" &
	STARTED+=("$!")
	if wait_for 20 grep -qs '^to standard output' "$WORK/said"; then
		target_go
		wait_for 20 grep -q checkout "$got" || finding "no call arrives"
		kill "$!"
		reap "$!"
		wait_for 20 agent_idle || finding "the JVM still has hooks"
		jfr_newest summary "$got" 2>&1 | grep -qE 'jdk.MethodTrace +1000 ' || finding "not 1000 calls"
		target_quit
	else
		finding "it does not trace: $(cat "$WORK/said")"
	fi
	finish
}
if [ "$(id -u)" != 0 ] || ! server_start; then
	skip "frtrace by ssh" "needs openssh-server and openssh-client: $(cat "$SSH/log" 2>/dev/null)"
	exit 0
fi
jdk_use "${JDKS[0]}"
in_the_background
to_here
