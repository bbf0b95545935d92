#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --follow: JVMs that start and end while one frtrace waits for them.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# Its name is one that no other test has.
JAR=$WORK/pulse-$$.jar
OUR_NICE=$(nice)

# Start a JVM that beats until pulses_quit. Its pid, and how often it beat, go into a file of its own.
pulse() { # [COMMAND...]
	local out
	out=$(mktemp "$P_DIR/pulse.XXXXXX")
	"$@" "${LAUNCH[@]}" "$JAVA/bin/java" "${BRIEF[@]}" -Xmx32m -jar "$JAR" "$P_DIR/quit" >"$out" 2>"$out.err" </dev/null &
	STARTED+=($!)
	PULSES+=($!)
	disown $!
}

pulses_quit() {
	touch "$P_DIR/quit"
	pulses_end
	rm "$P_DIR/quit"
}

pulses_end() {
	local pid
	for pid in "${PULSES[@]}"; do wait_for "$SECONDS_MAX" ended "$pid" || finding "$pid does not end"; done
	PULSES=()
}

follow_start() { # SELECTOR ARGUMENT...
	local selector=$1
	shift
	P_DIR=$(mktemp -d "$WORK/pulses.XXXXXX") PULSES=()
	mkdir "$P_DIR/rec"
	trace_launch --follow="$selector" -m live.Pulse::beat ${WITH_STACKS---no-stack} -o "$P_DIR/rec/" "$@"
	wait_for 20 grep -qs '^following ' "$F_DIR/stderr" && return
	finding "does not follow:" "$(cat "$F_DIR/stderr")"
	return 1
}

# Recordings that have ended are said so, one by one.
recorded() { grep -cE '^[0-9]+: [0-9,]+ calls?, 0 thrown, 0 lost' "$F_DIR/stderr"; }
recorded_are() { [ "$(recorded)" -ge "$1" ]; }
traced_are() { [ "$(grep -c '^[0-9]*: tracing ' "$F_DIR/stderr")" -ge "$1" ]; }
# Those that record; one looks at processes.
children() {
	local child
	for child in $(cat "/proc/$F_PID/task/$F_PID/children" 2>/dev/null); do
		[ "$(cat "/proc/$child/comm" 2>/dev/null)" != frtrace ] || echo "$child"
	done
}
# The 19th field, behind a name that may have blanks.
is_as_nice_as_we() { # PID
	local fields
	fields=$(<"/proc/$1/stat")
	read -ra fields <<<"${fields##*) }"
	NICE=${fields[16]}
	[ "$NICE" = "$OUR_NICE" ]
}
no_children() { [ -z "$(children)" ]; }

# Each JVM says how many calls there were; its recording has all but those of the time that attaching took.
each_has_a_recording() {
	local out pid beats seen
	for out in "$P_DIR"/pulse.??????; do
		read -r pid beats <"$out" || { finding "a JVM printed nothing: $(cat "$out.err")"; continue; }
		seen=$(sed -nE "s/^$pid: ([0-9,]+) calls?, .*/\1/p" "$F_DIR/stderr" | tr -d ,)
		[ -n "$seen" ] && [ "$seen" -gt 0 ] && [ "$seen" -le "$beats" ] || finding "$pid: ${seen:-no} calls recorded of $beats"
		[ "$(ls -d "$P_DIR"/rec/*_"$pid" 2>/dev/null | wc -l)" = 1 ] || finding "$pid has no recording of its own"
		echo "# $pid: $seen of $beats" >>"$P_DIR/shares"
	done
}

many_jvms() {
	local waves per=3 wave most=0 kb
	waves=$(amount 4 34)
	begin "each of $((waves * per)) JVMs that start and end has its recording, and no other one; memory stays, JDK $FEATURE" || return 0
	if follow_start "${JAR##*/}"; then
		for ((wave = 1; wave <= waves; wave++)); do
			pulse && pulse && pulse env JAVA_TOOL_OPTIONS=-XX:-UsePerfData
			"$JAVA/bin/java" -version >"$WORK/version" 2>&1
			wait_for 20 traced_are $((wave * per)) || finding "some are not traced"
			pulses_quit
			wait_for 20 no_children || finding "recordings of JVMs that have ended are still there"
			kb=$(awk '/^RssAnon:/ { print $2 }' "/proc/$F_PID/status")
			[ "$kb" -gt "$most" ] && most=$kb
		done
		[ "$most" -lt 20000 ] || finding "frtrace has $most KB"
		stopped_with 0
		says "^$((waves * per)) JVMs traced, 0 not traced$"
		each_has_a_recording
		[ "$(ls "$P_DIR/rec" | wc -l)" = $((waves * per)) ] || finding "recordings:" "$(ls "$P_DIR/rec")"
	fi
	verdict
}

