#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Finding JVMs and attaching to them (user/process) with live JVMs, of all JDKs of the host. All of them start with SIGQUIT
# at its default, which kills: the background jobs of a shell ignore it, which would hide faults.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

if [ "$(id -u)" -ne 0 ]; then
	skip "attach" "needs root"
	exit 0
fi

# ---- programs

mapfile -t JDKS < <(jdk_list)
probe=$WORK/attach_probe
probe_build attach_probe -fsanitize=address,undefined || { not_ok "the probe compiles"; exit 1; }
chmod 755 "$probe"

# Returns its options as a number.
cat >"$WORK/agent.c" <<'C'
int Agent_OnAttach(void *vm, const char *options, void *reserved)
{
	int n = 0;
	(void)vm, (void)reserved;
	for (; options && *options >= '0' && *options <= '9'; options++)
		n = n * 10 + *options - '0';
	return n;
}
C
gcc -shared -fPIC -nostdlib -o "$WORK/agent.so" "$WORK/agent.c" || exit 1
gcc -std=gnu11 -Wall -Wextra -Werror -o "$WORK/hold" "$ROOT/tests/live/hold.c" || exit 1

mkdir "$WORK/classes"
cat >"$WORK/Napper.java" <<'JAVA'
public class Napper {
	static void nap() throws Exception {
		Thread.sleep(600_000);
	}

	public static void main(String[] args) throws Exception {
		System.out.println("up");
		nap();
	}
}
JAVA
"${JDKS[0]#* }/bin/javac" "${BRIEF[@]/#/-J}" -nowarn --release 8 -d "$WORK/classes" "$WORK/Napper.java" >"$WORK/javac" 2>&1 ||
	"${JDKS[0]#* }/bin/javac" "${BRIEF[@]/#/-J}" -d "$WORK/classes" "$WORK/Napper.java" || exit 1
chmod -R a+rX "$WORK"

# Start a JVM without waiting: $T_PID is its pid, $out its output. Words before "--" come before `java`.
start() { # [WRAPPER... --] [JVM-OPTION...]
	local wrapper=()
	if [[ " $* " == *" -- "* ]]; then
		while [ "$1" != -- ]; do wrapper+=("$1"); shift; done
		shift
	fi
	out=$(mktemp "$WORK/out.XXXXXX")
	(cd "$WORK" && exec "${SERVICE[@]}" "${wrapper[@]}" "$JAVA/bin/java" -cp "$WORK/classes" "$@" Napper "$(basename "$out")" >"$out" 2>&1 </dev/null) &
	target_is $!
	rm -f "/tmp/.java_pid$T_PID" # from a dead JVM, perhaps of another user
}

is_up() { wait_for 30 grep -q '^up' "$out"; }
is_java() { wait_for 10 runs_java; }
runs_java() { [[ $(readlink "/proc/$T_PID/exe") == */java ]]; }

# Wait until the JVM is up. If wrappers fork, find the JVM below them.
ready() {
	is_up || { finding "the JVM did not start" "$(cat "$out")"; return 1; }
	T_PID=$(pgrep -n -f "classes .*Napper $(basename "$out")\$")
	STARTED+=("$T_PID")
}

# Start a JVM, and wait until it is up. If it is not, the case is over.
come_up() { # as start
	start "$@" && ready && return
	verdict
	drop
	return 1
}

drop() {
	kill -9 "$T_PID" 2>/dev/null
	rm -f "/tmp/.java_pid$T_PID"
}

# For cases with mount namespaces: false, and skipped, if there are none, as in a chroot whose root is no mount point.
mounts_work() {
	unshare --mount true 2>"$WORK/unshare" && return
	skip "$SENTENCE" "$(head -n 1 "$WORK/unshare")"
	return 1
}

seen=
status=0
try() { seen=$("$@" 2>&1 </dev/null); status=$?; }

