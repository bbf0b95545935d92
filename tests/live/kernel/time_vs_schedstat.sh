#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Compare where the time of calls went with the kernel's numbers for the program itself, call by call: CALLS=10000 of
# each kind; OTHER_CALLS on the JDKs that scripts/jdks provides; CARRIED_CALLS of each kind of virtual threads.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/live/disk.sh
. "$(dirname "$0")/../disk.sh"

CALLS=${CALLS:-$(amount 100 300)} OTHER_CALLS=${OTHER_CALLS:-60}
CARRIED_CALLS=${CARRIED_CALLS:-$(amount 40 300)}
disk_find || skip "calls wait for the disk" "$NO_DISK"
COLD=${DISK:-$WORK}/cold
EVERY=(sleep monitor lock queue socket ${DISK:+file} busy gc crowd)

# A file that is not in memory.
cold_file() {
	[ -s "$COLD" ] || head -c 204m /dev/urandom >"$COLD"
	dd of="$COLD" oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null
}

# When the target's threads leave a CPU and get one, by perf events: an account that is not frtrace's.
switches_start() {
	[ -x "$WORK/watch" ] || gcc -O1 -Wall -o "$WORK/watch" "$LIVE/switches.c" || finding "tests/live/switches.c does not compile"
	"$WORK/watch" "$T_PID" "$WORK/switches" >"$WORK/watching" 2>&1 &
	WATCH=$!
	STARTED+=("$WATCH")
	wait_for 20 grep -qs '^ready' "$WORK/watching" || finding "no switches:" "$(cat "$WORK/watching")"
}

switches_stop() {
	kill "$WATCH"
	reap "$WATCH" || finding "switches are missing:" "$(cat "$WORK/watching")"
}

# Trace the program through all its kinds.
where_run() { # [TRACE-OPTION...]
	[[ " ${KINDS[*]} " != *" file "* ]] || cold_file
	run_program Where "$CALLS" "$COLD" "${KINDS[@]}" || return
	switches_start
	trace_target -m 'live.Where::in*' "$@" || { kill "$WATCH"; return 1; }
	SECONDS_MAX=$((60 + CALLS / 10)) target_go
	switches_stop
	stopped_with 0
	target_leaves
}

where_agrees() { # [JAVA-OPTION...]
	local as=("$@") # without probes in the JVM, Thread.sleep() and collections are futexes, too
	grep -q '^  no pauses: ' "$F_DIR/stderr" && as+=(-Dsleep=futex -Dgc=futex)
	judged_by "${as[@]}" live.WhereCheck "$F_FILE" "$T_DIR/splits" "$WORK/switches"
	sed 's/^/# /' <<<"$SAID"
}

# The JDKs' own tools print the fields and events with their units.
tools_read() {
	local event pause='[0-9.]+ m?s'
	grep -q '^  no pauses: ' "$F_DIR/stderr" && pause=N/A
	jfr_prints MethodTrace,ThreadWait,RunQueue '^frtrace.RunQueue' '^  cpuTime = [0-9.]+ m?s' '^  runQueueTime = [0-9.]+ m?s' \
		'^  blockedTime = [0-9.]+ m?s' "^  pauseTime = $pause" '^  reason = "futex"' '^  syscall = "futex"' '^  wakerThread = "lock-2"'
	jfr_newest summary "$F_FILE" >"$WORK/tool" 2>&1 || finding "jfr summary: $(head -n 5 "$WORK/tool")"
	for event in frtrace.ThreadWait frtrace.RunQueue; do
		grep -qE "^ $event +[1-9]" "$WORK/tool" || finding "jfr summary has no $event"
	done
	jfr_newest view MethodTrace "$F_FILE" >"$WORK/tool" 2>&1 || finding "jfr view: $(head -n 5 "$WORK/tool")"
}

views_show() {
	"$FRTRACE" view slowest "$F_FILE" >"$WORK/view" || finding "view slowest: status $?"
	grep -qE '^        > [0-9.]+m?s live\.Where\.in' "$WORK/view" || finding "no calls inside of the slowest:" "$(head -n 20 "$WORK/view")"
	"$FRTRACE" view slowest --method='live.Where;!live.Where::inWhole' "$F_FILE" >"$WORK/view" || finding "view slowest --method: status $?"
	[ "$(grep -cE '^\[[0-9.]+m?s = [0-9.]+ cpu \+ [0-9.]+ runq \+ [0-9.]+ blocked.*\] live\.Where\.in' "$WORK/view")" = 20 ] ||
		finding "not 20 slowest calls:" "$(head -n 20 "$WORK/view")"
	"$FRTRACE" view waits "$F_FILE" >"$WORK/view" || finding "view waits: status $?"
	for what in 'futex ' 'socket ' ${DISK:+'disk '} 'monitor-2 ' 'lock-2 '; do
		grep -qE "^$what" "$WORK/view" || finding "view waits has no /$what/:" "$(cat "$WORK/view")"
	done
}

