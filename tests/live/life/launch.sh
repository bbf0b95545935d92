#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# frtrace -- java ...: traces from the first class on without getting in the program's way.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

FILTER='live.Launched;live.Launched$Part'

# frtrace [OPTION...] -- PROGRAM...: sets F_DIR and F_FILE, and T_DIR for the program, whose directory has the agent's
# file
launch() {
	F_FILE=$(mktemp -u "$WORK/XXXXXX.jfr")
	TMPDIR=$WORK trace_launch -o "$F_FILE" -m "$FILTER" "$@"
}

# Sets T_PID to the pid that frtrace names, once the program has started to wait.
launch_ready() {
	wait_for 30 trace_is_on
	T_PID=$(sed -nE 's/^tracing ([0-9]+) .*/\1/p' "$F_DIR/stderr")
	[ -n "$T_PID" ] && STARTED+=("$T_PID") && wait_for 30 target_has "done" && [ -e "$T_DIR/done" ] && return
	finding "the program did not start to wait:" "$(cat "$F_DIR/stderr")"
	return 1
}

nothing_is_left() {
	local left
	left=$(find "$WORK" -maxdepth 1 -name '.frtrace-*')
	[ -z "$left" ] || finding "left: $left"
}

# The shared stderr has only frtrace's own lines.
# A page of the JVM may be gone while a stack is read; then frtrace says how many frames are unknown.
stderr_is_ours() {
	local other
	other=$(grep -vE '^(tracing |to |next: |[0-9,]+ calls?, |  (live\.|java\.|open for .* live.Launched.main|open calls have no stack: the JVM had ended|the slowest |[0-9]+ frames? (is|are) unknown: )|0 calls: )' "$F_DIR/stderr")
	[ -z "$other" ] || finding "on stderr: $other"
}

from_the_first_class() { # PROGRAM... before the class and its arguments
	begin "every call from the first class on, the program's status, and a clean stderr, JDK $FEATURE" || return 0
	stage
	launch -- "$@" -cp "$CLASSES" live.Launched "$T_DIR" 7
	ended_with 7
	says '^tracing .* live.Launched .* from its first class on'
	says ' 0 lost'
	grep -q '^sum ' "$F_DIR/stdout" || finding "its output: $(cat "$F_DIR/stdout")"
	[ "$1" = "$JAVA/bin/java" ] && stderr_is_ours
	file_agrees
	nothing_is_left
	verdict
}

# The JVM waits 15 seconds; the debugger holds frtrace up for longer, just before it tells the JVM to run.
ran_early() {
	begin "a JVM that has not waited may lack its first calls, and frtrace says so, JDK $FEATURE" || return 0
	stage
	local TRACE_AS=(gdb -batch -nx -ex 'set debuginfod enabled off' -ex 'break session_let_run' -ex run -ex 'shell sleep 18' -ex continue --args)
	launch -- "$JAVA/bin/java" -cp "$CLASSES" live.Launched "$T_DIR" 0
	trace_wait 120
	says '^  first calls may be missing: the JVM had stopped waiting'
	verdict
}

# Walked stacks that nothing has been compared with are not trusted.
without_attach() {
	begin "a JVM that nobody may attach to is traced, with stacks by JVMTI, JDK $FEATURE" || return 0
	stage
	launch -- "$JAVA/bin/java" -XX:+DisableAttachMechanism -cp "$CLASSES" live.Launched "$T_DIR" 7
	ended_with 7
	says '^tracing .* live.Launched .* from its first class on.*, stacks by JVMTI'
	says '^  stacks: JVMTI .*: the JVM gives no thread dump'
	says ' 0 lost'
	file_agrees
	nothing_is_left
	verdict
}

# The JVM is not up yet when its first classes are initialized, and already gone when its last threads run.
by_jvmti() {
	local stacks want
	begin "from the first class on stacks come from JVMTI, JDK $FEATURE" || return 0
	stage
	launch --stacks=jvmti -- "$JAVA/bin/java" -cp "$CLASSES" live.Launched "$T_DIR" 7
	ended_with 7
	says ', stacks by JVMTI'
	file_agrees
	stacks=$(jfr_newest print --events MethodTrace "$F_FILE" |
		awk '/ method = / { method = $3 } / live\.Launched\./ && !/method = / { print method, $1 }' | sort | uniq -c | awk '{ print $1, $2, $3 }')
	for want in '1 live.Launched.first() live.Launched.<clinit>()' '1 live.Launched.fail() live.Launched.main(String[])' \
		'1 live.Launched$Part.<clinit>() live.Launched.main(String[])' '3000 live.Launched$Part.twice(int) live.Launched.main(String[])'; do
		grep -qxF "$want" <<<"$stacks" || finding "no '$want':" "$stacks"
	done
	verdict
}

