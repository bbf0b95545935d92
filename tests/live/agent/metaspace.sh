#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A program with a limit for its metaspace never runs out of it because of hooks. It ends at the first OutOfMemoryError,
# also one that it would not notice.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

COUNT=1000
STRICT=(-Xmx128m -XX:+ExitOnOutOfMemoryError)

unharmed() {
	ended "$T_PID" && finding "the program has ended:" "$(tail -n 5 "$T_DIR/stdout" "$T_DIR/stderr")"
	grep -q '^class ' "$T_DIR/stdout" && finding "the program could not load:" "$(grep -m3 '^class ' "$T_DIR/stdout")"
}

record() { # ARGUMENT...
	F_FILE=$(mktemp -u "$WORK/XXXXXX.jfr")
	trace_launch -p "$T_PID" -o "$F_FILE" --max-overhead=off -m 'tight.Gen*' -d 500ms "$@"
	trace_wait
}

left_out() { # LIMIT
	status_is 3
	says "not traced: [0-9,]+ without room for new code in the JVM's metaspace: it has [0-9.]+ MB of $1"
	says 'The JVM runs its original code again'
}

# Two recordings, one right after the other, and the program goes on.
in_part() { # SENTENCE LIMIT -JVM-OPTION
	begin "$1, JDK $FEATURE" || return 0
	run_program "${STRICT[@]}" "$3" Tight "$COUNT" 20 || return 0
	record
	left_out "$2"
	says '^tracing [1-9][0-9,]+ methods of [0-9,]+ classes '
	unharmed
	record
	left_out "$2"
	sleep 1
	unharmed
	target_leaves
	grep -qx end "$T_DIR/stdout" || finding "the program did not end by itself" "$(cat "$T_DIR/stderr")"
	finish
}

whole() {
	begin "with room for them all classes get hooks, JDK $FEATURE" || return 0
	run_program "${STRICT[@]}" -XX:MaxMetaspaceSize=30m Tight "$COUNT" 20 || return 0
	record
	status_is 0
	says "^tracing [0-9,]+ methods of 1,[0-9]{3} classes "
	unharmed
	target_leaves
	finish
}

# Classes are loaded with hooks until as much is left as the program, and the way back, may need.
launched() {
	begin "a program that frtrace starts has room for its own classes, JDK $FEATURE" || return 0
	stage
	"$FRTRACE" -v -o "$T_DIR/x.jfr" --max-overhead=off -m 'tight.Gen*' -- "$JAVA/bin/java" "${STRICT[@]}" \
		-XX:MaxMetaspaceSize=9m -cp "$CLASSES" live.Tight "$T_DIR" "$COUNT" 20 >"$T_DIR/stdout" 2>"$T_DIR/stderr" &
	F_PID=$!
	STARTED+=("$F_PID")
	T_PID=$F_PID F_DIR=$T_DIR
	target_comes_up || return 0
	touch "$T_DIR/quit"
	ended_with 0 3
	grep -qx end "$T_DIR/stdout" || finding "the program did not end by itself" "$(head -n 5 "$T_DIR/stderr")"
	says "not traced: [0-9,]+ without room for new code in the JVM's metaspace: it has [0-9.]+ MB of 9.0 MB"
	grep 'it has not started up yet' "$T_DIR/stderr" && finding 'the JVM was asked before it answers'
	verdict
}

for jdk in "${JDKS[-1]}" ${SOAK:+"${JDKS[@]}"}; do
	jdk_use "$jdk"
	in_part "classes without room in metaspace are left out and named" 10.0 -XX:MaxMetaspaceSize=10m
	whole
	launched
done

for other in ${SOAK:+11 21 26 27 28} 8; do
	root_use "$other" "a metaspace with a limit" || continue
	in_part "classes without room in metaspace are left out and named" 15.0 -XX:MaxMetaspaceSize=15m
	[ "$FEATURE" -ge 16 ] || in_part "classes without room in the class space are left out and named" 1.5 -XX:CompressedClassSpaceSize=1536k
done
