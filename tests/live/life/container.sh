#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A JVM in namespaces of its own, as in a container: other pids, another /tmp, another user.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# The JVM has a private empty /tmp; the stage directory stays visible in it.
inside='
	mount --make-rprivate / && mount -t proc proc /proc || exit 9
	mkdir -p /run/frtrace-stage && mount --bind "$1" /run/frtrace-stage || exit 9
	mount -t tmpfs -o mode=1777 tmpfs /tmp && mkdir -p "$1" && mount --bind /run/frtrace-stage "$1" || exit 9
	shift
	exec "$@"'

# The target is the only child of what was started.
target_is_inside() {
	wait_for 5 pgrep -P "$T_PID" >/dev/null
	T_PID=$(pgrep -P "$T_PID")
	STARTED+=("$T_PID")
}

namespaced_start() { # CLASS ARGUMENT...
	local class=$1
	shift
	stage
	cp -r "$CLASSES" "$T_DIR/classes" # its /tmp may hide the originals
	chmod -R a+rX "$T_DIR/classes"
	unshare --fork --pid --mount --kill-child sh -c "$inside" - "$T_DIR" \
		env --default-signal=INT,QUIT,TERM "${as[@]}" "$JAVA/bin/java" -cp "$T_DIR/classes" "live.$class" "$T_DIR" "$@" \
		>"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
	target_is $!
	target_is_inside
}

contained() {
	begin "$1, JDK $FEATURE" || return 0
	namespaced_start Late 3000
	trace_target -m 'live.Late$Latecomer::checkout' || return 0
	trace_calls
	[ -z "$(find "/proc/$T_PID/root/tmp" -name '*frtrace*' -not -path '*/frtrace-live*' -o -name '.attach_pid*')" ] ||
		finding "left in its /tmp:" "$(ls -la "/proc/$T_PID/root/tmp")"
	target_leaves
	file_agrees
	finish
}

# A root that is read-only and has the JDK, its libraries and devices, but no shell, and a /tmp without programs. The JVM is
# process 1 and root of all that it sees; outside it is user 1000. Its working directory can be written.
boxed='
	stage=$1 root=$1/root
	mkdir "$root" && mount -t tmpfs -o mode=755 tmpfs "$root" && mkdir "$root/proc" "$root/tmp" "$root/dev" &&
		mount -t proc proc "$root/proc" && mount -t tmpfs -o mode=1777,noexec tmpfs "$root/tmp" || exit 9
	while read -r file; do
		if [ -d "$file" ]; then mkdir -p "$root$file"; else mkdir -p "$root${file%/*}" && : >"$root$file"; fi && mount --rbind "$file" "$root$file" || exit 9
	done <"$stage/files"
	mkdir -p "$root$stage" && mount --rbind "$stage" "$root$stage" && mount -o remount,bind,ro "$root" || exit 9
	shift
	exec env --default-signal=INT,QUIT,TERM "$stage/enter" "$root" "$stage" "$@"'

boxed_start() { # CLASS ARGUMENT...
	local class=$1
	shift
	stage
	cp -r "$CLASSES" "$T_DIR/classes"
	chmod -R a+rX "$T_DIR/classes"
	gcc -static -o "$T_DIR/enter" -x c - <<-'END' || finding "cannot build the program that enters the root"
		#include <unistd.h>
		/* enter ROOT DIRECTORY PROGRAM ARGUMENT... */
		int main(int argc, char **argv)
		{
			return chroot(argv[1]) || chdir(argv[2]) || execv(argv[3], argv + 3);
		}
	END
	{
		echo "$JAVA"
		find "$JAVA" -type l -exec readlink -f {} + | sed -nE 's|^(/etc/java[^/]*)/.*|\1|p' | sort -u
		find "$JAVA/bin/java" "$JAVA/lib" -name java -o -name '*.so' | xargs ldd 2>/dev/null | grep -oE '/[^ ]+' | grep -vF "$JAVA" | grep -v ':$' | sort -u
		printf '/dev/%s\n' null zero random urandom
	} >"$T_DIR/files"
	setpriv --reuid=1000 --regid=1000 --clear-groups unshare --user --map-root-user --mount --pid --fork --kill-child --net --ipc --uts --time --monotonic 5000 \
		sh -c "$boxed" - "$T_DIR" "$JAVA/bin/java" -cp "$T_DIR/classes" "live.$class" "$T_DIR" "$@" >"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
	target_is $!
	target_is_inside
}

