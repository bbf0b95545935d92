#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The JVM's own events carry the context that -e marks: bytes read per user equal the program's own account.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

cat >"$WORK/reads.jfc" <<-'END'
	<?xml version="1.0" encoding="UTF-8"?>
	<configuration version="2.0">
	  <event name="jdk.FileRead">
	    <setting name="enabled">true</setting><setting name="threshold">0 ns</setting>
	    <setting name="throttle">off</setting><setting name="stackTrace">false</setting>
	  </event>
	</configuration>
END

sed 's|<event name="jdk.FileRead">|<event name="jdk.FileRead" withContext="true">|' "$WORK/reads.jfc" >"$WORK/marked.jfc"

# The sums that the JDK's own reader finds.
sums() {
	jfr_newest print --json --events jdk.FileRead "$F_FILE" >"$WORK/reads.json" 2>"$WORK/err" ||
		finding "jfr print: $(tail -n 1 "$WORK/err")"
	python3 - "$WORK/reads.json" "$T_DIR/account" <<-'END' 2>"$WORK/err" || finding "bytes per user differ: $(tail -n 1 "$WORK/err" | tail -c 600)"
		import collections, json, sys
		read = collections.Counter()
		for e in json.load(open(sys.argv[1]))["recording"]["events"]:
		    v = e["values"]
		    if v["Load_user"] is not None:
		        assert "/" + v["Load_user"] + "/" + v["Load_name"] in v["path"], v
		        assert v["Copy_to"] is None or v["Copy_to"].startswith("user"), v
		        read[v["Load_user"]] += max(0, v["bytesRead"])
		account = dict(line.split() for line in open(sys.argv[2]))
		assert {u: str(n) for u, n in read.items()} == account, (read, account)
	END
}

context() { # THREADS CALLS [virtual|withContext]
	local how
	begin "file reads carry the user of the call around them, $1 threads${3:+, $3}, JDK $FEATURE" || return 0
	how=(--with-jfr="$WORK/reads.jfc" --context='jdk.FileRead,jdk.Socket*')
	[ "${3:-}" != withContext ] || { how=(--with-jfr="$WORK/marked.jfc"); set -- "$1" "$2"; }
	record_program FileServer "$@" -- -e 'srv.Load live.FileServer::load @user=arg0 @name=arg1 n=return' \
		-e 'srv.Copy live.FileServer::copy @to=arg1' "${how[@]}" || return 0
	sums
	finish
}

# Statements and orders are context of socket reads and of parks, which follow orders at once.
statements() {
	local orders=1000
	begin "each socket read is in the statement and the order that made it, JDK $FEATURE" || return 0
	sed 's|</config|<event name="jdk.ThreadPark"><setting name="enabled">true</setting><setting name="threshold">0 ns</setting></event>&|
		s|FileRead|SocketRead|' "$WORK/reads.jfc" >"$WORK/sockets.jfc"
	record_program Statements "$orders" -- -e 'db.Statement live.Statements::execute @sql=arg0' \
		-e 'shop.Order live.Statements::order @customer=arg0' --with-jfr="$WORK/sockets.jfc" \
		--context='jdk.SocketRead,jdk.ThreadPark' || return 0
	says 'context: the clocks of the recordings were [0-9.]+ [mun]?s apart, known to [0-9.]+ [mun]?s'
	jfr_newest print --json --events jdk.SocketRead,jdk.ThreadPark "$F_FILE" >"$WORK/reads.json" 2>"$WORK/err" ||
		finding "jfr print: $(tail -n 1 "$WORK/err")"
	python3 - "$WORK/reads.json" "$orders" <<-'END' 2>"$WORK/err" || finding "$(tail -n 1 "$WORK/err" | tail -c 600)"
		import json, sys
		events = [e for e in json.load(open(sys.argv[1]))["recording"]["events"]
		          if e["values"]["eventThread"] and e["values"]["eventThread"]["javaName"] == "main"]
		events.sort(key=lambda e: e["values"]["startTime"])
		found = [(v["Statement_sql"], v["Order_customer"]) for e in events if e["type"] == "jdk.SocketRead"
		         for v in [e["values"]]]
		want = [(f"select {n}", f"customer{i}") for i in range(int(sys.argv[2])) for n in range(10)]
		wrong = [(f, w) for f, w in zip(found, want) if f != w]
		assert len(found) == len(want) and not wrong, (len(found), len(wrong), wrong[:2])
		parks = [e["values"]["Order_customer"] for e in events if e["type"] == "jdk.ThreadPark"]
		assert len(parks) >= len(want) // 10 and not any(parks), (len(parks), sum(map(bool, parks)))
	END
	finish
}

# Lines such as "  Context: Load.user = "user1"" of each read, with both names alike.
by_hand() {
	begin "jfr print shows the context of -e as that of an event written by hand, platform and virtual threads, JDK $FEATURE" || return 0
	record_program Handwritten 6 20 -- \
		-e 'made.Taken live.Handwritten::load @user=arg0 @number=arg1' --with-jfr="$WORK/reads.jfc" || return 0
	jfr_of "$JAVA" print --events jdk.FileRead "$F_FILE" >"$WORK/reads"
	python3 - "$WORK/reads" <<-'END' 2>"$WORK/err" || finding "the lines differ: $(tail -n 1 "$WORK/err")"
		import re, sys
		reads = with_context = nested = 0
		for block in open(sys.argv[1]).read().split("jdk.FileRead {")[1:]:
		    if not re.search(r'path = ".*/file"', block):
		        continue
		    reads += 1
		    lines = {name: re.findall(rf"Context: {name}\.(\w+ = .*)", block) for name in ("Load", "Taken")}
		    assert lines["Load"] == lines["Taken"], block
		    with_context += bool(lines["Load"])
		    nested += "friend" in block
		assert reads > 300 and reads - with_context == 120 and nested > 100, (reads, with_context, nested)
	END
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	[ "$FEATURE" -lt 25 ] || by_hand
	[ "$FEATURE" -ge 11 ] || continue
	context 16 "$(amount 100 1000)"
	context 4 50 withContext
	statements
	[ "$FEATURE" -lt 21 ] || context 50 20 virtual
done
for version in "${OTHERS_OF_DAY[@]}"; do
	[ "$version" -ge 11 ] || continue
	root_use "$version" "context" || continue
	context 16 100
	context 4 50 withContext
	statements
	[ "$FEATURE" -lt 21 ] || context 50 20 virtual
done
