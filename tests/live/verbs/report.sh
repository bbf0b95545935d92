#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# frtrace report: the page's tables are those of the views, its verdict names a planted cause, and a browser that has no
# network shows it, whatever the names in it.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
TOGETHER=$0

PLANTED_CALLS=20000
build=$(realpath --relative-to="$ROOT" "$(dirname "$FRTRACE")")
said=$(exclusively make -s -C "$ROOT" BUILD="$build" "$build/tests/planted" 2>&1) || { not_ok "planted is built" "$said"; exit 1; }
planted() { "$ROOT/$build/tests/planted" "$@" || finding "planted fails"; }

page() { python3 "$LIVE/report_page.py" "$@" 2>&1; }

report() { # FILE: writes $PAGE
	PAGE=${1%.jfr}.html
	timeout 200 "$FRTRACE" report "$1" -o "$PAGE" 2>"$WORK/err" || finding "report: status $?" "$(cat "$WORK/err")"
	[ -s "$PAGE" ] || finding "no page"
}

# Each table equals the view of that name.
tables_agree() { # FILE
	local seen view
	for view in method-trace method-calls slowest waits open method-timing; do
		"$FRTRACE" view "$view" --json "$1"
	done >"$WORK/views" 2>&1
	seen=$(page "$PAGE" "$WORK/views")
	[ -z "$seen" ] || finding "$seen"
	seen=$(page --data "$PAGE")
	[ -z "$seen" ] || finding "$seen"
}

verdict_says() { # REGEX
	page --text "$PAGE" article | grep -E -- "$1" >/dev/null || finding "the verdict does not say /$1/:" "$(page --text "$PAGE" article)"
}

browser() { command -v chromium || command -v chromium-headless-shell || command -v google-chrome; }

# Open a page without network; the document that its scripts have made is in $WORK/dom, the console in $WORK/console.
browse() { # URL [OPTION...]
	local url=$1 profile=$WORK/profile
	shift
	mkdir -p "$profile"
	HOME=$profile timeout -k 1 300 unshare --net "$(browser)" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage --user-data-dir="$profile" \
		--enable-logging=stderr --virtual-time-budget=5000 --dump-dom "$@" "$url" >"$WORK/dom" 2>"$WORK/console" ||
		finding "the browser ends with status $?" "$(tail -n 5 "$WORK/console")"
	grep -E 'source: file:|Content Security Policy' "$WORK/console" >"$WORK/complaints" && finding "the browser complains:" "$(cat "$WORK/complaints")"
	grep -q '</html>' "$WORK/dom" || finding "no document:" "$(tail -n 5 "$WORK/console")"
}

has_browser() {
	browser >/dev/null && return
	skip "$SENTENCE" "needs chromium: scripts/deps --tests"
	return 1
}

traced() {
	begin "a lock and its holder are named in the verdict, and the tables are those of the views, JDK $FEATURE" || return 0
	record_program Held 2000 -- -m 'live.Held::checkout;live.Held::refresh' --report="$WORK/traced.html" || return 0
	says 'traced\.html: '
	PAGE=$WORK/traced.html
	tables_agree "$F_FILE"
	verdict_says '^live\.Held\.checkout\(int\).*of its calls \([0-9]+ of 2,000\) took .* blocked, .* futex .* at live\.Held\.checkout\(int\):[0-9]+.*held by live\.Held\.refresh\(\) on the thread "refresher"'
	finish
}

