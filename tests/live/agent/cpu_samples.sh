#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --cpu: what the CPU time of recorded calls was spent in, whatever runs the code, and nothing of calls that are not recorded.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# The shares that the program has burnt. A fast call that lost its CPU for so long that it is recorded may have some samples.
shares_agree() { # SLOW-CALLS
	"$FRTRACE" view --json hot --top=1000 "$F_FILE" >"$WORK/hot"
	"$FRTRACE" view --json method-trace "$F_FILE" >"$WORK/calls"
	python3 - "$WORK/hot" "$WORK/calls" "$1" <<-'END' 2>"$WORK/err" || finding "$(tail -n 1 "$WORK/err")"
		import json, sys
		rows = {r["method"].split("(")[0]: r for r in json.load(open(sys.argv[1]))["rows"]}
		total = lambda name: rows.get("live.Spent." + name, {"total": 0})["total"]
		fast = json.load(open(sys.argv[2]))["rows"][0]["calls"] - int(sys.argv[3])
		samples = sum(r["self"] for r in rows.values()) - total("none")
		assert fast >= 0 and total("none") <= 4 * fast, (fast, total("none"))
		assert samples > 1000, samples
		shares = [100 * total(m) / samples for m in ("most", "some", "few")]
		assert all(abs(s - w) <= 3 for s, w in zip(shares, (60, 30, 10))), shares
		known = sum(total(m) for m in ("most", "some", "few", "none")) + rows.get("live.Spent.call", {"self": 0})["self"]
		samples += total("none")
		assert samples - known <= samples / 50, (samples, known)
	END
}

# The flame graph of the report's page has the samples that the view has.
page_agrees() {
	"$FRTRACE" report "$F_FILE" -o "$WORK/page.html" 2>"$WORK/err" || finding "report: status $?" "$(cat "$WORK/err")"
	python3 "$LIVE/report_page.py" --samples "$WORK/page.html" 2>&1 | sort >"$WORK/in-page"
	python3 -c 'import json, sys
for r in json.load(open(sys.argv[1]))["rows"]:
	if r["self"]:
		print(r["self"], r["method"])' "$WORK/hot" | sort | diff "$WORK/in-page" - >"$WORK/differ" ||
		finding "< the page, > view hot:" "$(cat "$WORK/differ")"
}

spent() { # JVM-OPTION
	begin "samples of slow calls have the shares that were burnt, and fast calls have none, $1, JDK $FEATURE" || return 0
	record_program "$1" Spent 2 40 -- -m live.Spent::call -t 25ms --cpu || return 0
	says ' 0 lost'
	shares_agree 80
	page_agrees
	finish
}

# One of the ways to run code; with SOAK=1 all: interpreted, by C1, by C1 and then C2.
spent_by() { # FIRST
	local ways=(-Xint -XX:TieredStopAtLevel=1 -XX:+TieredCompilation) i
	for ((i = 0; i < 3; i++)); do
		spent "${ways[($1 + i) % 3]}"
		[ -n "$SOAK" ] || return 0
	done
}

# An interpreted method's frame is complete only some instructions after the call, and in a program of small methods these take
# a good part of the time.
entered() {
	begin "samples of interpreted methods that are just entered or left are known, JDK $FEATURE" || return 0
	record_program -Xint Spent 2 "$(amount 30 200)" calls -- -m live.Spent::call -t 25ms --cpu || return 0
	says ' 0 lost'
	"$FRTRACE" print --json --events jdk.ExecutionSample "$F_FILE" >"$WORK/samples"
	python3 - "$WORK/samples" <<-'END' 2>"$WORK/err" || finding "$(tail -n 1 "$WORK/err")"
		import json, sys
		stacks = [e["values"]["stackTrace"] for e in json.load(open(sys.argv[1]))["recording"]["events"]]
		known = [[(f["method"]["name"], f["lineNumber"]) for f in s["frames"]] for s in stacks if s]
		assert len(stacks) > 500 and len(stacks) - len(known) <= len(stacks) / 50, (len(stacks), len(known))
		callers = {"plus": "small", "times": "small", "small": "call"}
		assert {"plus", "times", "small"} <= {k[0][0] for k in known}
		for k in known:
		    for (name, line), (caller, _) in zip(k, k[1:]):
		        assert name not in callers or (line > 0 and caller == callers[name]), k
	END
	finish
}

