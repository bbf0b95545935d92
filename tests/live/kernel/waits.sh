#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The kernel's records of threads in traced calls.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

variant_build waits

# enum frt_wait_reason
PREEMPTED=1 FUTEX=2 SOCKET=4 SLEEP=7 GC=9

# Trace the kinds of live.Splits, N calls of each; the records are in $WORK/waits.
record_waits() { # N KIND... [OPTION... of the JVM or of frtrace]
	local filter='' word kinds=() options=() jvm=() FRTRACE=$VARIANT
	for word in "${@:2}"; do
		case $word in
		-X*) jvm+=("$word") ;;
		-*) options+=("$word") ;;
		*) kinds+=("$word") filter+="live.Splits::$word;" ;;
		esac
	done
	FRTRACE_WAITS=$WORK/waits trace_program "${jvm[@]}" Splits "$1" "${kinds[@]}" -- -m "${filter%;}" "${options[@]}" || return
	trace_calls
	says ' 0 lost'
}

# Nearly all of the N calls of a kind must have been blocked for at least a millisecond; on a loaded machine a few come
# too late to wait. 97 in 100 of them must have this reason and this waker. JVMs have locks of their own, and
# safepoints, and a thread that was woken for a monitor may find it taken and wait twice. A share of a few calls says
# little, so five more are allowed.
expect_waits() { # N KIND REASON WAKER
	local right wrong
	read -r right wrong < <(awk -v kind="$2" -v reason="$3" -v waker="$4" '
	$1 == "wait" && $2 == kind && $4 - $3 >= 1e6 { if ($6 == reason && $10 == waker && $4 <= $5) right++; else wrong++ }
	END { print right + 0, wrong + 0 }' "$WORK/waits")
	[ "$right" -ge $(($1 * 90 / 100 - 5)) ] && [ "$right" -le $(($1 * 105 / 100 + 5)) ] && [ "$wrong" -le $(($1 * 3 / 100 + 5)) ] ||
		finding "$2: $right of $1 waits with reason $3 and waker '$4', $wrong others:" \
			"$(awk -v kind="$2" '$2 == kind { print $6, $7, $10 }' "$WORK/waits" | sort | uniq -c)"
}

reasons() { # [N]
	local n=${1:-$(amount 150 500)} sleeps=$SLEEP SECONDS_MAX=180
	begin "waits have their reason and their waker${PROBES:+, --attach=$PROBES}${BUFFER:+, --buffer=$BUFFER}, JDK $FEATURE" || return 0
	record_waits $n --no-stack sleep monitor queue park socket busy || return 0
	grep -q '^  no pauses: ' "$F_DIR/stderr" && sleeps=$FUTEX # without probes in the JVM, Thread.sleep() is not known either
	expect_waits $n sleep $sleeps -
	expect_waits $n monitor $FUTEX monitor-2
	expect_waits $n queue $FUTEX queue-2
	expect_waits $n park $FUTEX park-2
	expect_waits $n socket $SOCKET socket-2
	grep -q lost "$WORK/waits" && finding "records were lost"
	awk -v only=$PREEMPTED '$2 == "busy" && $6 != only && $4 - $3 >= 1e6' "$WORK/waits" >"$WORK/odd"
	[ "$(wc -l <"$WORK/odd")" -le $((n / 100 + 5)) ] || finding "a busy loop waits:" "$(head "$WORK/odd")"
	target_leaves
	file_agrees
	finish
}

# The number of the line in Splits.java with this text.
line_of() { grep -nF "$1" "$LIVE/java/Splits.java" | head -n 1 | cut -d: -f1; }

# Nearly N events frtrace.ThreadWait of KIND's thread must have this stack, line by line from the top down to
# Thread.run(), and this kernel function in their kernel stack.
expect_stacks() { # N KIND CALL KERNEL METHOD...
	local n own
	own="live.Splits.$2() line: $(line_of "$3")"
	n=$(awk -v top="$(printf '%s|' "${@:5}")" -v own="$own|" -v kernel="kernel.$4" -v kind="\"$2\"" '
	function trim(s) { gsub(/^ +| +$/, "", s); return s }
	/^frtrace.ThreadWait/ { thread = stack = kernels = ""; taking = 0 }
	/eventThread = / { thread = $3 }
	/kernel\./ { kernels = kernels $0 }
	/stackTrace = \[/ { taking = 1; next }
	taking && /^ *\]/ { taking = 0 }
	taking { line = trim($0); stack = stack line "|" }
	/^}/ && thread == kind && index(stack, top) == 1 && index(stack, own) && stack ~ /java.lang.Thread.run\(\) line: [0-9]+\|$/ &&
		index(kernels, kernel) { n++ }
	END { print n + 0 }' "$WORK/events")
	[ "$n" -ge $(($1 * 95 / 100)) ] && return
	finding "$2: only $n of $1 long waits have the stack" "$(grep -B16 -A12 -m1 "eventThread = \"$2\"" "$WORK/events")"
}

