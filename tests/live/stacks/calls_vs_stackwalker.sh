#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every recorded call has the stack that the program itself sees with StackWalker, Throwable and JVMTI and, on JDK 25,
# that the JDK's own tracing recorded in the same run. $SEED repeats a random program.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

STACKS=$LIVE/java/stacks
SECONDS_MAX=120
SEED=${SEED:-$((RANDOM * 32768 + RANDOM))}
TOOL=$(jdk_newest)		# compares all versions
TOOL_FEATURE=${JDKS[-1]%% *}	# compiles for all versions; a root directory has no javac with old releases
HEADERS=${JDKS[-1]#* }/include # root directories have no headers
echo "# random program: SEED=$SEED"

# ---- the program for the version in use. $PROGRAM is visible to a JVM in a root directory.

sources() { # RELEASE
	local version
	ls "$STACKS"/*.java
	for version in 11 21 22; do
		[ "$1" -ge $version ] && ls "$STACKS/java$version"/*.java
	done
	return 0
}

# Tools for all versions: the comparison, the agent, the sources of the random program.
tools_build() {
	[ -d "$TOOLS" ] && return
	mkdir "$TOOLS"
	"${javac[@]}" -d "$TOOLS" "$STACKS/compare/Compare.java" "$STACKS/Generate.java" &&
		"$TOOL/bin/java" "${BRIEF[@]}" -cp "$TOOLS" stacks.Generate "$TOOLS/generated" "$SEED" 40 &&
		gcc -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -shared -I"$HEADERS" -I"$HEADERS/linux" \
			-o "$TOOLS/libstacks.so" "$STACKS/agent.c"
}

program_build() {
	local release=$FEATURE javac=("${JDKS[-1]#* }/bin/javac" "${BRIEF[@]/#/-J}" -nowarn -Xlint:none -XDignore.symbol.file)
	[ "$release" -le "$TOOL_FEATURE" ] || release=$TOOL_FEATURE
	PROGRAM=$WORK/stacks-$release
	TOOLS=$WORK/tools
	[ -d "$PROGRAM" ] && return
	mkdir -p "$PROGRAM/version2"
	{
		tools_build && javac+=(--release "$release" -cp "$PROGRAM") &&
			{ sources "$release" && ls "$TOOLS/generated"/*.java; } | xargs "${javac[@]}" -d "$PROGRAM" &&
			"${javac[@]}" -d "$PROGRAM/version2" "$STACKS/version2/Changing.java"
	} >"$WORK/build" 2>&1 || { not_ok "the program compiles for JDK $FEATURE" "$(cat "$WORK/build")"; exit 1; }
}

program_start() { # WITNESSES SCENARIOS [-JVM-OPTION...]
	local witnesses=$1 scenarios=$2 options=("${@:3}")
	[ "$FEATURE" -ge 22 ] && options+=(--enable-native-access=ALL-UNNAMED)
	stage
	[ -n "$OWN" ] && options+=("-XX:FlightRecorderOptions:stackdepth=$DEPTH"
		"-XX:StartFlightRecording:filename=$T_DIR/jdk.jfr,settings=none,+jdk.MethodTrace#enabled=true,+jdk.MethodTrace#stackTrace=true,+jdk.MethodTrace#filter=stacks.Probe::hit")
	"${LAUNCH[@]}" "$JAVA/bin/java" -Xmx1g -cp "$PROGRAM" "-agentpath:$TOOLS/libstacks.so" "-Dstacks.dir=$T_DIR" "-Dstacks.seed=$SEED" \
		"${options[@]}" stacks.Main "$witnesses" "$scenarios" >"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
	target_is $!
}

# ---- verdicts

# Print summaries of agreement to the log; a difference is a finding.
compared() { # ARGUMENT...
	[ "$FEATURE" -lt 15 ] && set -- "$@" --no-address
	if "$TOOL/bin/java" "${BRIEF[@]}" -Xmx1g -cp "$TOOLS" stacks.Compare --depth="$DEPTH" "$@" >"$WORK/compared" 2>&1; then
		grep -E ' events, |^stacks with' "$WORK/compared" | sed 's/^/#   /'
	else
		finding "$(cut -c1-200 "$WORK/compared")"
	fi
}

compared_all() { # WITNESSES [ARGUMENT...]
	compared "$F_FILE" "$T_DIR/oracle:$1" --clock --unknown="$UNKNOWN_MAX" --vanish="$VANISH" --elsewhere="$ELSEWHERE_MAX" "${@:2}"
	[ -n "$OWN" ] && compared "$F_FILE" "$T_DIR/jdk.jfr" --jep520 --unknown="$UNKNOWN_MAX" --vanish='.*'
	[ ${#findings[@]} -gt 0 ] && [ -n "${KEEP:-}" ] && cp "$F_FILE" "$T_DIR/frtrace.jfr"
}

# frtrace's stacks must be those of the witnesses.
agrees() { # SENTENCE WITNESSES SCENARIOS [-JVM-OPTION...]
	local witnesses=$2
	begin "$1, JDK $FEATURE" || return 0
	program_build
	program_start "${@:2}"
	trace_target -m 'stacks.Probe::hit' "${TRACE_ALSO[@]}" --stack-depth="$DEPTH" ${SOURCE:+"--stacks=$SOURCE"} || return 0
	trace_calls
	says ' 0 lost'
	[ -z "$SAYS" ] || says "$SAYS"
	if [ -n "${PROBED:-}" ]; then target_untouched "$T_PID"; else target_restored; fi
	target_quit
	compared_all "$witnesses" "${COMPARE_WITH[@]}"
	finish
}

# Calls while the JVM ends. Only the launcher calls main, and only the JVM calls a thread's run.
agrees_at_end() {
	begin "main has no stack, and a shutdown hook has the right ones, JDK $FEATURE" || return 0
	program_build
	program_start jvmti none -Dstacks.hooks=true
	trace_target -m 'stacks.Probe::hit' -m 'stacks.Main::main' -m 'stacks.Main$Last::run' || return 0
	target_go
	ended_with 0
	says ' 0 lost'
	compared_all jvmti --least=101 --no-bci --alone='stacks.Main.main,stacks.Main$Last.run'
	finish
}

# The witnesses must agree with each other and, where possible, with the JDK's own tracing.
witnesses_agree() { # SENTENCE SCENARIOS [-JVM-OPTION...]
	local witnesses=jvmti
	begin "$1, JDK $FEATURE" || return 0
	program_build
	[ "$FEATURE" -ge 11 ] && witnesses=walker,throwable,jvmti
	program_start "$witnesses" "${@:2}"
	target_comes_up || return 0
	target_go
	target_quit
	[ "$FEATURE" -ge 11 ] && DEPTH=320 compared "$T_DIR/oracle:walker" "$T_DIR/oracle:throwable,jvmti"
	[ -n "$OWN" ] && compared "$T_DIR/jdk.jfr" "$T_DIR/oracle:$witnesses" --jep520
	finish
}

# ---- the matrix

# Thousands of new stacks a second: on a busy machine frtrace keeps up only as a real-time task. A stack that it has no
# time for is lost, and counted, but here all are compared.
chrt -r 1 true 2>/dev/null && TRACE_AS=(chrt -r 1)
DEPTH=64
OWN=			# the JDK traces the same calls
TRACE_ALSO=()		# more filters
COMPARE_WITH=()		# more of Compare's options
SOURCE=			# --stacks
SAYS=			# output that frtrace must print
UNKNOWN_MAX=60		# allowed stacks with code that was gone before anything could read it,
ELSEWHERE_MAX=30	# and with code that the JIT discarded before the collector read it, as -Xcomp does at once. All other frames are right
VANISH='attached|initializers|loaders|versions' # where classes are unloaded and redefined under load
read -ra small < <(amount '-Dstacks.rounds=1200 -Dstacks.calls=900' '-Dstacks.rounds=4000 -Dstacks.calls=3000')
small+=(-Dstacks.virtual=20 -Dstacks.loaders=40)

# A small selection, for the differences between compilers, collectors and heap layouts.
agrees_small() { # SENTENCE [-JVM-OPTION...]
	if [ -n "${WITNESSES_ONLY:-}" ]; then
		witnesses_agree "$1" '.*' "${small[@]}" "${@:2}"
	else
		agrees "$1" jvmti '.*' "${small[@]}" "${@:2}"
	fi
}

variant=0
agrees_in_turn() { # SENTENCE [-JVM-OPTION...]
	if turn $((variant++)); then agrees_small "$@"; fi
}

agrees_fully() {
	local sentence least size COMPARE_WITH
	sentence="$(amount 30,000 100,000) stacks of every shape"
	read -ra size < <(amount '-Dstacks.rounds=5500 -Dstacks.calls=6000' -Dstacks.calls=25000)
	least=$(amount 30000 100000)
	COMPARE_WITH=(--least="$least" --stacks=$((least / 10)))
	if [ -n "${WITNESSES_ONLY:-}" ]; then
		witnesses_agree "$sentence" '.*' "${size[@]}"
	else
		agrees "$sentence" walker,throwable,jvmti '.*' "${size[@]}"
	fi
}

agrees_at_depth() {
	local DEPTH
	for DEPTH in 1 2048 2; do
		turn $((variant++)) || continue
		agrees "a recursion of 5,000 and --stack-depth=$DEPTH" jvmti 'deep|recursion|inlined|random' -Dstacks.max=2060 "${small[@]}"
	done
}

agrees_on_random_program() {
	local calls COMPARE_WITH
	calls=$(amount 5000 12000)
	COMPARE_WITH=(--stacks=$((calls * 5 / 12)))
	agrees "thousands of stacks of a random program" walker,jvmti random -Dstacks.calls="$calls"
}

# Virtual threads come back with a few frames; the others stay in the heap, where collectors move them meanwhile. They are
# walked there, each of them, and the JDK's own recording knows how their code ran.
agrees_in_the_heap() { # SENTENCE [-JVM-OPTION...]
	local DEPTH=1024 COMPARE_WITH=(--typed --least=5000)
	agrees "frames in the heap, collected all the time, $1" jvmti 'heaped|parked' -Dstacks.max=1100 -Dstacks.garbage=true \
		-Dstacks.virtual="$(amount 40 200)" "${@:2}"
}

agrees_on_traced_callers() {
	local COMPARE_WITH=(--no-bci --alone='stacks.Tasks$Direct.run')
	local TRACE_ALSO=(-m stacks.Shapes -x stacks.Shapes::overflow -m stacks.Calls -m 'stacks.Tasks$Direct::run')
	agrees "the callers are traced too" walker,throwable,jvmti '.*' "${small[@]}" -Dstacks.rounds=1000
}

few=(-Dstacks.rounds=1000 -Dstacks.calls=700 -Dstacks.virtual=15 -Dstacks.loaders=20)

# Where a call is inlined, its stack is unknown; none is wrong. Each call traps, so the program is small.
agrees_by_probes() { # MODE UNKNOWN_MAX [-JVM-OPTION...]
	local OWN='' UNKNOWN_MAX=$2 ELSEWHERE_MAX=$2 TRACE_ALSO=(--source=hotspot) PROBED=-XX:+DTraceMethodProbes SOURCE='' SAYS="by HotSpot's own probes"
	agrees "stacks by HotSpot's own probes, $1" jvmti 'deep|recursion|inlined|dispatch|exceptions|monitors' "${few[@]}" -Dstacks.virtual=0 -Dstacks.loaded=true $PROBED "${@:3}"
}

# There is no StackWalker in JDK 8, and that of JDK 11 shows throwNoSuchMethodError() for a method that was redefined.
agrees_by_jvmti() {
	local SOURCE=jvmti OWN='' SAYS=', stacks by JVMTI' witnesses=walker,jvmti scenarios='.*'
	[ "$FEATURE" -ge 9 ] || witnesses=jvmti
	[ "$FEATURE" -ge 17 ] || scenarios='(?!versions).*'
	agrees "stacks by JVMTI of every shape" "$witnesses" "$scenarios" "${few[@]}"
}

# A JVM that is newer than frtrace: an entry of its tables is missing or has a different meaning.
agrees_without_layout() {
	local how n=0 FRTRACE=$FRTRACE SOURCE=auto OWN='' SAYS
	variant_build garbled
	FRTRACE=$VARIANT
	for how in "missing:libjvm does not export" "unreadable:no stack could be compared" "different:walked stacks differ"; do
		turn $((n++)) || continue
		SAYS="^  stacks: JVMTI .*: ${how#*:}"
		FRTRACE_LAYOUT=${how%%:*} agrees "a layout that is ${how%%:*} costs no stack" jvmti '.*' "${few[@]}"
	done
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	OWN= variant=0
	[ "$FEATURE" -ge 25 ] && OWN=yes
	agrees_fully
	OWN=
	if [ -z "${WITNESSES_ONLY:-}" ]; then
		turn 1 && agrees_by_jvmti
		agrees_by_probes interpreted 0 -Xint
		agrees_by_probes compiled 100000
		agrees_without_layout
		agrees_on_random_program
		agrees_at_depth
		agrees_on_traced_callers
		agrees_at_end
	fi
	agrees_in_turn "interpreter only" -Xint -Dstacks.rounds=2000
	agrees_in_turn "C1 only" -XX:TieredStopAtLevel=1
	agrees_in_turn "C2 only" -XX:-TieredCompilation -XX:CompileThreshold=800
	agrees_in_turn "everything compiled at its first call" -Xcomp -Dstacks.rounds=400 -Dstacks.calls=600
	agrees_in_turn "the serial collector, full-width references" -XX:+UseSerialGC -XX:-UseCompressedOops -XX:-UseCompressedClassPointers
	agrees_in_turn "the parallel collector" -XX:+UseParallelGC
	agrees_in_turn "ZGC" -XX:+UseZGC
	"$JAVA/bin/java" -XX:+UseShenandoahGC -version >"$WORK/version" 2>&1 && agrees_in_turn "Shenandoah" -XX:+UseShenandoahGC
	[ "$FEATURE" -ge 25 ] && agrees_small "compact object headers" -XX:+UseCompactObjectHeaders
	if [ "$FEATURE" -ge 21 ] && [ -z "${WITNESSES_ONLY:-}" ]; then
		[ "$FEATURE" -ge 25 ] && OWN=yes
		agrees_in_the_heap "G1"
		agrees_in_the_heap "ZGC" -XX:+UseZGC
		agrees_in_the_heap "the serial collector, interpreter only" -XX:+UseSerialGC -Xint
		if [ -n "$SOAK" ]; then
			agrees_in_the_heap "the parallel collector, full-width references" -XX:+UseParallelGC -XX:-UseCompressedOops
			"$JAVA/bin/java" -XX:+UseShenandoahGC -version >"$WORK/version" 2>&1 && agrees_in_the_heap "Shenandoah" -XX:+UseShenandoahGC
		fi
	fi
done

for version in "${HALF_OF_DAY[@]}"; do
	root_use "$version" "stacks of every shape" || continue
	OWN=
	[ "$FEATURE" -ge 25 ] && OWN=yes
	agrees_small "stacks of every shape"
	if [ "$version" -ge 21 ]; then
		if [ "$TOOL_FEATURE" -ge 21 ]; then
			agrees_in_the_heap "G1"
		else
			skip "frames in the heap, JDK $version" "virtual threads are compiled by JDK 21 or newer"
		fi
	fi
	if [ -n "$SOAK" ] || [ "$version" -le 11 ]; then agrees_by_jvmti; fi
	[ "$FEATURE" -lt "$(amount 28 27)" ] ||
		agrees_small "hot methods that move to a code heap of their own, headers that are not compact" -XX:-UseCompactObjectHeaders \
			-XX:+UnlockExperimentalVMOptions -XX:+NMethodRelocation -XX:+HotCodeHeap -XX:HotCodeStartupDelaySeconds=0 \
			-XX:HotCodeIntervalSeconds=1 -XX:HotCodeSampleSeconds=1
done
