#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The methods that a filter traces: for JEP 520's forms those that JEP 520 traces, in loaded classes and in those loaded
# later; for frtrace's own forms those that docs/filters.md promises.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

S='live.Subject$'

# One per line, in JEP 520's form. With ::<init> of all classes its JVM made no progress in two minutes.
standard="${S}Cart
${S}Cart::add
${S}Service
${S}Service::run
${S}Base::<init>
${S}Deep::stop
${S}Impl::byDefault
${S}Color
${S}Lambdas
${S}Bridged
::run
::<clinit>
@${S}Timed
@${S}Unseen
@${S}Meta
@${S}One
@${S}Many
@${S}Timed;${S}Alone::run; ${S}Order;;
live.Subject.Cart
java.lang.String::isEmpty;java.lang.String::length;java.lang.Long::valueOf;java.util.ArrayList::isEmpty
java.util.concurrent.ConcurrentHashMap::get;java.util.concurrent.locks.ReentrantLock::isLocked"

# Expected differences. More: JEP 520 leaves out methods that its own code calls (frtrace's is not Java). Less: locks,
# which hooks could leave locked after a StackOverflowError; a wrong name is an error where JEP 520 is silent.
more='boot java.lang.Long.valueOf(J)Ljava/lang/Long;
boot java.lang.String.length()I
boot java.util.concurrent.ConcurrentHashMap.get(Ljava/lang/Object;)Ljava/lang/Object;'
less='boot java.util.concurrent.locks.ReentrantLock.isLocked()Z'
wrong='live.Subject.Cart'

oracle() { # run JEP 520 of JDK 25, once
	local line=${JDKS[-1]}
	[ "${line%% *}" -ge 25 ] || return 1
	[ -d "$WORK/oracle" ] && return
	mkdir -p "$WORK/oracle"
	printf '%s\n' "$standard" >"$WORK/oracle/filters"
	timeout 600 "${line#* }/bin/java" -cp "$CACHE/classes-${line%% *}" live.Filters "$WORK/oracle" "$WORK/oracle/filters" >"$WORK/oracle/out" 2>&1 &
	STARTED+=($!)
	wait_for 120 test -e "$WORK/oracle/done" || finding "JEP 520 does not trace:" "$(cat "$WORK/oracle/out")"
	touch "$WORK/oracle/quit"
}

# Some filters match every method of the JVM: on a busy machine frtrace keeps up only as a real-time task.
chrt -r 1 true 2>/dev/null && TRACE_AS=(chrt -r 1)

ROUND=0
round_once() { # OPTION...
	trace_start --no-stack "$@" || return
	touch "$T_DIR/go.$ROUND"
	wait_for "$SECONDS_MAX" target_has "done.$ROUND" || finding "the program makes no calls"
	ROUND=$((ROUND + 1))
	trace_stop
}

# Where a virtual CPU stands still, calls are lost, and counted: once more then.
round() { # OPTION...: trace while everything is called; writes the methods to $WORK/set
	: >"$WORK/set"
	for _ in 1 2 3 4 5 6; do
		round_once "$@" || return
		[ "$(end_line_number lost)" != 0 ] || break
		rm -f "$F_FILE"
	done
	[ -e "$F_FILE" ] || { finding "no round without a lost call:" "$(tail -n 3 "$F_DIR/stderr")"; return; }
	java_newest live.Filters - "$F_FILE" >"$WORK/set" || finding "cannot read $F_FILE"
	rm -f "$F_FILE"
}

begin_rounds() {
	ROUND=0
	target_start Filters
	target_ready
}

as_jep_520() {
	local filter i=0 all_more='' all_less=''
	begin "a filter traces what JEP 520 traces, except four methods, JDK $FEATURE" || return 0
	oracle || { skip "$SENTENCE" "no JDK 25"; return; }
	begin_rounds
	while IFS= read -r filter; do
		if [ "$filter" = "$wrong" ]; then
			i=$((i + 1))
			continue
		fi
		round -m "$filter"
		grep . "$WORK/oracle/set.$i" | LC_ALL=C sort >"$WORK/theirs"
		LC_ALL=C sort "$WORK/set" >"$WORK/ours"
		all_more+=$(LC_ALL=C comm -13 "$WORK/theirs" "$WORK/ours")$'\n'
		all_less+=$(LC_ALL=C comm -23 "$WORK/theirs" "$WORK/ours")$'\n'
		LC_ALL=C comm -3 "$WORK/theirs" "$WORK/ours" | sed 's/^\t//' | grep -vxF -e "$more" -e "$less" >"$WORK/differences" &&
			finding "$filter: JEP 520's, and indented frtrace's:" "$(LC_ALL=C comm -3 "$WORK/theirs" "$WORK/ours")"
		i=$((i + 1))
	done <<<"$standard"
	[ "$(grep . <<<"$all_more" | sort -u)" = "$(sort <<<"$more")" ] || finding "more than JEP 520:" "$all_more"
	[ "$(grep . <<<"$all_less" | sort -u)" = "$less" ] || finding "less than JEP 520:" "$all_less"
	grep -q . "$WORK/oracle/set.$(($(grep -nxF "$wrong" <<<"$standard" | cut -d: -f1) - 1))" && finding "JEP 520 takes $wrong"
	target_leaves
	finish
}