# The JDK reads the events, and so does its own view of them.
read_by_jfr() {
	local view
	begin "the JDK's tools take samples for its own, JDK $FEATURE" || return 0
	newest_is_25 || return 0
	record_program Spent 1 10 -- -m live.Spent::call -t 25ms --cpu=500us || return 0
	jfr_newest print --events jdk.ExecutionSample "$F_FILE" >"$WORK/tool" 2>&1
	grep -q 'state = "STATE_RUNNABLE"' "$WORK/tool" || finding "no sample:" "$(head -n 20 "$WORK/tool")"
	view=$(jfr_newest view hot-methods "$F_FILE" 2>&1)
	grep -q 'live.Spent.most' <<<"$view" || finding "not in hot-methods:" "$view"
	finish
}

# All samples of the merged file are in recorded calls; the JVM's own are in all that it does.
beside_jfr() {
	local all in_calls
	begin "with --with-jfr only frtrace's samples are there, JDK $FEATURE" || return 0
	record_program Spent 1 10 -- -m live.Spent::call -t 25ms --cpu --with-jfr=profile || return 0
	"$JAVA/bin/jfr" summary "$F_FILE" >"$WORK/summary" 2>&1
	"$FRTRACE" view --json hot --top=100000 "$F_FILE" >"$WORK/hot"
	grep -Eq 'jdk.GCConfiguration +[1-9]' "$WORK/summary" || finding "no events of the JVM:" "$(grep GCConfig "$WORK/summary")"
	all=$(awk '$1 == "jdk.ExecutionSample" { print $2 }' "$WORK/summary")
	in_calls=$(python3 -c 'import json, sys; print(sum(r["self"] for r in json.load(open(sys.argv[1]))["rows"]))' "$WORK/hot")
	[ "${all:-0}" -gt 50 ] && [ "$all" = "$in_calls" ] || finding "$all samples, $in_calls of them in calls"
	finish
}

# Each thread has a method of its own to burn in, and the slots of threads are used again.
apart() {
	begin "with 64 threads no sample is in another one's call, JDK $FEATURE" || return 0
	record_program Spent 64 "$(amount 2 20)" apart -- -m live.Spent::call -t 25ms --cpu || return 0
	says ' 0 lost'
	"$FRTRACE" print --json --events jdk.ExecutionSample "$F_FILE" >"$WORK/samples"
	python3 - "$WORK/samples" <<-'END' 2>"$WORK/err" || finding "$(tail -n 1 "$WORK/err")"
		import json, sys
		seen = 0
		for e in json.load(open(sys.argv[1]))["recording"]["events"]:
		    v = e["values"]
		    frames = [f["method"]["name"] for f in (v["stackTrace"] or {"frames": []})["frames"]]
		    burnt = {"most", "some", "few"}.intersection(frames)
		    thread = v["sampledThread"]["javaName"]
		    assert burnt <= {thread.split("-")[0]}, (thread, frames)
		    seen += len(burnt)
		assert seen > 1000, seen
	END
	finish
}

# Waits and all else are there.
refused() {
	local line
	begin "a kernel that refuses the sampler costs the samples only, and a line says so, JDK $FEATURE" || return 0
	gcc -D_GNU_SOURCE -shared -fPIC -o "$WORK/refuse.so" "$LIVE/refuse.c" || finding "refuse.c does not compile"
	run_program Spent 1 10 || return 0
	REFUSE=samples LD_PRELOAD=$WORK/refuse.so trace_target -m live.Spent::call --cpu || return 0
	trace_calls
	target_leaves
	says ' 0 lost'
	says '^  no samples: this kernel refuses the program that takes them'
	! grep 'no waits' "$F_DIR/stderr" >"$WORK/odd" || finding "$(cat "$WORK/odd")"
	line=$("$FRTRACE" print --events MethodTrace "$F_FILE" | grep -m1 cpuTime)
	[[ $line == *[0-9]*s && $line != *N/A* ]] || finding "no CPU time: $line"
	! "$FRTRACE" print --events ExecutionSample "$F_FILE" | grep -q sampledThread || finding "there are samples"
	finish
}

way=0
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	spent_by $((way++))
	entered
	turn 1 && read_by_jfr
	turn 1 && apart
	turn 0 && beside_jfr
	turn 0 && refused
done
for version in "${OTHERS_OF_DAY[@]}"; do
	root_use "$version" "samples of slow calls have the shares that were burnt" && spent_by $((way++)) && entered
done
