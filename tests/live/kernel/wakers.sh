#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091
# Who ends the waits of threads in traced calls: the thread, and what it did.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

KINDS=(monitor notice lock semaphore latch queue future park sleep socket pipe process)
FILTER=$(printf 'live.Wakers::%s;' "${KINDS[@]}")
FILTER=${FILTER%;}

LANES=4

wakers() { # [OPTION... of the JVM]
	local sentence="a wait names the thread and the method that ended it${*:+, $*}, JDK $FEATURE" n SECONDS_MAX=1200
	n=${WAITS:-$(amount 300 10000)}
	begin "$sentence" || return 0
	target_start "$@" Wakers "$n" "$LANES" "${KINDS[@]}"
	if target_ready && trace_start -m "$FILTER"; then
		target_go
		trace_stop
		status_is 0
		"$(jdk_newest)/bin/java" -cp "$CACHE/classes-${JDKS[-1]%% *}" live.WakersCheck "$F_FILE" "$n" "${KINDS[@]}" >"$WORK/judged" 2>&1 &&
			! grep -q '^FAILED' "$WORK/judged" || finding "$(cat "$WORK/judged")"
		[ -z "${KEEP:-}" ] || cat "$WORK/judged"
		target_restored
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	wakers
done
roots_find
for version in "${JDKS_IN_TURN[@]}"; do
	if root_use "$version"; then
		wakers
	else
		skip "wakers of JDK $version" "$(roots_why)"
	fi
done
