#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Real containers, by podman and runc: the JVM in one, frtrace on the host or in another one beside it.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

CALLS=1000
METHOD='live.Late$Latecomer::checkout'

# Without a network, without systemd, and with limits that a container of this one may have.
PODMAN=(timeout -k 10 600 podman --runtime runc --cgroup-manager cgroupfs)
OPTIONS=(--network=none --ulimit nofile=1024:1024 --ulimit nproc=1000:1000)

# A container with the JVM of $JVM_ROOT, as uid 1000, with a read-only root. Sets C_ID.
container_make() { # create|run [OPTION...]
	stage
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
	jfr_newest summary "$1" >"$WORK/summary" 2>&1
	grep -qE "jdk.MethodTrace +$CALLS " "$WORK/summary" || finding "not $CALLS calls: $(grep MethodTrace "$WORK/summary")"
}

from_host() {
	begin "a JVM in podman's container, uid 1000 with a read-only root, is traced from the host by container:ID, JDK $FEATURE" || return 0
	container_make run -d
	if container_ready; then
		"$FRTRACE" list >"$WORK/list" 2>&1
		grep -qE "^ *$T_PID .*${C_ID:0:12}.* yes .*live\.Late" "$WORK/list" || finding "$(cat "$WORK/list")"
		F_FILE=$WORK/host.jfr
		trace_launch -p "container:${C_ID:0:12}" -m "$METHOD" -o "$F_FILE" --max-overhead=off
		wait_for "$TRACE_SECONDS_MAX" trace_is_on
		trace_calls
		all_calls_are_in "$F_FILE"
		trace_launch -p "container:${C_ID:0:12}" -m "$METHOD" -d 1s -o "$F_FILE" # again, without attaching
		ended_with 0
		touch "$T_DIR/quit"
	fi
	containers_remove
	verdict
}

starts_later() {
	begin "a container that starts later is waited for, and its JVM traced, JDK $FEATURE" || return 0
	container_make create
	F_FILE=$WORK/later.jfr
	trace_launch --wait -p "container:${C_ID:0:12}" -m "$METHOD" -o "$F_FILE" --max-overhead=off
	"${PODMAN[@]}" start "$C_ID" >"$WORK/podman" 2>&1 || finding "$(cat "$WORK/podman")"
	if container_ready && wait_for "$TRACE_SECONDS_MAX" trace_is_on; then
		target_go
		touch "$T_DIR/quit"
		ended_with 0
		all_calls_are_in "$F_FILE"
	fi
	containers_remove
	verdict
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
	reap "${STARTED[-1]}" || finding "status $?: $(cat "$SAID")"
	grep -q 'The JVM runs its original code again' "$SAID" || finding "$(cat "$SAID")"
}

beside() {
	local only=(--cap-drop=all --security-opt=seccomp=unconfined)
	begin "a sidecar that shares the pid namespace, with the rights that check prints, traces it twice, JDK $FEATURE" || return 0
	container_make run -d
	if container_ready; then
		sidecar_make
		sidecar_traces 1 again "${only[@]}" "${ADDS[@]}"
		sidecar_traces 2 go "${only[@]}" "${ADDS[@]}"
		all_calls_are_in "$GOT"
	fi
	containers_remove
	verdict
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
	begin "a sidecar with podman's default capabilities and profile, where that allows bpf() with CAP_BPF, and the rights that check prints, traces a JVM in podman's profile, JDK $FEATURE" || return 0
	container_make run -d
	if container_ready; then
		filtered_by_podman "$T_PID"
		sidecar_make
		profile_of_today >"$WORK/profile.json" || finding "cannot read podman's profile"
		sidecar_traces 3 go "${ADDS[@]}" --security-opt=seccomp="$WORK/profile.json"
		all_calls_are_in "$GOT"
	fi
	containers_remove
	verdict
}

# podman's own profile refuses bpf() on Debian 12, where it takes CAP_SYS_ADMIN for it. Elsewhere, one that does.
refusing_profile() {
	local arguments n=4 said='a seccomp filter refuses bpf\(\), though'
	begin "a seccomp profile that refuses bpf() is named before the JVM is touched, JDK $FEATURE" || return 0
	local profile=()
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
			reap "${STARTED[-1]}"
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
	verdict
}

# An archive as `podman load` reads it, of a directory.
image_make() { # NAME:TAG DIRECTORY ENTRYPOINT (JSON)
	local made=$WORK/${1%%:*} layer config
	mkdir "$made" && tar --owner=0 --group=0 -C "$2" -cf "$made/layer.tar" .
	layer=$(sha256sum "$made/layer.tar" | cut -d' ' -f1)
	echo "{\"architecture\":\"amd64\",\"os\":\"linux\",\"config\":{\"Entrypoint\":$3},\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"sha256:$layer\"]}}" >"$made/config"
	config=$(sha256sum "$made/config" | cut -d' ' -f1).json
	mv "$made/config" "$made/$config"
	echo "[{\"Config\":\"$config\",\"RepoTags\":[\"$1\"],\"Layers\":[\"layer.tar\"]}]" >"$made/manifest.json"
	tar -C "$made" -cf "$made.tar" . && rm -r "$made"
}

