#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What the JDK tests about its own method tracing (test/jdk/jdk/jfr/event/tracing of OpenJDK), where no other test here
# does: one recording of one program has all of it.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

S='live.Scenarios$'
map=java.util.concurrent.ConcurrentHashMap
work='live.Copy::work;secret.inner.Hidden::work'

# The methods are matched by more than one filter, where that makes no difference.
record="${S}Initialized;@${S}Marked;${S}OnMethod::overridden;${S}Shared::m0;${S}Shared::m2;;$work"
record+=";jdk.jfr.FlightRecorder;$map;$map\$Node;java.util.concurrent.atomic.AtomicLong"
count="${S}Initialized::<clinit>;${S}OnMethod;${S}Shared;$work"

# JFR's own tracing needs retransform=true.
program=("${BRIEF[@]}" -XX:-DisableExplicitGC -XX:FlightRecorderOptions=retransform=false)
modules() { echo "--module-path=$CLASSES/modules" --add-modules=secret; }

agrees() { # STATUS STDOUT
	local seen
	status_is "$1"
	says ' 0 lost, [0-9] still open' # looking for the file "quit", the program may be in a method of String
	says "not traced: .*JFR's own classes"
	file_agrees
	judged_by live.TimingCheck "$F_FILE" "$T_DIR/timed"
	grep -qx unloaded "$2" || finding "no class was unloaded:" "$(cat "$2")"
	grep -qx 'texts: 800' "$2" || finding "the JVM's own events are damaged:" "$(cat "$2")"
}

attached() {
	begin "calls of initializers, annotated methods, five threads, three loaders, and classes of the JVM itself agree with the program, JDK $FEATURE" || return 0
	# shellcheck disable=SC2046
	STATUS='0 3' record_program "${program[@]}" $(modules) Scenarios -- \
		-m "$record;java.lang.String;!java.lang.String::intern" -M "$count" || return 0
	agrees 3 "$T_DIR/stdout"
	finish
}

launched() {
	begin "they do from the first class on, JDK $FEATURE" || return 0
	stage
	touch "$T_DIR/go" "$T_DIR/quit"
	F_FILE=$WORK/launched.jfr
	# shellcheck disable=SC2046
	TMPDIR=$WORK trace_launch -o "$F_FILE" --max-overhead=off -m "$record" -M "$count" -- \
		"$JAVA/bin/java" -cp "$CLASSES" "${program[@]}" $(modules) live.Scenarios "$T_DIR"
	trace_wait
	agrees 0 "$F_DIR/stdout"
	rm -f "$F_FILE"
	verdict
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	attached
	launched
done
