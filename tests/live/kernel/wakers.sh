#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015
# Who ends the waits of threads in traced calls: the thread, and what it did.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

JVM=() ALSO=()
KINDS=(monitor notice lock semaphore latch queue future park sleep socket pipe process)

# N waits of each kind by LANES threads at a time; the thread and the method of nearly all must be known, and none wrong.
judge() { # N LANES SHARE KIND...
	local filter
	filter=$(printf 'live.Wakers::%s;' "${@:4}")
	target_start "${JVM[@]}" Wakers "$1" "$2" "${@:4}"
	if target_ready && trace_start -m "${filter%;}" "${ALSO[@]}"; then
		target_go
		trace_stop
		status_is 0
		"$(jdk_newest)/bin/java" -cp "$CACHE/classes-${JDKS[-1]%% *}" -Dtraced="$FEATURE" live.WakersCheck "$F_FILE" "$1" "$3" "${@:4}" >"$WORK/judged" 2>&1 &&
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

# The name of a virtual thread is known from its first recorded call on, which ends after the wait. Until then it has a
# number; its carrier is never named. One that has slept, as with a lock, has only its newest frames on the stack.
virtual() {
	local sentence="a virtual thread that ends a wait is named, not its carrier, JDK $FEATURE" SECONDS_MAX=1200 n
	local JVM=(-Dwakers=virtual -Djdk.virtualThreadScheduler.parallelism=2) ALSO=(-m 'live.Wakers::a;live.Wakers::b')
	[ "$FEATURE" -ge 21 ] && begin "$sentence" || return 0
	judge "$(amount 300 10000)" 4 0.05 notice semaphore latch queue future park socket pipe
	verdict "$sentence"
}

# Threads that make no traced call, whenever they were started, and whatever they are called.
untraced() {
	local sentence="wakers without a traced call have their Java id and name, and no other thread's, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start Woken 270
	if target_ready && trace_start -m 'live.Woken::await;live.Woken::work'; then
		target_go
		trace_stop
		status_is 0
		"$FRTRACE" print --json --events frtrace.ThreadWait "$F_FILE" | python3 "$LIVE/woken.py" "$T_DIR/wakes" >"$WORK/wrong" 2>"$WORK/known" || finding "$(cat "$WORK/known")"
		[ -s "$WORK/wrong" ] && finding "$(cat "$WORK/wrong" "$WORK/known")"
		sed 's/^/# /' "$WORK/known"
		target_restored
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

# The lock is held in a() or b(), by the thread of that letter. The queue has no holder.
holders() {
	local sentence="views point at the call that held a contended lock, JDK $FEATURE" kind
	begin "$sentence" || return 0
	target_start Wakers 20 1 monitor lock queue
	if target_ready && trace_start -m 'live.Wakers::monitor;live.Wakers::lock;live.Wakers::queue;live.Wakers::a;live.Wakers::b'; then
		target_go
		trace_stop
		status_is 0
		for kind in monitor lock; do
			"$FRTRACE" view slowest --method="live.Wakers::$kind" "$F_FILE" >"$WORK/view"
			[ "$(grep -cE "^        held by \"$kind.0-([ab])\": live.Wakers.\1\(int\) [0-9.]+ ms$" "$WORK/view")" -ge 15 ] || finding "$kind:" "$(cat "$WORK/view")"
			grep 'held by' "$WORK/view" | grep -vE "\"$kind.0-([ab])\": live.Wakers.\1\(int\)" >"$WORK/odd" && finding "$(cat "$WORK/odd")"
			"$FRTRACE" view tree --method="live.Wakers::$kind" "$F_FILE" >"$WORK/view"
			grep -qE "^ +held by \"$kind.0-([ab])\": live.Wakers.\1\(int\) [0-9.]+ ms$" "$WORK/view" || finding "$kind:" "$(cat "$WORK/view")"
		done
		"$FRTRACE" view slowest --method=live.Wakers::queue "$F_FILE" >"$WORK/view"
		grep 'held by' "$WORK/view" && finding "a queue has a holder:" "$(cat "$WORK/view")"
		target_restored
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	wakers
	untraced
	virtual
	holders
	turn 1 && crowd
done
roots_find
for version in "${JDKS_IN_TURN[@]}"; do
	if root_use "$version"; then
		wakers
		untraced
		virtual
	else
		skip "wakers of JDK $version" "$(roots_why)"
	fi
done