gives() { # STATUS REGEX...
	[ "$status" = "$1" ] || finding "status $status, expected $1:" "$seen"
	shift
	local regex
	for regex in "$@"; do grep -qE -- "$regex" <<<"$seen" || finding "no /$regex/ in:" "$seen"; done
}

# A command, and an agent, which returns the number.
answers() { try "$probe" command "$T_PID" 20000 properties; gives 0 '^code=0'; }
answers_not() { try "$probe" command "$T_PID" "${2:-10000}" properties; gives 1 "$1"; } # REGEX [MS]
loads() { try "$probe" load "$T_PID" 20000 "$WORK/agent.so" "$1"; gives 0 "^result=$1\$" "${@:2}"; } # NUMBER [REGEX...]

alive() { kill -0 "$T_PID" 2>/dev/null || finding "the JVM is gone" "$(tail -n 3 "$out")"; }
silent() { grep -q 'Full thread dump' "$out" && finding "a thread dump in the JVM's output"; return 0; }

ours() { find "${1:-/tmp}" "$WORK" -maxdepth 1 \( -name '.frtrace-*' -o -name ".attach_pid*" \) -newer "$WORK/.start" 2>/dev/null; }

clean() { # [DIRECTORY]: no file of this test is left in it; other attaches have theirs for some seconds
	local left
	left=$(ours "$@")
	# shellcheck disable=SC2086 # no blanks in these names
	wait_for 5 none_left $left || finding "left behind: $left"
}

# The case is over: it has harmed nothing.
unharmed() { # [DIRECTORY]
	silent
	alive
	clean "$@"
	verdict
	drop
}

# ---- cases

plain() {
	begin "a reply is read completely, the version and the frames are right, JDK $FEATURE" || return
	come_up -Dmy.password=hunter2 || return
	try "$probe" command "$T_PID" 10000 properties
	gives 0 '^code=0' "^java.specification.version=(1.)?$FEATURE"
	try "$probe" frames "$T_PID"
	gives 0 '^main \| Napper \| nap$' '^main \| java.lang.Thread \| sleep'
	try "$probe" show "$T_PID"
	gives 0 '^name=Napper$' "^feature=$FEATURE\$" '^libjvm=.*/libjvm.so$' '^perf_data=/tmp/hsperf' '^jvm_arguments=.*-Dmy.password=\*\*\*$' \
		'^java_arguments=Napper out' '^safepoint=0 [0-9]+' '^cpu=[1-9]' "^jvm_version=.*VM \(build .*$FEATURE"
	grep -q hunter2 <<<"$seen" && finding "the password is shown"
	unharmed
}

loading() {
	begin "an agent's result is returned, a failing agent is unloaded, and no file remains, JDK $FEATURE" || return
	come_up || return
	try "$probe" load "$T_PID" 10000 "$WORK/agent.so" 0
	gives 0 '^result=0$' '^path=/.*/\.frtrace-.*/libattachprobe.so$'
	local path
	path=$(grep ^path= <<<"$seen")
	[ -e "${path#path=}" ] && finding "the file is still there"
	try "$probe" load "$T_PID" 10000 "$WORK/agent.so" 4711
	gives 0 '^result=4711$' "^$path\$"
	[ "$(grep -c 'r-xp.*libattachprobe' "/proc/$T_PID/maps")" = 1 ] || finding "mapped more than once"
	try "$probe" load "$T_PID" 10000 "$WORK/agent.so" "$(printf '%01025d' 0)"
	gives 1 'takes 1024'
	unharmed
}

bad_agent() {
	begin "an agent that cannot be loaded is rejected with the JVM's message, and no file remains, JDK $FEATURE" || return
	come_up || return
	try "$probe" load "$T_PID" 10000 "$WORK/agent.c" 0
	gives 1 'did not load the agent'
	unharmed
}

