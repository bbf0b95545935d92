#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# frtrace's recording and the JVM's own of the same time are merged into one file.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
TOGETHER=$0

# $WORK/ours.jfr and $WORK/theirs.jfr, of the program live.Joint; $WORK/stamps. The JVM begins a new chunk with each dump.
record_both() {
	trace_program -XX:StartFlightRecording=settings=profile,name=own Joint 40 -- -m 'live.Joint::work' || return
	"$JAVA/bin/jcmd" "$T_PID" JFR.dump name=own filename="$WORK/theirs.jfr" >"$WORK/log" 2>&1 || finding "$(cat "$WORK/log")"
	target_go
	"$JAVA/bin/jcmd" "$T_PID" JFR.dump name=own filename="$WORK/theirs.jfr" >"$WORK/log" 2>&1 || finding "$(cat "$WORK/log")"
	trace_stop
	cp "$T_DIR/stamps" "$WORK/stamps"
	mv "$F_FILE" "$WORK/ours.jfr"
	target_quit
}

reads() { # FILE: the jfr of this JDK must read it; with SOAK=1 that of each JDK
	local jdk tool
	for jdk in "${JDKS[@]}"; do
		[ -n "$SOAK" ] || [ "${jdk%% *}" = "$FEATURE" ] || continue
		tool=(jfr_of "${jdk#* }")
		"${tool[@]}" summary "$1" >"$WORK/summary" 2>&1 || finding "JDK ${jdk%% *} summary: $(head -n 3 "$WORK/summary")"
		"${tool[@]}" print "$1" >"$WORK/printed" 2>&1 || finding "JDK ${jdk%% *} print: $(tail -n 3 "$WORK/printed")"
		"${tool[@]}" metadata "$1" >"$WORK/tool" 2>&1 || finding "JDK ${jdk%% *} metadata: $(tail -n 3 "$WORK/tool")"
		"${tool[@]}" help scrub >/dev/null 2>&1 || continue # JDK 17 does not have it
		rm -f "$WORK/scrubbed.jfr"
		"${tool[@]}" scrub --exclude-events jdk.ExecutionSample "$1" "$WORK/scrubbed.jfr" >"$WORK/tool" 2>&1 || finding "JDK ${jdk%% *} scrub: $(head -n 3 "$WORK/tool")"
		java_newest live.JointCheck "$WORK/scrubbed.jfr" "$WORK/stamps" >"$WORK/tool" 2>&1 || finding "scrubbed by JDK ${jdk%% *}:" "$(head -n 10 "$WORK/tool")"
	done
}

# Views of JDK 25, for both halves.
views() { # FILE
	local view
	[ "${NEWEST%% *}" -ge 25 ] || return
	for view in gc:'G1|Serial|Young|Old' jvm-information:"$FEATURE" method-calls:Joint hot-methods:'Method'; do
		jfr_newest view "${view%%:*}" "$1" >"$WORK/tool" 2>&1 || finding "view ${view%%:*}: $(tail -n 3 "$WORK/tool")"
		grep -qE "${view#*:}" "$WORK/tool" || finding "view ${view%%:*} shows no ${view#*:}: $(head -n 12 "$WORK/tool")"
	done
}

# JDK 25 prints with the JVM's event in which recorded call it happened.
contexts() { # FILE
	[ "${NEWEST%% *}" -ge 25 ] || return
	jfr_newest print --events live.Mark "$1" >"$WORK/marks" 2>&1
	[ "$(grep -c '^live.Mark {' "$WORK/marks")" = "$(wc -l <"$WORK/stamps")" ] || finding "$(grep -c '^live.Mark {' "$WORK/marks") marks"
	[ "$(grep -c 'Context: MethodTrace.method = live.Joint.work(int)' "$WORK/marks")" = "$(wc -l <"$WORK/stamps")" ] ||
		finding "$(grep -c Context: "$WORK/marks") contexts:" "$(head -n 20 "$WORK/marks")"
	"$FRTRACE" print --events live.Mark "$1" >"$WORK/ours" 2>&1
	cmp -s "$WORK/ours" "$WORK/marks" || finding "frtrace print differs:" "$(diff "$WORK/ours" "$WORK/marks" | head -n 8)"
}

# A summary with one row for each name: the JDK's has one for each type.
by_name() {
	awk '$2 ~ /^[0-9]+$/ && NF == 3 { count[$1] += $2; bytes[$1] += $3; next }
		{ $1 = $1; print }
		END { for (name in count) print name, count[name], bytes[name] }' | sort
}

