#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The counts stay exact with different compilers, collectors and checks.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"


has_option() { "$JAVA/bin/java" "$1" -version >/dev/null 2>&1; }

checked_jni() {
	begin "-Xcheck:jni finds nothing, JDK $FEATURE" || return 0
	STATUS='0 3' record_program -Xcheck:jni ExitsMain 2000 -- -m "$EXITS" || return 0
	grep -hE 'WARNING in native|FATAL ERROR|JNI local refs' "$T_DIR/stdout" "$T_DIR/stderr" >"$T_DIR/jni" && finding "$(head -n 5 "$T_DIR/jni")"
	file_agrees
	finish
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
