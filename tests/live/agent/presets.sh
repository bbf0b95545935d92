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
		assert len(slow) >= len(log) // 3, len(slow)
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

unknown() { # SENTENCE CLIENT [DATABASE TITLE]: CLIENT is how the service calls its backend
	local status=200 titles="HTTP calls of $2, HTTP requests of com\.sun\.net\.httpserver" statements=0
	begin "of a service nobody knows, the slow requests have URL and calls, $1, JDK $FEATURE" || return 0
	# the status is missing, and the presets are in the order of their names
	[ "$2" = java.net.http ] || status=-9223372036854775808 titles="HTTP requests of com\.sun\.net\.httpserver, HTTP calls of $2"
	[ $# -lt 3 ] || titles="JDBC of $4, $titles" statements=1
	CLASSES+=${JAR-}
	run_program Fronted 24 "${@:3:1}" || return 0
	trace_target -t 50ms || return 0
	says "^found: $titles$"
	says 'recorded: requests of 50ms or more'
	target_go
	target_quit
	ended_with 0
	says ' 0 lost'
	requests_are_slow "$T_DIR/log" "$statements" "$status"
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

database() { # PACKAGE JAR URL TITLE
	JAR=:$JARS/$2.jar
	if [ -e "$JARS/$2.jar" ]; then
		unknown "and statements of $4" java.net.http "$3" "$4"
	else
		skip "statements of $4, JDK $FEATURE" "no $JARS/$2.jar: apt-get install $1, or PACKAGES=DIR"
	fi
	JAR=
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	unknown "by java.net.http" java.net.http
	turn 0 && nothing_known
	turn 1 && launched
	turn 0 && database libh2-java h2 jdbc:h2:mem:shop H2
	turn 1 && database libhsqldb-java hsqldb jdbc:hsqldb:mem:shop HSQLDB
done
root_use 8 "slow requests of a service nobody knows" && unknown "by HttpURLConnection" HttpURLConnection
true