other_user() {
	begin "a JVM of another user can be attached to by root and by that user, not by a third, JDK $FEATURE" || return
	come_up setpriv --reuid=65534 --regid=65534 --clear-groups -- || return
	loads 0
	answers
	try setpriv --reuid=65534 --regid=65534 --clear-groups "$probe" load "$T_PID" 10000 "$WORK/agent.so" 5
	gives 0 '^result=5$'
	try setpriv --reuid=1234 --regid=1234 --clear-groups "$probe" command "$T_PID" 10000 properties
	gives 1 "no rights.*run with sudo or as that user"
	try setpriv --reuid=1234 --regid=1234 --clear-groups "$probe" command Napper 10000 properties
	gives 1 "no rights.*run with sudo or as that user"
	unharmed
	# the first attach is by its own user, without root
	begin "a JVM's own user needs no root, even for the first attach, JDK $FEATURE" || return
	come_up setpriv --reuid=65534 --regid=65534 --clear-groups -- || return
	try setpriv --reuid=65534 --regid=65534 --clear-groups "$probe" load "$T_PID" 10000 "$WORK/agent.so" 5
	gives 0 '^result=5$'
	unharmed
}

reduced_signals() {
	begin "a JVM with -Xrs is attached through its socket, and survives if that is missing, JDK $FEATURE" || return
	come_up -Xrs || return
	answers
	rm -f "/tmp/.java_pid$T_PID"
	answers_not 'runs with -Xrs and its socket'
	sleep 0.2
	unharmed
}

cleaned_tmp() {
	begin "a JVM whose socket was removed from /tmp creates a new one, JDK $FEATURE" || return
	come_up || return
	try "$probe" command "$T_PID" 10000 properties
	rm -f "/tmp/.java_pid$T_PID"
	answers
	unharmed
}

