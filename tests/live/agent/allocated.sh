#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --alloc: what each call has allocated is what ThreadMXBean says, whatever the collector.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# Each call's field must be the difference that the program has found around it, within 64 bytes. To be parked, the JDK
# allocates, too. One in a thousand may be unknown, because a collector was at work.
sizes_agree() { # CALLS
	"$FRTRACE" export --csv --events=test.Call "$F_FILE" >"$WORK/calls.csv"
	python3 - "$WORK/calls.csv" "$T_DIR/sizes" "$1" <<-'END' 2>"$WORK/err" || finding "$(tail -n 1 "$WORK/err")"
		import csv, sys
		want, found = {}, {}
		for line in open(sys.argv[2]):
		    n, size, parked = map(int, line.split())
		    want[n] = (size, size + parked * 4096)
		for call in csv.DictReader(open(sys.argv[1], newline="")):
		    found[int(call["n"])] = int(call["allocated"] or -1)
		assert len(found) == len(want) == int(sys.argv[3]), (len(found), len(want))
		known = {n for n in found if found[n] >= 0}
		assert len(want) - len(known) <= len(want) / 1000, "%d are unknown" % (len(want) - len(known))
		wrong = [(n, found[n], want[n]) for n in known if not want[n][0] - 64 <= found[n] <= want[n][1] + 64]
		assert not wrong, "%d of %d calls are wrong: number, recorded, asked: %s" % (len(wrong), len(want), wrong[:5])
		assert max(found.values()) > 1000 and min(found.values()) == 0, (max(found.values()), min(found.values()))
	END
}

# The sum of -M, which views show, is that of the calls.
sum_agrees() { # CALLS
	"$FRTRACE" view --json method-timing "$F_FILE" >"$WORK/timing"
	python3 - "$WORK/timing" "$T_DIR/sizes" "$1" <<-'END' 2>"$WORK/err" || finding "$(tail -n 1 "$WORK/err")"
		import json, sys
		row, = (r for r in json.load(open(sys.argv[1]))["rows"] if "Allocating.call" in r["method"])
		want = sum(int(line.split()[1]) for line in open(sys.argv[2]))
		assert row["invocations"] == int(sys.argv[3]) and abs(row["allocatedBytes"] - want) <= 64 * int(sys.argv[3]), (row, want)
	END
}

# So is the metric.
metric_agrees() {
	python3 - "$WORK/timing" "$WORK/allocated.prom" <<-'END' 2>"$WORK/err" || finding "$(tail -n 1 "$WORK/err")"
		import json, sys
		row, = (r for r in json.load(open(sys.argv[1]))["rows"] if "Allocating.call" in r["method"])
		have, = (line.split()[-1] for line in open(sys.argv[2])
		         if line.startswith("frtrace_allocated_bytes_total") and 'method="call"' in line)
		assert int(have) == row["allocatedBytes"], (have, row)
	END
}

# And so is the live table.
table_agrees() {
	python3 - "$WORK/timing" "$F_DIR/stdout" <<-'END' 2>"$WORK/err" || finding "$(tail -n 1 "$WORK/err")"
		import json, sys
		row, = (r for r in json.load(open(sys.argv[1]))["rows"] if "Allocating.call" in r["method"])
		have = sum(m["allocatedBytes"] for line in open(sys.argv[2]) for m in json.loads(line)["methods"] if m["method"] == "call")
		assert have == row["allocatedBytes"], (have, row)
	END
}

exact() { # THREADS CALLS [JVM-OPTION...]
	begin "each call has the bytes that ThreadMXBean says, $1 threads of $2 calls${3:+, ${*:3}}, JDK $FEATURE" || return 0
	record_program -Xmx600m "${@:3}" Allocating "$1" "$2" -- -e 'test.Call live.Allocating::call n=arg0' \
		-M live.Allocating::call -m live.Allocating::deep --alloc --metrics="$WORK/allocated.prom" -i 1s --json || return 0
	says ' 0 lost'
	sizes_agree $(($1 * $2))
	sum_agrees $(($1 * $2))
	metric_agrees
	table_agrees
	finish
}

