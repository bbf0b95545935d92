#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The file, read by the JDKs' own tools.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
TOGETHER=$0

between() {
	begin "10,000 calls start between two nanoTime stamps, JDK $FEATURE" || return 0
	STATUS='0 3' record_program Nano 10000 -- -m live.Nano::stamp || return 0
	file_agrees
	finish
}

# Calls, then none for longer than a chunk lasts: chunks without methods and threads.
silence() {
	local jdk
	begin "a recording with silent chunks stays readable, JDK $FEATURE" || return 0
	trace_program Late 1000 -- -m 'live.Late$Latecomer::checkout' -d 12s || return 0
	target_go
	ended_with 0
	file_agrees
	for jdk in "${JDKS[@]}"; do
		jfr_of "${jdk#* }" print "$F_FILE" >"$WORK/tool" 2>&1 || finding "jfr of JDK ${jdk%% *}:" "$(head -c 600 "$WORK/tool")"
	done
	target_quit
	finish
}

tool() { # ARGUMENT...: the JDK's jfr must accept the file and say something
	jfr_of "$JAVA" "$@" >"$WORK/tool" 2>&1 && [ -s "$WORK/tool" ] || finding "jfr $*: $(head -c 600 "$WORK/tool")"
}

shows() { # REGEX WHAT
	grep -qE -- "$1" "$WORK/tool" || finding "$2 is not shown:" "$(head -n 12 "$WORK/tool")"
}

tools() { # the file is the oldest JDK's
	begin "jfr summary, print, print --json, metadata, scrub of JDK $FEATURE accept the file" || return 0
	tool summary "$file"
	shows '^ *jdk.MethodTrace +2000 ' "2000 jdk.MethodTrace"
	tool metadata "$file"
	shows 'class MethodTrace extends jdk.jfr.Event' "MethodTrace"
	tool print --json --events jdk.MethodTrace "$file"
	shows '"thrown": (true|false)' "thrown"
	tool print "$file"
	tool print --events jdk.MethodTrace "$file"
	shows '^  method = live\.Late\$Latecomer\.checkout\(int\)' "the method"
	shows '^  eventThread = "main" \(javaThreadId = 1\)' "the thread"
	shows '^  startTime = [0-9][0-9]:' "the start"
	shows '^  duration = [0-9.]+ [mnu]?s' "the duration"
	if jfr_of "$JAVA" help scrub 2>/dev/null | grep include-events >/dev/null; then
		rm -f "$WORK/scrubbed.jfr"
		tool scrub --include-events jdk.MethodTrace "$file" "$WORK/scrubbed.jfr"
		tool summary "$WORK/scrubbed.jfr"
		shows '^ *jdk.MethodTrace +2000 ' "2000 jdk.MethodTrace after scrub"
	else
		skip "jfr scrub of JDK $FEATURE" "this jfr has no scrub"
	fi
	verdict
}

companions() {
	local event
	begin "the JVM, the machine, the recording and the clock are in the file, secrets are not" || return 0
	for event in jdk.JVMInformation jdk.OSInformation jdk.CPUInformation jdk.PhysicalMemory jdk.VirtualizationInformation jdk.ActiveRecording jdk.ActiveSetting frtrace.Clock; do
		tool print --events "$event" "$file"
		shows "^$event" "$event"
	done
	if [ "$FEATURE" -ge 25 ]; then
		tool view system-information "$file"
		shows '^Total Physical Memory Size: ' "the view system-information"
		shows '^Virtualization: .*detected' "the view's virtualization"
	fi
	tool print --events jdk.JVMInformation "$file"
	shows 'Dshop\.password=\*\*\*' "a masked password"
	grep -aq hunter2 "$file" && finding "the password is in the file"
	[ "$(stat -c %a "$file")" = 600 ] || finding "the file's mode is $(stat -c %a "$file")"
	verdict
}

jdk_use "${JDKS[0]}"
meanwhile silence
for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	between
done

jdk_use "${JDKS[0]}"
findings=()
target_start -Dshop.password=hunter2 Late 2000
if target_ready && trace_start -m 'live.Late$Latecomer::checkout'; then
	target_go
	trace_stop
	target_quit
	file=$F_FILE
	for jdk in "${JDKS[@]}"; do
		jdk_use "$jdk"
		tools
	done
	companions
else
	verdict "a recording to look at"
fi
meanwhile_ends
