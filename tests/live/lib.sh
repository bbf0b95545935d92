# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2015,SC2016,SC2034,SC2046,SC2120
#
# Shared by the live tests: JDKs, a traced program (target_*), the tracer (trace_*), and verdicts:
# "ok - sentence", "not ok - sentence" followed by the findings, "skip - sentence # reason".
#
# tests/live/AREA/NAME.sh also runs alone, as root; $FRTRACE is the binary (build/frtrace). $ONLY, a regular expression,
# chooses cases by their sentence. $KEEP keeps the directory with all files written. PROBES=perf attaches as on kernels
# without uprobe_multi links, BUFFER=perf through perf buffers. SOAK=1 runs every variant on every JDK, and longer, where an hour does not matter.
set -uo pipefail

LIVE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$LIVE/../.." && pwd)
FRTRACE=${FRTRACE:-$ROOT/build/frtrace}
CACHE=$(dirname "$FRTRACE")/live
WORK=$(mktemp -d "${TMPDIR:-/tmp}/frtrace-live.XXXXXX")
NAP=$WORK/nap # nothing ever comes out of it
mkfifo "$NAP" || exit 1
chmod 755 "$WORK"
touch "$WORK/.start"
STARTED=()	# pids of processes that this test started
FAILED=0
F_FILE= F_PID= T_PID= DISK=
SOAK=${SOAK:+1}
SECONDS_MAX=${SECONDS_MAX:-60} # limit of a single wait
TRACE_SECONDS_MAX=${TRACE_SECONDS_MAX:-30} # limit for tracing to begin or end

export FRTRACE_LIVE=$WORK # in the environment of all processes that this test starts

# Files that scripts share are made by one process at a time.
exclusively() { # COMMAND...
	local lock status
	mkdir -p "$CACHE" && exec {lock}>"$CACHE/.lock" && flock "$lock" || exit 1
	"$@"
	status=$?
	exec {lock}>&-
	return "$status"
}

amount() { if [ -n "$SOAK" ]; then echo "$2"; else echo "$1"; fi; } # USUAL WITH-SOAK

# Process ids are reused by others.
is_ours() { # PID
	[ "$(sed -n 's/^PPid:\t//p' "/proc/$1/status" 2>/dev/null)" = $$ ] || grep -qzxF "FRTRACE_LIVE=$WORK" "/proc/$1/environ" 2>/dev/null
}

live_end() {
	local pid
	for pid in "${STARTED[@]}"; do is_ours "$pid" && kill -9 "$pid" 2>/dev/null; done
	wait 2>/dev/null
	for pid in "${STARTED[@]}"; do
		[ -e "/proc/$pid" ] || rm -f "/tmp/.java_pid$pid" # a killed JVM leaves it to the next process with this pid
	done
	mountpoint -q "$WORK/disk" && umount "$WORK/disk"
	[ -z "${DISK:-}" ] || rm -rf "$DISK"
	if [ -n "${KEEP:-}" ]; then echo "# kept $WORK"; else rm -rf "$WORK"; fi
	exit $((FAILED > 0))
}
trap live_end EXIT
trap 'exit 1' INT TERM

# ---- verdicts

ok() { echo "ok - $1"; }