# A JVM is found before it has all that a walk needs.
together() {
	local WITH_STACKS='' jvms group i n
	jvms=$(amount 15 150)
	begin "JVMs that start one, four and ten at a time all have walked stacks, JDK $FEATURE" || return 0
	if follow_start "${JAR##*/}"; then
		for ((i = 0; i < jvms; i += 15)); do
			for group in 1 4 10; do
				for ((n = 0; n < group; n++)); do pulse; done
				sleep .5
			done
			wait_for 40 traced_are $((i + 15)) || finding "some are not traced"
			pulses_quit
			wait_for 40 no_children || finding "recordings of JVMs that have ended are still there"
		done
		stopped_with 0
		says "^$jvms JVMs traced, 0 not traced$"
		[ "$(grep -c ': tracing .*, stacks walked' "$F_DIR/stderr")" = "$jvms" ] || finding "not walked:" "$(grep -E ': (tracing|  (no )?stacks)' "$F_DIR/stderr" | grep -v 'stacks walked')"
	fi
	verdict
}

# The recordings of JVMs that have ended are there, and so is that of one that runs: together they stay below the limit.
limited() {
	local bytes names
	begin "--max-total bounds all recordings together, and the oldest go first, JDK $FEATURE" || return 0
	if follow_start "${JAR##*/}" --max-total=1m; then
		mkdir "$P_DIR/rec/2025_01_01_00_00_00_1" "$P_DIR/rec/mine"
		truncate -s 1m "$P_DIR/rec/2025_01_01_00_00_00_1/2025_01_01_00_00_00.jfr" "$P_DIR/rec/mine/2025_01_01_00_00_00.jfr"
		pulse && wait_for 20 traced_are 1 || finding "is not traced"
		wait_for 30 test ! -e "$P_DIR/rec/2025_01_01_00_00_00_1" || finding "the oldest recording stays: $(ls -R "$P_DIR/rec")"
		[ -e "$P_DIR/rec/mine/2025_01_01_00_00_00.jfr" ] || finding "a file went that is no recording of --follow"
		pulses_quit
		wait_for 20 no_children
		stopped_with 0
		bytes=$(find "$P_DIR"/rec/2* -name '*.jfr' -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }')
		[ "$bytes" -gt 0 ] && [ "$bytes" -le 1048576 ] || finding "$bytes bytes are left"
	fi
	verdict
}

# Those that run already belong to it, too.
ctrl_c() { # SENTENCE SIGNAL
	local pid
	begin "$1, JDK $FEATURE" || return 0
	P_DIR=$(mktemp -d "$WORK/pulses.XXXXXX") PULSES=()
	pulse
	pid=${PULSES[0]}
	if follow_start "${JAR##*/}"; then
		pulse
		wait_for 20 traced_are 2 || finding "does not trace both:" "$(cat "$F_DIR/stderr")"
		children >"$WORK/recorders"
		# shellcheck disable=SC2013
		for pid in $(cat "$WORK/recorders"); do
			wait_for 5 is_as_nice_as_we "$pid" || finding "a recording goes on at nice $NICE"
		done
		trace_stop "$2"
		if [ "$2" = INT ]; then
			status_is 0
			says '^2 JVMs traced, 0 not traced$'
		else
			# shellcheck disable=SC2013
			for pid in $(cat "$WORK/recorders"); do wait_for 20 ended "$pid" || finding "a recording goes on"; done
		fi
		recorded_are 2 || finding "not two complete recordings:" "$(cat "$F_DIR/stderr")"
		[ "$(grep -c 'The JVM runs its original code again' "$F_DIR/stderr")" = 2 ] || finding "the JVMs are not restored"
	fi
	verdict
	for pid in "${STARTED[@]}"; do is_ours "$pid" && kill -9 "$pid" 2>/dev/null; done
}

