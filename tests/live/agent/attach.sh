#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2015,SC2016,SC2046
#
# Test finding JVMs and attaching to them (user/process) with live JVMs. Needs root, a C compiler and a JDK, but not
# frtrace itself. One line per case: "ok - NAME", "not ok - NAME" with the findings, "skip - NAME # reason". $ONLY
# chooses.
#
# All JVMs start with SIGQUIT at its default, which kills: the background jobs of a shell ignore it, which would hide
# faults.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d /tmp/frtrace-attach.XXXXXX)
chmod 755 "$work"
failed=0
started=()

end() {
	local pid
	for pid in "${started[@]}"; do kill -9 "$pid" 2>/dev/null; done
	wait 2>/dev/null
	rm -rf "$work"
	exit $((failed > 0))
}
trap end EXIT
trap 'exit 1' INT TERM

skip() { echo "skip - $1 # $2"; }
finding() { findings+=("$@"); }
begin() {
	findings=() name="$1, JDK $feature"
	[ -z "${ONLY:-}" ] || [[ $name =~ $ONLY ]]
}
verdict() {
	if [ ${#findings[@]} -eq 0 ]; then echo "ok - $name"; return; fi
	failed=$((failed + 1))
	echo "not ok - $name"
	printf '%s\n' "${findings[@]}" | head -n 30 | sed 's/^/    /'
}

if [ "$(id -u)" -ne 0 ]; then
	skip "attach" "needs root"
	exit 0
fi

jdks=()
for home in "${JAVA_HOME:-}" /usr/lib/jvm/*; do
	[ -x "$home/bin/javac" ] && [ ! -L "$home" ] || continue
	version=$(sed -nE 's/^JAVA_VERSION="(1\.)?([0-9]+).*/\2/p' "$home/release" 2>/dev/null)
	[ -n "$version" ] && jdks+=("$version $home")
done
if [ ${#jdks[@]} -eq 0 ]; then
	skip "attach" "no JDK"
	exit 0
fi

# ---- programs

probe=$work/probe
gcc -std=gnu11 -g -Wall -Wextra -Werror -Wno-unused-parameter -D_GNU_SOURCE -fsanitize=address,undefined -I"$root" -o "$probe" \
	"$root/tests/live/attach_probe.c" $(find "$root/user/process" -name '*.c' ! -name libraries.c ! -name trace_context.c ! -name process_context.c ! -name syscall_filter.c) "$root"/user/text/{monotonic,log,fold,term}.c $(find "$root/format" -maxdepth 1 -name '*.c' ! -name gzip.c) || { echo "not ok - the probe compiles"; failed=1; exit; }
chmod 755 "$probe"

# Returns its options as a number.
cat >"$work/agent.c" <<'C'
int Agent_OnAttach(void *vm, const char *options, void *reserved)
{
	int n = 0;
	(void)vm, (void)reserved;
	for (; options && *options >= '0' && *options <= '9'; options++)
		n = n * 10 + *options - '0';
	return n;
}
C
gcc -shared -fPIC -nostdlib -o "$work/agent.so" "$work/agent.c" || exit 1
gcc -std=gnu11 -Wall -Wextra -Werror -o "$work/hold" "$root/tests/live/hold.c" || exit 1

mkdir "$work/classes"
cat >"$work/Napper.java" <<'JAVA'
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
"${jdks[0]#* }/bin/javac" -nowarn --release 8 -d "$work/classes" "$work/Napper.java" >"$work/javac" 2>&1 ||
	"${jdks[0]#* }/bin/javac" -d "$work/classes" "$work/Napper.java" || exit 1
chmod -R a+rX "$work"

service=(env --default-signal=QUIT)

# Start a JVM without waiting: $jvm is its pid, $out its output. Words before "--" come before `java`.
start() { # [WRAPPER... --] [JVM-OPTION...]
	local wrapper=()
	if [[ " $* " == *" -- "* ]]; then
		while [ "$1" != -- ]; do wrapper+=("$1"); shift; done
		shift
	fi
	out=$(mktemp "$work/out.XXXXXX")
	(cd "$work" && exec "${service[@]}" "${wrapper[@]}" "$jdk/bin/java" -cp "$work/classes" "$@" Napper "$(basename "$out")" >"$out" 2>&1 </dev/null) &
	jvm=$!
	rm -f "/tmp/.java_pid$jvm" # from a dead JVM, perhaps of another user
	started+=("$jvm")
	disown "$jvm"
}

wait_for() { # SECONDS COMMAND...: as in ../lib.sh
	local looks=$(($1 * 200))
	shift
	until "$@"; do
		[ $((looks -= 1)) -gt 0 ] || return 1
		sleep 0.02
	done
}

is_up() { wait_for 30 grep -q '^up' "$out"; }
is_java() { wait_for 10 runs_java; }
runs_java() { [[ $(readlink "/proc/$jvm/exe") == */java ]]; }

# Wait until the JVM is up. If wrappers fork, find the JVM below them.
ready() {
	is_up || { finding "the JVM did not start" "$(cat "$out")"; return 1; }
	jvm=$(pgrep -n -f "classes .*Napper $(basename "$out")\$")
	started+=("$jvm")
}

drop() {
	kill -9 "$jvm" 2>/dev/null
	rm -f "/tmp/.java_pid$jvm"
}

# For cases with mount namespaces: false, and skipped, if there are none, as in a chroot whose root is no mount point.
mounts_work() {
	unshare --mount true 2>"$work/unshare" && return
	skip "$name" "$(head -n 1 "$work/unshare")"
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

alive() { kill -0 "$jvm" 2>/dev/null || finding "the JVM is gone" "$(tail -n 3 "$out")"; }
silent() { grep -q 'Full thread dump' "$out" && finding "a thread dump in the JVM's output"; return 0; }

ours() { find "${1:-/tmp}" "$work" -maxdepth 1 \( -name '.frtrace-*' -o -name ".attach_pid*" \) -newer "$work/agent.c" 2>/dev/null; }

clean() { # [DIRECTORY]: no file of this test is left in it; temporary files of other attaches do not count
	local left
	left=$(ours "$@")
	[ -n "$left" ] || return
	sleep 1
	left=$(grep -xF -- "$left" <<<"$(ours "$@")")
	[ -z "$left" ] || finding "left behind: $left"
}

# ---- cases

plain() {
	begin "a reply is read completely, the version and the frames are right" || return
	start -Dmy.password=hunter2 && ready || { verdict; return; }
	try "$probe" command "$jvm" 10000 properties
	gives 0 '^code=0' "^java.specification.version=(1.)?$feature"
	try "$probe" frames "$jvm"
	gives 0 '^main \| Napper \| nap$' '^main \| java.lang.Thread \| sleep'
	try "$probe" show "$jvm"
	gives 0 '^name=Napper$' "^feature=$feature\$" '^libjvm=.*/libjvm.so$' '^perf_data=/tmp/hsperf' '^jvm_arguments=.*-Dmy.password=\*\*\*$' \
		'^java_arguments=Napper out' '^safepoint=0 [0-9]+' '^cpu=[1-9]' "^jvm_version=.*VM \(build .*$feature"
	grep -q hunter2 <<<"$seen" && finding "the password is shown"
	silent; alive; clean; verdict; drop
}

loading() {
	begin "an agent's result is returned, a failing agent is unloaded, and no file remains" || return
	start && ready || { verdict; return; }
	try "$probe" load "$jvm" 10000 "$work/agent.so" 0
	gives 0 '^result=0$' '^path=/.*/\.frtrace-.*/libattachprobe.so$'
	local path
	path=$(grep ^path= <<<"$seen")
	[ -e "${path#path=}" ] && finding "the file is still there"
	try "$probe" load "$jvm" 10000 "$work/agent.so" 4711
	gives 0 '^result=4711$' "^$path\$"
	[ "$(grep -c 'r-xp.*libattachprobe' "/proc/$jvm/maps")" = 1 ] || finding "mapped more than once"
	try "$probe" load "$jvm" 10000 "$work/agent.so" "$(printf '%01025d' 0)"
	gives 1 'takes 1024'
	silent; alive; clean; verdict; drop
}

bad_agent() {
	begin "an agent that cannot be loaded is rejected with the JVM's message, and no file remains" || return
	start && ready || { verdict; return; }
	try "$probe" load "$jvm" 10000 "$work/agent.c" 0
	gives 1 'did not load the agent'
	alive; clean; verdict; drop
}

other_user() {
	begin "a JVM of another user can be attached to by root and by that user, not by a third" || return
	start setpriv --reuid=65534 --regid=65534 --clear-groups -- && ready || { verdict; return; }
	try "$probe" load "$jvm" 10000 "$work/agent.so" 0
	gives 0 '^result=0$'
	try "$probe" command "$jvm" 10000 properties
	gives 0 '^code=0'
	try setpriv --reuid=65534 --regid=65534 --clear-groups "$probe" load "$jvm" 10000 "$work/agent.so" 5
	gives 0 '^result=5$'
	try setpriv --reuid=1234 --regid=1234 --clear-groups "$probe" command "$jvm" 10000 properties
	gives 1 "no rights.*run with sudo or as that user"
	try setpriv --reuid=1234 --regid=1234 --clear-groups "$probe" command Napper 10000 properties
	gives 1 "no rights.*run with sudo or as that user"
	silent; alive; clean; verdict; drop
	# the first attach is by its own user, without root
	begin "a JVM's own user needs no root, even for the first attach" || return
	start setpriv --reuid=65534 --regid=65534 --clear-groups -- && ready || { verdict; return; }
	try setpriv --reuid=65534 --regid=65534 --clear-groups "$probe" load "$jvm" 10000 "$work/agent.so" 5
	gives 0 '^result=5$'
	silent; alive; clean; verdict; drop
}

reduced_signals() {
	begin "a JVM with -Xrs is attached through its socket, and survives if that is missing" || return
	start -Xrs && ready || { verdict; return; }
	try "$probe" command "$jvm" 10000 properties
	gives 0 '^code=0'
	rm -f "/tmp/.java_pid$jvm"
	try "$probe" command "$jvm" 10000 properties
	gives 1 'runs with -Xrs and its socket'
	sleep 0.2
	alive; clean; verdict; drop
}

cleaned_tmp() {
	begin "a JVM whose socket was removed from /tmp creates a new one" || return
	start && ready || { verdict; return; }
	try "$probe" command "$jvm" 10000 properties
	rm -f "/tmp/.java_pid$jvm"
	try "$probe" command "$jvm" 10000 properties
	gives 0 '^code=0'
	silent; alive; clean; verdict; drop
}

just_started() {
	begin "a JVM that has just been started survives and is attached, 30 times, half of them with a stale socket" || return
	local i
	start && ready && "$probe" command "$jvm" 10000 properties >/dev/null && cp -a "/tmp/.java_pid$jvm" "$work/stale"
	drop
	for ((i = 0; i < 25; i++)); do
		start
		is_java || finding "not a JVM: $(cat "$out")"
		((i % 2)) && cp -a "$work/stale" "/tmp/.java_pid$jvm"
		sleep "0.0$((i % 9))2"
		try "$probe" load "$jvm" 20000 "$work/agent.so" 3
		gives 0 '^result=3$'
		alive; silent
		drop
		[ ${#findings[@]} -eq 0 ] || break
	done
	for ((i = 0; i < 5; i++)); do
		start -XX:-UsePerfData
		is_java || finding "not a JVM: $(cat "$out")"
		cp -a "$work/stale" "/tmp/.java_pid$jvm"
		try "$probe" load "$jvm" 20000 "$work/agent.so" 3
		gives 0 '^result=3$'
		alive; silent
		drop
	done
	clean; verdict
}

disabled() {
	begin "-XX:+DisableAttachMechanism is reported, whoever set it, and causes no thread dump" || return
	start -XX:+DisableAttachMechanism && ready || { verdict; return; }
	try "$probe" command "$jvm" 10000 properties
	gives 1 'DisableAttachMechanism'
	silent; alive; drop
	start env JAVA_TOOL_OPTIONS=-XX:+DisableAttachMechanism -- && ready || { verdict; return; }
	try "$probe" command "$jvm" 10000 properties
	gives 1 'DisableAttachMechanism'
	silent; alive; drop
	echo '-XX:+DisableAttachMechanism' >"$work/options"
	start "@$work/options" -XX:-UsePerfData && ready || { verdict; return; }
	try "$probe" command "$jvm" 3000 properties
	gives 1 'DisableAttachMechanism'
	silent
	alive; clean; verdict; drop
}

# Two descriptors are free: enough for a connection, not for the agent.
no_room_for_agent() {
	begin "a command is sent where only the agent lacks room" || return
	local limit=0 free=0
	start && ready || { verdict; return; }
	for ((; free < 2; limit++)); do [ -e "/proc/$jvm/fd/$limit" ] || free=$((free + 1)); done
	while [ -e "/proc/$jvm/fd/$limit" ]; do limit=$((limit + 1)); done
	prlimit --pid "$jvm" --nofile=$limit
	try "$probe" load "$jvm" 10000 "$work/agent.so" 0
	gives 1 'file descriptors are open, and attaching takes 4'
	try "$probe" command "$jvm" 10000 threaddump
	gives 0 'code=0' 'Full thread dump'
	alive; silent; clean; verdict; drop
}

# The first thread stops when it is next on a CPU.
stop() {
	kill -STOP "$jvm"
	wait_for 10 grep -q $'^State:\tT' "/proc/$jvm/status" || finding "the JVM does not stop"
}

stopped() {
	begin "a stopped JVM is reported as stopped" || return
	start && ready || { verdict; return; }
	stop
	try "$probe" command "$jvm" 10000 properties
	gives 1 'it is stopped'
	kill -CONT "$jvm"
	try "$probe" command "$jvm" 10000 properties
	gives 0 '^code=0'
	stop
	try "$probe" command "$jvm" 10000 properties
	gives 1 'it is stopped'
	silent; clean; verdict; drop
}

# The thread that handles SIGQUIT is stopped, as it is while the whole JVM is stopped after the signal was sent.
late() {
	begin "a JVM that handles the signal after frtrace has given up prints no thread dump" || return
	local dispatcher
	start && ready || { verdict; return; }
	dispatcher=$(grep -lx 'Signal Dispatch' "/proc/$jvm/task/"*/comm | cut -d / -f 5)
	"$work/hold" "$dispatcher" >"$work/held" 2>&1 </dev/null &
	wait_for 10 grep -q . "$work/held"
	grep -qx held "$work/held" || finding "Signal Dispatcher is not held: $(cat "$work/held")"
	try "$probe" command "$jvm" 1000 properties
	gives 1 'it did not answer within'
	kill "$!"
	wait_for 10 test -S "/tmp/.java_pid$jvm" || finding "it does not listen afterwards" "$(cat "$out")"
	silent
	try "$probe" command "$jvm" 10000 properties
	gives 0 '^code=0'
	silent; alive; clean; verdict; drop
}

wrong_pids() {
	begin "a process that is not a JVM is rejected with the reason" || return
	start && ready || { verdict; return; }
	local thread
	thread=$(ls "/proc/$jvm/task" | tail -n 1)
	try "$probe" show 999999999; gives 1 '^error: no process'
	try "$probe" show 9999999999999; gives 2 'not a pid'
	try "$probe" show 0; gives 2 'not a pid'
	try "$probe" show $$; gives 1 'is not a JVM'
	try "$probe" show "$thread"; gives 2 "is a thread of process $jvm"
	try "$probe" show no.such.Main; gives 1 'no JVM whose main class'
	try "$probe" show ''; gives 2 'no target given'
	try "$probe" show container:; gives 2 'no target given'
	try "$probe" show cgroup:; gives 2 'no target given'
	try "$probe" memfd "$jvm" frtrace-; gives 1 'no descriptor of .frtrace-'
	verdict; drop
}

by_name() {
	begin "a part of the main class's name finds the JVM; several matches are listed" || return
	cp -r "$work/classes" "$work/lib dir" 2>/dev/null
	printf 'Main-Class: Napper\n' >"$work/manifest"
	(cd "$work" && "$jdk/bin/jar" cfm "$work/lib dir/tra-la-$feature.jar" manifest -C classes .)
	out=$work/out.jar
	: >"$out"
	(exec "${service[@]}" "$jdk/bin/java" -cp x --add-modules java.base -jar "$work/lib dir/tra-la-$feature.jar" a >"$out" 2>&1 </dev/null) &
	jvm=$!
	started+=("$jvm")
	disown "$jvm"
	is_up || { finding "the JVM did not start" "$(cat "$out")"; verdict; return; }
	try "$probe" show "tra-la-$feature"
	gives 0 "^pid=$jvm\$" "^name=tra-la-$feature.jar\$"
	local first=$jvm
	start && ready
	local second=$jvm
	start && ready
	try "$probe" show Napp
	gives 2 "JVMs match 'Napp'" "^ +$second +[0-9.]+ +Napper" "^ +$jvm +[0-9.]+ +Napper"
	verdict; drop
	kill -9 "$first" "$second"
}

in_namespaces() {
	begin "a JVM in its own mount, pid and time namespace" && mounts_work || return
	# it has its own /tmp, so the classes are elsewhere
	mkdir -p /var/tmp/frtrace-attach && cp "$work/classes/Napper.class" /var/tmp/frtrace-attach/
	out=$work/out.ns.$feature
	: >"$out"
	"${service[@]}" unshare --pid --fork --mount --mount-proc --time --monotonic 86400 \
		sh -c 'mount -t tmpfs none /tmp && cd / && exec "$@"' sh "$jdk/bin/java" -cp /var/tmp/frtrace-attach Napper ns >"$out" 2>&1 </dev/null &
	started+=($!)
	disown $!
	is_up || { finding "the JVM did not start" "$(cat "$out")"; verdict; return; }
	jvm=$(pgrep -n -f 'frtrace-attach Napper ns$')
	started+=("$jvm")
	try "$probe" show "$jvm"
	gives 0 '^ns_pid=1$' '^name=Napper$' "^feature=$feature\$" '^monotonic_offset=86400[0-9]{9}$' '^safepoint=0'
	try "$probe" load "$jvm" 10000 "$work/agent.so" 0
	gives 0 '^result=0$' '^path=/tmp/\.frtrace-'
	try "$probe" load "$jvm" 10000 "$work/agent.so" 8
	gives 0 '^result=8$'
	silent; alive; clean "/proc/$jvm/root/tmp"; verdict; drop
	rm -rf /var/tmp/frtrace-attach
}

in_chroot() {
	begin "a JVM in a chroot, as another user, whose /tmp is a link" && mounts_work || return
	local rootfs=$work/rootfs
	mkdir -p "$rootfs"
	out=$work/out.chroot.$feature
	: >"$out"
	"${service[@]}" unshare --mount sh -c '
		mount --rbind / "$1" && mount -t tmpfs -o mode=755 none "$1/tmp" && mkdir -m 1777 "$1/tmp/real" && mkdir "$1/tmp/jail" &&
		for d in bin usr lib lib64 etc proc dev; do
			if [ -L "/$d" ]; then cp -P "/$d" "$1/tmp/jail/"; elif [ -d "/$d" ]; then mkdir "$1/tmp/jail/$d" && mount --rbind "/$d" "$1/tmp/jail/$d"; fi
		done
		mkdir -m 1777 "$1/tmp/jail/real" && ln -s /real "$1/tmp/jail/tmp" && cp "$2/Napper.class" "$1/tmp/jail/" &&
		exec chroot --userspec=65534:65534 "$1/tmp/jail" "$3" -cp / Napper jail' sh "$rootfs" "$work/classes" "$jdk/bin/java" >"$out" 2>&1 </dev/null &
	jvm=$!
	started+=("$jvm")
	disown "$jvm"
	is_up || finding "did not start" "$(cat "$out")"
	try "$probe" load "$jvm" 10000 "$work/agent.so" 0
	gives 0 '^result=0$' '^path=/real/\.frtrace-'
	try "$probe" load "$jvm" 10000 "$work/agent.so" 8
	gives 0 '^result=8$'
	silent; alive; clean "/proc/$jvm/root/real"; verdict; drop
}

in_user_namespace() {
	begin "a JVM that is root in a user namespace" || return
	start setpriv --reuid=65534 --regid=65534 --clear-groups unshare --user --map-root-user -- || return
	local i
	for ((i = 0; i < 100; i++)); do grep -q . "$out" && break; sleep 0.05; done
	if ! grep -q '^up' "$out"; then
		skip "$name" "no user namespaces: $(head -n 1 "$out")"
		return
	fi
	try "$probe" load "$jvm" 10000 "$work/agent.so" 0
	gives 0 '^result=0$'
	silent; alive; clean; verdict; drop
}

without_place() {
	begin "the agent's file is put where it can be executed; if there is no such place, all places tried are listed" && mounts_work || return
	mkdir -p /var/tmp/frtrace-attach && cp "$work/classes/Napper.class" /var/tmp/frtrace-attach/
	local mode tail
	for mode in noexec readonly; do
		out=$work/out.$mode.$feature
		: >"$out"
		tail=
		[ $mode = readonly ] && tail='mount -t tmpfs -o noexec none /dev/shm && mount --bind / /mnt && mount -o remount,bind,ro /mnt && for dir in /tmp /dev /proc; do mount --rbind $dir /mnt$dir || exit 9; done; cd /mnt && exec chroot /mnt "$@";'
		"${service[@]}" unshare --mount sh -c "mount -t tmpfs -o noexec none /tmp && cd /; $tail"' exec "$@"' sh \
			"$jdk/bin/java" -cp /var/tmp/frtrace-attach Napper "$mode" >"$out" 2>&1 </dev/null &
		jvm=$!
		started+=("$jvm")
		disown "$jvm"
		is_up || { finding "did not start" "$(cat "$out")"; continue; }
		try "$probe" load "$jvm" 10000 "$work/agent.so" 0
		if [ $mode = noexec ]; then
			gives 0 '^result=0$' '^path=/var/tmp/\.frtrace-'
		else
			gives 1 '/tmp: (mounted noexec|Read-only file system); /var/tmp: Read-only file system; its working directory: Read-only file system; /dev/shm: mounted noexec'
		fi
		silent; alive; clean "/proc/$jvm/root/tmp"; clean /var/tmp; drop
	done
	verdict
	rm -rf /var/tmp/frtrace-attach
}

same_number() {
	begin "two JVMs with the same pid and the same /tmp are distinguished" || return
	start unshare --pid --fork -- && ready || { verdict; return; }
	local first=$jvm
	try "$probe" command "$first" 10000 properties
	gives 0 '^code=0'
	start unshare --pid --fork -- && ready || { verdict; return; }
	try "$probe" load "$jvm" 10000 "$work/agent.so" 6
	gives 0 '^result=6$'
	try "$probe" load "$first" 3000 "$work/agent.so" 6
	gives 1 "belongs to process $jvm"
	alive; clean; verdict; drop
	kill -9 "$first"
	rm -f /tmp/.java_pid1
}

at_once() {
	begin "several processes attach at once without causing a thread dump, 8 times" || return
	local i j pids
	for ((i = 0; i < 8; i++)); do
		start && ready || break
		pids=()
		for j in 1 2 3 4; do
			"$probe" command "$jvm" 10000 properties >"$work/once.$j" 2>&1 </dev/null &
			pids+=($!)
		done
		wait "${pids[@]}"
		for j in 1 2 3 4; do grep -q '^code=0' "$work/once.$j" || finding "$(cat "$work/once.$j")"; done
		silent; alive; drop
	done
	clean; verdict
}

planted_links() {
	begin "a link in place of the socket is not followed" || return
	start && ready || { verdict; return; }
	local first=$jvm
	try "$probe" command "$first" 10000 properties
	start && ready || { verdict; return; }
	ln -s "/tmp/.java_pid$first" "/tmp/.java_pid$jvm"
	try "$probe" command "$jvm" 3000 properties
	gives 1 'is not a socket of its user'
	alive; verdict; drop
	kill -9 "$first"
	rm -f "/tmp/.java_pid$jvm"
}

# What depends on the kernel and not on the JVM is tested with one JDK in turn, with SOAK=1 with each.
turn() { # N
	[ -n "${SOAK:-}" ] || [ "$line" = "${jdks[$1 % ${#jdks[@]}]}" ]
}

for line in "${jdks[@]}"; do
	feature=${line%% *} jdk=${line#* }
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
	[ "$feature" = 8 ] || late # in JDK 8 threads have no names
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