not_ok() { # SENTENCE [DETAIL...]
	FAILED=$((FAILED + 1))
	echo "not ok - $1"
	shift
	[ $# -gt 0 ] && printf '%s\n' "$@" | head -n 30 | sed 's/^/    /'
	return 0
}

skip() { echo "skip - $1 # $2"; }

# A case is a sentence and a list of findings. It passes if there are none. Most cases are
#
#	begin "what is right, JDK $FEATURE" || return 0
#	record_program CLASS ARGUMENT -- -m FILTER || return 0
#	...			what adds findings
#	finish

DAY=${DAY:-$(($(date +%s) / 86400))}

# Begin a case; false if it was not chosen, or has its turn on another day of $DAYS ($SOAK: each has). Those of a test with
# $TOGETHER, where one reads what another has made, have their turn on the same day.
begin() { # SENTENCE
	SENTENCE=$1 findings=()
	if [ -n "${ONLY:-}" ]; then
		[[ $1 =~ $ONLY ]]
	else
		[ "${DAYS:-1}" -eq 1 ] || [ -n "$SOAK" ] || [ $((($(cksum <<<"${TOGETHER:-$1}" | cut -d ' ' -f 1) + DAY) % DAYS)) -eq 0 ]
	fi
}

finding() { findings+=("$@"); }

verdict() { # [SENTENCE]
	local sentence=${1:-$SENTENCE}
	if [ ${#findings[@]} -eq 0 ]; then ok "$sentence"; else not_ok "$sentence" "${findings[@]}"; fi
}

# The case is over, and so is its program.
finish() {
	verdict
	target_drop
}

# Run a case that mostly waits in the background until meanwhile_ends, with a $WORK of its own. One at a time.
meanwhile() { # COMMAND...
	(
		WORK=$WORK/meanwhile STARTED=() FAILED=0 DISK=
		export FRTRACE_LIVE=$WORK
		trap live_end EXIT
		trap 'exit 1' INT TERM
		mkdir "$WORK" && touch "$WORK/.start" && "$@"
	) >"$WORK/meanwhile.out" 2>&1 &
	MEANWHILE=$!
}

meanwhile_ends() {
	wait "$MEANWHILE" || FAILED=$((FAILED + 1))
	cat "$WORK/meanwhile.out"
}

# sleep, without a process: that takes 12 ms of CPU on a virtual machine, and a test looks 50 times a second.
nap() { read -rt "$1" <>"$NAP" || :; } # SECONDS

# Wait until the command succeeds. The limit tells what hangs from what is slow, so it is four times as long: a busy machine is
# several times slower than one that is idle. A virtual machine may stand still for a minute, so between two looks at most a
# quarter of it passes.
wait_for() { # SECONDS (on an idle machine) COMMAND...
	local quarter=$(($1 * 1000000)) left_us=$(($1 * 4000000)) since=${EPOCHREALTIME/[^0-9]/} passed
	shift
	until "$@"; do
		passed=$((${EPOCHREALTIME/[^0-9]/} - since)) since=${EPOCHREALTIME/[^0-9]/}
		[ $((left_us -= passed < quarter ? passed : quarter)) -gt 0 ] || return 1
		nap 0.02
	done
}

none_left() { # FILE...
	local file
	for file; do [ ! -e "$file" ] || return 1; done
}

ended() { ! kill -0 "$1" 2>/dev/null; }

# The status of a process in the background, which is killed if it does not end.
reap() { # PID
	wait_for "$SECONDS_MAX" ended "$1" || kill -9 "$1"
	wait "$1" 2>/dev/null
}

# Signals have their defaults, as in a service: bash's background jobs ignore SIGQUIT.
SERVICE=(env --default-signal=INT,QUIT,TERM)

# ---- JDKs: a line "FEATURE HOME" for each version that is installed, oldest first

jdk_list() {
	local home
	for home in "${JAVA_HOME:-}" /usr/lib/jvm/* "$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")"; do
		if [ -x "$home/bin/javac" ] && [ -x "$home/bin/jcmd" ]; then
			echo "$(sed -nE 's/^JAVA_VERSION="(1\.)?([0-9]+).*/\2/p' "$home/release" 2>/dev/null) $(readlink -f "$home")"
		fi
	done | grep -E '^[0-9]+ ' | sort -k1,1n -u
}

# 17 and 25 if they are installed, else all versions from 17 on.
jdk_choose() {
	local all
	all=$(jdk_list | awk '$1 >= 17')
	if grep -qE '^(17|25) ' <<<"$all"; then grep -E '^(17|25) ' <<<"$all"; else echo "$all"; fi
}

# One JDK of the host is enough for a variant, so they take turns. With SOAK=1 each JDK runs every variant.
turn() { # N: true if the N-th variant runs on the JDK in use
	[ -n "$SOAK" ] || [ "$FEATURE" = "${JDKS[$1 % ${#JDKS[@]}]%% *}" ]
}

mapfile -t JDKS < <(jdk_choose)
if [ ${#JDKS[@]} -eq 0 ] || [ -z "${JDKS[0]}" ]; then
	skip "$(basename "$0")" "no JDK of version 17 or later"
	exit 0
fi
if [ ! -x "$FRTRACE" ]; then
	not_ok "$(basename "$0")" "no $FRTRACE"
	exit 1
fi

jdk_use() { # LINE
	FEATURE=${1%% *} JAVA=${1#* }
	CLASSES=$CACHE/classes-$FEATURE
	LAUNCH=("${SERVICE[@]}")
	classes_build
}

# The newest tools read the files of all versions: the host's from JDK 25 on, else those of a root directory.
jdk_newest() { echo "${NEWEST#* }"; }

# Skips the case without the tools of JDK 25 or later.
newest_is_25() { # [SENTENCE]
	[ "${NEWEST%% *}" -ge 25 ] && return
	skip "${1:-$SENTENCE}" "needs the tools of JDK 25 or later: $(roots_why)"
	return 1
}

BRIEF=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC) # for short-lived JVMs: half the CPU time

jfr_of() { "$1/bin/jfr" "${BRIEF[@]/#/-J}" "${@:2}"; } # HOME ARGUMENT...

jfr_newest() { jfr_of "${NEWEST#* }" "$@"; }

# ---- JVMs in root directories, which scripts/jdks provides
#
#	root_use 8 "what" || ...	from here on target_start, exact and the rest run JDK 8; if it is not there, "what,
#					JDK 8" is skipped. The first one takes a minute in a clean clone
#	jdk_use "${JDKS[0]}"		back to a JDK of the host
#
# $FEATURE is the version, $JAVA its home inside the root, $CLASSES the programs: those of the newest JDK of the host
# that is not newer, else those of $OLD_SOURCES, compiled for the version. Any other program: "${LAUNCH[@]}"
# "$JAVA/bin/java" ... & and $! is the JVM. It shares the host's pid namespace, so jcmd and jstack of JDK 25 reach it
# (17's do not). Its /tmp is private (/proc/PID/root/tmp). Of the test's directories it sees $WORK and $CACHE, at the
# same paths. Its mounts are in a private namespace and disappear with it.

mapfile -t OTHER_JDKS < <("$ROOT/scripts/jdks" --list)

# Most tests use one of those before 17 and one of those since 21, which their names choose; long ones use only one of the
# two, and one of the host's, and the others on the next day. Tests that depend on the version use one half and then the
# other. With SOAK=1 all tests use all. DAY=N is a day of the past.
jdks_in_turn() {
	local number i
	JDKS_IN_TURN=("${OTHER_JDKS[@]}") JDKS_OF_DAY=("${JDKS[@]}") OTHERS_OF_DAY=("${OTHER_JDKS[@]}") HALF_OF_DAY=("${OTHER_JDKS[@]}")
	[ -z "$SOAK" ] || return
	number=$(basename "$0" | cksum | cut -d " " -f 1)
	JDKS_IN_TURN=("${OTHER_JDKS[number % 2]}" "${OTHER_JDKS[2 + number / 2 % (${#OTHER_JDKS[@]} - 2)]}")
	JDKS_OF_DAY=("${JDKS[(number + DAY) % ${#JDKS[@]}]}")
	OTHERS_OF_DAY=("${JDKS_IN_TURN[(number / 2 + DAY) % 2]}")
	HALF_OF_DAY=()
	for ((i = DAY % 2; i < ${#OTHER_JDKS[@]}; i += 2)); do HALF_OF_DAY+=("${OTHER_JDKS[i]}"); done
}
jdks_in_turn

# For a JVM whose threads are counted: HotSpot starts and ends some as it has work.
# shellcheck disable=SC2034
FIXED_THREADS=(-XX:-UseDynamicNumberOfCompilerThreads -XX:-UseDynamicNumberOfGCThreads)

OLD_SOURCES=(Allocating BigMain BigSource Branched Brim Cast Chains Compile Completed Contended Crowd Exits ExitsMain FileServer Forms Frames Fronted Graphs Late Later Launched Natives Open Orphan Pulse Rooted Speed Spent Splits Stage Tasks Textual Threads Tight Usage Valued Waits Wakers Where Wire Woken)

inside_root='
	mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount -t tmpfs -o mode=1777 tmpfs "$1/tmp" || exit 9
	for dir in "$2" "$3"; do
		mkdir -p "$1$dir" && mount --bind "$dir" "$1$dir" || exit 9
	done
	root=$1
	shift 3
	exec chroot "$root" "$@"'

# It takes seconds of CPU to see that they all run: scripts/test names a directory, and the first test that looks does it
# for all others.
ROOTS_FOUND=${ROOTS_FOUND:-$WORK}

roots_find() {
	[ -e "$ROOTS_FOUND/roots" ] || exclusively roots_look
	mapfile -t ROOTS <"$ROOTS_FOUND/roots"
}

roots_look() {
	[ -e "$ROOTS_FOUND/roots" ] && return # another script has looked meanwhile
	"$ROOT/scripts/jdks" >"$ROOTS_FOUND/.roots" 2>"$ROOTS_FOUND/roots_why"
	mv "$ROOTS_FOUND/.roots" "$ROOTS_FOUND/roots"
}

roots_why() { sed 's|^scripts/jdks: ||' "$ROOTS_FOUND/roots_why" | paste -sd ';'; }

root_use() { # FEATURE [WHAT]: false if it is unavailable; then WHAT, if it is given, is skipped
	local line host
	roots_find
	if ! line=$(printf '%s\n' "${ROOTS[@]}" | grep "^$1 "); then
		[ -z "${2:-}" ] || skip "$2, JDK $1" "$(roots_why)"
		return 1
	fi
	host=$(printf '%s\n' "${JDKS[@]}" "$NEWEST" | awk -v version="$1" '$1 <= version' | tail -n 1)
	if [ -n "$host" ]; then
		jdk_use "$host"
	else
		FEATURE=${JDKS[0]%% *} JAVA=${JDKS[0]#* } CLASSES=$CACHE/classes-$1
		classes_build --release "$1"
	fi
	read -r FEATURE JVM_ROOT JAVA <<<"$line"
	LAUNCH=("${SERVICE[@]}" unshare --mount sh -c "$inside_root" - "$JVM_ROOT" "$WORK" "$CACHE")
}

classes_are_new() { [ -d "$CLASSES" ] && [ -z "$(find "$LIVE/java" "$LIVE/lib.sh" -newer "$CLASSES" -type f)" ]; }

classes_build() { # [--release VERSION]: only $OLD_SOURCES for an older version
	classes_are_new || exclusively classes_compile "$@"
}

classes_compile() { # [--release VERSION]
	classes_are_new && return # compiled by another script meanwhile
	local sources=("$LIVE"/java/*.java) javac=("$JAVA/bin/javac" "${BRIEF[@]/#/-J}" -nowarn -Xlint:-options "$@") new=$CLASSES.$$
	[ "$FEATURE" -ge 25 ] && sources+=("$LIVE"/java/java25/*.java)
	[ $# -gt 0 ] && sources=("${OLD_SOURCES[@]/#/$LIVE/java/}") && sources=("${sources[@]/%/.java}")
	rm -rf "$new" && mkdir -p "$new/modules"
	"${javac[@]}" -d "$new" "${sources[@]}" &&
		"$JAVA/bin/java" "${BRIEF[@]}" -cp "$new" live.BigSource >"$new/Big.java" &&
		"${javac[@]}" -d "$new" "$new/Big.java" &&
		{ [ $# -gt 0 ] || find "$LIVE/java/secret" -name '*.java' -exec "${javac[@]}" -d "$new/modules/secret" {} +; } ||
		{ not_ok "the Java programs compile with JDK $FEATURE"; exit 1; }
	rm -rf "$CLASSES" && mv "$new" "$CLASSES"
}

# Sets CLASSES to a copy that every user can read: the clone may be in a private directory.
classes_for_all() {
	local copy=$WORK/all-${CLASSES##*/}
	[ -d "$copy" ] || { cp -r "$CLASSES" "$copy" && chmod -R a+rX "$copy"; } || finding "cannot copy $CLASSES"
	CLASSES=$copy
}

peek() { # PID FIELD
	if [ ! -x "$CACHE/peek" ] || [ -n "$(find "$LIVE/peek.c" "$ROOT"/bpf/*.h -newer "$CACHE/peek")" ]; then
		exclusively sh -c 'gcc -D_GNU_SOURCE -I"$1" -o "$2.new" "$3" && mv "$2.new" "$2"' - "$ROOT" "$CACHE/peek" "$LIVE/peek.c" || exit 1
	fi
	"$CACHE/peek" "$1" "$2" 2>/dev/null || echo none
}

# ---- the traced program

target_start() { # [-JVM-OPTION...] CLASS [ARGUMENT...]: the first argument of the class is the stage directory
	local options=()
	while [[ $1 == -* ]]; do
		options+=("$1")
		shift
	done
	stage
	"${LAUNCH[@]}" "$JAVA/bin/java" -cp "$CLASSES" "${options[@]}" "live.$1" "$T_DIR" "${@:2}" \
		>"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
	target_is $!
}

stage() { # a new stage directory
	T_DIR=$(mktemp -d "$WORK/target.XXXXXX")
	chmod 777 "$T_DIR"
}

target_is() { # PID of a process in the background
	T_PID=$1
	STARTED+=("$1")
	disown "$1" 2>/dev/null
}

target_ready() {
	wait_for "$SECONDS_MAX" target_has ready && ! ended "$T_PID" && return
	finding "the program did not start:" "$(cat "$T_DIR/stderr" "$T_DIR/stdout")"
	return 1
}

target_has() { [ -e "$T_DIR/$1" ] || ended "$T_PID"; }

target_go() {
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" target_has "done" && [ -e "$T_DIR/done" ] && return
	finding "the program did not finish" "$(head -c 2000 "$T_DIR/stderr")"
	return 1
}

target_quit() {
	touch "$T_DIR/quit"
	wait_for "$SECONDS_MAX" ended "$T_PID" || finding "the program does not end"
}

agent_idle() { [ "$(peek "$T_PID" state)" = 0 ]; }

# The descriptors of the JVM $T_PID. HotSpot opens the files of its control group, and the socket of a command, for a
# moment: what it holds is there in each of three looks.
descriptors() {
	local look
	for look in 1 2 3; do
		find "/proc/$T_PID/fd" -mindepth 1 -printf '%f %l\n'
		[ "$look" = 3 ] || sleep 0.1
	done | LC_ALL=C sort | uniq -c | awk '$1 == 3 { print $2, $3 }'
}

# The target must be alive and run its original code.
target_restored() {
	ended "$T_PID" && finding "the target is gone" "$(tail -n 5 "$T_DIR/stderr")"
	agent_idle || finding "the agent is not idle: state $(peek "$T_PID" state)"
}

target_leaves() {
	target_restored
	target_quit
}

# The agent's library or its segment; directories of that name do not count.
agent_mapping() { grep -m1 -E '(/libfrtrace-|/memfd:frtrace-)[^/]*$' "/proc/$1/maps"; } # PID

# A rejected attach leaves nothing behind.
target_untouched() { # PID
	agent_mapping "$1" >/dev/null && finding "left a mapping: $(agent_mapping "$1")"
	[ "$(peek "$1" state)" = none ] || finding "left a control segment"
	tmp_is_clean
}

# Files of others who attach at this moment disappear soon; there may be new ones then.
tmp_is_clean() {
	local left
	mapfile -t left < <(find /tmp "/proc/$T_PID/root/tmp" -maxdepth 2 \( -name '*libfrtrace*' -o -name ".attach_pid$T_PID" \) -newer "$WORK/.start" 2>/dev/null)
	wait_for 5 none_left "${left[@]}" || finding "left in /tmp:" "${left[@]}"
}

# ---- the tracer

# Build a program of tests/live that looks at JVMs from outside, as $WORK/NAME.
probe_build() { # NAME [SOURCE or OPTION...]
	cd "$ROOT" && gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -Wno-unused-parameter -Wno-format-truncation -Wno-maybe-uninitialized \
		-D_GNU_SOURCE -I. -I"$WORK" -o "$WORK/$1" "tests/live/$1.c" user/text/{monotonic,log,fold,io,term}.c \
		$(find user/process -name '*.c' ! -name libraries.c ! -name trace_context.c ! -name process_context.c ! -name syscall_filter.c) \
		$(find format -maxdepth 1 -name '*.c' ! -name gzip.c) "${@:2}"
}

# Build a variant of frtrace with test code, in build/tests; sets VARIANT.
variant_build() { # NAME
	local build said
	build=$(realpath --relative-to="$ROOT" "$(dirname "$FRTRACE")")
	VARIANT=$ROOT/$build/tests/frtrace_$1
	said=$(exclusively make -s -C "$ROOT" BUILD="$build" "$build/tests/frtrace_$1" 2>&1) && return
	not_ok "frtrace_$1 is built" "$said"
	exit 1
}

# frtrace with sanitizers; sets SANITIZED.
sanitized_build() {
	local build
	build=$(realpath --relative-to="$ROOT" "$(dirname "$FRTRACE")")
	build=${build%-asan}-asan
	SANITIZED=$ROOT/$build/frtrace
	mkdir -p "$ROOT/$build"
	timeout 1500 flock --close "$ROOT/$build/.lock" make -s -j"$(nproc)" -C "$ROOT" ASAN=1 BUILD="$build" "$build/frtrace" >"$WORK/made" 2>&1 && return
	not_ok "frtrace is built with sanitizers" "$(tail -n 20 "$WORK/made")"
	exit 1
}

TRACE_AS=()	# a command that runs frtrace
trace_launch() { # ARGUMENT...
	F_DIR=$(mktemp -d "$WORK/trace.XXXXXX") F_STATUS=
	env --default-signal=INT,TERM "${TRACE_AS[@]}" "$FRTRACE" "$@" >"$F_DIR/stdout" 2>"$F_DIR/stderr" </dev/null &
	F_PID=$!
	STARTED+=("$F_PID")
}

trace_says_tracing() { { [[ $'\n'$(<"$F_DIR/stderr") == *$'\ntracing '* ]]; } 2>/dev/null; }

trace_is_on() { trace_says_tracing || ended "$F_PID"; }

# Trace the target into $F_FILE; returns when tracing is on. Records all calls, however frequent, unless the arguments
# have another --max-overhead.
trace_start() { # ARGUMENT...
	F_FILE=$(mktemp -u "$WORK/XXXXXX.jfr")
	trace_launch -p "$T_PID" -o "$F_FILE" --max-overhead=off ${PROBES:+--attach="$PROBES"} ${BUFFER:+--buffer="$BUFFER"} "$@"
	if wait_for "$TRACE_SECONDS_MAX" trace_is_on && trace_says_tracing; then return 0; fi
	finding "tracing does not start:" "$(tail -n 25 "$F_DIR/stderr")"
	ended "$T_PID" && finding "the JVM has ended:" "$(tail -n 5 "$T_DIR/stdout" "$T_DIR/stderr")"
	return 1
}

trace_wait() { # [SECONDS]: sets F_STATUS
	if wait_for "${1:-$SECONDS_MAX}" ended "$F_PID"; then
		wait "$F_PID" 2>/dev/null
		F_STATUS=$?
	else
		F_STATUS=none
		finding "frtrace does not end:" "$(tail -n 5 "$F_DIR/stderr")"
		kill -9 "$F_PID"
	fi
}

trace_stop() { # [SIGNAL]
	kill "-${1:-INT}" "$F_PID" 2>/dev/null
	trace_wait "$TRACE_SECONDS_MAX"
}

# frtrace ends, by itself or stopped, with one of these statuses.
ended_with() { # STATUS...
	trace_wait
	status_is "$@"
}

stopped_with() { # STATUS...
	trace_stop
	status_is "$@"
}

trace_kill() {
	kill -9 "$F_PID"
	wait "$F_PID" 2>/dev/null
}

# The status must be one of these.
status_is() { # STATUS...
	local want
	for want in "$@"; do [ "$F_STATUS" = "$want" ] && return; done
	finding "status $F_STATUS, expected $*:" "$(tail -n 8 "$F_DIR/stderr")"
}

# The lines about the start come after the one with "tracing".
says() { # REGEX: on stderr, by now or soon
	wait_for 5 has_said "$1" && grep -qE -- "$1" "$F_DIR/stderr" || finding "does not say /$1/:" "$(cat "$F_DIR/stderr")"
}

has_said() { grep -qE -- "$1" "$F_DIR/stderr" || ended "$F_PID"; } # REGEX

# With -v: BPF programs have direct access to threads' slots if the kernel supports it (Linux 6.13 and later).
slots_lent() {
	! PATH=$PATH:/usr/sbin bpftool btf dump file /sys/kernel/btf/vmlinux | grep "'BPF_UPTR'" >/dev/null || says '^slots mapped for [1-9][0-9]* of [1-9][0-9]* threads'
}

# A number of the last line, by the word after it: "1,204 calls, 2 thrown, 0 lost".
end_line_number() { # WORD
	grep -E "calls, [0-9,]+ thrown" "$F_DIR/stderr" | tail -n 1 | grep -oE "[0-9,]+ $1" | tr -dc 0-9 | grep . || echo -1
}

# A program of the newest JDK, whose classes read the files of all.
java_newest() { # [-JVM-OPTION...] CLASS [ARGUMENT...]
	"$(jdk_newest)/bin/java" -cp "$CACHE/classes-${JDKS[-1]%% *}" "${BRIEF[@]}" "$@"
}

# Such a program judges a recording: what it prints, SAID, is a finding if its status is not 0.
judged_by() { # [-JVM-OPTION...] CLASS [ARGUMENT...]
	SAID=$(java_newest "$@" 2>&1) || finding "${SAID:-no output}"
}

# The recording must agree with what the program knows.
file_agrees() { judged_by live.Check "$F_FILE" "${1:-$T_DIR/truth}"; } # [TRUTH]

# The jfr of each JDK must print these events of the file, with lines like these.
jfr_prints() { # EVENTS REGEX...
	local jdk line
	for jdk in "${JDKS[@]}"; do
		jfr_of "${jdk#* }" print --events "$1" "$F_FILE" >"$WORK/tool" 2>&1 || finding "print of JDK ${jdk%% *} fails"
		for line in "${@:2}"; do
			grep -qE "$line" "$WORK/tool" || finding "print of JDK ${jdk%% *} has no /$line/"
		done
	done
}

# Number of METHOD's events in the file; 0 if the file is not readable.
file_events() { # CLASS.METHOD
	java_newest live.Check "$F_FILE" 2>/dev/null |
		awk -v name="$1" '$4 == name { n = $1 } END { print n + 0 }'
}

# Wait for the program that was started. If it does not come up, the case is over.
target_comes_up() {
	target_ready && return
	finish
	return 1
}

run_program() { # as target_start
	target_start "$@"
	target_comes_up
}

# Trace the program that was started. If tracing does not begin, the case is over, too.
trace_target() { # TRACE-OPTION...
	target_comes_up || return
	trace_start "$@" && return
	finish
	return 1
}

trace_program() { # [-JVM-OPTION...] CLASS [ARGUMENT...] -- TRACE-OPTION...
	local program=()
	while [ "$1" != -- ]; do
		program+=("$1")
		shift
	done
	target_start "${program[@]}"
	trace_target "${@:2}"
}

# The program makes its calls, and frtrace is stopped with one of these statuses.
trace_calls() { # [STATUS...]
	target_go
	stopped_with "${@:-0}"
}

# Record all calls of a program, which ends then. $STATUS has the statuses that frtrace may have, if not 0 alone.
record_program() { # [-JVM-OPTION...] CLASS [ARGUMENT...] -- TRACE-OPTION...
	trace_program "$@" || return
	# shellcheck disable=SC2086
	trace_calls ${STATUS:-}
	target_leaves
}

# Every call is in the file, as the program knows it.
exact() { # SENTENCE FILTER [-JVM-OPTION...] CLASS [ARGUMENT...]
	begin "$1${PROBES:+, --attach=$PROBES}${BUFFER:+, --buffer=$BUFFER}, JDK $FEATURE" || return 0
	STATUS='0 3' record_program "${@:3}" -- -m "$2" --no-stack || return 0
	says ' 0 lost'
	says 'The JVM runs its original code again'
	file_agrees
	finish
}

target_drop() {
	is_ours "$T_PID" && kill -9 "$T_PID" 2>/dev/null
	rm -f "$F_FILE"
}

# ---- the newest tools

# A directory like a JDK's, whose bin/ runs the tools of the JDK in a root directory.
newest_from() { # FEATURE ROOT HOME
	local tool home=$WORK/jdk-$1
	mkdir -p "$home/bin"
	for tool in java javac javap jfr jcmd jstack; do
		printf '#!/bin/sh\nexec "%s" "%s" "%s" %s "$@"\n' "$LIVE/jdk_tool" "$2" "$3" $tool >"$home/bin/$tool"
		chmod 755 "$home/bin/$tool"
	done
	[ "$("$home/bin/jfr" version 2>"$WORK/tool")" ] && NEWEST="$1 $home" || not_ok "jfr of JDK $1 runs" "$(cat "$WORK/tool")"
}

# Options of a recording by JEP 520. The JDK of a root directory lacks the settings files, which are in its /etc.
jfr_tracing() { # FILTER
	echo "settings=none,+jdk.MethodTrace#enabled=true,+jdk.MethodTrace#stackTrace=true,+jdk.MethodTrace#filter=$1"
}

NEWEST=${JDKS[-1]}
if [ "${NEWEST%% *}" -lt 25 ]; then
	roots_find
	# shellcheck disable=SC2046
	set -- $(printf '%s\n' "${ROOTS[@]}" | awk '$1 >= 25' | head -n 1)
	[ $# -eq 0 ] || newest_from "$@"
	set --
fi

# Exits and all its nested classes, as a filter.
EXITS='live.Exits'
for nested in Sub Base Chain Fields InitBefore InitAfter InitThrows Square Shape Key Color 'Color$1' 'Color$2'; do
	EXITS+=";live.Exits\$$nested"
done

# build all classes of the newest JDK first: its Check reads the files
[ "$NEWEST" = "${JDKS[-1]}" ] || jdk_use "$NEWEST"
jdk_use "${JDKS[-1]}"