# A control group whose name no other process has.
by_control_group() {
	local group dir
	begin "cgroup:NAME follows the JVMs of a control group, and -p takes it, too, JDK $FEATURE" || return 0
	dir=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts) group=frtrace-test-$$
	if [ -z "$dir" ] || ! mkdir "$dir/$group" 2>/dev/null; then
		skip "$SENTENCE" "no control group can be made"
		return
	fi
	if follow_start "cgroup:/$group"; then
		pulse
		pulse sh -c 'echo $$ >"$0" && exec "$@"' "$dir/$group/cgroup.procs"
		wait_for 20 traced_are 1 || finding "is not traced:" "$(cat "$F_DIR/stderr")"
		"$FRTRACE" methods "cgroup:/$group" 'live.Pulse::beat' >"$WORK/methods" 2>&1 || finding "$(cat "$WORK/methods")"
		kill -9 "${PULSES[@]}"
		pulses_end
		wait_for 20 no_children
		trace_stop
		says '^1 JVM traced, 0 not traced$'
		grep -q "^${PULSES[1]:-}" "$F_DIR/stderr" || finding "$(cat "$F_DIR/stderr")"
	fi
	wait_for 10 rmdir "$dir/$group" 2>/dev/null
	verdict
}

# 33 JVMs: with SOAK only.
bounded() {
	begin "the 33rd JVM at a time is refused by one line, JDK $FEATURE" || return 0
	[ -n "$SOAK" ] || { skip "$SENTENCE" "33 JVMs at a time run with SOAK=1"; return; }
	if follow_start "${JAR##*/}"; then
		for ((i = 0; i < 32; i++)); do pulse; done
		wait_for "$SECONDS_MAX" traced_are 32 || finding "does not trace 32:" "$(grep -v calls "$F_DIR/stderr")"
		pulse
		wait_for 20 grep -q '^not traced: ' "$F_DIR/stderr"
		says "^not traced: ${PULSES[32]} pulse-$$.jar: 32 JVMs are being traced, and --follow traces no more at a time$"
		kill -9 "${PULSES[@]}"
		pulses_end
		wait_for 20 no_children
		stopped_with 3
		says '^32 JVMs traced, 1 not traced$'
	fi
	verdict
}

by_polling() {
	begin "on a kernel that loads no such program JVMs are found in /proc, JDK $FEATURE" || return 0
	gcc -D_GNU_SOURCE -shared -fPIC -o "$WORK/refuse.so" "$LIVE/refuse.c" 2>"$WORK/gcc" || finding "$(cat "$WORK/gcc")"
	local TRACE_AS=(env LD_PRELOAD="$WORK/refuse.so")
	if follow_start "${JAR##*/}"; then
		says '^new processes are looked for in /proc'
		pulse && pulse
		wait_for 20 traced_are 2 || finding "they are not traced:" "$(cat "$F_DIR/stderr")"
		pulses_quit
		wait_for 20 no_children
		trace_stop
		says '^2 JVMs traced, 0 not traced$'
		each_has_a_recording
	fi
	verdict
}

# A program that looks like such a JVM and answers nothing, with a name that would change the terminal.
beside_a_fake() {
	local fake
	begin "a JVM that never answers keeps --follow from no other one, and its name is harmless, JDK $FEATURE" || return 0
	mkdir -p "$WORK/lib" && touch "$WORK/lib/libjvm.so" && gcc -o "$WORK/fake_jvm" "$LIVE/fake_jvm.c" || finding "does not compile"
	truncate -s 8192 "$WORK/lib/libjvm.so"
	if follow_start "pulse-$$"; then
		(exec -a java "$WORK/fake_jvm" "pulse-$$"$'\e]0;pwned\a' "$WORK/lib/libjvm.so") >"$WORK/fake" 2>&1 &
		fake=$!
		STARTED+=("$fake")
		disown "$fake"
		wait_for 20 grep -qs ready "$WORK/fake" || finding "the fake does not start"
		pulse
		wait_for 20 traced_are 1 || finding "the JVM is not traced:" "$(cat "$F_DIR/stderr")"
		stopped_with 3
		says '^1 JVM traced, 1 not traced$'
		says "^$fake: frtrace: cannot "
		grep -q $'\e' "$F_DIR/stderr" && finding "escape sequences:" "$(cat -v "$F_DIR/stderr")"
		kill -9 "$fake" "${PULSES[0]}"
	fi
	verdict
}

