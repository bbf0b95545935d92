#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Who ends the waits of threads in traced calls: the thread, and what it did.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

JVM=() ALSO=()
KINDS=(monitor notice lock semaphore latch queue future park sleep socket pipe process)

# N waits of each kind by LANES threads at a time; the thread and the method of nearly all must be known, and none wrong.
# Ends the case.
judge() { # N LANES SHARE KIND...
	local filter
	filter=$(printf 'live.Wakers::%s;' "${@:4}")
	record_program "${JVM[@]}" Wakers "$1" "$2" "${@:4}" -- -m "${filter%;}" "${ALSO[@]}" || return
	judged_by -Dtraced="$FEATURE" live.WakersCheck "$F_FILE" "$1" "$3" "${@:4}"
	! grep -q '^FAILED' <<<"$SAID" || finding "$SAID"
	[ -z "$SOAK" ] || sed 's/^/# /' <<<"$SAID"
	finish
}

wakers() {
	local SECONDS_MAX
	SECONDS_MAX=$(amount 120 1200)
	begin "a wait names the thread and the method that ended it, JDK $FEATURE" || return 0
	judge "$(amount 300 10000)" 4 0.001 "${KINDS[@]}"
}

# Stacks of wakers are left out while a quarter of the queue is in use.
crowd() {
	local SECONDS_MAX=180
	begin "64 threads that wait at once know who ended their waits, JDK $FEATURE" || return 0
	judge 64000 64 0.1 latch
}

# The name of a virtual thread is known from its first recorded call on, which ends after the wait. Until then it has a
# number; its carrier is never named. One that has slept, as with a lock, has only its newest frames on the stack.
virtual() {
	local SECONDS_MAX=$(amount 120 1200) JVM=(-Dwakers=virtual -Djdk.virtualThreadScheduler.parallelism=2) ALSO=(-m 'live.Wakers::a;live.Wakers::b')
	[ "$FEATURE" -ge 21 ] && begin "a virtual thread that ends a wait is named, not its carrier, JDK $FEATURE" || return 0
	judge "$(amount 300 10000)" 4 0.05 notice semaphore latch queue future park socket pipe
}

# Threads that make no traced call, whenever they were started, and whatever they are called.
untraced() {
	begin "wakers without a traced call have their Java id and name, and no other thread's, JDK $FEATURE" || return 0
	record_program Woken 270 -- -m 'live.Woken::await;live.Woken::work' || return 0
	"$FRTRACE" print --json --events frtrace.ThreadWait "$F_FILE" | python3 "$LIVE/woken.py" "$T_DIR/wakes" >"$WORK/wrong" 2>"$WORK/known" || finding "$(cat "$WORK/known")"
	[ -s "$WORK/wrong" ] && finding "$(cat "$WORK/wrong" "$WORK/known")"
	sed 's/^/# /' "$WORK/known"
	finish
}

# The lock is held in a() or b(), by the thread of that letter. The queue has no holder.
holders() {
	local kind
	begin "views point at the call that held a contended lock, JDK $FEATURE" || return 0
	record_program Wakers 20 1 monitor lock queue -- \
		-m 'live.Wakers::monitor;live.Wakers::lock;live.Wakers::queue;live.Wakers::a;live.Wakers::b' || return 0
	for kind in monitor lock; do
		"$FRTRACE" view slowest --method="live.Wakers::$kind" "$F_FILE" >"$WORK/view"
		[ "$(grep -cE "^        held by \"$kind.0-([ab])\": live.Wakers.\1\(int\) [0-9.]+ ms$" "$WORK/view")" -ge 15 ] || finding "$kind:" "$(cat "$WORK/view")"
		grep 'held by' "$WORK/view" | grep -vE "\"$kind.0-([ab])\": live.Wakers.\1\(int\)" >"$WORK/odd" && finding "$(cat "$WORK/odd")"
		"$FRTRACE" view tree --method="live.Wakers::$kind" "$F_FILE" >"$WORK/view"
		grep -qE "^ +held by \"$kind.0-([ab])\": live.Wakers.\1\(int\) [0-9.]+ ms$" "$WORK/view" || finding "$kind:" "$(cat "$WORK/view")"
	done
	"$FRTRACE" view slowest --method=live.Wakers::queue "$F_FILE" >"$WORK/view"
	grep 'held by' "$WORK/view" && finding "a queue has a holder:" "$(cat "$WORK/view")"
	finish
}

# A worker that wakes a request may have worked for others just before.
tasks() { # HANDLERS TASKS
	local n
	n=$(amount 800 8000)
	[ "$FEATURE" -ge 21 ] || [ "$1$2" = platformpool ] || return 0
	begin "the call after which a task woke a request is of that request, $1 threads, tasks in a $2, JDK $FEATURE" || return 0
	record_program Pooled "$n" 8 "$1" "$2" -- -m 'live.Pooled::handle;live.Pooled::price;live.Pooled::render' || return 0
	"$FRTRACE" view slowest --top="$n" --width=400 "$F_FILE" | python3 "$LIVE/pooled.py" "$T_DIR/log" >"$WORK/wrong" 2>"$WORK/known" || finding "$(cat "$WORK/known")"
	[ -s "$WORK/wrong" ] && finding "$(cat "$WORK/wrong" "$WORK/known")"
	"$FRTRACE" view waits --by=holder --json "$F_FILE" >"$WORK/holders"
	grep -qE '"after live.Pooled.render\(' "$WORK/holders" || finding "by holder:" "$(cat "$WORK/holders")"
	grep 'Thread.run' "$WORK/holders" && finding "by holder:" "$(cat "$WORK/holders")"
	sed 's/^/# /' "$WORK/known"
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	wakers
	untraced
	virtual
	holders
	tasks platform pool
	tasks virtual pool
	tasks virtual virtual
	turn 1 && crowd
done
for version in "${OTHERS_OF_DAY[@]}"; do
	root_use "$version" "wakers" || continue
	wakers
	untraced
	virtual
done
