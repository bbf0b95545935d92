#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Attacks on frtrace and disturbances of the JVM harm neither the JVM nor the file.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

is_recorded() { [ "$(peek "$T_PID" 'recording[0].state')" = 2 ]; }
is_starting() { [ "$(peek "$T_PID" 'recording[0].state')" = 1 ] || ended "$F_PID"; }

# The JVM is still working for the killed frtrace. The next one must not wait for the killed one's helpers.
killed_at_start() {
	begin "when frtrace is killed while its recording begins, the next one can attach at once, JDK $FEATURE" || return 0
	run_program SlowLoader 3000 || return 0
	trace_launch -p "$T_PID" -m live.Copy -o "$WORK/first.jfr"
	wait_for 30 is_starting || finding "the recording does not begin"
	trace_kill
	trace_target -m live.Copy::work || return 0
	trace_calls
	target_leaves
	file_agrees
	finish
}

# Otherwise the first opened file would become stderr.
closed_descriptors() {
	begin "with stdin, stdout and stderr closed the recording is complete, JDK $FEATURE" || return 0
	run_program Late 500 || return 0
	F_FILE=$WORK/closed.jfr F_DIR=$T_DIR
	"$FRTRACE" -p "$T_PID" -m 'live.Late$Latecomer::checkout' --max-overhead=off -o "$F_FILE" <&- >&- 2>&- &
	F_PID=$!
	STARTED+=("$F_PID")
	wait_for 30 is_recorded || finding "the recording does not begin"
	trace_calls
	target_leaves
	file_agrees
	finish
}

# Restoring all classes at once needs memory that was available when they were hooked, but is not now.
full_heap() {
	begin "a JVM whose heap is full by the end of a recording is restored step by step, JDK $FEATURE" || return 0
	trace_program -Xmx24m -XX:+UseSerialGC Full -- -m '*' -t 10s || return 0
	target_go
	sleep 3
	trace_stop
	wait_for 60 agent_idle || finding "still hooked: state $(peek "$T_PID" state)"
	target_leaves
	grep -q 'full: fine' "$T_DIR/stdout" || finding "$(tail -n 5 "$T_DIR/stdout" "$T_DIR/stderr")"
	finish
}

# An application server that reloads, or a script engine: the agent's tables must not stay full.
many_loaders() {
	begin "after more class loaders than the tables hold, the next recording has room again, JDK $FEATURE" || return 0
	trace_program Renewal 5000 300 -- -m live.Copy::work -t 10s || return 0
	touch "$T_DIR/go"
	wait_for 60 target_has first
	trace_stop
	says '^4,095 calls' # of 5,000: one row is the boot loader's
	trace_target -m live.Copy::work || return 0
	touch "$T_DIR/again"
	trace_calls
	target_leaves
	file_agrees
	finish
}

# ---- processes that look like a JVM but are none

fake_build() { # NAME [OPTION...]
	rm -f "$WORK/fake" # a "ready" of the one before it
	gcc -std=gnu11 -Wall -D_GNU_SOURCE "${@:2}" -o "$WORK/$1" "$LIVE/$1.c" 2>"$WORK/gcc" || finding "$(cat "$WORK/gcc")"
}

fake_library() { # DIRECTORY
	mkdir -p "$1" && head -c 8192 /dev/zero >"$1/libjvm.so" && chmod 755 "$1/libjvm.so"
}

fake_ready() { # FILE
	wait_for "$SECONDS_MAX" grep -qs ready "$1" || finding "no fake JVM: $(cat "$1")"
}

fake_start() { # mute|deaf: T_PID
	fake_build fake_jvm
	fake_library "$WORK/lib"
	"${SERVICE[@]}" "$WORK/fake_jvm" "$1" "$WORK/lib/libjvm.so" >"$WORK/fake" 2>&1 &
	target_is $!
	fake_ready "$WORK/fake"
}

# frtrace has made the socket or the file that requests the attach, and waits: 1.5 s have passed since it took the signals, the
# limit is 15 s.
interrupted_by() { # SIGNAL PID [deaf]: a deaf one has been signalled, and finds the file when it wakes up
	local began
	wait_for 10 takes_signals "$2"
	sleep 1.5
	ended "$2" && finding "frtrace did not wait: $(cat "$F_DIR/stderr")"
	kill "-$1" "$2"
	began=$SECONDS
	trace_wait 20
	[ $((SECONDS - began)) -le 12 ] || finding "it took $((SECONDS - began)) s to end"
	[ -e "$WORK/never.jfr" ] && finding "it left a file"
	[ "${3:-}" != deaf ] || rm "/tmp/.attach_pid$T_PID" || finding "the file that requests the attach is gone"
	tmp_is_clean
}

