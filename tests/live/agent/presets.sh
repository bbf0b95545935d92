#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Answers without a filter: which requests of a web service are slow, what they ask other services and a database, by presets.
# $PACKAGES may be a directory into which packages with drivers were unpacked (dpkg -x).
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

JARS=${PACKAGES-}/usr/share/java

# Each request that its handler took 50 ms for is there, with its URL and its call of the backend, and no shorter one. With a
# database each has its three statements.
requests_are_slow() { # LOG STATEMENTS CALLS-STATUS
	"$FRTRACE" print --json --events 'http.*,sql.*' "$F_FILE" >"$WORK/slow.json"
	python3 - "$WORK/slow.json" "$@" <<-'END' 2>"$WORK/err" || finding "the requests are wrong:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import collections, datetime, json, re, sys
		statements, status = int(sys.argv[3]), sys.argv[4]
		def seconds(text):
		    return sum(float(n) * {"H": 3600, "M": 60, "S": 1}[u] for n, u in re.findall(r"([\d.]+)([HMS])", text))
		def span(v):
		    begin = datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d*", r"\1", v["startTime"])).timestamp()
		    return begin, begin + seconds(v["duration"])
		log = {}
		for line in open(sys.argv[2]):
		    url, stock, code, us = line.split()
		    log[url] = stock, int(code), int(us)
		seen = collections.defaultdict(list)
		for e in json.load(open(sys.argv[1]))["recording"]["events"]:
		    seen[e["type"]].append(e["values"])
		requests = {v["url"]: v for v in seen["http.Request"]}
		slow = {url for url, (_, _, us) in log.items() if us >= 50000}
		assert len(slow) >= (len(log) - 1) // 3, len(slow)
		assert len(requests) == len(seen["http.Request"]), "a URL twice"
		assert slow <= set(requests) <= set(log), (slow ^ set(requests))
		for url, v in requests.items():
		    stock, code, us = log[url]
		    begin, end = span(v)
		    assert v["httpMethod"] == "GET" and v["status"] == code, v
		    assert seconds(v["duration"]) >= 0.05, v
		    def inside(name):
		        def is_in(c):
		            b, e = span(c)
		            return c["eventThread"]["osThreadId"] == v["eventThread"]["osThreadId"] and b >= begin - 2e-6 and e <= end + 2e-6
		        return [c for c in seen[name] if is_in(c)]
		    calls = inside("http.Call")
		    assert len(calls) == 1, (url, calls)
		    assert re.fullmatch(r"http://127\.0\.0\.1:\d+" + stock, calls[0]["url"]), calls[0]
		    assert calls[0]["httpMethod"] == "GET" and str(calls[0]["status"]) == status, calls[0]
		    sql = [c["sql"] for c in sorted(inside("sql.Statement"), key=lambda c: c["startTime"])]
		    want = ["select name from item where id = ?", "insert into item values (?, ?)", "insert into item values (?, ?)"]
		    assert sql == (want if statements else []), sql
		assert len(seen["http.Call"]) == len(requests)
		assert len(seen["sql.Statement"]) == (3 * len(requests) if statements else 0)
	END
	if grep -qE 'secret|token=abc|user=me' "$WORK/slow.json"; then finding "a value is recorded"; fi
}

# What readers call requests, calls and statements; the JSON of requests_are_slow has them.
readers_agree() { # STATEMENTS
	local text
	"$FRTRACE" view slowest --top=1 --width=200 "$F_FILE" | grep -E '^\[.*\] GET /order/' >/dev/null || finding "slowest has no URL"
	text=$("$FRTRACE" view events sql.Statement --by=sql "$F_FILE" 2>/dev/null | grep -E '^select name from item where id = \?' | awk '{ print $9 }')
	[ "$1" = 0 ] || [ "$text" = "$(grep -c '"type": "http.Request"' "$WORK/slow.json")" ] || finding "statements by text: '$text'"
	"$FRTRACE" export --otlp "$F_FILE" >"$WORK/spans"
	python3 - "$WORK/spans" "$WORK/slow.json" <<-'END' 2>"$WORK/err" || finding "the spans are wrong:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import collections, json, sys
		spans = {}
		for line in open(sys.argv[1]):
		    for s in json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]:
		        s["is"] = {a["key"]: list(a["value"].values())[0] for a in s["attributes"]}
		        spans[s["traceId"], s["spanId"]] = s
		seen = collections.Counter()
		for s in spans.values():
		    a, kind, parent = s["is"], s["kind"], spans.get((s["traceId"], s.get("parentSpanId")))
		    if "url.path" in a:
		        assert kind == 2 and s["name"] == a["http.request.method"] == "GET" and not parent, s
		        seen["http.Request", a["url.path"], int(a["http.response.status_code"])] += 1
		    elif "url.full" in a:
		        assert kind == 3 and s["name"] == "GET" and "url.path" in parent["is"], s
		        seen["http.Call", a["url.full"], int(a.get("http.response.status_code", -2**63))] += 1
		    else:
		        assert kind == 3 and "url.path" in parent["is"], s
		        seen["sql.Statement", a["db.query.text"]] += 1
		want = collections.Counter()
		for e in json.load(open(sys.argv[2]))["recording"]["events"]:
		    v = e["values"]
		    want[(e["type"],) + ((v["sql"],) if "sql" in v else (v["url"], v["status"]))] += 1
		assert seen == want, (list((seen - want).items())[:3], list((want - seen).items())[:3])
	END
}

