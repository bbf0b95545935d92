#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Compare frtrace's reader with the JDKs' own: `frtrace summary`, `print` and `view`, for recordings of JVMs and of
# frtrace.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
TOGETHER=$0

# A recording by the JVM itself with all events of profile.jfc, into $WORK/jvm-VERSION.jfr.
record_jvm() {
	local options=settings=profile,path-to-gc-roots=true,filename=$WORK/inside.jfr,dumponexit=true
	[ "$FEATURE" -ge 25 ] && options+=',jdk.MethodTrace#filter=live.Events::kinds,jdk.MethodTiming#filter=live.Events::exceptions'
	"${LAUNCH[@]}" "$JAVA/bin/java" -Xmx64m -XX:StartFlightRecording="$options" -cp "$CLASSES" live.Events "$WORK" "$(amount 1 3)" >"$WORK/log" 2>&1
	mv "$WORK/inside.jfr" "$WORK/jvm-$FEATURE.jfr" 2>/dev/null || finding "no recording:" "$(tail -n 5 "$WORK/log")"
}

ours() { # ARGUMENT...: frtrace's output, into $WORK/ours
	"$FRTRACE" "$@" >"$WORK/ours" 2>"$WORK/err" || finding "frtrace $*: status $?" "$(head -n 3 "$WORK/err")"
}

# The output of JDK 25 or the newest JDK, into $WORK/theirs.
theirs() { # ARGUMENT...
	jfr_newest "$@" >"$WORK/theirs" 2>"$WORK/err" || finding "jfr $*:" "$(head -n 3 "$WORK/err")"
}

# Samples of other threads have the context of these only with frtrace.
without_context_of_sampled() {
	perl -ne '$sampled = /^jdk\.(Execution|NativeMethod)Sample / if /^\S+ \{$/; print unless $sampled && /^  Context: /' "$1"
}

same() { # WHAT
	[ -s "$WORK/theirs" ] || finding "$1: nothing to compare with"
	without_context_of_sampled "$WORK/ours" >"$WORK/plain" && mv "$WORK/plain" "$WORK/ours"
	cmp -s "$WORK/ours" "$WORK/theirs" || finding "$1 differs (ours, the JDK's):" "$(diff "$WORK/ours" "$WORK/theirs" | head -n 8)"
}

# Every form of the output is equal byte for byte.
same_as_the_jdk() { # FILE [OPTIONS]...: each for one run of print
	local option
	ours summary "$1"
	theirs summary "$1"
	same summary
	for option in --json "${@:2}"; do
		# shellcheck disable=SC2086
		set -f; ours print $option "$1"; theirs print $option "$1"; set +f
		same "print $option"
	done
	[ "${NEWEST%% *}" -ge 25 ] || return # older ones print text differently
	ours print "$1"
	theirs print "$1"
	sed -E -i 's/\.(\+0x[0-9a-f]+)\(\)/\1/g' "$WORK/theirs" # code without a symbol: "libc.so.6+0x8fbbb" is not a method
	same print
}

types_of() { awk '$2 ~ /^[1-9]/ { n++ } END { print n + 0 }' "$WORK/ours"; } # of a summary

jvm_recording() {
	local types
	begin "frtrace reads a JVM's own recording like the newest jfr, JDK $FEATURE" || return 0
	record_jvm
	same_as_the_jdk "$WORK/jvm-$FEATURE.jfr" '--json --stack-depth 64' '--events jdk.*Method*,CPULoad,*Sample --stack-depth 20' '--categories JVM,Java*'
	ours summary "$WORK/jvm-$FEATURE.jfr"
	types=$(types_of)
	[ "$types" -ge 60 ] || finding "only $types event types: too few for a comparison"
	verdict
}

# What an older jfr may write differently: it does not know "forever" in milliseconds or unsigned longs.
old_form() {
	sed -E 's/"PT2562047788015215H30M7\.999999999S"/"PT2562047788015H12M55.807S"/; s/: 18446744073709551615(,? ?)$/: -1\1/' "$1"
}

