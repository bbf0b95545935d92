#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Processes that pretend to be a JVM with an agent (pretender.c): frtrace ends with a status of its own or goes on, within
# its memory, and touches nothing but its own files.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

MEMORY_MB=128
HOWS=(silent unsealed punched random fifo sparse endless)

pretender_start() { # HOW
	P_HOME=$(mktemp -d "$WORK/pretender.XXXXXX")
	mkdir "$P_HOME/lib" && head -c 8192 /dev/zero >"$P_HOME/lib/libjvm.so"
	(cd "$P_HOME" && exec "${SERVICE[@]}" "$WORK/pretender" "$1" lib/libjvm.so) >"$P_HOME/said" 2>&1 &
	target_is $!
	wait_for "$SECONDS_MAX" grep -qs ready "$P_HOME/said" && return
	finding "the pretender does not start: $(cat "$P_HOME/said")"
	return 1
}

pretender_drop() {
	kill -9 "$T_PID" 2>/dev/null
	rm -f "/tmp/.java_pid$T_PID"
}

rss_mb() { awk '$1 == "RssAnon:" { print int($2 / 1024) }' "/proc/$F_PID/status" 2>/dev/null; }

most_is() { # MB, while it runs
	local mb
	mb=$(rss_mb)
	[ "${mb:-0}" -le "$MOST" ] || MOST=$mb
	ended "$F_PID"
}

record() { # SECONDS: any end that frtrace has chosen itself
	trace_launch -p "$T_PID" -m 'x.Y::*' -M 'x.Z' -d 3s -o "$P_HOME/x.jfr" --max-overhead=off
	MOST=0
	wait_for "$1" most_is || finding "it does not end:" "$(tail -n 5 "$F_DIR/stderr")"
	ended_with 0 1 3
	grep -E -A12 'runtime error|Sanitizer' "$F_DIR/stderr" >"$WORK/sanitizer" && finding "$(head -n 20 "$WORK/sanitizer")"
}

pretended() { # HOW
	local FRTRACE=$FRTRACE plain=$FRTRACE
	begin "a process that pretends to have the agent, $1, costs an error or a recording" || return 0
	export ASAN_OPTIONS=detect_leaks=0
	FRTRACE=$SANITIZED
	if pretender_start "$1"; then
		record 90
		pretender_drop
	fi
	FRTRACE=$plain
	if pretender_start "$1"; then
		record 60
		[ "$MOST" -lt "$MEMORY_MB" ] || finding "frtrace took $MOST MB"
		echo "# $1: status $F_STATUS, $MOST MB, $(tail -n 1 "$F_DIR/stderr" | sed "s|$WORK|...|g" | cut -c1-150)"
		pretender_drop
	fi
	unset ASAN_OPTIONS
	verdict
}

# System calls that make, change or remove something by a name, as strace shows them with the paths of descriptors.
changes() { # FILE
	grep -vE ' = -1 |resumed>|unfinished' "$1" |
		grep -E '(openat2?|open)\(.*O_(WRONLY|RDWR|CREAT|TRUNC)|^[0-9]+ +(unlink|rename|mkdir|rmdir|link|symlink|mknod|chmod|chown|truncate|creat|utime)'
}

# Below the names that are frtrace's own.
OWN='"\.frtrace-[0-9a-f]{12}"|/\.frtrace-[0-9a-f]{12}(/|>)|"\.attach_pid[0-9]+"|/run/frtrace|"/dev/null"|/proc/(self|[0-9]+)/|/sys/kernel/|/sys/fs/bpf'

touched() {
	local others
	begin "recordings of a JVM, and of one that pretends, touch nothing but frtrace's own files" || return 0
	command -v strace >/dev/null || { skip "$SENTENCE" "no strace"; return 0; }
	jdk_use "${JDKS[0]}"
	target_start Waits
	target_ready && "$FRTRACE" -p "$T_PID" -m live.Waits -d 1s -o "$WORK/before.jfr" >"$WORK/out" 2>&1 # makes /run/frtrace
	timeout -k 10 300 strace -f -y -qq -o "$WORK/real" "$FRTRACE" -p "$T_PID" -m live.Waits -d 1s -o "$WORK/mine.jfr" >"$WORK/out" 2>&1 ||
		finding "status $?: $(cat "$WORK/out")"
	target_drop
	if pretender_start random; then
		timeout -k 10 300 strace -f -y -qq -o "$WORK/pretended" "$FRTRACE" -p "$T_PID" -m 'x.Y::*' -d 1s -o "$WORK/mine.jfr" >"$WORK/out" 2>&1
		pretender_drop
	fi
	for others in real pretended; do
		changes "$WORK/$others" >"$WORK/changes"
		[ -s "$WORK/changes" ] || finding "$others: strace shows no change at all"
		grep -vE "$OWN|mine\.jfr" "$WORK/changes" >"$WORK/others" && finding "$others:" "$(head -n 8 "$WORK/others")"
	done
	verdict
}

gcc -std=gnu11 -O1 -Wall -D_GNU_SOURCE -I"$ROOT" -o "$WORK/pretender" "$LIVE/pretender.c" -lpthread 2>"$WORK/gcc" || {
	not_ok "pretender.c compiles" "$(cat "$WORK/gcc")"
	exit 1
}
sanitized_build
for how in "${HOWS[@]}"; do pretended "$how"; done
touched
