#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A hostile JVM writes anything into the memory that it shares with the collector (attacker.c). It harms only itself.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

END_SECONDS=80	 # limit from Ctrl-C to the end, on a busy machine

attacker_build() {
	ATTACKER=$CACHE/attacker.so
	[ -e "$ATTACKER" ] && [ -z "$(find "$LIVE/attacker.c" "$ROOT"/bpf/*.h -newer "$ATTACKER")" ] ||
		exclusively gcc -D_GNU_SOURCE -O2 -shared -fPIC -I"$ROOT" -o "$ATTACKER" "$LIVE/attacker.c" -lpthread || exit 1
}

# Start a JVM that attacks when its recording has begun.
attack_start() { # HOW
	local LAUNCH=("${LAUNCH[@]}" "LD_PRELOAD=$ATTACKER" "FRTRACE_ATTACK=$1")
	run_program "${BRIEF[@]}" AttackTarget
}

# Ctrl-C works and the JVM survives.
attack_ends() {
	local begin=$SECONDS
	trace_stop
	[ $((SECONDS - begin)) -le "${1:-$END_SECONDS}" ] || finding "the end took $((SECONDS - begin)) s"
	ended "$T_PID" && finding "the JVM has ended:" "$(tail -n 5 "$T_DIR/stdout" "$T_DIR/stderr")"
}

cells() {
	local begin
	begin "slots that share their timing cells block nothing, JDK $FEATURE" || return 0
	attack_start cells && trace_target -m 'live.AttackTarget::leaf' -M 'live.AttackTarget::*' -d 4s --no-stack || return 0
	begin=$SECONDS
	trace_wait
	[ $((SECONDS - begin)) -le $((4 + END_SECONDS)) ] || finding "-d 4s took $((SECONDS - begin)) s"
	status_is 3
	says "the agent's tables are forged"
	jfr_prints frtrace.Message "the agent's tables are forged"
	trace_target -M 'live.AttackTarget::*' -i 1s || return 0
	sleep 2
	timeout 60 "$FRTRACE" status >"$WORK/status" 2>&1 || [ $? -lt 124 ] || finding "status does not end"
	attack_ends
	finish
}

stacks() {
	begin "stacks that come faster than they can be read block nothing, JDK $FEATURE" || return 0
	attack_start stacks && trace_target -m 'live.AttackTarget::*' -M 'live.AttackTarget::*' || return 0
	sleep 4
	attack_ends
	status_is 0 3
	finish
}

# What is shown of the calls while they arrive.
SHOWN=("-M live.AttackTarget::* -i 1s" "--otlp=-" "--lines")

random() { # SEED
	local shown
	begin "random bytes in the shared memory harm neither frtrace nor the end of the recording, seed $1, JDK $FEATURE" || return 0
	local FRTRACE=$SANITIZED TRACE_SECONDS_MAX=90
	export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1 # frtrace limits its memory
	read -ra shown <<<"${SHOWN[$1 % ${#SHOWN[@]}]}"
	if attack_start "random $1" && trace_start -m 'live.AttackTarget::*' "${shown[@]}"; then
		sleep "$(amount 4 12)"
		ended "$F_PID" && finding "frtrace has ended"
		attack_ends 120 # sanitizers are slow
		status_is 0 3
		grep -qE 'runtime error|Sanitizer' "$F_DIR/stderr" && finding "$(grep -E -A12 'runtime error|Sanitizer' "$F_DIR/stderr")"
	fi
	unset ASAN_OPTIONS UBSAN_OPTIONS
	finish
}

# A thread's name may come from a stranger.
in_terminal() { # COMMAND...
	python3 "$LIVE/in_terminal.py" 200 50 "$WORK/screen" "" "$FRTRACE" "$@" >"$WORK/steered" || finding "frtrace $1 fails: $(tail -n 3 "$WORK/screen")"
	[ -s "$WORK/steered" ] && finding "frtrace $* sends control sequences to the terminal:" "$(head -n 5 "$WORK/steered")"
	grep -qF '\u001b]0;pwned\u0007' "$WORK/screen" || finding "frtrace $* does not show the name" "$(head -n 8 "$WORK/screen")"
	"$FRTRACE" "$@" | cat >"$WORK/piped"
	grep -qF $'evil \033]0;pwned\007' "$WORK/piped" || finding "into a pipe, frtrace $* changes the name"
}

