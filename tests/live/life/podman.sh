#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# Real containers, by podman and runc: the JVM in one, frtrace on the host or in another one beside it.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

CALLS=1000
METHOD='live.Late$Latecomer::checkout'

# Without a network, without systemd, and with limits that a container of this one may have.
PODMAN=(podman --runtime runc --cgroup-manager cgroupfs)
OPTIONS=(--network=none --ulimit nofile=1024:1024 --ulimit nproc=1000:1000)

# A container with the JVM of $JVM_ROOT, as uid 1000, with a read-only root. Sets C_ID.
container_make() { # create|run [OPTION...]
	T_DIR=$(mktemp -d "$WORK/target.XXXXXX")
	chmod 777 "$T_DIR"
	C_ID=$("${PODMAN[@]}" "$1" "${@:2}" "${OPTIONS[@]}" --user 1000:1000 --read-only -v "$T_DIR:$T_DIR" -v "$CLASSES:$CLASSES:ro" \
		--rootfs "$JVM_ROOT:O" "$JAVA/bin/java" -cp "$CLASSES" live.Late "$T_DIR" $CALLS 2>"$WORK/podman") || finding "podman: $(tail -n 2 "$WORK/podman")"
	CONTAINERS+=("$C_ID")
}

container_pid() { "${PODMAN[@]}" inspect --format '{{.State.Pid}}' "$C_ID"; }