by_a_script() {
	begin "a script runs java -version, forks java with the user's options, and continues, JDK $FEATURE" || return 0
	stage
	cat >"$T_DIR/run" <<-END
		#!/bin/sh
		"$JAVA/bin/java" -version 2>&1 | grep -c 'version "' >"$T_DIR/version"
		"$JAVA/bin/java" -cp "$CLASSES" live.Launched "$T_DIR" 5 &
		wait \$!
		echo "java \$?"
		exit 6
	END
	chmod 755 "$T_DIR/run"
	JAVA_TOOL_OPTIONS='-Dgiven="by the user"' launch -- "$T_DIR/run"
	ended_with 6
	grep -q '^java 5$' "$F_DIR/stdout" || finding "the script says: $(cat "$F_DIR/stdout")"
	grep -qx 'by the user 2' "$T_DIR/seen" || finding "the program was given: $(cat "$T_DIR/seen")"
	grep -qx 1 "$T_DIR/version" || finding "java -version: $(cat "$T_DIR/version")"
	file_agrees
	nothing_is_left
	verdict
}

one_of_several() {
	begin "a program's first JVM is traced, or the one that -p chooses, and the others are listed, JDK $FEATURE" || return 0
	stage
	cat >"$T_DIR/run" <<-END
		#!/bin/sh
		"$JAVA/bin/java" -cp "$CLASSES" live.BigSource >"$T_DIR/source"
		"$JAVA/bin/java" -cp "$CLASSES" live.Launched "$T_DIR" 4
	END
	chmod 755 "$T_DIR/run"
	launch -- "$T_DIR/run"
	ended_with 4
	says '^tracing [0-9]+ live.BigSource '
	says '^not traced: [0-9]+ live.Launched '
	rm -f "$T_DIR/seen" "$T_DIR/truth"
	launch -p Launched -- "$T_DIR/run"
	ended_with 4
	says "^not traced: [0-9]+ live.BigSource: its main class or jar has no 'Launched'$"
	file_agrees
	rm -f "$T_DIR/seen" "$T_DIR/truth"
	launch -p nosuch -- "$T_DIR/run"
	ended_with 4
	says "^nothing traced: no JVM that was started is 'nosuch' \(-p\); there were: live.BigSource, live.Launched$"
	[ -e "$F_FILE" ] && finding "an empty recording is left"
	nothing_is_left
	verdict
}

signals() {
	local pair n=0
	begin "signals reach the program, and frtrace ends with it, JDK $FEATURE" || return 0
	for pair in INT:130 TERM:143 HUP:129; do
		turn $((n++)) || continue
		stage
		launch -- "${SERVICE[@]}" --default-signal=HUP "$JAVA/bin/java" -cp "$CLASSES" live.Launched "$T_DIR" stay
		launch_ready || continue
		kill -QUIT "$F_PID"
		wait_for 10 grep -q '^Full thread dump' "$F_DIR/stdout" || finding "SIGQUIT printed no thread dump"
		kill "-${pair%:*}" "$F_PID"
		trace_wait 30
		status_is "${pair#*:}"
		says 'The JVM has ended'
		[ "$(file_events 'live.Launched$Part.twice')" = 3000 ] || finding "$(file_events 'live.Launched$Part.twice') events"
	done
	nothing_is_left
	verdict
}

killed() {
	begin "kill -9 of frtrace leaves the program running its original code, JDK $FEATURE" || return 0
	stage
	launch -- "$JAVA/bin/java" -cp "$CLASSES" live.Launched "$T_DIR" stay
	if launch_ready; then
		[ "$(peek "$T_PID" state)" = 2 ] || finding "the agent is not active: $(peek "$T_PID" state)"
		trace_kill
		wait_for 15 agent_idle || finding "not healed"
		trace_start -m "$FILTER" -d 200ms && trace_wait 30 && says 'original code again'
		target_leaves
	fi
	rm -rf "$WORK"/.frtrace-*
	verdict
}

ends_before_the_program() {
	begin "after --duration the program continues with its original code, also if it cannot be attached to, JDK $FEATURE" || return 0
	stage
	launch -d 5s -- "$JAVA/bin/java" -XX:+DisableAttachMechanism -cp "$CLASSES" live.Launched "$T_DIR" stay
	if launch_ready; then
		wait_for 20 grep -q 'original code again' "$F_DIR/stderr" || finding "$(cat "$F_DIR/stderr")"
		target_restored
		ended "$F_PID" && finding "frtrace did not wait for the program"
		target_quit
	fi
	ended_with 0
	file_agrees
	nothing_is_left
	verdict
}

