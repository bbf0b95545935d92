#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --kernel=full: the system calls and page faults in traced calls match the program's own counts, call by call.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/live/disk.sh
. "$(dirname "$0")/../disk.sh"

CALLS=${CALLS:-$(amount 60 200)}
MEMORY=$(mktemp /dev/shm/frtrace-live.XXXXXX)
trap 'rm -f "$MEMORY"; live_end' EXIT

variant_build waits
disk_find || skip "major faults of calls" "$NO_DISK"
COLD=${DISK:-$WORK}/cold

# Files that are not in memory, and an untouched file in memory.
fresh_files() {
	local i
	[ -d "$COLD" ] || { mkdir "$COLD" && for ((i = 0; i < 160; i++)); do head -c 4096 /dev/urandom >"$COLD/$i"; done; }
	python3 - "$COLD"/* <<-'END'
		import os, sys
		for path in sys.argv[1:]:
		    with open(path) as file:
		        os.fsync(file.fileno())
		        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
	END
	: >"$MEMORY"
}

usage_run() { # KIND... [TRACE-OPTION...]
	local word kinds=() options=()
	for word; do if [[ $word == -* ]]; then options+=("$word"); else kinds+=("$word"); fi; done
	fresh_files
	record_program Usage "$CALLS" "$COLD" "$MEMORY" "${kinds[@]}" -- "${options[@]}" \
		-m 'live.Usage::read*;live.Usage::block;live.Usage::touch;live.Usage::outer;live.Usage::recursive;live.Usage::spin' || return
	says ' 0 lost'
}

usage_agrees() {
	judged_by live.UsageCheck "$F_FILE" "$T_DIR/usage"
	sed 's/^/# /' <<<"$SAID"
}

case_counts() { # [KIND... with counts from the kernel only]
	local kinds
	begin "system calls and page faults of calls match the program's counts, JDK $FEATURE" || return 0
	kinds=(reads nested minor block alone "$@")
	[ "$FEATURE" -ge 21 ] && kinds+=(virtual)
	usage_run "${kinds[@]}" --no-stack --kernel=full || return 0
	usage_agrees
	[ $# -eq 0 ] || shown
	finish
}

shown() {
	jfr_prints MethodTrace '^  majorFaults = [0-9]+$' '^  minorFaults = 20$' '^  syscalls = 100$' '^  syscallTime = [0-9.]+ m?s$'
	"$FRTRACE" view slowest "$F_FILE" >"$WORK/view" || finding "view slowest: status $?"
	grep -qE ', [0-9]+ system calls? of [0-9.]+m?s' "$WORK/view" || finding "view slowest has no system calls:" "$(head "$WORK/view")"
}

# The agent's own work, when it records a stack for the first time, does not count.
case_stacks() {
	begin "the agent's own work is not counted, JDK $FEATURE" || return 0
	usage_run reads nested recursive new --kernel=full || return 0
	usage_agrees
	finish
}

# The fields of waits are present, those of --kernel=full are not.
only_waits() {
	jfr_newest metadata "$F_FILE" >"$WORK/tool"
	grep -E 'syscalls|syscallTime|Faults' "$WORK/tool" >"$WORK/left" && finding "unexpected fields:" "$(cat "$WORK/left")"
	grep -q 'cpuTime;' "$WORK/tool" || finding "no cpuTime in the metadata"
	frtrace_has cpuTime
}

frtrace_has() { # FIELD: with a known value
	"$FRTRACE" print --events jdk.MethodTrace "$F_FILE" | grep -E "^  $1 = [0-9.]+" >/dev/null || finding "no $1 is known"
}

case_on() {
	begin "--kernel=on has no such fields, JDK $FEATURE" || return 0
	CALLS=10 usage_run reads --no-stack || return 0
	only_waits
	finish
}

# A kernel without one of the tracepoints: the reason is reported, everything else is recorded.
case_without() {
	local FRTRACE=$VARIANT
	local -x FRTRACE_WAITS=$WORK/waits FRTRACE_WITHOUT=page_fault_user
	begin "without the tracepoints everything but these fields is recorded, JDK $FEATURE" || return 0
	CALLS=10 usage_run reads --no-stack --kernel=full || return 0
	says '^  no system calls and page faults: this kernel has no tracepoint page_fault_user$'
	only_waits
	finish
}

for line in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$line"
	case_counts recursive ${DISK:+major} crowd
	turn 0 && case_stacks
	turn 1 && case_on
	turn 0 && case_without
done
for version in "${OTHERS_OF_DAY[@]}"; do
	root_use "$version" "system calls and page faults of calls" || continue
	case_counts ${SOAK:+recursive ${DISK:+major} crowd}
done
