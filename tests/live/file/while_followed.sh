#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The file can be read at any time: by readers that follow it, by those that read it repeatedly, and after a kill.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# The commands that frtrace suggests at the end, and the directory above, give what the assembled file gives.
read_as_one() {
	local verb suggested
	for verb in 'view method-trace' 'view slowest' print summary 'export --csv'; do
		# shellcheck disable=SC2086
		"$FRTRACE" $verb "$F_FILE" >"$WORK/whole" 2>&1
		# shellcheck disable=SC2086
		"$FRTRACE" $verb "$WORK/followed" >"$WORK/ours" 2>&1 || finding "$verb: status $?"
		cmp -s "$WORK/whole" "$WORK/ours" || finding "$verb of the directory differs:" "$(diff "$WORK/whole" "$WORK/ours" | head -n 6)"
	done
	suggested=$(sed -n 's/^next: frtrace \(view method-trace [^ ]*\), or frtrace print .*/\1/p' "$F_DIR/stderr")
	# shellcheck disable=SC2086
	"$FRTRACE" ${suggested:-view} >"$WORK/ours" 2>&1 || finding "'$suggested' is suggested: $(head -n 3 "$WORK/ours" "$F_DIR/stderr")"
	grep -q '3,000' "$WORK/ours" || finding "'$suggested' is suggested and shows: $(head -n 8 "$WORK/ours")"
}

chunks_are() { [ "$(find "$WORK/followed" -name '*.jfr' | wc -l)" -ge "$1" ]; } # NUMBER, at least

