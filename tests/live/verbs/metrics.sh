#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --metrics: the file is what Prometheus reads, and its sums are those of the recording.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"
TOGETHER=$0

metrics() { # COMMAND ARGUMENT...
	local seen
	seen=$(python3 "$LIVE/metrics.py" "$@" 2>&1) && [ -z "$seen" ] || finding "$1: ${seen:-fails}"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

answers() { python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=5).read()' "$1" 2>/dev/null; } # URL

# A node exporter that serves the textfiles of a directory; sets URL.
exporter_start() { # DIR
	local port
	port=$(free_port)
	URL=http://127.0.0.1:$port/metrics
	prometheus-node-exporter --web.listen-address="127.0.0.1:$port" --collector.disable-defaults --collector.textfile \
		--collector.textfile.directory="$1" >"$WORK/exporter" 2>&1 &
	STARTED+=($!)
	disown $!
	wait_for 20 answers "$URL" || finding "the node exporter does not answer:" "$(tail -n 3 "$WORK/exporter")"
}

# A query of Prometheus, as "value" of the only series.
query() { # PROMETHEUS EXPRESSION
	python3 - "$@" <<-'END' 2>/dev/null
		import json, sys, urllib.parse, urllib.request
		url = sys.argv[1] + '/api/v1/query?query=' + urllib.parse.quote(sys.argv[2])
		result = json.load(urllib.request.urlopen(url, timeout=5))['data']['result']
		print(result[0]['value'][1] if len(result) == 1 else '')
	END
}

calls_are() { [ "$(query "$1" 'sum(frtrace_calls_total)')" = "$2" ]; } # PROMETHEUS NUMBER

prometheus_agrees() { # NUMBER of calls
	local port
	port=$(free_port)
	printf 'global: {scrape_interval: 1s}\nscrape_configs: [{job_name: node, static_configs: [{targets: ["%s"]}]}]\n' \
		"$(sed 's|http://||; s|/metrics||' <<<"$URL")" >"$WORK/prometheus.yml"
	prometheus --config.file="$WORK/prometheus.yml" --storage.tsdb.path="$WORK/tsdb" --web.listen-address="127.0.0.1:$port" \
		--log.level=error >"$WORK/prometheus" 2>&1 &
	STARTED+=($!)
	disown $!
	wait_for 30 calls_are "http://127.0.0.1:$port" "$1" ||
		finding "Prometheus has not $1 calls but '$(query "http://127.0.0.1:$port" 'sum(frtrace_calls_total)')':" "$(tail -n 3 "$WORK/prometheus")"
}

calls_of() { awk '/^frtrace_calls_total/ { n += $NF } END { print n + 0 }' "$1"; } # FILE

DIR=$WORK/textfiles PROM=$WORK/textfiles/shop.prom
mkdir "$DIR" && chmod 755 "$DIR"
work='live.Timed$Work'
watched() {
	begin "every 15 s and at the end the file is replaced as a whole, and no counter falls, JDK $FEATURE" || return 0
	wait_for 30 test -e "$PROM" || finding "no file"
	target_go
	wait_for 30 calls_are_in "$PROM" || finding "no calls in the file after 15 s"
	[ "$(stat -c %a "$PROM")" = 644 ] || finding "mode $(stat -c %a "$PROM")"
	grep -q '^frtrace_active{recording="shop"} 1$' "$PROM" || finding "not active"
	stopped_with 0
	touch "$WORK/stop"
	reap "$WATCHER"
	[ ! -s "$WORK/watched" ] || finding "$(cat "$WORK/watched")"
	grep -q '^frtrace_active{recording="shop"} 0$' "$PROM" || finding "still active"
	[ "$(ls -A "$DIR")" = shop.prom ] || finding "in the directory:" "$(ls -A "$DIR")"
	verdict
}

calls_are_in() { [ "$(calls_of "$1")" -gt 0 ]; }

sums_agree() {
	begin "its sums are those of jdk.MethodTiming, JDK $FEATURE" || return 0
	jfr_newest print --json --events jdk.MethodTiming "$F_FILE" >"$WORK/timing.json"
	metrics timing "$PROM" "$WORK/timing.json"
	verdict
}

splits_agree() {
	begin "its CPU, run queue and blocked times are those of the recorded calls, JDK $FEATURE" || return 0
	trace_program Where 50 none sleep monitor lock -- \
		-m 'live.Where::in*' --no-stack --metrics="$WORK/where.prom" || return 0
	trace_calls
	"$FRTRACE" export --csv "$F_FILE" >"$WORK/calls.csv"
	metrics splits "$WORK/where.prom" "$WORK/calls.csv"
	grep -q '^frtrace_blocked_seconds_total{.*method="inSleep".*reason="sleep"} ' "$WORK/where.prom" || finding "nobody slept"
	finish
}

promtool_is_silent() {
	begin "promtool has nothing to say about it, JDK $FEATURE" || return 0
	command -v promtool >/dev/null || { skip "$SENTENCE" "no promtool: Debian's package prometheus"; return; }
	promtool check metrics <"$PROM" >"$WORK/promtool" 2>&1 && [ ! -s "$WORK/promtool" ] || finding "$(cat "$WORK/promtool")"
	verdict
}

scraped() {
	begin "a node exporter serves it, and Prometheus has its sum, JDK $FEATURE" || return 0
	command -v prometheus >/dev/null && command -v prometheus-node-exporter >/dev/null ||
		{ skip "$SENTENCE" "Debian's packages prometheus and prometheus-node-exporter are not there"; return; }
	cp "$PROM" "$DIR/second.prom" && sed -i 's/recording="shop"/recording="second"/' "$DIR/second.prom"
	exporter_start "$DIR"
	rm "$DIR/second.prom"
	metrics scraped "$PROM" "$URL"
	prometheus_agrees "$(calls_of "$PROM")"
	verdict
}

killed() {
	begin "kill -9 leaves the last whole file, and the next recording replaces it, JDK $FEATURE" || return 0
	if trace_start -M "$work" --metrics="$PROM"; then
		refused "another frtrace" 1 "is writing it" -p "$T_PID" -M "$work" --metrics="$PROM"
		trace_kill
		grep -q '^frtrace_active{recording="shop"} 1$' "$PROM" && [ "$(tail -n 1 "$PROM" | grep -c '^frtrace_jvm_cpu')" = 1 ] ||
			finding "not whole:" "$(tail -n 3 "$PROM")"
	fi
	if trace_start -m "$work" --metrics="$PROM" --kernel=off; then
		stopped_with 0
		grep -q '^frtrace_active{recording="shop"} 0$' "$PROM" || finding "not replaced"
		grep -E 'split|blocked|run_queue|frtrace_cpu' "$PROM" && finding "the kernel's times without the kernel"
	fi
	verdict
}

refused() { # WHAT STATUS REGEX ARGUMENT...
	"$FRTRACE" -o "$WORK/refused.jfr" -d 1s "${@:4}" >"$WORK/said" 2>&1 </dev/null
	[ $? = "$2" ] && [ "$(grep -c ^ "$WORK/said")" = 1 ] && grep -qE "$3" "$WORK/said" || finding "$1:" "$(cat "$WORK/said")"
	[ ! -e "$WORK/refused.jfr" ] || finding "$1: left a recording"
}

not_written() {
	begin "a file that cannot be written is refused before the JVM is touched, JDK $FEATURE" || return 0
	ln -s "$WORK/elsewhere" "$DIR/link.prom"
	refused "a link" 1 'refuse to write through the link' -p "$T_PID" -M "$work" --metrics="$DIR/link.prom"
	rm "$DIR/link.prom"
	refused "no directory" 1 'cannot .*nowhere' -p "$T_PID" -M "$work" --metrics="$WORK/nowhere/x.prom"
	refused "another name" 2 'ends in .prom' -p "$T_PID" -M "$work" --metrics="$WORK/x.txt"
	target_untouched "$T_PID"
	verdict
}

meanwhile splits_agree
findings=()
target_start Timed calls 20000
if target_ready; then
	not_written
	findings=()
	python3 "$LIVE/metrics.py" watch "$PROM" "$WORK/stop" >"$WORK/watched" 2>&1 &
	WATCHER=$!
	STARTED+=("$WATCHER")
	if trace_start -M "$work;live.Copy::work" --metrics="$PROM"; then
		watched
		sums_agree
		promtool_is_silent
		scraped
	else
		verdict "a recording with --metrics starts"
		kill "$WATCHER"
	fi
	killed
else
	verdict "the program starts"
fi
target_drop
meanwhile_ends
