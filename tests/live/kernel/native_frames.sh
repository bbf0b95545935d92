#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The native part of a wait's stack equals what gdb unwinds at the same wait, with the names that nm knows.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

PROBED=
METHODS='live.Blocked::monitor;live.Blocked::library;live.Blocked::network'
KINDS='monitor library network'
N=34 # threads of each kind: more than 100 stacks

library_build() { # NAME
	gcc -O2 -shared -fPIC -Wall -Werror -isystem "$JAVA/include" -isystem "$JAVA/include/linux" -o "$WORK/$1" "$LIVE/natives.c"
}

equal_stacks() { # KIND
	local equal wrong
	read -r equal wrong < <(sed -n "s/^$1 //p" "$WORK/compared")
	[ "${equal:-0}" -ge $N ] && [ "$wrong" = 0 ] || finding "$1: ${equal:-none} of $N stacks equal gdb's, ${wrong:-?} are wrong:" "$(head -c 6000 "$WORK/different")"
}

# The threads are in the kernel, and stay there.
blocked() {
	sleeping && sleep 0.2 && sleeping
}

sleeping() { [ "$(cat "/proc/$T_PID/task"/*/stat 2>/dev/null | grep -cE '\((monitor|library|network)-[0-9]+\) S ')" = $((3 * N)) ]; }

frames() { # SENTENCE LIBRARY [-OPTION...]
	local library=$2
	begin "$1, JDK $FEATURE" || return 0
	shift 2
	trace_program $PROBED Blocked $N "$WORK/$library" -- -m "$METHODS" "$@" || return 0
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" target_has blocked && wait_for 20 blocked || finding "the threads do not block"
	python3 "$LIVE/native_frames.py" take "$T_PID" "$WORK/truth" 2>"$WORK/gdb" || finding "gdb:" "$(cat "$WORK/gdb")"
	touch "$T_DIR/release"
	wait_for "$SECONDS_MAX" target_has "done" || finding "the threads do not end"
	stopped_with 0
	says ' 0 lost'
	"$FRTRACE" print --json --events frtrace.ThreadWait --stack-depth 64 "$F_FILE" >"$WORK/printed"
	python3 "$LIVE/native_frames.py" compare "$WORK/truth" "$WORK/printed" $KINDS >"$WORK/compared" 2>"$WORK/different"
	for kind in $KINDS; do equal_stacks $kind; done
	target_quit
	finish
}

# In a stripped library only the exported function has a name.
stripped() {
	begin "code without a symbol shows its library and place, JDK $FEATURE" || return 0
	grep -q '"name": "libstripped.so"' "$WORK/printed" || finding "no frame of libstripped.so"
	"$FRTRACE" view slowest --top=200 "$F_SEEN" >"$WORK/viewed"
	grep -qE '^ +libstripped\.so\+0x[0-9a-f]+$' "$WORK/viewed" || finding "no libstripped.so+0x...:" "$(grep -m5 libstripped "$WORK/viewed")"
	grep -qE '^ +libstripped\.so\.Java_live_Blocked_descend\(\)$' "$WORK/viewed" || finding "no exported function"
	grep -q 'libstripped.so.wait_until_open' "$WORK/viewed" && finding "a name that was stripped"
	verdict
}

command -v gdb >/dev/null || { skip "native frames equal gdb's" "no gdb: scripts/deps --tests"; exit 0; }
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	library_build libnatives.so && library_build libstripped.so && strip "$WORK/libstripped.so" || { not_ok "the library compiles"; exit; }
	frames "native frames of waits equal gdb's" libnatives.so
	PROBED=-XX:+DTraceMethodProbes frames "native frames of waits equal gdb's, by HotSpot's own probes" libnatives.so --source=hotspot
	turn 1 && METHODS='live.Blocked::descend;sun.nio.ch.SocketDispatcher::read0' KINDS='library network' \
		frames "native frames of waits equal gdb's, in threads that call nothing else" libnatives.so
	turn 0 && {
		F_SEEN=$WORK/seen.jfr
		target_drop() { is_ours "$T_PID" && kill -9 "$T_PID" 2>/dev/null; mv "$F_FILE" "$F_SEEN"; }
		frames "native frames of held waits equal gdb's, in a stripped library" libstripped.so -t 1ms
		stripped
	}
done
