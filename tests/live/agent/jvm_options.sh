#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# The counts stay exact with different compilers, collectors and checks.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"


has_option() { "$JAVA/bin/java" "$1" -version >/dev/null 2>&1; }

checked_jni() {
	local sentence="-Xcheck:jni finds nothing, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start -Xcheck:jni ExitsMain 2000
	if target_ready && trace_start -m "$EXITS"; then
		target_go
		trace_stop
		target_quit
		grep -hE 'WARNING in native|FATAL ERROR|JNI local refs' "$T_DIR/stdout" "$T_DIR/stderr" >"$T_DIR/jni" && finding "$(head -n 5 "$T_DIR/jni")"
		file_agrees
	fi
	verdict "$sentence"
	target_drop
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	variant=0
	for option in -Xint -Xcomp -XX:TieredStopAtLevel=1 -Xverify:all -XX:+UseSerialGC -XX:+UseParallelGC -XX:+UseG1GC -XX:+UseZGC -XX:+UseShenandoahGC; do
		turn $((variant++)) || continue
		if has_option "$option"; then
			exact "exact with $option" "$EXITS" "$option" ExitsMain 2000
		else
			skip "exact with $option, JDK $FEATURE" "this JVM does not support it"
		fi
	done
	checked_jni
done