# As with `docker run --read-only --tmpfs /tmp`: all that can be written is noexec. /proc is the container's.
hardened='
	mount --bind /var/tmp /var/tmp && mount -o remount,bind,ro /var/tmp && mount -o remount,noexec /tmp || exit 9
	mount -t tmpfs -o noexec shm /dev/shm && mount -o remount,bind,ro / && cd / || exit 9
	mount "$propagation" /tmp && mount "$propagation" /dev/shm || exit 9
	exec "$@"'

mounts_are_as_before() {
	wait_for 5 no_mount || finding "a mount is left:" "$(grep frtrace "/proc/$T_PID/mountinfo")"
	[ -z "$(find "/proc/$T_PID/root/tmp" -maxdepth 1 -name '.frtrace-[0-9a-f]*')" ] || finding "left in its /tmp:" "$(ls -la "/proc/$T_PID/root/tmp")"
}

no_mount() { ! grep -q '/\.frtrace-' "/proc/$T_PID/mountinfo"; }

# shared: what is mounted there appears in other namespaces, too.
read_only() { # private|shared SENTENCE COMMAND...
	local inside=${inside/'exec "$@"'/"propagation=--make-$1; $hardened"}
	begin "a JVM that can write to noexec directories only $2, JDK $FEATURE" || return 0
	namespaced_start Late 3000
	target_ready && "${@:3}"
	ended "$T_PID" || mounts_are_as_before
	finish
}

mount_refused() { # REGEX ARGUMENT...
	trace_launch -p "$T_PID" -m live.Late -o "$WORK/none.jfr" -d 1s "${@:2}"
	ended_with 1
	says "$1"
	target_untouched "$T_PID"
}

not_without_asking() {
	"$FRTRACE" check "$T_PID" >"$WORK/check"
	grep -qE '^  attach +no: .*--mount' "$WORK/check" || finding "$(cat "$WORK/check")"
	mount_refused '^frtrace: cannot put the agent .*: /tmp: mounted noexec; .* with --mount it can$'
}

mounts() {
	local round
	"$FRTRACE" check --mount "$T_PID" >"$WORK/check" || finding "check --mount: status $?"
	grep -qE '^  attach +yes' "$WORK/check" || finding "$(cat "$WORK/check")"
	cut -d ' ' -f 5- /proc/self/mountinfo >"$WORK/before"
	local TRACE_AS=(setpriv --bounding-set="-all$(context_of --mount "$T_PID" | sed 's/^/,+/' | tr -d '\n')" --inh-caps=-all)
	for round in 1 2; do
		trace_start --mount -m 'live.Late$Latecomer::checkout' || break
		mounts_are_as_before
		[ $round = 1 ] || target_go
		stopped_with 0
		target_restored
	done
	cut -d ' ' -f 5- /proc/self/mountinfo | diff "$WORK/before" - >"$WORK/diff" || finding "the host has other mounts:" "$(cat "$WORK/diff")"
	target_quit
	file_agrees
}

# The mount namespace belongs to the container's user namespace.
boxed_read_only() {
	begin "a JVM of a user namespace that can write to noexec directories only is traced with --mount, JDK $FEATURE" || return 0
	unshare --user true 2>/dev/null || { skip "$SENTENCE" "no user namespace can be made here, as in a chroot"; return; }
	local boxed=${boxed/'"$root$stage" && mount -o remount,bind,ro "$root"'/'"$root$stage" && mount -o remount,bind,noexec "$root$stage" && mount -o remount,bind,ro "$root"'}
	boxed_start Late 3000
	target_comes_up || return 0
	mount_refused '^frtrace: cannot put the agent .*: /tmp: mounted noexec; .* its working directory: mounted noexec'
	mounts
	ended "$T_PID" || mounts_are_as_before
	finish
}