# Nearly N events frtrace.ThreadWait of KIND's thread must have this waker.
expect_waker() { # N KIND NAME
	local n
	n=$(awk -v kind="\"$2\"" -v waker="wakerThread = \"$3\"" '
	/^frtrace.ThreadWait/ { thread = ""; woken = 0 }
	/eventThread = / { thread = $3 }
	index($0, waker) { woken = 1 }
	/^}/ && thread == kind && woken { n++ }
	END { print n + 0 }' "$WORK/events")
	[ "$n" -ge $(($1 * 90 / 100)) ] || finding "$2: only $n of $1 waits have the waker '$3':" "$(grep -o 'wakerThread = .*' "$WORK/events" | sort | uniq -c)"
}

# The native method below Thread.sleep(): sleep, sleep0 or sleepNanos0; it does not depend on the version alone.
sleep_method() { "$JAVA/bin/javap" -p java.lang.Thread | sed -nE 's/.* native void (sleep[A-Za-z0-9]*)\(long\).*/\1/p'; }

stacks() {
	local n
	begin "long waits have both stacks${BUFFER:+, --buffer=$BUFFER}, JDK $FEATURE" || return 0
	n=$(amount 100 200)
	record_waits $n sleep queue park socket named || return 0
	jfr_newest print --stack-depth 64 --events frtrace.ThreadWait "$F_FILE" >"$WORK/events"
	expect_stacks $n queue 'QUEUE.take()' futex 'jdk.internal.misc.Unsafe.park(boolean, long)'
	expect_stacks $n park 'LockSupport.park()' futex 'jdk.internal.misc.Unsafe.park(boolean, long)'
	expect_stacks $n socket 'in.read()' tcp_recvmsg 'sun.nio.ch.SocketDispatcher.read0(FileDescriptor, long, int)'
	expect_stacks $n sleep 'Thread.sleep(PAUSE_MS)' futex "java.lang.Thread.$(sleep_method)(long)"
	expect_waker $n named 'a thread with a long name'
	target_leaves
	finish
}

# Prints the number of long waits of KIND's thread, and of those longer than 50 ms that a thread WAKER ended.
long_waits() { # KIND WAKER
	"$FRTRACE" print --events=ThreadWait "$F_FILE" | awk -v kind="\"$1\"" -v waker="\"$2\"" '
	/^frtrace.ThreadWait/ { thread = by = ""; ms = 0 }
	/  duration = / { ms = $4 == "s" ? $3 * 1000 : $4 == "ms" ? $3 : 0 }
	/eventThread = / { thread = $3 }
	/wakerThread = / { by = $3 }
	/^}/ && thread == kind && ms >= 10 { n++; if (ms >= 50 && by == waker) held++ }
	END { print n + 0, held + 0 }'
}

# Up to JDK 23 HotSpot parks four times in such a call; who wants the monitor waits once. Time limits of the program's own
# are waits each. Locks of the JVM itself, and a holder that gets no CPU, allow for a few others.
parts() {
	local n=8 seen held
	begin "a wait for a monitor is one wait, with its holder, however often the JVM looks at it, JDK $FEATURE" || return 0
	record_waits $n enter again -m'live.Splits::keep' || return 0
	read -r seen held < <(long_waits enter enter-2)
	[ "$held" -ge $((n - 1)) ] && [ "$seen" -le $((n + 1)) ] ||
		finding "$seen waits of $n calls, $held of them ended by the holder:" "$("$FRTRACE" view waits "$F_FILE")"
	"$FRTRACE" view waits --by=holder "$F_FILE" >"$WORK/view"
	[ "$(awk '/^live.Splits.keep\(\)/ { print $2 }' "$WORK/view")" -ge $((n - 3)) ] || finding "not held by keep():" "$(cat "$WORK/view")"
	"$FRTRACE" view slowest --top=3 --method=live.Splits::enter "$F_FILE" >"$WORK/view"
	[ "$(grep -c 'held by "enter-2": live.Splits.keep() ' "$WORK/view")" -ge 2 ] || finding "not held by keep():" "$(cat "$WORK/view")"
	read -r seen held < <(long_waits again enter-2)
	[ "$seen" -ge $((9 * n - 2)) ] && [ "$held" -eq 0 ] || finding "$seen waits of $n calls that wait nine times each"
	"$FRTRACE" export --csv "$F_FILE" >"$WORK/calls"
	# of 100 ms; on a busy machine it may spin for a while
	awk -F, 'NR > 1 && $2 != $9 + $10 + $11 || $3 ~ /enter/ && $11 < 5e7' "$WORK/calls" | grep . >"$WORK/odd" && finding "$(cat "$WORK/odd")"
	target_quit
	finish
}

