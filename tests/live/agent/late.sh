#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Events of classes that are loaded later, by 300 loaders: from the first call on, however the recording was started, and
# the loaders can be collected.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# The last event has a value that only a loaded class tells: it does not keep the others from being recorded.
RUN=(-e 'test.Run live.Loaders$Plug::run n=this.n weight:number=this.part.weight' -e 'test.Count live.Loaders$Plug::run calls=calls again=this.calls' --no-stack)
OTHER=(-e 'test.Other live.Loaders$Plug::run far=live.Loaders$Plug.calls none=this.nr')
LEFT=(-e 'test.Left live.Loaders$Gone::run;!live.Loaders$Gone::go n=arg0')

armed() { grep -qsE '^([0-9]+: )?tracing ' "$F_DIR/stderr" || ended "$F_PID"; }

all_calls() { # FILE [EVENT...]: the events besides Run and Count
	[ "$(cat "$T_DIR/alive")" = 0 ] || finding "$(cat "$T_DIR/alive") loaders are not collected"
	"$FRTRACE" print --json --events 'test.*' "$1" >"$WORK/late.json"
	python3 - "$WORK/late.json" "${@:2}" <<-'END' 2>"$WORK/err" || finding "the events are wrong:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import collections, json, sys
		seen = collections.defaultdict(collections.Counter)
		for e in json.load(open(sys.argv[1]))["recording"]["events"]:
		    v = e["values"]
		    seen[e["type"]][tuple(v.get(k) for k in ("n", "weight", "calls", "again", "far", "none"))] += 1
		each = [sum(1 for i in range(300) if i % 5 >= k) for k in range(5)]
		want = {"test.Run": {(7 + 1 + k, 5, None, None, None, None): each[k] for k in range(5)},
		        "test.Count": {(None, None, 2 * k + 2, 2 * k + 2, None, None): each[k] for k in range(5)}}
		for name in sys.argv[2:]:
		    want[name] = {(None,) * 6: 900}
		assert seen == want, {k: dict(v) for k, v in seen.items()}
	END
}

attached() {
	begin "300 loaders' classes that are loaded later have events, -p, JDK $FEATURE" || return 0
	run_program -Xcheck:jni Loaders || return 0
	trace_target "${RUN[@]}" "${OTHER[@]}" "${LEFT[@]}" || return 0
	says "event 'test.Run': no method of a loaded class matches .*; a class that does, and is loaded later, has the event"
	says "event 'test.Left': no method of a loaded class .*; it is left out"
	trace_calls
	says '^900 calls, 0 thrown, 0 lost'
	says "event 'test.Other', 'none=this.nr': 900 calls without it: live.Loaders.Plug has no field 'nr'; near: n"
	says "event 'test.Other', 'far=live.Loaders.Plug.calls': 900 calls without it"
	all_calls "$F_FILE" test.Other
	target_restored
	target_quit
	finish
}

background() {
	begin "300 loaders' classes that are loaded later have events, start, JDK $FEATURE" || return 0
	run_program Loaders || return 0
	trace_launch start -p "$T_PID" -o "$WORK/start.jfr" --max-overhead=off "${RUN[@]}"
	ended_with 0
	target_go
	"$FRTRACE" stop "$T_PID" 2>"$WORK/stopped" || finding "stop: $(cat "$WORK/stopped")"
	all_calls "$WORK/start.jfr"
	target_quit
	finish
}

launched() {
	begin "300 loaders' classes that are loaded later have events, a program that frtrace starts, JDK $FEATURE" || return 0
	stage
	touch "$T_DIR/go" "$T_DIR/quit"
	trace_launch -o "$WORK/launched.jfr" --max-overhead=off "${RUN[@]}" -- "$JAVA/bin/java" -cp "$CLASSES" live.Loaders "$T_DIR"
	ended_with 0
	says '^tracing .* from its first class on'
	all_calls "$WORK/launched.jfr"
	verdict
}

# frtrace is there first, and finds the JVM by its name.
found() { # NAME OPTION...
	begin "300 loaders' classes that are loaded later have events, $1, JDK $FEATURE" || return 0
	rm -rf "$WORK/found"
	mkdir "$WORK/found"
	trace_launch "${@:2}" -o "$WORK/found/%p.jfr" --max-overhead=off "${RUN[@]}"
	if wait_for "$TRACE_SECONDS_MAX" grep -qsE '^(waiting|following) ' "$F_DIR/stderr"; then
		target_start Loaders
		target_ready && wait_for "$TRACE_SECONDS_MAX" armed && target_go && target_quit
		[ "$1" != --follow ] || wait_for "$SECONDS_MAX" grep -qE ' 0 lost' "$F_DIR/stderr" || finding "no recording has ended"
		trace_stop
		says ' 900 calls, 0 thrown, 0 lost|^900 calls, 0 thrown, 0 lost'
		all_calls "$WORK/found"/*.jfr
	else
		finding "it does not wait:" "$(cat "$F_DIR/stderr")"
	fi
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	attached
	launched
	turn 0 && background
	turn 1 && found --follow --follow=live.Loaders
	turn 0 && found --wait -p live.Loaders --wait
done