# The methods of one loader: "Cart.add Cart.run", without overloads and lambda numbers; the initializers of `early` have
# run before.
short() { # LOADER
	sed -nE "s/^$1 live\.Subject\\$//p" "$WORK/set" | sed -E 's/\(.*//; s/(lambda.*)\$[0-9]+$/\1/' | grep -v '<clinit>' | LC_ALL=C sort -u | paste -sd ' '
}

form() { # EXPECTED OPTION...
	local expected=$1 loader
	shift
	round "$@"
	for loader in early late; do
		[ "$(short "$loader")" = "$expected" ] || finding "$* in $loader classes:" "  $(short "$loader")" "instead of:" "  $expected"
	done
}

descriptors() { sed -nE 's/^late .*(\(.*)/\1/p' "$WORK/set" | LC_ALL=C sort | paste -sd ' '; }

forms() {
	begin "wildcards, supertypes, overloads, exclusions, lambdas, files trace what docs/filters.md promises, JDK $FEATURE" || return 0
	local cart='Cart.<init> Cart.add Cart.count Cart.lines Cart.run' deep='Deep.<init> Deep.own Deep.run'
	begin_rounds
	form "Cart\$Line.<init> Cart\$Line.print $cart" -m "${S}Cart*" -x "+${S}Deep"
	form "Cart\$Line.<init> Cart\$Line.print" -m 'live.*Line*'
	form 'Alone.run Base.run Cart.run Deep.run' -m '*ubject*::r*n'
	form 'Cart.add Cart.lines' -m "${S}Cart::*s;${S}Cart::a*"
	form "Base.<init> Base.run Base.stop $cart $deep Service.byDefault Service.make" -m "+${S}Service"
	form "$cart $deep" -m "+${S}Cart"
	form 'Base.run Cart.run Deep.run' -m "+${S}Service::run"
	form 'Deep.run' -m "${S}Deep::run;+${S}Nothing"
	form "$cart" -m "+${S}Cart;!+${S}Deep"
	form 'Alone.<init> Alone.run' -m "${S}A*;!+${S}Api;!${S}Any"
	form 'Base.<init> Base.run Base.stop' -m "+${S}Base" -x "+${S}Cart"
	form 'OnMethod.<init> OnMethod.n OnMethod.twice OnMethod.unseen' -m "${S}OnMethod;!@${S}Timed"
	form 'Cart.add' -m "${S}Cart::add(${S}Order)"
	[ "$(descriptors)" = '(Llive/Subject$Order;)V' ] || finding "overloads: $(descriptors)"
	form 'Cart.add Cart.count Cart.lines' -m "${S}Cart::add(Order, boolean);::lines(String...);::count(int[],long);${S}Cart::run(int)"
	[ "$(descriptors)" = '(Llive/Subject$Order;Z)V ([IJ)I ([Ljava/lang/String;)V' ] || finding "overloads: $(descriptors)"
	form 'Lambdas.m' -m "${S}Lambdas::m"
	form 'Lambdas.lambda$m Lambdas.m' -m "${S}Lambdas::m" --lambda
	form 'Cart.add' -m "${S}Cart:1h;${S}Cart::add:0"
	form 'Cart.add' -m "${S}Cart;${S}Cart::add:0" -t 1h
	printf '%s\n' '# those of the shop' '' "${S}Cart::add # both" "!${S}Cart::lines" "${S}Cart#l*" >"$WORK/filters"
	form 'Alone.run Cart.add' --filters="$WORK/filters" -m "${S}Alone::run"
	# classes that are never traced, and are loaded only now
	if [ "${LAUNCH[*]}" = "${SERVICE[*]}" ]; then
		trace_start --no-stack -m 'jdk.jfr.*'
		"$JAVA/bin/jcmd" "$T_PID" JFR.check >"$WORK/jcmd" 2>&1 || finding "$(cat "$WORK/jcmd")"
		stopped_with 3
		says "^  not traced: .*JFR's own classes"
		says "^0 calls: what matched is not traced: "
	fi
	# all classes, then few: classes that were hooked before must not take part
	round -m '*'
	form 'Alone.<init> Alone.run' -m "${S}Alone"
	grep ' loader ' "$F_DIR/stderr" | grep -vF "  ${S}Alone." >"$WORK/others" && finding "traced too:" "$(cat "$WORK/others")"
	target_leaves
	finish
}

# JDK 8 to 14 name the classes of lambda forms like others, and JDK 8 crashes when asked for their constants.
generated() {
	local filter
	begin "classes that the JVM makes for lambdas and method handles are left unchanged, JDK $FEATURE" || return 0
	run_program Forms || return 0
	for filter in '@java.lang.FunctionalInterface' 'java.lang.invoke.*'; do
		trace_start --no-stack -m "$filter" && trace_stop && says ' 0 lost'
	done
	trace_target -m 'live.Forms::sum;@live.Nothing;*$MH*::*;*Lambda*' || return 0
	target_go
	trace_stop
	says ' 0 lost'
	target_leaves
	grep -E '^  .*\$(MH|\$Lambda).* loader ' "$F_DIR/stderr" >"$WORK/others" && finding "$(cat "$WORK/others")"
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	generated
	as_jep_520
	forms
done
for version in "${OTHERS_OF_DAY[@]}"; do
	root_use "$version" "filters" || continue
	generated
	[ "$version" -lt "$(amount 22 17)" ] || forms
done