# One thread keeps a monitor that others want: each of them waits once, until the keeper or one before it wakes it.
contended() { # WAITERS [virtual]
	local rounds wait=100
	begin "threads that want a kept monitor wait once each: $*, JDK $FEATURE" || return 0
	rounds=$(amount 7 100)
	[ -z "$SOAK" ] || wait=700
	trace_program -Djdk.virtualThreadScheduler.parallelism=16 Contended "$rounds" "$wait" "$@" -- -m live.Contended || return 0
	trace_calls
	target_leaves
	says ' 0 lost'
	jfr_newest print --json --events frtrace.ThreadWait "$F_FILE" >"$WORK/waits.json"
	python3 - "$WORK/waits.json" "$rounds" "$wait" "$@" <<-'END' 2>"$WORK/err" || finding "$(tail -n 1 "$WORK/err" | tail -c 600)" "$("$FRTRACE" view waits "$F_FILE")"
		import json, re, sys
		from collections import Counter
		rounds, ms, waiters = map(int, sys.argv[2:5])
		virtual = "virtual" in sys.argv
		seconds = lambda v: float(re.fullmatch(r"PT(?:(\d+)M)?([\d.]+)S", v["duration"])[2])
		waits = [e["values"] for e in json.load(open(sys.argv[1]))["recording"]["events"]]
		name = lambda v, field: v[field]["javaName"] or "" if v[field] else "none"
		# Without the probes of the JVM a sleep is a futex, too.
		sleeps = lambda v: v["stackTrace"] and any(f["method"]["name"].startswith("sleep") for f in v["stackTrace"]["frames"])
		waits = [v for v in waits if name(v, "eventThread").startswith("want-") and v["reason"] == "futex" and seconds(v) > 0.05 * ms / 1000 and not sleeps(v)]
		# On a busy machine a thread may spend a part of the time before it parks.
		whole = [v for v in waits if seconds(v) > 0.9 * ms / 1000]
		wakers = Counter(name(v, "wakerThread") for v in whole)
		n = rounds * waiters
		print(f"# {len(waits)} waits of {n} calls, {len(whole)} of them from the beginning to the end")
		assert len(waits) == n and len(whole) >= 0.5 * n, (len(waits), len(whole))
		# A virtual thread has a name after its first call.
		assert all(w == "main" or waiters > 1 and (w.startswith("want-") or virtual and not w) for w in wakers), wakers
	END
	finish
}