# FIFOs and files without end, as a container may have them in the place of /proc.
without_proc() { # WHAT SHELL-COMMANDS
	local LAUNCH=("${LAUNCH[@]}" unshare --mount) round
	begin "a JVM whose /proc is covered by $1 is traced twice, JDK $FEATURE" || return 0
	run_program Late 3000 || return 0
	nsenter --target "$T_PID" --mount sh -c 'mount -t tmpfs none /proc && mkdir /proc/self && '"$2" || finding "cannot cover /proc"
	for round in 1 2; do
		trace_start -m 'live.Late$Latecomer::checkout' || break
		[ $round = 1 ] || target_go
		stopped_with 0
		target_restored
	done
	target_quit
	file_agrees
	finish
}

# Waits and wakers of calls: threads have other ids there than on the host.
waits_agree() {
	judged_by live.WhereCheck "$F_FILE" "$T_DIR/splits"
}

usage_known() {
	"${own:-$FRTRACE}" print --events jdk.MethodTrace "$F_FILE" >"$WORK/printed"
	grep -qE '^  syscalls = [1-9]' "$WORK/printed" && ! grep -qE '^  (syscalls|minorFaults) = N/A' "$WORK/printed" ||
		finding "not every call has its system calls:" "$(head -n 20 "$WORK/printed")"
}

contained_where() {
	begin "waits in a container have their reasons and wakers, JDK $FEATURE" || return 0
	namespaced_start Where 100 none sleep monitor lock queue socket
	trace_target -m 'live.Where::in*' --no-stack --kernel=full || return 0
	trace_calls
	target_quit
	waits_agree
	usage_known
	finish
}

# frtrace has a /proc that hides processes of other users, and the rights that `check --security-context` prints.
boxed_traced() {
	local other
	begin "of two JVMs that are process 1 and root of user, network and time namespaces, with a root of the JDK alone, one is traced, JDK $FEATURE" || return 0
	local hidden='mount -t proc -o hidepid=invisible proc /proc && exec "$@"'
	unshare --user true 2>/dev/null || { skip "$SENTENCE" "no user namespace can be made here, as in a chroot"; return; }
	boxed_start Late 1000
	target_comes_up || return 0
	other=$T_PID
	boxed_start Late 3000
	target_comes_up || return 0
	[ "$(readlink "/proc/$T_PID/ns/user")" != "$(readlink /proc/self/ns/user)" ] && ! grep -q '^/bin' "$T_DIR/files" || finding "it is not boxed"
	local TRACE_AS=(unshare --mount sh -c "$hidden" - setpriv --bounding-set="-all$(context_of "$T_PID" | sed 's/^/,+/' | tr -d '\n')" --inh-caps=-all)
	trace_target -m 'live.Late$Latecomer::checkout' || return 0
	trace_calls
	[ -z "$(find "$T_DIR" "/proc/$T_PID/root/tmp" -maxdepth 1 \( -name '.frtrace*' -o -name '.attach_pid*' \))" ] || finding "left files:" "$(ls -la "$T_DIR" "/proc/$T_PID/root/tmp")"
	target_leaves
	file_agrees
	target_untouched "$other"
	finish
	kill -9 "$other"
}

declare -A CAPABILITIES=([sys_ptrace]=19 [sys_admin]=21) # their numbers (linux/capability.h)