own_tool() {
	local file=$WORK/jvm-$FEATURE.jfr which
	begin "the JVM's own jfr prints the same values for its recording, JDK $FEATURE" || return 0
	[ -f "$file" ] || record_jvm
	ours print --json --events 'jdk.*' "$file"
	jfr_of "$JAVA" print --json --events 'jdk.*' "$file" >"$WORK/theirs" 2>&1
	if [ "$FEATURE" -lt 25 ]; then
		for which in ours theirs; do old_form "$WORK/$which" >"$WORK/old" && mv "$WORK/old" "$WORK/$which"; done
	fi
	same "print --json"
	jfr_of "$JAVA" summary "$file" | sed 's/jdk.CheckPoint/jdk.Checkpoint/' | sort >"$WORK/theirs"
	ours summary "$file"
	sort -o "$WORK/ours" "$WORK/ours"
	same "summary, sorted"
	verdict
}

# JVMs in root directories have no jfr; the host's newest one is used.
other_jvm() { # VERSION
	begin "frtrace reads a JVM's own recording like the newest jfr, JDK $1" || return 0
	root_use "$1" "${SENTENCE%, JDK*}" || return 0
	"${JDKS[0]#* }/bin/javac" "${BRIEF[@]/#/-J}" -nowarn -Xlint:-options --release 11 -d "$WORK/old" "$LIVE/java/Events.java" || finding "Events does not compile"
	"${LAUNCH[@]}" "$JAVA/bin/java" -Xmx64m -XX:StartFlightRecording=settings=profile,filename="$WORK/inside.jfr",dumponexit=true \
		-cp "$WORK/old" live.Events "$WORK" "$(amount 1 2)" >"$WORK/log" 2>&1
	mv "$WORK/inside.jfr" "$WORK/jvm-$1.jfr" 2>/dev/null || finding "no recording:" "$(tail -n 5 "$WORK/log")"
	same_as_the_jdk "$WORK/jvm-$1.jfr"
	verdict
}

# Of JDK 9, whose files have version 1.0 of the format: those that JMC has for its tests.
jdk_9() {
	local file files option
	begin "recordings of JDK 9 are printed as the JDK prints them" || return 0
	files=("${JMC_SOURCE:-/nowhere}"/core/tests/org.openjdk.jmc.flightrecorder.rules.jdk.test/src/main/resources/jfr/{crash,stringdedup_enabled}_jdk9.jfr)
	[ -e "${files[0]}" ] || { skip "$SENTENCE" "no source of JMC in JMC_SOURCE"; return 0; }
	for file in "${files[@]}"; do
		for option in --json --exact --stack-depth=64; do
			ours print $option "$file"
			theirs print $option "$file"
			same "print $option of ${file##*/}"
		done
	done
	verdict
}

our_recording() {
	begin "frtrace reads its own recording like the newest jfr, JDK $FEATURE" || return 0
	STATUS='0 3' record_program ExitsMain "$(amount 40 200)" -- -m "$EXITS" -M 'live.Exits::*' || return 0
	same_as_the_jdk "$F_FILE"
	cp "$F_FILE" "$WORK/own.jfr"
	finish
}

