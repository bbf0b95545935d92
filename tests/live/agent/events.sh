#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Events of the user's own (-e): their values equal what the program has logged, and secrets stay in the program.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# The classes are compiled without -g, so parameters have no names.
EVENTS=(
	-e 'test.Call live.Valued::call id=arg0 i=arg1 s=arg2 d=arg3 base=arg4.id items=arg5.length color=arg6 any=arg7 z=arg8 c=arg9 h=arg10 b=arg11 f=arg12 length=arg2.length back=return ex=exception name=this.name total=live.Valued.total token=arg13'
	-e 'test.Made live.Valued$Made::<init> id=arg0 s=arg1 text=this.text ex=exception'
	-e 'test.Wide live.Valued::wide id=arg0 first=arg1 last=arg252 back=return'
	-e 'test.Exit live.Valued::exit id=arg0 kind=arg1 back=return ex=exception'
	-e 'test.Kinds live.Valued::kinds id=arg0 z=arg1 b=arg2 c=arg3 h=arg4 i=arg5 j=arg6 f=arg7 type=arg8 thread=arg9 longs=arg10.length objects=arg11.length deep=arg12.length back=return'
	-e 'test.Long live.Valued::backLong id=arg0 back=return'
	-e 'test.Double live.Valued::backDouble id=arg0 back=return'
	-e 'test.Float live.Valued::backFloat id=arg0 back=return'
	-e 'test.Boolean live.Valued::backBoolean id=arg0 back=return'
	-e 'test.Char live.Valued::backChar id=arg0 back=return'
	-e 'test.Color live.Valued::backColor id=arg0 back=return'
	-m live.Valued::fails
)

SEEN=0 # events in all
check() { # [LOG]
	judged_by live.ValuedCheck "$F_FILE" "$@"
	SEEN=$((SEEN + $(sed -nE 's/.* in ([0-9]+) events$/\1/p' <<<"$SAID" | head -n 1) + 0))
}

# The shared memory of agent and collector, and the file.
no_secret() {
	python3 - "$T_PID" <<-'END' || finding "a redacted value is in the shared memory"
		import re, sys
		maps = [line for line in open(f"/proc/{sys.argv[1]}/maps") if "/memfd:frtrace-" in line]
		found = 0
		with open(f"/proc/{sys.argv[1]}/mem", "rb", buffering=0) as memory:
		    for line in maps:
		        begin, end = (int(word, 16) for word in line.split()[0].split("-"))
		        for at in range(begin, end, 1 << 20):
		            memory.seek(at)
		            found += memory.read(min(1 << 20, end - at)).count(b"xyzzy")
		sys.exit(not maps or found > 0)
	END
	! grep -aq xyzzy "$F_FILE" || finding "a redacted value is in the file"
}

# The JVM's own checks have nothing to say, except about agents (JEP 451). What it has said before frtrace came is not ours:
# the launcher of JDK 8 does not check for exceptions after three calls of CallStaticObjectMethod.
jvm_has_said() { cat "$T_DIR/stdout" "$T_DIR/stderr"; }

jvm_is_silent() { # WHAT-IT-HAD-SAID
	local said
	said=$(diff <(echo "$1") <(jvm_has_said) | sed -n 's/^> //p' | grep -vE '^WARNING: (A JVM TI agent|If a serviceability|Dynamic loading)|^(OpenJDK 64-Bit Server VM )?[Ww]arning: .*(Xverify|BytecodeVerification|CDS|Sharing)' | head -n 5)
	[ -z "$said" ] || finding "the JVM says: $said"
}

values() { # THREADS CALLS [MODE]
	local before
	begin "events equal the program's own log, $1 threads of $2 calls${3:+, $3}, JDK $FEATURE" || return 0
	run_program -Xverify:all -Xcheck:jni Valued "$@" || return 0
	before=$(jvm_has_said)
	trace_target "${EVENTS[@]}" || return 0
	trace_calls
	says ' 0 lost'
	target_restored
	no_secret
	check "$T_DIR/values"
	jvm_is_silent "$before"
	target_quit
	finish
}

