#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# A hostile JVM writes what it likes into what it shares with the collector (attacker.c). It harms only itself.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

END_SECONDS=10	 # from Ctrl-C to the end, on a busy machine
BUILD_SECONDS=1500 # of a sanitizer build from nothing, with one CPU

attacker_build() {
	ATTACKER=$CACHE/attacker.so
	[ "$ATTACKER" -nt "$LIVE/attacker.c" ] && [ "$ATTACKER" -nt "$ROOT/bpf/frtrace.h" ] ||
		gcc -D_GNU_SOURCE -O2 -shared -fPIC -I"$ROOT" -o "$ATTACKER" "$LIVE/attacker.c" -lpthread || exit 1
}

# frtrace under the sanitizers: $SANITIZED
sanitized_build() {
	local build
	build=$(realpath --relative-to="$ROOT" "$(dirname "$FRTRACE")")
	build=${build%-asan}-asan
	SANITIZED=$ROOT/$build/frtrace
	timeout "$BUILD_SECONDS" make -s -j"$(nproc)" -C "$ROOT" ASAN=1 BUILD="$build" "$build/frtrace" >"$WORK/made" 2>&1 && return
	not_ok "frtrace is built with sanitizers" "$(tail -n 20 "$WORK/made")"
	exit 1
}

# A JVM that attacks when its recording has begun.
prey_start() { # HOW
	local plain=("${LAUNCH[@]}")
	LAUNCH+=("LD_PRELOAD=$ATTACKER" "FRTRACE_ATTACK=$1")
	target_start "${BRIEF[@]}" Prey
	LAUNCH=("${plain[@]}")
	target_ready
}

# Ctrl-C is heeded, the JVM lives.
prey_ends() {
	local begin=$SECONDS
	trace_stop
	[ $((SECONDS - begin)) -le "${1:-$END_SECONDS}" ] || finding "the end took $((SECONDS - begin)) s"
	ended "$T_PID" && finding "the JVM has ended:" "$(tail -n 5 "$T_DIR/stdout" "$T_DIR/stderr")"
}

cells() {
	local sentence="slots that share their timing cells hold nobody up, JDK $FEATURE" begin
	begin "$sentence" || return 0
	if prey_start cells && trace_start -m 'live.Prey::leaf' -M 'live.Prey::*' -d 4s --no-stack; then
		begin=$SECONDS
		trace_wait
		[ $((SECONDS - begin)) -le $((4 + END_SECONDS)) ] || finding "-d 4s took $((SECONDS - begin)) s"
		status_is 3
		says "the agent's tables are forged"
		jfr_prints frtrace.Message "the agent's tables are forged"
		if trace_start -M 'live.Prey::*' -i 1s; then
			sleep 2
			timeout 5 "$FRTRACE" status >"$WORK/status" 2>&1 || [ $? -lt 124 ] || finding "status does not end"
			prey_ends
		fi
	fi
	verdict "$sentence"
	target_drop
}

stacks() {
	local sentence="stacks that come faster than they can be read hold nobody up, JDK $FEATURE"
	begin "$sentence" || return 0
	if prey_start stacks && trace_start -m 'live.Prey::*' -M 'live.Prey::*'; then
		sleep 4
		prey_ends
		status_is 0 3
	fi
	verdict "$sentence"
	target_drop
}

random() { # SEED
	local sentence="random bytes in all that is shared harm neither frtrace nor its end, seed $1, JDK $FEATURE"
	begin "$sentence" || return 0
	local FRTRACE=$SANITIZED TRACE_SECONDS_MAX=90
	export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
	if prey_start "random $1" && trace_start -m 'live.Prey::*' -M 'live.Prey::*' -i 1s; then
		sleep "$(amount 4 12)"
		ended "$F_PID" && finding "frtrace has ended"
		prey_ends 60 # the sanitizers' pace
		status_is 0 3
		grep -qE 'runtime error|Sanitizer' "$F_DIR/stderr" && finding "$(grep -E -A12 'runtime error|Sanitizer' "$F_DIR/stderr")"
	fi
	unset ASAN_OPTIONS UBSAN_OPTIONS
	verdict "$sentence"
	target_drop
}

# A thread's name is what somebody has sent.
in_terminal() { # COMMAND...
	python3 "$LIVE/in_terminal.py" 200 50 "$WORK/screen" "" "$FRTRACE" "$@" >"$WORK/steered" || finding "frtrace $1 fails: $(tail -n 3 "$WORK/screen")"
	[ -s "$WORK/steered" ] && finding "frtrace $* steers the terminal:" "$(head -n 5 "$WORK/steered")"
	grep -qF '\u001b]0;pwned\u0007' "$WORK/screen" || finding "frtrace $* does not show the name" "$(head -n 8 "$WORK/screen")"
	"$FRTRACE" "$@" | grep -q $'\033' || finding "into a pipe, frtrace $* changes the name"
}

terminal() {
	local sentence="escape sequences in a recording do not reach the terminal, JDK $FEATURE"
	begin "$sentence" || return 0
	target_start "${BRIEF[@]}" Prey
	if target_ready && trace_start -m 'live.Prey::work' --no-stack --max-events=3000; then
		trace_wait
		in_terminal print --events jdk.MethodTrace "$F_FILE"
		in_terminal view slowest "$F_FILE"
		in_terminal export --csv "$F_FILE"
	fi
	verdict "$sentence"
	target_drop
}

MEMORY_MB=160 # of frtrace itself, while classes are made without end

rss_mb() { awk '$1 == "RssAnon:" { print int($2 / 1024) }' "/proc/$F_PID/status"; }

# Each caller is another class, with a long name: each one is told, in its order, in a memory that does not grow.
hidden() {
	local sentence="hidden classes without end do not fill the memory, and none is mistaken for another, JDK $FEATURE" most=0 now told
	begin "$sentence" || return 0
	target_start -Xmx256m "${BRIEF[@]}" EndlessHidden 20000
	if target_ready && trace_start -m 'live.EndlessHidden::work'; then
		touch "$T_DIR/go"
		for _ in $(seq "$(amount 20 120)"); do
			sleep 1
			now=$(rss_mb)
			[ "${now:-0}" -gt "$most" ] && most=$now
		done
		touch "$T_DIR/enough"
		target_go
		trace_stop
		status_is 0
		target_quit
		echo "# $most MB at most"
		[ "$most" -le "$MEMORY_MB" ] || finding "frtrace took $most MB"
		grep -E 'no memory left|too long ago' "$F_DIR/stderr" >"$WORK/said" && finding "$(cat "$WORK/said")"
		told=$("$FRTRACE" export --csv "$F_FILE" | awk '
			NR > 1 && !match($0, /call[0-9]+x/) { unknown++; next }
			NR > 1 { n = substr($0, RSTART + 4, RLENGTH - 5); wrong += n != NR - 2 }
			END { print NR - 1, unknown + 0, wrong + 0 }')
		[[ $told =~ ^[0-9]{3,}\ 0\ 0$ ]] || finding "calls, unknown callers, wrong callers: $told"
	fi
	verdict "$sentence"
	target_drop
}

attacker_build
for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	turn 0 && terminal
	turn 0 && cells
	turn 1 && stacks
	turn 1 && hidden
done
sanitized_build
seed=0
for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	for _ in $(seq "$(amount 2 8)"); do random $((seed += 1)); done
done