just_started() {
	begin "a JVM that has just been started survives and is attached, 30 times, half of them with a stale socket, JDK $FEATURE" || return
	local i
	start && ready && "$probe" command "$T_PID" 10000 properties >/dev/null && cp -a "/tmp/.java_pid$T_PID" "$WORK/stale"
	drop
	for ((i = 0; i < 25; i++)); do
		start
		is_java || finding "not a JVM: $(cat "$out")"
		((i % 2)) && cp -a "$WORK/stale" "/tmp/.java_pid$T_PID"
		sleep "0.0$((i % 9))2"
		loads 3
		alive; silent
		drop
		[ ${#findings[@]} -eq 0 ] || break
	done
	for ((i = 0; i < 5; i++)); do
		start -XX:-UsePerfData
		is_java || finding "not a JVM: $(cat "$out")"
		cp -a "$WORK/stale" "/tmp/.java_pid$T_PID"
		loads 3
		alive; silent
		drop
	done
	clean; verdict
}

disabled() {
	begin "-XX:+DisableAttachMechanism is reported, whoever set it, and causes no thread dump, JDK $FEATURE" || return
	come_up -XX:+DisableAttachMechanism || return
	answers_not 'DisableAttachMechanism'
	silent; alive; drop
	come_up env JAVA_TOOL_OPTIONS=-XX:+DisableAttachMechanism -- || return
	answers_not 'DisableAttachMechanism'
	silent; alive; drop
	echo '-XX:+DisableAttachMechanism' >"$WORK/options"
	come_up "@$WORK/options" -XX:-UsePerfData || return
	answers_not 'DisableAttachMechanism' 3000
	unharmed
}

# Two descriptors are free: enough for a connection, not for the agent.
no_room_for_agent() {
	begin "a command is sent where only the agent lacks room, JDK $FEATURE" || return
	local limit=0 free=0
	come_up || return
	for ((; free < 2; limit++)); do [ -e "/proc/$T_PID/fd/$limit" ] || free=$((free + 1)); done
	while [ -e "/proc/$T_PID/fd/$limit" ]; do limit=$((limit + 1)); done
	prlimit --pid "$T_PID" --nofile=$limit
	try "$probe" load "$T_PID" 10000 "$WORK/agent.so" 0
	gives 1 'file descriptors are open, and attaching takes 4'
	try "$probe" command "$T_PID" 10000 threaddump
	gives 0 'code=0' 'Full thread dump'
	alive; silent; clean; verdict; drop
}

# The first thread stops when it is next on a CPU.
stop() {
	kill -STOP "$T_PID"
	wait_for 10 grep -q $'^State:\tT' "/proc/$T_PID/status" || finding "the JVM does not stop"
}

stopped() {
	begin "a stopped JVM is reported as stopped, JDK $FEATURE" || return
	come_up || return
	stop
	answers_not 'it is stopped'
	kill -CONT "$T_PID"
	answers
	stop
	answers_not 'it is stopped'
	silent; clean; verdict; drop
}

# The thread that handles SIGQUIT is stopped, as it is while the whole JVM is stopped after the signal was sent.
late() {
	begin "a JVM that handles the signal after frtrace has given up prints no thread dump, JDK $FEATURE" || return
	local dispatcher
	come_up || return
	dispatcher=$(grep -lx 'Signal Dispatch' "/proc/$T_PID/task/"*/comm | cut -d / -f 5)
	"$WORK/hold" "$dispatcher" >"$WORK/held" 2>&1 </dev/null &
	wait_for 10 grep -qsx held "$WORK/held" || finding "Signal Dispatcher is not held: $(cat "$WORK/held")"
	try "$probe" command "$T_PID" 1000 properties
	gives 1 'it did not answer within'
	kill "$!"
	wait_for 10 test -S "/tmp/.java_pid$T_PID" || finding "it does not listen afterwards" "$(cat "$out")"
	silent
	answers
	unharmed
}

wrong_pids() {
	begin "a process that is not a JVM is rejected with the reason, JDK $FEATURE" || return
	come_up || return
	local thread
	thread=$(ls "/proc/$T_PID/task" | tail -n 1)
	try "$probe" show 999999999; gives 1 '^error: no process'
	try "$probe" show 9999999999999; gives 2 'not a pid'
	try "$probe" show 0; gives 2 'not a pid'
	try "$probe" show $$; gives 1 'is not a JVM'
	try "$probe" show "$thread"; gives 2 "is a thread of process $T_PID"
	try "$probe" show no.such.Main; gives 1 'no JVM whose main class'
	try "$probe" show ''; gives 2 'no target given'
	try "$probe" show container:; gives 2 'no target given'
	try "$probe" show cgroup:; gives 2 'no target given'
	try "$probe" memfd "$T_PID" frtrace-; gives 1 'no descriptor of .frtrace-'
	verdict; drop
}

by_name() {
	begin "a part of the main class's name finds the JVM; several matches are listed, JDK $FEATURE" || return
	cp -r "$WORK/classes" "$WORK/lib dir" 2>/dev/null
	printf 'Main-Class: Napper\n' >"$WORK/manifest"
	(cd "$WORK" && "$JAVA/bin/jar" cfm "$WORK/lib dir/tra-la-$FEATURE.jar" manifest -C classes .)
	out=$WORK/out.jar
	: >"$out"
	(exec "${SERVICE[@]}" "$JAVA/bin/java" -cp x --add-modules java.base -jar "$WORK/lib dir/tra-la-$FEATURE.jar" a >"$out" 2>&1 </dev/null) &
	target_is $!
	is_up || { finding "the JVM did not start" "$(cat "$out")"; verdict; return; }
	try "$probe" show "tra-la-$FEATURE"
	gives 0 "^pid=$T_PID\$" "^name=tra-la-$FEATURE.jar\$"
	local first=$T_PID
	start && ready
	local second=$T_PID
	start && ready
	try "$probe" show Napp
	gives 2 "JVMs match 'Napp'" "^ +$second +[0-9.]+ +Napper" "^ +$T_PID +[0-9.]+ +Napper"
	verdict; drop
	kill -9 "$first" "$second"
}

in_namespaces() {
	begin "a JVM in its own mount, pid and time namespace, JDK $FEATURE" && mounts_work || return
	# it has its own /tmp, so the classes are elsewhere
	mkdir -p /var/tmp/frtrace-attach && cp "$WORK/classes/Napper.class" /var/tmp/frtrace-attach/
	out=$WORK/out.ns.$FEATURE
	: >"$out"
	"${SERVICE[@]}" unshare --pid --fork --mount --mount-proc --time --monotonic 86400 \
		sh -c 'mount -t tmpfs none /tmp && cd / && exec "$@"' sh "$JAVA/bin/java" -cp /var/tmp/frtrace-attach Napper ns >"$out" 2>&1 </dev/null &
	STARTED+=($!)
	disown $!
	is_up || { finding "the JVM did not start" "$(cat "$out")"; verdict; return; }
	T_PID=$(pgrep -n -f 'frtrace-attach Napper ns$')
	STARTED+=("$T_PID")
	try "$probe" show "$T_PID"
	gives 0 '^ns_pid=1$' '^name=Napper$' "^feature=$FEATURE\$" '^monotonic_offset=86400[0-9]{9}$' '^safepoint=0'
	try "$probe" load "$T_PID" 10000 "$WORK/agent.so" 0
	gives 0 '^result=0$' '^path=/tmp/\.frtrace-'
	loads 8
	unharmed "/proc/$T_PID/root/tmp"
	rm -rf /var/tmp/frtrace-attach
}

in_chroot() {
	begin "a JVM in a chroot, as another user, whose /tmp is a link, JDK $FEATURE" && mounts_work || return
	local rootfs=$WORK/rootfs
	mkdir -p "$rootfs"
	out=$WORK/out.chroot.$FEATURE
	: >"$out"
	"${SERVICE[@]}" unshare --mount sh -c '
		mount --rbind / "$1" && mount -t tmpfs -o mode=755 none "$1/tmp" && mkdir -m 1777 "$1/tmp/real" && mkdir "$1/tmp/jail" &&
		for d in bin usr lib lib64 etc proc dev; do
			if [ -L "/$d" ]; then cp -P "/$d" "$1/tmp/jail/"; elif [ -d "/$d" ]; then mkdir "$1/tmp/jail/$d" && mount --rbind "/$d" "$1/tmp/jail/$d"; fi
		done
		mkdir -m 1777 "$1/tmp/jail/real" && ln -s /real "$1/tmp/jail/tmp" && cp "$2/Napper.class" "$1/tmp/jail/" &&
		exec chroot --userspec=65534:65534 "$1/tmp/jail" "$3" -cp / Napper jail' sh "$rootfs" "$WORK/classes" "$JAVA/bin/java" >"$out" 2>&1 </dev/null &
	target_is $!
	is_up || finding "did not start" "$(cat "$out")"
	try "$probe" load "$T_PID" 10000 "$WORK/agent.so" 0
	gives 0 '^result=0$' '^path=/real/\.frtrace-'
	loads 8
	unharmed "/proc/$T_PID/root/real"
}

in_user_namespace() {
	begin "a JVM that is root in a user namespace, JDK $FEATURE" || return
	start setpriv --reuid=65534 --regid=65534 --clear-groups unshare --user --map-root-user -- || return
	wait_for 30 grep -q . "$out"
	if ! grep -q '^up' "$out"; then
		skip "$SENTENCE" "no user namespaces: $(head -n 1 "$out")"
		return
	fi
	loads 0
	unharmed
}

without_place() {
	begin "the agent's file is put where it can be executed; if there is no such place, all places tried are listed, JDK $FEATURE" && mounts_work || return
	mkdir -p /var/tmp/frtrace-attach && cp "$WORK/classes/Napper.class" /var/tmp/frtrace-attach/
	local mode tail
	for mode in noexec readonly; do
		out=$WORK/out.$mode.$FEATURE
		: >"$out"
		tail=
		[ $mode = readonly ] && tail='mount -t tmpfs -o noexec none /dev/shm && mount --bind / /mnt && mount -o remount,bind,ro /mnt && for dir in /tmp /dev /proc; do mount --rbind $dir /mnt$dir || exit 9; done; cd /mnt && exec chroot /mnt "$@";'
		"${SERVICE[@]}" unshare --mount sh -c "mount -t tmpfs -o noexec none /tmp && cd /; $tail"' exec "$@"' sh \
			"$JAVA/bin/java" -cp /var/tmp/frtrace-attach Napper "$mode" >"$out" 2>&1 </dev/null &
		target_is $!
		is_up || { finding "did not start" "$(cat "$out")"; continue; }
		try "$probe" load "$T_PID" 10000 "$WORK/agent.so" 0
		if [ $mode = noexec ]; then
			gives 0 '^result=0$' '^path=/var/tmp/\.frtrace-'
		else
			gives 1 '/tmp: (mounted noexec|Read-only file system); /var/tmp: Read-only file system; its working directory: Read-only file system; /dev/shm: mounted noexec'
		fi
		silent; alive; clean "/proc/$T_PID/root/tmp"; clean /var/tmp; drop
	done
	verdict
	rm -rf /var/tmp/frtrace-attach
}

same_number() {
	begin "two JVMs with the same pid and the same /tmp are distinguished, JDK $FEATURE" || return
	come_up unshare --pid --fork -- || return
	local first=$T_PID
	try "$probe" command "$first" 10000 properties
	gives 0 '^code=0'
	come_up unshare --pid --fork -- || return
	loads 6
	try "$probe" load "$first" 3000 "$WORK/agent.so" 6
	gives 1 "belongs to process $T_PID"
	unharmed
	kill -9 "$first"
	rm -f /tmp/.java_pid1
}

at_once() {
	begin "several processes attach at once without causing a thread dump, 8 times, JDK $FEATURE" || return
	local i j pids
	for ((i = 0; i < 8; i++)); do
		start && ready || break
		pids=()
		for j in 1 2 3 4; do
			"$probe" command "$T_PID" 10000 properties >"$WORK/once.$j" 2>&1 </dev/null &
			pids+=($!)
		done
		wait "${pids[@]}"
		for j in 1 2 3 4; do grep -q '^code=0' "$WORK/once.$j" || finding "$(cat "$WORK/once.$j")"; done
		silent; alive; drop
	done
	clean; verdict
}

planted_links() {
	begin "a link in place of the socket is not followed, JDK $FEATURE" || return
	come_up || return
	local first=$T_PID
	try "$probe" command "$first" 10000 properties
	come_up || return
	ln -s "/tmp/.java_pid$first" "/tmp/.java_pid$T_PID"
	answers_not 'is not a socket of its user' 3000
	alive; verdict; drop
	kill -9 "$first"
	rm -f "/tmp/.java_pid$T_PID"
}

# What depends on the kernel and not on the JVM is tested with one JDK in turn, with SOAK=1 with each.
for line in "${JDKS[@]}"; do
	FEATURE=${line%% *} JAVA=${line#* } # without the programs of other tests, which JDK 8 cannot compile
	plain
	loading
	bad_agent
	other_user
	reduced_signals
	cleaned_tmp
	just_started
	disabled
	no_room_for_agent
	turn 0 && stopped
	[ "$FEATURE" = 8 ] || late # in JDK 8 threads have no names
	turn 1 && wrong_pids
	turn 0 && by_name
	turn 1 && in_namespaces
	turn 0 && in_chroot
	turn 1 && in_user_namespace
	turn 0 && without_place
	turn 1 && same_number
	turn 0 && at_once
	turn 1 && planted_links
done
