#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Native methods: each call is an event, however the method is bound and however the call ends; which ones are traced, and
# what is said of the others.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

OWN='live.Natives::brief;live.Natives::over;live.Natives::registered;live.Natives::twinA;live.Natives::twinB;live.Natives::bytecode'
JDK='java.io.FileInputStream;sun.nio.ch.SocketDispatcher;sun.nio.ch.FileDispatcherImpl;java.util.zip.Inflater;java.lang.Thread::sleep*'

library_build() { # FILE
	gcc -O2 -shared -fPIC -fcf-protection=none -fno-omit-frame-pointer -Wall -Werror -isystem "$(dirname "$JNI")" -isystem "$JNI" -o "$1" "$LIVE/natives_bound.c"
}

NATIVES=(Natives "$WORK/libbound.so") # and THREADS CALLS [HOW]

counted() {
	begin "each call of a native method is counted: bound by its short or long name, by RegisterNatives, and two that share a function${PROBES:+, --attach=$PROBES}, JDK $FEATURE" || return 0
	STATUS='0 3' record_program "${NATIVES[@]}" 16 6280 -- -m "$OWN" || return 0
	says ' 0 lost'
	own_truth
	finish
}

# An exception that a native method leaves is seen in compiled code, too.
probed() {
	begin "HotSpot's own probes tell which calls of native methods an exception ends, JDK $FEATURE" || return 0
	trace_program -XX:+DTraceMethodProbes "${NATIVES[@]}" 4 6280 -- --source=hotspot -m "${OWN%;*}" || return 0
	trace_calls
	says ' 0 lost'
	target_quit
	grep -v bytecode "$T_DIR/truth" >"$T_DIR/natives"
	mv "$T_DIR/natives" "$T_DIR/truth"
	own_truth
	finish
}

# Its JavaThread is at the same address each time.
attached() {
	begin "a thread that has left the JVM and comes back is another one for HotSpot's own probes, JDK $FEATURE" || return 0
	trace_program -XX:+DTraceMethodProbes "${NATIVES[@]}" 1 7 attach -- --source=hotspot -m live.Natives::attached || return 0
	trace_calls
	says '^7 calls.* 0 lost'
	target_quit
	"$FRTRACE" export --csv "$F_FILE" | awk -F, 'NR > 1 { print $5 }' >"$WORK/ids"
	diff "$T_DIR/ids" "$WORK/ids" >"$WORK/differ" || finding "not the ids of the threads:" "$(cat "$WORK/differ")"
	finish
}

# What the program knows of its own methods alone.
own_truth() {
	grep -E '^allow|live\.Natives' "$T_DIR/truth" >"$T_DIR/own"
	file_agrees "$T_DIR/own"
}

jdk_natives() {
	local sleep
	begin "files, sockets, zlib and sleep are traced with their callers: stacks and times agree, arraycopy is an intrinsic, JDK $FEATURE" || return 0
	STATUS='0 3' record_program "${NATIVES[@]}" 1 400 -- -m "$OWN;$JDK;java.lang.System::arraycopy" || return 0
	says ' 0 lost'
	says 'System\.arraycopy\(.*\): native and an intrinsic'
	sleep=$(cat "$T_DIR/sleep")
	file_agrees
	judged_by live.NativesCheck "$F_FILE" live.Natives.brief $([ "$sleep" = sleep ] || echo "java.lang.Thread.$sleep") \
		$(awk '$3 ~ /^(readBytes|inflate)/ { print $2 "." $3 }' "$T_DIR/truth")
	[ "$(file_events "java.lang.Thread.$sleep")" -ge 20 ] || finding "$(file_events "java.lang.Thread.$sleep") calls of Thread.$sleep, at least 20 were made"
	finish
}

# The byte at the place of a function, in the memory of a JVM.
byte_at() { # PID PLACE
	local address
	address=$(awk -v name="/libbound.so" 'substr($6, length($6) - length(name) + 1) == name && $3 == "00000000" { print substr($1, 1, index($1, "-") - 1); exit }' "/proc/$1/maps")
	dd if="/proc/$1/mem" bs=1 count=1 skip=$((0x$address + 0x$2)) status=none | od -A n -t x1 | tr -d ' '
}

only_the_target() {
	local other other_dir place
	begin "another JVM with the same library has no probe, and its functions no breakpoint, JDK $FEATURE" || return 0
	place=$(nm -D "$WORK/libbound.so" | awk '$3 == "Java_live_Natives_brief" { print $1 }')
	run_program "${NATIVES[@]}" 1 400 || return 0
	other=$T_PID other_dir=$T_DIR
	trace_program "${NATIVES[@]}" 1 400 -- -m "$OWN" || return 0
	[ "$(byte_at "$T_PID" "$place")" = cc ] || finding "the target's function has no breakpoint: $(byte_at "$T_PID" "$place")"
	[ "$(byte_at "$other" "$place")" = cc ] && finding "the other JVM's function has a breakpoint"
	touch "$other_dir/go"
	target_go
	wait_for "$SECONDS_MAX" [ -e "$other_dir/done" ] || finding "the other program does not finish"
	[ "$(byte_at "$other" "$place")" = cc ] && finding "the other JVM's function has got a breakpoint"
	trace_stop
	[ "$(byte_at "$T_PID" "$place")" = cc ] && finding "the breakpoint is left behind"
	target_quit
	own_truth
	touch "$other_dir/quit"
	finish
}