case_where() { # [CHECK... for the same file]
	local look
	begin "where the time of calls went matches the kernel's numbers${BUFFER:+, --buffer=$BUFFER}, JDK $FEATURE" || return 0
	where_run --no-stack || return 0
	where_agrees
	for look; do "$look"; done
	says 'the slowest 1 % \([0-9,]+ calls of .* and more\): [0-9]+ % blocked'
	finish
}

# The lengths of pauses, compared with the JVM's own clock of its collections (in ms).
case_pauses() {
	begin "pauses are in the file and in the calls that they interrupted, JDK $FEATURE" || return 0
	KINDS=(gc)
	where_run --no-stack || return 0
	jfr_newest summary "$F_FILE" >"$WORK/tool"
	if grep -qE '^ frtrace.VMPause +[1-9]' "$WORK/tool"; then
		[ "$(frtrace_json inGc pauseTime | grep -c '"pauseTime": "PT0S"')" = 0 ] || finding "calls of System.gc() without a pause"
	else
		says 'pause'
	fi
	finish
}

frtrace_json() { # METHOD FIELD: these lines of its calls
	"$FRTRACE" print --json --events jdk.MethodTrace "$F_FILE" |
		awk -v method="\"name\": \"$1\"" -v field="\"$2\"" 'index($0, method) { found = 1 } index($0, field) && found { print; found = 0 }'
}

# "THREAD-KIND missing|known COUNT" for calls and "waits THREAD-KIND COUNT" for waits: v virtual, p platform, w carrier.
by_kind_of_thread() {
	jfr_newest print --events MethodTrace,ThreadWait,RunQueue "$F_FILE" | awk '
	/^(jdk|frtrace)\./ { event = $1; none = some = 0; kind = "?" }
	/^  (cpuTime|runQueueTime|blockedTime) = / { if ($3 == "N/A") none++; else some++ }
	/^  eventThread = "/ {
		split($0, part, "\""); name = part[2]
		kind = name ~ /^[vp]-/ ? substr(name, 1, 1) : name ~ /^ForkJoinPool-1-worker-/ ? "w" : "?"
	}
	/^}/ { seen[event ~ /MethodTrace/ ? kind " " (none == 3 && !some ? "missing" : some == 3 && !none ? "known" : "torn") : "waits " kind]++ }
	END { for (s in seen) print s, seen[s] }'
}

# Of virtual threads all is known, and of their carriers nothing: their waits belong to the calls of virtual threads.
case_virtual() {
	local n=${1:-50}
	begin "times are known for virtual threads, and unknown for their carriers, JDK $FEATURE" || return 0
	record_program Mounted "$n" -- \
		-m 'live.Mounted::in*;java.util.concurrent.ForkJoinTask::doExec' --no-stack || return 0
	by_kind_of_thread >"$WORK/kinds"
	grep -qx "v known $((5 * n))" "$WORK/kinds" || finding "virtual threads:" "$(cat "$WORK/kinds")"
	grep -qx "p known $((5 * n))" "$WORK/kinds" || finding "platform threads:" "$(cat "$WORK/kinds")"
	grep -qE '^w missing [1-9]' "$WORK/kinds" || finding "no calls of carriers:" "$(cat "$WORK/kinds")"
	grep -qE '^waits p [1-9][0-9]{2}' "$WORK/kinds" || finding "no waits of platform threads:" "$(cat "$WORK/kinds")"
	grep -qE '^waits v [1-9][0-9]{2}' "$WORK/kinds" || finding "no waits of virtual threads:" "$(cat "$WORK/kinds")"
	grep -E 'torn|^waits [^pv]|^w known' "$WORK/kinds" >"$WORK/odd" && finding "$(cat "$WORK/odd")"
	finish
}

