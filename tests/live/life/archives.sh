#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# JVMs that write an AOT cache or a CDS archive are not traced: both are as good as without frtrace.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

SPOILS='it is to write an AOT cache or CDS archive \(%s\), which tracing would spoil: trace a run without that option'

# Only classes of jar files are archived. The name is this test's alone.
NAME=archives-$$.jar
JAR=$WORK/$NAME

jar_make() {
	rm -f "$JAR"
	"${JDKS[0]#* }/bin/jar" cfe "$JAR" live.Threads -C "$CLASSES" live/Threads.class -C "$CLASSES" live/Stage.class
}

# Run the program, with its classes in a jar: sets T_DIR, and T_PID, whose status can be waited for.
train() { # [VARIABLE=VALUE...] [-JVM-OPTION...]
	local variables=()
	while [[ ${1:-} == [A-Z]*=* ]]; do
		variables+=("$1")
		shift
	done
	stage
	"${LAUNCH[@]}" env "${variables[@]}" "$JAVA/bin/java" "$@" -jar "$JAR" "$T_DIR" together 2 10 \
		>"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
	T_PID=$!
	STARTED+=("$T_PID")
}

# The program ends as it does alone, and has written the file.
trained() { # FILE
	target_go
	touch "$T_DIR/quit"
	reap "$T_PID"
	is_trained $? "$1" "$T_DIR/stdout"
}

is_trained() { # STATUS FILE STDOUT
	[ "$1" = 0 ] || finding "the program ended with status $1:" "$(tail -n 5 "$3")"
	grep -E 'SIGSEGV|Skipping (live|java)/' "$3" >"$WORK/odd" && finding "on its standard output:" "$(cat "$WORK/odd")"
	[ -s "$2" ] || finding "there is no ${2##*/}"
}

# The JVM runs with the archive, which has the program's class.
runs_with() { # JVM-OPTION...
	local dir
	dir=$(mktemp -d "$WORK/target.XXXXXX")
	touch "$dir/go" "$dir/quit"
	"${LAUNCH[@]}" "$JAVA/bin/java" -Xlog:class+load "$@" -jar "$JAR" "$dir" together 2 10 >"$dir/stdout" 2>&1 </dev/null
	grep -E '^\[.*live\.Threads source: shared objects file' "$dir/stdout" >"$WORK/odd" || finding "the class is not in the archive:" "$(grep -v 'class,load' "$dir/stdout")"
}

refused() { # OPTION
	# shellcheck disable=SC2059
	local why
	why=$(printf "$SPOILS" "$1")
	trace_launch -p "$T_PID" -m live.Threads::work -d 1s -o "$WORK/none.jfr"
	ended_with 1
	says "^frtrace: cannot trace process $T_PID '$NAME': $why$"
	[ "$(wc -l <"$F_DIR/stderr")" = 1 ] || finding "says more:" "$(cat "$F_DIR/stderr")"
	target_untouched "$T_PID"
}

mentioned() { # OPTION: by check and list
	# shellcheck disable=SC2059
	local why
	why=$(printf "$SPOILS" "$1")
	"$FRTRACE" check "$T_PID" >"$WORK/check" 2>&1 && finding "the status of check is 0"
	grep -qE "^  attach  *no: $why$" "$WORK/check" || finding "check does not say it:" "$(cat "$WORK/check")"
	"$FRTRACE" list >"$WORK/list" 2>&1
	grep -qE "^ *$T_PID  .*  no  +yes  +$NAME  \($why\)$" "$WORK/list" || finding "list does not say it:" "$(cat "$WORK/list")"
}

# The program writes the file of that option, which frtrace refuses to spoil, and runs with it.
refused_and_whole() { # OPTION FILE JVM-OPTION...
	train "$1=$2"
	target_comes_up || return
	refused "$1"
	mentioned "$1"
	trained "$2"
	runs_with "${@:3}"
	verdict
	rm -f "$2"
}

aot_cache() {
	begin "an AOT cache is whole, because its recording is refused, JDK $FEATURE" || return 0
	refused_and_whole -XX:AOTCacheOutput "$WORK/app.aot" "-XX:AOTCache=$WORK/app.aot" -XX:AOTMode=on
}