# Each is gone before its recording begins. There may be no more lines than for a hundred of them.
flooded() {
	local n
	begin "processes that look like such JVMs, and end at once, do not fill the log, JDK $FEATURE" || return 0
	cat >"$WORK/gone.c" <<-END
		#include <fcntl.h>
		#include <sys/mman.h>
		#include <sys/prctl.h>
		#include <unistd.h>
		int main(void)
		{
			mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, open("$WORK/lib/libjvm.so", O_RDONLY), 0);
			prctl(PR_SET_NAME, "Service Thread");
			usleep(60000);
		}
	END
	mkdir -p "$WORK/lib" && truncate -s 8192 "$WORK/lib/libjvm.so" && gcc -o "$WORK/gone" "$WORK/gone.c" || finding "does not compile"
	if follow_start "pulse-$$"; then
		FLOOD=0
		for ((n = 0; n < 1500; n++)); do
			flood_suffices && break
			(exec -a java "$WORK/gone" -jar "pulse-$$.jar")
		done
		pulse
		wait_for 20 traced_are 1 || finding "the JVM is not traced:" "$(tail -n 5 "$F_DIR/stderr")"
		kill -9 "${PULSES[0]}"
		wait_for 20 no_children
		stopped_with 3
		n=$(grep -cE '^([0-9]+: frtrace|not traced): ' "$F_DIR/stderr")
		[ "$n" -ge 50 ] && [ "$n" -le 132 ] || finding "$n lines of JVMs that are not traced" "$(tail -n 5 "$F_DIR/stderr")"
		says '^100 JVMs were not traced: further ones of this hour are only counted$'
		says '^1 JVM traced, 1[0-9][0-9] not traced$'
	fi
	verdict
}
# After that line, 10 more.
flood_suffices() { grep -q '^100 JVMs were not traced' "$F_DIR/stderr" && [ $((FLOOD += 1)) -gt 10 ]; }

reused='
	java=$1 dir=$2 frtrace=$3 jar=$4
	until_there() { for n in $(seq 4000); do "$@" && return; sleep 0.02; done; echo "no $*"; return 1; }
	FRTRACE_LATE=$dir/late LD_PRELOAD=$dir/late_recorder.so "$frtrace" --follow="$jar" -m live.Pulse::beat -o "$dir/rec/" 2>"$dir/said" &
	follow=$!
	until_there grep -qs "^following" "$dir/said"
	"$java" -jar "$dir/$jar" "$dir/quit" &
	first=$!
	until_there [ -e "$dir/late.forked" ]
	kill -9 $first
	wait $first
	"$dir/with_pid" $first "$java" -jar "$dir/other.jar" "$dir/quit" &
	maps_libjvm() { grep -qs libjvm /proc/$first/maps; }
	until_there maps_libjvm && sleep 1
	grep -c other.jar /proc/$first/cmdline
	touch "$dir/late"
	says_something() { grep -q "^$first: " "$dir/said"; }
	until_there says_something && sleep 1
	grep -c frtrace- /proc/$first/maps
	kill -INT $follow
	wait $follow'

reused() {
	local dir=$WORK/reused seen
	begin "a JVM that has got the pid of the one that was to be traced is left alone, JDK $FEATURE" || return 0
	mkdir -p "$dir/rec" && gcc -D_GNU_SOURCE -shared -fPIC -o "$dir/late_recorder.so" "$LIVE/late_recorder.c" && gcc -o "$dir/with_pid" "$LIVE/with_pid.c" ||
		finding "does not compile"
	cp "$JAR" "$dir/" && cp "$JAR" "$dir/other.jar"
	seen=$(timeout -k 10 600 unshare --pid --fork --kill-child --mount-proc "${SERVICE[@]}" bash -c "$reused" - "$JAVA/bin/java" "$dir" "$FRTRACE" "${JAR##*/}" 2>"$WORK/bash")
	[ "$seen" = $'1\n0' ] || finding "another JVM with the pid, and how much of the agent it has: $seen" "$(cat "$WORK/bash")"
	grep -qE '^[0-9]+: frtrace: (process [0-9]+ has ended|no process [0-9]+)$' "$dir/said" || finding "$(cat "$dir/said")"
	verdict
}

without_a_jvm() {
	begin "--follow without a JVM ends by -d, with one line" || return 0
	if follow_start no.such.Program -d 1s; then
		ended_with 1
		says "^frtrace: no JVM whose main class or jar contains 'no.such.Program' was started$"
	fi
	verdict
}

pulse_build() { "$(jdk_newest)/bin/jar" cfe "$JAR" live.Pulse -C "$CLASSES" live/Pulse.class; }

for line in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$line"
	pulse_build
	turn 0 && many_jvms
	turn 1 && together
	turn 1 && limited
	turn 1 && ctrl_c "Ctrl-C completes all recordings" INT
	turn 0 && ctrl_c "when frtrace is killed, its recordings are completed, too" KILL
	turn 1 && by_control_group
	turn 0 && beside_a_fake
	turn 1 && flooded
	turn 0 && reused
	turn 1 && by_polling
	turn 1 && bounded
done
jdk_use "${JDKS[-1]}"
for version in "${OTHERS_OF_DAY[@]}"; do
	root_use "$version" "JVMs that start together" || continue
	pulse_build
	together
done
without_a_jvm
