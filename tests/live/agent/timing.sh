#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Method timing: counts match the program's own, times lie between its own stamps.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

work='live.Timed$Work;live.Copy::work'

timing_agrees() { # [TRUTH [EMISSIONS]]
	judged_by live.TimingCheck "$F_FILE" "${1:-$T_DIR/truth}" "${2:-1}"
}

# The truth without the lines of a method, or only those.
truth_without() { grep -v "	$1	" "$T_DIR/truth" >"$T_DIR/without" && echo "$T_DIR/without"; }
truth_of() { grep "	$1	" "$T_DIR/truth" >"$T_DIR/only" && echo "$T_DIR/only"; }

# Trace the program in $program with these options, then run the checks in $checks.
timed() { # SENTENCE OPTION...
	local check
	begin "$1, JDK $FEATURE" || return 0
	shift
	STATUS='0 3' record_program "${program[@]}" -- "$@" || return 0
	says ' 0 lost, 0 still open'
	for check in "${checks[@]}"; do $check; done
	finish
}

carriers_change() { [ "$(sed -n 's/^moved: //p' "$T_DIR/stdout")" -gt 0 ] || finding "no call ended on another carrier:" "$(cat "$T_DIR/stdout")"; }

# Reported at the start and in the file, for these two methods and no other.
lower_bounds_are_reported() {
	local method
	for method in 'java.lang.Math.max(int, int)' 'java.lang.Integer.bitCount(int)'; do
		grep 'lower bound: ' "$F_DIR/stderr" | grep -F "$method" >/dev/null || finding "no lower bound: $method:" "$(cat "$F_DIR/stderr")"
	done
	grep -q 'lower bound: .*between' "$F_DIR/stderr" && finding "between() is no intrinsic:" "$(cat "$F_DIR/stderr")"
	jfr_newest print --events frtrace.Message "$F_FILE" >"$T_DIR/messages"
	grep -q 'lower bound' "$T_DIR/messages" && grep -qF 'Math.max' "$T_DIR/messages" || finding "not in the file:" "$(cat "$T_DIR/messages")"
}

no_traces() { [ "$(jfr_newest summary "$F_FILE" | awk '$1 == "jdk.MethodTrace" { print $2 }')" = 0 ] || finding "calls are recorded as well"; }
recursion_is_traced() { file_agrees "$(truth_of recurses)"; }
rest_is_timed() { timing_agrees "$(truth_without recurses)"; }
three_emissions() { timing_agrees "$T_DIR/truth" 3; }

# One emission every 200 ms.
period() {
	cat >"$WORK/period.jfc" <<-END
		<configuration version="2.0" label="test"><event name="jdk.MethodTiming">
		<setting name="enabled">true</setting><setting name="period">200 ms</setting></event></configuration>
	END
}

calls_made() { od -An -v -td8 -w64 "$T_DIR/counts" | awk '{ n += $1 } END { printf "%d\n", n }'; }
has_made() { [ "$(calls_made)" -gt "$1" ]; } # CALLS

# When the JVM is killed, the last emission has every call that had returned; one more per thread may have been in
# progress.
killed() {
	local threads=4 n
	begin "kill -9 of a busy JVM: the last emission has every call that had ended, JDK $FEATURE" || return 0
	trace_program Mapped $threads -- -M live.Mapped::work --settings="$WORK/period.jfc" || return 0
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" has_made 1000 || finding "only $(calls_made) calls"
	sleep 0.5 # some emissions
	kill -9 "$T_PID"
	ended_with 0
	n=$(calls_made)
	printf 'count\tlive.Mapped\twork\t*\t*\t*\t%d..%d\t0\n' "$n" $((n + threads)) >"$T_DIR/truth"
	timing_agrees
	finish
}

view() { # FILE: "METHOD CALLS" of each row
	jfr_newest view --width 200 --truncate beginning method-timing "$1" | sed 's/, /,/g' | awk '/^-+/ { rows = 1; next } rows && NF > 2 { print $1, $2 }' | sort
}

