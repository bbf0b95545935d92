#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The live output: tables and lines have the program's own counts, to the last call.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

work='live.Timed$Work;live.Copy::work'

view_agrees() { # WHAT [FILE]...: checks standard output
	local seen what=$1
	shift
	seen=$(python3 "$LIVE/live_view.py" "$what" "$F_DIR/stdout" "$@" 2>&1) || finding "$what:" "${seen:-no output}"
}

# The truth of the methods that were called; the others have no row.
called() {
	awk -F'\t' -v OFS='\t' '
	$1 == "threads" { print "count", $2, $3, "*", "*", "*", $4 * $5, 0 }
	$1 == "count" && $7 > 0' "$T_DIR/truth" >"$T_DIR/called"
	echo "$T_DIR/called"
}

# Trace the program in $program with these options until it ends, then run the checks in $checks.
viewed() { # SENTENCE OPTION...
	local check
	begin "$1, JDK $FEATURE" || return 0
	shift
	trace_program "${program[@]}" -- "$@" || return 0
	target_go
	wait_for 10 tables_are 3
	stopped_with 0
	target_leaves
	for check in "${checks[@]}"; do $check; done
	finish
}

tables_are() { [ "$(grep -cE '^([0-9]{2}:[0-9]{2}:[0-9]{2} |\{)' "$F_DIR/stdout")" -ge "$1" ]; } # NUMBER, at least
sums_agree() { view_agrees sums "$(called)"; }
tables_agree() { view_agrees tables "$(called)"; }
no_event() { says "calls, all below"; }
no_timing() { [ "$(jfr_newest summary "$F_FILE" | awk '$1 == "jdk.MethodTiming" { print $2 }')" = 0 ] || finding "the file has jdk.MethodTiming, which nobody asked for"; }

# The lines equal the program's own log and the events of the file.
logged() {
	begin "--lines: each recorded call when it ends, as in the program's log and in the file, JDK $FEATURE" || return 0
	trace_program Logged 4 2000 -- -m live.Logged::work --lines --json || return 0
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" target_has open
	sleep 0.3
	stopped_with 0
	view_agrees lines "$T_DIR/log"
	jfr_newest print --json --events jdk.MethodTrace --stack-depth 64 "$F_FILE" >"$T_DIR/events"
	view_agrees file "$T_DIR/events"
	touch "$T_DIR/let-go"
	finish
}

