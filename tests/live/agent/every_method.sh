#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every method of a real program has hooks, including those of the JDK's own classes: javac, which compiles a tree of
# sources repeatedly, must write the same class files as before. $SECONDS_EACH: minimum length of each recording;
# $PACKAGES: size of the tree, nine files in each package. Each JDK runs one kind of recording; with SOAK=1 all three,
# in one process. JVMs before JDK 15 take minutes to hook and restore all classes (docs/safety.md): there only javac's
# comp and maps have hooks, with SOAK=1 all classes in one recording, with $WHOLE in three. C2 takes most of the CPU
# time: it compiles for the JDKs of the host, with SOAK=1 for all.
SECONDS_MAX=${SECONDS_MAX:-120} TRACE_SECONDS_MAX=${TRACE_SECONDS_MAX:-120}
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
SECONDS_EACH=${SECONDS_EACH:-$(amount 0 2)} PACKAGES=${PACKAGES:-$(amount 2 3)}

tree_make() { # DIRECTORY PACKAGES
	local i dir file below=Object
	for i in $(seq "$2"); do
		dir=$1/tree/p$i
		mkdir -p "$dir"
		for file in "$LIVE"/java/tree/*.java; do
			sed "s/PACKAGE/tree.p$i/;s/BELOW/$below/;s/NUMBER/$((i * 37))/" "$file" >"$dir/${file##*/}"
		done
		below=tree.p$i.Tower
	done
}

rounds() { stat -c %s "$T_DIR/rounds" 2>/dev/null || echo 0; }
rounds_are() { [ "$(rounds)" -ge "$1" ] || ended "$T_PID"; }

# Two more rounds must end while everything is hooked: one of them began in that state.
keeps_compiling() { wait_for "$SECONDS_MAX" rounds_are $(($(rounds) + 2)) || finding "javac does not continue: $(rounds) rounds, $1"; }

events_are_there() { # TYPE
	jfr_newest summary "$F_FILE" >"$T_DIR/summary" 2>&1 || finding "jfr summary: $(head -n 3 "$T_DIR/summary")"
	[ "$(awk -v type="$1" '$1 == type { print $2 }' "$T_DIR/summary")" -gt 0 ] || finding "no $1"
}

# One of several recordings in the life of a JVM.
recorded() { # TYPE OPTION...
	local type=$1 begin=$SECONDS on before=0 hooked
	shift
	trace_start --max-size=64m "$@" || return
	hooked=$(sed -nE 's/^tracing ([0-9,]+) methods .*/\1/p' "$F_DIR/stderr" | tr -d ,)
	[ "${hooked:-0}" -gt $((${#METHODS} > 1 ? 2000 : 12000)) ] || finding "only ${hooked:-no} methods are hooked"
	on=$SECONDS before=$(rounds)
	sleep "$SECONDS_EACH"
	keeps_compiling "$*"
	echo "# JDK $FEATURE, $*: $(grep -oE 'attach [0-9.]+ ms, pause [^,]*' "$F_DIR/stderr"), $(($(rounds) - before)) rounds in $((SECONDS - on)) s"
	stopped_with 0 3
	says 'The JVM runs its original code again'
	target_restored
	events_are_there "$type"
	[ "$F_STATUS" = none ] && return 1
	echo "#   $(grep -E '^[0-9,]+ calls' "$F_DIR/stderr" | sed 's/, [0-9.]* .B in .*//'), $((SECONDS - begin)) s in total"
	rm -f "$F_FILE"
}

unharmed() {
	[ ! -e "$WORK/hs_err-$FEATURE" ] || finding "the JVM crashed:" "$(head -n 30 "$WORK/hs_err-$FEATURE")"
	[ "$(wc -l <"$T_DIR/stdout")" = 1 ] && grep -q ' classes of ' "$T_DIR/stdout" || finding "javac, on stdout:" "$(head -n 20 "$T_DIR/stdout")"
	grep -v '^WARNING: ' "$T_DIR/stderr" >"$T_DIR/stderr-own" && finding "on stderr:" "$(head -n 20 "$T_DIR/stderr-own")"
}

timed() { recorded jdk.MethodTiming -M "$METHODS"; }
slow() { recorded jdk.MethodTrace -m "$METHODS" -t 1ms; }
whole() { recorded jdk.MethodTrace -m "$METHODS" --lambda --no-stack; }

# Too slow to hook everything: see above.
is_slow() { [ "$FEATURE" -lt 15 ]; }

kinds() {
	if is_slow && [ -z "${WHOLE:-}" ]; then echo timed
	elif [ -n "$SOAK${WHOLE:-}" ]; then echo slow timed whole
	else
		case $FEATURE in 25) echo whole ;; 26 | 27 | 28) echo timed ;; *) echo slow ;; esac
	fi
}

everything() {
	local METHODS='*' which="every method" kind
	is_slow && [ -z "$SOAK" ] && METHODS='com.sun.tools.javac.comp.*;java.util.*Map*' which="thousands of methods"
	begin "javac with hooks in $which makes the same class files, JDK $FEATURE" || return 0
	run_program "${COMPILERS[@]}" -XX:ErrorFile="$WORK/hs_err-$FEATURE" Compile "$WORK/tree" 1 || return 0
	wait_for "$SECONDS_MAX" rounds_are 1
	for kind in $(kinds); do "$kind"; done
	keeps_compiling "original code"
	target_quit
	unharmed
	finish
}

tree_make "$WORK/tree" "$PACKAGES"
COMPILERS=()
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	everything
done
[ -n "$SOAK" ] || COMPILERS=("${BRIEF[@]}")
for version in "${OTHERS_OF_DAY[@]}"; do
	root_use "$version" "javac is traced" && everything
done
