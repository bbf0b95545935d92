#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The critical paths of calls that wait for threads that wait for others.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

paths() { # SENTENCE TRACE-OPTION...
	local n calls found uneven right strange unknown
	begin "paths $1, JDK $FEATURE" || return 0
	n=$(amount 6 40)
	record_program Chains "$n" -- -m 'live.Chains::perform;live.Chains::sleeps;live.Chains::computes;live.Chains$Worker::perform' --path "${@:2}" || return 0
	says ' 0 lost'
	"$FRTRACE" view --json path --top=100000 "$F_FILE" >"$WORK/paths"
	python3 "$LIVE/chains.py" "$T_DIR/chains" "$WORK/paths" "$2" >"$WORK/compared" || finding "chains.py fails"
	read -r calls found uneven right strange unknown <"$WORK/compared"
	[ "$calls" = $((5 * n)) ] && [ "$found" = "$calls" ] && [ "$uneven" = 0 ] && [ "$right" -ge 950 ] && [ "$strange" = 0 ] && [ "$unknown" -le 50 ] ||
		finding "$calls calls, $found paths, $uneven uneven, $right per mille right, $strange ns strange, $unknown per mille unknown:" \
			"$(tail -n +2 "$WORK/compared")"
	finish
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	paths "lead to the end of the chain" -m live.Chains::run -t 1us
	! turn 1 || paths "of roots lead to the end of the chain" --inside=live.Chains::run:1us
done
[ -n "$SOAK" ] || JDKS_IN_TURN=("${JDKS_IN_TURN[0]}")
for version in "${JDKS_IN_TURN[@]}"; do
	root_use "$version" "paths" || continue
	paths "lead to the end of the chain" -m live.Chains::run -t 1us
done