# The readable form: control sequences are escaped.
read_lines() {
	local line
	begin "--lines as text: time, duration, thread, method, thrown, caller, JDK $FEATURE" || return 0
	line='^[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6} +[0-9.]+ (ns|us|ms)  log-[01]-\\u001b\[2J\\u000a"  live\.Logged\.work\(int\)(  thrown java\.lang\.IllegalStateException)?  from live\.Logged\.calls\(int\) line: [0-9]+(  cpu T, runq T, blocked T)?$'
	line=${line//T/[0-9.]+ (ns|us|ms|s)}
	trace_program Logged 2 700 -- -m live.Logged::work --lines || return 0
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" target_has open
	sleep 0.3
	stopped_with 0
	[ "$(grep -cE "$line" "$F_DIR/stdout")" = 1400 ] && [ "$(wc -l <"$F_DIR/stdout")" = 1400 ] ||
		finding "$(wc -l <"$F_DIR/stdout") lines, unexpected ones:" "$(grep -vE "$line" "$F_DIR/stdout" | cat -v)"
	[ "$(grep -c '  cpu [0-9]' "$F_DIR/stdout")" -ge 700 ] || finding "where the time went is missing:" "$(head -n 20 "$F_DIR/stdout" | cat -v)"
	[ "$(grep -c '  thrown java' "$F_DIR/stdout")" = 200 ] || finding "$(grep -c '  thrown java' "$F_DIR/stdout") are thrown"
	touch "$T_DIR/let-go"
	finish
}

ages_of_open() { sed -nE 's/.*"method":"hangs".*"open":1,"oldestOpenNs":([0-9]+).*/\1/p' "$F_DIR/stdout"; }

# At least three times, and older than half a second.
is_seen_growing() { [ "$(ages_of_open | wc -l)" -ge 3 ] && [ "$(ages_of_open | tail -n 1)" -gt 500000000 ]; }

open_call() {
	begin "a call that does not return is open, and its age grows, JDK $FEATURE" || return 0
	trace_program Logged 1 50 -- -m live.Logged::hangs -i 200ms --json || return 0
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" target_has open
	wait_for "$SECONDS_MAX" is_seen_growing
	touch "$T_DIR/let-go"
	wait_for "$SECONDS_MAX" target_has "done"
	sleep 0.3
	stopped_with 0
	is_seen_growing && sort -nuc <<<"$(ages_of_open)" || finding "ages of the open call:" "$(ages_of_open)"
	tail -n 1 "$F_DIR/stdout" | grep '"open":0,"oldestOpenNs":null' >/dev/null || finding "still open at the end" "$(tail -n 1 "$F_DIR/stdout")"
	printf 'count\tlive.Logged\thangs\t*\t*\t*\t1\t0\n' >"$T_DIR/truth"
	view_agrees sums "$T_DIR/truth"
	finish
}

# Start reading long after the program has made its calls: more lines came than the pipe and frtrace hold.
slow_reader() {
	local said
	begin "lines that a slow reader misses are counted, and the recording loses nothing, JDK $FEATURE" || return 0
	target_start Timed calls 20000
	mkfifo "$T_DIR/pipe"
	target_comes_up || return 0
	F_FILE=$WORK/slow.jfr F_DIR=$(mktemp -d "$WORK/trace.XXXXXX")
	env --default-signal=INT,TERM "$FRTRACE" -p "$T_PID" -o "$F_FILE" -m "$work" --no-stack --max-overhead=off --lines --json \
		>"$T_DIR/pipe" 2>"$F_DIR/stderr" </dev/null &
	F_PID=$!
	STARTED+=("$F_PID")
	exec 5<"$T_DIR/pipe"
	wait_for 30 trace_is_on
	target_go
	sleep 1
	kill -INT "$F_PID"
	timeout 300 cat <&5 >"$F_DIR/stdout"
	exec 5<&-
	ended_with 0
	says ' 0 lost, 0 still open'
	says 'calls were not printed'
	said=$(end_line_number calls)
	view_agrees total "$said"
	file_agrees
	finish
}

# The reader of standard output exits after the first line.
closed_pipe() { # OPTION...
	begin "$* | head -n 1: the recording ends and is complete, JDK $FEATURE" || return 0
	run_program Speed || return 0
	F_FILE=$WORK/closed.jfr F_DIR=$(mktemp -d "$WORK/trace.XXXXXX")
	(
		timeout 300 "$FRTRACE" -p "$T_PID" -o "$F_FILE" -m live.Speed::work -t 1us "$@" 2>"$F_DIR/stderr" </dev/null
		echo $? >"$F_DIR/status"
	) | head -n 1 >"$F_DIR/stdout" &
	STARTED+=($!)
	wait_for 30 test -s "$F_DIR/status" || finding "does not end" "$(cat "$F_DIR/stderr")"
	F_STATUS=$(cat "$F_DIR/status" 2>/dev/null)
	status_is 0
	[ "$(wc -l <"$F_DIR/stdout")" = 1 ] || finding "$(wc -l <"$F_DIR/stdout") lines"
	says 'The JVM runs its original code again'
	target_restored
	[ "$(file_events live.Speed.work)" -gt 0 ] || finding "no events in the file"
	finish
}

# In a terminal: one table, the last one, in its place; whatever ends it restores the terminal.
in_place() { # COLUMNS LINES KEYS WHAT
	begin "in a terminal of $1 x $2 the table is refreshed in place, $4 restores the terminal, JDK $FEATURE" || return 0
	local columns=$1 lines=$2 keys=$3 screen=$WORK/screen findings_seen
	run_program Timed calls 20000 || return 0
	F_FILE=$WORK/place.jfr F_DIR=$(mktemp -d "$WORK/trace.XXXXXX")
	"${SERVICE[@]}" python3 "$LIVE/in_terminal.py" "$columns" "$lines" "$screen" "$T_DIR/stop" \
		"$FRTRACE" -p "$T_PID" -o "$F_FILE" -m "$work" --no-stack -i 200ms >"$F_DIR/stdout" 2>&1 &
	F_PID=$!
	STARTED+=("$F_PID")
	wait_for 30 agent_active || finding "tracing does not begin" "$(cat "$F_DIR/stdout")"
	sleep 0.7
	target_go
	sleep 0.5
	if [ "$keys" = end ]; then target_quit; else put_file "$T_DIR/stop" "$keys"; fi
	ended_with 0
	findings_seen=$(cat "$F_DIR/stdout")
	[ -z "$findings_seen" ] || finding "$findings_seen"
	[ "$(grep -cE '^[0-9:]{8} ' "$screen")" = 1 ] || finding "not one table:" "$(cat "$screen")"
	grep -qE "^[0-9:]{8}   220,000 calls in all of" "$screen" || finding "not all calls:" "$(cat "$screen")"
	grep -E '^ *[0-9,]+  |^calls|^and ' "$screen" >"$screen.table"
	[ "$(wc -l <"$screen.table")" -le $((lines - 2)) ] || finding "higher than the terminal:" "$(cat "$screen")"
	[[ $keys != *s* ]] || grep -qaE 'sorted by (cpu|open) ' "$screen.all" || finding "the key s does not sort:" "$(grep -a 'q ends' "$screen.all")"
	tr -s '\n ' ' ' <"$screen" | grep 'Ctrl-C stops and restores the JVM' >/dev/null || finding "lines above the table are gone:" "$(cat "$screen")"
	grep -qE 'Timed\$Work\.recurses(\([a-z.]+\))?$' "$screen.table" || finding "the busiest method is not shown:" "$(cat "$screen")"
	[ "$keys" = end ] || target_restored
	finish
}

put_file() { printf %s "$2" >"$1.new" && mv "$1.new" "$1"; }

agent_active() { [ "$(peek "$T_PID" state)" = 2 ] || ended "$F_PID"; }

closed_output() {
	begin "closed standard output is reported, and the JVM is left unchanged, JDK $FEATURE" || return 0
	run_program Speed || return 0
	F_DIR=$(mktemp -d "$WORK/trace.XXXXXX")
	timeout 200 "$FRTRACE" -p "$T_PID" -o "$WORK/none.jfr" -m live.Speed::work -i 1s 2>"$F_DIR/stderr" </dev/null >&-
	F_STATUS=$?
	status_is 1
	says 'cannot print on standard output'
	target_untouched "$T_PID"
	finish
}

nothing_recorded() {
	begin "with -v the reason why nothing is recorded is printed after ten seconds, JDK $FEATURE" || return 0
	trace_program Logged 1 50 -- -m live.Logged::work -v || return 0
	wait_for 20 grep -q 'nothing is recorded so far: 0 calls: matched, never called in [1-9][0-9]\.[0-9] s$' "$F_DIR/stderr" ||
		finding "is not printed:" "$(cat "$F_DIR/stderr")"
	stopped_with 0
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	program=(Timed calls 20000) checks=(sums_agree no_event no_timing)
	viewed "-i --json: the intervals add up to the program's counts, including calls that are not recorded" -m "$work" -t 1h -i 200ms --json

	checks=(tables_agree)
	viewed "-i into a file: one table after the other, the last one with all calls" -M "$work" -i 200ms

	program=(Threads together 64 20000) checks=(sums_agree)
	viewed "64 threads with 20,000 recorded calls are 1,280,000 in the tables" -m live.Threads::work --no-stack --max-overhead=off -i 100ms --json

	if [ "$FEATURE" -ge 21 ]; then
		program=(Timed virtual 20000 3)
		viewed "20,000 virtual threads that park within the call" -m 'live.Timed::parks;live.Timed::between' -t 1h -i 200ms --json
	fi
	logged
	read_lines
	open_call
	# reading needs no part of the JVM
	turn 0 && slow_reader
	turn 1 && closed_pipe -i 300ms
	turn 0 && closed_pipe -i 300ms --json
	turn 1 && closed_pipe --lines
	turn 0 && in_place 80 24 "" Ctrl-C
	turn 1 && in_place 40 8 "" Ctrl-C
	turn 1 && in_place 80 24 sq "the key q"
	turn 0 && in_place 80 24 TERM SIGTERM
	turn 1 && NO_COLOR=1 in_place 80 24 end "the end of the JVM"
	turn 0 && closed_output
done
jdk_use "${JDKS[0]}"
nothing_recorded
