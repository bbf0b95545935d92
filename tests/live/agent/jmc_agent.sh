#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The example file of JMC Agent, unchanged, with its example program: the events of JMC Agent and those of frtrace. It needs
# the source of JMC in JMC_SOURCE and Debian's libasm-java, or its jars in ASM_JARS. Takes two minutes, because the program sleeps for half a second
# in each of 37 calls.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

AGENT=${JMC_SOURCE:-/nonexistent}/agent
EXAMPLE=$AGENT/src/test/resources/org/openjdk/jmc/agent/test/jfrprobes_template.xml
PROGRAM=org.openjdk.jmc.agent.test.InstrumentMe
ASM=("${ASM_JARS:-/usr/share/java}"/asm{,-commons,-util,-tree,-analysis}.jar)

agent_build() {
	local jar
	mkdir -p "$WORK/agent" "$WORK/program"
	for jar in "${ASM[@]}"; do (cd "$WORK/agent" && "$JAVA/bin/jar" xf "$jar") || return; done
	rm -rf "$WORK/agent/META-INF"
	find "$AGENT/src/main/java" -name '*.java' >"$WORK/sources"
	"$JAVA/bin/javac" -nowarn --add-exports java.base/jdk.internal.misc=ALL-UNNAMED -d "$WORK/agent" -cp "$WORK/agent" @"$WORK/sources" &&
		cp -r "$AGENT/src/main/resources/." "$WORK/agent" &&
		printf '%s\n' 'Premain-Class: org.openjdk.jmc.agent.Agent' 'Agent-Class: org.openjdk.jmc.agent.Agent' 'Can-Retransform-Classes: true' >"$WORK/manifest" &&
		"$JAVA/bin/jar" cfm "$WORK/agent.jar" "$WORK/manifest" -C "$WORK/agent" . &&
		"$JAVA/bin/javac" -g -nowarn -d "$WORK/program" -cp "$WORK/agent" -sourcepath "$AGENT/src/test/java" \
			"$AGENT/src/test/java/${PROGRAM//.//}.java"
}

# NAME JVM-OPTION...: the program ends when its standard input does.
program_start() {
	mkfifo "$WORK/$1.input"
	"$JAVA/bin/java" -cp "$WORK/program" "${@:2}" "$PROGRAM" <"$WORK/$1.input" >"$WORK/$1.out" 2>&1 &
	T_PID=$!
	STARTED+=("$T_PID")
}

printed() { [ "$(grep -c "$2" "$WORK/$1.out")" -ge "$3" ]; } # NAME TEXT TIMES

json() { jfr_newest print --json --events 'demo.*' "$1" >"$2" 2>"$WORK/err" || finding "jfr: $(cat "$WORK/err")"; }

metadata() { jfr_newest metadata --events 'demo.*' "$1" >"$2"; }

# The same types with the same fields, labels and units; and values, where they are always the same ones.
alike() {
	python3 - "$WORK" <<-'END' 2>"$WORK/err" || finding "the events differ:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import json, re, sys
		work = sys.argv[1]
		common = {"startTime", "duration", "eventThread", "stackTrace"}
		ours = {"method", "thrown", "thrownClass", "cpuTime", "runQueueTime", "blockedTime", "pauseTime"}
		def values(name):
		    found = {}
		    for e in json.load(open(f"{work}/{name}.json"))["recording"]["events"]:
		        found.setdefault(e["type"], []).append({k: v for k, v in e["values"].items() if k not in common | (ours if name == "frtrace" else set())})
		    return found
		def types(name):
		    found = {}
		    for block in re.split(r"\n(?=@Name)", open(f"{work}/{name}.metadata").read()):
		        head, _, body = block.partition("\nclass ")
		        words = sorted(w for w in re.findall(r"@\w+(?:\([^)]*\))?", head) if not w.startswith(("@Calls", "@Description")))
		        fields = []
		        for f in re.findall(r"((?:\n  @[^\n]*(?:\n\t[^\n]*)*)*)\n  (\S+) (\w+);", body):
		            if f[2] not in common | ours:
		                fields.append((sorted(re.findall(r"@(?!Description)\w+(?:\([^)]*\))?", f[0])), f[1], f[2]))
		        found[re.search(r'@Name\("(.*?)"\)', head)[1]] = words, fields
		    return found
		theirs, mine = types("jmc"), types("frtrace")
		assert len(theirs) == 19 and theirs.keys() == mine.keys(), theirs.keys() ^ mine.keys()
		for name in theirs:
		    a, b = theirs[name], mine[name]
		    if name == "demo.jfr.test14": # a thread is its name here
		        b[1][0] = (b[1][0][0], "Thread", b[1][0][2])
		    assert a == b, (name, a, b)
		theirs, mine = values("jmc"), values("frtrace")
		assert mine.keys() - theirs.keys() == {"demo.jfr.testI9"}, mine.keys() ^ theirs.keys() # <rethrow> is not followed
		same = 0
		for name in theirs:
		    for k, v in theirs[name][0].items():
		        if isinstance(v, str) and v.startswith("org.openjdk") or v is None:
		            same += 1
		            assert mine[name][0][k] == v, (name, k, v, mine[name][0][k])
		assert same == 17, same
	END
}

example() {
	begin "JMC Agent's example file gives the events of JMC Agent, JDK $FEATURE" || return 0
	[ -f "$EXAMPLE" ] || { skip "$SENTENCE" "no source of JMC in JMC_SOURCE"; return 0; }
	[ -f "${ASM[0]}" ] || { skip "$SENTENCE" "no ${ASM[0]}: apt-get install libasm-java"; return 0; }
	if agent_build >"$WORK/build.log" 2>&1; then
		program_start jmc --add-opens java.base/jdk.internal.misc=ALL-UNNAMED -XX:StartFlightRecording="filename=$WORK/jmc.jfr,dumponexit=true" \
			-javaagent:"$WORK/agent.jar=$EXAMPLE" -cp "$WORK/agent.jar:$WORK/program"
		exec 8>"$WORK/jmc.input"
		program_start frtrace
		exec 9>"$WORK/frtrace.input"
		wait_for 60 printed frtrace 'Running static' 2 || finding "the program does not run:" "$(tail -n 3 "$WORK/frtrace.out")"
		if trace_start --events="$EXAMPLE"; then
			wait_for 120 printed frtrace 'Running static' 4 || finding "the traced program does not go on"
			stopped_with 0
		fi
		wait_for 120 printed jmc 'Running static' 2 || finding "the program with JMC Agent does not run:" "$(tail -n 3 "$WORK/jmc.out")"
		exec 8>&- 9>&-
		wait_for 30 test -s "$WORK/jmc.jfr"
		wait "${STARTED[@]}" 2>/dev/null
		json "$WORK/jmc.jfr" "$WORK/jmc.json"
		metadata "$WORK/jmc.jfr" "$WORK/jmc.metadata"
		json "$F_FILE" "$WORK/frtrace.json"
		metadata "$F_FILE" "$WORK/frtrace.metadata"
		alike
	else
		finding "JMC Agent cannot be built:" "$(tail -n 3 "$WORK/build.log")"
	fi
	verdict
}

jdk_use "${JDKS[0]}"
example
