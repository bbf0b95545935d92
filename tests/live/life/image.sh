#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The container image has nothing but frtrace, and traces a JVM from a root directory of its own.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

IMAGE=$WORK/root

image() {
	begin "the image has frtrace alone, below 20 MB, and is the same when it is built again" || return 0
	mkdir "$IMAGE" "$WORK/image"
	exclusively "$ROOT/scripts/image" "$WORK/image.tar" >"$WORK/said" 2>&1 && exclusively "$ROOT/scripts/image" "$WORK/again.tar" >>"$WORK/said" 2>&1 ||
		finding "$(tail -n 5 "$WORK/said")"
	cmp "$WORK/image.tar" "$WORK/again.tar" || finding "the second one differs"
	[ "$(stat -c %s "$WORK/image.tar")" -lt 20000000 ] || finding "$(ls -l "$WORK/image.tar")"
	tar -xf "$WORK/image.tar" -C "$WORK/image"
	python3 - "$WORK/image" <<-'END' || finding "the image is wrong"
		import hashlib, json, sys
		at = sys.argv[1] + "/"
		(manifest,) = json.load(open(at + "manifest.json"))
		config = open(at + manifest["Config"], "rb").read()
		layer = open(at + manifest["Layers"][0], "rb").read()
		assert manifest["Config"] == hashlib.sha256(config).hexdigest() + ".json"
		assert json.loads(config)["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()]
		assert json.loads(config)["config"]["Entrypoint"] == ["/frtrace"] and manifest["RepoTags"][0].startswith("frtrace:")
	END
	tar -xf "$WORK/image/layer.tar" -C "$IMAGE"
	[ "$(find "$IMAGE" -type f -printf '%P\n')" = frtrace ] || finding "files:" "$(find "$IMAGE" -type f)"
	verdict
}

# The mounts of a container whose root is read-only, as in scripts/kubernetes/sidecar.yaml.
inside='mount --bind "$0" "$0" && mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount -t tmpfs tmpfs "$0/run" &&
	mount -o remount,bind,ro "$0" && exec chroot "$0" /frtrace "$@"'

traces() {
	local got=$WORK/got.jfr
	begin "the image traces a JVM, and sends the recording to standard output, JDK $FEATURE" || return 0
	[ -e "$IMAGE/frtrace" ] || { not_ok "$SENTENCE" "no image"; return; }
	run_program Late 1000 || return 0
	unshare --mount sh -c "$inside" "$IMAGE" -p "$T_PID" -m 'live.Late$Latecomer::checkout' -o - 2>"$WORK/said" >"$got" &
	STARTED+=("$!")
	if wait_for 20 grep -q '^to standard output' "$WORK/said"; then
		target_go
		wait_for 20 grep -q checkout "$got" || finding "no call arrives"
		kill -INT "$!"
		reap "$!" || finding "status $?: $(cat "$WORK/said")"
		jfr_of "$JAVA" summary "$got" >"$WORK/summary" 2>&1
		grep -qE 'jdk.MethodTrace +1000 ' "$WORK/summary" || finding "not 1000 calls:" "$(head -n 5 "$WORK/summary")" "$(cat "$WORK/said")"
		target_leaves
	else
		finding "it does not trace: $(cat "$WORK/said")"
	fi
	finish
}

manifests() {
	local file
	begin "the manifests ask for the rights that check --security-context prints" || return 0
	"$FRTRACE" check --security-context >"$WORK/context" || finding "status $?"
	sed -n 's/^    - \([A-Z_]*\) .*/\1/p' "$WORK/context" | sort >"$WORK/wanted"
	[ "$(wc -l <"$WORK/wanted")" -ge 6 ] || finding "$(cat "$WORK/context")"
	for file in sidecar.yaml debug.yaml daemonset.yaml; do
		grep -E '"?add"?: ' "$ROOT/scripts/kubernetes/$file" | grep -oE '[A-Z_]{3,}' | sort >"$WORK/asked"
		cmp -s "$WORK/wanted" "$WORK/asked" || finding "$file:" "$(diff "$WORK/wanted" "$WORK/asked")"
	done
	verdict
}

# debug.yaml is what is put into an ephemeral container of a pod. Two wrong ones show that the check can fail.
schema() {
	local change
	begin "the manifests keep to the schema of Kubernetes" || return 0
	node -e 'require.resolve("kubernetes-models/v1/Pod")' 2>/dev/null && python3 -c 'import yaml' 2>/dev/null ||
		{ skip "$SENTENCE" "needs python3-yaml, and node with the npm package kubernetes-models in NODE_PATH"; return; }
	for change in none field type; do
		python3 - "$ROOT/scripts/kubernetes" $change <<-'END' | node "$LIVE/manifests.js" >"$WORK/said" 2>&1
			import json, sys, yaml
			read = lambda name: yaml.safe_load(open(f"{sys.argv[1]}/{name}.yaml"))
			pod, daemons = read("sidecar"), read("daemonset")
			pod["spec"]["ephemeralContainers"] = [{"name": "debug", "image": "frtrace", **read("debug")}]
			if sys.argv[2] == "field":
			    daemons["spec"]["template"]["spec"]["containers"][0]["securityContexts"] = {}
			if sys.argv[2] == "type":
			    daemons["spec"]["template"]["spec"]["hostPID"] = "yes"
			json.dump([pod, daemons], sys.stdout)
		END
		case $?,$change in
		0,none | 1,field | 1,type) ;;
		*) finding "$change:" "$(head -n 5 "$WORK/said")" ;;
		esac
	done
	verdict
}

manifests
schema
image
jdk_use "${JDKS[0]}"
traces