# The classes of a program that frtrace starts are not loaded yet.
launched() {
	begin "a program that frtrace starts has events, JDK $FEATURE" || return 0
	stage
	F_FILE=$WORK/launched.jfr
	trace_launch -o "$F_FILE" --max-overhead=off "${EVENTS[@]}" -- "$JAVA/bin/java" -cp "$CLASSES" live.Valued "$T_DIR" 4 200
	if wait_for "$TRACE_SECONDS_MAX" trace_is_on && grep -q '^tracing .* as the classes of -e are loaded' "$F_DIR/stderr"; then
		touch "$T_DIR/go" "$T_DIR/quit"
		ended_with 0
		says ' 0 lost'
		check "$T_DIR/values"
	else
		finding "tracing does not start:" "$(tail -n 5 "$F_DIR/stderr")"
	fi
	rm -f "$T_DIR"/{ready,done,truth,values}
	trace_launch -o "$WORK/none.jfr" -e 'a.B live.Valued::call n=itemz' -- "$JAVA/bin/java" -cp "$CLASSES" live.Valued "$T_DIR" 1 1
	trace_wait
	status_is 0 # the program's own
	says "event 'a.B', 'n=itemz': 1 call without it: live.Valued has no field 'itemz'"
	rm -f "$T_DIR"/{ready,done,truth,values}
	trace_launch -o "$WORK/none.jfr" -e 'a.B live.Nobody::call n=arg0' -- "$JAVA/bin/java" -cp "$CLASSES" live.Valued "$T_DIR" 1 1
	ended_with 0
	says "event 'a.B': no call was recorded of a method that matches 'live.Nobody::call'"
	verdict
}

killed() { # TIMES
	local i
	begin "after kill -9 of the JVM or of frtrace no event has values of two calls, $1 times, JDK $FEATURE" || return 0
	SEEN=0
	for ((i = 0; i < $1; i++)); do
		target_start Valued 4 2000 forever
		if target_ready && trace_start "${EVENTS[@]}" --no-stack; then
			touch "$T_DIR/go"
			sleep "0.$((RANDOM % 5 + 1))"
			if ((i % 2)); then
				kill -9 "$T_PID"
				trace_wait
				check
			else
				{ kill -9 "$F_PID"; trace_wait; } 2>/dev/null
				[ ! -s "$F_FILE" ] || check # killed before its first second ended, it has no file
			fi
		fi
		target_drop
	done
	[ "$SEEN" -gt 1000 ] || finding "only $SEEN events in all files"
	verdict
}

# Nothing is done to a JVM whose classes do not have what is named.
refused() { # SAYS EVENT [OPTION...]
	trace_launch -p "$T_PID" -o "$WORK/none.jfr" -e "$2" "${@:3}"
	ended_with 1 2
	says "$1"
}

mistakes() {
	begin "what does not exist is refused before the JVM is touched, JDK $FEATURE" || return 0
	run_program Valued 1 1 || return 0
	refused "has no parameter 'itemz'; the class has no debug information, use arg0" 'a.B live.Valued::call n=itemz'
	refused "live.Valued.Base has no field 'nr'; it has id" 'a.B live.Valued::call n=arg4.nr'
	refused 'live.Valued has no static field .NOTHING.' 'a.B live.Valued::call n=live.Valued.NOTHING'
	refused 'an array is no value' 'a.B live.Valued::call n=arg5'
	refused 'it is static|the method is static' 'a.B live.Valued::wide n=this'
	refused "no method of a loaded class matches 'live.Valued::cal'; loaded and near: 'live.Valued::call'" 'a.B live.Valued::cal n=arg0'
	refused "no method of a loaded class matches 'live.Valeud::call;.*'; loaded and near: 'live.Valued'" 'a.B live.Valeud::call;!live.Valued::fails n=arg0'
	refused "'java.lang.Runtime::maxMemory' is native" 'a.B java.lang.Runtime::maxMemory n=return'
	refused "event 'a.B': -x leaves out its method 'call'" 'a.B live.Valued::call n=arg0' -x live.Valued::call
	refused 'gets no events: abstract' 'a.B java.util.AbstractList::get n=arg0'
	refused 'belong to others' 'jdk.B live.Valued::call n=arg0'
	refused 'only objects are kept' 'a.B live.Valued::call n@begin=arg5.length'
	refused 'from a parameter or this' 'a.B live.Valued::call n@begin=live.Valued.total'
	refused 'every event has one' 'a.B live.Valued::call duration=arg0'
	target_untouched "$T_PID"
	touch "$T_DIR/go"
	target_quit
	finish
}

