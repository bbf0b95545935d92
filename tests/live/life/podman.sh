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

# What `frtrace check --security-context` prints, and no more.
beside() {
	local sentence="a sidecar that shares the pid namespace, with the rights that check prints, traces it twice, JDK $FEATURE" root=$WORK/sidecar
	local adds=() name got said n
	begin "$sentence" || return 0
	container_make run -d
	if container_ready; then
		mkdir -p "$root/tmp" "$root/run" "$root/proc" "$root/sys" "$root/dev" "$root/etc"
		exclusively make -s -C "$ROOT" static >"$WORK/made" 2>&1 && cp "$ROOT/build/frtrace-static" "$root/frtrace" || finding "$(tail -n 3 "$WORK/made")"
		for name in $("$FRTRACE" check --security-context "$T_PID" | sed -n 's/^    - \([A-Z_]*\) .*/\1/p'); do adds+=("--cap-add=$name"); done
		for n in 1 2; do
			got=$WORK/beside-$n.jfr said=$WORK/beside-$n
			# podman's own filter is of a time when bpf() took CAP_SYS_ADMIN
			"${PODMAN[@]}" run --name "frtrace-$$-$n" "${OPTIONS[@]}" --pid="container:$C_ID" --cap-drop=all "${adds[@]}" --security-opt=no-new-privileges \
				--security-opt=seccomp=unconfined --read-only --tmpfs /run --rootfs "$root" /frtrace -p 1 -m "$METHOD" -o - --max-overhead=off >"$got" 2>"$said" &
			STARTED+=($!)
			CONTAINERS+=("frtrace-$$-$n")
			wait_for "$TRACE_SECONDS_MAX" grep -q '^to standard output' "$said" || finding "it does not trace: $(cat "$said")"
			[ $n = 1 ] || target_go
			"${PODMAN[@]}" kill --signal INT "frtrace-$$-$n" >"$WORK/podman" 2>&1 || finding "$(cat "$WORK/podman")"
			wait "${STARTED[-1]}" || finding "status $?: $(cat "$said")"
			grep -q 'The JVM runs its original code again' "$said" || finding "$(cat "$said")"
		done
		all_calls_are_in "$got"
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
