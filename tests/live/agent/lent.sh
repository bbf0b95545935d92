#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Events from one call to another one with the same object, on any thread: what an asynchronous client asks until it has the
# answer, and how long what a pool lends is away. The program logs each itself.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

LENT=(-e 'test.Ask live.Lent$Client::send~arg0 => live.Lent$Client::done~arg0 n=arg0.number peer=arg0.peer'
	-e 'test.Loan live.Lent$Pool::borrow~return => live.Lent$Pool::giveBack~arg0 n=arg1'
	-e 'test.Idle live.Lent$Pool::giveBack~arg0 => live.Lent$Pool::borrow~return n=return.number'
	--no-stack)

# Each of the log is there once, with its peer, its threads and its time, and nothing else. So many have not ended.
lent_as_logged() { # [OPEN]
	"$FRTRACE" print --json --events 'test.*' "$F_FILE" >"$WORK/lent.json"
	"$FRTRACE" view --json open "$F_FILE" >"$WORK/open.json"
	python3 "$LIVE/lent.py" "$WORK/lent.json" "$T_DIR/log" "$WORK/open.json" "$@" 2>"$WORK/err" ||
		finding "the events are not those of the log:" "$(tail -n 1 "$WORK/err" | head -c 900)"
}

lent() { # platform|virtual [JVM-OPTION...]
	begin "events last from one call to another with the same object, $1 threads ${*:2}, JDK $FEATURE" || return 0
	run_program "${@:2}" Lent 2000 "$1" || return 0
	trace_target "${LENT[@]}" --max-overhead=off || return 0
	trace_calls
	says ' 0 lost'
	says "event 'test.Ask': 7 calls of 'live.Lent.Client::done' left out: no earlier call of"
	says "event 'test.Idle': 9 calls of 'live.Lent.Pool::borrow' left out: no earlier call of"
	lent_as_logged "$(cat "$T_DIR/open")"
	target_restored
	target_quit
	finish
}

# The classes are loaded later. The JVM ends first, so nobody can ask it what has not ended.
launched() {
	begin "events last from one call to another, a program that frtrace starts, JDK $FEATURE" || return 0
	stage
	touch "$T_DIR/go" "$T_DIR/quit"
	F_FILE=$WORK/launched.jfr
	trace_launch -o "$F_FILE" --max-overhead=off "${LENT[@]}" -- "$JAVA/bin/java" -cp "$CLASSES" live.Lent "$T_DIR" 500 platform
	ended_with 0
	says '^tracing .* from its first class on'
	lent_as_logged
	verdict
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	turn 0 && lent platform -Xcheck:jni
	turn 1 && lent platform -XX:+UseZGC
	turn 1 && lent virtual
	turn 0 && launched
done