# A shop.jar with com.acme.Cart, on a root of the JDK and its libraries; what a pod waits in; frtrace.
pod_images() {
	local root=$WORK/shop-root file
	mkdir -p "$WORK/pause-root" "$root$JAVA" "$root/tmp" "$WORK/com/acme"
	echo 'int main(void) { for (;;) pause(); }' | gcc -static -include unistd.h -o "$WORK/pause-root/pause" -x c - || return
	image_make pause:1 "$WORK/pause-root" '["/pause"]' || return
	cp -rL "$JAVA/bin" "$JAVA/lib" "$root$JAVA/" 2>/dev/null # src.zip may lead nowhere
	[ ! -d "$JAVA/conf" ] || cp -rL "$JAVA/conf" "$JAVA/release" "$root$JAVA/" || return
	find "$JAVA/bin/java" "$JAVA/lib" -name java -o -name '*.so' | xargs ldd 2>/dev/null | grep -oE '/[^ ]+' | grep -vF "$JAVA" | grep -v ':$' | sort -u |
		while read -r file; do mkdir -p "$root${file%/*}" && cp -L "$file" "$root$file" || return; done
	cat >"$WORK/com/acme/Cart.java" <<-END
		package com.acme;
		class Cart {
		    static void checkout() throws Exception {
		        Thread.sleep(120);
		    }
		    public static void main(String[] args) throws Exception {
		        for (;;)
		            checkout();
		    }
		}
	END
	"$JAVA/bin/javac" -d "$WORK/shop" "$WORK/com/acme/Cart.java" && "$JAVA/bin/jar" cfe "$root/shop.jar" com.acme.Cart -C "$WORK/shop" . && rm -r "$WORK/shop" || return
	image_make shop:latest "$root" "[\"$JAVA/bin/java\",\"-jar\",\"/shop.jar\"]" && rm -r "$root" || return
	exclusively "$ROOT/scripts/image" "$WORK/frtrace.tar"
}

slow_calls_are_there() { "${STORE[@]}" exec shop-frtrace /frtrace view slowest /recordings/ 2>/dev/null | grep -q 'blocked (sleep .*com.acme.Cart.checkout()'; }

# scripts/kubernetes/sidecar.yaml as it is. This podman takes the seccomp profile from an annotation only.
pod() {
	local image
	begin "podman runs the pod of scripts/kubernetes/sidecar.yaml, whose sidecar records the JVM, JDK $FEATURE" || return 0
	pod_images >"$WORK/said" 2>&1 || finding "no images: $(tail -n 3 "$WORK/said")"
	profile_of_today >"$WORK/profile.json"
	printf '[containers]\nnetns="none"\ndefault_ulimits=["nofile=1024:1024","nproc=1000:1000"]\n[engine]\ninfra_image="localhost/pause:1"\n' >"$WORK/containers.conf"
	STORE=(env CONTAINERS_CONF="$WORK/containers.conf" "${PODMAN[@]}" --root "$WORK/storage" --runroot "$WORK/running")
	for image in pause shop frtrace; do "${STORE[@]}" load -q -i "$WORK/$image.tar" >>"$WORK/said" 2>&1 || finding "$(tail -n 1 "$WORK/said")"; done
	sed 's|^  name: shop$|&\n  annotations: {container.seccomp.security.alpha.kubernetes.io/frtrace: localhost/profile.json}|' "$ROOT/scripts/kubernetes/sidecar.yaml" >"$WORK/pod.yaml"
	"${STORE[@]}" play kube --network none --seccomp-profile-root "$WORK" "$WORK/pod.yaml" >"$WORK/said" 2>&1 || finding "play kube: $(tail -n 3 "$WORK/said")"
	if wait_for 60 slow_calls_are_there; then
		"${STORE[@]}" exec shop-frtrace /frtrace view --json slowest /recordings/ >"$WORK/slowest" 2>&1
		[ "$(grep -c '"rows"' "$WORK/slowest")" = 1 ] || finding "$(cat "$WORK/slowest")"
		"${STORE[@]}" exec shop-frtrace /frtrace view slowest /recordings/ 2>&1 | grep -m 1 -B8 '<unknown>' >"$WORK/slowest" && finding "$(cat "$WORK/slowest")"
		"${STORE[@]}" stop -t 20 shop-frtrace >"$WORK/said" 2>&1 || finding "$(cat "$WORK/said")"
		"${STORE[@]}" logs shop-frtrace >"$WORK/said" 2>&1
		grep -q 'The JVM runs its original code again' "$WORK/said" || finding "$(cat "$WORK/said")"
	else
		finding "no slow call: $("${STORE[@]}" logs shop-frtrace 2>&1 | tail -n 5)"
	fi
	"${STORE[@]}" pod rm --force --time 0 shop >"$WORK/said" 2>&1 || finding "$(cat "$WORK/said")"
	"${STORE[@]}" rmi --all --force >"$WORK/said" 2>&1
	verdict
}

CONTAINERS=()
trap 'containers_remove; live_end' EXIT
command -v podman >/dev/null && command -v runc >/dev/null || { skip "JVMs in podman's containers" "Debian's packages podman and runc are not there"; exit 0; }
root_use 21 "JVMs in podman's containers" || exit 0
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
jdk_use "${JDKS[0]}"
pod