# The future is completed by last(), which takes 1 ms; slow() on another thread took the time.
handed() {
	local view
	begin "who only completes a future is not blamed for the time that it took, JDK $FEATURE" || return 0
	record_program Handed 150 -- \
		-m 'live.Handed::request;live.Handed::slow;live.Handed::last' --report="$WORK/handed.html" || return 0
	PAGE=$WORK/handed.html
	verdict_says '^live\.Handed\.request\(int\).* at live\.Handed\.request\(int\):[0-9]+.* was ended by the thread "last", after live\.Handed\.last\(int\), which took [0-9.]+ % of the time'
	"$FRTRACE" view slowest --method=live.Handed::request "$F_FILE" >"$WORK/slowest"
	"$FRTRACE" view tree --method=live.Handed::request "$F_FILE" >"$WORK/tree"
	"$FRTRACE" view waits "$F_FILE" >"$WORK/waits"
	{ page --text "$PAGE" article && cat "$WORK/slowest" "$WORK/tree"; } | grep 'held by' >"$WORK/odd" && finding "$(cat "$WORK/odd")"
	for view in slowest tree waits; do
		tr -s '\n ' ' ' <"$WORK/$view" | grep -F 'after live.Handed.last(int)' >"$WORK/said" || finding "$view:" "$(cat "$WORK/$view")"
	done
	finish
}

# The slowest calls have the values that `frtrace print` shows.
with_values() { # METHODS: of -m
	begin "the slowest calls have their values, with -m $1, JDK $FEATURE" || return 0
	STATUS='0 3' record_program Exported 10 -- \
		-e 'shop.Order live.Exported::order n=arg0 result=return' -m "$1" || return 0
	report "$F_FILE"
	"$FRTRACE" print --json --events shop.Order "$F_FILE" | python3 -c '
import json, sys
for e in json.load(sys.stdin)["recording"]["events"]:
    print("shop.Order: n = %s, result = %s" % (e["values"]["n"], e["values"]["result"]))' | sort >"$WORK/printed"
	[ "$(wc -l <"$WORK/printed")" = 30 ] || finding "printed: $(cat "$WORK/printed")"
	page --values "$PAGE" | sort | diff - "$WORK/printed" >"$WORK/differ" || finding "< the page, > print:" "$(cat "$WORK/differ")"
	finish
}

# What JEP 520 records has no breakdown of the time.
jdk_own() {
	begin "a recording of the JDK's own has a report, too" && newest_is_25 || return 0
	mkdir "$WORK/own" && touch "$WORK/own/go" "$WORK/own/quit"
	timeout 60 "$(jdk_newest)/bin/java" "-XX:StartFlightRecording:filename=$WORK/own.jfr,$(jfr_tracing live.Held::checkout)" \
		-cp "$CACHE/classes-${JDKS[-1]%% *}" live.Held "$WORK/own" 400 >"$WORK/out" 2>&1 || finding "$(head -n 5 "$WORK/out")"
	report "$WORK/own.jfr"
	tables_agree "$WORK/own.jfr"
	verdict_says '^live\.Held\.checkout\(int\).*does not say where their time went'
	verdict
}

known() {
	begin "a planted cause is named, and all numbers are those of the views" || return 0
	planted "$WORK/known.jfr" "$PLANTED_CALLS"
	report "$WORK/known.jfr"
	tables_agree "$WORK/known.jfr"
	# not 100 %: some of these calls overlap, and a shorter one counts
	verdict_says '^com\.acme\.Cart\.checkout\(int\)[45]\.[0-9] % of its calls .*futex .* at com\.acme\.Stock\.take\(int\):17\.For [0-9]+ % of that time it was held by com\.acme\.Stock\.refresh\(int\) on the thread "refresher"'
	page --text "$PAGE" .banner | grep 'lost 10 calls .* lower bound' >/dev/null || finding "the banner says: $(page --text "$PAGE" .banner)"
	report "$WORK/known.jfr" && cp "$PAGE" "$WORK/first.html" && report "$WORK/known.jfr"
	cmp -s "$PAGE" "$WORK/first.html" || finding "two reports of one recording differ"
	verdict
}

