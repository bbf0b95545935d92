#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015,SC2016
# The README's commands do what stands below them, on a shop like the one there.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# The commands of the README: "$ sudo frtrace ...", "$ jfr ...".
commands() { sed -nE 's/^\$ (sudo )?((frtrace|jfr) .*)/\2/p' "$ROOT/README.md"; }

# Digits differ from run to run, and so does what is filled up with blanks; words do not.
shape() { sed -E 's/^ +//; s/  +/  /g; s/[0-9][0-9.,:]*/N/g; s/^active on .*//; s/N (KB|MB|GB|ms|s|µs)\b/N U/g; s/attach .*//; s/^next: .*//' | grep . ; }

below() { # COMMAND: what the README shows below it, up to the next empty line or the end of the block
	awk -v command="$1" '
	inside && (/^```/ || /^$/) { exit }
	inside
	index($0, command) && /^\$ / { inside = 1 }' "$ROOT/README.md"
}

readme() {
	local sentence="the commands of the README print what the README shows, JDK $FEATURE" port command loader
	begin "$sentence" || return 0
	cd "$(mktemp -d "$WORK/readme.XXXXXX")" || return 1
	port=$PWD/port
	T_DIR=$PWD
	"$JAVA/bin/java" -Dsun.net.httpserver.nodelay=true -cp "$CLASSES" live.Shop "$port" >stdout 2>stderr </dev/null &
	T_PID=$!
	STARTED+=("$T_PID")
	disown "$T_PID"
	wait_for 20 test -s "$port"
	while "$JAVA/bin/java" -cp "$CLASSES" live.Load "$(cat "$port")" 2 2000; do :; done >/dev/null 2>&1 &
	loader=$!
	STARTED+=("$loader")
	mkdir bin && ln -s "$FRTRACE" bin/frtrace
	while IFS= read -r command; do
		PATH=$PWD/bin:$JAVA/bin:$PATH bash -c "${command/-p Shop/-p $T_PID}" >out 2>&1 </dev/null
		below "$command" | shape >expected
		# Lines of the README must come, in order; more may (every event, not only the first).
		shape <out | awk 'NR == FNR { want[++n] = $0; next } want[i + 1] == $0 { i++ } END { exit i < n }' expected - ||
			finding "$command" "the README:" "$(cat expected)" "in truth:" "$(shape <out | head -n 12)"
	done < <(commands)
	kill "$loader" 2>/dev/null
	cd "$ROOT" || return 1
	verdict "$sentence"
	target_drop
}

jdk_use "${JDKS[0]}"
readme
