#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# HotSpot's own method probes as the source of calls: the same counts as with the agent, and a JVM that stays untouched.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

PROBED=-XX:+DTraceMethodProbes

# Code of C2 does not show that an exception has ended a call, nor does C1's, except of calls that are inlined in it. Of those
# the probes do not even tell that they are over: until another one shows it, they are open.
truth_of() { # CLASS [PATTERN]: of methods whose exceptions may not be seen; all if it is not given
	jfr_newest print --events OpenCall "$F_FILE" >"$WORK/open"
	awk -F'\t' -v OFS='\t' -v class="$1" -v unseen="${2-.}" '
		FILENAME == ARGV[1] { if (sub(/^  method = /, "") && sub(/\(.*/, "")) open[$0]++; next }
		$2 == class && $1 == "count" { $7 -= open[$2 "." $3]; $8 -= open[$2 "." $3] }
		$2 == class && $1 == "count" && $3 ~ unseen { $8 = "0.." ($8 < 0 ? 0 : $8) }
		$2 == class' "$WORK/open" "$T_DIR/truth" >"$T_DIR/probed"
	OPEN=$(grep -c '^jdk.OpenCall\|OpenCall {' "$WORK/open")
	[ "$OPEN" = "$(end_line_number "still open")" ] || finding "$OPEN open calls in the file:" "$(cat "$F_DIR/stderr")"
}

# Which files the JVM has mapped, and where.
mapped() { awk '{ print $1, $2, $3, $6 }' "/proc/$T_PID/maps" | grep -E ' /|\[' | grep -vE '\[(heap|stack|vvar|vdso|anon)'; }

counted() { # SENTENCE FILTER TRUTH-OF-CLASS [-JVM-OPTION...] CLASS [ARGUMENT...]
	local filter=$2 class=$3
	begin "$1${PROBES:+, --attach=$PROBES}, JDK $FEATURE" || return 0
	shift 3
	trace_program $PROBED "$@" -- --source=hotspot -m "$filter" || return 0
	mapped >"$T_DIR/before"
	target_go
	mapped >"$T_DIR/after"
	stopped_with 0
	says ' 0 lost'
	says 'The JVM has no probes any more'
	target_untouched "$T_PID"
	# The last part of the name: a directory may be called frtrace. The kernel's [uprobes] is no mapping of ours.
	grep -E '[ /:](lib)?frtrace[^/]*$|\[uprobes\]' "$T_DIR/after" >"$WORK/mapped" && finding "a mapping of ours: $(cat "$WORK/mapped")"
	target_quit
	truth_of "$class" ${UNSEEN:+"$UNSEEN"}
	file_agrees "$T_DIR/probed"
	finish
}

timed() {
	begin "-M counts calls by HotSpot's own probes, JDK $FEATURE" || return 0
	trace_program $PROBED ExitsMain 2000 -- \
		--source=hotspot -M 'live.Exits::recursion;live.Exits::several' || return 0
	trace_calls
	says '^4,000 calls timed'
	target_quit
	jfr_newest print --events MethodTiming "$F_FILE" >"$WORK/timing"
	[ "$(grep -c 'invocations = 2000' "$WORK/timing")" -gt 1 ] || finding "no 2000 invocations:" "$(tail -n 20 "$WORK/timing")"
	grep -q 'p99 = [0-9.]* ' "$WORK/timing" || finding "no percentiles"
	finish
}

threshold() {
	begin "calls below a threshold are counted only, by HotSpot's own probes, JDK $FEATURE" || return 0
	trace_program $PROBED ExitsMain 2000 -- --source=hotspot -m 'live.Exits::recursion' -t 1h || return 0
	trace_calls
	says '^0 calls'
	says '2,000 calls'
	target_quit
	finish
}

has_both_probes() { [ "$(probe_bytes "$T_PID" | grep -o cc | wc -l)" = 2 ]; }

# Whether a class is chosen is not known when its first calls pass. There are more once it is: the return probe comes then.
late() {
	local events missed
	begin "calls of a class that is loaded meanwhile are recorded or counted as missed${PROBES:+, --attach=$PROBES}, JDK $FEATURE" || return 0
	trace_program $PROBED Late 100000 chosen -- --source=hotspot -m 'live.Late$Latecomer::checkout' || return 0
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" has_both_probes || finding "the class is not chosen: $(probe_bytes "$T_PID")"
	touch "$T_DIR/chosen"
	trace_calls 3
	events=$(file_events 'live.Late$Latecomer.checkout')
	missed=$(sed -nE 's/^  ([0-9,]+) calls? at most (was|were) missed: .*/\1/p' "$F_DIR/stderr" | tr -d ,)
	[ "$events" -gt 0 ] && [ "$events" -lt 200000 ] && [ "$((events + ${missed:-0}))" -ge 200000 ] ||
		finding "200000 calls; $events in the file, $missed missed:" "$(cat "$F_DIR/stderr")"
	target_quit
	finish
}

# The return probe is needed when the first method is chosen. Then frtrace can open no more files.
late_in_vain() {
	begin "if a method is chosen meanwhile, and its exits cannot be probed, the recording ends and says why, JDK $FEATURE" || return 0
	trace_program $PROBED Late 200000 -- --source=hotspot -m 'live.Late$Latecomer::checkout' || return 0
	prlimit --pid "$F_PID" --nofile=3:
	target_go
	ended_with 1
	says '^frtrace: cannot .*: Too many open files'
	[ "$(grep -c '^frtrace: ' "$F_DIR/stderr")" = 1 ] || finding "more than a line:" "$(cat "$F_DIR/stderr")"
	grep -q '^0 calls' "$F_DIR/stderr" || finding "it has calls:" "$(cat "$F_DIR/stderr")"
	probe_bytes "$T_PID" | grep -q cc && finding "a breakpoint is left behind"
	target_quit
	finish
}

# Nearly all calls wait, for what their names say; on a loaded machine a few come too late to wait, though they have 20 ms.
waits() {
	local kind reason n
	begin "calls have their waits by HotSpot's own probes, JDK $FEATURE" || return 0
	trace_program $PROBED -Dpause=20 Splits 50 sleep park socket -- \
		--source=hotspot -m 'live.Splits::sleep;live.Splits::park;live.Splits::socket' || return 0
	trace_calls
	says ' 0 lost'
	target_untouched "$T_PID"
	target_quit
	jfr_newest print --events ThreadWait "$F_FILE" >"$WORK/waits"
	for kind in sleep:sleep park:futex socket:socket; do
		reason=${kind#*:} kind=${kind%:*}
		grep -q '^  no pauses: ' "$F_DIR/stderr" && [ "$reason" = sleep ] && reason=futex
		n=$(awk -v method="live.Splits.$kind()" -v reason="\"$reason\"" '
			/Context: MethodTrace.method = / { in_call = $NF == method }
			/^  reason = / && in_call && $NF == reason { n++ }
			END { print n + 0 }' "$WORK/waits")
		[ "$n" -ge 45 ] || finding "$n of 50 calls of $kind have a wait with reason $reason:" "$(head -n 20 "$WORK/waits")"
	done
	finish
}

# The bytes at both probes, in the memory of a JVM.
probe_bytes() { # PID
	local libjvm place start
	libjvm=$(awk '$6 ~ /\/libjvm\.so$/ { print $6; exit }' "/proc/$1/maps")
	for place in $(readelf -n "$libjvm" 2>/dev/null | awk '/Name: method__(entry|return)$/ { found = 1 } /Location:/ && found { print substr($2, 1, length($2) - 1); found = 0 }'); do
		start=$(awk -v name="$libjvm" '$6 == name && $3 == "00000000" { print substr($1, 1, index($1, "-") - 1); exit }' "/proc/$1/maps")
		dd if="/proc/$1/mem" bs=1 count=1 skip=$((0x$start + place)) status=none | od -A n -t x1 | tr -d ' \n'
	done
}

# Each trap costs. It is not known which of the two bytes is which, but they differ.
nothing_matches() {
	local before
	begin "a filter that matches nothing leaves the return probe alone, JDK $FEATURE" || return 0
	run_program $PROBED ExitsMain 40 || return 0
	before=$(probe_bytes "$T_PID")
	trace_start --source=hotspot -m live.Nothing::never
	[ "$(probe_bytes "$T_PID" | grep -o cc | wc -l)" = 1 ] || finding "the probes had $before, and have $(probe_bytes "$T_PID")"
	trace_stop
	trace_start --source=hotspot -m live.Exits::normal
	[ "$(probe_bytes "$T_PID" | grep -o cc | wc -l)" = 2 ] || finding "a chosen method is not traced: $(probe_bytes "$T_PID")"
	trace_stop
	finish
}

# Both have the same file mapped. A breakpoint is what would slow the other one down.
only_the_target() {
	local other other_dir before
	begin "another JVM with the same libjvm has no breakpoint at HotSpot's probes${PROBES:+, --attach=$PROBES}, JDK $FEATURE" || return 0
	run_program $PROBED ExitsMain 40 || return 0
	other=$T_PID other_dir=$T_DIR before=$(probe_bytes "$T_PID")
	trace_program $PROBED ExitsMain 40 -- --source=hotspot -m live.Exits || return 0
	[[ $(probe_bytes "$T_PID") =~ ^(cc)+$ ]] || finding "the target has no breakpoints: $(probe_bytes "$T_PID")"
	[ -n "$before" ] && [ "$(probe_bytes "$other")" = "$before" ] || finding "the other one had $before, and has $(probe_bytes "$other")"
	touch "$other_dir/go"
	wait_for "$SECONDS_MAX" [ -e "$other_dir/done" ] || finding "the other program does not finish"
	[ "$(probe_bytes "$other")" = "$before" ] || finding "the other one has got $(probe_bytes "$other")"
	target_go
	trace_stop
	[ "$(probe_bytes "$T_PID")" = "$before" ] || finding "the breakpoints are left behind: $(probe_bytes "$T_PID")"
	target_quit
	truth_of live.Exits
	file_agrees "$T_DIR/probed"
	touch "$other_dir/quit"
	finish
}

# The file has each of them, however many there are on one thread.
open_deep() {
	local seen
	begin "100 nested calls that are open at the end are in the file, by HotSpot's own probes, JDK $FEATURE" || return 0
	trace_program $PROBED Open deep 100 -- --source=hotspot -m 'live.Open::open*' || return 0
	trace_calls
	says '101 still open'
	judged_by live.OpenCheck "$F_FILE" "$T_DIR/open" NONE
	[ "${SAID##*$'\n'}" = 101 ] || finding "${SAID##*$'\n'} events"
	target_quit
	finish
}

automatic() { # -JVM-OPTION...
	begin "with $* HotSpot's own probes are used, JDK $FEATURE" || return 0
	run_program $PROBED "$@" ExitsMain 200 || return 0
	"$FRTRACE" check "$T_PID" >"$WORK/check" 2>&1 || finding "check says no:" "$(cat "$WORK/check")"
	grep -q '^  probes  *yes: calls come from them; every call of every method traps, 0\.6 us or more$' "$WORK/check" ||
		finding "check does not say so:" "$(cat "$WORK/check")"
	trace_target -m 'live.Exits' || return 0
	trace_calls
	says "^no agent can be loaded: it was started with ${1/+/\\+}; tracing by HotSpot's own probes"
	target_quit
	truth_of live.Exits
	file_agrees "$T_DIR/probed"
	finish
}

refused() { # SENTENCE MESSAGE [-JVM-OPTION...] -- ARGUMENT...
	local message=$2 options=()
	begin "$1, JDK $FEATURE" || return 0
	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	run_program "${options[@]}" ExitsMain 10 || return 0
	F_FILE=$WORK/refused.jfr
	trace_launch -p "$T_PID" -o "$F_FILE" "$@"
	trace_wait
	says "^frtrace: .*$message"
	[ "$(grep -c . "$F_DIR/stderr")" = 1 ] || finding "more than a line:" "$(cat "$F_DIR/stderr")"
	[ -e "$F_FILE" ] && finding "left a file"
	target_untouched "$T_PID"
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	exits=(live.Exits live.Exits)
	counted "HotSpot's own probes count every way out of a method once" "${exits[@]}" ExitsMain 2000
	UNSEEN='^none$' counted "HotSpot's own probes tell which calls an exception ends in the interpreter" "${exits[@]}" -Xint ExitsMain 500
	# -Xbatch: a compiler that is late leaves a caller to the interpreter, whose calls of C1's code show no exception.
	UNSEEN='ynchronized|recursionThrows|switches' counted "HotSpot's own probes count calls in C1's code, and their exceptions" "${exits[@]}" -XX:TieredStopAtLevel=1 -Xbatch ExitsMain 2000
	counted "HotSpot's own probes count calls in C2's code" "${exits[@]}" -XX:-TieredCompilation -XX:CompileThreshold=800 ExitsMain 2000
	turn 0 && PROBES=perf counted "HotSpot's own probes count every way out of a method once" "${exits[@]}" ExitsMain 500
	counted "HotSpot's own probes count the calls of 16 threads" live.Threads::work live.Threads Threads together 16 5000
	counted "HotSpot's own probes count the calls of short-lived threads" live.Threads::work live.Threads Threads one-by-one 500 3
	timed
	threshold
	late
	turn 1 && PROBES=perf late
	turn 0 && late_in_vain
	open_deep
	waits
	only_the_target
	nothing_matches
	turn 1 && PROBES=perf only_the_target
	automatic -XX:+DisableAttachMechanism
	[ "$FEATURE" -lt 21 ] || automatic -XX:-EnableDynamicAgentLoading
	refused "a JVM without the flag is refused" 'start it with -XX:\+DTraceMethodProbes' -- --source=hotspot -m live.Exits
	refused "--inside needs the agent" '--inside does not go with' $PROBED -- --source=hotspot --inside=live.Exits -m live.Exits
done
for version in "${OTHERS_OF_DAY[@]}"; do
	[ "$version" -gt 8 ] || continue
	root_use "$version" "HotSpot's own probes count every way out of a method once" || continue
	counted "HotSpot's own probes count every way out of a method once" live.Exits live.Exits ExitsMain 1000
done
root_use 8 "a libjvm without method probes is refused" &&
	refused "a libjvm without method probes is refused" 'libjvm.so has no method probes' -- --source=hotspot -m live.Exits
