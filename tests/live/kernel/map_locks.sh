#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015
# A process of any user that holds the lock of its own memory map (map_holder.c) holds up neither frtrace, nor, by frtrace's
# uprobes, each fork() of the machine.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

FORK_MOST=1000	# ms: the longest fork() beside a holder
NOBODY=(setpriv --reuid=65534 --regid=65534 --clear-groups)
WHY=

holder_build() {
	WHY='no /dev/fuse'
	[ -e /dev/fuse ] && mknod "$WORK/fuse" c 10 229 && chmod 666 "$WORK/fuse" || return
	gcc -std=gnu11 -O1 -Wall -D_GNU_SOURCE -o "$WORK/mute_fuse" "$LIVE/mute_fuse.c" &&
		gcc -std=gnu11 -O1 -Wall -D_GNU_SOURCE -o "$WORK/map_holder" "$LIVE/map_holder.c" -lpthread &&
		gcc -std=gnu11 -O1 -Wall -D_GNU_SOURCE -shared -fPIC -o "$WORK/map_holder.so" "$LIVE/map_holder.c" -lpthread || {
		not_ok "map_holder.c compiles"
		exit 1
	}
	mkdir "$WORK/held" && chmod 777 "$WORK/held"
	holder_start && holder_end
}

# Nothing may be forked, and nobody's command line be read, while it holds the lock. It ends by itself, whatever hangs then.
holder_start() {
	(cd "$WORK" && exec "${NOBODY[@]}" "${SERVICE[@]}" \
		./mute_fuse --written ./fuse held ./map_holder held/file "$JAVA/lib/server/libjvm.so") >"$WORK/holder" 2>&1 &
	HOLDER=$!
	STARTED+=("$HOLDER")
	disown "$HOLDER"
	wait_for 10 grep -qs . "$WORK/holder"
	WHY=$(head -n 1 "$WORK/holder")
	[ "$WHY" = ready ] && wait_for 10 holds "$(child_of "$HOLDER")"
}