# The program runs before, during and after the recording.
followed() {
	local follower
	begin "a directory of chunk files is followed as it grows, JDK $FEATURE" || return 0
	rm -rf "$WORK/followed"
	mkdir "$WORK/followed"
	touch "$WORK/followed/going"
	trace_program Late 3000 -- -m 'live.Late$Latecomer::checkout' -o "$WORK/followed/" || return 0
	"$JAVA/bin/java" -cp "$CLASSES" live.Follow "$WORK/followed" >"$WORK/follow" 2>&1 &
	follower=$!
	STARTED+=("$follower")
	target_go
	sleep 4
	wait_for 10 chunks_are 4
	rm "$WORK/followed/going"
	stopped_with 0
	wait_for 30 ended "$follower" || finding "the follower does not notice the end"
	grep -qx '3000 events, early' "$WORK/follow" || finding "followed: $(head -c 600 "$WORK/follow")"
	F_FILE=$WORK/whole.jfr
	jfr_of "$JAVA" assemble "$WORK"/followed/*/ "$F_FILE" >"$WORK/tool" 2>&1 || finding "$(cat "$WORK/tool")"
	file_agrees
	read_as_one
	chunks_are 4 || finding "files: $(ls -R "$WORK/followed")"
	find "$WORK/followed" -name '*.jfr' | grep -vE '/followed/[0-9]{4}(_[0-9]{2}){5}_[0-9]+/[0-9]{4}(_[0-9]{2}){5}(_[0-9]{2})?\.jfr$' >/dev/null &&
		finding "names: $(find "$WORK/followed")"
	target_quit
	finish
}

# frtrace's own reader, every 100 ms; the last chunk may still be written.
summarize_meanwhile() { # SECONDS
	local end=$((SECONDS + $1)) times=0 status
	while [ $SECONDS -lt "$end" ]; do
		wait_for 5 test -s "$F_FILE"
		"$FRTRACE" summary "$F_FILE" >"$WORK/ours" 2>&1
		status=$?
		[ $status = 0 ] || [ $status = 3 ] && grep -qE 'jdk.MethodTrace +[1-9]' "$WORK/ours" || { echo "status $status: $(head -c 400 "$WORK/ours")"; return 1; }
		times=$((times + 1))
		sleep 0.1
	done
	echo "$times times"
}

# At full rate, while the oldest chunks are dropped: the JDK's reader runs without a pause, both summaries every 100 ms.
read_meanwhile() {
	local size seconds reader readers=()
	begin "a file that grows and loses its oldest chunks can be read at any time, JDK $FEATURE" || return 0
	seconds=$(amount 5 120)
	trace_program Speed -- -m live.Speed::work --no-stack --max-overhead=off --max-size=8m || return 0
	timeout $((seconds + 120)) "$JAVA/bin/java" -cp "$CLASSES" live.Reread "$F_FILE" "$seconds" >"$WORK/reread" 2>&1 &
	readers+=($!)
	summarize_meanwhile "$seconds" >"$WORK/summarized" 2>&1 &
	readers+=($!)
	[ "$FEATURE" -lt 25 ] || { timeout $((seconds + 120)) "$JAVA/bin/java" --add-opens=jdk.jfr/jdk.jfr.internal.tool=ALL-UNNAMED -cp "$CLASSES" live.Summarize "$F_FILE" "$seconds" >"$WORK/tool" 2>&1 &
		readers+=($!); }
	for reader in "${readers[@]}"; do
		wait "$reader" || finding "a reader fails: $(head -n 5 "$WORK/reread" "$WORK/summarized" "$WORK/tool")"
	done
	grep -qE '^[0-9]{1,} times, [0-9]{3,} events' "$WORK/reread" || finding "read: $(head -n 5 "$WORK/reread")"
	size=$(stat -c %s "$F_FILE")
	[ "$size" -le $((8 << 20)) ] || finding "the file has $size bytes"
	size=$(own_kilobytes)
	[ "${size:-999999}" -lt $((64 << 10)) ] || finding "frtrace has $size kB"
	stopped_with 0 3
	says 'oldest chunks were dropped'
	echo "# the library: $(cat "$WORK/reread"); jfr summary: $(cat "$WORK/tool"); frtrace summary: $(cat "$WORK/summarized"); $size kB"
	target_quit
	finish
}

# Chunks are contiguous up to the end of the file, none is being written, and nothing else is left.
whole() {
	python3 "$LIVE/chunks.py" "$F_FILE" whole >"$WORK/chunks" && [ "$(ls -d "$F_FILE"* 2>/dev/null)" = "$(ls -d "$F_FILE" 2>/dev/null)" ]
}

# The number of calls in the file, by the JDK and by frtrace.
same_calls() {
	local theirs
	jfr_newest summary "$F_FILE" >"$WORK/tool" 2>&1 || finding "jfr summary: $(head -c 400 "$WORK/tool")"
	"$FRTRACE" summary "$F_FILE" >"$WORK/ours" 2>&1 || finding "frtrace summary: status $?: $(head -c 400 "$WORK/ours")"
	theirs=$(awk '$1 == "jdk.MethodTrace" { print $2 }' "$WORK/tool")
	[ "${theirs:-0}" -gt 0 ] && [ "$theirs" = "$(awk '$1 == "jdk.MethodTrace" { print $2 }' "$WORK/ours")" ] ||
		finding "${theirs:-no} calls, by frtrace: $(grep MethodTrace "$WORK/ours")"
}

has_chunk() { [ "$(python3 "$LIVE/chunks.py" "$F_FILE" | cut -d " " -f 1)" -gt 0 ]; }

# The tracer is killed while it writes at full rate: the file stays valid and has what was in it before. In every second
# round the oldest chunks are dropped all the time.
killed() {
	local before after size times seen=0 i
	begin "a file whose tracer is killed is readable and complete up to then, JDK $FEATURE" || return 0
	times=$(amount 4 200)
	target_start Speed
	target_ready && for ((i = 0; i < times && ${#findings[@]} == 0; i++)); do
		size=8g
		[ $((i % 2)) = 0 ] || size=8m
		trace_start -m live.Speed::work --no-stack --max-overhead=off --max-size=$size || break
		[ $((i % 4)) != 3 ] || wait_for 20 has_chunk || finding "$i: no chunk is finished"
		sleep "0.$((RANDOM % 500 + 100))"
		before=$(python3 "$LIVE/chunks.py" "$F_FILE")
		sleep "0.0$((RANDOM % 90 + 10))"
		trace_kill
		wait_for 10 whole || finding "$i, --max-size=$size: not valid: $(cat "$WORK/chunks"); $(ls -l "$F_FILE"*)"
		after=$(cat "$WORK/chunks")
		[ "${after#* }" -ge "${before#* }" ] || finding "$i, --max-size=$size: the last chunk began at ${before#* } before, at ${after#* } after"
		[ $size = 8m ] || [ "${after% *}" -ge "${before% *}" ] || finding "$i: chunks: ${before% *} before, ${after% *} after"
		[ "${after% *}" = 0 ] || same_calls
		seen=$((seen + ${before% *}))
		rm -f "$F_FILE"
	done
	[ "$seen" -gt 0 ] || finding "no chunk was finished before a kill"
	[ "${#findings[@]}" -gt 0 ] || { target_quit && echo "# $times kills, $seen chunks before them"; }
	finish
}

# 1,000 methods that call each other, starting anywhere with any depth: 10,000 different stacks.
wide_source() {
	awk 'BEGIN {
		print "package live; public class Wide { static int sum;"
		print "static void call(int n, int depth) { switch (n) {"
		for (i = 0; i < 1000; i++) printf "case %d: m%d(depth); break;\n", i, i
		print "} }"
		for (i = 0; i < 1000; i++) printf "static void m%d(int depth) { sum++; if (depth > 0) call((%d + depth) %% 1000, depth - 1); }\n", i, i * 7 + 1
		print "public static void main(String[] a) throws Exception { new java.io.File(a[0], \"ready\").createNewFile();"
		print "while (!new java.io.File(a[0], \"quit\").exists()) for (int n = 0; n < 1000; n++) call(n, 9); } }"
	}'
}

# frtrace's own memory: the queue shared with the kernel, 64 MB, is mapped twice and not counted.
own_kilobytes() { awk '/^RssAnon:/ { print $2 }' "/proc/$F_PID/status"; }

memory() {
	begin "frtrace needs less than 76 MB for 1,000 methods and 10,000 stacks, and does not grow, JDK $FEATURE" || return 0
	local seconds size most=0 early=0 now stacks i
	seconds=$(amount 4 120) size=$(amount 20m 100m)
	mkdir "$WORK/wide" && wide_source >"$WORK/Wide.java" && "$JAVA/bin/javac" "${BRIEF[@]/#/-J}" -d "$WORK/wide" "$WORK/Wide.java" || finding "Wide does not compile"
	CLASSES=$WORK/wide target_start Wide
	trace_target -m 'live.Wide::*;!live.Wide::main;!live.Wide::call;!live.Wide::<init>' --max-overhead=off --max-size="$size" || return 0
	says '^tracing 1,000 methods '
	for ((i = 0; i < seconds; i++)); do
		sleep 1
		now=$(own_kilobytes)
		[ "$i" = $((seconds / 2)) ] && early=$most
		[ "${now:-999999}" -le "$most" ] || most=${now:-999999}
	done
	stopped_with 0 3
	stacks=$(java_newest live.Stacks "$F_FILE")
	[ "${stacks:-0}" -ge 10000 ] || finding "only $stacks stacks"
	[ "$most" -lt $((76 << 10)) ] || finding "$most kB"
	[ -z "$SOAK" ] || [ "$most" -le $((early + 4096)) ] || finding "$early kB in the first half, $most in the second"
	echo "# $most kB ($early in the first half), $stacks stacks"
	target_quit
	finish
}

reads() { # FILE
	jfr_of "$JAVA" summary "$1" >"$WORK/tool" 2>&1 || finding "jfr summary: $(head -c 400 "$WORK/tool")"
	java_newest live.Chunks "$1" >"$WORK/chunks" 2>&1 || finding "$(head -c 400 "$WORK/chunks")"
}

torn() {
	local file=$WORK/torn.jfr size
	begin "a file with a torn tail is recovered" || return 0
	trace_program Late 1000 -- -m 'live.Late$Latecomer::checkout' -d 7s || return 0
	target_go
	trace_wait 30
	size=$(stat -c %s "$F_FILE")
	{ cat "$F_FILE" && head -c 9000 "$F_FILE"; } >"$file"
	"$FRTRACE" recover "$file" 2>"$WORK/said" || finding "status $?: $(cat "$WORK/said")"
	grep -qE ': [23] chunks, .*; 8\.8 KB left out' "$WORK/said" || finding "says: $(cat "$WORK/said")"
	cmp "$file" "$F_FILE" || finding "another file"
	"$FRTRACE" recover "$file" 2>"$WORK/said" && grep -q '^nothing to recover: ' "$WORK/said" && cmp "$file" "$F_FILE" ||
		finding "a whole file: $(cat "$WORK/said")"
	head -c "$((size - 1))" "$F_FILE" >"$file"
	"$FRTRACE" recover -o "$WORK/torn-out.jfr" "$file" 2>"$WORK/said" || finding "status $?: $(cat "$WORK/said")"
	[ "$(stat -c %s "$file")" = $((size - 1)) ] || finding "-o changed the file"
	reads "$WORK/torn-out.jfr"
	head -c 3000 "$F_FILE" >"$file"
	"$FRTRACE" recover "$file" 2>"$WORK/said"
	[ $? = 1 ] && grep -q 'no chunk of it is whole' "$WORK/said" && [ "$(stat -c %s "$file")" = 3000 ] ||
		finding "nothing whole: $(cat "$WORK/said")"
	target_quit
	finish
}

# The JVM flushes its events every second.
flushed() {
	chunk=$(find "$WORK/own" -name '*.jfr')
	[ "$("$FRTRACE" print --events jdk.JVMInformation "${chunk:-none}" 2>/dev/null | grep -c "^jdk.JVMInformation")" -gt 0 ]
}

killed_jvm() {
	local chunk
	begin "the open chunk of a killed JVM is repaired, JDK $FEATURE" || return 0
	rm -rf "$WORK/own"
	mkdir "$WORK/own"
	run_program -XX:StartFlightRecording=settings=profile -XX:FlightRecorderOptions=repository="$WORK/own" Late 1000 || return 0
	wait_for 20 flushed || finding "the JVM does not flush its events"
	"$FRTRACE" recover "$chunk" 2>"$WORK/said" && finding "a chunk that is being written was changed"
	grep -q 'is open elsewhere' "$WORK/said" || finding "says: $(cat "$WORK/said")"
	kill -9 "$T_PID"
	wait_for 10 ended "$T_PID"
	timeout 30 "$JAVA/bin/jfr" summary "$chunk" >/dev/null 2>&1 && [ "$FEATURE" -ge 25 ] && finding "it was readable before"
	"$FRTRACE" recover "$chunk" 2>"$WORK/said" || finding "status $?: $(cat "$WORK/said")"
	reads "$chunk"
	grep -qE 'jdk.JVMInformation +1 ' "$WORK/tool" || finding "flushed events are missing: $(head "$WORK/tool")"
	finish
}

# What the reader has got when it stops the recording is readable; a reader that goes ends it.
streamed() {
	local got=$WORK/got.jfr
	begin "a recording to standard output is read as it arrives, and ends with its reader, JDK $FEATURE" || return 0
	run_program Late 1000 || return 0
	"$FRTRACE" -p "$T_PID" -m 'live.Late$Latecomer::checkout' -o - 2>"$WORK/said" >"$got" &
	STARTED+=("$!")
	wait_for 20 test -s "$got" || finding "nothing arrives: $(cat "$WORK/said")"
	target_go
	wait_for 20 grep -q checkout "$got" || finding "no call arrives"
	kill -INT "$!"
	reap "$!" || finding "status $?: $(cat "$WORK/said")"
	reads "$got"
	grep -qE 'jdk.MethodTrace +1000 ' "$WORK/tool" || finding "not 1000 calls: $(grep MethodTrace "$WORK/tool")"
	timeout 200 "$FRTRACE" -p "$T_PID" -m 'live.Late$Latecomer::checkout' -o - 2>"$WORK/said" | head -c 100 | wc -c >"$WORK/bytes"
	[ "${PIPESTATUS[0]} $(cat "$WORK/bytes")" = "1 100" ] && grep -q 'nobody reads standard output' "$WORK/said" || finding "status ${PIPESTATUS[0]}, says: $(cat "$WORK/said")"
	target_leaves
	finish
}

meanwhile torn
for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	followed
	killed_jvm
	turn 0 && streamed
done
meanwhile_ends
memory
read_meanwhile
killed
