#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# `frtrace list` and `frtrace methods`: their output for JVMs, which they leave unchanged.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
TOGETHER=$0


# Run a verb with standard output in $WORK/out, standard error in $WORK/err.
verb() { # STATUS ARGUMENT...
	local want=$1 status
	shift
	timeout -k 1 200 "${as[@]}" "$BINARY" "$@" >"$WORK/out" 2>"$WORK/err" </dev/null
	status=$?
	[ "$status" = "$want" ] || finding "frtrace $*: status $status, not $want:" "$(tail -n 5 "$WORK/out" "$WORK/err")"
}

out_has() { # REGEX...: all in one line of the output
	local regex lines
	lines=$(cat "$WORK/out")
	for regex in "$@"; do lines=$(grep -E -- "$regex" <<<"$lines"); done
	[ -n "$lines" ] || finding "no line has $*:" "$(cat "$WORK/out" "$WORK/err")"
}

# Nothing attached: no thread dump, no socket, no agent. A killed JVM that had this pid before may have left its socket.
target_unsignalled() {
	target_untouched "$T_PID"
	[ "/proc/$T_PID/root/tmp/.java_pid$T_PID" -nt "$WORK/.start" ] && finding "a process has attached to it"
	grep -q 'Full thread dump' "$T_DIR/stdout" && finding "it has printed a thread dump"
}

listed() {
	begin "a JVM is listed and left unchanged, JDK $FEATURE" || return 0
	run_program Waits || return 0
	verb 0 list
	out_has "^ *$T_PID  +(1\\.)?$FEATURE[.0-9a-z_-]*  +root  +-  +yes  +yes  +live\\.Waits$"
	verb 0 list --json
	out_has "\"pid\":$T_PID,\"pidInside\":$T_PID,\"name\":\"live.Waits\",\"vm\":\"HotSpot\",\"version\":\"(1\\.)?$FEATURE" \
		'"trace":true,"noTrace":null,"recordedBy":null,"stacks":true,"noStacks":null'
	target_unsignalled
	verdict
}

stopped() {
	begin "a stopped JVM is listed with the reason, JDK $FEATURE" || return 0
	kill -STOP "$T_PID"
	wait_for 5 grep -q '^State:.T' "/proc/$T_PID/status"
	verb 0 list
	kill -CONT "$T_PID"
	out_has "^ *$T_PID  .*  no  +yes  +live\\.Waits  \\(it is stopped"
	target_unsignalled
	verdict
}

no_attach() {
	begin "a JVM that does not accept an attach is listed with the reason, JDK $FEATURE" || return 0
	run_program -XX:+DisableAttachMechanism Waits || return 0
	verb 0 list
	out_has "^ *$T_PID  .*  no  +yes  +live\\.Waits  \\(it was started with -XX:\\+DisableAttachMechanism\\)$"
	target_unsignalled
	finish
}

traced() {
	begin "a JVM that is being traced is listed with its tracer, JDK $FEATURE" || return 0
	trace_program Waits -- -m live.Waits::dive --no-stack || return 0
	verb 0 list
	out_has "^ *$T_PID  .*  yes  +yes  +live\\.Waits  \\(.*recorded by frtrace pid $F_PID\\)"
	trace_stop
	finish
}

without_rights() {
	begin "without rights a JVM is listed by its command line, without control sequences for the terminal" || return 0
	# not a JVM, but with the name of one
	bash -c $'exec -a java sh -c "sleep 60; # evil\e[2J\xc2\x9b2J.jar"' >/dev/null 2>&1 & # its sleep survives it
	local fake=$!
	STARTED+=("$fake")
	wait_for 5 grep -q evil "/proc/$fake/cmdline"
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	verb 0 list
	out_has "^ *$T_PID  +\\?  .*  no  +no  +live\\.Waits  \\(no right to look into a process of user 'root', CAP_SYS_PTRACE is missing: run with sudo\\)$"
	out_has "^ *$fake  .*evil.\\[2J.u009b2J.jar"
	LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x9b]' "$WORK/out" && finding "control characters:" "$(cat -v "$WORK/out")"
	as=()
	kill "$fake"
	verdict
}

inside='mount --make-rprivate / && mount -t proc proc /proc && mount -t tmpfs -o mode=1777 tmpfs /tmp && exec "$@"'

