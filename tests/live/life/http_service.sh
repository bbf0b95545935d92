#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# Real use: an HTTP service under load. The recording agrees with the load generator's counts.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

load() { "$JAVA/bin/java" -cp "$CLASSES" live.Load "$(cat "$port")" "$@"; }

events() { # CLASS.METHOD COLUMN: 1 events, 2 thrown
	awk -v name="$1" -v column="$2" '$4 == name { n = $column } END { print n + 0 }' "$WORK/seen"
}

equals() { # WHAT EXPECTED FOUND
	[ "$2" = "$3" ] || finding "$1: the load generator has $2, the file $3"
}

shop() {
	local sentence="a shop under load: the recorded calls of handler and HTTP server agree with the load generator, JDK $FEATURE" port said
	begin "$sentence" || return 0
	port=$(mktemp -u "$WORK/port.XXXXXX")
	T_DIR=$(mktemp -d "$WORK/target.XXXXXX")
	env --default-signal=INT,QUIT,TERM "$JAVA/bin/java" -Dsun.net.httpserver.nodelay=true -cp "$CLASSES" live.Shop "$port" >"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
	T_PID=$!
	STARTED+=("$T_PID")
	disown "$T_PID"
	wait_for 20 test -s "$port"
	load 4 200 >/dev/null
	sleep 0.3
	if trace_start -m 'live.Shop$Checkout;sun.net.httpserver.HttpExchangeImpl;sun.net.httpserver.ExchangeImpl::sendResponseHeaders;sun.net.httpserver.Request;sun.net.httpserver.ServerImpl$Exchange'; then
		said=$(load 8 1000)
		sleep 0.3
		trace_stop
		status_is 0 3
		says ' 0 lost'
		target_restored
		"$(jdk_newest)/bin/java" -cp "$CACHE/classes-${JDKS[-1]%% *}" live.Check "$F_FILE" >"$WORK/seen" 2>&1 || finding "$(cat "$WORK/seen")"
		# shellcheck disable=SC2086
		set -- $said
		equals requests "$2" "$(events 'live.Shop$Checkout.handle' 1)"
		equals "failed requests" "$4" "$(events 'live.Shop$Checkout.handle' 2)"
		equals "reports" "$6" "$(events 'live.Shop$Checkout.report' 1)"
		equals "answered requests" $(($2 - $4)) "$(events sun.net.httpserver.ExchangeImpl.sendResponseHeaders 1)"
		[ "$(load 2 50)" ] || finding "the shop does not answer after tracing"
	fi
	verdict "$sentence"
	target_drop
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	shop
done