without_a_jvm() {
	begin "a program without a JVM, and a missing program" || return 0
	launch -- sh -c 'exit 42'
	ended_with 42
	says '^nothing traced: no JVM was started'
	launch -- sh -c 'kill -9 $$'
	ended_with 137
	launch -- nosuchprogram --with arguments
	ended_with 127
	says "^frtrace: cannot start 'nosuchprogram': No such file"
	launch -- /etc/passwd
	ended_with 126
	says "^frtrace: cannot start '/etc/passwd': Permission denied"
	launch -o /nosuch/x.jfr -- touch "$WORK/ran"
	ended_with 1
	[ -e "$WORK/ran" ] && finding "the program ran although its recording could not be created"
	nothing_is_left
	verdict
}

as_the_user() {
	local CLASSES=$CLASSES
	begin "the program runs as the user behind sudo, or as --user says" || return 0
	SUDO_UID=65534 SUDO_GID=65534 launch -- sh -c 'id -u; id -g; ps -o nice= $$'
	trace_wait
	[ "$(tr -d ' ' <"$F_DIR/stdout" | paste -sd ' ')" = "65534 65534 $(ps -o nice= $$ | tr -d ' ')" ] ||
		finding "behind sudo: $(cat "$F_DIR/stdout")"
	SUDO_UID=65534 SUDO_GID=65534 launch --user=root -- id -u
	trace_wait
	[ "$(cat "$F_DIR/stdout")" = 0 ] || finding "--user=root: $(cat "$F_DIR/stdout")"
	launch --user=nosuchuser -- id -u
	ended_with 2
	says "there is no such user"
	stage
	classes_for_all
	SUDO_UID=65534 SUDO_GID=65534 launch -- "$JAVA/bin/java" -cp "$CLASSES" live.Launched "$T_DIR" 3
	ended_with 3
	file_agrees
	nothing_is_left
	verdict
}

# Methods of java.base, hot, without other callers in such a short run. JDK 17's interpreter has special code for the
# last three.
INTRINSICS='java.lang.Math::max(float,float);java.lang.Math::addExact(long,long);java.lang.Math::multiplyHigh'
INTRINSICS+=';java.lang.Math::floor;java.lang.Integer::reverseBytes;java.lang.Long::bitCount;java.lang.Long::longValue'
INTRINSICS+=';java.lang.Long::valueOf(long);java.lang.Math::fma(double,double,double);java.lang.Math::sin;java.lang.Math::pow'

# The methods whose last row is not 100,000.
wrong_counts() {
	jfr_newest print --events MethodTiming "$F_FILE" |
		awk '/method = / { $1 = $2 = ""; m = $0 } /invocations = / { n[m] = $3 } END { for (m in n) if (n[m] != 100000) print m, n[m] }'
}

intrinsics() { # PROGRAM... before the class
	begin "intrinsics are counted exactly, or reported as lower bounds, JDK $FEATURE" || return 0
	stage
	F_FILE=$(mktemp -u "$WORK/XXXXXX.jfr")
	TMPDIR=$WORK trace_launch -o "$F_FILE" --max-overhead=off -M "$INTRINSICS" -- "$@" -cp "$CLASSES" live.Intrinsics "$T_DIR" 100000
	ended_with 0
	if [ "$FEATURE" = 17 ]; then
		[ "$(wrong_counts | wc -l)" = 3 ] || finding "wrong:" "$(wrong_counts)"
		wrong_counts | grep -vE 'Math\.(fma|sin|pow)' | grep . >/dev/null && finding "wrong:" "$(wrong_counts)"
		for method in fma sin pow; do
			grep -q "  lower bound: .*Math\.$method" "$F_DIR/stderr" || finding "does not say that $method is a lower bound"
		done
	else
		[ -z "$(wrong_counts)" ] || finding "wrong:" "$(wrong_counts)"
		grep 'lower bound' "$F_DIR/stderr" && finding "reported as a lower bound"
	fi
	verdict
}

intrinsics_at_attach() {
	begin "when attaching, the same program's intrinsics are lower bounds and reported as such, JDK $FEATURE" || return 0
	trace_program Intrinsics 400000 wait -- --max-overhead=off -M "$INTRINSICS" || return 0
	trace_calls 0 3
	says '  lower bound: '
	[ -n "$(wrong_counts)" ] || finding "all counts are exact, so the other case proves nothing"
	finish
}

