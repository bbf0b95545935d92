#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The critical paths of calls that wait for threads that wait for others.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

agree() { # HOW RIGHT UNKNOWN CALLS [COMPARED]: the paths of the recording with the program's log; per mille, at least and at most
	local calls found uneven right strange unknown compared
	says ' 0 lost'
	"$FRTRACE" view --json path --top=100000 "$F_FILE" >"$WORK/paths"
	python3 "$LIVE/chains.py" "$T_DIR/chains" "$WORK/paths" "$1" >"$WORK/compared" || finding "chains.py fails"
	read -r calls found uneven right strange unknown compared <"$WORK/compared"
	[ "$calls" = "$4" ] && [ "$found" = "$calls" ] && [ "$uneven" = 0 ] && [ "$right" -ge "$2" ] && [ "$strange" = 0 ] &&
		[ "$unknown" -le "$3" ] && [ "$compared" -ge "${5:-700}" ] ||
		finding "$calls calls, $found paths, $uneven uneven, $right per mille right, $strange ns strange, $unknown per mille unknown," \
			"$compared per mille compared:" "$(tail -n +2 "$WORK/compared")"
}

paths() { # SENTENCE TRACE-OPTION...
	local n right=950
	begin "paths $1, JDK $FEATURE" || return 0
	n=$(amount 6 40)
	record_program Chains "$n" -- -m 'live.Chains::perform;live.Chains::sleeps;live.Chains::computes;live.Chains$Worker::perform' --path "${@:2}" || return 0
	# outside of roots threads may have no stack: before JDK 24 their waits for a monitor are not put together
	[[ $2 = --inside* && $FEATURE -lt 24 ]] && right=850
	agree "$2" "$right" 50 $((5 * n))
	finish
}

graphs() {
	local n round
	n=$(amount 60 500)
	for ((round = 1; round <= $(amount 1 20); round++)); do
		begin "paths of random graphs of waits, round $round, JDK $FEATURE" || continue
		record_program Graphs "$n" "$((RANDOM * 32768 + RANDOM))" -- -m 'live.Graphs::perform;live.Graphs::sleeps;live.Graphs::computes' --path -m live.Graphs::run -t 1us || return 0
		agree -m "$(amount 950 990)" "$(amount 40 10)" "$n" # one call of sixty is 17 per mille
		finish
	done
}

# What the virtual thread does before its traced call is not known, and its sleep is that of the JDK's thread that wakes it.
virtual_threads() {
	begin "paths go on in virtual threads, JDK $FEATURE" || return 0
	record_program VirtualChains "$(amount 20 200)" -- -m 'live.VirtualChains' --path -t 1us || return 0
	agree -m 950 1000 "$(amount 20 200)" 100
	finish
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	paths "lead to the end of the chain" -m live.Chains::run -t 1us
	! turn 1 || paths "of roots lead to the end of the chain" --inside=live.Chains::run:1us
	graphs
	[ "$FEATURE" -lt 25 ] || virtual_threads
done
[ -n "$SOAK" ] || JDKS_IN_TURN=("${JDKS_IN_TURN[0]}")
for version in "${JDKS_IN_TURN[@]}"; do
	root_use "$version" "paths" || continue
	paths "lead to the end of the chain" -m live.Chains::run -t 1us
	[ -z "$SOAK" ] || graphs
done