# The capabilities of a process, and whether exec() can bring more.
rights_are() { # PID CAPABILITY,...
	local name held wanted=0
	held=$(sed -n 's/^CapPrm:\t//p' "/proc/$1/status")
	for name in ${2//,/ }; do wanted=$((wanted | 1 << CAPABILITIES[$name])); done
	[ $((16#$held)) = $wanted ] || finding "frtrace has still the capabilities $held, not only $2"
	grep -qx $'NoNewPrivs:\t1' "/proc/$1/status" || finding "exec() can bring rights"
}

# Those of `frtrace check --security-context`, one a line.
context_of() { # ARGUMENT...
	"$FRTRACE" check --security-context "$@" | sed -n 's/^    - \([A-Z_]*\) .*/\1/p' | tr A-Z a-z
}

# frtrace beside the JVM, in its pid namespace, with a few of root's capabilities.
sidecar() { # CAPABILITIES-LEFT CAPABILITY...
	local left=$1
	shift
	local inner FRTRACE=$FRTRACE own=$FRTRACE only
	begin "a sidecar that has only $* traces calls and waits${PROBES:+, --attach=$PROBES}, JDK $FEATURE" || return 0
	only=$(printf ',+%s' "$@")
	namespaced_start Where 100 none sleep monitor lock queue socket
	target_comes_up || return 0
	[ "$(printf '%s\n' "$@")" = "$(context_of --attach="${PROBES:-auto}" "$T_PID")" ] ||
		finding "the security context beside a JVM of root has:" "$(context_of --attach="${PROBES:-auto}" "$T_PID")"
	inner=$(awk '/^NSpid:/ { print $NF }' "/proc/$T_PID/status")
	cat >"$WORK/sidecar" <<-END
		#!/bin/sh
		shift 2 # -p PID
		exec nsenter --target $T_PID --pid unshare --mount sh -c 'mount -t proc proc /proc && exec "\$@"' - \
			setpriv --bounding-set=-all$only --inh-caps=-all "$own" -p $inner "\$@"
	END
	chmod +x "$WORK/sidecar"
	FRTRACE=$WORK/sidecar
	trace_target -v -m 'live.Where::in*' --kernel=full || return 0
	target_go
	rights_are "$(pgrep -P "$F_PID")" "$left" # nsenter's child
	kill -INT "$(pgrep -P "$F_PID")"
	trace_wait 60
	target_quit
	status_is 0
	says "^tracing .* in $inner live.Where"
	says "^  no names of the kernel's functions: "
	slots_lent
	waits_agree
	usage_known
	finish
}

# With fewer rights: one line, and the JVM is unchanged.
without_rights() {
	local own=$FRTRACE
	begin "without the right to load programs frtrace does not touch the JVM, JDK $FEATURE" || return 0
	run_program Splits 20 sleep || return 0
	setpriv --bounding-set=-all,+sys_ptrace --inh-caps=-all "$own" -p "$T_PID" -m live.Splits::sleep -o "$WORK/forbidden.jfr" \
		>"$WORK/said" 2>&1 && finding "status 0"
	[ "$(wc -l <"$WORK/said")" = 1 ] && grep -q '^frtrace: cannot load BPF programs: no right to' "$WORK/said" || finding "$(cat "$WORK/said")"
	[ ! -e "$WORK/forbidden.jfr" ] || finding "left a file"
	target_untouched "$T_PID"
	finish
}

probe=$(mktemp -d "$WORK/probe.XXXXXX")
if ! unshare --fork --pid --mount sh -c "$inside" - "$probe" true 2>/dev/null; then
	skip "a JVM in a container" "no namespaces or mounts here"
	exit 0
fi

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	as=()
	turn 0 && contained_where
	turn 1 && sidecar sys_ptrace bpf perfmon sys_ptrace
	turn 1 && PROBES=perf sidecar sys_ptrace sys_admin sys_ptrace
	turn 0 && without_rights
	turn 0 && boxed_traced
	as=()
	turn 1 && boxed_read_only
	turn 1 && read_only private "is traced with --mount, and its mounts are as before" mounts
	turn 0 && read_only private "is refused without --mount, which is named" not_without_asking
	turn 0 && read_only shared "is refused with --mount if its mounts are shared" mount_refused 'mounted noexec, and --mount fails: what is mounted there appears in other namespaces, too' --mount
	turn 0 && without_proc "FIFOs" 'mkfifo /proc/self/maps /proc/self/status'
	turn 1 && without_proc "endless files" 'for file in maps status; do : >/proc/self/$file && mount --bind /dev/zero /proc/self/$file; done'
	turn 1 && contained "a JVM in pid and mount namespaces of its own is traced"
	turn 0 || continue
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	findings=()
	classes_for_all
	if "${as[@]}" "$JAVA/bin/java" -cp "$CLASSES" live.BigSource >/dev/null 2>&1; then
		contained "a JVM of another user in namespaces of its own is traced"
	else
		skip "a JVM of another user in namespaces of its own, JDK $FEATURE" "user nobody cannot run $JAVA"
	fi
done