views() {
	local seen field
	begin "views and exports take these events for calls, JDK $FEATURE" || return 0
	STATUS='0 3' record_program Valued 2 200 -- "${EVENTS[@]}" -m live.Valued::wide || return 0
	seen=$("$FRTRACE" view method-trace "$F_FILE")
	grep -qE ' 400 .*Valued.call|Valued.call.* 400' <<<"$seen" || finding "view method-trace:" "$seen"
	[ "$("$FRTRACE" export --csv "$F_FILE" | grep -c 'wide')" = 26 ] || finding "export --csv has not 26 calls of wide"
	[ "$("$FRTRACE" print --events test.Wide "$F_FILE" | grep -c '^test.Wide')" = 26 ] || finding "print has not 26"
	seen=$("$FRTRACE" view --json --by=color events test.Call "$F_FILE" | python3 -c 'import json, sys
for row in json.load(sys.stdin)["rows"]: print(row["value"], row["events"], row["totalNs"] >= row["maxNs"] >= row["p99Ns"] >= row["p50Ns"] > 0)' | sort)
	[ "$seen" = "$(printf '%s\n' 'BLUE 132 True' 'None 134 True' 'RED 134 True')" ] || finding "view events --by=color:" "$seen"
	"$FRTRACE" view --json events Call "$F_FILE" | python3 -c 'import json, sys
rows = json.load(sys.stdin)["rows"]
assert len(rows) == 400 and sorted(r["startTime"] for r in rows) == [r["startTime"] for r in rows]
assert sorted(r["id"] for r in rows) == list(range(1, 401)) and all(r["i"] == r["id"] * 31 for r in rows)' 2>"$WORK/err" || finding "view events:" "$(tail -n 1 "$WORK/err")"
	"$FRTRACE" view --json --top=10000 slowest "$F_FILE" >"$WORK/slowest.json"
	jfr_newest print --json --events 'test.*' "$F_FILE" >"$WORK/printed.json"
	python3 - "$WORK/slowest.json" "$WORK/printed.json" <<-'END' 2>"$WORK/err" || finding "view slowest:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import collections, json, sys
		shown, printed = collections.Counter(), collections.Counter()
		for row in json.load(open(sys.argv[1]))["rows"]:
		    for event, v in (row["values"] or {}).items():
		        shown[event, row["durationNs"], v.get("id")] += 1
		for e in json.load(open(sys.argv[2]))["recording"]["events"]:
		    v = e["values"]
		    printed[e["type"], round(float(v["duration"][2:-1]) * 1e9), v.get("id")] += 1
		assert shown["none"] == 0 and not shown - printed, list((shown - printed).items())[:3]
		assert sum(n for k, n in shown.items() if k[0] == "test.Call") == 400, len(shown)
	END
	"$FRTRACE" export --otlp "$F_FILE" >"$WORK/spans"
	seen=$(grep -oE '\{"key":"(id|s|back|token)","value":\{"[a-z]+Value":' "$WORK/spans" | sort | uniq -c)
	for field in id:int s:string back:int token:string; do
		grep -q "\"${field%:*}\",\"value\":{\"${field#*:}Value\"" <<<"$seen" || finding "export --otlp has no $field:" "$seen"
	done
	jfr_prints test.Call 'id = 1$' 'back = ' 'thrown = true' 'token = "\[REDACTED\]"'
	finish
}

lines() { # [--json]
	begin "--lines prints the values of each call${1:+, $1}, JDK $FEATURE" || return 0
	record_program Valued 2 200 -- "${EVENTS[@]}" --lines "$@" || return 0
	"$FRTRACE" print --json --events 'test.*,jdk.MethodTrace' "$F_FILE" >"$WORK/events.json"
	python3 - "$F_DIR/stdout" "$WORK/events.json" <<-'END' 2>"$WORK/err" || finding "the lines differ from the file:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import collections, json, sys
		extra = {"startTime", "duration", "eventThread", "stackTrace", "method", "thrown", "thrownClass", "cpuTime", "runQueueTime", "blockedTime", "pauseTime"}
		printed, filed, text = collections.Counter(), collections.Counter(), open(sys.argv[1]).read().strip("\n").split("\n")
		def alike(v):
		    return json.dumps({k: float(x) if type(x) is int else x for k, x in v.items()})
		def word(v):
		    v = v["name"].replace("/", ".").replace("[[J", "long[][]") if isinstance(v, dict) else v
		    if v is None or v in (-2147483648, -9223372036854775808): return None
		    return v
		for e in json.load(open(sys.argv[2]))["recording"]["events"]:
		    v = {k: word(x) for k, x in e["values"].items() if k not in extra} if e["type"] != "jdk.MethodTrace" else {}
		    if text[0].startswith("{"):
		        filed[alike(v)] += 1
		    elif e["type"] == "test.Exit":
		        filed["  id=%d kind=%d back=%s ex=%s  " % (v["id"], v["kind"], "null" if v["back"] is None else v["back"], "null" if v["ex"] is None else '"%s"' % v["ex"])] += 1
		if text[0].startswith("{"):
		    for line in text:
		        printed[alike(json.loads(line).get("values", {}))] += 1
		    assert printed == filed, (list((printed - filed).items())[:2], list((filed - printed).items())[:2])
		else:
		    assert sum(filed.values()) == 400
		    for want in filed:
		        assert any(want in line for line in text), want
	END
	finish
}

# A file with all that the format has, written here: values, label, description, path and content types.
probes() {
	cat <<-'END'
		<?xml version="1.0" encoding="UTF-8"?>
		<jfragent>
		  <config><classprefix>__Event</classprefix><allowtostring>true</allowtostring><allowconverter>false</allowconverter></config>
		  <events>
		    <event id="test.Probed">
		      <label>Probed &amp; made</label><description>From a file.</description><path>tests/probes</path>
		      <stacktrace>true</stacktrace><rethrow>true</rethrow><class>live.Valued$Made</class><location>WRAP</location>
		      <method><name>&lt;init&gt;</name><descriptor>(JLjava/lang/String;)V</descriptor>
		        <parameters>
		          <parameter index="0"><name>the id</name><contenttype>Bytes</contenttype></parameter>
		          <parameter index="1"><name>s</name><description>a text</description><contenttype>None</contenttype></parameter>
		        </parameters>
		      </method>
		      <fields><field><name>text</name><expression>Made.this.text</expression></field></fields>
		    </event>
		  </events>
		</jfragent>
	END
}

xml() {
	begin "a file in JMC Agent's format gives the values that -e gives, JDK $FEATURE" || return 0
	probes >"$WORK/probes.xml"
	record_program Valued 2 200 -- --events="$WORK/probes.xml" -e "${EVENTS[3]}" || return 0
	says '<allowtostring> is not followed'
	"$FRTRACE" print --json --events 'test.*' "$F_FILE" >"$WORK/both.json"
	python3 - "$WORK/both.json" <<-'END' 2>"$WORK/err" || finding "the events differ:" "$(tail -n 1 "$WORK/err")"
		import collections, json, sys
		found = collections.defaultdict(collections.Counter)
		for e in json.load(open(sys.argv[1]))["recording"]["events"]:
		    v = e["values"]
		    names = ("fieldTheid", "fieldS", "Text") if e["type"] == "test.Probed" else ("id", "s", "text")
		    found[e["type"]][tuple(v[n] for n in names)] += 1
		assert sum(found["test.Probed"].values()) == 400 and found["test.Probed"] == found["test.Made"], found
	END
	jfr_prints test.Probed 'fieldTheid = [0-9]+ bytes?$' 'fieldS = ' 'Text = '
	[ "$("$FRTRACE" print --categories=probes "$F_FILE" | grep -c '^test.Probed')" = 400 ] || finding "the path is no category"
	sed -i 's|<name>s</name>|<name>s</name><converter>a.B</converter>|' "$WORK/probes.xml"
	trace_launch -p 1 --events="$WORK/probes.xml" -o "$WORK/none.jfr"
	ended_with 2
	says "probes.xml:[0-9]+: <converter> 'a.B'"
	finish
}

nested() {
	begin "expressions name classes and fields as the program's source does, JDK $FEATURE" || return 0
	cat >"$WORK/nested.xml" <<-'END'
		<jfragent><events><event id="test.Xml"><class>live.Nested$Inner</class>
		  <method><name>own</name><descriptor>([I[Llive/Nested$Above;)Ljava/lang/String;</descriptor><parameters>
		    <parameter index="0"><name>items</name></parameter><parameter index="1"><name>others</name></parameter>
		  </parameters></method>
		  <fields><field><name>'super.hidden'</name><expression>super.hidden</expression></field>
		    <field><name>'Nested.this.outer'</name><expression>Nested.this.outer</expression></field></fields>
		</event></events></jfragent>
	END
	run_program Nested 100 || return 0
	refused 'live.Nested.Alone keeps no object of a class around it' 'a.B live.Nested$Alone::alone n=Nested.this.outer'
	refused 'Above has no static field .hidden.; its fields are' 'a.B live.Nested$Inner::own n=Above.hidden'
	trace_target --events="$WORK/nested.xml" \
		-e 'test.Deep live.Nested$Inner$Deep::deep id=arg0 a=mine b=hidden c=outer d=Inner.this.hidden e=Nested.this.number f=Deep.this.mine g=shared h=Nested.shared i=Above.count j=Nested.Above.count k=Integer.MAX_VALUE l=live.Nested.Above.count m=this' || return 0
	trace_calls
	"$FRTRACE" print --json --events 'test.*' "$F_FILE" >"$WORK/nested.json"
	python3 - "$WORK/nested.json" <<-'END' 2>"$WORK/err" || finding "the values differ:" "$(tail -n 1 "$WORK/err")"
		import json, sys
		seen = {"test.Deep": [], "test.Xml": []}
		for e in json.load(open(sys.argv[1]))["recording"]["events"]:
		    v = e["values"]
		    names = "id a b c d e f g h i j k l m".split() if e["type"] == "test.Deep" else ["fieldItems", "fieldOthers", "Superhidden", "Nestedthisouter"]
		    seen[e["type"]].append([v[n] for n in names])
		want = [[i, "deep", f"inner{i}", f"outer{i}", f"inner{i}", i, "deep", "of all", "of all", 7, 7, 2147483647, 7, "live.Nested$Inner$Deep"] for i in range(100)]
		assert seen["test.Deep"] == want, seen["test.Deep"][:2]
		assert seen["test.Xml"] == [["int[]", "live.Nested$Above[]", "above", f"outer{i}"] for i in range(100)], seen["test.Xml"][:2]
	END
	target_quit
	finish
}

twins() {
	begin "no value is that of a class of the same name, JDK $FEATURE" || return 0
	record_program -Xcheck:jni Twins 100 -- \
		-e 'test.Twin live.Twins$Twin::set n=arg0 own=number most=Integer.MAX_VALUE back=return' || return 0
	"$FRTRACE" print --json --events test.Twin "$F_FILE" >"$WORK/twins.json"
	python3 - "$WORK/twins.json" <<-'END' 2>"$WORK/err" || finding "the values are wrong:" "$(tail -n 1 "$WORK/err")"
		import collections, json, sys
		known = collections.Counter()
		for e in json.load(open(sys.argv[1]))["recording"]["events"]:
		    v = e["values"]
		    missing = v["own"] == -2147483648
		    assert (missing or v["own"] == v["n"]) and v["back"] == v["n"] and v["most"] in (2147483647, -2147483648), (v["n"], v["own"], v["most"])
		    known[v["n"] % 10, not missing] += 1
		assert sum(known.values()) == 400 and sum(n for (_, k), n in known.items() if k) == 100, known
	END
	finish
}

LATER=(
	-e 'test.Later live.Later$Plug::apply id=arg0 n=this.n own=n flag=this.flag letter=this.letter text=this.text length=this.text.length same=this.same above=this.above size=this.part.size back=return ex=exception none=this.none or=this.none|this.text'
	-e 'test.Through live.Later$Caller::call id=arg0 text=this.query.text flag=this.query.flag length=this.query.text.length any=arg1.text'
	-e 'test.Read live.Later$Caller::read id=arg0 title=arg1.title size=arg1.own.own.part.size typo=arg1.titel or=arg1.titel|arg1.title gone=arg1.gone there@begin=arg1.gone part@begin=arg1.own.part'
)

# Each value as the program has it, and the kinds that class files tell.
later_values() { # CALLS
	"$FRTRACE" print --json --events 'test.*' "$F_FILE" >"$WORK/later.json"
	python3 - "$WORK/later.json" "$1" <<-'END' 2>"$WORK/err" || finding "the values are wrong:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import json, sys
		n, seen = int(sys.argv[2]), {"test.Later": {}, "test.Through": {}, "test.Read": {}}
		for e in json.load(open(sys.argv[1]))["recording"]["events"]:
		    v = e["values"]
		    names = {"Later": "n own flag letter text length same above size back ex none or", "Through": "text flag length any", "Read": "title size typo or gone there part"}[e["type"][5:]]
		    v["ex"] = v["ex"]["name"].replace("/", ".") if v.get("ex") else None
		    assert v["id"] not in seen[e["type"]], ("twice", e["type"], v["id"])
		    seen[e["type"]][v["id"]] = [v[name] for name in names.split()]
		for i in range(n):
		    throws = i % 10 == 9
		    want = [2 * i, 2 * i, i % 2 == 0, "x", f"text {i}", len(f"text {i}"), "of plug", "above", str(i), None if throws else f"back {i}", "java.lang.IllegalStateException" if throws else None, None, f"text {i}"]
		    assert seen["test.Later"].get(i) == want, (i, seen["test.Later"].get(i), want)
		    text = ["late", None, str(i), f"text {i}"][i % 4]
		    want = [text, ["true", None, "f", "true"][i % 4], None if i % 4 == 2 else text and str(len(text)), text]
		    assert seen["test.Through"].get(i) == want, (i, seen["test.Through"].get(i), want)
		    assert seen["test.Read"].get(i) == [f"title {i}", str(i), None, f"title {i}", None, f"gone {i}", "live.Later$Part"], (i, seen["test.Read"].get(i))
		assert all(len(of) == n for of in seen.values()), {name: len(of) for name, of in seen.items()}
	END
	says "event 'test.Later', 'none=this.none': $1 calls without it: live.Later.(Plug|Sub) has no field 'none'"
	says "event 'test.Through', 'any=arg1.text': $(($1 / 4)) calls without it: live.Later.OtherQuery has no field 'text'"
	says "event 'test.Read', 'gone=arg1.gone': null in all $1 calls when the call ended; gone@begin= reads it before"
	says "event 'test.Read', 'typo=arg1.titel': $1 calls without it: live.Later.Book has no field 'titel'; near: title"
}

# Of another recording, at the same time.
other_values() { # CALLS
	"$FRTRACE" print --json --events test.Other "$F_FILE" >"$WORK/other.json"
	python3 - "$WORK/other.json" "$1" <<-'END' 2>"$WORK/err" || finding "the other recording's values are wrong:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import json, sys
		seen = sorted((e["values"]["id"], e["values"]["n"]) for e in json.load(open(sys.argv[1]))["recording"]["events"])
		assert seen == [(i, f"text {i}") for i in range(int(sys.argv[2]))], seen[:3]
	END
}

# Java has written each text into a file.
textual() {
	begin "objects whose fields are a text are recorded as that, JDK $FEATURE" || return 0
	run_program -Xcheck:jni Textual || return 0
	trace_target -e 'test.Text live.Textual::call id=arg0 text=arg1' \
		-e 'test.Arrays live.Textual::arrays bytes=arg1 chars=arg2 built=arg3 length=arg1.length' || return 0
	trace_calls
	"$FRTRACE" print --json --events 'test.*' "$F_FILE" >"$WORK/texts.json"
	python3 - "$WORK/texts.json" "$T_DIR/texts" <<-'END' 2>"$WORK/err" || finding "the texts differ:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import json, sys
		events = [(e["type"], e["values"]) for e in json.load(open(sys.argv[1]))["recording"]["events"]]
		seen = {v["id"]: v["text"] for name, v in events if name == "test.Text"}
		texts = open(sys.argv[2], encoding="utf-8").read().split("\n")[:-1]
		wrong = [(i, seen.get(i), text) for i, text in enumerate(texts) if seen.get(i) != text]
		assert len(seen) == len(texts) > 300 and not wrong, (len(seen), len(texts), wrong[:4])
		arrays = [v for name, v in events if name == "test.Arrays"]
		assert [[v[k] for k in ("bytes", "chars", "built", "length")] for v in arrays] == [["bytes", "chars", "built", 5]], arrays
	END
	target_quit
	finish
}

# Of times and numbers; with decimals where the class was loaded.
differences() { # now|later
	local decimal=()
	begin "differences of times and numbers are those of the program, its class is loaded $1, JDK $FEATURE" || return 0
	run_program -Xcheck:jni Lateness "$1" || return 0
	[ "$1" = later ] || decimal=(-e 'test.Cost live.Lateness$Job::run id=arg0 cost=this.cost-arg1')
	trace_target -e 'test.Late live.Lateness$Job::run id=arg0 late:ns=this.fire-this.due plan=this.fire-this.planned n=this.began-this.number zero=this.limit-arg0' \
		"${decimal[@]}" || return 0
	trace_calls
	"$FRTRACE" print --json --events 'test.*' "$F_FILE" >"$WORK/lateness.json"
	python3 - "$WORK/lateness.json" "$T_DIR/late" "$1" <<-'END' 2>"$WORK/err" || finding "the differences are wrong:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import json, re, sys
		def number(v):
		    if isinstance(v, str):
		        m = re.fullmatch(r"PT(-?[0-9.]+M)?(-?[0-9.]+)S", v)
		        return round(((float(m[1][:-1]) * 60 if m[1] else 0) + float(m[2])) * 1e9) if m else None
		    return None if v == -2**63 else v
		events = [(e["type"], e["values"]) for e in json.load(open(sys.argv[1]))["recording"]["events"]]
		late = {v["id"]: [number(v[k]) for k in ("late", "plan", "n", "zero")] for name, v in events if name == "test.Late"}
		cost = {v["id"]: v["cost"] for name, v in events if name == "test.Cost"}
		rows = [line.split() for line in open(sys.argv[2])]
		assert len(rows) == len(late) == 300 and len(cost) == (300 if sys.argv[3] == "now" else 0)
		for row in rows:
		    want = [None if word == "null" else int(word) for word in row[1:5]]
		    assert late[int(row[0])] == want, (row, late[int(row[0])])
		    assert not cost or cost[int(row[0])] == float(row[5]), (row, cost[int(row[0])])
	END
	target_quit
	finish
}

later() {
	local before other
	begin "classes that are loaded later have events from their first call on, and objects the fields of their own class, JDK $FEATURE" || return 0
	run_program -Xcheck:jni Later 400 || return 0
	before=$(jvm_has_said)
	trace_target -e 'test.Other live.Later$Plug::apply id=arg0 n=this.text' || return 0
	other=("$F_PID" "$F_DIR" "$F_FILE")
	if trace_start "${LATER[@]}"; then
		says "no method of a loaded class matches 'live.Later.Plug::apply'"
		says "event 'test.Read', 'arg1.title': no loaded class below live.Later.Titled has a field 'title'"
		trace_calls
		later_values 400
	fi
	F_PID=${other[0]} F_DIR=${other[1]} F_FILE=${other[2]}
	stopped_with 0
	other_values 400
	target_restored
	jvm_is_silent "$before"
	target_quit
	finish
}

later_launched() {
	begin "a program that frtrace starts has events from the first call of each class on, JDK $FEATURE" || return 0
	stage
	F_FILE=$WORK/launched.jfr
	trace_launch -o "$F_FILE" --max-overhead=off -e 'test.Main live.Later::main' -e 'test.Plug live.Later$Plug::* n=this.n id=arg0 s=this.text.length' \
		-- "$JAVA/bin/java" -cp "$CLASSES" live.Later "$T_DIR" 200
	if wait_for "$TRACE_SECONDS_MAX" trace_is_on; then
		touch "$T_DIR/go" "$T_DIR/quit"
		ended_with 0
		says '^tracing .* from its first class on'
		"$FRTRACE" print --json --events 'test.*' "$F_FILE" >"$WORK/first.json"
		python3 - "$WORK/first.json" <<-'END' 2>"$WORK/err" || finding "the events are wrong:" "$(tail -n 1 "$WORK/err" | head -c 900)"
			import collections, json, sys
			found = collections.defaultdict(list)
			for e in json.load(open(sys.argv[1]))["recording"]["events"]:
			    found[e["type"], e["values"]["method"]["name"]].append(e["values"])
			assert len(found["test.Main", "main"]) == 1, found.keys()
			assert sorted((v["id"], v["n"], v["s"]) for v in found["test.Plug", "apply"]) == [(i, 2 * i, len(f"text {i}")) for i in range(200)], found["test.Plug", "apply"][:3]
			assert len(found["test.Plug", "<init>"]) == 20, len(found["test.Plug", "<init>"])
		END
	else
		finding "tracing does not start:" "$(tail -n 5 "$F_DIR/stderr")"
	fi
	verdict
}

# The program waits in main() when the last class is loaded that -e needs.
open_when_armed() {
	local seen
	begin "calls that are open when -e is armed are named, JDK $FEATURE" || return 0
	stage
	F_FILE=$WORK/open.jfr
	trace_launch -o "$F_FILE" -e 'test.Main live.Later::main' -e 'test.Call live.Later$Caller::call s=live.Later$OtherQuery.text' \
		-- "$JAVA/bin/java" -cp "$CLASSES" live.Later "$T_DIR" 20
	if wait_for "$TRACE_SECONDS_MAX" trace_is_on; then
		says '^active now, not recorded and interpreted .*: live\.Later\.main$'
		touch "$T_DIR/go" "$T_DIR/quit"
		ended_with 0
		seen=$("$FRTRACE" print --events test.Call "$F_FILE" | grep -c '^test.Call')
		# and the one that main() makes just before it waits
		[ "$seen" = 20 ] || [ "$seen" = 21 ] || finding "$seen calls of call():" "$(tail -n 8 "$F_DIR/stderr")"
		[ "$("$FRTRACE" print --events test.Main "$F_FILE" | grep -c '^test.Main')" = 0 ] || finding "main() is recorded"
	else
		finding "tracing does not start:" "$(tail -n 5 "$F_DIR/stderr")"
	fi
	verdict
}

# Work is loaded long before Config.
launched_pending() { # FIELD
	trace_launch -o "$F_FILE" -e "test.Call live.Pending\$Work::call id=arg0 mode=live.Pending.Config.$1" \
		-- "$JAVA/bin/java" -cp "$CLASSES" live.Pending "$T_DIR"
	wait_for "$TRACE_SECONDS_MAX" test -e "$T_DIR/ready" && sleep 0.3 && touch "$T_DIR/go" # some looks at the classes
}

pending() {
	begin "a program that frtrace starts may load a class of a static field after that of the event, JDK $FEATURE" || return 0
	stage
	F_FILE=$WORK/pending.jfr
	launched_pending mode
	if wait_for "$TRACE_SECONDS_MAX" trace_is_on; then
		touch "$T_DIR/traced" "$T_DIR/quit"
		ended_with 0
		[ "$("$FRTRACE" view events test.Call --where=mode=fastest --json "$F_FILE" | grep -o '"id":[0-9]*' | sort -u | wc -l)" = 20 ] ||
			finding "not 20 calls with the mode:" "$("$FRTRACE" view events test.Call "$F_FILE")"
	else
		finding "tracing does not start:" "$(tail -n 5 "$F_DIR/stderr")"
	fi
	stage
	launched_pending mdoe
	touch "$T_DIR/traced" "$T_DIR/quit"
	ended_with 0 # that of the program, which goes on
	says "'live.Pending.Config.mdoe': live.Pending.Config has no static field 'mdoe'"
	verdict
}

# The rows of waits have the values of the call that waited longest: found here in the events themselves.
waits_have_values() {
	"$FRTRACE" view waits --by=reason --json "$F_FILE" >"$WORK/waits.json"
	"$FRTRACE" print --json --events 'j.*,frtrace.ThreadWait' "$F_FILE" >"$WORK/waiting.json"
	python3 - "$WORK/waits.json" "$WORK/waiting.json" <<-'END' 2>"$WORK/err" || finding "the values of waits are wrong:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import json, re, sys
		def ns(text):
		    found = re.fullmatch(r"PT([0-9.]+)S", text)
		    return round(float(found[1]) * 1e9)
		def at(text):
		    day, second = text.rsplit(":", 1)
		    return day, round(float(re.match(r"[0-9.]+", second)[0]) * 1e9) + int(day[-2:]) * 60 * 10**9
		calls, longest = [], {}
		for e in json.load(open(sys.argv[2]))["recording"]["events"]:
		    v = e["values"]
		    thread = (v.get("eventThread") or v.get("thread") or {}).get("javaThreadId")
		    if e["type"] == "frtrace.ThreadWait":
		        reason = v["reason"] if v["reason"] != "other" else v["systemCall"]
		        if ns(v["duration"]) > longest.get(reason, (0,))[0]:
		            longest[reason] = ns(v["duration"]), at(v["startTime"])[1] + ns(v["duration"]) // 2, thread
		    else:
		        calls.append((at(v["startTime"])[1], ns(v["duration"]), thread, e["type"], v))
		rows = {r["reason"]: r for r in json.load(open(sys.argv[1]))["rows"]}
		checked = 0
		for reason, (duration, middle, thread) in longest.items():
		    around = [c for c in calls if c[2] == thread and c[0] <= middle < c[0] + c[1]]
		    got = rows[reason]["values"]
		    assert rows[reason]["longestNs"] == duration, (reason, rows[reason])
		    if not around:
		        assert got is None, (reason, got)
		        continue
		    call = min(around, key=lambda c: c[1])
		    assert got[call[3]] == {k: call[4][k] for k in got[call[3]]} and "id" in got[call[3]], (reason, got, call)
		    checked += 1
		assert checked, longest
	END
}

# Requests that go from thread to thread, joined by their number, which is a text in one of the events.
joined() { # platform|virtual
	local kind status
	begin "requests over three $1 threads are joined by a value, with their queues and SQL, JDK $FEATURE" || return 0
	record_program Joined 800 "$1" -- --no-stack -e 'j.Accept live.Joined::accept id=arg0' -e 'j.Query live.Joined::query id=arg0 sql=arg1' \
		-e 'j.Reply live.Joined::reply id=arg0' || return 0
	says '^2,400 calls, 0 thrown, 0 lost'
	"$FRTRACE" view request --by=id --top=1000 --json "$F_FILE" >"$WORK/requests"
	"$FRTRACE" view tree --by=sql --top=3000 --json "$F_FILE" >"$WORK/tree"
	"$FRTRACE" export --csv --events=j.Query "$F_FILE" >"$WORK/queries.csv"
	python3 "$LIVE/joined.py" "$T_DIR/log" "$WORK/requests" "$WORK/tree" "$WORK/queries.csv" >"$WORK/wrong" 2>"$WORK/near" || finding "$(cat "$WORK/near")"
	[ -s "$WORK/wrong" ] && finding "$(cat "$WORK/wrong")"
	for kind in 'view request --by=id' 'view method-trace' 'view slowest' 'export --csv'; do
		# shellcheck disable=SC2086
		"$FRTRACE" $kind --where=id=132 "$F_FILE" >"$WORK/of132"
		[ "$(grep -c 'Joined\.\(accept\|query\|reply\)(' "$WORK/of132")" = 3 ] || finding "$kind --where=id=132:" "$(cat "$WORK/of132")"
	done
	waits_have_values
	for kind in 'view tree --by=sqll' 'view tree --where=sqll=1' 'export --csv --where=sqll=1'; do
		# shellcheck disable=SC2086
		status=0; "$FRTRACE" $kind "$F_FILE" >/dev/null 2>"$WORK/err" || status=$?
		[ $status = 1 ] && grep -q "no call has .*'sqll'.*; near: sql$" "$WORK/err" && [ "$(wc -l <"$WORK/err")" = 1 ] ||
			finding "$kind: status $status," "$(cat "$WORK/err")"
	done
	sed 's/^/# /' "$WORK/near"
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	turn 1 && open_when_armed
	turn 1 && pending
	turn 0 && twins
	textual
	later
	turn 0 && later_launched
	turn 0 && differences now
	turn 1 && differences later
	values 16 "$(amount 300 14000)" # a million events
	nested
	turn 0 && mistakes
	turn 1 && killed "${KILLS:-$(amount 40 1000)}"
	turn 1 && views
	turn 0 && joined platform
	turn 1 && [ "$FEATURE" -ge 21 ] && joined virtual
	turn 1 && lines --json
	turn 0 && lines
	launched
	turn 1 && xml
	[ "$FEATURE" -lt 21 ] || values 16 "$(amount 200 14000)" virtual
done
for version in "${HALF_OF_DAY[@]}"; do
	root_use "$version" "events" || continue
	values "$(amount 4 16)" "$(amount 100 14000)"
	textual
	later
	[ "$FEATURE" -lt 21 ] || values "$(amount 20 16)" "$(amount 20 14000)" virtual
done