archive() {
	begin "a CDS archive is whole, because its recording is refused, JDK $FEATURE" || return 0
	refused_and_whole -XX:ArchiveClassesAtExit "$WORK/app.jsa" "-XX:SharedArchiveFile=$WORK/app.jsa" -Xshare:on
}

# One run for each way: what the JVM makes of it is in its flags.
wherever() {
	local way said
	begin "it is noticed wherever the option comes from, JDK $FEATURE" || return 0
	echo "-XX:ArchiveClassesAtExit=$WORK/app.jsa" >"$WORK/options"
	local -A ways=(
		["JAVA_TOOL_OPTIONS=-XX:ArchiveClassesAtExit=$WORK/app.jsa"]=-XX:ArchiveClassesAtExit
		["@$WORK/options"]=-XX:ArchiveClassesAtExit
		[-XX:+RecordDynamicDumpInfo]=-XX:+RecordDynamicDumpInfo
	)
	[ "$FEATURE" -ge 25 ] && ways+=(
		["-XX:+AutoCreateSharedArchive -XX:SharedArchiveFile=$WORK/none.jsa"]=-XX:+AutoCreateSharedArchive
		["-XX:AOTMode=record -XX:AOTConfiguration=$WORK/app.conf"]=-XX:AOTMode=record
	)
	for way in "${!ways[@]}"; do
		# shellcheck disable=SC2086
		train $way
		disown "$T_PID" 2>/dev/null
		target_ready || continue
		said=${ways[$way]//+/\\+}
		"$FRTRACE" check "$T_PID" >"$WORK/check" 2>&1
		grep -qE "^  attach  *no: .*\($said\)" "$WORK/check" || finding "$way:" "$(cat "$WORK/check")"
		target_drop
	done
	verdict
}

# A JVM that has just been started has not read its flags when frtrace looks at it first.
awaited() {
	begin "the same holds for a JVM that frtrace has waited for, JDK $FEATURE" || return 0
	trace_launch --wait -p "$NAME" -m live.Threads::work -d 1s -o "$WORK/none.jfr"
	wait_for 20 grep -qs ^waiting "$F_DIR/stderr" || finding "does not wait"
	train "-XX:AOTCacheOutput=$WORK/app.aot"
	ended_with 1
	says 'which tracing would spoil'
	target_ready && trained "$WORK/app.aot"
	verdict
	rm -f "$WORK/app.aot"
}

# frtrace [OPTION...] -- PROGRAM...
launch() {
	stage
	touch "$T_DIR/go" "$T_DIR/quit"
	TMPDIR=$WORK trace_launch -o "$WORK/none.jfr" -m live.Threads::work "$@" -jar "$JAR" "$T_DIR" together 2 10
	trace_wait
}

started() { # JVM-OPTION
	begin "such a program is not started under frtrace, JDK $FEATURE" || return 0
	launch -- "$JAVA/bin/java" "$1"
	status_is 1
	says "^frtrace: cannot trace '.*java': .* \\(${1%%=*}\\)"
	[ -e "$T_DIR/ready" ] && finding "it was started"
	verdict
}

# The options of a JVM that a script starts are known when it runs.
started_by_script() {
	begin "a script's JVM writes its AOT cache, and is not traced, JDK $FEATURE" || return 0
	launch -- env -C "$WORK" sh -c '"$0" -XX:AOT"$@"' "$JAVA/bin/java" "CacheOutput=$WORK/app.aot"
	status_is 0
	says "^not traced: [0-9]+ $NAME: it is to write an AOT cache"
	says '^nothing traced$'
	is_trained "$F_STATUS" "$WORK/app.aot" "$F_DIR/stdout"
	runs_with "-XX:AOTCache=$WORK/app.aot" -XX:AOTMode=on
	verdict
	rm -f "$WORK/app.aot"
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	jar_make || continue
	archive
	wherever
	if [ "$FEATURE" -lt 25 ]; then
		started "-XX:ArchiveClassesAtExit=$WORK/app.jsa"
		continue
	fi
	aot_cache
	awaited
	started "-XX:AOTCacheOutput=$WORK/app.aot"
	started_by_script
done
for version in "${OTHERS_OF_DAY[@]}"; do
	[ "$version" -ge 21 ] || continue
	root_use "$version" "archives" && jar_make || continue
	if [ "$version" -ge 25 ]; then aot_cache; else archive; fi
done