# Everything that JEP 520 finds from the JVM's start on must be found.
static_initializers() {
	local missing
	begin "::<clinit> finds every static initializer that JEP 520 finds, and those of jdk.internal.*, JDK $FEATURE" || return 0
	stage
	local javac=(-m jdk.compiler/com.sun.tools.javac.Main -d "$T_DIR" "$LIVE/java/Stage.java")
	"$JAVA/bin/java" "-XX:StartFlightRecording:filename=$T_DIR/jep520.jfr,method-trace=::<clinit>" "${javac[@]}" >"$T_DIR/log" 2>&1
	F_FILE=$(mktemp -u "$WORK/XXXXXX.jfr")
	# the same program with JFR on, so that it initializes the same classes
	TMPDIR=$WORK trace_launch -o "$F_FILE" -m '::<clinit>' -- \
		"$JAVA/bin/java" "-XX:StartFlightRecording:filename=$T_DIR/plain.jfr" "${javac[@]}"
	ended_with 0
	initializers "$T_DIR/jep520.jfr" >"$T_DIR/theirs"
	initializers "$F_FILE" >"$T_DIR/ours"
	[ "$(wc -l <"$T_DIR/theirs")" -gt 100 ] || finding "JEP 520 finds only: $(cat "$T_DIR/theirs")"
	missing=$(comm -23 "$T_DIR/theirs" "$T_DIR/ours")
	echo "# $(wc -l <"$T_DIR/theirs") by JEP 520, $(wc -l <"$T_DIR/ours") by frtrace"
	[ -z "$missing" ] || finding "not found:" "$missing"
	grep -q '^jdk\.internal\.' "$T_DIR/ours" || finding "none of jdk.internal.*"
	verdict
}

initializers() { # FILE
	jfr_of "$JAVA" print --events MethodTrace "$1" | sed -nE 's/^ *method = (.*)\.<clinit>\(\)$/\1/p' | sort -u
}

# The JVM is started by somebody else, after frtrace. Its name is one that no other test has.
waited() {
	local jar=$WORK/waited-$$.jar
	begin "--wait traces a JVM that starts later, and ends without one at Ctrl-C, JDK $FEATURE" || return 0
	"$JAVA/bin/jar" cfe "$jar" live.Late -C "$CLASSES" live
	F_FILE=$WORK/waited.jfr T_DIR=$WORK/waited
	mkdir "$T_DIR"
	trace_launch -p "waited-$$.jar" --wait -m 'live.Late$Latecomer::checkout' -o "$F_FILE"
	if wait_for 20 grep -q '^waiting for a JVM' "$F_DIR/stderr"; then
		sleep 0.3
		"${SERVICE[@]}" "$JAVA/bin/java" -jar "$jar" "$T_DIR" 1000 >"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
		target_is $!
		if target_ready && wait_for "$TRACE_SECONDS_MAX" grep -q '^tracing ' "$F_DIR/stderr"; then
			trace_calls
			says '^1,000 calls, .* 0 lost'
			target_quit
		fi
	fi
	[ ${#findings[@]} -eq 0 ] || finding "$(cat "$F_DIR/stderr")"
	trace_launch -p "no.such.Program" --wait -m A
	wait_for 20 grep -q '^waiting for a JVM' "$F_DIR/stderr" || finding "$(cat "$F_DIR/stderr")"
	stopped_with 1
	says "^frtrace: no JVM whose main class or jar contains 'no.such.Program' was started$"
	finish
}

for line in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$line"
	from_the_first_class "$JAVA/bin/java"
	turn 1 && by_jvmti
	turn 1 && ran_early
	turn 0 && without_attach
	signals
	turn 0 && killed
	turn 1 && waited
	intrinsics "$JAVA/bin/java"
done
jdk_use "${JDKS[-1]}"
intrinsics_at_attach
if [ "$FEATURE" -ge 25 ]; then static_initializers; else skip "::<clinit> beside JEP 520" "no JDK 25"; fi
by_a_script
one_of_several
ends_before_the_program
without_a_jvm
as_the_user
for feature in "${OTHERS_OF_DAY[@]}"; do
	root_use $feature "every call from the first class on" || continue
	from_the_first_class "${LAUNCH[@]}" "$JAVA/bin/java"
	[ $feature -lt 21 ] || intrinsics "${LAUNCH[@]}" "$JAVA/bin/java"
done
