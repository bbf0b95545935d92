#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The verifiers of kernels differ: what one proves, another may refuse. scripts/test-fresh --kernel runs this on others.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

if begin "this kernel, $(uname -r), takes each BPF program, with either buffer"; then
	variant_build programs
	"$VARIANT" >"$WORK/programs" 2>&1 || finding "$(cat "$WORK/programs")"
	grep -qE '^[1-9][0-9]+ loaded, 0 refused$' "$WORK/programs" || finding "not all were loaded"
	verdict
fi

# Sets `injected` to what refuses the first bpf() call with this text. Skips the case if there is none.
refusing() { # ERROR TEXT WHY-NOT
	local nth
	command -v strace >/dev/null || { skip "$SENTENCE" "no strace"; return 1; }
	run_program Late 10 || return
	timeout -k 1 60 "${bpf[@]}" "$FRTRACE" check "$T_PID" >"$WORK/check" 2>&1
	nth=$(grep -E ' bpf\(' "$WORK/calls" | grep -nm1 "$2" | cut -d : -f 1)
	[ -n "$nth" ] || { skip "$SENTENCE" "$3"; target_drop; return 1; }
	injected=("${bpf[@]}" -e inject=bpf:error="$1":when="$nth")
}

# libbpf first asks the kernel whether an array can be mapped. If not, it leaves the programs' variables out and goes on.
without_variables() {
	begin "where libbpf cannot map the variables of the programs, a line says so, and the JVM is not touched" || return 0
	refusing EPERM 'map_name="libbpf_mmap"' "this libbpf does not ask" || return 0
	local TRACE_AS=("${injected[@]}")
	trace_launch -p "$T_PID" -m live.Late -d 100ms -o "$WORK/none.jfr"
	ended_with 1
	says '^frtrace: cannot load BPF programs: libbpf could not map their variables'
	target_untouched "$T_PID"
	trace_launch check "$T_PID"
	ended_with 1
	grep -qE '^  programs +no: .*could not map' "$F_DIR/stdout" || finding "$(cat "$F_DIR/stdout")"
	finish
}

# The programs that are loaded then are others.
without_casts() {
	begin "a kernel that refuses calls of functions that it does not have gets programs without them" || return 0
	refusing EINVAL 'RAW_TRACEPOINT, insn_cnt=4,' "frtrace does not ask" || return 0
	local TRACE_AS=("${injected[@]}")
	trace_launch check "$T_PID"
	ended_with 0
	grep -q 'INJECTED' "$WORK/calls" || finding "nothing was refused"
	grep -qE '^  programs +yes' "$F_DIR/stdout" && grep -qE '^  waits +yes' "$F_DIR/stdout" || finding "$(cat "$F_DIR/stdout")"
	finish
}

bpf=(strace -f -qq -o "$WORK/calls" -e trace=bpf)
jdk_use "${JDKS[0]}"
without_variables
without_casts
