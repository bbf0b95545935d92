#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A settings file determines what is recorded, and the recording has its settings.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# A settings file with these settings of jdk.MethodTrace.
settings() { # NAME=VALUE...
	local word
	F_SETTINGS=$(mktemp "$WORK/XXXXXX.jfc")
	{
		printf '<configuration version="2.0" label="test">\n<event name="jdk.MethodTrace">\n'
		for word in "$@"; do
			word=${word//</&lt;}
			printf '<setting name="%s">%s</setting>\n' "${word%%=*}" "${word#*=}"
		done
		printf '</event>\n<event name="jdk.CPULoad"><setting name="enabled">true</setting></event>\n</configuration>\n'
	} >"$F_SETTINGS"
}

# The recorded settings of jdk.MethodTrace as NAME=VALUE.
active() {
	jfr_newest print --events ActiveSetting "$F_FILE" |
		sed -n 's/^  name = "\(.*\)"$/\1=/p; s/^  value = "\(.*\)"$/\1/p' | paste -d '\0' - - | sort -u
}

active_is() { # NAME=VALUE...
	local word
	for word in "$@"; do
		active | grep -xF -- "$word" >/dev/null || finding "no setting $word in the recording, but:" "$(active)"
	done
}

determines() {
	begin "a settings file determines what is recorded" || return 0
	settings enabled=true "filter=$EXITS;not a filter" "threshold=0 ms" stackTrace=false
	record_program ExitsMain 2000 -- --settings "$F_SETTINGS" || return 0
	says "the filter 'not a filter' is left out"
	file_agrees
	active_is enabled=true "threshold=0 ms" stackTrace=false
	finish
}

later_wins() {
	local first
	begin "a later file wins, and an option over all files" || return 0
	settings enabled=true filter=no.Body "threshold=1 ms"
	first=$F_SETTINGS
	settings "threshold=7 ms"
	STATUS='0 3' record_program ExitsMain 10 -- \
		--settings profile --settings "$first" --settings "$F_SETTINGS" -m live.Exits --no-stack || return 0
	active_is "threshold=7 ms" stackTrace=false filter=live.Exits "period=1000 ms"
	finish
}

wrong_value() {
	begin "a wrong value in a settings file is reported with its position, and the JVM is left unchanged" || return 0
	settings enabled=true filter=live.Exits threshold=abc
	run_program ExitsMain 10 || return 0
	trace_launch -p "$T_PID" -o "$WORK/never.jfr" --settings "$F_SETTINGS"
	ended_with 2
	says "line 5, column 1: threshold of jdk.MethodTrace is 'abc'"
	[ -e "$WORK/never.jfr" ] && finding "there is a recording"
	target_untouched "$T_PID"
	target_go
	target_quit
	finish
}

determines
later_wins
wrong_value