# The JDK's tool prints the same, byte for byte.
as_jfr_prints() { # EVENT
	[ "${NEWEST%% *}" -ge 25 ] || return # older ones print text differently
	"$FRTRACE" print --events "$1" "$F_FILE" >"$WORK/ours" 2>&1
	jfr_newest print --events "$1" "$F_FILE" >"$WORK/theirs" 2>&1
	cmp -s "$WORK/ours" "$WORK/theirs" || finding "jfr print differs:" "$(diff "$WORK/ours" "$WORK/theirs" | head -n 8 | cat -v)"
}

terminal() {
	begin "escape sequences in a recording do not reach the terminal, JDK $FEATURE" || return 0
	trace_program "${BRIEF[@]}" AttackTarget -- \
		-m 'live.AttackTarget::work' --no-stack --max-events=3000 || return 0
	trace_wait
	in_terminal print --events jdk.MethodTrace "$F_FILE"
	in_terminal view slowest "$F_FILE"
	in_terminal export --csv "$F_FILE"
	as_jfr_prints jdk.MethodTrace
	finish
}

CALLERS=12000	   # each in a class of its own, with a name of NAME_LETTERS
NAME_LETTERS=10000
CALLERS_SECONDS=400 # limit for making them on a busy machine; 20 on an idle one
MEMORY_MB=128	   # limit for frtrace itself

rss_mb() { awk '$1 == "RssAnon:" { print int($2 / 1024) }' "/proc/$F_PID/status"; }

# Sets MOST_MB to the most memory that frtrace has while the target makes classes.
watch_memory() {
	local now end=$((SECONDS + CALLERS_SECONDS))
	MOST_MB=0
	until target_has "done"; do
		[ $SECONDS -lt $end ] || { finding "no $CALLERS classes in $CALLERS_SECONDS s"; return; }
		sleep 0.2
		now=$(rss_mb)
		[ "${now:-0}" -le "$MOST_MB" ] || MOST_MB=$now
	done
}

# Sorted by start, the Nth call is the Nth caller's. On a busy machine a stack may be lost if frtrace counts it.
cat >"$WORK/callers.py" <<'P'
import csv, re, sys

csv.field_size_limit(1 << 30)
calls, letters, said = int(sys.argv[1]), int(sys.argv[2]), open(sys.argv[4]).read()
rows = sorted(csv.DictReader(open(sys.argv[3])), key=lambda row: int(row["start_ns"]))
callers = [re.search(r"\.call(\d+)(x*)\(\)$", row["caller"]) for row in rows]
unknown = sum(not row["caller"].startswith("live.Made") for row in rows)
wrong = [(i, row["caller"][:40]) for i, (row, caller) in enumerate(zip(rows, callers))
         if row["caller"].startswith("live.Made") and not (caller and int(caller[1]) == i and len(caller[2]) == letters)]
counted = sum(int(n.replace(",", "")) for n in re.findall(r"^ +([\d,]+) (?:calls? lost|stacks? (?:is|are) (?:lost|unknown)|frames? (?:is|are) unknown)", said, re.M))
if len(rows) != calls:
    print(f"{len(rows)} calls are recorded")
if wrong:
    print(f"{len(wrong)} callers are wrong, the first ones {wrong[:3]}")
if unknown > min(counted, calls // 10):
    print(f"{unknown} callers are unknown, {counted} are counted")
P

hidden() {
	begin "endless hidden classes do not fill the memory, and none is mistaken for another, JDK $FEATURE" || return 0
	trace_program -Xmx256m "${BRIEF[@]}" EndlessHidden "$NAME_LETTERS" "$CALLERS" -- \
		-m 'live.EndlessHidden::work' || return 0
	touch "$T_DIR/go"
	watch_memory
	trace_stop
	status_is 0 3 # 3: stacks were lost
	target_quit
	echo "# at most $MOST_MB MB"
	[ "$MOST_MB" -le "$MEMORY_MB" ] || finding "frtrace took $MOST_MB MB"
	"$FRTRACE" export --csv "$F_FILE" >"$WORK/calls" || finding "export fails"
	python3 "$WORK/callers.py" "$CALLERS" "$NAME_LETTERS" "$WORK/calls" "$F_DIR/stderr" >"$WORK/said" 2>&1
	[ -s "$WORK/said" ] && finding "$(tail -n 5 "$WORK/said")" "$(tail -n 12 "$F_DIR/stderr")"
	finish
}

attacker_build
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	turn 0 && terminal
	turn 0 && cells
	turn 1 && stacks
	turn 1 && hidden
done
sanitized_build
seed=0
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	for _ in $(seq "$(amount 2 8)"); do random $((seed += 1)); done
done
