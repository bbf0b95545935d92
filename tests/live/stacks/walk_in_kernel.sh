#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The walker in the kernel (bpf/stack.bpf.h) finds the same frames as the same walker from outside, byte for
# byte.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

programs_build() {
	local multiarch
	multiarch=$(gcc -dumpmachine)
	cd "$ROOT" &&
		clang -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -O2 -g -Wall -Werror -I. -idirafter "/usr/include/$multiarch" \
			-c -o "$WORK/walk.bpf.o" tests/live/walk.bpf.c &&
		PATH=$PATH:/usr/sbin bpftool gen skeleton "$WORK/walk.bpf.o" name walk_bpf >"$WORK/walk.skel.h" &&
		probe_build bpf_walk user/hotspot/{layout,layout_code,codelets,vmstructs,page_cache}.c -lbpf
}

probe_is_on() { grep -qs '^on$' "$WORK/walks" || ended "$PROBE"; }

# Walk the threads of live.Waits into $WORK/walks.
walk() { # [-JVM-OPTION...] Waits [ARGUMENT...]
	target_start "$@"
	target_ready || return
	: >"$WORK/walks"
	"$WORK/bpf_walk" "$T_PID" >"$WORK/walks" 2>&1 &
	PROBE=$!
	STARTED+=("$PROBE")
	wait_for 30 probe_is_on && grep -q '^on$' "$WORK/walks" && target_go
	kill "$PROBE" 2>/dev/null
	wait_for 20 ended "$PROBE" || kill -9 "$PROBE"
	wait "$PROBE" || finding "the probe failed:" "$(tail -n 8 "$WORK/walks")"
}

# The thread's line must be "equal", with these frames.
walked() { # NAME REGEX
	local line
	line=$(grep "^$1 " "$WORK/walks")
	grep -qE "^$1 $2: equal\$" <<<"$line" || finding "$1: expected $2, equal:" "${line:-nothing}"
}

equal() { # SENTENCE [-JVM-OPTION...] Waits [ARGUMENT...] -- NAME REGEX...
	local program=()
	begin "$1, JDK $FEATURE" || return 0
	shift
	while [ "$1" != -- ]; do
		program+=("$1")
		shift
	done
	shift
	walk "${program[@]}"
	while [ $# -gt 0 ]; do
		walked "$1" "$2"
		shift 2
	done
	verdict
	sed -n 's/^cost: /# /p' "$WORK/walks"
	target_drop
}

interpreted='[0-9]+ interpreted 0 compiled [01] native 0 deoptimised'
mixed='[0-9]+ interpreted [0-9]+ compiled 1 native 0 deoptimised'

compiled() { # SENTENCE REGEX-OF-DEOPT [-JVM-OPTION...]
	local sentence=$1 deopt=$2
	shift 2
	equal "$sentence" -Xbatch "$@" Waits -- \
		w-shallow "bottom $mixed" w-deep 'bottom [0-9]+ interpreted [5-9][0-9] compiled 1 native 0 deoptimised' \
		w-cut 'depth [0-9] interpreted 1[12][0-9] compiled 1 native 0 deoptimised' w-reflect "bottom $mixed" \
		w-upcall "bottom $mixed" w-deopt "bottom [0-9]+ interpreted [0-9]+ compiled 1 native $deopt deoptimised" \
		"${virtual[@]}"
}

walk_all() {
	virtual=()
	[ "$FEATURE" -ge 21 ] && virtual=(carrier "bottom ${mixed/1 native/2 native}") # the second native frame is enterSpecial
	equal "the kernel walks interpreted frames" -Xint Waits -- \
		w-shallow "bottom $interpreted" w-deep "bottom 1$interpreted" w-cut "depth 128 ${interpreted#* }" \
		w-reflect "bottom $interpreted" w-upcall "bottom $interpreted" w-deopt "bottom $interpreted"
	compiled "the kernel walks frames of C1" '[01]' -XX:TieredStopAtLevel=1
	compiled "the kernel walks frames of C2, one of them deoptimised" 1 -XX:-TieredCompilation
	compiled "the kernel walks frames of all tiers" '[01]'
}

if [ "$(id -u)" -ne 0 ]; then
	skip "the kernel walks stacks" "needs root"
	exit 0
fi
programs_build || { not_ok "the programs compile"; exit; }
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	walk_all
	equal "the kernel walks 3,000 interpreted stacks" -Xint Waits bench 100 -- w-bench "bottom $interpreted"
	equal "the kernel walks 3,000 compiled stacks" -Xbatch Waits bench 100 -- w-bench "bottom $mixed"
done
for version in "${OTHERS_OF_DAY[@]}"; do
	root_use "$version" "the kernel walks frames" && walk_all
done