containers_remove() {
	[ ${#CONTAINERS[@]} -eq 0 ] || "${PODMAN[@]}" rm --force --depend --time 0 "${CONTAINERS[@]}" >/dev/null 2>&1
	CONTAINERS=()
}

# T_PID is the JVM, once it is ready.
container_ready() {
	T_PID=$(container_pid)
	wait_for "$SECONDS_MAX" test -e "$T_DIR/ready" && return
	finding "the JVM does not start: $("${PODMAN[@]}" logs "$C_ID" 2>&1 | tail -n 3)"
	return 1
}

all_calls_are_in() { # FILE
	"$(jdk_newest)/bin/jfr" summary "$1" >"$WORK/summary" 2>&1
	grep -qE "jdk.MethodTrace +$CALLS " "$WORK/summary" || finding "not $CALLS calls: $(grep MethodTrace "$WORK/summary")"
}

from_host() {
	local sentence="a JVM in podman's container, uid 1000 with a read-only root, is traced from the host by container:ID, JDK $FEATURE"
	begin "$sentence" || return 0
	container_make run -d
	if container_ready; then
		"$FRTRACE" list >"$WORK/list" 2>&1
		grep -qE "^ *$T_PID .*${C_ID:0:12}.* yes .*live\.Late" "$WORK/list" || finding "$(cat "$WORK/list")"
		F_FILE=$WORK/host.jfr
		trace_launch -p "container:${C_ID:0:12}" -m "$METHOD" -o "$F_FILE" --max-overhead=off
		wait_for "$TRACE_SECONDS_MAX" trace_is_on
		target_go
		trace_stop
		status_is 0
		all_calls_are_in "$F_FILE"
		trace_launch -p "container:${C_ID:0:12}" -m "$METHOD" -d 1s -o "$F_FILE" # again, without attaching
		trace_wait
		status_is 0
		touch "$T_DIR/quit"
	fi
	containers_remove
	verdict "$sentence"
}

starts_later() {
	local sentence="a container that starts later is waited for, and its JVM traced, JDK $FEATURE"
	begin "$sentence" || return 0
	container_make create
	F_FILE=$WORK/later.jfr
	trace_launch --wait -p "container:${C_ID:0:12}" -m "$METHOD" -o "$F_FILE" --max-overhead=off
	"${PODMAN[@]}" start "$C_ID" >"$WORK/podman" 2>&1 || finding "$(cat "$WORK/podman")"
	if container_ready && wait_for "$TRACE_SECONDS_MAX" trace_is_on; then
		target_go
		touch "$T_DIR/quit"
		trace_wait
		status_is 0
		all_calls_are_in "$F_FILE"
	fi
	containers_remove
	verdict "$sentence"
}

# The root of frtrace's container: frtrace alone. Sets ADDS to the capabilities that `frtrace check --security-context` prints.
sidecar_make() {
	local name
	SIDECAR=$WORK/sidecar ADDS=()
	mkdir -p "$SIDECAR/tmp" "$SIDECAR/run" "$SIDECAR/proc" "$SIDECAR/sys" "$SIDECAR/dev" "$SIDECAR/etc"
	exclusively make -s -C "$ROOT" static >"$WORK/made" 2>&1 && cp "$ROOT/build/frtrace-static" "$SIDECAR/frtrace" || finding "$(tail -n 3 "$WORK/made")"
	for name in $("$FRTRACE" check --security-context "$T_PID" | sed -n 's/^    - \([A-Z_]*\) .*/\1/p'); do ADDS+=("--cap-add=$name"); done
}

# Run frtrace in a container that shares the pid namespace of $C_ID's, with its output in GOT and its messages in SAID.
sidecar_start() { # NUMBER PODMAN-OPTION... -- ARGUMENT...
	local number=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	GOT=$WORK/beside-$number.jfr SAID=$WORK/beside-$number S_NAME=frtrace-$$-$number
	"${PODMAN[@]}" run --name "$S_NAME" "${OPTIONS[@]}" --pid="container:$C_ID" --security-opt=no-new-privileges --read-only --tmpfs /run "${options[@]}" \
		--rootfs "$SIDECAR" /frtrace "$@" >"$GOT" 2>"$SAID" &
	STARTED+=($!)
	CONTAINERS+=("$S_NAME")
}

# Record all calls into GOT.
sidecar_traces() { # NUMBER go|again PODMAN-OPTION...
	sidecar_start "$1" "${@:3}" -- -p 1 -m "$METHOD" -o - --max-overhead=off
	wait_for "$TRACE_SECONDS_MAX" grep -q '^to standard output' "$SAID" || finding "it does not trace: $(cat "$SAID")"
	[ "$2" = again ] || target_go
	"${PODMAN[@]}" kill --signal INT "$S_NAME" >"$WORK/podman" 2>&1 || finding "$(cat "$WORK/podman")"
	wait "${STARTED[-1]}" || finding "status $?: $(cat "$SAID")"
	grep -q 'The JVM runs its original code again' "$SAID" || finding "$(cat "$SAID")"
}

beside() {
	local sentence="a sidecar that shares the pid namespace, with the rights that check prints, traces it twice, JDK $FEATURE" only=(--cap-drop=all --security-opt=seccomp=unconfined)
	begin "$sentence" || return 0
	container_make run -d
	if container_ready; then
		sidecar_make
		sidecar_traces 1 again "${only[@]}" "${ADDS[@]}"
		sidecar_traces 2 go "${only[@]}" "${ADDS[@]}"
		all_calls_are_in "$GOT"
	fi
	containers_remove
	verdict "$sentence"
}

# Newer profiles of podman and Docker allow bpf() with CAP_BPF, and perf_event_open() with CAP_PERFMON. Print the
# installed one with that.
profile_of_today() {
	python3 - /usr/share/containers/seccomp.json <<-'END'
		import json, sys
		profile = json.load(open(sys.argv[1]))
		for call, right in ("bpf", "CAP_BPF"), ("perf_event_open", "CAP_PERFMON"):
		    for rule in profile["syscalls"]:
		        if call in rule["names"] and rule["action"] != "SCMP_ACT_ALLOW":
		            rule["names"].remove(call)
		    profile["syscalls"].append({"names": [call], "action": "SCMP_ACT_ALLOW", "includes": {"caps": [right]}})
		profile["syscalls"] = [rule for rule in profile["syscalls"] if rule["names"]]
		print(json.dumps(profile))
	END
}

filtered_by_podman() { # PID
	grep -qx $'Seccomp:\t2' "/proc/$1/status" || finding "process $1 has no seccomp filter"
}

in_default_profile() {
	local sentence="a sidecar with podman's default capabilities and profile, where that allows bpf() with CAP_BPF, and the rights that check prints, traces a JVM in podman's profile, JDK $FEATURE"
	begin "$sentence" || return 0
	container_make run -d
	if container_ready; then
		filtered_by_podman "$T_PID"
		sidecar_make
		profile_of_today >"$WORK/profile.json" || finding "cannot read podman's profile"
		sidecar_traces 3 go "${ADDS[@]}" --security-opt=seccomp="$WORK/profile.json"
		all_calls_are_in "$GOT"
	fi
	containers_remove
	verdict "$sentence"
}

# podman's own profile refuses bpf() on Debian 12, where it takes CAP_SYS_ADMIN for it. Elsewhere, one that does.
refusing_profile() {
	local sentence="a seccomp profile that refuses bpf() is named before the JVM is touched, JDK $FEATURE" arguments n=4 said='a seccomp filter refuses bpf\(\), though'
	local profile=()
	begin "$sentence" || return 0
	container_make run -d
	if container_ready; then
		sidecar_make
		if ! python3 -c 'import json; exit(any("bpf" in r["names"] and "CAP_BPF" in r.get("includes", {}).get("caps", []) for r in json.load(open("/usr/share/containers/seccomp.json"))["syscalls"]))'; then
			echo '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["bpf"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1}]}' >"$WORK/profile.json"
			profile=(--security-opt=seccomp="$WORK/profile.json")
		fi
		for arguments in "-p 1 -m $METHOD -o -" 'check 1' '--follow=live.Late -m A -o /run/' 'check --security-context'; do
			# shellcheck disable=SC2086
			sidecar_start $((n += 1)) "${ADDS[@]}" "${profile[@]}" -- $arguments
			wait "${STARTED[-1]}"
			case $arguments in
			check\ 1) grep -qE "^  attach +no: $said" "$GOT" && grep -qE "^  programs +no: $said" "$GOT" || finding "$arguments: $(cat "$SAID" "$GOT")" ;;
			check*) grep -q '^    - BPF ' "$GOT" || finding "$arguments: $(cat "$SAID" "$GOT")" ;;
			*) grep -qE "^frtrace: $said" "$SAID" && [ "$(wc -l <"$SAID")" = 1 ] || finding "$arguments: $(cat "$SAID")" ;;
			esac
		done
		target_untouched "$T_PID"
		touch "$T_DIR/quit"
	fi
	containers_remove
	verdict "$sentence"
}

CONTAINERS=()
command -v podman >/dev/null && command -v runc >/dev/null || { skip "JVMs in podman's containers" "Debian's packages podman and runc are not there"; exit 0; }
roots_find
root_use 21 || { skip "JVMs in podman's containers" "no JDK 21: $(roots_why)"; exit 0; }
if ! "${PODMAN[@]}" run --rm "${OPTIONS[@]}" --rootfs "$JVM_ROOT:O" /bin/true >"$WORK/podman" 2>&1; then
	skip "JVMs in podman's containers" "podman cannot run one here: $(tail -n 1 "$WORK/podman")"
	exit 0
fi
classes_for_all
from_host
starts_later
beside
in_default_profile
refusing_profile
