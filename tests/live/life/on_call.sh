#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Ten questions of an on-call engineer are each answered by one command, in a terminal of 80 columns: docs/on-call.md
# has the commands and what they print, and the README has the commands.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/live/disk.sh
. "$(dirname "$0")/../disk.sh"

DOCUMENT=$ROOT/docs/on-call.md
COLUMNS_OF_TERMINAL=80

# ---- the README has the commands

# What of a command is left without its target, file and values: "frtrace view slowest".
command_form() {
	sed -E "s/^sudo //; s/ java .*//; s/'[^']*'/X/g; s/=[^ )]*//g; s/ -[a-z]( [^ -][^ ]*)?//gi; s/ --[a-z]+//g; s/ ([a-z0-9]+\.jfr|Store|shop\.jar)//gi"
}

readme() {
	local line
	begin "the README has the commands of docs/on-call.md" || return 0
	grep -oE '`[^`]+`' "$ROOT/README.md" | tr -d '`' | command_form | sort -u >"$WORK/readme"
	sed -n 's/^\$ //p' "$DOCUMENT" | sed 's/ && /\n/g' >"$WORK/commands"
	[ "$(grep -c . "$WORK/commands")" -ge 10 ] || finding "too few commands:" "$(cat "$WORK/commands")"
	[ "$(grep -cE '^## [0-9]+\. ' "$DOCUMENT")" = 10 ] || finding "not ten questions"
	while IFS= read -r line; do
		grep -qxF -- "$(command_form <<<"$line")" "$WORK/readme" || finding "not in README.md: $line"
	done <"$WORK/commands"
	verdict
}

# ---- a store with all troubles

# Without rights, as in a pod, where the document has no sudo.
program_write() {
	mkdir "$WORK/bin"
	cat >"$WORK/bin/frtrace" <<-END
		#!/bin/sh
		[ "\$1" = check ] || exec "$FRTRACE" "\$@"
		exec setpriv --bounding-set=-all,+sys_admin --inh-caps=-all "$FRTRACE" "\$@"
	END
	chmod 755 "$WORK/bin/frtrace"
}

store_start() { # DISK
	mkdir "$WORK/store" && cd "$WORK/store" || return 1
	ln -s "$CLASSES" store
	"${LAUNCH[@]}" "$JAVA/bin/java" "${BRIEF[@]}" -cp store live.Store run "$WORK/store/ready" "$1" >stdout 2>stderr </dev/null &
	target_is $!
	wait_for 20 test -e ready
}

# A file of the JVM's own recorder, and recordings of two versions.
files_make() {
	local version said
	said=$("$JAVA/bin/java" "${BRIEF[@]}" -XX:StartFlightRecording:filename=colleague.jfr -cp store live.Store sell 1 2>&1) && [ -s colleague.jfr ] ||
		finding "no recording of the JVM:" "$said"
	for version in 1 2; do
		said=$("$FRTRACE" -m live.Store -o "version$version.jfr" -- "$JAVA/bin/java" "${BRIEF[@]}" -cp store live.Store sell $version 2>&1) ||
			finding "no recording of version $version:" "$said"
	done
}

# The output of the command in this section must have such a line.
answered() { # SECTION REGEX
	local number
	number=$(awk -v section="## $1. " '/^\$ / { n++ } index($0, section) == 1 { inside = 1 } inside && /^\$ / { print n; exit }' "$DOCUMENT")
	grep -qE -- "$2" "$WORK/printed/$number" || finding "no answer /$2/ to question $1:" "$(cat "$WORK/printed/$number")"
}

answers() {
	local status=0
	begin "ten questions are answered in a terminal of $COLUMNS_OF_TERMINAL columns as in docs/on-call.md, JDK $FEATURE" || return 0
	mkdir "$WORK/printed"
	files_make
	PATH=$WORK/bin:$JAVA/bin:$PATH python3 "$LIVE/documents.py" "$T_PID" "$DOCUMENT" $COLUMNS_OF_TERMINAL "$WORK/printed" >"$WORK/differences" 2>&1 ||
		status=$?
	[ "$status" = 0 ] || finding "status $status:" "$(cat "$WORK/differences")"
	answered 1 'blocked \(socket [0-9.]+'
	answered 2 '^live\.Store\.reserve\(int\):'
	answered 3 '^disk +[1-9]'
	answered 4 'gc [0-9.]+'
	answered 5 'CAP_SYS_PTRACE'
	answered 6 'Store\.(pay|claim)(\(.*\))?:[0-9]+ +[0-9.]+ m?s +[0-9.]+ [mu]?s (futex|gc|safepoint|frtrace)'
	answered 7 'live\.Store\.parse\(String\)'
	answered 8 '> [0-9.]+m?s live\.Store\$Catalog\.<clinit>\(\)'
	answered 9 '^  calls +5 +200 '
	answered 10 ' jdk\.ExecutionSample|jdk\.ActiveSetting +[1-9]'
	verdict
}

jdk_use "${JDKS[0]}"
readme
if ! disk_find; then
	skip "ten questions are answered in a terminal of $COLUMNS_OF_TERMINAL columns as in docs/on-call.md" "$NO_DISK"
	exit 0
fi
program_write
store_start "$DISK" || not_ok "a store runs" "$(cat "$WORK/store/stderr")"
answers