contained() {
	begin "a JVM in namespaces of its own is listed with its version, JDK $FEATURE" || return 0
	unshare --fork --pid --mount --kill-child sh -c "$inside" - "${SERVICE[@]}" "$JAVA/bin/jshell" -s \
		>"$WORK/inner" 2>&1 < <(exec sleep 200 >/dev/null 2>&1) &
	local outer=$!
	STARTED+=("$outer")
	disown "$outer"
	if wait_for 20 inner_is_listed "$outer"; then
		out_has "^ *$T_PID  +$FEATURE[.0-9]*  .*  own pid namespace  +yes  +yes  +"
		verb 0 list --json
		out_has "\"pid\":$T_PID,\"pidInside\":1,"
	else
		finding "it is not listed:" "$(cat "$WORK/out" "$WORK/err" "$WORK/inner")"
	fi
	verdict
	kill -9 "$outer"
}

inner_is_listed() { # OUTER
	T_PID=$(pgrep -P "$1") && "$FRTRACE" list >"$WORK/out" 2>"$WORK/err" && grep -q "^ *$T_PID  .*  yes  *yes  " "$WORK/out"
}

coming_and_going() {
	begin "processes that come and go while the list is made do not disturb it" || return 0
	(while :; do
		"$JAVA/bin/java" -version &
		[ "$(jobs -rp | wc -l)" -lt 4 ] || wait -n
	done) >"$WORK/noise" 2>&1 &
	local noise=$!
	STARTED+=("$noise")
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		verb 0 list
		out_has "^ *$T_PID  .*  yes  +yes  +live\\.Waits$"
		[ -s "$WORK/err" ] && finding "$(cat "$WORK/err")"
	done
	kill "$noise"
	verdict
}

# ---- frtrace methods, compared with the methods that a recording with the same filter hooks

# Methods that would be hooked, "a.b.C m (I)V loader"; $2: only these lines of the JSON.
listed_methods() { # FILTER REGEX
	verb 0 methods --json -q "$T_PID" "$1"
	sed 's/},{/}\n{/g' "$WORK/out" | grep '"traced":true' | grep -E "$2" |
		sed -nE 's/.*"class":"([^"]*)","method":"([^"]*)","descriptor":"([^"]*)",.*"loader":"?([^",]*)"?,.*/\1 \2 \3 \4/p' |
		awk '{ gsub("/", ".", $1); sub("^null$", "", $4); print }' | LC_ALL=C sort
}

# JFR has another name for the boot loader, and JDK 8's loaders have no names.
hooked() {
	java_newest live.Rows "$F_FILE" |
		sed 's/ bootstrap$/ boot/' | LC_ALL=C sort
}

# Each listed method is hooked; each hooked one is listed if it was linked at the time, or loaded during the attach.
as_recorded() { # SENTENCE FILTER LEAST
	local filter=$2 least=$3
	begin "$1, JDK $FEATURE" || return 0
	listed_methods "$filter" '"unlinked":false' >"$WORK/before"
	if trace_start -M "$filter" --no-stack; then
		listed_methods "$filter" . >"$WORK/during"
		trace_stop
		hooked >"$WORK/hooked"
		[ "$(wc -l <"$WORK/before")" -ge "$least" ] || finding "only $(wc -l <"$WORK/before") methods"
		LC_ALL=C comm -23 "$WORK/before" "$WORK/hooked" | sed 's/^/listed, not hooked: /' >"$WORK/wrong"
		LC_ALL=C comm -13 "$WORK/during" "$WORK/hooked" | sed 's/^/hooked, not listed: /' >>"$WORK/wrong"
		[ -s "$WORK/wrong" ] && finding "$(wc -l <"$WORK/wrong") of $(wc -l <"$WORK/hooked"):" "$(head "$WORK/wrong")"
		rm -f "$F_FILE"
	fi
	verdict
}