# A selection has exactly the calls of its cells; the state is in the address.
selected() {
	local calls
	begin "a browser without network shows the page, and a selection has the calls that it should" && has_browser || return 0
	[ -s "$WORK/known.html" ] || { planted "$WORK/known.jfr" "$PLANTED_CALLS" && report "$WORK/known.jfr"; }
	# bin 160 begins at 2^22 ns
	calls=$("$FRTRACE" export --csv "$WORK/known.jfr" | python3 -c '
import csv, sys
print(sum(r["method"] == "com.acme.Cart.checkout(int)" and int(r["duration_ns"]) >= 2 ** 22 for r in csv.DictReader(sys.stdin)))')
	browse "file://$WORK/known.html#method=0&box=0-479-160-400"
	page --text "$WORK/dom" .now | tr -d , | grep "^$calls calls " >/dev/null || finding "not $calls calls: $(page --text "$WORK/dom" .now)"
	[ "$(page --text "$WORK/dom" .story | wc -l)" -ge 5 ] || finding "no single calls"
	cp "$WORK/dom" "$WORK/saved.html"
	verdict
}

# Browsers save the document as the scripts have changed it.
saved() {
	begin "a saved copy opens again, with the same tables" && has_browser || return 0
	[ -s "$WORK/saved.html" ] || { planted "$WORK/known.jfr" "$PLANTED_CALLS" && report "$WORK/known.jfr" && browse "file://$WORK/known.html" && cp "$WORK/dom" "$WORK/saved.html"; }
	PAGE=$WORK/saved.html
	tables_agree "$WORK/known.jfr"
	browse "file://$WORK/saved.html"
	PAGE=$WORK/dom
	tables_agree "$WORK/known.jfr"
	page --text "$WORK/dom" .now | grep ' calls, ' >/dev/null || finding "it does not work: $(page --text "$WORK/dom" .now)"
	[ "$(page --text "$WORK/dom" button | grep -cE '^Show (these|its) calls$')" = "$(page --text "$WORK/dom" article | wc -l)" ] || finding "buttons are there twice:" "$(page --text "$WORK/dom" button)"
	verdict
}

hostile() {
	local scripts all
	begin "names that are markup, controls, or 8 KB long stay text" || return 0
	planted "$WORK/hostile.jfr" 4000 hostile
	report "$WORK/hostile.jfr"
	tables_agree "$WORK/hostile.jfr"
	scripts=$(grep -o '<script' "$PAGE" | wc -l)
	[ "$scripts" = 3 ] || finding "$scripts scripts"
	if browser >/dev/null; then
		browse "file://$WORK/hostile.html#method=-1"
		page --text "$WORK/dom" title | grep -F '</title><script>document.title=3</script>' >/dev/null || finding "the title is $(page --text "$WORK/dom" title)"
		all=$("$FRTRACE" view method-trace --json "$WORK/hostile.jfr" | python3 -c 'import json, sys; print(sum(r["calls"] for r in json.load(sys.stdin)["rows"]))')
		page --text "$WORK/dom" .now | tr -d , | grep "^$all calls " >/dev/null || finding "not $all calls: $(page --text "$WORK/dom" .now)"
		PAGE=$WORK/dom
		tables_agree "$WORK/hostile.jfr"
	fi
	verdict
}

refused() {
	local before
	begin "a report never replaces a recording" || return 0
	planted "$WORK/kept.jfr" 100
	before=$(cksum <"$WORK/kept.jfr")
	"$FRTRACE" report "$WORK/kept.jfr" -o "$WORK/kept.jfr" 2>"$WORK/err"
	[ $? = 2 ] && grep -q 'ends in .html' "$WORK/err" || finding "$(cat "$WORK/err")"
	[ "$(cksum <"$WORK/kept.jfr")" = "$before" ] || finding "the recording has changed"
	(cd "$WORK" && "$FRTRACE" report kept.jfr 2>err) && [ -s "$WORK/kept.html" ] || finding "no page beside it: $(cat "$WORK/err")"
	verdict
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	traced
	handed
done
jdk_use "${JDKS[-1]}"
with_values live.Exported::other
with_values live.Exported::order # each call is recorded twice
jdk_own
known
selected
saved
hostile
refused