# The JVM's own log is the oracle. Collections are within safepoints.
pauses() {
	local n=20 seen apart
	begin "each pause of the JVM is recorded${PROBES:+, --attach=$PROBES}${BUFFER:+, --buffer=$BUFFER}, JDK $FEATURE" || return 0
	record_waits $n -XX:+UseG1GC -Xlog:safepoint:file="$WORK/safepoints" gc || return 0
	seen=$(grep -cE '^pause 1 [0-9]+ [0-9]+ G1CollectFull' "$WORK/waits")
	[ "$seen" -eq $n ] || finding "$seen safepoints for a collection, expected $n:" "$(grep ^pause "$WORK/waits")"
	grep 'Safepoint "G1CollectFull"' "$WORK/safepoints" | grep -oE 'Total: +[0-9]+' | awk '{ print $2 }' >"$WORK/logged"
	awk '$1 == "pause" && $5 == "G1CollectFull" { print $4 - $3 }' "$WORK/waits" | paste - "$WORK/logged" >"$WORK/pairs"
	apart=$(awk '{ d = $1 < $2 ? $2 - $1 : $1 - $2 } d > 100000 + $2 * .05 { n++ } END { print n + 0 }' "$WORK/pairs")
	[ "$apart" -le $((n / 4)) ] || finding "$apart of $n pauses differ from the JVM's log by more than 5 % and 100 us:" "$(cat "$WORK/pairs")"
	awk '$1 == "pause" && $2 == 2 { b[++n] = $3; e[n] = $4 }
	$1 == "pause" && $2 == 1 { for (i in b) if (b[i] >= $3 && e[i] <= $4) delete b[i] }
	END { for (i in b) print b[i], e[i] }' "$WORK/waits" | grep . >"$WORK/odd" &&
		finding "collections outside of safepoints:" "$(cat "$WORK/odd")"
	# A thread that loses its CPU to the VM thread as it wakes it may get the CPU back after the collection.
	seen=$(awk -v gc=$GC -v preempted=$PREEMPTED '
	$1 == "wait" && $6 == gc && $10 == "VM" { blocked++ }
	$1 == "wait" && ($6 == gc && $10 == "VM" || $6 == preempted) { b[++waits] = $3; e[waits] = $5 }
	$1 == "pause" && $2 == 1 && $5 == "G1CollectFull" { from[++pauses] = $3; to[pauses] = $4 }
	END {
		for (p in from) { waited = 0; for (w in b) if (b[w] < to[p] && e[w] > from[p]) waited = 1; n += waited }
		print (blocked ? n + 0 : 0)
	}' "$WORK/waits")
	[ "$seen" -ge $n ] || finding "waits in $seen collections, expected $n:" "$(grep -E '^(wait|pause)' "$WORK/waits")"
	awk -v futex=$FUTEX '$1 == "wait" && $6 == futex && $10 == "VM"' "$WORK/waits" | grep . >"$WORK/odd" &&
		finding "locks that the VM thread gave back:" "$(cat "$WORK/odd")"
	"$FRTRACE" print --events=VMPause "$F_FILE" | awk '/name = / { name = $3 } /byFrtrace = / { print name, $3 }' | sort | uniq -c >"$WORK/own"
	awk '$2 == "\"RedefineClasses\"" && $3 == "true" { own += $1; next } $3 == "true" { wrong++ } END { exit own < 2 || wrong }' "$WORK/own" ||
		finding "frtrace's own pauses, at the start and the end, are not marked:" "$(cat "$WORK/own")"
	target_quit
	finish
}

# A thread without locks and waits of its own, whose JVM stands still for the collections that another one asks for.
# The JVM has locks that it may have to wait for, such as that of the compiler's queue.
stops() {
	local n=50 locks
	begin "a thread that the JVM stops waits for no lock, JDK $FEATURE" || return 0
	record_waits $n stop || return 0
	"$FRTRACE" view waits "$F_FILE" >"$WORK/view"
	grep -q '^gc ' "$WORK/view" || finding "no wait for a collection:" "$(cat "$WORK/view")"
	"$FRTRACE" view waits --by=reason "$F_FILE" >"$WORK/one" 2>&1
	diff <(sed '/^$/d' "$WORK/one") <(sed '/^$/d; /^ *Waits by Waker/,$d' "$WORK/view") >"$WORK/differs" || finding "--by=reason:" "$(cat "$WORK/differs")"
	locks=$(awk '$1 == "futex" { print $2 }' "$WORK/view")
	[ "${locks:-0}" -le 10 ] || finding "$locks waits for locks:" "$(cat "$WORK/view")" "$(grep ' stop ' "$WORK/waits" | head -n 30)"
	target_quit
	finish
}

# The program has no lock.
jvm_locks() {
	begin "waits for locks of the JVM are named, and nobody holds them, JDK $FEATURE" || return 0
	nm "$JAVA/lib/server/libjvm.so" 2>/dev/null | grep compile_method_base >/dev/null ||
		{ skip "$SENTENCE" "this libjvm has no symbols, so nobody can tell"; return; }
	trace_program -XX:CICompilerCount=1 -XX:TieredStopAtLevel=1 JvmLocks 8 150 -- -m 'live.JvmLocks::compiled;live.JvmLocks::initialized' || return 0
	trace_calls
	target_quit
	"$FRTRACE" view waits "$F_FILE" >"$WORK/view"
	awk '$1 == "jit" { jit = $2 } $1 == "class" { class++; if ($2 == 1 && $4 == "ms" && $3 > 100) slow++ } END { exit !(jit && class == 1 && slow == 1) }' "$WORK/view" ||
		finding "no waits for the compiler, or not the one for a class:" "$(cat "$WORK/view")"
	"$FRTRACE" view waits --by=place "$F_FILE" >"$WORK/places"
	# without HotSpot's probes slowly() waits for a futex
	grep 'JvmLocks' "$WORK/places" | grep -v 'slowly()' >"$WORK/odd" && finding "locks of the program:" "$(cat "$WORK/places")"
	"$FRTRACE" view slowest "$F_FILE" >"$WORK/slowest"
	grep 'held by' "$WORK/slowest" >"$WORK/odd" && finding "holders:" "$(cat "$WORK/odd")"
	finish
}

# The queue gets what the kernel holds when the recording ends, and what it has held for a second.
below() {
	local n=150 seen
	begin "waits of calls below the threshold do not leave the kernel, JDK $FEATURE" || return 0
	record_waits $n --threshold=1h sleep queue park || return 0
	seen=$(grep -c '^wait ' "$WORK/waits")
	[ "$seen" -le $((n / 2)) ] || finding "$seen waits of $((3 * n)) calls in the queue"
	target_quit
	finish
}

# Kernels before 6.6 have an uprobe for each site.
older_kernel() {
	local PROBES=perf
	reasons "$(amount 50 500)"
	pauses
}

perf_buffers() {
	local BUFFER=perf
	reasons "$(amount 50 500)"
	stacks
	pauses
}

off() {
	begin "--kernel=off leaves waits out, JDK $FEATURE" || return 0
	record_waits 20 sleep --kernel=off || return 0
	[ -s "$WORK/waits" ] && finding "$(head -n 3 "$WORK/waits")"
	target_quit
	finish
}

# A kernel that lacks a feature: the recording continues and reports once what it does without.
refused() {
	begin "a kernel whose scheduler cannot be traced costs the waits, not the calls, JDK $FEATURE" || return 0
	gcc -D_GNU_SOURCE -shared -fPIC -o "$WORK/refuse.so" "$LIVE/refuse.c" || finding "refuse.c does not compile"
	LD_PRELOAD=$WORK/refuse.so "$FRTRACE" check >"$WORK/check"
	grep -qE '^  waits +no: this kernel' "$WORK/check" || finding "check:" "$(cat "$WORK/check")"
	"$FRTRACE" check | grep -E '^  waits +yes' >/dev/null || finding "check:" "$("$FRTRACE" check)"
	run_program ExitsMain 200 || return 0
	LD_PRELOAD=$WORK/refuse.so trace_target -m "$EXITS" || return 0
	trace_calls
	says '^  no waits: this kernel .*tracepoints'
	[ "$(grep -ciE 'waits|kernel|BPF' "$F_DIR/stderr")" = 1 ] || finding "more than one line:" "$(cat "$F_DIR/stderr")"
	target_leaves
	file_agrees
	jfr_newest print "$F_FILE" >"$WORK/events"
	grep -E '^ +(cpuTime|runQueueTime|blockedTime|pauseTime) = ' "$WORK/events" | grep -v 'N/A' >"$WORK/odd" &&
		finding "values:" "$(head -n 5 "$WORK/odd")"
	grep -q 'this kernel .*tracepoints' "$WORK/events" || finding "the file does not report why"
	finish
}

# Ring buffers alone are refused: the message says what to do, and that works.
without_ring() {
	begin "where BPF ring buffers are refused, --buffer=perf records calls and waits, JDK $FEATURE" || return 0
	gcc -D_GNU_SOURCE -shared -fPIC -o "$WORK/refuse.so" "$LIVE/refuse.c" || finding "refuse.c does not compile"
	REFUSE=ring LD_PRELOAD=$WORK/refuse.so "$FRTRACE" check >"$WORK/check" && finding "check ends well"
	grep -qE '^  programs +no: .*the BPF ring buffer is refused, use --buffer=perf' "$WORK/check" || finding "check:" "$(cat "$WORK/check")"
	REFUSE=ring LD_PRELOAD=$WORK/refuse.so "$FRTRACE" check --buffer=perf >"$WORK/check" || finding "check --buffer=perf:" "$(cat "$WORK/check")"
	grep -qE '^  buffer +yes: perf buffers' "$WORK/check" || finding "check --buffer=perf:" "$(cat "$WORK/check")"
	run_program ExitsMain 200 || return 0
	REFUSE=ring LD_PRELOAD=$WORK/refuse.so trace_target -m "$EXITS" --buffer=perf || return 0
	trace_calls
	target_leaves
	file_agrees
	finish
}

# N / 3 waits at least at each of the lines at which Parked waits, and none elsewhere but where two threads load a class at once.
# On its way out of the queue a thread may wait once more, for its lock, so shortly that no stack is shown.
expect_places() { # N
	local text line
	"$FRTRACE" view waits --by=place "$F_FILE" >"$WORK/places"
	for text in 'LockSupport.park();' 'return QUEUE.take();' 'LOCK.lock();'; do
		line=$(grep -nF "$text" "$LIVE/java/Parked.java" | head -n 1 | cut -d: -f1)
		awk -v line=":$line" -v least=$(($1 / 3)) '
		index($1, "live.Parked.in") == 1 && substr($1, length($1) - length(line) + 1) == line { gsub(",", "", $2); n = $2 }
		END { exit !(n >= least) }' "$WORK/places" || finding "not $(($1 / 3)) waits at '$text':" "$(cat "$WORK/places")"
	done
	[ "$(grep -E '^[a-z]+\.' "$WORK/places" | grep -cvE '^jdk\.internal\.loader\.')" -eq 3 ] || finding "other places:" "$(cat "$WORK/places")"
}

# Of 10,000 virtual threads each waits once, with most of its frames in the heap: 81 of down(), and the first of any such
# thread below. "main" wakes them, or, for locks and queues, the thread before.
parked() {
	local n=10020 SECONDS_MAX=120 by waits whole
	[ "$FEATURE" -ge 21 ] && begin "$n waits of virtual threads have their line and all their frames, and their threads are kinds, JDK $FEATURE" || return 0
	record_program Parked $n -- -m 'live.Parked::in*' --stack-depth=200 || return 0
	says ' 0 lost'
	grep -E 'stacks? (is|are) cut' "$F_DIR/stderr" >"$WORK/cut" && finding "$(cat "$WORK/cut")"
	expect_places $n
	for by in waker holder; do
		"$FRTRACE" view waits --by=$by "$F_FILE" >"$WORK/view"
		[ "$(grep -cE ' [0-9.]+ (ns|us|ms|s) ' "$WORK/view")" -le 20 ] && ! grep -qE 'thread #[0-9]|(park|queue|lock)-[0-9]' "$WORK/view" ||
			finding "threads are no kinds by $by:" "$(cat "$WORK/view")"
	done
	"$FRTRACE" print --stack-depth=200 --events=ThreadWait "$F_FILE" >"$WORK/events"
	read -r waits whole < <(awk '
	/^frtrace.ThreadWait/ { down = parked = 0; last = "" }
	/^ *live\.Parked\.down\(/ { down++ }
	/^ *reason = "parked"/ { parked = 1 }
	/^ *[a-zA-Z0-9_.$]+\(.*\)/ { last = $1 }
	/^}/ && parked && last != "" { n++; if (down == 81 && last ~ /Continuation\.enterSpecial/) whole++ }
	END { print n + 0, whole + 0 }' "$WORK/events")
	[ "$waits" -ge $n ] && [ "$whole" -eq "$waits" ] || finding "$whole of $waits stacks are whole:" "$(head -n 130 "$WORK/events")"
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	parked
	reasons
	stacks
	parts
	contended 1
	contended 8
	[ "$FEATURE" -lt 21 ] || [ "$FEATURE" -gt 23 ] || contended 8 virtual # they pin
	pauses
	stops
	jvm_locks
	turn 1 && older_kernel
	turn 0 && perf_buffers
	turn 1 && below
	turn 0 && off
	turn 1 && refused
	turn 0 && without_ring
done
for version in 8 11 21 ${SOAK:+28}; do # there it takes different turns
	root_use "$version" "parts of waits" || continue
	parked
	parts
	contended 1
	contended 8
	[ "$FEATURE" -lt 21 ] || [ "$FEATURE" -gt 23 ] || contended 8 virtual # they pin
done
for version in "${OTHERS_OF_DAY[@]}"; do
	root_use "$version" "waits" || continue
	reasons "$(amount 50 100)"
	[ "$version" = 8 ] || stops # Debian's JDK 8 has no probes
done