CLIENT=live.FrontedClient JAR=

unknown() { # SENTENCE CLIENT [DATABASE TITLE]: CLIENT is how the service calls its backend
	local status=200 titles="HTTP calls of $2, HTTP requests of com\.sun\.net\.httpserver" statements=0
	begin "of a service nobody knows, the slow requests have URL and calls, $1, JDK $FEATURE" || return 0
	[ "$2" != HttpURLConnection ] || status=-9223372036854775808 # missing
	[ $# -lt 3 ] || titles="JDBC of $4, $titles" statements=1
	local CLASSES=$CLASSES$JAR
	run_program -Dclient="$CLIENT" Fronted 24 "${@:3:1}" || return 0
	trace_target -t 50ms || return 0
	says "^found: ($titles|HTTP requests of com\.sun\.net\.httpserver, HTTP calls of $2)$"
	says 'recorded: requests of 50ms or more'
	target_go
	target_quit
	ended_with 0
	says ' 0 lost'
	requests_are_slow "$T_DIR/log" "$statements" "$status"
	readers_agree "$statements"
	finish
}

nothing_known() {
	begin "a JVM without an entry point that is known is named, and untouched, JDK $FEATURE" || return 0
	run_program Everything 1 || return 0
	trace_launch -p "$T_PID" -o "$WORK/none.jfr"
	ended_with 2
	says "has no entry point that frtrace knows \('frtrace presets'\): name methods, as in -m"
	[ -e "$WORK/none.jfr" ] && finding "there is a file"
	target_untouched "$T_PID"
	target_go
	target_quit
	finish
}

hot_is_called() { [ "$(od -An -t d8 -j 64 -N 8 "$T_DIR/counts")" -gt 0 ]; }

# The only package of this program has all of its time.
busy_package() {
	begin "of a JVM without an entry point that is known, the busiest package is named, JDK $FEATURE" || return 0
	run_program Hot 1 10000 || return 0
	touch "$T_DIR/go"
	wait_for "$SECONDS_MAX" hot_is_called || finding "the program makes no calls"
	trace_launch -p "$T_PID" -o "$WORK/none.jfr"
	ended_with 2
	says "has no entry point that frtrace knows \('frtrace presets'\): name methods, as in -m 'live\.\*'; its threads are mostly in live \(100 %\)$"
	target_untouched "$T_PID"
	touch "$T_DIR/stop"
	target_quit
	finish
}

# Nothing is loaded yet, and the types of values are not known.
launched() {
	begin "the same from a program's first class on, JDK $FEATURE" || return 0
	stage
	touch "$T_DIR/go" "$T_DIR/quit"
	F_FILE=$WORK/launched.jfr
	trace_launch -o "$F_FILE" -t 50ms -- "$JAVA/bin/java" -cp "$CLASSES" live.Fronted "$T_DIR" 12
	ended_with 0
	says '^tracing .* from its first class on'
	# the first request is that before the log
	sed -i '1s/^/\/order\/fast\/0 \/stock\/0 200 0\n/' "$T_DIR/log"
	requests_are_slow "$T_DIR/log" 0 200
	verdict
}

# The server has had no request yet. `start` returns when tracing is on.
in_background() {
	begin "the same in the background, with histograms of each URL, JDK $FEATURE" || return 0
	run_program Fronted 24 || return 0
	F_FILE=$WORK/back.jfr
	"$FRTRACE" start -p "$T_PID" -t 50ms -o "$F_FILE" --metrics="$WORK/back.prom" >"$WORK/start" 2>&1 || finding "start fails:" "$(tail -n 3 "$WORK/start")"
	target_go
	"$FRTRACE" stop "$T_PID" >"$WORK/stop" 2>&1 || finding "stop fails:" "$(tail -n 3 "$WORK/stop")"
	target_quit
	requests_are_slow "$T_DIR/log" 0 200
	histograms_agree "$WORK/back.prom"
	finish
}

# Each event of the file is in the histogram of its URL, below the first bound that is longer, as far as its accuracy allows.
histograms_agree() { # FILE.prom
	python3 - "$1" "$WORK/slow.json" <<-'END' 2>"$WORK/err" || finding "the histograms are wrong:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import collections, json, re, sys
		line = re.compile(r'frtrace_event_duration_seconds_(bucket|count|sum)\{recording="back",event="([^"]+)",(?:url|sql)="([^"]*)"(?:,le="([^"]+)")?\} (\S+)')
		seen, sums, buckets = {}, {}, collections.defaultdict(dict)
		for text in open(sys.argv[1]):
		    m = line.match(text)
		    if not m:
		        assert not text.startswith("frtrace_event_duration"), text
		        continue
		    kind, event, value, bound, number = m.groups()
		    if kind == "bucket":
		        buckets[event, value][float(bound)] = int(number)
		    else:
		        (seen if kind == "count" else sums)[event, value] = float(number)
		def seconds(text):
		    return sum(float(n) * {"H": 3600, "M": 60, "S": 1}[u] for n, u in re.findall(r"([\d.]+)([HMS])", text))
		times = collections.defaultdict(list)
		for e in json.load(open(sys.argv[2]))["recording"]["events"]:
		    times[e["type"], e["values"]["url"]].append(seconds(e["values"]["duration"]))
		assert seen == {k: len(v) for k, v in times.items()}, (set(seen) ^ set(times))
		for key, all in times.items():
		    assert abs(sums[key] - sum(all)) < 1e-3 + 0.02 * sum(all), (key, sums[key], sum(all))
		    for bound, count in buckets[key].items():
		        least, most = (sum(t <= bound * f for t in all) for f in (0.98, 1.02))
		        assert least <= count <= most, (key, bound, count, all)
	END
}

# It follows before the JVM is there, so nothing of the server is loaded yet.
followed() {
	begin "the same of a JVM that --follow waits for, JDK $FEATURE" || return 0
	trace_launch --follow=live.Fronted -t 50ms -o "$WORK/followed-%p.jfr"
	wait_for 20 grep -qs '^following ' "$F_DIR/stderr" || finding "it does not follow:" "$(cat "$F_DIR/stderr")"
	run_program Fronted 24 || return 0
	wait_for 20 grep -qsE '^[0-9]+: tracing ' "$F_DIR/stderr" || finding "it does not trace:" "$(cat "$F_DIR/stderr")"
	target_go
	target_quit
	trace_stop
	status_is 0
	F_FILE=$WORK/followed-$T_PID.jfr
	# the first request is that before the log
	sed -i '1s/^/\/order\/fast\/0 \/stock\/0 200 0\n/' "$T_DIR/log"
	requests_are_slow "$T_DIR/log" 0 200
	finish
}

# Set JAR to jars; without one the case is skipped.
jars() { # SENTENCE PACKAGES JAR...
	local name
	JAR=
	for name in "${@:3}"; do
		[ -e "$JARS/$name.jar" ] || { skip "$1, JDK $FEATURE" "no $JARS/$name.jar: apt-get install $2, or PACKAGES=DIR"; JAR=; return 1; }
		JAR+=:$JARS/$name.jar
	done
}

client() { # CLASS TITLE PACKAGES JAR...
	jars "slow requests whose calls are by $2" "${@:3}" || return 0
	mkdir -p "$WORK/packages"
	"$JAVA/bin/javac" -nowarn -cp "$CLASSES$JAR" -d "$WORK/packages" "$LIVE/packages/$1.java" || finding "javac fails"
	JAR+=:$WORK/packages
	CLIENT=live.$1 unknown "by $2" "$2"
	JAR=
}

database() { # PACKAGE JAR URL TITLE
	jars "slow requests with statements of $4" "$1" "$2" || return 0
	unknown "and statements of $4" java.net.http "$3" "$4"
	JAR=
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	unknown "by java.net.http" java.net.http
	turn 0 && nothing_known
	turn 1 && busy_package
	turn 1 && launched
	turn 0 && in_background
	turn 1 && followed
	turn 0 && database libh2-java h2 jdbc:h2:mem:shop H2
	turn 1 && database libhsqldb-java hsqldb jdbc:hsqldb:mem:shop HSQLDB
	turn 0 && database libderby-java derby "jdbc:derby:memory:shop;create=true" Derby
	turn 1 && client OkClient OkHttp "libokhttp-java libokio-java" okhttp okio
	turn 0 && client ApacheClient "Apache HttpClient 4" "libhttpclient-java libcommons-logging-java" httpclient httpcore commons-logging commons-codec
	turn 1 && client ApacheClient5 "Apache HttpClient 5" "libhttpclient5-java libslf4j-java" httpclient5 httpcore5 httpcore5-h2 slf4j-api slf4j-nop
done
root_use 8 "slow requests of a service nobody knows" && unknown "by HttpURLConnection" HttpURLConnection
true