# The program's own clock tells how long a virtual thread was parked and how long it took to come back. The verifier
# looks at the hooks in java.lang.VirtualThread, too.
case_carried() {
	begin "the time of virtual threads matches the program's clock${BUFFER:+, --buffer=$BUFFER}, JDK $FEATURE" || return 0
	run_program -Xverify:all -Djdk.virtualThreadScheduler.parallelism=2 \
		Carried "$CARRIED_CALLS" sleep park lock monitor queue socket busy starved || return 0
	switches_start
	trace_target -m 'live.Carried::in*' || { kill "$WATCH"; return 0; }
	SECONDS_MAX=$((60 + CARRIED_CALLS / 10)) target_go
	switches_stop
	stopped_with 0
	target_leaves
	judged_by live.CarriedCheck "$F_FILE" "$T_DIR/splits" "$WORK/switches"
	sed 's/^/# /' <<<"$SAID"
	"$FRTRACE" view slowest --method=live.Carried::inPark --top=100 "$F_FILE" >"$WORK/view"
	grep -A8 'ms parked, woken by "main"' "$WORK/view" | grep 'live.Carried.inPark():' >/dev/null || finding "no stack of a parked thread:" "$(head -n 20 "$WORK/view")"
	finish
}

# The kernel keeps the waits of short calls back and drops them. It must know which belong to a long one.
case_threshold() {
	local n=${1:-200} CALLS=${1:-200} long
	begin "calls above a threshold have all their waits, and those of short calls are dropped${BUFFER:+, --buffer=$BUFFER}, JDK $FEATURE" || return 0
	KINDS=(mixed)
	where_run -x live.Where::inWhole -t 4ms || return 0
	where_agrees -Dthreshold=4000000
	long=$(sed -nE 's/^mixed: ([0-9]+) calls.*/\1/p' <<<"$SAID")
	[ "${long:-0}" -ge $((n / 4)) ] && [ "${long:-0}" -lt "$n" ] || finding "${long:-no} of $n calls are in the file, $((n / 4)) are long"
	frtrace_json inner blockedTime | grep -E 'PT0S|null' >"$WORK/odd"
	[ -s "$WORK/odd" ] && finding "inner calls that did not wait:" "$(head -n 3 "$WORK/odd")"
	jfr_newest print --events frtrace.ThreadWait "$F_FILE" >"$WORK/events"
	long=$(grep -c 'live.Where.inner()' "$WORK/events")
	[ "$long" -ge $((n / 4 * 2)) ] || finding "$long waits of inner calls have their stack, expected $((n / 4 * 3))"
	finish
}

# With --kernel=off the file has none of it.
case_off() {
	begin "--kernel=off leaves all its fields and events out of the file, JDK $FEATURE" || return 0
	KINDS=(busy)
	where_run --no-stack --kernel=off || return 0
	jfr_newest metadata "$F_FILE" >"$WORK/tool"
	grep -E 'cpuTime|runQueueTime|blockedTime|pauseTime|syscall|Faults|class (ThreadWait|RunQueue|VMPause)' "$WORK/tool" >"$WORK/left" &&
		finding "is there:" "$(cat "$WORK/left")"
	grep -q 'boolean thrown;' "$WORK/tool" || finding "no jdk.MethodTrace in the metadata"
	grep -q 'slowest 1 %' "$F_DIR/stderr" && finding "says where time went"
	finish
}

# The kernel's times are its own, those of calls belong to frtrace's time namespace.
case_namespace() {
	local binary=$FRTRACE FRTRACE=$WORK/elsewhen
	begin "the same holds when frtrace runs in a time namespace of its own, JDK $FEATURE" || return 0
	printf '#!/bin/sh\nexec unshare --time --monotonic 5000 %s "$@"\n' "$binary" >"$FRTRACE"
	chmod 755 "$FRTRACE"
	KINDS=(sleep monitor busy gc)
	where_run --no-stack || return 0
	where_agrees
	finish
}

for line in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$line"
	KINDS=("${EVERY[@]}")
	case_where tools_read views_show
	turn 0 && BUFFER=perf CALLS=40 case_where
	turn 1 && CALLS=20 case_pauses
	case_threshold
	turn 1 && BUFFER=perf case_threshold 100
	turn 0 && CALLS=20 case_off
	turn 1 && CALLS=20 case_namespace
	if [ "$FEATURE" -ge 21 ]; then
		case_virtual
		case_carried
		BUFFER=perf CARRIED_CALLS=20 case_carried
	fi
done
for version in "${OTHERS_OF_DAY[@]}"; do
	root_use "$version" "where the time of calls went" || continue
	KINDS=("${EVERY[@]}")
	CALLS=$OTHER_CALLS case_where ${SOAK:+tools_read views_show}
	if [ "$FEATURE" -ge 21 ]; then
		case_virtual
		case_carried
	fi
done
