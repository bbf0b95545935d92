#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091
# Who ends the waits of threads in traced calls: the thread, and what it did.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

KINDS=(monitor notice lock semaphore latch queue future park sleep socket pipe process)

# N waits of each kind by LANES threads at a time; the thread and the method of nearly all must be known, and none wrong.
judge() { # N LANES SHARE KIND...
	local filter
	filter=$(printf 'live.Wakers::%s;' "${@:4}")
	target_start Wakers "$1" "$2" "${@:4}"
	if target_ready && trace_start -m "${filter%;}"; then
		target_go
		trace_stop
		status_is 0
		"$(jdk_newest)/bin/java" -cp "$CACHE/classes-${JDKS[-1]%% *}" live.WakersCheck "$F_FILE" "$1" "$3" "${@:4}" >"$WORK/judged" 2>&1 &&
			! grep -q '^FAILED' "$WORK/judged" || finding "$(cat "$WORK/judged")"
		[ -z "$SOAK" ] || sed 's/^/# /' "$WORK/judged"
		target_restored
		target_quit
	fi
	target_drop
}

wakers() {
	local sentence="a wait names the thread and the method that ended it, JDK $FEATURE" SECONDS_MAX=1200
	begin "$sentence" || return 0
	judge "$(amount 300 10000)" 4 0.001 "${KINDS[@]}"
	verdict "$sentence"
}

# Stacks of wakers are left out while a quarter of the queue is in use.
crowd() {
	local sentence="64 threads that wait at once know who ended their waits, JDK $FEATURE" SECONDS_MAX=180
	begin "$sentence" || return 0
	judge 64000 64 0.1 latch
	verdict "$sentence"
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	wakers
	turn 1 && crowd
done
roots_find
for version in "${JDKS_IN_TURN[@]}"; do
	if root_use "$version"; then
		wakers
	else
		skip "wakers of JDK $version" "$(roots_why)"
	fi
done
