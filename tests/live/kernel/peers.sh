#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Waits are for what the program says, also where another thread replaces descriptors all the time.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

EVENT='test.Peer live.Peers::waitFor peer=return'

# Sets `calls`, `seen`, `named` and `wrong`.
compare() { # FIELD [REASON...]
	"$FRTRACE" print --json --events 'test.Peer,frtrace.ThreadWait' "$F_FILE" >"$WORK/printed"
	python3 "$LIVE/peers.py" "$WORK/printed" "$@" >"$WORK/compared" || finding "peers.py fails"
	read -r calls seen named wrong <"$WORK/compared"
}

peers() {
	local n calls seen named wrong
	begin "waits name their peers and files${BUFFER:+, --buffer=$BUFFER}, JDK $FEATURE" || return 0
	n=$(amount 3 30)
	record_program Peers "$n" -- -e "$EVENT" "$@" || return 0
	says ' 0 lost'
	compare resource
	# on a busy machine some waits end before they begin
	[ "$seen" -ge $((calls / 2)) ] && [ $((named * 1000)) -ge $((seen * 999)) ] && [ "$wrong" = 0 ] ||
		finding "$calls calls, $seen waits, $named named, $wrong wrongly:" "$(tail -n +2 "$WORK/compared")"
	finish
}

# A descriptor may have another file before the wait begins.
swapped() {
	local calls seen named wrong
	begin "descriptors that are reused do not lie, JDK $FEATURE" || return 0
	record_program --add-opens=java.base/sun.nio.ch=ALL-UNNAMED Peers "$(amount 5 100)" "$WORK/libpeers.so" -- -e "$EVENT" || return 0
	says ' 0 lost'
	compare resource
	[ "$seen" -ge $((calls / 3)) ] && [ $((named * 1000)) -ge $((seen * 999)) ] && [ "$wrong" = 0 ] ||
		finding "$calls calls, $seen waits, $named named, $wrong wrongly:" "$(tail -n +2 "$WORK/compared")"
	finish
}

# Virtual threads are parked until one of the JDK's pollers has seen their descriptors ready. Those that hold a monitor wait on
# their carriers up to JDK 23. On a busy machine a poller may have seen it before the kernel is asked what it waits for.
virtual() { # HOW REASON PER-MILLE
	local calls seen named wrong
	begin "waits of virtual threads name their peers, $1, JDK $FEATURE" || return 0
	record_program Peers "$(amount 3 30)" - "$1" -- -e "$EVENT" || return 0
	says ' 0 lost'
	compare resource "$2"
	[ "$seen" -ge $((calls / 2)) ] && [ $((named * 1000)) -ge $((seen * $3)) ] && [ "$wrong" = 0 ] ||
		finding "$calls calls, $seen waits, $named named, $wrong wrongly:" "$(tail -n +2 "$WORK/compared")"
	finish
}

# Threads are parked, and descriptors are with the pollers, whose hooks nobody listens to any more and which are then taken out.
killed() {
	begin "kill -9 of frtrace while virtual threads wait for hooked pollers does no harm, JDK $FEATURE" || return 0
	trace_program Peers "$(amount 15 200)" - virtual -- -e "$EVENT" || return 0
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" test -s "$F_FILE" || finding "nothing is recorded"
	trace_kill
	target_go
	wait_for "$SECONDS_MAX" agent_idle
	target_leaves
	finish
}

# Another thread may replace the descriptor before the poller gets it, and before the kernel is asked.
virtual_swapped() {
	local calls seen named wrong
	begin "descriptors that are reused do not lie in virtual threads, JDK $FEATURE" || return 0
	record_program --add-opens=java.base/sun.nio.ch=ALL-UNNAMED Peers "$(amount 5 100)" "$WORK/libpeers.so" virtual -- -e "$EVENT" || return 0
	says ' 0 lost'
	compare resource parked
	[ "$seen" -ge $((calls / 3)) ] && [ $((named * 100)) -ge $((seen * 90)) ] && [ "$wrong" = 0 ] ||
		finding "$calls calls, $seen waits, $named named, $wrong wrongly:" "$(tail -n +2 "$WORK/compared")"
	finish
}

