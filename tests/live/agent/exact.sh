#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# N calls give N events, however they end and wherever the class is loaded.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

modern='live.Modern;live.Modern$Point;live.Modern$Shape;live.Modern$Disc;live.Modern$Box'
places='live.Copy::work;secret.inner.Hidden;java.lang.String::hashCode;java.util.concurrent.ConcurrentHashMap::get'

big() {
	begin "300 locals, wide jumps, large switches are counted; methods near 64 KiB, or that would exceed 8000 bytes, are skipped and named, JDK $FEATURE" || return 0
	STATUS='0 3' record_program BigMain 2000 -- -m live.Big --no-stack || return 0
	says near64k
	says near8000
	file_agrees
	finish
}

# A handler must not cover super() itself; such a call must still be counted, as an event or as lost.
orphan() {
	local events lost
	begin "constructors left by an exception out of super() are accounted for, JDK $FEATURE" || return 0
	STATUS='0 3' record_program Orphan 1000 -- -m 'live.Orphan$Child' || return 0
	events=$(file_events 'live.Orphan$Child.<init>') lost=$(end_line_number lost)
	[ $((events + lost)) -eq 3000 ] || finding "3000 calls; $events events, $lost lost" "$(cat "$F_DIR/stderr")"
	jfr_newest print --events OpenCall "$F_FILE" >"$WORK/open"
	grep -q OpenCall "$WORK/open" && finding "$(grep -c 'OpenCall {' "$WORK/open") calls that are over are open in the file"
	finish
}

# The same program, untraced and traced, must print the same bytes. The JDK's warning about agents came with 21.
byte_equal() {
	local before
	begin "stdout and stderr are byte-equal to an untraced run, JDK $FEATURE" || return 0
	if [ "$FEATURE" -ge 21 ]; then
		skip "$SENTENCE" "the JVM itself prints a warning about a dynamically loaded agent"
		return
	fi
	target_start ExitsMain 2000
	target_ready && target_go
	target_quit
	before=$T_DIR
	STATUS='0 3' record_program ExitsMain 2000 -- -m "$EXITS" || return 0
	cmp "$before/stdout" "$T_DIR/stdout" || finding "stdout differs" "$(cat "$T_DIR/stdout")"
	cmp "$before/stderr" "$T_DIR/stderr" || finding "stderr differs" "$(cat "$T_DIR/stderr")"
	finish
}

# Only calls that threw are recorded.
only_thrown() {
	begin "--thrown records only the calls that end with an exception, JDK $FEATURE" || return 0
	STATUS='0 3' record_program ExitsMain 500 -- -m "$EXITS" --thrown --no-stack || return 0
	awk -F'\t' -v OFS='\t' '$1 == "count" { $7 = $8 } { print }' "$T_DIR/truth" >"$T_DIR/thrown"
	awk -F'\t' '$1 == "count" { n += $8 } END { exit !n }' "$T_DIR/thrown" || finding "nothing was thrown"
	file_agrees "$T_DIR/thrown"
	finish
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	exact "every way out of a method is counted once, with the right value of thrown" "$EXITS" ExitsMain 20000
	turn 0 && PROBES=perf exact "every way out of a method is counted once, with the right value of thrown" "$EXITS" ExitsMain 20000
	only_thrown
	exact "records, sealed types, switch expressions, resources" "$modern" ModernMain 20000
	exact "three loaders, an unexported package, String::hashCode, ConcurrentHashMap::get" "$places" \
		"--module-path=$CLASSES/modules" --add-modules=secret Places 20000
	if [ "$FEATURE" -ge 25 ]; then
		exact "constructors with code before super()" 'live.Flexible$Early;live.Flexible$Base' Flexible 20000
	fi
	big
	orphan
	byte_equal
done
