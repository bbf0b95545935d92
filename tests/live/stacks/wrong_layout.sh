#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# If the data about the JVM that frtrace gives the agent is wrong, stacks may be wrong, but nothing else is.
# $ROUNDS: how many layouts with one wrong field (by default all fields once); $FIRST: number of the first one.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

ROUNDS=${ROUNDS:-$(grep -c '^\sFIELD(' "$ROOT/tests/lib/garble.c")} FIRST=${FIRST:-0}
CALLS=1800 # per burst
sources=(walk auto) # in turn; with auto, JVMTI gives stacks that cannot be walked

# Layouts with one wrong field each, and for a quarter of the fields also several wrong ones.
layouts() { # STEP
	local k
	for ((k = FIRST; k < FIRST + ROUNDS; k += $1)); do
		echo $k
		[ $(((k - FIRST) % $(amount $((4 * $1)) 1))) -ne 0 ] || echo $((1000000 + k))
	done
}

# Make one recording with layout NUMBER of burst K; false if there are no more.
garble() { # NUMBER K
	local kept=$FRTRACE good
	export FRTRACE_GARBLE=$1
	FRTRACE=$GARBLED
	trace_start -m live.Garbled::traced "--stacks=${sources[$2 % 2]}"
	good=$?
	FRTRACE=$kept
	unset FRTRACE_GARBLE
	[ $good -eq 0 ] || return
	touch "$T_DIR/go-$2"
	wait_for "$SECONDS_MAX" target_has "done-$2"
	trace_stop
	[ "$(end_line_number calls)" = $CALLS ] && [ "$(end_line_number lost)" = 0 ] ||
		finding "layout $1: $CALLS calls:" "$(cat "$F_DIR/stderr")"
	if [ $(($2 % 20)) -eq 0 ]; then
		good=$(file_events live.Garbled.traced)
		[ "$good" = $CALLS ] || finding "layout $1: $good events of $CALLS calls"
	fi
	grep -h '^garbled:' "$F_DIR/stderr" >>"$T_DIR/garbled"
	grep -qE '(stacks? (is|are) (cut|unknown)|frames? (is|are) unknown|calls have no stack): ' "$F_DIR/stderr" && said=$((said + 1))
	if ended "$T_PID"; then
		finding "layout $1: the target is dead" "$(tail -n 3 "$T_DIR/garbled")" "$(tail -n 20 "$T_DIR/stdout" "$T_DIR/stderr")"
		return 1
	fi
	rm -rf "$F_FILE" "$F_DIR"
}

garbled() { # STEP
	local k=0 said=0 number numbers
	begin "a layout with a wrong field never harms the target: each call is counted, JDK $FEATURE" || return 0
	# a fault that the JVM turns into a Java exception would be caused by frtrace
	run_program -Xmx200m -XX:-CreateCoredumpOnCrash -XX:ErrorFile="$WORK/hs_err" Garbled || return 0
	mapfile -t numbers < <(layouts "$1")
	for number in "${numbers[@]}"; do
		garble "$number" $k || break
		k=$((k + 1))
	done
	target_leaves
	grep -qx 'garbled: every burst was whole' "$T_DIR/stdout" || finding "the program said:" "$(cat "$T_DIR/stdout")"
	[ -e "$WORK/hs_err" ] && finding "$(head -n 30 "$WORK/hs_err")"
	[ "$k" -eq ${#numbers[@]} ] || finding "only $k recordings"
	[ "$said" -ge $((k / 8)) ] || finding "only $said of $k recordings report a problem with their stacks"
	finish
}

variant_build garbled
GARBLED=$VARIANT
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	if [ "$jdk" = "${JDKS[-1]}" ]; then garbled 1; else garbled "$(amount 4 1)"; fi
done