# A control group such as Docker makes, of version 2, or else of the memory controller.
DIGITS=$(printf '0123456789abcdef%.0s' 1 2 3 4)
GROUP=$(awk '$3 == "cgroup2" { print $2 }' /proc/mounts | head -1)/docker-$DIGITS.scope

group_leave() {
	wait_for 10 group_is_gone || finding "the control group stays: $(cat "$GROUP/cgroup.procs")"
}

group_is_gone() { rmdir "$GROUP" 2>/dev/null || [ ! -d "$GROUP" ]; }

# The peers are servers in processes of their own. What two processes have belongs to none of them. On a busy machine looks at
# them are rare.
processes() {
	local calls seen named wrong servers twice
	begin "waits name the process of a peer on this machine${BUFFER:+, --buffer=$BUFFER}, JDK $FEATURE" || return 0
	mkdir "$GROUP" 2>/dev/null || { skip "$SENTENCE" "no control groups of version 2 here"; return; }
	python3 "$LIVE/peer_servers.py" "$WORK" "$GROUP" &
	servers=$!
	STARTED+=("$servers")
	wait_for 20 test -e "$WORK/servers" && twice=$(awk '$1 == "twice" { print $2 }' "$WORK/servers")
	STATUS='0 3' record_program Asking "$(amount 100 1000)" "$WORK/servers" -- -e 'test.Peer live.Asking::ask peer=return' "$@"
	kill "$servers"
	group_leave
	compare process
	[ "$seen" -ge $((calls / 2)) ] && [ "$named" -ge $((seen / 2)) ] && [ "$wrong" = 0 ] ||
		finding "$calls calls, $seen waits, $named named, $wrong wrongly:" "$(tail -n +2 "$WORK/compared")"
	python3 - "$WORK/printed" "127.0.0.1:$twice" "${DIGITS:0:12}" >"$WORK/odd" <<-'END'
		import json, sys
		for e in json.load(open(sys.argv[1]))["recording"]["events"]:
		    v = e["values"]
		    process, container = v.get("process"), v.get("container")
		    if process and (v["resource"] == sys.argv[2] or (process == "boxed") != (container == sys.argv[3])):
		        print(v["resource"], process, container)
	END
	[ ! -s "$WORK/odd" ] || finding "wrong processes or containers:" "$(head -5 "$WORK/odd")"
	"$FRTRACE" view waits --by=resource --json "$F_FILE" | python3 -c 'import json, sys
print(*sorted({r["process"] for r in json.loads(sys.stdin.readline())["rows"] if r["process"]}))' >"$WORK/shown"
	[ "$(cat "$WORK/shown")" = "boxed handed local mapped plain" ] || finding "view waits has processes $(cat "$WORK/shown")"
	rm -f "$WORK/servers" "$WORK/local"
	finish
}

off() { # OPTION
	begin "$1 leaves names out, JDK $FEATURE" || return 0
	record_program Peers 1 -- -e "$EVENT" "$1" || return 0
	! "$FRTRACE" print --events frtrace.ThreadWait "$F_FILE" | grep 'resource = ' | grep -qv 'N/A' ||
		finding "a wait has a name:" "$("$FRTRACE" print --events frtrace.ThreadWait "$F_FILE" | grep -A1 -m3 'resource = "')"
	finish
}

library() {
	[ -e "$WORK/libpeers.so" ] || gcc -O2 -shared -fPIC -Wall -Werror -isystem "$JAVA/include" -isystem "$JAVA/include/linux" -o "$WORK/libpeers.so" "$LIVE/peers.c"
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	library
	peers
	processes
	turn 0 && swapped
	turn 1 && peers --buffer=perf
	turn 1 && virtual virtual parked 990
	turn 1 && virtual_swapped
	turn 1 && killed
	turn 0 && off --redact-key=+resource
	turn 1 && off --resources=off
done
root_use 21 "waits of virtual threads name their peers" && virtual pinned futex 900
