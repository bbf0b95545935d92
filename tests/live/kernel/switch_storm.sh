#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# As many context switches in traced calls as the machine can do: each is recorded or counted as lost.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

variant_build waits

# Both threads of a pair on one processor, the next pair on another: the fastest arrangement.
pin_pairs() { # PAIRS
	local comm cpus pair
	mapfile -t cpus < <(taskset -pc "$T_PID" 2>/dev/null | sed 's/.*: //' | tr , '\n' | awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
	for comm in "/proc/$T_PID"/task/*/comm; do
		pair=$(sed -nE 's/^(leads|follows)-([0-9]+)$/\2/p' "$comm" 2>/dev/null)
		[ -z "$pair" ] || taskset -pc "${cpus[pair % ${#cpus[@]}]}" "$(basename "$(dirname "$comm")")" >/dev/null 2>&1
	done
}

pinned() { [ "$(grep -lE '^(leads|follows)-' "/proc/$T_PID"/task/*/comm 2>/dev/null | wc -l)" = $(($1 * 2)) ] && pin_pairs "$1"; }

# The threads' own counts must equal the recorded switches plus those reported as lost, except for the few between the
# start or end of a call and the thread's reading of the kernel's counter.
expect_all() { # PAIRS
	local lost
	lost=$(sed -nE 's/^ *([0-9,]+) waits? (is|are) lost: .*/\1/p' "$F_DIR/stderr" | tail -n 1 | tr -d ,)
	awk -v lost="${lost:-0}" -v pairs="$1" '
	FNR == NR { if ($1 == "count") seen[$2] = $3; next }
	$1 == "a-second" { rate = $2; next }
	{ own += $2; all += seen[$1]; if (!lost && (seen[$1] < $2 || seen[$1] > $2 + 20)) print $1 ": " seen[$1] " records of " $2 " switches" }
	END {
		if (all + lost < own || all + lost > own + 40 * pairs) print all + 0 " records and " lost " lost of " own + 0 " switches"
		printf "# %d switches per second in traced calls, %d in total, %d lost\n", rate, own, lost >"/dev/stderr"
	}' "$WORK/waits" "$T_DIR/switches" >"$WORK/odd" 2>"$WORK/rate"
	[ ! -s "$WORK/odd" ] || finding "$(cat "$WORK/odd")"
	sed "s/$/, JDK $FEATURE/" "$WORK/rate"
	[ -z "$lost" ] || jfr_newest print "$F_FILE" | grep "waits are lost" >/dev/null || finding "the file does not report what was lost"
}

switches() {
	local pairs=2
	begin "each of many switches is recorded or counted as lost, JDK $FEATURE" || return 0
	FRTRACE_WAITS=$WORK/waits FRTRACE_WAITS_COUNTED=1 FRTRACE=$VARIANT \
		trace_program Switches $pairs "$(amount 1500 3000)" -- -v -m live.Switches::relay || return 0
	wait_for 10 pinned $pairs &
	trace_calls
	says ' 0 lost'
	expect_all $pairs
	slots_lent
	target_leaves
	file_agrees
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	switches
done
