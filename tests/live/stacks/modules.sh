#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The modules and packages of the classes on a stack equal those in the JVM's own Flight Recorder.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

MODULES=$WORK/modules

# Class files of version 55, which all JDKs since 11 read.
modules_build() {
	local javac=("$JAVA/bin/javac" "${BRIEF[@]/#/-J}" -nowarn -Xlint:-options --release 11) from=$LIVE/java/modules part
	for part in shop stock legacy plain; do
		mapfile -t sources < <(find "$from/$part" -name '*.java')
		"${javac[@]}" -d "$MODULES/$part" "${sources[@]}" || return
	done
	"$JAVA/bin/jar" --create --file "$MODULES/legacy-1.2.jar" -C "$MODULES/legacy" .
}

SHOP=(-XX:FlightRecorderOptions=stackdepth=256 -cp "$MODULES/plain" -p "$MODULES/shop:$MODULES/stock:$MODULES/legacy-1.2.jar"
	--add-modules "stock,legacy" -m shop/shop.api.Main)

shop_start() { # [-JVM-OPTION...]
	stage
	"${LAUNCH[@]}" "$JAVA/bin/java" "${BRIEF[@]}" "$@" "${SHOP[@]}" "$T_DIR" >"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
	target_is $!
}

as_json() { # EVENT FILE
	jfr_newest print --json --stack-depth 256 --events "$1" "$2"
}

compare() { # MODULE...
	as_json jdk.MethodTrace "$F_FILE" >"$WORK/ours.json" && as_json shop.Paid "$T_DIR/own.jfr" >"$WORK/theirs.json" ||
		finding "jfr cannot read a recording"
	python3 "$LIVE/packages.py" "$WORK/ours.json" "$WORK/theirs.json" "$@" >"$WORK/differences" 2>&1
	[ ! -s "$WORK/differences" ] || finding "$(cat "$WORK/differences")"
}

same() { # SENTENCE [-JVM-OPTION...]
	begin "$1, JDK $FEATURE" || return 0
	shift
	shop_start "$@"
	trace_target -m 'shop.hidden.Till::pay' || return 0
	trace_calls
	target_quit
	compare java.base java.logging shop stock legacy -
	finish
}

launched_same() {
	begin "modules of a program that frtrace starts equal the recorder's, JDK $FEATURE" || return 0
	T_DIR=$(mktemp -d "$WORK/target.XXXXXX") F_FILE=$(mktemp -u "$WORK/XXXXXX.jfr")
	touch "$T_DIR/go"
	trace_launch -o "$F_FILE" --max-overhead=off --lines -m 'shop.hidden.Till::pay' -- "$JAVA/bin/java" "${BRIEF[@]}" "${SHOP[@]}" "$T_DIR"
	# The module of a class is read from a JVM that is still there. A busy machine takes its time.
	wait_for "$SECONDS_MAX" grep -qs 'shop.hidden.Till.pay' "$F_DIR/stdout" || finding "no call"
	touch "$T_DIR/quit"
	ended_with 0
	compare java.base java.logging shop stock legacy -
	verdict
}

# Before JDK 9 there are no modules.
none() {
	begin "classes have a package and no module, JDK $FEATURE" || return 0
	STATUS='0 3' record_program Late 2000 -- -m 'live.Late$Latecomer::checkout' || return 0
	as_json jdk.MethodTrace "$F_FILE" >"$WORK/ours.json" || finding "jfr cannot read the recording"
	grep -qF '"name": "live"' "$WORK/ours.json" || finding "no package" "$(head -n 40 "$WORK/ours.json")"
	! grep -qF '"module": {' "$WORK/ours.json" || finding "a module:" "$(grep -F -A 4 '"module": {' "$WORK/ours.json")"
	! grep -qF '"exported": true' "$WORK/ours.json" || finding "an exported package"
	finish
}

jdk_use "${JDKS[0]}"
modules_build || { not_ok "the modules compile"; exit; }
newest_is_25 "modules equal the recorder's" || exit 0
for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	same "modules equal the recorder's"
	turn 0 && launched_same
done
for version in "${HALF_OF_DAY[@]}"; do
	root_use "$version" "modules equal the recorder's" || continue
	if [ "$version" -lt 9 ]; then
		none
		continue
	fi
	same "modules equal the recorder's"
	[ "$version" -lt 26 ] || { [ -z "$SOAK" ] && [ "$version" != "${OTHER_JDKS[-1]}" ]; } ||
		same "modules equal the recorder's, compact object headers" -XX:+UseCompactObjectHeaders
done
