#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015
# Stacks walked and named from outside the JVM are those that the JVM prints itself, on every version that we have.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

probe_build() {
	cd "$ROOT" &&
		gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -Wno-unused-parameter -Wno-format-truncation -Wno-maybe-uninitialized \
			-D_GNU_SOURCE -fsanitize=address,undefined -I. -o "$WORK/probe" tests/live/walk_probe.c \
			user/hotspot/*.c user/process/*.c format/{diag,bytes}.c format/classfile/*.c
}

# What polls may have gone on between the two: it may differ once, not three times.
compare() {
	local i
	for i in 1 2 3; do
		"$WORK/probe" "$T_PID" compare >"$WORK/compared" 2>&1 || break
		grep -q '^differs' "$WORK/compared" || return
	done
	finding "not what the JVM prints:" "$(grep -v '^same' "$WORK/compared")"
}

compared() { # COUNT REGEX: at least so many lines
	local count
	count=$(grep -cE "$2" "$WORK/compared")
	[ "$count" -ge "$1" ] || finding "$count lines with $2, not $1:" "$(cat "$WORK/compared")"
}

same() { # SENTENCE DEOPTIMISED [-JVM-OPTION...]
	local sentence="$1, JDK $FEATURE" deoptimised=$2
	shift 2
	begin "$sentence" || return 0
	target_start "$@" Frames
	if target_ready; then
		compare
		compared 10 '^same tid'
		compared 1 '^same tid [0-9]+: 13[01] frames,' # 40 times three inlined into each other
		compared "$deoptimised" ' deoptimised$'
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

# Frames of one thread, from the line that matches on: those of the class live.Frames.
frames_from() { # REGEX
	awk -v from="$1" '/^tid/ { on = 0 } $0 ~ from { on = 1 } on' "$WORK/walked"
}

virtual() {
	local sentence="a virtual thread ends with its entry, or where its frames are in the heap, JDK $FEATURE" end
	begin "$sentence" || return 0
	target_start Frames
	if target_ready; then
		"$WORK/probe" "$T_PID" threads >"$WORK/walked" 2>&1 || finding "$(cat "$WORK/walked")"
		end=$(frames_from 'Frames\$Pinned.<clinit>')
		[ "$(grep -c 'live.Frames.pinned' <<<"$end")" = 11 ] || finding "not 11 frames of pinned:" "$end"
		grep -q 'jdk.internal.vm.Continuation.enterSpecial(native)' <<<"$end" || finding "no enterSpecial:" "$end"
		# JDK 21 does not tell where enterSpecial is; who names the frames cuts there
		[ "$FEATURE" -lt 25 ] || grep -A1 enterSpecial <<<"$end" | grep -q '^end bottom' ||
			finding "goes on behind enterSpecial:" "$end"
		end=$(frames_from 'Frames\$Thawed.<clinit>')
		grep -q '^end chunk' <<<"$end" || finding "does not end in the heap:" "$end"
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

# A JVM that is just coming up has no layout, or the right one.
starting() {
	local sentence="a JVM that is starting is told to be so, JDK $FEATURE" i
	begin "$sentence" || return 0
	target_start Frames
	for ((i = 0; i < 100; i++)); do
		"$WORK/probe" "$T_PID" layout >"$WORK/layout" 2>&1 && break
		grep -qE '^walk_probe: .*(not .*yet|not started|no .* yet|not a JVM|not a Java|has not mapped)' "$WORK/layout" ||
			finding "$(cat "$WORK/layout")"
	done
	grep -q "^feature $FEATURE heaps . segment [67] missing ''" "$WORK/layout" || finding "$(cat "$WORK/layout")"
	target_ready && target_quit
	verdict "$sentence"
	target_drop
}

variant=0
same_in_turn() { turn $((variant++)) && same "$@"; }

every_case() {
	same "stacks walked from outside are the JVM's own" 1
	starting
	[ "$FEATURE" -lt 21 ] || virtual
}

probe_build || { not_ok "the probe compiles"; exit; }
for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	every_case
	variant=0
	same_in_turn "so they are in the interpreter" 0 -Xint
	same_in_turn "so they are with the client compiler" 1 -XX:TieredStopAtLevel=1
	same_in_turn "so they are in a code cache of one part" 1 -XX:-SegmentedCodeCache
	same_in_turn "so they are in a small code cache" 1 -XX:ReservedCodeCacheSize=16m
	same_in_turn "so they are with full class pointers" 1 -XX:-UseCompressedClassPointers
	same_in_turn "so they are under ZGC" 1 -XX:+UseZGC
	same_in_turn "so they are under the serial collector" 1 -XX:+UseSerialGC
done
roots_find
for version in "${OTHER_JDKS[@]}"; do
	root_use "$version" || { skip "stacks walked from outside are the JVM's own, JDK $version" "$(roots_why)"; continue; }
	every_case
done
