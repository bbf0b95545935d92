#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Repeated recordings leave nothing in a JVM but what the JVM itself keeps of each class that is changed and changed
# back. A control measures that with java.lang.instrument. SOAK=1: 1,000 recordings, also on JDK 27. And the last calls
# of a short recording are complete.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

CYCLES=${CYCLES:-$(amount 20 1000)}
WARM=5		# recordings before the first measurement
KB_MORE=512	# tolerated random growth of the code cache or metaspace

# Counts of the JVM $T_PID: descriptors, threads, mappings, KB of code cache, KB of metaspace. HotSpot takes replaced code
# to be on a stack until the collection after the next one.
held() {
	local jcmd i
	jcmd=$(jdk_newest)/bin/jcmd
	for i in 1 2 3 4; do "$jcmd" "$T_PID" GC.run >/dev/null; done
	descriptors >"$WORK/descriptors"
	echo "$(grep -c . "$WORK/descriptors") $(find "/proc/$T_PID/task" -mindepth 1 -maxdepth 1 | wc -l)" \
		"$(wc -l <"/proc/$T_PID/maps")" \
		"$("$jcmd" "$T_PID" Compiler.codecache | grep -oE ' used=[0-9]+' | awk -F= '{ kb += $2 } END { print kb + 0 }')" \
		"$("$jcmd" "$T_PID" GC.heap_info | sed -nE 's/^ *Metaspace +used ([0-9]+)K.*/\1/p')"
}

record() { # TIMES
	local i
	for ((i = 0; i < $1; i++)); do
		"$FRTRACE" -p "$T_PID" -o "$T_DIR/cycle.jfr" -m live.Cycles::work -t 1s -d 20ms >"$T_DIR/said" 2>&1 </dev/null ||
			finding "recording $i: status $?: $(tail -n 3 "$T_DIR/said")"
		[ ${#findings[@]} -eq 0 ] || return
	done
}

retransform() { # TIMES
	touch "$T_DIR/retransform-$1"
	SECONDS_MAX=$((60 + $1)) wait_for $((60 + $1)) target_has "retransformed-$1" || finding "the control does not end"
	rm -f "$T_DIR/retransformed-$1"
}

# Prints how much each count has grown.
growth() { # COMMAND
	local before after
	"$1" "$WARM"
	before=$(held)
	mv "$WORK/descriptors" "$WORK/descriptors.before"
	"$1" "$CYCLES"
	after=$(held)
	paste <(tr ' ' '\n' <<<"$before") <(tr ' ' '\n' <<<"$after") | awk '{ printf "%s%d", (NR > 1 ? " " : ""), $2 - $1 }'
	diff "$WORK/descriptors.before" "$WORK/descriptors" >"$WORK/$1.descriptors"
}

case_cycles() {
	local traced control i
	begin "$CYCLES recordings leave no more in the JVM than the JVM's own class changes, JDK $FEATURE" || return 0
	local what=(descriptors threads mappings 'KB of code cache' 'KB of metaspace') most=(0 0 4 "$KB_MORE" "$KB_MORE")
	run_program "${FIXED_THREADS[@]}" Cycles || return 0
	growth record >"$WORK/traced"
	target_leaves
	run_program "${FIXED_THREADS[@]}" -javaagent:"$WORK/cycles.jar" Cycles || return 0
	growth retransform >"$WORK/control"
	target_quit
	read -ra traced <"$WORK/traced"
	read -ra control <"$WORK/control"
	[ ${#traced[@]} = 5 ] && [ ${#control[@]} = 5 ] || finding "not five numbers: ${traced[*]}; ${control[*]}"
	for i in 0 1 2 3 4; do
		echo "#   ${what[i]}: +${traced[i]:-?}, the control +${control[i]:-?}"
		[ "${traced[i]:-999999}" -le $((${control[i]:-0} + most[i])) ] || finding "${what[i]}: +${traced[i]:-?}, the control +${control[i]:-?}" "$(cat "$WORK/record.descriptors")"
	done
	finish
}

# Restoring a class frees the methods that are on the last stacks.
case_last() {
	local i
	begin "stacks of the last calls before the end are complete, JDK $FEATURE" || return 0
	run_program Last || return 0
	for i in 1 2 3 4 5 6; do
		trace_start -m live.Last::inner || break
		echo "$F_PID" >"$T_DIR/going"
		mv "$T_DIR/going" "$T_DIR/go"
		ended_with 0
		grep -E 'unknown' "$F_DIR/stderr" >"$WORK/unknown" && finding "recording $i:" "$(cat "$WORK/unknown")"
	done
	target_quit
	finish
}

printf 'Premain-Class: live.Cycles\nCan-Retransform-Classes: true\n' >"$WORK/manifest"
"${JDKS[0]#* }/bin/jar" cfm "$WORK/cycles.jar" "$WORK/manifest" || exit 1
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	turn 1 && case_cycles
	turn 0 && case_last
done
[ -n "$SOAK" ] || exit 0
root_use 27 "recordings leave nothing" && case_cycles
