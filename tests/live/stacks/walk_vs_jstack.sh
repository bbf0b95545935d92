#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Stacks walked and named from outside the JVM equal those that the JVM prints itself, on every available version.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# The polling thread may have moved between the two readings, on a busy machine several times in a row. A stack that is walked
# wrongly differs each time.
compare() {
	local i
	for i in {1..20}; do
		"$WORK/walk_probe" "$T_PID" compare >"$WORK/compared" 2>&1 || break
		grep -q '^differs' "$WORK/compared" || return
	done
	finding "differs from the JVM's output:" "$(grep -v '^same' "$WORK/compared")"
}

compared() { # COUNT REGEX: at least COUNT lines
	local count
	count=$(grep -cE "$2" "$WORK/compared")
	[ "$count" -ge "$1" ] || finding "$count lines with $2, not $1:" "$(cat "$WORK/compared")"
}

same() { # SENTENCE DEOPTIMISED [-JVM-OPTION...]
	local deoptimised=$2
	begin "$1, JDK $FEATURE" || return 0
	shift 2
	run_program -Xbatch "$@" Frames || return 0 # compiled before it is called, however busy the machine is
	compare
	compared 10 '^same tid'
	compared 1 '^same tid [0-9]+: 12[89] frames,' # 40 times three nested inlined methods
	compared "$deoptimised" ' deoptimised$'
	target_quit
	finish
}

# The frames in class live.Frames of one thread, from the line that matches on.
frames_from() { # REGEX
	awk -v from="$1" '/^tid/ { on = 0 } $0 ~ from { on = 1 } on' "$WORK/walked"
}

virtual() {
	local end
	begin "the stack of a virtual thread ends at its entry, or where its frames are in the heap, JDK $FEATURE" || return 0
	run_program Frames || return 0
	"$WORK/walk_probe" "$T_PID" threads >"$WORK/walked" 2>&1 || finding "$(cat "$WORK/walked")"
	end=$(frames_from 'Frames\$Pinned.<clinit>')
	[ "$(grep -c 'live.Frames.pinned' <<<"$end")" = 11 ] || finding "not 11 frames of pinned:" "$end"
	grep -q 'jdk.internal.vm.Continuation.enterSpecial(native)' <<<"$end" || finding "no enterSpecial:" "$end"
	# JDK 21 does not say where enterSpecial is, so the frames are cut when they are named
	[ "$FEATURE" -lt 25 ] || grep -A1 enterSpecial <<<"$end" | grep '^end bottom' >/dev/null ||
		finding "continues after enterSpecial:" "$end"
	end=$(frames_from 'Frames\$Thawed.<clinit>')
	grep -q '^end chunk' <<<"$end" || finding "does not end in the heap:" "$end"
	target_quit
	finish
}

has_layout() {
	"$WORK/walk_probe" "$T_PID" layout >"$WORK/layout" 2>&1 && return
	grep -qE '^walk_probe: .*(not .*yet|not started|no .* yet|not a JVM|not a Java|has not mapped)' "$WORK/layout" ||
		finding "$(cat "$WORK/layout")"
	return 1
}

# A starting JVM has no layout yet or the right one.
starting() {
	local i
	begin "a starting JVM is reported as such, JDK $FEATURE" || return 0
	target_start Frames
	for ((i = 0; i < 3000 && ${#findings[@]} == 0; i++)); do has_layout && break; done
	grep -q "^feature $FEATURE heaps . segment [67] missing ''" "$WORK/layout" || finding "$(cat "$WORK/layout")"
	target_ready && target_quit
	finish
}

variant=0
same_in_turn() { turn $((variant++)) && same "$@"; }

every_case() {
	same "stacks walked from outside equal the JVM's" 1
	starting
	[ "$FEATURE" -lt 21 ] || virtual
}

probe_build walk_probe -fsanitize=address,undefined "$ROOT"/user/hotspot/*.c "$ROOT"/format/classfile/*.c || { not_ok "the probe compiles"; exit; }
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	every_case
	variant=0
	same_in_turn "stacks equal the JVM's, interpreter only" 0 -Xint
	same_in_turn "stacks equal the JVM's, client compiler only" 1 -XX:TieredStopAtLevel=1
	same_in_turn "stacks equal the JVM's, unsegmented code cache" 1 -XX:-SegmentedCodeCache
	same_in_turn "stacks equal the JVM's, small code cache" 1 -XX:ReservedCodeCacheSize=16m
	same_in_turn "stacks equal the JVM's, full class pointers" 1 -XX:-UseCompressedClassPointers
	same_in_turn "stacks equal the JVM's, ZGC" 1 -XX:+UseZGC
	same_in_turn "stacks equal the JVM's, serial collector" 1 -XX:+UseSerialGC
done
for version in "${HALF_OF_DAY[@]}"; do
	root_use "$version" "stacks walked from outside equal the JVM's" || continue
	every_case
done
