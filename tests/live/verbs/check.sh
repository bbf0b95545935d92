#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The output of `frtrace check`, which leaves a JVM unchanged.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# Run it with standard output in $WORK/check.
check() { # STATUS [ARGUMENT...]
	local want=$1 status
	shift
	"$FRTRACE" check "$@" >"$WORK/check" 2>"$WORK/check.err" </dev/null
	status=$?
	[ "$status" = "$want" ] || finding "status $status, not $want:" "$(cat "$WORK/check" "$WORK/check.err")"
}

check_says() { # REGEX
	grep -qE "$1" "$WORK/check" || finding "does not say '$1':" "$(cat "$WORK/check")"
}

machine() {
	begin "this machine can trace" || return 0
	check 0
	check_says '^kernel '
	for what in BTF uprobes programs launch; do
		check_says "^  $what  *yes$"
	done
	check_says '^  clock  *yes(: measured: .* agree)?$' # depends on the kernel's clock
	verdict
}

no_place() {
	begin "it reports when there is no place for the agent of a started program" || return 0
	unshare --mount sh -c 'for place in /tmp /var/tmp /dev/shm; do mount -t tmpfs -o noexec none $place; done; cd /proc && exec "$@"' - \
		/proc/self/fd/9 check >"$WORK/check" 2>"$WORK/check.err" </dev/null 9<"$FRTRACE"
	check_says '^  launch  *no: cannot put the agent where a JVM can load it: /tmp: mounted noexec; /var/tmp: mounted noexec; its working directory: .*; /dev/shm: mounted noexec$'
	check_says '^  programs  *yes$'
	verdict
}

no_rights() {
	begin "it reports missing rights" || return 0
	cp "$FRTRACE" "$WORK/frtrace" && chmod 755 "$WORK/frtrace"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$WORK/frtrace" check >"$WORK/check" 2>"$WORK/check.err" </dev/null
	[ $? = 1 ] || finding "the status is not 1"
	check_says '^  programs  *no: cannot load BPF programs: no right to'
	verdict
}

user_namespace() {
	begin "it says that capabilities in a user namespace are of no use for bpf()" || return 0
	unshare --user true 2>/dev/null || { skip "$SENTENCE" "no user namespace can be made here, as in a chroot"; return; }
	unshare --user --map-root-user "$FRTRACE" check >"$WORK/check" 2>"$WORK/check.err" </dev/null
	[ $? = 1 ] || finding "the status is not 1"
	check_says '^  programs  *no: bpf\(\) is refused: frtrace is in a user namespace'
	check_says '^  uprobes  *no: bpf\(\) is refused: frtrace is in a user namespace'
	verdict
}

bad_arguments() {
	begin "a missing process is an error, wrong arguments are wrong usage" || return 0
	check 1 999999999
	[ -s "$WORK/check.err" ] || finding "no message"
	check 2 --threshold=1ms
	verdict
}

jvm() {
	begin "a JVM is inspected and left unchanged, JDK $FEATURE" || return 0
	run_program Waits || return 0
	check 0 "$T_PID"
	check_says "^  version  *${FEATURE/#8/1.8}"
	check_says '^  attach  *yes$'
	check_says '^  stacks  *yes: walked$'
	target_untouched "$T_PID"
	finish
}

no_attach() {
	begin "a JVM that does not accept an attach cannot be traced, JDK $FEATURE" || return 0
	run_program -XX:+DisableAttachMechanism Waits || return 0
	check 1 "$T_PID"
	check_says '^  attach  *no: it was started with -XX:.DisableAttachMechanism$'
	target_untouched "$T_PID"
	finish
}

# The arguments of the last call are run without these capabilities.
without() { # CAPABILITY,... COMMAND...
	setpriv --bounding-set="-${1//,/,-}" "${@:2}"
}

