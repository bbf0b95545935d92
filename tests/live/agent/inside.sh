#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --inside: the file has every call of the roots that are kept, and none of the others.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

KEPT=(--inside='live.Rooted::root:10ms' --inside='live.Rooted::failing:thrown')
# A fast root is not held up for a minute.
INSIDE=(-m 'live.Rooted::child;live.Rooted::leaf;live.Rooted::quick' --inside='live.Rooted::fast:1m')

LARGE=()

virtual_threads() { [ "$FEATURE" -lt 21 ] && echo 0 || echo 32; }

# The threads of the program agree with the file and with its trees.
roots_agree() { # METHOD-IN-ROOTS...
	local seen
	"$FRTRACE" export --csv "$F_FILE" >"$WORK/csv" 2>&1 || finding "export: $(tail -n 3 "$WORK/csv")"
	"$FRTRACE" view tree --json --top=100000 "$F_FILE" >"$WORK/tree" 2>&1 || finding "view tree: $(tail -c 300 "$WORK/tree")"
	seen=$(python3 "$LIVE/rooted.py" "$T_DIR/roots" "$WORK/csv" "$WORK/tree" 10 "$@" 2>"$WORK/kept") || finding "$(cat "$WORK/kept")"
	[ -z "$seen" ] || finding "$seen"
	grep -qE '^kept [1-9]' "$WORK/kept" || finding "no root was kept: $(cat "$WORK/kept")"
}

# One event for each call of child() that is kept, with its second argument.
events_agree() {
	local want got
	want=$(sed -n 's/^kept [0-9]* children //p' "$WORK/kept")
	got=$("$FRTRACE" print --events live.Child "$F_FILE" 2>/dev/null | grep -cE '^  i = [0-9,]+')
	[ "$want" = "$got" ] || finding "$got events of child() with a value, not $want"
}