# The program waits until they are found.
late() {
	local name
	begin "methods that RegisterNatives binds after the attach, or binds anew, are found, and their calls counted${PROBES:+, --attach=$PROBES}, JDK $FEATURE" || return 0
	trace_program "${NATIVES[@]}" 1 4000 late -- -m 'live.Natives::moved;live.Natives::late;live.Natives::lateLoose' -M 'live.Natives::moved' || return 0
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" [ -e "$T_DIR/bound" ] || finding "the program does not bind them"
	for name in second_of_moved only_of_late; do
		wait_for "$SECONDS_MAX" has_probe "$name" || finding "$name has no probe"
	done
	touch "$T_DIR/probed"
	wait_for "$SECONDS_MAX" [ -e "$T_DIR/done" ] || finding "the program does not finish"
	stopped_with 3 # lateLoose
	says ' 0 lost'
	says '^  native: live\.Natives\.lateLoose: bound to code in memory of no file'
	target_quit
	file_agrees
	line=$("$FRTRACE" view method-timing "$F_FILE" | grep 'live\.Natives\.moved')
	[[ $line =~ ^live\.Natives\.moved\(int\)\ +8,?000\  ]] || finding "not 8000 invocations: $line"
	finish
}

# frtrace can open the file with the function then, but no more. It opens others for a moment: the least of some looks.
free_descriptor() { # PID
	local look
	for look in 1 2 3 4 5; do
		ls "/proc/$1/fd" | sort -n | awk '$1 == n { n++ } END { print n + 0 }'
		sleep 0.03
	done | sort -n | head -n 1
}

late_in_vain() {
	begin "if the function of a method that is bound meanwhile cannot be probed, a line says so, JDK $FEATURE" || return 0
	trace_program "${NATIVES[@]}" 1 4000 late -- -m 'live.Natives::moved;live.Natives::late' || return 0
	says 'live\.Natives\.late\(int\): not bound yet'
	prlimit --pid "$F_PID" --nofile=$(($(free_descriptor "$F_PID") + 1)):
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" [ -e "$T_DIR/bound" ] || finding "the program does not bind them"
	wait_for "$SECONDS_MAX" grep -q '^frtrace: ' "$F_DIR/stderr" || finding "no line says so:" "$(cat "$F_DIR/stderr")"
	sleep 0.5 # some looks
	says '^frtrace: native methods that were found meanwhile are not traced: .*Too many open files'
	[ "$(grep -c '^frtrace: ' "$F_DIR/stderr")" = 1 ] || finding "more than a line:" "$(cat "$F_DIR/stderr")"
	prlimit --pid "$F_PID" --nofile=1024:
	touch "$T_DIR/probed"
	stopped_with 3
	target_quit
	finish
}

# Stacks are those of the program's own Thread.getStackTrace().
open_calls() {
	begin "native calls that have not returned are in the file, nested ones and those of a shared function, too, with their stacks, JDK $FEATURE" || return 0
	record_program "${NATIVES[@]}" 1 1 open -- -m 'live.Natives::hang*;live.Natives::nest' || return 0
	says ' 0 lost, 4 still open'
	judged_by live.OpenCheck "$F_FILE" "$T_DIR/open" "$T_DIR/stacks"
	[ "${SAID##*$'\n'}" = 4 ] || finding "${SAID##*$'\n'} events"
	finish
}

has_probe() { [ "$(byte_at "$T_PID" "$(nm -D "$WORK/libbound.so" | awk -v name="$1" '$3 == name { print $1 }')")" = cc ]; } # FUNCTION

# JDK 18 and later call no such function, JDK 16 and 17 only with the option.
critical() { # traced|named [-JVM-OPTION...]
	local how=$1
	begin "a method with a JavaCritical_ function is $1${2:+ with $2}, JDK $FEATURE" || return 0
	shift
	trace_program "$@" "${NATIVES[@]}" 1 40 -- -m 'live.Natives::critical;live.Natives::brief' || return 0
	trace_stop
	if [ "$how" = named ]; then
		says 'native: live\.Natives\.critical\(int\): has a JavaCritical_ function'
	else
		grep -q JavaCritical_ "$F_DIR/stderr" && finding "it is not:" "$(cat "$F_DIR/stderr")"
	fi
	finish
}