rights() {
	local row lost name
	begin "each missing capability is named before the JVM is touched, JDK $FEATURE" || return 0
	LAUNCH=("${SERVICE[@]}" setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${LAUNCH[@]}" "$JAVA/bin/java" -version >/dev/null 2>&1 || { skip "$SENTENCE" "user nobody cannot run $JAVA"; return; }
	classes_for_all
	target_start Waits
	LAUNCH=("${SERVICE[@]}")
	target_comes_up || return 0
	for row in sys_admin,bpf=CAP_BPF sys_admin,perfmon=CAP_PERFMON sys_ptrace=CAP_SYS_PTRACE setuid=CAP_SETUID setgid=CAP_SETGID \
		dac_override,dac_read_search=CAP_DAC_READ_SEARCH; do
		lost=${row%=*} name=${row#*=}
		without "$lost" "$FRTRACE" check "$T_PID" >"$WORK/check" 2>&1 </dev/null && finding "check without $lost ends well"
		check_says "$name( is missing| \\()"
		grep -q 'this kernel refuses' "$WORK/check" && finding "without $lost it blames the kernel:" "$(cat "$WORK/check")"
		without "$lost" "$FRTRACE" list >"$WORK/check" 2>&1 </dev/null
		check_says "^ *$T_PID .* nobody .*  no  .*live\\.Waits  .*$name( is missing| \\()"
		without "$lost" "$FRTRACE" -p "$T_PID" -m live.Waits -o "$WORK/x.jfr" -d 1s >"$WORK/check" 2>&1 </dev/null && finding "a recording without $lost ends well"
		check_says "^frtrace: .*$name( is missing| \\()"
		target_untouched "$T_PID"
	done
	without sys_admin "$FRTRACE" check "$T_PID" >"$WORK/check" 2>&1 </dev/null || finding "without CAP_SYS_ADMIN:" "$(cat "$WORK/check")"
	without sys_admin "$FRTRACE" -p "$T_PID" -m live.Waits -o "$WORK/x.jfr" -d 1s --attach=perf >"$WORK/check" 2>&1 </dev/null &&
		finding "perf events without CAP_SYS_ADMIN end well"
	check_says '^frtrace: .*rights are missing: CAP_SYS_ADMIN \(uprobes by perf events\): give frtrace the capability$'
	target_untouched "$T_PID"
	without sys_admin,bpf,perfmon "$FRTRACE" check "$T_PID" >"$WORK/check" 2>&1 </dev/null
	check_says '^  attach  *no: rights are missing: CAP_BPF \(BPF programs\), CAP_PERFMON \(attaching them\): give frtrace the capability$'
	without setuid,setgid "$FRTRACE" check "$T_PID" >"$WORK/check" 2>&1 </dev/null
	check_says '^  attach  *no: rights are missing: CAP_SETGID \(.*\), CAP_SETUID \(attaching as the JVM.s user\): '
	finish
}

# A command with these of root's capabilities only, or with the rest of them after the second argument.
with_only() { # CAPABILITY,... WITHOUT COMMAND...
	local set
	set=$(tr , '\n' <<<"$1" | grep -vx "$2" | sed 's/^/+/' | paste -sd ,)
	"${as_user[@]}" setpriv "${ambient[@]/%/=-all,$set}" "${@:3}" </dev/null
}

context() {
	begin "the security context has what is needed and no more: each one missing is named, JDK $FEATURE" || return 0
	as_user=() ambient=(--bounding-set)
	set=$("$FRTRACE" check --security-context "$T_PID" | sed -n 's/^    - \([A-Z_]*\) .*/\1/p' | tr A-Z a-z | paste -sd ,)
	[ "$set" = bpf,perfmon,sys_ptrace,dac_read_search,setgid,setuid ] || finding "it has $set"
	"$FRTRACE" check --security-context | python3 -c 'import sys, yaml; yaml.safe_load(sys.stdin)["securityContext"]["capabilities"]["add"][5]' 2>"$WORK/yaml" ||
		grep -q 'No module' "$WORK/yaml" || finding "it is no YAML:" "$(cat "$WORK/yaml")"
	each_is_needed
	verdict
}

# Kubernetes cannot do this, but a service of systemd can.
ambient() {
	begin "frtrace runs as the JVM's user with ambient capabilities, and names each that is missing, JDK $FEATURE" || return 0
	as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all,+bpf,+perfmon --ambient-caps=-all,+bpf,+perfmon)
	ambient=(--inh-caps --ambient-caps) set=bpf,perfmon
	each_is_needed
	verdict
}

# Without one of the capabilities in $set nothing works and it is named; with all of them a recording is complete.
each_is_needed() {
	local lost name own=$WORK/frtrace to
	to=$(mktemp -u "$T_DIR/XXXXXX.jfr")
	for lost in ${set//,/ }; do
		name=CAP_${lost^^}
		with_only "$set" "$lost" "$own" check "$T_PID" >"$WORK/check" 2>&1 && finding "check without $lost ends well"
		check_says "^  attach  *no: .*$name( is missing| \\()"
		with_only "$set" "$lost" "$own" -p "$T_PID" -m live.Waits -o "$to" -d 1s >"$WORK/check" 2>&1 && finding "a recording without $lost ends well"
		check_says "^frtrace: .*$name( is missing| \\()"
	done
	with_only "$set" none "$own" check "$T_PID" >"$WORK/check" 2>&1 || finding "check with $set:" "$(cat "$WORK/check")"
	check_says '^  attach  *yes$'
	check_says '^  optional  *no: CAP_SYSLOG \(names of kernel functions\), CAP_SYS_NICE \(running at nice -20\)$'
	for name in first second; do # the agent's file is deleted after the first
		with_only "$set" none "$own" -p "$T_PID" -m 'live.Waits' -o "$to" -d 1s >"$WORK/check" 2>&1 ||
			finding "the $name recording with $set:" "$(cat "$WORK/check")"
		check_says 'The JVM runs its original code again'
	done
}

least() {
	LAUNCH=("${SERVICE[@]}" setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${LAUNCH[@]}" "$JAVA/bin/java" -version >/dev/null 2>&1 || { skip "the least rights, JDK $FEATURE" "user nobody cannot run $JAVA"; return; }
	classes_for_all
	cp "$FRTRACE" "$WORK/frtrace" && chmod 755 "$WORK/frtrace"
	target_start Waits
	LAUNCH=("${SERVICE[@]}")
	findings=()
	if target_ready; then
		context
		ambient
	else
		verdict "the program starts"
	fi
	target_drop
}

machine
no_place
no_rights
user_namespace
bad_arguments
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	jvm
	no_attach
done
jdk_use "${JDKS[-1]}"
rights
least