followed() { # THREADS CALLS
	begin "each call of a virtual thread has its own bytes, wherever it runs, $1 threads of $2 calls, JDK $FEATURE" || return 0
	record_program -Xmx600m -Djdk.virtualThreadScheduler.parallelism=2 Allocating "$1" "$2" virtual -- \
		-e 'test.Call live.Allocating::parked n=arg0' --alloc || return 0
	says ' 0 lost'
	sizes_agree $(($1 * $2))
	finish
}

# Without buffers of threads (TLABs) the JVM has an event for each object, with its stack: the calls have their sum, to the byte.
summed() { # THREADS CALLS
	begin "calls of virtual threads have the bytes of all objects that the JVM's events show in them, JDK $FEATURE" || return 0
	record_program -Xmx600m -Djdk.virtualThreadScheduler.parallelism=2 -XX:-UseTLAB -XX:FlightRecorderOptions=stackdepth=256 \
		"-XX:StartFlightRecording=filename=$WORK/own.jfr,settings=none,$(printf '+jdk.ObjectAllocationOutsideTLAB#%s=true,' enabled stackTrace)" \
		Allocating "$1" "$2" virtual -- -e 'test.Call live.Allocating::parked n=arg0' --alloc || return 0
	"$FRTRACE" export --csv --events=test.Call "$F_FILE" >"$WORK/calls.csv"
	"$FRTRACE" print --exact --stack-depth=256 --events=ObjectAllocationOutsideTLAB "$WORK/own.jfr" >"$WORK/objects"
	python3 - "$WORK/calls.csv" "$WORK/objects" "$(($1 * $2))" <<-'END' 2>"$WORK/err" || finding "$(tail -n 1 "$WORK/err")"
		import csv, sys
		calls = [int(call["allocated"] or -1) for call in csv.DictReader(open(sys.argv[1], newline=""))]
		assert len(calls) == int(sys.argv[3]) and min(calls) >= 0, (len(calls), min(calls))
		sizes = []
		for line in open(sys.argv[2]):
		    words = line.split()
		    if words[:1] == ["allocationSize"]:
		        assert words[3] == "bytes", line
		        size = int(words[2])
		    elif words[:1] == ["live.Allocating.parked(int,"]:
		        sizes.append(size)
		assert len(sizes) > 1000 and sum(calls) == sum(sizes), (sum(calls), sum(sizes), len(sizes))
	END
	finish
}

COLLECTORS=(SerialGC ParallelGC G1GC ZGC ShenandoahGC EpsilonGC ConcMarkSweepGC)

# The first collector of these that the JDK has is enough; with SOAK=1 all have their turn.
exact_with() { # FIRST
	local i options calls
	for ((i = 0; i < ${#COLLECTORS[@]}; i++)); do
		options=(-XX:+UnlockExperimentalVMOptions "-XX:+Use${COLLECTORS[($1 + i) % ${#COLLECTORS[@]}]}")
		"${LAUNCH[@]}" "$JAVA/bin/java" "${options[@]}" -Xmx600m -version >/dev/null 2>&1 || continue
		calls=$(amount 5000 250000)
		[[ ${options[1]} != *Epsilon* ]] || calls=5000 # its heap is used up for good
		exact 4 "$calls" "${options[@]}"
		[ -n "$SOAK" ] || return 0
	done
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	exact_with "$FEATURE"
	[ "$FEATURE" -lt 21 ] || { followed 50 "$(amount 40 1000)" && summed 20 40; }
done
for version in "${OTHERS_OF_DAY[@]}"; do
	root_use "$version" "each call has the bytes that ThreadMXBean says" || continue
	exact_with "$version"
	[ "$FEATURE" -lt 21 ] || { followed 50 "$(amount 40 1000)" && summed 20 40; }
done
