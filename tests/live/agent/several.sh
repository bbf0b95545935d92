#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Several recordings of one JVM, started and stopped in every order: each has exactly the calls that it would have alone.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

CALLS=1000 # of outer() by each of two threads in a round

# A records every call of two methods; B only what throws, of a method that A has, too, and times another one.
options_of() { # NAME
	case $1 in
	A) echo "-m live.Several::outer;live.Several::both" ;;
	B) echo "-m live.Several::both -M live.Several::inner --thrown --stack-depth=2 --kernel=off" ;;
	esac
}

declare -A pid_of rounds_of

starts() { # NAME
	local name=$1
	rm -f "$WORK/$name.said" "$WORK/$name.jfr"
	# shellcheck disable=SC2046 # words
	"$FRTRACE" -p "$T_PID" $(options_of "$name") -o "$WORK/$name.jfr" 2>"$WORK/$name.said" </dev/null &
	pid_of[$name]=$!
	STARTED+=("$!")
	rounds_of[$name]=0
	wait_for 30 grep -qs "^tracing" "$WORK/$name.said" || finding "$name does not start: $(cat "$WORK/$name.said")"
}

events_of() { # NAME METHOD
	"$FRTRACE" print --events MethodTrace "$WORK/$1.jfr" 2>/dev/null | grep -cE "^ *method = live\.Several\.$2\("
}

# The last emission.
timed_of() { # NAME METHOD
	"$FRTRACE" print --events MethodTiming "$WORK/$1.jfr" 2>/dev/null |
		awk -v method="live.Several.$2(" '/ method = / { ours = index($0, method) } /invocations =/ && ours { last = $3 } END { gsub(",", "", last); print last + 0 }'
}

has() { # NAME WHAT WANTED GOT
	[ "$3" = "$4" ] || finding "$1 has $4 $2, not $3, after ${rounds_of[$1]} rounds; it said: $(cat "$WORK/$1.said")"
}

is_exact() { # NAME
	local all=$((2 * CALLS * rounds_of[$1]))
	case $1 in
	A)
		has A "calls of outer" $all "$(events_of A outer)"
		has A "calls of both" $all "$(events_of A both)"
		has A "calls of inner" 0 "$(events_of A inner)"
		grep -qE "^$(sed ':a;s/\B[0-9]\{3\}\>/,&/;ta' <<<$((2 * all))) calls, .* 0 lost, 0 still open" "$WORK/A.said" ||
			[ "$all" = 0 ] || finding "A said: $(cat "$WORK/A.said")"
		;;
	B)
		has B "calls of both" $((all / 10)) "$(events_of B both)"
		has B "calls of outer" 0 "$(events_of B outer)"
		has B "timed calls of inner" $((2 * all)) "$(timed_of B inner)"
		;;
	esac
}

stops() { # NAME
	kill -INT "${pid_of[$1]}"
	wait "${pid_of[$1]}" || finding "$1: status $?: $(cat "$WORK/$1.said")"
	is_exact "$1"
	unset "pid_of[$1]"
}

is_killed() { # NAME
	kill -9 "${pid_of[$1]}"
	wait "${pid_of[$1]}" 2>/dev/null
	unset "pid_of[$1]"
}

round=0
one_round() {
	local name
	touch "$T_DIR/go-$((++round))"
	wait_for 60 test -e "$T_DIR/done-$round" || finding "round $round does not end"
	for name in "${!pid_of[@]}"; do
		rounds_of[$name]=$((rounds_of[$name] + 1))
	done
}

# A letter starts a recording; small, it stops it; k kills B.
in_order() { # LETTERS
	local i step
	begin "recordings in the order $1 have exactly their own calls, JDK $FEATURE" || return 0
	run_program Several $CALLS || return 0
	round=0 pid_of=()
	for ((i = 0; i < ${#1}; i++)); do
		step=${1:i:1}
		case $step in
		k) is_killed B ;;
		[AB]) starts "$step" ;;
		*) stops "${step^}" ;;
		esac
		one_round
	done
	wait_for 10 agent_idle || finding "the agent is not idle"
	target_quit
	finish
}

no_fifth() {
	local i
	begin "a fifth recording is refused, with a line that names the others, JDK $FEATURE" || return 0
	run_program Several 10 || return 0
	for i in 1 2 3 4; do
		"$FRTRACE" start -q -p "$T_PID" -m live.Several::both -o "$WORK/$i.jfr" || finding "recording $i does not start"
	done
	"$FRTRACE" -p "$T_PID" -m live.Several::both -o "$WORK/5.jfr" 2>"$WORK/said" && finding "a fifth recording starts"
	grep -qE '4 recordings of this JVM .*(frtrace pid [0-9]+.*){4}' "$WORK/said" || finding "$(cat "$WORK/said")"
	for i in $("$FRTRACE" status --json "$T_PID" | grep -oE '"recorder":[0-9]+' | cut -d: -f2); do
		"$FRTRACE" stop "$i" 2>/dev/null || finding "cannot stop $i"
	done
	wait_for 10 agent_idle || finding "the agent is not idle"
	target_quit
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	for order in ABab ABba BAba BAab AaBb ABaAba ABka; do
		in_order $order
	done
done
jdk_use "${JDKS[-1]}"
no_fifth
