#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# The kernel's half: what the scheduler saw of threads in traced calls.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

build=$(realpath --relative-to="$ROOT" "$(dirname "$FRTRACE")")
if ! said=$(make -s -C "$ROOT" BUILD="$build" "$build/tests/frtrace_waits" 2>&1); then
	not_ok "frtrace that writes down waits is built" "$said"
	exit 1
fi

# enum frt_wait_reason
PREEMPTED=1 FUTEX=2 SOCKET=4 SLEEP=7

# Trace the kinds of live.Splits, N calls of each: the records stand in $WORK/waits.
record_waits() { # N KIND... [OPTION... of the JVM or of frtrace]
	local filter='' word kinds=() options=() jvm=() FRTRACE=$ROOT/$build/tests/frtrace_waits
	for word in "${@:2}"; do
		case $word in
		-X*) jvm+=("$word") ;;
		-*) options+=("$word") ;;
		*) kinds+=("$word") filter+="live.Splits::$word;" ;;
		esac
	done
	target_start "${jvm[@]}" Splits "$1" "${kinds[@]}"
	target_ready || return 1
	FRTRACE_WAITS=$WORK/waits trace_start -m "${filter%;}" --no-stack "${options[@]}" || return 1
	target_go
	trace_stop
	status_is 0
	says ' 0 lost'
}

# Of N calls of a kind, waits of a millisecond at least with this reason and waker, at which blocked, woken and on again follow one another.
waits_with() { # KIND REASON WAKER
	awk -v kind="$1" -v reason="$2" -v waker="$3" '
	$1 == "wait" && $2 == kind && $6 == reason && $10 == waker && $5 - $3 >= 1e6 && $3 < $4 && $4 <= $5 { n++ }
	END { print n + 0 }' "$WORK/waits"
}

expect_waits() { # N KIND REASON WAKER
	local n
	n=$(waits_with "$2" "$3" "$4")
	[ "$n" -ge $(($1 * 99 / 100)) ] && [ "$n" -le $(($1 * 101 / 100)) ] ||
		finding "$2: $n waits with reason $3 and waker '$4', expected $1:" \
			"$(awk -v kind="$2" '$2 == kind { print $6, $7, $10 }' "$WORK/waits" | sort | uniq -c)"
}

reasons() {
	local sentence="waits have their reason and their waker, JDK $FEATURE" n=500
	begin "$sentence" || return 0
	if record_waits $n sleep monitor queue park socket busy; then
		expect_waits $n sleep $SLEEP -
		expect_waits $n monitor $FUTEX monitor-2
		expect_waits $n queue $FUTEX queue-2
		expect_waits $n park $FUTEX park-2
		expect_waits $n socket $SOCKET socket-2
		grep -q lost "$WORK/waits" && finding "records were lost"
		awk -v only=$PREEMPTED '$2 == "busy" && $6 != only && $5 - $3 >= 1e6' "$WORK/waits" | grep . >"$WORK/odd" &&
			finding "a busy loop waits:" "$(head "$WORK/odd")"
		target_restored
		target_quit
		file_agrees
	fi
	verdict "$sentence"
	target_drop
}

# The JVM's own log is the oracle. Collections lie in safepoints.
pauses() {
	local sentence="each pause of the JVM is told, JDK $FEATURE" n=20 logged told
	begin "$sentence" || return 0
	if record_waits $n -Xlog:safepoint:file="$WORK/safepoints" gc; then
		told=$(grep -cE '^pause 1 [0-9]+ [0-9]+ G1CollectFull' "$WORK/waits")
		[ "$told" -eq $n ] || finding "$told safepoints for a collection, expected $n:" "$(grep ^pause "$WORK/waits")"
		logged=$(grep 'Safepoint "G1CollectFull"' "$WORK/safepoints" | grep -oE 'Total: +[0-9]+' | awk '{ t += $2 } END { print t }')
		told=$(awk '$1 == "pause" && $5 == "G1CollectFull" { t += $4 - $3 } END { printf "%d\n", t }' "$WORK/waits")
		[ "$told" -gt $((logged * 95 / 100)) ] && [ "$told" -lt $((logged * 105 / 100 + n * 100000)) ] ||
			finding "pauses of $told ns in all, the JVM's log has $logged"
		awk '$1 == "pause" && $2 == 2 { b[++n] = $3; e[n] = $4 }
		$1 == "pause" && $2 == 1 { for (i in b) if (b[i] >= $3 && e[i] <= $4) delete b[i] }
		END { for (i in b) print b[i], e[i] }' "$WORK/waits" | grep . >"$WORK/odd" &&
			finding "collections outside of safepoints:" "$(cat "$WORK/odd")"
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

off() {
	local sentence="--kernel=off leaves it out, JDK $FEATURE"
	begin "$sentence" || return 0
	if record_waits 20 sleep --kernel=off; then
		[ -s "$WORK/waits" ] && finding "$(head -n 3 "$WORK/waits")"
		target_quit
	fi
	verdict "$sentence"
	target_drop
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	reasons
	pauses
	off
done
