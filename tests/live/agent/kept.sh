#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Values of an earlier call with the same object: statements know nothing of their text, are prepared again and again, and are
# executed by other threads, too. Each execution says itself which text it should have.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

KEPT=(-e 'test.Prepare live.Kept$Connection::prepare:1h~return sql=arg0 n=arg1'
	-e 'test.Execute live.Kept$Statement::execute want=arg0 sql=test.Prepare[this].sql n=test.Prepare[this].n'
	--no-stack)

# Never a value of another statement. Each is looked for by itself: other statements may need the room between two looks. $2: how
# many may be unknown; $3: how many are to be known at least.
right_texts() { # FILE UNKNOWN KNOWN
	"$FRTRACE" print --json --events 'test.*' "$1" >"$WORK/kept.json"
	python3 - "$WORK/kept.json" "${@:2}" <<-'END' 2>"$WORK/err" || finding "the values are wrong:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import json, sys
		known = unknown = strange = 0
		for e in json.load(open(sys.argv[1]))["recording"]["events"]:
		    assert e["type"] == "test.Execute", e["type"]
		    v = e["values"]
		    n = None if v["n"] == -2**63 else v["n"]
		    assert v["sql"] in (None, v["want"]), (v["sql"], v["want"])
		    assert n is None or (v["want"] or "").startswith(f"select {n} from "), (n, v["want"])
		    strange += v["want"] is None
		    known += v["sql"] is not None and n is not None
		    unknown += v["want"] is not None and (v["sql"] is None or n is None)
		print(f"# {known} known, {unknown} unknown")
		assert unknown <= int(sys.argv[2]), f"{unknown} of {known + unknown} are unknown"
		assert known >= int(sys.argv[3]) and strange >= int(sys.argv[3]) // 20, (known, strange)
	END
	[ "$(cat "$T_DIR/alive")" = 0 ] || finding "$(cat "$T_DIR/alive") statements are kept alive"
}

attached() { # platform|virtual UNKNOWN [JVM-OPTION...]
	begin "calls have values of earlier calls with the same object, $1 threads ${*:3}, JDK $FEATURE" || return 0
	run_program "${@:3}" Kept 3000 "$1" || return 0
	trace_target "${KEPT[@]}" || return 0
	trace_calls
	says ' 0 lost'
	right_texts "$F_FILE" "$2" 6000
	target_restored
	target_quit
	finish
}

launched() {
	begin "calls have values of earlier calls with the same object, a program that frtrace starts, JDK $FEATURE" || return 0
	stage
	touch "$T_DIR/go" "$T_DIR/quit"
	F_FILE=$WORK/launched.jfr
	trace_launch -o "$F_FILE" --max-overhead=off "${KEPT[@]}" -- "$JAVA/bin/java" -cp "$CLASSES" live.Kept "$T_DIR" 1000 platform
	ended_with 0
	says '^tracing .* from its first class on'
	right_texts "$F_FILE" 40 2000
	verdict
}

# The JVM counts its weak references, also those whose object is gone.
weak_refs() { "$JAVA/bin/jcmd" "$T_PID" Thread.print 2>/dev/null | sed -n 's/.*weak refs: \([0-9]*\).*/\1/p'; }
weak_refs_above() { [ "$(weak_refs)" -gt "$1" ]; }
weak_refs_below() { [ "$(weak_refs)" -lt "$1" ]; }

killed() {
	local before
	begin "when frtrace is killed, the agent lets go of all objects with kept values, JDK $FEATURE" || return 0
	run_program -Xcheck:jni Kept 3000 platform twice || return 0
	before=$(weak_refs)
	trace_target "${KEPT[@]}" || return 0
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" weak_refs_above $((before + 1000)) || finding "no values are kept: $before references, then $(weak_refs)"
	trace_kill 2>/dev/null
	wait_for "$SECONDS_MAX" target_has once || finding "the program does not go on"
	wait_for 60 agent_idle || finding "the agent does not notice"
	wait_for 20 weak_refs_below $((before + 50)) || finding "$before weak references before, $(weak_refs) afterwards"
	trace_target "${KEPT[@]}" || return 0
	touch "$T_DIR/more"
	trace_calls
	says ' 0 lost'
	right_texts "$F_FILE" 120 6000
	target_restored
	target_quit
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	turn 0 && attached platform 120 -Xcheck:jni
	turn 1 && attached platform 120 -XX:+UseZGC
	turn 1 && attached virtual 120
	turn 0 && attached platform 99999 -XX:+UnlockExperimentalVMOptions -XX:hashCode=2 # all objects have one hash
	turn 0 && launched
	turn 1 && killed
done