# The numbers of a view as JSON are those of the events that jfr prints.
view_agrees() { # VIEW FILE
	"$FRTRACE" view --json "$1" "$2" >"$WORK/ours" 2>"$WORK/err" || finding "view $1: status $?" "$(cat "$WORK/err")"
	jfr_newest print --json --stack-depth 1 --events jdk.MethodTiming,jdk.MethodTrace "$2" >"$WORK/theirs"
	python3 - "$1" "$WORK/ours" "$WORK/theirs" >"$WORK/differences" 2>&1 <<'P' || finding "view $1 differs:" "$(tail -n 1 "$WORK/differences" | tail -c 900)"
import collections, json, sys

view, ours, theirs = sys.argv[1:]
rows = json.load(open(ours))["rows"]
events = [(e["type"], e["values"]) for e in json.load(open(theirs))["recording"]["events"]]


def name(method):
    return method["type"]["name"].replace("/", ".") + "." + method["name"] if method else "N/A"


def span(text):  # of "PT0.002S", in ns; None if missing
    return None if text.startswith("PT-") else round(float(text[2:-1]) * 10**9)


def caller(event):
    return name(event["stackTrace"]["frames"][0]["method"]) if event["stackTrace"] else "N/A"


def bare(text):
    return text.split("(")[0]


if view == "method-timing":
    timing = [e for t, e in events if t == "jdk.MethodTiming"]
    last = max(e["startTime"] for e in timing)
    want = sorted(((name(e["method"]), e["invocations"], *(span(e[k]) for k in ("minimum", "average", "p99", "maximum") if k in e))
                   for e in timing if e["startTime"] == last), key=str)
    seen = sorted(((bare(r["method"]), r["invocations"], r["minNs"], r["averageNs"], *([r["p99Ns"]] if "p99" in timing[0] else []),
                   r["maxNs"]) for r in rows), key=str)
else:
    calls = [e for t, e in events if t == "jdk.MethodTrace"]
    want, seen = collections.Counter(), collections.Counter()
    for e in calls:
        want[name(e["method"]), caller(e) if view == "method-calls" else ""] += 1
    for r in rows:
        seen[bare(r["method"]), bare(r["caller"]) if view == "method-calls" else ""] += r.get("invocations", r.get("calls"))
assert len(want) > 3 and want == seen, (want, seen)
totals = [r["totalNs"] for r in rows]
assert totals == sorted(totals, reverse=True), totals
P
}

# The widest line of frtrace's output, in characters.
width() { awk '{ n = length($0) > n ? length($0) : n } END { print n + 0 }' "$WORK/ours"; }

