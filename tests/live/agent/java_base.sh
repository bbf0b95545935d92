#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# tests/live/agent/java_base.sh [JDK_HOME...]
#
# Edit every method of java.base (except those that are never rewritten) of each JDK. The JVM must load and link each
# class under -Xverify:all in place of its own, a real program must print the same as before, and the `javap` of the
# last JDK must read each of its classes. Needs no root. JDKs: those given, else $JAVA_HOME and /usr/lib/jvm/*.
set -euo pipefail
cd "$(dirname "$0")/../../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
java=$PWD/tests/live/java/verify
brief=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC) # half the CPU time

fail() {
	echo "not ok - every class of java.base is edited, verified and read: $*"
	exit 1
}

verify() { # HOME
	local home=$1 out=$work/out
	rm -rf "$work/jdk" "$out" "$work/helper"
	"$home/bin/jimage" extract --dir "$work/jdk" --include 'regex:/java.base/.*' "$home/lib/modules"
	"$work/edit_classes" java/lang/FrtraceHook "$out" "$work/jdk/java.base"
	"$home/bin/javac" "${brief[@]/#/-J}" -nowarn --patch-module java.base="$java" -d "$out" "$java/FrtraceHook.java"
	"$home/bin/javac" "${brief[@]/#/-J}" -nowarn -d "$work/helper" "$java/LoadAll.java" "$java/Work.java"
	local edited=(-Xverify:all --patch-module java.base="$out" -cp "$work/helper")
	"$home/bin/java" "${brief[@]}" "${edited[@]}" LoadAll "$out" || fail "a class of $home does not verify"
	diff <("$home/bin/java" -cp "$work/helper" Work) <("$home/bin/java" "${edited[@]}" Work) || fail "the program prints something different"
	echo "ok - every class of java.base is edited and verified, $(sed -n 's/^JAVA_VERSION=/JDK /p' "$home/release" | tr -d '"')"
}

# The classes that verify() has left.
read_by_javap() { # HOME
	find "$work/out" -name '*.class' -print0 | xargs -0 "$1/bin/javap" "${brief[@]/#/-J}" -p -c 2>"$work/javap.err" >/dev/null || fail "javap fails"
	[ ! -s "$work/javap.err" ] || fail "javap says: $(head -3 "$work/javap.err")"
	echo "ok - javap reads every class of java.base that was edited"
}

${CC:-gcc} -std=gnu11 -O2 -D_GNU_SOURCE -I. -o "$work/edit_classes" tests/live/edit_classes.c tests/lib/class_tree.c format/cursor.c format/classfile/*.c
homes=("$@")
[ $# -gt 0 ] || homes=("${JAVA_HOME:-}" /usr/lib/jvm/*)
seen=" "
for home in "${homes[@]}"; do
	home=$(readlink -f "$home" || true)
	[ -n "$home" ] && [ -x "$home/bin/jimage" ] && [ -x "$home/bin/javac" ] || continue
	[[ $seen != *" $home "* ]] || continue
	seen+="$home "
	last=$home
	verify "$home"
done
if [ "$seen" = " " ]; then
	echo "skip - every class of java.base # no JDK of version 9 or later was found"
else
	read_by_javap "$last"
fi
