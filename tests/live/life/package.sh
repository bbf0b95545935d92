#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The Debian package: built from a clone, judged by lintian, installed in a root of its own, used, removed.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

into() { dpkg --root="$WORK/root" --force-depends --force-script-chrootless --log="$WORK/log" "$@" >>"$WORK/dpkg" 2>&1; }

package() {
	local missing=() tool file
	begin "the Debian package is clean for lintian, is installed, traces a JVM, and is removed" || return 0
	for tool in dh lintian dpkg-buildpackage git; do command -v $tool >/dev/null || missing+=("$tool"); done
	if [ ${#missing[@]} -gt 0 ] || ! git -C "$ROOT" rev-parse HEAD >/dev/null 2>&1; then
		skip "$SENTENCE" "needs a git clone and scripts/deps --deb; missing: ${missing[*]:-a clone}"
		return
	fi
	if exclusively "$ROOT/scripts/deb" "$WORK" >"$WORK/said" 2>&1; then
		mkdir -p "$WORK/root/var/lib/dpkg" && touch "$WORK/root/var/lib/dpkg/status"
		into --install "$WORK"/frtrace_*.deb || finding "$(cat "$WORK/dpkg")"
		find "$WORK/root/usr" -type f -printf '%P\n' | sed 's/\.gz$//' | sort >"$WORK/files"
		for file in bin/frtrace share/man/man1/frtrace.1 share/bash-completion/completions/frtrace \
			share/zsh/vendor-completions/_frtrace share/doc/frtrace/README.md share/doc/frtrace/copyright; do
			grep -qxF "$file" "$WORK/files" || finding "no $file:" "$(cat "$WORK/files")"
		done
		FRTRACE=$WORK/root/usr/bin/frtrace used
		into --remove frtrace || finding "$(cat "$WORK/dpkg")"
		[ -z "$(find "$WORK/root" -path "$WORK/root/var" -prune -o -type f -print)" ] || finding "left:" "$(find "$WORK/root" -type f)"
	else
		finding "$(tail -n 20 "$WORK/said")"
	fi
	verdict
}

used() {
	[ "$("$FRTRACE" --version)" = "$("$ROOT/build/frtrace" --version)" ] || finding "version $("$FRTRACE" --version 2>&1)"
	target_start Late 1000
	if target_ready && trace_start -m 'live.Late$Latecomer::checkout'; then
		trace_calls
		says '^1,000 calls, 0 thrown, 0 lost'
		target_quit
	fi
	target_drop
}

package