views() {
	local file=$WORK/own.jfr view calls
	begin "views of frtrace's recording agree with the JDK's events, and with its counts" || return 0
	[ -f "$file" ] || finding "frtrace's recording is missing"
	calls=$(jfr_newest summary "$file" | awk '$1 == "jdk.MethodTrace" { print $2 }')
	[ "${calls:-0}" -gt 1000 ] || finding "only ${calls:-0} calls"
	for view in method-timing method-calls method-trace; do
		view_agrees "$view" "$file"
	done
	for view in method-trace:2 latency:3 callers:0; do
		ours view --width 500 --top 1000 "${view%:*}" "$file"
		[ "$(sums "${view#*:}")" = "$calls" ] || finding "$view: $(sums "${view#*:}") calls, the JDK counts $calls:" "$(head -n 12 "$WORK/ours")"
	done
	for view in method-timing method-trace waits open; do
		ours view --width=80 "$view" "$file"
		[ "$(width)" -le 80 ] || finding "$view: $(width) columns with --width=80:" "$(head -n 12 "$WORK/ours")"
	done
	ours view slowest "$file"
	[ "$(grep -cE '^\[[0-9.]+[a-z]+ = ' "$WORK/ours")" = 20 ] || finding "not the 20 slowest:" "$(head -n 12 "$WORK/ours")"
	grep -qF 'null.null' "$WORK/ours" && finding "callers without a name:" "$(head -n 12 "$WORK/ours")"
	ours view --json slowest "$file"
	python3 -c 'import json, sys; rows = json.load(open(sys.argv[1]))["rows"]; sys.exit(len(rows) != 20 or not all(r["method"].startswith("live.Exits") and r["durationNs"] > 0 for r in rows))' "$WORK/ours" ||
		finding "slowest as JSON:" "$(head -c 600 "$WORK/ours")"
	ours view --json --merged --top=100000 tree "$file"
	python3 -c 'import json, sys; rows = json.load(open(sys.argv[1]))["rows"]
sys.exit(sum(r["calls"] for r in rows) != int(sys.argv[2]) or sum(r["selfNs"] for r in rows) != sum(r["totalNs"] for r in rows if r["parent"] is None))' \
		"$WORK/ours" "$calls" || finding "trees do not have the $calls calls, or their self times do not add up:" "$(head -c 600 "$WORK/ours")"
	status_of 2 view --json callers "$file"
	complains "view 'callers' is no table for --json"
	status_of 2 view nothing "$file"
	complains "there is no view 'nothing', see 'frtrace view --help'"
	status_of 0 view open "$file"
	verdict
}

narrowed() {
	local file=$WORK/own.jfr view
	begin "views are narrowed by method, thread, duration and time" || return 0
	[ -f "$file" ] || finding "frtrace's recording is missing"
	for view in method-trace method-calls slowest latency callers open; do
		status_of 0 view --method='live.Exits::nothing*' --thread='*' --slower=0ns --from=00:00 --to=23:59:59.999 --top=3 "$view" "$file"
		grep -qE "No events found" "$WORK/ours" || finding "$view shows what was not asked for:" "$(head -n 12 "$WORK/ours")"
	done
	status_of 2 view --method='+live.Exits' latency "$file"
	complains "'\+' and '@' do not work here"
	status_of 2 view --from=noon latency "$file"
	complains "wrong --from 'noon': it has to be a time of day, as in 21:31 or 21:31:53.333"
	status_of 2 view --thread=main method-timing "$file"
	complains "view 'method-timing' takes no --thread"
	status_of 2 view --depth=3 latency "$file"
	complains "view 'latency' takes no --depth"
	verdict
}

# The calls of all rows: the second word below the rule; for a tree the first word of the lines without indentation.
sums() { # WORD
	awk -v word="$1" '
		/^-/ { below = 1; next }
		!NF { below = 0 } # latency has several histograms
		!below || NF < 5 { next }
		word == 0 && $0 !~ /^ *[0-9,]+ +100\.0 % +[0-9.]+ [a-z]+  [^ ]/ { next }
		{ n = word ? "" : $1 }
		word == 3 { n = $3 } # after a time, which may be a whole number
		word == 2 { for (i = 1; i <= NF && n == ""; i++) if ($i ~ /^[0-9,]+$/) n = $i }
		{ gsub(",", "", n); sum += n }
		END { printf "%d\n", sum }' "$WORK/ours"
}

# A file with several chunks of two programs.
chunks() {
	begin "concatenated recordings are read as one" || return 0
	jfr_newest summary "$WORK/own.jfr" >/dev/null 2>&1 || { finding "frtrace's recording is missing"; verdict; return; }
	cat "$WORK/own.jfr" "$WORK/own.jfr" >"$WORK/twice.jfr"
	ours summary "$WORK/twice.jfr"
	theirs summary "$WORK/twice.jfr"
	same summary
	verdict
}

events() { grep -c '^[a-z].* {$' "$1"; }

status_of() { # WANT ARGUMENT...
	local want=$1 status
	shift
	"$FRTRACE" "$@" >"$WORK/ours" 2>"$WORK/err"
	status=$?
	[ "$status" = "$want" ] || finding "frtrace $*: status $status, not $want" "$(cat "$WORK/err")"
	[ "$(wc -l <"$WORK/err")" -le 1 ] || finding "more than one line:" "$(cat "$WORK/err")"
}

complains() { # REGEX
	grep -qE -- "$1" "$WORK/err" || finding "does not say /$1/:" "$(cat "$WORK/err")"
}

damaged() {
	local file=$WORK/own.jfr size whole
	begin "a damaged file is printed up to the damage, which is reported" || return 0
	size=$(stat -c %s "$file") || finding "frtrace's recording is missing"
	status_of 0 print "$file"
	whole=$(events "$WORK/ours")
	cat "$file" >"$WORK/torn.jfr"
	head -c $((size / 2)) "$file" >>"$WORK/torn.jfr"
	status_of 1 print "$WORK/torn.jfr"
	complains "^frtrace: '.*torn.jfr' is damaged: a chunk that is cut off, at byte [0-9]+$"
	[ "$(events "$WORK/ours")" -ge "$whole" ] || finding "$(events "$WORK/ours") of $whole events"
	status_of 1 summary "$WORK/torn.jfr"
	complains 'is damaged: a chunk that is cut off'
	head -c 40 "$file" >"$WORK/short.jfr"
	status_of 1 print "$WORK/short.jfr"
	complains 'is damaged: a chunk that ends within its header, at byte 0$'
	echo hello >"$WORK/text.jfr"
	status_of 1 print "$WORK/text.jfr"
	complains 'is no Flight Recorder file$'
	status_of 1 print "$WORK/none.jfr"
	complains "cannot open '.*none.jfr': No such file"
	mkdir -p "$WORK/no-recordings"
	status_of 1 print "$WORK/no-recordings"
	complains "no-recordings' has no recordings: it is a directory without NAME.jfr$"
	status_of 1 print /dev/null
	complains 'is no regular file$'
	verdict
}

# The chunk that a killed JVM leaves in its repository after it has flushed some events.
unfinished() {
	local file=
	begin "the recording of a killed JVM is read up to its last flush, JDK $FEATURE" || return 0
	"${LAUNCH[@]}" "$JAVA/bin/java" -XX:FlightRecorderOptions=repository="$WORK/repository" -XX:StartFlightRecording=settings=profile \
		-cp "$CLASSES" live.Events "$WORK" 600 >"$WORK/log" 2>&1 &
	STARTED+=($!)
	wait_for 20 flushed
	kill -9 $!
	wait $! 2>/dev/null
	status_of 3 print --events live.Kinds "${file:-none}"
	complains 'is not finished'
	[ "$(events "$WORK/ours")" -gt 100 ] || finding "$(events "$WORK/ours") events"
	cp "$WORK/ours" "$WORK/theirs"
	status_of 3 print --events live.Kinds "$WORK/repository"
	same "its repository"
	rm -rf "$WORK/repository"
	verdict
}

flushed() {
	file=$(find "$WORK/repository" -name '*.jfr' 2>/dev/null | head -n 1)
	[ "$("$FRTRACE" print --events live.Kinds "${file:-none}" 2>/dev/null | grep -c '^live.Kinds {')" -gt 100 ]
}

bad_arguments() {
	local file=$WORK/own.jfr
	begin "wrong arguments give one line that says what to do" || return 0
	status_of 2 print
	complains "no file: 'frtrace print FILE'"
	status_of 2 print --frob "$file"
	complains "has no option '--frob', see 'frtrace print --help'"
	status_of 2 print --stack-depth=many "$file"
	complains "wrong --stack-depth 'many': it has to be a whole number"
	status_of 2 print --events=jdk.Nothing "$file"
	complains 'the recording has no event type named jdk.Nothing'
	status_of 2 summary "$file" "$file"
	complains 'is given twice'
	status_of 0 print --help
	verdict
}

# The reader at the end of a pipe may exit at any time.
pipe() {
	begin "a closed pipe ends it quietly" || return 0
	"$FRTRACE" print "$WORK/jvm-$FEATURE.jfr" 2>"$WORK/err" | head -n 1 >"$WORK/ours"
	[ -s "$WORK/ours" ] || finding "frtrace has printed nothing"
	[ -s "$WORK/err" ] && finding "$(cat "$WORK/err")"
	(trap '' PIPE && "$FRTRACE" print "$WORK/jvm-$FEATURE.jfr" 2>"$WORK/err") | head -n 1 >"$WORK/ours"
	[ -s "$WORK/err" ] && finding "without SIGPIPE: $(cat "$WORK/err")"
	"$FRTRACE" print "$WORK/jvm-$FEATURE.jfr" >/dev/full 2>"$WORK/err" && finding "no failure although the disk is full"
	complains '^frtrace: cannot write to standard output: No space left on device$'
	verdict
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	jvm_recording
	own_tool
done
jdk_9
for version in "${OTHERS_OF_DAY[@]}"; do [ "$version" = 8 ] || other_jvm "$version"; done
jdk_use "${JDKS[0]}"
our_recording
views
narrowed
chunks
damaged
unfinished
bad_arguments
pipe