# Both recordings have the same process id, by which merge compares their origin, and describe the JVM alike.
one_jvm() { # FILE...
	local file
	for file; do
		jfr_newest print --json --events jdk.JVMInformation "$file"
	done | grep -E '"(pid|jvmStartTime|jvmName|jvmVersion)": ' | sort -u >"$WORK/tool"
	[ "$(wc -l <"$WORK/tool")" = 4 ] && grep -q "\"pid\": $T_PID\b" "$WORK/tool" || finding "the files do not both describe process $T_PID alike:" "$(cat "$WORK/tool")"
}

merged() {
	local file=$WORK/merged.jfr
	begin "frtrace's recording and the JVM's own are merged into one, on one clock, JDK $FEATURE" || return 0
	rm -f "$WORK"/*.jfr
	record_both || return 0
	one_jvm "$WORK/ours.jfr" "$WORK/theirs.jfr"
	"$FRTRACE" merge -o "$file" "$WORK/ours.jfr" "$WORK/theirs.jfr" 2>"$WORK/said" || finding "status $?: $(cat "$WORK/said")"
	is_joint "$file" "$WORK/stamps"
	python3 "$LIVE/merged.py" "$(jdk_newest)/bin/jfr" "$file" "$WORK/ours.jfr" "$WORK/theirs.jfr" >"$WORK/compared" 2>&1 ||
		finding "differs from the two files:" "$(head -n 20 "$WORK/compared")"
	reads "$file"
	turn 1 && views "$file"
	contexts "$file"
	"$FRTRACE" summary "$file" 2>&1 | sort >"$WORK/ours"
	jfr_newest summary "$file" 2>&1 | by_name >"$WORK/tool"
	diff <(by_name <"$WORK/ours") "$WORK/tool" >"$WORK/compared" || finding "summaries differ: $(head -n 4 "$WORK/compared")"
	[ "$(awk '{ print $1 }' "$WORK/ours" | grep -c '^jdk.ActiveSetting$')" = 1 ] || finding "not one row of jdk.ActiveSetting: $(cat "$WORK/ours")"
	finish
}

# Nothing is left in the JVM or in its /tmp.
own_recording_ended() {
	"$1/bin/jcmd" "$T_PID" JFR.check >"$WORK/log" 2>&1
	grep -q 'name=frtrace-' "$WORK/log" && finding "the JVM is still recording: $(cat "$WORK/log")"
	tmp_left
}

# Tests that run meanwhile have such directories for a moment.
tmp_left() {
	LEFT=$(find /tmp /var/tmp "/proc/$T_PID/root/tmp" -maxdepth 1 -name '.frtrace-*' -newer "$WORK/.start" -user "$(id -un)" 2>/dev/null)
	# shellcheck disable=SC2086 # no blanks in these names
	wait_for 5 none_left $LEFT || finding "left behind: $LEFT"
}

is_joint() { # FILE [STAMPS]: has both halves of a recording of the program's 160 calls
	judged_by live.JointCheck "$1" "${2:-$T_DIR/stamps}"
	[[ $SAID == "160 calls, "* ]] || finding "seen: $SAID"
}

with_jfr() { # [SETTINGS]
	local name
	begin "--with-jfr${1:+=$1} makes one file of both recordings, JDK $FEATURE" || return 0
	trace_program Joint 40 -- -m 'live.Joint::work' "--with-jfr${1:+=$1}" || return 0
	trace_calls
	says "^with the JVM's own recording: [0-9,]+ events, .* in $F_FILE"
	is_joint "$F_FILE"
	contexts_are_all "$F_FILE"
	name=${F_FILE%.jfr}
	[ "$(echo "$name"*)" = "$F_FILE" ] || finding "files: $(echo "$name"*)"
	own_recording_ended "$(jdk_newest)"
	target_leaves
	finish
}

contexts_are_all() { # FILE
	cp "$T_DIR/stamps" "$WORK/stamps"
	contexts "$1"
}

# A library that fakes the JVM's time of day, as libfaketime does.
other_clock() {
	begin "frtrace says that the JVM's clock is not the system's, JDK $FEATURE" || return 0
	cat >"$WORK/clock.c" <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <time.h>

		int clock_gettime(clockid_t id, struct timespec *t)
		{
			static int (*next)(clockid_t, struct timespec *);
			int err;

			if (!next)
				next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
			err = next(id, t);
			t->tv_sec += id == CLOCK_REALTIME ? 15 * 86400 : 0;
			return err;
		}
	END
	gcc -shared -fPIC -o "$WORK/clock.so" "$WORK/clock.c" || { finding "no library"; verdict; return 0; }
	local LAUNCH=("${LAUNCH[@]}" env LD_PRELOAD="$WORK/clock.so")
	trace_program Joint 40 -- -m 'live.Joint::work' --with-jfr || return 0
	trace_calls
	says "^the JVM's clock is 129[56][0-9]{3} s ahead of the system's"
	says "^with the JVM's own recording: "
	target_leaves
	finish
}

# The JVM writes its half when it exits. If it is killed, it writes none.
target_ends() {
	begin "a JVM that exits leaves both halves, one that is killed only frtrace's, JDK $FEATURE" || return 0
	trace_program Joint 40 -- -m 'live.Joint::work' --with-jfr || return 0
	target_go
	target_quit
	ended_with 0
	is_joint "$F_FILE"
	tmp_left
	trace_program Joint 40 -- -m 'live.Joint::work' --with-jfr || return 0
	target_go
	kill -9 "$T_PID"
	ended_with 3
	says "the JVM's own recording is lost: process $T_PID has written none when it ended"
	[ "$(jfr_newest summary "$F_FILE" | awk '$1 == "jdk.MethodTrace" { print $2 }')" = 160 ] || finding "frtrace's half is incomplete"
	tmp_left
	finish
}

# frtrace's guard process stops the JVM's recording.
killed() {
	begin "killing frtrace leaves no recording behind in the JVM, JDK $FEATURE" || return 0
	trace_program Joint 40 -- -m 'live.Joint::work' --with-jfr || return 0
	"$(jdk_newest)/bin/jcmd" "$T_PID" JFR.check 2>&1 | grep 'name=frtrace-' >/dev/null || finding "the JVM is not recording"
	trace_kill
	wait_for 20 stopped || finding "the JVM is still recording"
	own_recording_ended "$(jdk_newest)"
	target_go
	target_quit
	finish
}

# The JVM executes a command also when nobody waits for its answer any more.
stopped_jvm() { # start|stop
	begin "a JVM that is stopped when its own recording is to $1 has none after it continues, JDK $FEATURE" || return 0
	run_program Joint 40 || return 0
	if [ "$1" = start ]; then
		trace_launch -p "$T_PID" -m 'live.Joint::work' --with-jfr -o "$WORK/stopped.jfr"
		wait_for 30 compgen -G "/tmp/????_??_*_$T_PID" >/dev/null || finding "it makes no repository"
		kill -STOP "$T_PID"
	elif trace_start -m 'live.Joint::work' --with-jfr; then
		kill -STOP "$T_PID"
	fi
	kill -INT "$F_PID"
	sleep 2 # an earlier one would be taken for the same
	ended "$F_PID" || kill -INT "$F_PID"
	trace_wait 60
	kill -CONT "$T_PID"
	sleep 1 # it executes what it was asked to
	wait_for 20 stopped || finding "the JVM is still recording"
	tmp_left
	target_go
	target_quit
	finish
}

stopped() { ! "$(jdk_newest)/bin/jcmd" "$T_PID" JFR.check 2>&1 | grep 'name=frtrace-' >/dev/null; }

refused() { # REGEX STATUS ARGUMENT...
	trace_launch -p "$T_PID" -m 'live.Joint::work' -o "$WORK/refused.jfr" "${@:3}"
	ended_with "$2"
	[ "$(wc -l <"$F_DIR/stderr")" = 1 ] || finding "more than one line"
	says "$1"
	target_untouched "$T_PID"
	tmp_left
	ls "$WORK"/refused* >/dev/null 2>&1 && finding "it leaves $(ls "$WORK"/refused*)"
}

unsupported() {
	begin "a JVM that cannot record itself is left alone, and one line says why" || return 0
	jdk_use "${JDKS[0]}"
	run_program Joint 1 || return 0
	refused "^frtrace: cannot start the JVM's own recording of process $T_PID 'live.Joint': it says: .*nothing" 1 --with-jfr=nothing
	refused 'wrong --with-jfr .a b.: it has to be default, profile or a .jfc file' 2 '--with-jfr=a b'
	target_drop
	if root_use 8 "$SENTENCE"; then
		run_program Late 1 || return 0
		refused "^frtrace: cannot start the JVM's own recording of process $T_PID 'live.Late': JDK 8 has none, it came with 11" 1 --with-jfr
	fi
	finish
}

# In a root directory of its own, with its own /tmp.
other_root() {
	local count
	begin "--with-jfr takes the recording out of another root directory, JDK 11" || return 0
	root_use 11 "$SENTENCE" || return 0
	trace_program Late 1000 -- -m 'live.Late$Latecomer::checkout' --with-jfr || return 0
	trace_calls
	jfr_newest summary "$F_FILE" >"$WORK/tool" 2>&1 || finding "$(head -n 3 "$WORK/tool")"
	for count in 'jdk.MethodTrace 1000' 'jdk.InitialSystemProperty [1-9]' 'jdk.CPUInformation [1-9]'; do
		tr -s ' ' <"$WORK/tool" | grep -E "^ $count" >/dev/null || finding "not in it: $count"
	done
	tmp_left
	target_quit
	finish
}

# In both orders, and a directory of pieces.
orders() {
	local count
	begin "files are merged in any order, and those of a directory" || return 0
	"$FRTRACE" merge -o "$WORK/reverse.jfr" "$WORK/theirs.jfr" "$WORK/ours.jfr" 2>"$WORK/said" || finding "$(cat "$WORK/said")"
	java_newest live.JointCheck "$WORK/reverse.jfr" "$WORK/stamps" >"$WORK/tool" 2>&1 || finding "$(head "$WORK/tool")"
	contexts "$WORK/reverse.jfr"
	mkdir "$WORK/pieces"
	jfr_newest disassemble --max-chunks 1 --output "$WORK/pieces" "$WORK/theirs.jfr" >"$WORK/tool" 2>&1 || finding "$(cat "$WORK/tool")"
	"$FRTRACE" merge -o "$WORK/three.jfr" "$WORK/pieces" "$WORK/ours.jfr" 2>"$WORK/said" || finding "$(cat "$WORK/said")"
	count=$(jfr_newest summary "$WORK/three.jfr" | awk '$1 == "jdk.MethodTrace" { print $2 }')
	[ "$count" = 160 ] || finding "a directory and a file: $count calls"
	contexts "$WORK/three.jfr"
	verdict
}

complains() { # STATUS REGEX ARGUMENT...
	local status
	"$FRTRACE" merge "${@:3}" >"$WORK/tool" 2>"$WORK/said"
	status=$?
	[ "$status" = "$1" ] || finding "merge ${*:3}: status $status: $(cat "$WORK/said")"
	[ "$(wc -l <"$WORK/said")" = 1 ] && grep -qE -- "$2" "$WORK/said" || finding "merge ${*:3}: $(cat "$WORK/said")"
}

bad_files() {
	local a=$WORK/ours.jfr b=$WORK/theirs.jfr out=$WORK/out.jfr
	begin "files that cannot be merged give one line and no output" || return 0
	complains 2 "two files at least, or a directory: 'frtrace merge -o OUT.jfr A.jfr B.jfr'" -o "$out" "$a"
	complains 2 'no file to write' "$a" "$b"
	complains 1 "'$a' is there already: give another name" -o "$a" "$a" "$b"
	complains 2 "'$a' is given twice" -o "$out" "$a" "$b" "$a"
	cp "$a" "$WORK/copy.jfr"
	complains 2 "'$WORK/copy.jfr' has a part of '$a' in it: its events would count twice" -o "$out" "$a" "$b" "$WORK/copy.jfr"
	complains 1 'cannot open .*none.jfr' -o "$out" "$a" "$WORK/none.jfr"
	head -c 5000 "$b" >"$WORK/torn.jfr"
	complains 1 "torn.jfr' is damaged: a chunk that is cut off" -o "$out" "$a" "$WORK/torn.jfr"
	echo hello >"$WORK/text.jfr"
	complains 1 'is no Flight Recorder file' -o "$out" "$WORK/text.jfr" "$a"
	"$JAVA/bin/java" -XX:StartFlightRecording=filename="$WORK/other.jfr" -cp "$CLASSES" live.BigSource >"$WORK/log" 2>&1
	complains 1 "cannot merge: '$a' is of process [0-9]+, '$WORK/other.jfr' of process [0-9]+: they have to be of one JVM" -o "$out" "$a" "$WORK/other.jfr"
	[ -e "$out" ] && finding "it leaves a file"
	verdict
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	merged
done
orders
bad_files
for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	if [ "$jdk" = "${JDKS[0]}" ]; then with_jfr profile; else with_jfr; fi
done
other_clock
target_ends
killed
stopped_jvm start
stopped_jvm stop
unsupported
other_root
