#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Data about the methods on a stack, read from outside, equals that of the JVM's own Flight Recorder: names, flags,
# loaders, lines, bytecode indexes, and whether code is compiled, inlined or interpreted.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

SECONDS_MAX=120 # enough to compile everything on a busy machine

compare() {
	"$WORK/resolve_probe" "$T_PID" "$(cat "$T_DIR/tid")" >"$WORK/resolved" 2>&1 || finding "$(cat "$WORK/resolved")"
	grep -q '^live/RecordedStack\$Deep\$Deeper|leaf|' "$WORK/resolved" || finding "no leaf:" "$(cat "$WORK/resolved")"
	sed '1,/|leaf|/d' "$WORK/resolved" | diff "$T_DIR/recorded" - >"$WORK/differences" ||
		finding "differs from the recorder:" "$(cat "$WORK/differences")"
	[ "$(wc -l <"$T_DIR/recorded")" -gt 20 ] || finding "too few frames:" "$(cat "$T_DIR/recorded")"
	grep -qE '^jdk/internal/misc/Unsafe\|park\|\(ZJ\)V\|[0-9]+\|[01]\|17\|0\|\|\|-1\|0\|Native$' "$WORK/resolved" ||
		finding "no native method:" "$(head -n 3 "$WORK/resolved")"
}

same() { # SENTENCE TYPE [-JVM-OPTION...]: one of the frames must have this type
	local type=$2
	begin "$1, JDK $FEATURE" || return 0
	shift 2
	# -Xbatch: enough calls are compiled calls, however busy the machine is
	run_program -Xbatch -XX:FlightRecorderOptions=stackdepth=256 "$@" RecordedStack 6000 || return 0
	compare
	grep -q "|$type\$" "$T_DIR/recorded" || finding "no frame of type $type:" "$(cat "$T_DIR/recorded")"
	target_quit
	finish
}

every_case() {
	same "frames equal the recorder's" Inlined
	turn 0 && same "frames equal the recorder's, interpreter only" Interpreted -Xint
	turn 1 && same "frames equal the recorder's, everything compiled" Inlined -Xcomp
	turn 0 && same "frames equal the recorder's, client compiler only" Inlined -XX:TieredStopAtLevel=1
	return 0
}

# The JDK's own annotations, read with JDK 25's class file API.
hidden_same() { # HOME
	begin "the hidden methods of ordinary classes are known, JDK $FEATURE" && newest_is_25 || return 0
	gcc -I"$ROOT" -o "$WORK/hidden" "$LIVE/hidden_probe.c" "$ROOT/user/jvm/hidden.c" || finding "the probe does not compile"
	"$(jdk_newest)/bin/java" -cp "$CACHE/classes-${NEWEST%% *}" live.Hidden "$1" >"$WORK/annotated" 2>&1 &&
		[ "$(grep -c ' 1$' "$WORK/annotated")" -gt 400 ] || finding "too few annotations:" "$(head "$WORK/annotated")"
	"$WORK/hidden" <"$WORK/annotated" >"$WORK/differences" && [ ! -s "$WORK/differences" ] ||
		finding "$(cat "$WORK/differences")"
	verdict
}

probe_build resolve_probe -fsanitize=address,undefined "$ROOT"/user/hotspot/*.c "$ROOT"/format/classfile/*.c || { not_ok "the probe compiles"; exit; }
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	every_case
	[ "$FEATURE" -lt 21 ] || hidden_same "$JAVA"
done
for version in "${OTHERS_OF_DAY[@]}"; do
	[ "$version" -ge 21 ] || continue
	root_use "$version" "frames equal the recorder's" || continue
	same "frames equal the recorder's" Inlined
	hidden_same "$JVM_ROOT$JAVA"
done
