#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# HotSpot's own method probes as the source of calls: the same counts as with the agent, and a JVM that stays untouched.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

PROBED=-XX:+DTraceMethodProbes

# The probes do not tell how a call ended. Of a call that an exception has ended in C1's code they do not even tell that it
# is over: until another one shows it, it is open.
truth_of() { # CLASS
	"$(jdk_newest)/bin/jfr" print --events OpenCall "$F_FILE" >"$WORK/open"
	awk -F'\t' -v OFS='\t' -v class="$1" '
		FILENAME == ARGV[1] { if (sub(/^  method = /, "") && sub(/\(.*/, "")) open[$0]++; next }
		$2 == class && $1 == "count" { $7 -= open[$2 "." $3]; $8 = 0 }
		$2 == class' "$WORK/open" "$T_DIR/truth" >"$T_DIR/probed"
	OPEN=$(grep -c '^jdk.OpenCall\|OpenCall {' "$WORK/open")
	[ "$OPEN" = "$(end_line_number "still open")" ] || finding "$OPEN open calls in the file:" "$(cat "$F_DIR/stderr")"
}

# Which files the JVM has mapped, and where.
mapped() { awk '{ print $1, $2, $3, $6 }' "/proc/$T_PID/maps" | grep -E ' /|\[' | grep -vE '\[(heap|stack|vvar|vdso|anon)'; }

counted() { # SENTENCE FILTER TRUTH-OF-CLASS [-JVM-OPTION...] CLASS [ARGUMENT...]
	local sentence="$1${PROBES:+, --probes=$PROBES}, JDK $FEATURE" filter=$2 class=$3
	shift 3
	begin "$sentence" || return 0
	target_start $PROBED "$@"
	if target_ready && trace_start --probe=hotspot -m "$filter"; then
		mapped >"$T_DIR/before"
		target_go
		mapped >"$T_DIR/after"
		trace_stop
		status_is 0
		says ' 0 lost'
		says 'The JVM has no probes any more'
		target_untouched "$T_PID"
		# The last part of the name: a directory may be called frtrace. The kernel's [uprobes] is no mapping of ours.
		grep -E '[ /:](lib)?frtrace[^/]*$|\[uprobes\]' "$T_DIR/after" >"$WORK/mapped" && finding "a mapping of ours: $(cat "$WORK/mapped")"
		target_quit
		truth_of "$class"
		file_agrees "$T_DIR/probed"
	fi
	verdict "$sentence"
	target_drop
}

timed() {
	local sentence="-M counts calls by HotSpot's own probes, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start $PROBED ExitsMain 2000
	if target_ready && trace_start --probe=hotspot -M 'live.Exits::recursion;live.Exits::several'; then
		target_go
		trace_stop
		status_is 0
		says '^4,000 calls timed'
		target_quit
		"$(jdk_newest)/bin/jfr" print --events MethodTiming "$F_FILE" >"$WORK/timing"
		[ "$(grep -c 'invocations = 2000' "$WORK/timing")" -gt 1 ] || finding "no 2000 invocations:" "$(tail -n 20 "$WORK/timing")"
		grep -q 'p99 = [0-9.]* ' "$WORK/timing" || finding "no percentiles"
	fi
	verdict "$sentence"
	target_drop
}

threshold() {
	local sentence="calls below a threshold are counted only, by HotSpot's own probes, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start $PROBED ExitsMain 2000
	if target_ready && trace_start --probe=hotspot -m 'live.Exits::recursion' -t 1h; then
		target_go
		trace_stop
		status_is 0
		says '^0 calls'
		says '2,000 calls'
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

# Whether a class is chosen is not known when its first calls pass.
late() {
	local sentence="calls of a class that is loaded meanwhile are recorded or counted as missed, JDK $FEATURE" events missed
	begin "$sentence" || return 0
	target_start $PROBED Late 20000
	if target_ready && trace_start --probe=hotspot -m 'live.Late$Latecomer::checkout'; then
		target_go
		trace_stop
		status_is 3
		events=$(file_events 'live.Late$Latecomer.checkout')
		missed=$(sed -nE 's/^  ([0-9,]+) calls? at most (was|were) missed: .*/\1/p' "$F_DIR/stderr" | tr -d ,)
		[ "$events" -gt 0 ] && [ "$events" -lt 20000 ] && [ "$((events + ${missed:-0}))" -ge 20000 ] ||
			finding "20000 calls; $events in the file, $missed missed:" "$(cat "$F_DIR/stderr")"
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

# The file has each of them, however many there are on one thread.
open_deep() {
	local sentence="100 nested calls that are open at the end are in the file, by HotSpot's own probes, JDK $FEATURE" seen
	begin "$sentence" || return 0
	target_start $PROBED Open deep 100
	if target_ready && trace_start --probe=hotspot -m 'live.Open::open*'; then
		target_go
		trace_stop
		status_is 0
		says '101 still open'
		seen=$("$(jdk_newest)/bin/java" -cp "$CACHE/classes-${JDKS[-1]%% *}" live.OpenCheck "$F_FILE" "$T_DIR/open" NONE 2>&1) ||
			finding "${seen:-no output}"
		[ "${seen##*$'\n'}" = 101 ] || finding "${seen##*$'\n'} events"
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

automatic() { # -JVM-OPTION...
	local sentence="with $* HotSpot's own probes are used, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start $PROBED "$@" ExitsMain 200
	if target_ready; then
		"$FRTRACE" check "$T_PID" >"$WORK/check" 2>&1 || finding "check says no:" "$(cat "$WORK/check")"
		grep -q '^  probes  *yes: calls come from them' "$WORK/check" || finding "check does not say so:" "$(cat "$WORK/check")"
		if trace_start -m 'live.Exits'; then
			target_go
			trace_stop
			status_is 0
			says "^no agent can be loaded: it was started with ${1/+/\\+}; tracing by HotSpot's own probes"
			target_quit
			truth_of live.Exits
			file_agrees "$T_DIR/probed"
		fi
	fi
	verdict "$sentence"
	target_drop
}

refused() { # SENTENCE MESSAGE [-JVM-OPTION...] -- ARGUMENT...
	local sentence="$1, JDK $FEATURE" message=$2 options=()
	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	begin "$sentence" || return 0
	target_start "${options[@]}" ExitsMain 10
	if target_ready; then
		F_FILE=$WORK/refused.jfr
		trace_launch -p "$T_PID" -o "$F_FILE" "$@"
		trace_wait
		says "^frtrace: .*$message"
		[ "$(grep -c . "$F_DIR/stderr")" = 1 ] || finding "more than a line:" "$(cat "$F_DIR/stderr")"
		[ -e "$F_FILE" ] && finding "left a file"
		target_untouched "$T_PID"
	fi
	verdict "$sentence"
	target_drop
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	exits=(live.Exits live.Exits)
	counted "HotSpot's own probes count every way out of a method once" "${exits[@]}" ExitsMain 2000
	counted "HotSpot's own probes count calls in C1's code" "${exits[@]}" -XX:TieredStopAtLevel=1 ExitsMain 2000
	counted "HotSpot's own probes count calls in C2's code" "${exits[@]}" -XX:-TieredCompilation ExitsMain 11000
	turn 0 && PROBES=perf counted "HotSpot's own probes count every way out of a method once" "${exits[@]}" ExitsMain 500
	counted "HotSpot's own probes count the calls of 16 threads" live.Threads::work live.Threads Threads together 16 5000
	counted "HotSpot's own probes count the calls of short-lived threads" live.Threads::work live.Threads Threads one-by-one 500 3
	timed
	threshold
	late
	open_deep
	automatic -XX:+DisableAttachMechanism
	[ "$FEATURE" -lt 21 ] || automatic -XX:-EnableDynamicAgentLoading
	refused "a JVM without the flag is refused" 'start it with -XX:\+DTraceMethodProbes' -- --probe=hotspot -m live.Exits
	refused "--inside needs the agent" '--inside does not go with' $PROBED -- --probe=hotspot --inside=live.Exits -m live.Exits
done
roots_find
for version in "${JDKS_IN_TURN[@]}"; do
	[ "$version" -gt 8 ] || continue
	if root_use "$version"; then
		counted "HotSpot's own probes count every way out of a method once" live.Exits live.Exits ExitsMain 1000
	else
		skip "HotSpot's own probes count every way out of a method once, JDK $version" "$(roots_why)"
	fi
done
if root_use 8; then
	refused "a libjvm without method probes is refused" 'libjvm.so has no method probes' -- --probe=hotspot -m live.Exits
else
	skip "a libjvm without method probes is refused" "$(roots_why)"
fi