# It sleeps in mmap(), and has done so for a moment.
holds() { # PID
	grep -q '^State:.D' "/proc/$1"/task/*/status && grep -qs mmap "/proc/$1"/task/*/stack && sleep 0.2 &&
		grep -q '^State:.D' "/proc/$1"/task/*/status
}

# The file system ends with mute_fuse, and the lock with the file system.
holder_end() {
	kill -9 "$HOLDER" 2>/dev/null
	wait_for 10 ended "$HOLDER" || finding "the holder does not end"
	return 0
}

child_of() { tr -d ' ' 2>/dev/null <"/proc/$1/task/$1/children"; } # PID; ps and pgrep would read command lines

# Measure the longest fork() that had to wait until forks_end(), in ms, into a file. A machine that stands still makes none wait.
forks_start() {
	rm -f "$WORK/forks.end" "$WORK/forks.end.begun"
	python3 - "$WORK/forks.end" >"$WORK/forks" <<-'END' &
		import os, resource, sys, time
		open(sys.argv[1] + ".begun", "w").close()
		longest, end = 0, time.monotonic() + 120
		while not os.path.exists(sys.argv[1]) and time.monotonic() < end:
		    began, waits = time.monotonic(), resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
		    child = os.fork()
		    if not child:
		        os._exit(0)
		    if resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw > waits:
		        longest = max(longest, time.monotonic() - began)
		    os.waitpid(child, 0)
		    time.sleep(0.02)
		print(int(longest * 1000))
	END
	FORKS=$!
	STARTED+=("$FORKS")
	wait_for 20 test -e "$WORK/forks.end.begun"
}

forks_end() {
	touch "$WORK/forks.end"
	wait_for 60 ended "$FORKS" || finding "a fork() does not end"
	echo "# longest fork() $(cat "$WORK/forks") ms"
	[ "$(cat "$WORK/forks")" -lt $FORK_MOST ] || finding "the longest fork() took $(cat "$WORK/forks") ms"
}

looked_at() {
	local sentence="a process that holds its memory map's lock is named, and holds up no list, no search and no --follow"
	local why='its memory, or a file of it, does not answer'
	begin "$sentence" || return 0
	target_start Late 500
	target_ready
	holder_start
	timeout -s KILL 20 "$FRTRACE" list >"$WORK/list" 2>&1 || finding "frtrace list: status $?"
	grep -qE "^ *[0-9]+ .* no +no +map_holder +\\($why\\)$" "$WORK/list" || finding "list says:" "$(cat "$WORK/list")"
	grep -qE "^ *$T_PID .*live.Late" "$WORK/list" || finding "list has no live.Copy"
	timeout -s KILL 20 "$FRTRACE" -p "nobody-$$" -m 'x.Y::z' -o "$WORK/never.jfr" 2>"$WORK/search"
	grep -q "^frtrace: no JVM whose main class or jar contains 'nobody-$$'" "$WORK/search" ||
		finding "the search says:" "$(cat "$WORK/search")"
	timeout -s KILL 20 "$FRTRACE" -p "$(awk '/map_holder/ { print $1; exit }' "$WORK/list")" -m 'x.Y::z' -o "$WORK/never.jfr" 2>"$WORK/search"
	grep -qE "^frtrace: cannot attach to process [0-9]+ \\('map_holder'\\): $why$" "$WORK/search" ||
		finding "-p of it says:" "$(cat "$WORK/search")"
	trace_launch --follow="$T_DIR" -m live.Late -o "$WORK/followed/"
	wait_for 20 grep -qsE "^not traced: [0-9]+ map_holder: $why$" "$F_DIR/stderr" || finding "--follow says:" "$(cat "$F_DIR/stderr")"
	kill -TERM "$F_PID"
	trace_wait 10
	[ "$(grep -c 'not traced: .*map_holder' "$F_DIR/stderr")" -le 1 ] || finding "it is named more than once"
	holder_end
	verdict "$sentence"
	target_drop
}

before() {
	local sentence="beside a process that holds its memory map's lock a recording is whole, without pauses, and holds up no fork()"
	begin "$sentence" || return 0
	target_start Late 500
	target_ready
	holder_start
	forks_start
	if trace_start -m 'live.Late$Latecomer::checkout'; then
		says "no pauses: process [0-9]+ \\('map_holder'\\) of user 'nobody' holds the lock of its memory map"
		target_go
		trace_stop
		status_is 0
		target_restored
		file_agrees
	fi
	forks_end
	holder_end
	verdict "$sentence"
	target_drop
}

meanwhile_held() {
	local sentence="a lock that is taken in mid-recording holds up the forks of the machine for a moment at most"
	begin "$sentence" || return 0
	target_start Late 500
	if target_ready && trace_start -m 'live.Late$Latecomer::checkout'; then
		holder_start
		forks_start
		target_go
		trace_stop
		status_is 0
		says "process [0-9]+ \\('map_holder'\\) held the lock .*: FUSE connection [0-9]+ of user 'nobody' was aborted"
		target_restored
		file_agrees
		forks_end
	fi
	holder_end
	verdict "$sentence"
	target_drop
}

# The kernel takes the uprobes of a killed process away, too. The holder is the traced JVM itself.
held_by_target() {
	local sentence="when the traced JVM holds its lock and frtrace is killed, forks are held up for a moment at most"
	local launch=("${LAUNCH[@]}") started=
	begin "$sentence" || return 0
	classes_for_all
	LAUNCH=(env -C "$WORK" MAP_HOLDER=held/file MAP_HOLDER_GO="$WORK/held.go" "${NOBODY[@]}" "${SERVICE[@]}"
		./mute_fuse --written ./fuse held /usr/bin/env LD_PRELOAD="$WORK/map_holder.so")
	chmod 777 "$WORK"
	target_start Late 500
	LAUNCH=("${launch[@]}")
	if target_ready; then
		started=$T_PID T_PID=$(child_of "$T_PID")
		if trace_start -m 'live.Late$Latecomer::checkout'; then
			forks_start
			touch "$WORK/held.go"
			wait_for 20 test -e "$WORK/held.go.ready" || finding "it does not hold its lock"
			wait_for 10 holds "$T_PID" || finding "it does not hold its lock"
			kill -9 "$F_PID"
			wait "$F_PID" 2>/dev/null
			wait_for 20 ended "$started" || finding "its file system lives"
			forks_end
		fi
	fi
	kill -9 "${started:-$T_PID}" 2>/dev/null
	verdict "$sentence"
}

jdk_use "${JDKS[0]}"
if ! holder_build; then
	skip "a process that holds its memory map's lock holds up nobody" "$WHY"
	exit 0
fi
looked_at
before
meanwhile_held
held_by_target
