#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs that ProGuard has renamed and optimized: filters and views with the original names (--mapping).
# ProGuard 6.2 of Debian 12 reads classes of JDK 8; its own retrace says what lines were.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

RETRACE=/usr/share/java/retrace.jar

# Compile and rename the program; sets MAPPING.
renamed_build() {
	local dir=$WORK/renamed
	MAPPING=$dir/mapping.txt
	[ ! -e "$MAPPING" ] || return 0
	mkdir -p "$dir"
	"$JAVA/bin/javac" "${BRIEF[@]/#/-J}" -nowarn -Xlint:-options --release 8 -g -d "$dir/source" "$LIVE/java/Stage.java" "$LIVE/packages/Renamed.java" &&
		proguard -injars "$dir/source" -outjars "$dir/classes" -printmapping "$MAPPING" -ignorewarnings -overloadaggressively \
			-keepattributes LineNumberTable,SourceFile \
			-keep 'class live.Renamed { public static void main(java.lang.String[]); }' >"$dir/said" 2>&1 ||
		finding "ProGuard fails:" "$(tail -n 5 "$dir/said")"
}

shows() { # REGEX VERB...
	"$FRTRACE" "${@:2}" --mapping="$MAPPING" "$F_FILE" >"$WORK/shown" 2>&1 || finding "frtrace ${*:2} fails:" "$(tail -n 2 "$WORK/shown")"
	grep -E -- "$1" "$WORK/shown" >/dev/null || finding "frtrace ${*:2} does not show /$1/:" "$(head -n 20 "$WORK/shown")"
}

traced_methods() { # COUNT NAME...
	local want
	"$FRTRACE" view method-trace --width=200 --mapping="$MAPPING" "$F_FILE" >"$WORK/shown" 2>&1
	for want in "${@:2}"; do
		grep -F -- "$want" "$WORK/shown" >/dev/null || finding "'$want' is not there:" "$(cat "$WORK/shown")"
	done
	[ "$(grep -cE ' live\.|^live\.' "$WORK/shown")" = "$1" ] || finding "not $1 methods:" "$(cat "$WORK/shown")"
}

original_names() {
	begin "original names choose methods of a program that ProGuard has renamed, and are shown, JDK $FEATURE" || return 0
	renamed_build
	local CLASSES=$WORK/renamed/classes frame calls
	record_program Renamed -- --mapping="$MAPPING" -m 'live.Basket::put(Goods);live.Desk::serve:5ms' -M '::sum' -x 'live.Basket::put(int)' \
		-e 'shop.Card live.Basket::put(java.lang.String,long) card=arg0' --wait-stack=1ms || return 0
	says ' 0 lost'
	# the new names are in the file
	calls=$("$FRTRACE" print --events jdk.MethodTrace "$F_FILE" | grep -c '^  method = live\.[a-d]\.a(')
	[ "$calls" = 140 ] || finding "$calls calls by their new names, not 140"
	traced_methods 3 'live.Basket.put(Goods)' 'live.Desk.serve(int)' 'live.Basket.put(String, long)'
	shows '^card +20 ' view --width=200 events shop.Card --by=card
	shows '"live\.Basket\.sum\(\)"|live\.Basket\.sum\(\)' view --width=200 method-timing
	shows 'live\.Desk\.serve\(int\)' view --width=200 -m 'live.Desk::ser*' slowest
	grep -F 'live.Basket.put(Goods)' "$WORK/shown" >/dev/null && finding "the filter of a view has another method:" "$(head -n 5 "$WORK/shown")"
	shows 'live\.Desk\.serve\(int\)' export --collapsed
	shows 'live\.Desk\.serve\(int\)' export --csv
	"$FRTRACE" report --mapping="$MAPPING" -o "$WORK/page.html" "$F_FILE" 2>"$WORK/err" || finding "no page: $(tail -n 1 "$WORK/err")"
	grep -F 'live.Desk.serve(int)' "$WORK/page.html" >/dev/null || finding "the page has no original name"
	grep -E 'live\.b\.a\(' "$WORK/page.html" >/dev/null && finding "the page has a new name"
	# the sleep is in code that was inlined: its line is that of the call
	frame=$("$FRTRACE" print --events frtrace.ThreadWait --stack-depth=64 "$F_FILE" | sed -nE 's/^ *live\.([a-d])\.a\(int\) +line: ([0-9]+).*/at live.\1.a(Renamed.java:\2)/p' | sort -u)
	[ "$(wc -l <<<"$frame")" = 1 ] || finding "not one place of waits: $frame"
	frame=$("$JAVA/bin/java" "${BRIEF[@]}" -jar "$RETRACE" "$MAPPING" <(printf '\t%s\n' "$frame") | sed -nE 's/.*live\.Desk\.serve\([A-Za-z]+\.java:([0-9]+)\).*/\1/p')
	[ "$frame" = "$(sed -n '/settle();/=' "$LIVE/packages/Renamed.java")" ] || finding "retrace says line '$frame'"
	shows "live\.Desk\.serve\(int\):$frame\$" view --width=200 --top=1 slowest
	finish
}

no_such_method() {
	begin "a name that the mapping does not have is refused, JDK $FEATURE" || return 0
	renamed_build
	local CLASSES=$WORK/renamed/classes
	run_program Renamed || return 0
	# the new name of methods that have another one
	trace_launch -p "$T_PID" -o "$WORK/none.jfr" --mapping="$MAPPING" -m ::a
	ended_with 2
	says "the mapping has nothing that '::a' selects"
	[ -e "$WORK/none.jfr" ] && finding "there is a file"
	printf 'live.Basket -> live.a:\n\tvoid put( -> a\n' >"$WORK/broken.txt"
	trace_launch -p "$T_PID" -o "$WORK/none.jfr" --mapping="$WORK/broken.txt" -m live.Basket
	ended_with 2
	says "wrong mapping in .*/broken\.txt, line 2: it is no member"
	target_untouched "$T_PID"
	target_go
	target_quit
	finish
}

command -v proguard >/dev/null && [ -e "$RETRACE" ] || { skip "names that ProGuard has changed" "no proguard: apt-get install proguard-cli libproguard-java"; exit 0; }
for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	original_names
	turn 0 && no_such_method
done
true