takes_signals() { # PID: it has blocked SIGINT, and looks for it
	ended "$1" || [ $((16#0$(sed -n 's/^SigBlk:\t//p' "/proc/$1/status" 2>/dev/null) & 2)) != 0 ]
}

interrupted() { # mute|deaf SIGNAL
	begin "SIG$2 ends frtrace at once while a $1 JVM does not answer" || return 0
	fake_start "$1"
	trace_launch -p "$T_PID" -m 'x.Y::z' -o "$WORK/never.jfr"
	interrupted_by "$2" "$F_PID" "$1"
	status_is 1
	[ "$(cat "$F_DIR/stderr")" = "frtrace: cannot attach to process $T_PID 'fake_jvm': interrupted" ] ||
		finding "not the one line:" "$(cat "$F_DIR/stderr")"
	finish
}

# A supervisor gets the Ctrl-C, and is the only process in the foreground.
interrupted_in_background() {
	local child
	begin "Ctrl-C ends frtrace start and the process that it has started while a mute JVM does not answer" || return 0
	fake_start mute
	trace_launch start -p "$T_PID" -m 'x.Y::z' -o "$WORK/never.jfr"
	wait_for 5 pgrep -P "$F_PID" >/dev/null
	child=$(pgrep -P "$F_PID")
	interrupted_by INT "$F_PID"
	wait_for 4 ended "$child" || finding "process $child is still running"
	finish
}

# A deaf fake JVM of an unprivileged user, below a file system that does not answer. False: there can be none, says $WHY.
fuse_start() { # LIBJVM COMMAND..., which ends with mute_fuse and its arguments
	fake_build fake_jvm
	fake_build mute_fuse
	fake_library "$WORK/lib"
	mkdir -p "$WORK/mount"
	rm -f "$WORK/fuse"
	WHY='no /dev/fuse'
	[ -e /dev/fuse ] && mknod "$WORK/fuse" c 10 229 && chmod 666 "$WORK/fuse" || return
	(cd "$WORK" && exec "${@:2}" ./fake_jvm deaf "$1") >"$WORK/fake" 2>&1 &
	FUSE=$!
	STARTED+=("$FUSE")
	wait_for 10 grep -qs . "$WORK/fake"
	WHY=$(head -n 1 "$WORK/fake")
	[ "$WHY" = ready ] && T_PID=$(pgrep -P "$FUSE")
}

# An unprivileged user can do this to the helper that takes his identity. No signal ends the helper.
mute_tmp() {
	begin "a /tmp that never answers gives a message, and Ctrl-C ends the wait for it" || return 0
	if ! fuse_start lib/libjvm.so setpriv --reuid=65534 --regid=65534 --clear-groups "${SERVICE[@]}" ./mute_fuse ./fuse /tmp; then
		skip "$SENTENCE" "$WHY"
		return
	fi
	trace_launch -p "$T_PID" -m 'x.Y::z' -o "$WORK/never.jfr"
	ended_with 1
	says "^frtrace: cannot attach to process $T_PID 'fake_jvm': its /tmp does not answer$"
	trace_launch -p "$T_PID" -m 'x.Y::z' -o "$WORK/never.jfr"
	T_PID=$$ interrupted_by INT "$F_PID"
	says "^frtrace: cannot attach to process [0-9]* 'fake_jvm': interrupted$"
	kill -9 "$FUSE" # this ends the file system and releases the processes that wait for it
	verdict
}

# With fusermount any user can make such a mount. Nobody else may read a file there, but whoever reads the memory that it is
# mapped to waits for ever.
mute_memory() {
	begin "memory that never answers holds up no list, no search for other JVMs, and not the end of --follow" || return 0
	if ! fuse_start mount/libjvm.so "${SERVICE[@]}" ./mute_fuse --as=65534 ./fuse mount; then
		skip "$SENTENCE" "$WHY"
		return
	fi
	timeout -s KILL 60 "$FRTRACE" list >"$WORK/list" 2>&1 || finding "frtrace list: status $?"
	grep -qE "^ *$T_PID .* no +no +fake_jvm +\\(its memory, or a file of it, does not answer\\)$" "$WORK/list" ||
		finding "frtrace list says:" "$(cat "$WORK/list")"
	timeout -s KILL 30 "$FRTRACE" -p "nobody-$$" -m 'x.Y::z' -o "$WORK/never.jfr" 2>"$WORK/search"
	grep -q "^frtrace: no JVM whose main class or jar contains 'nobody-$$'$" "$WORK/search" ||
		finding "the search says:" "$(cat "$WORK/search")"
	trace_launch --follow=fake_jvm -m 'x.Y::z' -o "$WORK/followed/"
	wait_for 20 pgrep -P "$F_PID" >/dev/null || finding "it is not followed"
	kill -INT "$F_PID"
	ended_with 1
	# on a busy machine its name is not known in time, so there is no recording of it
	says "^$T_PID: frtrace: the recording does not end, and is left behind$|^not traced: $T_PID fake_jvm: its memory, or a file of it, does not answer$"
	kill -9 "$FUSE"
	verdict
}

# A FUSE file system of a user namespace refuses root, but not an overlay on top of it, which reads with the rights of its
# owner: so any user can make one. It is mute for one frtrace only.
mute_overlay() { # LIBRARY WHAT
	begin "an overlay that never answers as the /tmp of $2 holds up no list, no search and no --follow" || return 0
	local FRTRACE=$FRTRACE why='its memory, or a file of it, does not answer' jvm=$1
	mkdir -p "$WORK/lower" "$WORK/empty" "$WORK/mute"
	ln -sf "$FRTRACE" "$WORK/mute/frtrace"
	FRTRACE=$WORK/mute/frtrace
	fake_library "$WORK/lib"
	cp "$WORK/lib/libjvm.so" "$WORK/lib/libj9vm29.so"
	cp "$WORK/lib/libjvm.so" "$WORK/lib/libother.so"
	if ! fuse_start "lib/$1" setpriv --reuid=65534 --regid=65534 --clear-groups "${SERVICE[@]}" \
		./mute_fuse --overlay=/mute/frtrace ./fuse /tmp; then
		skip "$SENTENCE" "$WHY"
		return
	fi
	timeout -s KILL 60 "$FRTRACE" list >"$WORK/list" 2>&1 || finding "frtrace list: status $?"
	timeout -s KILL 60 "$FRTRACE" -p "nobody-$$" -m 'x.Y::z' -o "$WORK/never.jfr" 2>"$WORK/search"
	grep -q "^frtrace: no JVM whose main class or jar contains 'nobody-$$'" "$WORK/search" ||
		finding "the search says:" "$(cat "$WORK/search")"
	trace_launch --follow="nobody-$$" -m 'x.Y::z' -o "$WORK/followed/"
	if [ "$jvm" = libother.so ]; then
		grep -q "^ *$T_PID " "$WORK/list" && finding "frtrace list says:" "$(cat "$WORK/list")"
		grep -q "of 1 the name is unknown" "$WORK/search" && finding "the search looked at it"
		wait_for 20 grep -q '^following' "$F_DIR/stderr"
		sleep 1
		grep "not traced: $T_PID" "$F_DIR/stderr" && finding "--follow looked at it"
	else
		grep -qE "^ *$T_PID .* no +no +fake_jvm +\\($why\\)$" "$WORK/list" ||
			finding "frtrace list says:" "$(cat "$WORK/list")"
		grep -q "of 1 the name is unknown" "$WORK/search" || finding "the search says:" "$(cat "$WORK/search")"
		wait_for 20 grep -q "^not traced: $T_PID fake_jvm: $why$" "$F_DIR/stderr" ||
			finding "--follow says:" "$(cat "$F_DIR/stderr")"
	fi
	kill -INT "$F_PID"
	trace_wait 20
	kill -9 "$FUSE"
	verdict
}

# The target has its own root directory, where a container may make a device that only root may open.
devices() {
	local cell=$WORK/cell
	begin "no device and no FIFO that a target names is opened" || return 0
	mkdir -p "$cell/tmp" "$cell/proc"
	fake_library "$cell/jdk/lib/server"
	fake_build fake_jvm -static
	mv "$WORK/fake_jvm" "$cell/java"
	mkfifo "$cell/fifo"
	mknod "$cell/evil" c 1 11 && ln -s ../evil "$cell/jdk/release" && ln -s fifo "$cell/to_fifo" ||
		finding "cannot make a device"
	"${SERVICE[@]}" chroot "$cell" /java mute /jdk/lib/server/libjvm.so /evil /fifo -- \
		@/evil @/to_fifo -XX:VMOptionsFile=/fifo -XX:VMOptionsFile=../evil >"$WORK/fake" 2>&1 &
	target_is $!
	fake_ready "$WORK/fake"
	"$FRTRACE" list >"$WORK/list" 2>&1
	grep -qE "^ *$T_PID " "$WORK/list" || finding "frtrace list does not show it: $(cat "$WORK/list")"
	timeout 300 "$FRTRACE" check -p "$T_PID" >/dev/null 2>&1
	trace_launch -p "$T_PID" -m 'x.Y::z' -o "$WORK/never.jfr"
	interrupted_by INT "$F_PID"
	grep -q opened "$WORK/fake" && finding "a device or FIFO was opened"
	: <>"$cell/fifo"
	wait_for 5 grep -q opened "$WORK/fake" || finding "an open of the FIFO would not be seen"
	finish
}

# ---- JVMs with a forged libjvm

# Append 2 GB, a sparse file, that are declared as the notes.
forge_notes() { # FILE
	python3 - "$1" <<-'END'
		import os, struct, sys
		with open(sys.argv[1], 'r+b') as file:
		    header = file.read(64)
		    sections, = struct.unpack_from('<Q', header, 40)
		    count, names = struct.unpack_from('<HH', header, 60)
		    def section(i):
		        file.seek(sections + 64 * i)
		        return list(struct.unpack('<IIQQQQIIQQ', file.read(64)))
		    def text(at):
		        file.seek(section(names)[4] + at)
		        return file.read(64).split(b'\0')[0]
		    found = [i for i in range(count) if text(section(i)[0]) == b'.note.stapsdt']
		    notes = section(found[0])
		    notes[4:6] = (os.path.getsize(file.name) + 4095) // 4096 * 4096, 2 << 30
		    file.seek(sections + 64 * found[0])
		    file.write(struct.pack('<IIQQQQIIQQ', *notes))
		    file.truncate(sum(notes[4:6]))
	END
}

# A JDK of its own that differs only in libjvm.
forge_home() { # DIRECTORY
	local file
	mkdir -p "$1/bin" "$1/lib/server"
	for file in "$JAVA"/* "$JAVA"/lib/*; do
		ln -sT "$file" "$1/${file#"$JAVA/"}" 2>/dev/null # the three that exist stay
	done
	cp "$JAVA/bin/java" "$1/bin/"
	cp "$JAVA/lib/server/libjvm.so" "$1/lib/server/"
}

giant_notes() {
	local JAVA=$JAVA
	begin "a libjvm whose notes are 2 GB costs the recording its pauses and little memory, JDK $FEATURE" || return 0
	forge_home "$WORK/forged"
	if ! forge_notes "$WORK/forged/lib/server/libjvm.so" 2>"$WORK/why"; then
		skip "$SENTENCE" "this libjvm has no USDT notes: $(tail -n 1 "$WORK/why")"
		return
	fi
	local JAVA=$WORK/forged
	trace_program Late 500 -- -v -m 'live.Late$Latecomer::checkout' --kernel=on || return 0
	says 'no pauses: .*\.note\.stapsdt'
	[ "$(awk '/^VmHWM/ { print $2 }' "/proc/$F_PID/status")" -lt 400000 ] || finding "$(grep VmHWM "/proc/$F_PID/status")"
	awk '/^Max data size/ { exit !($4 < 1e9) }' "/proc/$F_PID/limits" || finding "its memory has no limit"
	trace_calls
	target_leaves
	file_agrees
	finish
}

# The program maps it at a lower address than all others.
second_libjvm() {
	begin "another file named libjvm.so costs a recording neither stacks nor pauses, JDK $FEATURE" || return 0
	fake_library "$WORK/second"
	cat >"$WORK/second.c" <<-END
		#include <fcntl.h>
		#include <sys/mman.h>
		__attribute__((constructor)) static void map(void)
		{
			int fd = open("$WORK/second/libjvm.so", O_RDONLY);
			mmap((void *)0x10000000, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
		}
	END
	gcc -D_GNU_SOURCE -shared -fPIC -o "$WORK/second.so" "$WORK/second.c" || finding "no library"
	local LAUNCH=("${SERVICE[@]}" env "LD_PRELOAD=$WORK/second.so")
	run_program Late 500 || return 0
	grep -q "^10000000-.*$WORK/second/libjvm.so" "/proc/$T_PID/maps" || finding "it is not mapped"
	trace_target -v -m 'live.Late$Latecomer::checkout' --kernel=on || return 0
	says '^stacks checked'
	grep -E 'no pauses|no stacks' "$F_DIR/stderr" && finding "$(cat "$F_DIR/stderr")"
	trace_calls
	target_leaves
	file_agrees
	finish
}

interrupted mute INT
interrupted deaf TERM
interrupted_in_background
devices
mute_tmp
mute_memory
mute_overlay libother.so 'a program that is no JVM'
mute_overlay libjvm.so 'a JVM'
mute_overlay libj9vm29.so 'an OpenJ9'
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	turn 0 && many_loaders
	full_heap
	turn 1 && killed_at_start
	turn 0 && closed_descriptors
	turn 1 && giant_notes
	turn 0 && second_libjvm
done