# javap lists the methods of a class file: names and descriptors, including native and abstract ones.
as_javap() {
	local class
	begin "the methods listed for a class are those of its file, JDK $FEATURE" || return 0
	for class in 'live.Stage' 'live.Waits$Shape' 'live.Waits$Round'; do
		verb 0 methods --json -q "$T_PID" "$class"
		sed 's/},{/}\n{/g' "$WORK/out" | sed -nE 's/.*"method":"([^"]*)","descriptor":"([^"]*)".*/\1\2/p' | LC_ALL=C sort >"$WORK/ours"
		"$(jdk_newest)/bin/javap" -p -s -cp "$CLASSES" "$class" | awk -v class="$class" '
			/\(.*\);$|static \{\};$/ { split($0, part, "("); n = split(part[1], word, " "); name = word[n] }
			/static \{\};$/ { name = "<clinit>" }
			name == class { name = "<init>" }
			/descriptor: \(/ { print name $2 }' | LC_ALL=C sort >"$WORK/theirs"
		cmp -s "$WORK/ours" "$WORK/theirs" || finding "$class:" "$(diff "$WORK/ours" "$WORK/theirs")"
		[ -s "$WORK/theirs" ] || finding "javap lists nothing for $class"
	done
	verdict
}

# The functions that native methods are bound to, by the JVM, by RegisterNatives and by name, are where nm has them.
bindings() {
	local row method library function file place
	begin "native methods are listed with the functions that they are bound to, JDK $FEATURE" || return 0
	for row in 'java.lang.Object::hashCode libjvm.so JVM_IHashCode' 'java.lang.Thread::registerNatives libjava.so Java_java_lang_Thread_registerNatives' \
		'java.io.FileInputStream::initIDs libjava.so Java_java_io_FileInputStream_initIDs'; do
		read -r method library function <<<"$row"
		# by its mapping: in another mount namespace it may have no path
		file=/proc/$T_PID/map_files/$(awk -v name="/$library" 'substr($6, length($6) - length(name) + 1) == name { print $1; exit }' "/proc/$T_PID/maps")
		place=$(nm -D "$file" | sed -n "s/^0*\([0-9a-f]*\) T $function\(@.*\)\?$/\1/p")
		verb 0 methods "$T_PID" "$method"
		out_has "  (native|not traced: native and an intrinsic: .* function): $library\+0x$place $function$"
		verb 0 methods --json "$T_PID" "$method"
		out_has "\"bound\":true,\"library\":\"$library\+0x$place\",\"function\":\"$function\""
	done
	verb 0 methods "$T_PID" 'java.lang.reflect.Array::setShort;java.lang.Object::notifyAll'
	out_has "Array::setShort.*  native: not bound, it was never called$"
	out_has "Object::notifyAll.*: libjvm\.so\+0x[0-9a-f]+ JVM_MonitorNotifyAll$"
	verdict
}

lines() {
	begin "a line of frtrace methods is a filter for one method, and says where the method is and why it is not traced, JDK $FEATURE" || return 0
	verb 0 methods "$T_PID" 'live.Waits::dive:10ms;java.lang.Object::hashCode;java.lang.Math::max'
	out_has "^'live\.Waits::dive\(int,java\.util\.function\.IntSupplier\)' +app  from 10\.0 ms on$"
	out_has "^'java\.lang\.Object::hashCode\(\)' +boot  not traced: native and an intrinsic: the JIT has machine code instead of the function: libjvm\.so\+0x[0-9a-f]+ JVM_IHashCode$"
	out_has "^'java\.lang\.Math::max\(int,int\)' +boot  lower bound: "
	grep -qE '^5 methods of 2 classes would be traced, 1 not; [0-9,]+ loaded classes$' "$WORK/err" || finding "$(cat "$WORK/err")"
	eval "verb 0 methods $T_PID $(head -n 1 "$WORK/out" | sed 's/  .*//')" # pasted into a shell
	[ "$(wc -l <"$WORK/out")" = 1 ] || finding "the first line, as a filter, does not match one method:" "$(cat "$WORK/out")"
	verb 0 methods "$T_PID" 'live.Waitz::dive'
	[ -s "$WORK/out" ] && finding "$(cat "$WORK/out")"
	grep -q "loaded and near: 'live.Waits'" "$WORK/err" || finding "has no suggestion:" "$(cat "$WORK/err")"
	verb 0 methods "$T_PID" 'live.Waits::dine'
	grep -q "loaded and near: 'live.Waits::dive'" "$WORK/err" || finding "has no suggestion:" "$(cat "$WORK/err")"
	verb 2 methods "$T_PID" 'a/B'
	grep -q '^ *^' "$WORK/err" || finding "no caret:" "$(cat "$WORK/err")"
	target_unsignalled
	verdict
}

# Classes are loaded, redefined (by a recording) and unloaded all the time; the permanent ones are always listed.
busy() {
	local i
	begin "a JVM that loads, unloads and retransforms classes can be read nevertheless, JDK $FEATURE" || return 0
	run_program -Xmx64m Turnover || return 0
	trace_start -m 'live.Subject*;live.Stage' --no-stack
	for i in 1 2 3 4 5 6 7 8; do
		verb 0 methods "$T_PID" 'live.Stage::mark;java.util.HashMap::get;live.Turnover'
		out_has "^'live\.Stage::mark\(java\.lang\.String\)' +app$"
		out_has "^'java\.util\.HashMap::get\(java\.lang\.Object\)' +boot$"
		[ "$(grep -c "^'live.Stage::mark" "$WORK/out")" = 1 ] || finding "listed twice:" "$(cat "$WORK/out")"
	done
	trace_stop
	finish
}

# Before a recording: the active frames of methods that will be hooked. Those that will not come first: a rewritten
# class has no line numbers for its old frames.
active() {
	local row filter want
	begin "active frames of traced methods are listed, by overload, supertype and annotation, JDK $FEATURE" || return 0
	run_program Overloads || return 0
	for row in '-m +java.util.Map= ' '-M live.Overloads;!::rest(int);!::run;!::main= ' \
		'-M live.Overloads::rest(int)=live.Overloads.rest ' '-m +java.lang.Runnable::run=live.Overloads.run ' \
		'-M @java.lang.Deprecated=live.Overloads.run ' \
		'-m live.Overloads;!@java.lang.Deprecated=live.Overloads.main live.Overloads.rest '; do
		filter=${row%=*} want=${row##*=}
		trace_start "${filter%% *}" "${filter#* }" --no-stack && trace_stop
		[ "$(sed -nE 's/^active now, not recorded and interpreted until they return .*\): //p' "$F_DIR/stderr" | sed 's/, /\n/g' | grep '^live\.Overloads' | sort | tr '\n' ' ')" = "${want# }" ] ||
			finding "$filter: not '$want':" "$(grep '^active' "$F_DIR/stderr")"
		rm -f "$F_FILE"
	done
	finish
}

# Each of these methods has a filter of its own, by which only that one is traced.
returns() {
	local CLASSES=$WORK/returns:$CLASSES
	begin "methods that differ only in what they return are told apart, JDK $FEATURE" || return 0
	mkdir -p "$WORK/returns/live"
	LC_ALL=C sed 's/\x01\x00\x02q[bcd]/\x01\x00\x02qa/g' "${CLASSES#*:}/live/Returns.class" >"$WORK/returns/live/Returns.class"
	run_program Returns || return 0
	verb 0 methods "$T_PID" 'live.Returns::qa'
	for of in int long void 'java.lang.String[]'; do
		grep -qF "'live.Returns::qa(int)$of' " "$WORK/out" || finding "no filter with $of:" "$(cat "$WORK/out")"
	done
	verb 0 methods "$T_PID" 'live.Returns::qa(int)long'
	out_has "^'live\.Returns::qa\(int\)long' +app$"
	[ "$(wc -l <"$WORK/out")" = 1 ] || finding "listed, too:" "$(cat "$WORK/out")"
	verb 0 methods "$T_PID" 'live.Returns::main'
	out_has "^'live\.Returns::main\(java\.lang\.String\[\]\)' +app$"
	trace_start -m 'live.Returns::qa(int)long;live.Returns::qa(int)java.lang.String[]' && trace_calls
	file_agrees
	finish
}

of_methods() {
	lines
	bindings
	[ "$FEATURE" -ge 17 ] && as_javap
	as_recorded "annotations, supertypes, names: the methods listed are those that a recording traces" \
		'live.*;@java.lang.FunctionalInterface;@java.lang.Deprecated;+java.util.Map;!java.util.concurrent.*;::<clinit>;*::ha*' 500
	[[ $FEATURE != 8 && $FEATURE != "${JDKS[-1]%% *}" ]] || as_recorded "all classes: the methods listed are those that a recording traces" '*' 5000
}

as=()
BINARY=$WORK/frtrace # every user can run it there
cp "$FRTRACE" "$BINARY" && chmod 755 "$BINARY"
for version in "${OTHERS_OF_DAY[@]}"; do
	root_use $version "a JVM is listed and left unchanged" || continue
	listed
	of_methods
	target_drop
done
for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	no_attach
	traced
	contained
	listed
	stopped
	of_methods
	target_drop
	busy
	active
	turn 0 && returns
done
jdk_use "${JDKS[0]}"
listed
without_rights
coming_and_going
