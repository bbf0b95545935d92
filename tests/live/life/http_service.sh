#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Real use: an HTTP service under load. The recording agrees with the load generator's counts.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

load() { "$JAVA/bin/java" -cp "$CLASSES" live.Load "$(cat "$port")" "$@"; }

events() { # CLASS.METHOD COLUMN: 1 events, 2 thrown
	awk -v name="$1" -v column="$2" '$4 == name { n = $column } END { print n + 0 }' <<<"$SAID"
}

equals() { # WHAT EXPECTED FOUND
	[ "$2" = "$3" ] || finding "$1: the load generator has $2, the file $3"
}

# The client may have its answer before the call of the server returns.
idle() {
	"$JAVA/bin/jstack" "$T_PID" >"$WORK/threads" 2>&1 && grep -q 'Full thread dump' "$WORK/threads" && ! grep -q 'ServerImpl\$Exchange' "$WORK/threads"
}

shop() {
	local port said
	begin "a shop under load: the recorded calls of handler and HTTP server agree with the load generator, JDK $FEATURE" || return 0
	port=$(mktemp -u "$WORK/port.XXXXXX")
	stage
	env --default-signal=INT,QUIT,TERM "$JAVA/bin/java" -Dsun.net.httpserver.nodelay=true -cp "$CLASSES" live.Shop "$port" >"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
	target_is $!
	wait_for 20 test -s "$port"
	load 4 200 >/dev/null
	sleep 0.3
	if ! trace_start -m 'live.Shop$Checkout;sun.net.httpserver.HttpExchangeImpl;sun.net.httpserver.ExchangeImpl::sendResponseHeaders;sun.net.httpserver.Request;sun.net.httpserver.ServerImpl$Exchange'; then # the shop has no line that it is ready
		finish
		return 0
	fi
	said=$(load 8 1000)
	wait_for 10 idle || finding "the shop is busy"
	stopped_with 0 3
	says ' 0 lost'
	target_restored
	judged_by live.Check "$F_FILE"
	# shellcheck disable=SC2086
	set -- $said
	equals requests "$2" "$(events 'live.Shop$Checkout.handle' 1)"
	equals "failed requests" "$4" "$(events 'live.Shop$Checkout.handle' 2)"
	equals "reports" "$6" "$(events 'live.Shop$Checkout.report' 1)"
	equals "answered requests" $(($2 - $4)) "$(events sun.net.httpserver.ExchangeImpl.sendResponseHeaders 1)"
	[ "$(load 2 50)" ] || finding "the shop does not answer after tracing"
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	shop
done