said() {
	begin "native methods that are not traced are reported: a wildcard's native methods, one that is not bound, one bound to memory of no file, JDK $FEATURE" || return 0
	run_program "${NATIVES[@]}" 1 40 || return 0
	trace_start -m 'live.Nativ*' && trace_stop
	says 'not traced: [0-9]+ native: traced where a filter names the class'
	says 'tracing [0-9]+ methods'
	rm -f "$F_FILE"
	trace_start -m 'live.Natives::never;live.Natives::loose;live.Natives::brief' && trace_stop
	says 'native: live\.Natives\.never\(int\): not bound yet'
	says 'native: live\.Natives\.loose\(int\): bound to code in memory of no file'
	says '^tracing 3 methods'
	verb_natives=$("$FRTRACE" methods "$T_PID" 'live.Natives::brief;live.Natives::loose;live.Natives::never' 2>&1)
	grep -qE "::brief\(int\)' +app  native: libbound\.so\+0x[0-9a-f]+ Java_live_Natives_brief$" <<<"$verb_natives" || finding "$verb_natives"
	grep -qE "::loose\(int\)' +app  native: code in memory of no file$" <<<"$verb_natives" || finding "$verb_natives"
	grep -qE "::never\(int\)' +app  native: not bound" <<<"$verb_natives" || finding "$verb_natives"
	finish
}

# When the class is loaded, frtrace has given up the right to load programs.
loaded_late() {
	local calls
	begin "native methods of a class that is loaded while tracing are traced${PROBES:+, --attach=$PROBES}, JDK $FEATURE" || return 0
	trace_program "${NATIVES[@]}" 1 50 loaded -- -m 'live.Natives$Late' || return 0
	says 'no loaded class matches yet'
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" [ -e "$T_DIR/bound" ] || finding "the class is not loaded"
	wait_for "$SECONDS_MAX" has_probe 'Java_live_Natives_00024Late_call' || finding "its method has no probe"
	touch "$T_DIR/probed"
	wait_for "$SECONDS_MAX" target_has "done" || finding "the program does not finish"
	stopped_with 0 3
	calls=$(file_events 'live.Natives$Late.call')
	[ "$calls" = 50 ] || [ "$calls" = 51 ] || finding "$calls calls were recorded:" "$(cat "$F_DIR/stderr")"
	target_leaves
	finish
}

narrowed() {
	local line
	begin "a threshold leaves short native calls out, and -M counts and times all of them, JDK $FEATURE" || return 0
	STATUS='0 3' record_program "${NATIVES[@]}" 2 400 -- \
		-m 'java.lang.Thread::sleep*:1ms;live.Natives::brief:10s' -M 'live.Natives::brief' || return 0
	says ' 0 lost'
	[ "$(file_events live.Natives.brief)" = 0 ] || finding "$(file_events live.Natives.brief) calls of brief took 10 s"
	[ "$(file_events "java.lang.Thread.$(cat "$T_DIR/sleep")")" -ge 20 ] || finding "sleeps of 3 ms are missing"
	line=$("$FRTRACE" view method-timing "$F_FILE" | grep 'live\.Natives\.brief')
	[[ $line =~ ^live\.Natives\.brief\(int\)\ +800\  ]] || finding "not 800 invocations: $line"
	finish
}

launched() {
	local name
	begin "native methods of a program that frtrace starts are traced, those that were bound before, too, JDK $FEATURE" || return 0
	stage
	touch "$T_DIR/go" "$T_DIR/quit"
	F_FILE=$WORK/launched.jfr
	trace_launch -o "$F_FILE" --max-overhead=off -m "$JDK" -- "$JAVA/bin/java" -cp "$CLASSES" live.Natives "$T_DIR" "$WORK/libbound.so" 1 40
	ended_with 0 3
	says ' 0 lost'
	for name in "java.lang.Thread.$(cat "$T_DIR/sleep")" "$(awk '$3 ~ /^readBytes/ { print $2 "." $3 }' "$T_DIR/truth")"; do
		[ "$(file_events "$name")" -ge 20 ] || finding "$(file_events "$name") calls of $name, at least 20 were made"
	done
	verdict
	rm -f "$F_FILE"
}

JNI=$(dirname "$(find "${JDKS[0]#* }/include" /usr/lib/jvm/*/include -name jni_md.h 2>/dev/null | head -n 1)")
library_build "$WORK/libbound.so" || { not_ok "the library compiles"; exit; }
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	counted
	jdk_natives
	late
	open_calls
	said
	critical traced
	[ "$FEATURE" -gt 17 ] || critical named -XX:+CriticalJNINatives
	narrowed
	probed
	attached
	loaded_late
	launched
done
PROBES=perf counted
PROBES=perf late
PROBES=perf loaded_late
PROBES=
late_in_vain
only_the_target
for feature in "${HALF_OF_DAY[@]}"; do
	root_use "$feature" "native methods" || continue
	jdk_natives
	[ "$feature" != 8 ] || { counted; late; open_calls; critical named; }
done
