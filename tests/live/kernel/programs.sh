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

# libbpf first asks the kernel whether an array can be mapped. If not, it leaves the programs' variables out and goes on.
without_variables() {
	local nth bpf=(strace -f -qq -o "$WORK/calls" -e trace=bpf)
	begin "where libbpf cannot map the variables of the programs, a line says so, and the JVM is not touched" || return 0
	command -v strace >/dev/null || { skip "$SENTENCE" "no strace"; return 0; }
	run_program Late 10 || return 0
	timeout -k 1 60 "${bpf[@]}" "$FRTRACE" check "$T_PID" >"$WORK/check" 2>&1
	nth=$(grep -E ' bpf\(' "$WORK/calls" | grep -nm1 'map_name="libbpf_mmap"' | cut -d : -f 1)
	[ -n "$nth" ] || { skip "$SENTENCE" "this libbpf does not ask"; target_drop; return 0; }
	local TRACE_AS=("${bpf[@]}" -e inject=bpf:error=EPERM:when="$nth")
	trace_launch -p "$T_PID" -m live.Late -d 100ms -o "$WORK/none.jfr"
	ended_with 1
	says '^frtrace: cannot load BPF programs: libbpf could not map their variables'
	target_untouched "$T_PID"
	trace_launch check "$T_PID"
	ended_with 1
	grep -qE '^  programs +no: .*could not map' "$F_DIR/stdout" || finding "$(cat "$F_DIR/stdout")"
	finish
}
jdk_use "${JDKS[0]}"
without_variables