# The same program twice: timed by frtrace, and by the JDK itself, which does not count calls that end with an exception
# of a callee (half of those of passes()).
same_view() {
	local ours
	begin "jfr view method-timing shows the same as for JEP 520's own recording, JDK $FEATURE" || return 0
	STATUS='0 3' record_program Timed calls 3000 -- -M "$work" || return 0
	ours=$(view "$F_FILE")
	target_drop
	run_program Timed calls 3000 || return 0
	F_FILE=$WORK/jep520.jfr
	"$JAVA/bin/jcmd" "$T_PID" JFR.start name=timing settings=none '+jdk.MethodTiming#enabled=true' \
		"+jdk.MethodTiming#filter=$work" '+jdk.MethodTiming#period=endChunk' >"$T_DIR/jcmd"
	target_go
	"$JAVA/bin/jcmd" "$T_PID" JFR.stop name=timing "filename=$F_FILE" >>"$T_DIR/jcmd"
	[ "$(wc -l <<<"$ours")" -ge 9 ] || finding "few rows:" "$ours"
	diff <(grep -v passes <<<"$ours") <(view "$F_FILE" | grep -v passes) >"$T_DIR/diff" || finding "ours, and JEP 520's:" "$(cat "$T_DIR/diff")"
	finish
}

selves_agree() { # ROWS
	python3 "$LIVE/selves.py" "$1" "$T_DIR/truth" >"$T_DIR/judged" 2>&1 && [ ! -s "$T_DIR/judged" ] || finding "$(cat "$T_DIR/judged")"
}

view_selves_agree() { # VIEW
	"$FRTRACE" view "$1" --json "$F_FILE" >"$T_DIR/rows" && selves_agree "$T_DIR/rows"
}

timed_selves_agree() {
	jfr_newest print --json --events jdk.MethodTiming "$F_FILE" >"$T_DIR/events" && selves_agree "$T_DIR/events"
	view_selves_agree method-timing
}

traced_selves_agree() { view_selves_agree method-trace; }

virtual_threads() {
	local program=(-Xmx1g Timed virtual 100000 2) checks=(timing_agrees carriers_change)
	timed "100,000 virtual threads that park within the call, change carriers, and throw" -M 'live.Timed::parks;live.Timed::between'
}

period
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	program=(Threads together 64 20000) checks=(timing_agrees no_traces)
	timed "64 threads with 20,000 calls are 1,280,000 invocations" -M live.Threads::work

	program=(Timed calls 20000) checks=(timing_agrees no_traces)
	timed "every way out, recursion, overloads, a method that is never called, two loaders: one row each, with the program's own count" -M "$work"

	checks=(recursion_is_traced rest_is_timed)
	timed "-m and -M on different methods of a class" -m 'live.Timed$Work::recurses' -M "$work;!live.Timed\$Work::recurses" --no-stack

	checks=(file_agrees timing_agrees)
	timed "-m and -M on the same methods" -m "$work" -M "$work" --no-stack

	program=(Timed stamps 4000) checks=(three_emissions)
	timed "times lie between the program's own stamps, percentiles match its sorted list" -M live.Timed::waits --settings="$WORK/period.jfc"

	program=(Selves 64 30) checks=(timed_selves_agree)
	timed "self times and times without recursion are those of a recursive program with 64 threads, with -M" -M 'live.Selves$Work'

	checks=(traced_selves_agree)
	timed "the same of recorded calls, with -m" -m 'live.Selves$Work' --no-stack

	program=(Timed intrinsics 2000000) checks=(lower_bounds_are_reported timing_agrees)
	timed "counts of methods with intrinsics are reported as lower bounds, others are exact" \
		-M 'java.lang.Math::max(int,int);java.lang.Integer::bitCount;live.Timed::between'

	[ "$FEATURE" -lt 21 ] || virtual_threads
	killed
	[ "$FEATURE" -lt 25 ] || same_view
done
jdk_use "${JDKS[-1]}"

root_use 21 "100,000 virtual threads" && virtual_threads