known() { # [OPTION...]
	begin "slow and failing roots are recorded whole, others not at all${LARGE:+, with up to 1,000,000 calls}, JDK $FEATURE" || return 0
	record_program -Xmx512m Rooted "${THREADS:-64}" "$(virtual_threads)" 30 2000 ${LARGE:+0} "${LARGE[@]}" -- \
		"${INSIDE[@]}" "${KEPT[@]}" "$@" || return 0
	says '^  recorded only inside of live.Rooted::fast:1m, live.Rooted::root:10ms, live.Rooted::failing:thrown$'
	says ' 0 lost'
	says '^  [1-9][0-9]* roots kept of [0-9,]+$'
	roots_agree child leaf
	[ $# -eq 0 ] || events_agree
	finish
}

# Their calls do not come through the agent. Before JDK 24 those of virtual threads may be on their carriers (docs/filters.md).
natives() { # SENTENCE METHOD... ; the native one is freeMemory
	local filters name virtual
	begin "$1, JDK $FEATURE" || return 0
	shift
	virtual=$(virtual_threads)
	[ "$FEATURE" -ge 24 ] || virtual=0
	filters=java.lang.Runtime::freeMemory
	for name in "$@"; do
		[ "$name" = freeMemory ] || filters+=";live.Rooted::$name"
	done
	record_program -Xmx512m Rooted "${THREADS:-16}" "$virtual" 20 2000 -- \
		-m "$filters" "${KEPT[@]}" --inside='live.Rooted::fast:1m' || return 0
	says ' 0 lost'
	says '^  [1-9][0-9]* roots kept of [0-9,]+$'
	roots_agree "$@"
	finish
}

native_root() {
	begin "--inside warns that a native method cannot be a root, JDK $FEATURE" || return 0
	STATUS='0 3' record_program Rooted 0 0 0 10 -- \
		-m live.Rooted::quick --inside=java.lang.Runtime::freeMemory --inside=live.Rooted::fast || return 0
	says 'java\.lang\.Runtime\.freeMemory\(\): native: recorded in roots, but no root itself'
	says '^  10 roots kept of 10$'
	finish
}

large() {
	local LARGE=(1000 30000 1000000) THREADS=1
	known
}

# Fast roots leave nothing, or their share of the samples with all calls.
fast() {
	local roots
	begin "20,000 fast roots with 100 calls each leave samples only, JDK $FEATURE" || return 0
	record_program Rooted 0 0 0 20000 -- "${INSIDE[@]}" || return 0
	says '^  0 roots kept of 20,000$'
	says '^0 calls, .* 0 lost'
	says '^2,020,000 calls in roots, but no root was kept'
	[ "$(stat -c %s "$F_FILE")" -lt 500000 ] || finding "the file has $(stat -c %s "$F_FILE") bytes"
	target_drop
	record_program Rooted 0 0 0 20000 -- "${INSIDE[@]}" --keep=2% || return 0
	roots=$(sed -nE 's/^  0 roots kept of 20,000, ([0-9]+) more as a sample$/\1/p' "$F_DIR/stderr")
	[ "${roots:-0}" -gt 300 ] && [ "$roots" -lt 500 ] || finding "$roots samples" "$(cat "$F_DIR/stderr")"
	[ "$(file_events live.Rooted.quick)" = $((100 * ${roots:-0})) ] || finding "$(file_events live.Rooted.quick) calls in $roots samples"
	finish
}

# 2,097,152 calls are held, or a few less: those of a batch are held together.
open_root() {
	local calls
	begin "a root that is open when the JVM is killed is kept, as far as it can be held, JDK $FEATURE" || return 0
	trace_program Rooted 0 0 0 0 2300000 -- \
		-m live.Rooted::quick --inside=live.Rooted::endless:thrown --no-stack || return 0
	touch "$T_DIR/go"
	wait_for 60 test -e "$T_DIR/inside" || finding "the root is not reached"
	kill -9 "$T_PID"
	ended_with 3
	calls=$(file_events live.Rooted.quick)
	[ "$calls" -gt 2096000 ] && [ "$calls" -le 2097152 ] || finding "$calls calls in the file"
	[ "$(end_line_number calls)" = "$calls" ] || finding "$(end_line_number calls) calls, not $calls"
	[ "$(end_line_number lost)" = $((2300000 - calls)) ] || finding "$(end_line_number lost) lost, not $((2300000 - calls))"
	says '1 still open'
	says '^  0 roots kept of 0, 1 open$'
	says '^  [0-9,]+ lost in roots that were not over: at most 2,097,152 calls are held$'
	[ "$("$FRTRACE" view open --json "$F_FILE" | grep -c 'live.Rooted.endless')" = 1 ] || finding "the open root is not in the file"
	finish
}

alone() {
	local line
	begin "a recording with --inside runs alone, JDK $FEATURE" || return 0
	trace_program Rooted 0 0 0 10 -- "${INSIDE[@]}" || return 0
	line=$("$FRTRACE" -p "$T_PID" -m live.Rooted::quick -o "$WORK/second.jfr" 2>&1 >/dev/null | grep -v '^note:')
	[[ $line == *"a recording with --inside has to be the only one of a JVM"* ]] || finding "the second one says: $line"
	trace_calls
	says '^  0 roots kept of 10$'
	trace_start -m live.Rooted::quick
	line=$("$FRTRACE" -p "$T_PID" "${INSIDE[@]}" -o "$WORK/second.jfr" 2>&1 >/dev/null | grep -v '^note:')
	[[ $line == *"a recording with --inside has to be the only one of a JVM"* ]] || finding "the second one with --inside says: $line"
	stopped_with 0
	target_leaves
	finish
}

# Hooks get the error, too, so that the exits of a few calls are lost, which is reported.
overflow() {
	local seen
	begin "roots in which the stack overflows are recorded whole or dropped, JDK $FEATURE" || return 0
	STATUS='0 3' record_program Sunk 6 -- -m 'live.Sunk::child;live.Sunk::dive' --inside='live.Sunk::passed:thrown' \
		--inside='live.Sunk::caught:200ms;live.Sunk::last:200ms;live.Sunk::compiled:200ms;live.Sunk::small:200ms' || return 0
	"$FRTRACE" export --csv "$F_FILE" >"$WORK/csv" 2>&1 || finding "export: $(tail -n 3 "$WORK/csv")"
	seen=$(python3 "$LIVE/sunk.py" "$T_DIR/roots" "$WORK/csv" "$(end_line_number lost)" 2>&1)
	[ -z "$seen" ] || finding "$seen"
	finish
}

# Of 4,000 calls in a request most are short, and 99 of 100 requests are dropped.
layered() { # THREADS VIRTUAL
	local slow=$((($1 + $2) * 2)) unknown seen
	begin "each call in a slow request has its stack, or none while it is not known that the request is slow, JDK $FEATURE" || return 0
	trace_program Layered "$1" "$2" 200 -- -m 'live.Layered::rows;live.Layered::query;live.Layered::load' \
		-m 'live.Layered::check;live.Layered::field;live.Layered::convert' --inside='live.Layered::request:20ms' --max-overhead=off || return 0
	target_go
	wait_for "$SECONDS_MAX" target_has inside || finding "the last request does not wait"
	stopped_with 0
	says ' 0 lost'
	for what in --csv --collapsed; do
		"$FRTRACE" export "$what" "$F_FILE" >"$WORK/layered$what" 2>&1 || finding "export: $(tail -n 3 "$WORK/layered$what")"
	done
	"$FRTRACE" view tree --json --top=100000 "$F_FILE" >"$WORK/tree" 2>&1 || finding "view tree: $(tail -c 300 "$WORK/tree")"
	seen=$(python3 "$LIVE/layered.py" "$WORK"/layered--{csv,collapsed} "$WORK/tree" "$slow" 20 400 2>"$WORK/unknown") ||
		finding "$(cat "$WORK/unknown")"
	[ -z "$seen" ] || finding "$(head -n 20 <<<"$seen")"
	unknown=$(sed -nE 's/^ +([0-9,]+) calls have unknown stacks: short calls, .*--inside.*/\1/p' "$F_DIR/stderr" | tr -d ,)
	[ "${unknown:-0}" = "$(cat "$WORK/unknown")" ] || finding "$(cat "$WORK/unknown") calls without a stack:" "$(cat "$F_DIR/stderr")"
	target_leaves
	finish
}

BESIDE="native methods in roots are recorded whole or not at all, beside others"
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	if [ "$FEATURE" -ge 21 ]; then known -e 'live.Child live.Rooted::child i=arg1'; else known; fi
	natives "$BESIDE" child leaf freeMemory
	turn 0 && natives "roots with nothing but native methods are recorded whole or not at all" freeMemory
	overflow
	turn 0 && fast
	turn 1 && open_root
	turn 0 && alone
	turn 1 && native_root
	turn 1 && large
	layered 4 "$([ "$FEATURE" -lt 21 ] && echo 0 || echo 4)"
done
for version in "${OTHERS_OF_DAY[@]}"; do
	root_use "$version" "roots" || continue
	THREADS=16 known
	natives "$BESIDE" child leaf freeMemory
done
