#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Outermost events: a statement that wrappers hand on makes one event, and so does a recursion. The filter may name an
# interface whose classes are loaded later.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

OUTER=(-e 'test.Sql outermost +live.Delegated$Statement::execute sql=arg0 deep=arg1'
	-e 'test.Factorial outermost live.Delegated::factorial n=arg0 back=return'
	-e 'test.Each +live.Delegated$Statement::execute sql=arg0')

# Each value once, and of the inner calls nothing.
outer_calls() { # REQUESTS
	"$FRTRACE" print --json --events 'test.*,jdk.MethodTrace' "$F_FILE" >"$WORK/outer.json"
	python3 - "$WORK/outer.json" "$@" <<-'END' 2>"$WORK/err" || finding "the events are wrong:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import collections, json, math, sys
		n = int(sys.argv[2])
		seen = collections.defaultdict(list)
		for e in json.load(open(sys.argv[1]))["recording"]["events"]:
		    v = e["values"]
		    name = e["type"]
		    if name == "test.Sql":
		        assert v["method"]["type"]["name"] in ("live/Delegated$Traced", "live.Delegated$Traced"), v["method"]
		        seen[name].append((v["sql"], v["deep"], v["thrown"]))
		    elif name == "test.Factorial":
		        want = math.factorial(v["n"]) & 0xffffffff
		        assert (v["back"] - want) % 2**32 == 0, v
		        seen[name].append(v["n"])
		    elif name == "test.Each":
		        seen[name].append(v["sql"])
		sql = [(f"sql {i}", i % 3, i % 10 == 3) for i in range(n)] + [(f"again {i}", 0, i % 10 == 3) for i in range(n)]
		each = collections.Counter({f"sql {i}": 4 + i % 3 for i in range(n)}) + collections.Counter({f"again {i}": 4 for i in range(n)})
		numbers = collections.Counter(i % 40 + 1 for i in range(n))
		def equal(got, want):
		    got, want = collections.Counter(got), collections.Counter(want)
		    assert not got - want, list((got - want).items())[:3]
		    assert not want - got, list((want - got).items())[:3]
		equal(seen["test.Sql"], sql)
		equal(seen["test.Factorial"], numbers)
		assert collections.Counter(seen["test.Each"]) == each, len(seen["test.Each"])
	END
}

attached() { # platform|virtual REQUESTS [TRACE-OPTION...]
	begin "of calls within each other the outermost are events, $1 threads ${*:3}, JDK $FEATURE" || return 0
	run_program -Xcheck:jni Delegated "$2" "$1" || return 0
	trace_target "${OUTER[@]}" "${@:3}" || return 0
	says "event 'test.Sql': .*; a class that does, and is loaded later, has the event"
	trace_calls
	says ' 0 lost'
	if grep -q 'left out' "$F_DIR/stderr"; then
		finding "calls are left out:" "$(grep 'left out' "$F_DIR/stderr")"
	fi
	outer_calls $((4 * $2))
	target_restored
	target_quit
	finish
}

launched() {
	begin "of calls within each other the outermost are events, a program that frtrace starts, JDK $FEATURE" || return 0
	stage
	touch "$T_DIR/go" "$T_DIR/quit"
	F_FILE=$WORK/launched.jfr
	trace_launch -o "$F_FILE" --max-overhead=off "${OUTER[@]}" -- "$JAVA/bin/java" -cp "$CLASSES" live.Delegated "$T_DIR" 200 platform
	ended_with 0
	says '^tracing .* from its first class on'
	outer_calls 800
	verdict
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	attached platform 300
	[ "$FEATURE" -lt 21 ] || attached virtual 300
	[ "$FEATURE" -lt 21 ] || attached virtual 300 --kernel=off --no-stack
	turn 0 && launched
done
root_use 21 "of calls within each other the outermost are events, virtual threads" && attached virtual 300
