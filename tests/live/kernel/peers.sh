#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Waits are for what the program says, also where another thread replaces descriptors all the time.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

EVENT='test.Peer live.Peers::waitFor peer=return'

# Sets `calls`, `seen`, `named` and `wrong`.
compare() {
	"$FRTRACE" print --json --events 'test.Peer,frtrace.ThreadWait' "$F_FILE" >"$WORK/printed"
	python3 "$LIVE/peers.py" "$WORK/printed" >"$WORK/compared" || finding "peers.py fails"
	read -r calls seen named wrong <"$WORK/compared"
}

peers() {
	local n calls seen named wrong
	begin "waits name their peers and files${BUFFER:+, --buffer=$BUFFER}, JDK $FEATURE" || return 0
	n=$(amount 3 30)
	record_program Peers "$n" -- -e "$EVENT" "$@" || return 0
	says ' 0 lost'
	compare
	# on a busy machine some waits end before they begin
	[ "$seen" -ge $((calls / 2)) ] && [ $((named * 1000)) -ge $((seen * 999)) ] && [ "$wrong" = 0 ] ||
		finding "$calls calls, $seen waits, $named named, $wrong wrongly:" "$(tail -n +2 "$WORK/compared")"
	finish
}

# A descriptor may have another file before the wait begins.
swapped() {
	local calls seen named wrong
	begin "descriptors that are reused do not lie, JDK $FEATURE" || return 0
	gcc -O2 -shared -fPIC -Wall -Werror -isystem "$JAVA/include" -isystem "$JAVA/include/linux" -o "$WORK/libpeers.so" "$LIVE/peers.c"
	record_program --add-opens=java.base/sun.nio.ch=ALL-UNNAMED Peers "$(amount 5 100)" "$WORK/libpeers.so" -- -e "$EVENT" || return 0
	says ' 0 lost'
	compare
	[ "$seen" -ge $((calls / 3)) ] && [ $((named * 1000)) -ge $((seen * 999)) ] && [ "$wrong" = 0 ] ||
		finding "$calls calls, $seen waits, $named named, $wrong wrongly:" "$(tail -n +2 "$WORK/compared")"
	finish
}

off() { # OPTION
	begin "$1 leaves names out, JDK $FEATURE" || return 0
	record_program Peers 1 -- -e "$EVENT" "$1" || return 0
	! "$FRTRACE" print --events frtrace.ThreadWait "$F_FILE" | grep 'resource = ' | grep -qv 'N/A' ||
		finding "a wait has a name:" "$("$FRTRACE" print --events frtrace.ThreadWait "$F_FILE" | grep -A1 -m3 'resource = "')"
	finish
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	peers
	turn 0 && swapped
	turn 1 && peers --buffer=perf
	turn 0 && off --redact-key=+resource
	turn 1 && off --resources=off
done
