#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --tasks: each task that a traced call hands over is recorded with its call, its threads and what became of it.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

# STATUS: some may be lost. With one hash for all objects it is not known which of them stand in queues outside of calls.
# QUEUE_US=50: 99 % of the queue times must be that near, which takes a machine that does nothing else.
ways() { # [JVM-OPTION...]
	local threads
	threads=$(amount 4 64)
	begin "tasks that calls hand over in many ways are recorded with their calls${*:+, $*}, JDK $FEATURE" || return 0
	record_program -Xmx256m "$@" Tasks "$threads" "${CALLS:-20}" -- -m live.Tasks::request --tasks=on || return 0
	[ -n "${STATUS:-}" ] || says ' 0 lost'
	judged_by live.TasksCheck "$F_FILE" "$T_DIR/tasks" "$(end_line_number lost)" ${QUEUE_US:-}
	tail -n 2 <<<"$SAID" | sed 's/^/# /'
	sums_agree
	finish
}

# The view has as many tasks as the file.
sums_agree() {
	local events shown
	events=$("$FRTRACE" print --events frtrace.Task "$F_FILE" | grep -c '^frtrace.Task {')
	shown=$("$FRTRACE" view tasks --json "$F_FILE" | grep -oE '"count":[0-9]+' | awk -F: '{ n += $2 } END { print n + 0 }')
	[ "$events" = "$shown" ] || finding "view tasks has $shown tasks, the file $events"
	[ -z "${STATUS:-}" ] || return 0 # all of these may be lost
	for word in cancelled rejected discarded; do
		"$FRTRACE" view tasks --json "$F_FILE" | grep -qF "\"runBy\":\"($word)\"" || finding "view tasks has none that was $word"
	done
}

# What a killed frtrace, or one that ends, leaves in the JVM.
forgotten() { # HOW
	begin "tasks that never ran are not kept after the end, JDK $FEATURE" || return 0
	trace_program TasksLeft 1000 -- -m live.TasksLeft::request --tasks=on || return 0
	target_go
	if [ "$1" = killed ]; then
		trace_kill
	else
		stopped_with 0
		jfr_prints frtrace.Task 'outcome = "not seen"' 'taskClass = live.TasksLeft\$Task'
		[ "$(grep -c 'outcome = "not seen"' "$WORK/tool")" -eq 1000 ] || finding "not 1000 tasks that were not seen"
	fi
	wait_for "$SECONDS_MAX" target_has collected
	[ -e "$T_DIR/collected" ] || finding "tasks are still referred to"
	target_quit
	finish
}

# While tracing goes on, neither the tasks nor their classes are held.
loaders() {
	begin "300 class loaders of tasks are collected while tracing, JDK $FEATURE" || return 0
	trace_program TaskLoaders 300 -- -m live.TaskLoaders::request --tasks=on || return 0
	target_go
	wait_for "$SECONDS_MAX" target_has collected
	[ -e "$T_DIR/collected" ] || finding "class loaders are still referred to"
	stopped_with 0
	says ' 0 lost'
	[ "$("$FRTRACE" print --stack-depth=1 --events frtrace.Task "$F_FILE" | grep -c 'taskClass = .*live.TaskLoaders\$Task')" -ge 300 ] ||
		finding "tasks of the loaders:" "$("$FRTRACE" view tasks "$F_FILE" | head -n 20)"
	target_quit
	finish
}

# Whose runs they are is known only while one call alone has handed the object over.
alike() {
	local seen
	begin "runs of one object in several queues are lost, not taken for each other's, JDK $FEATURE" || return 0
	STATUS='0 3' record_program -Xmx256m TasksAlike 4 10 2000 -- -m live.TasksAlike::request --tasks=on || return 0
	"$FRTRACE" print --stack-depth=1 --events frtrace.Task "$F_FILE" >"$WORK/alike" 2>&1 || finding "print: $(tail -n 3 "$WORK/alike")"
	seen=$(python3 "$LIVE/tasks_alike.py" "$WORK/alike" 80000 "$(end_line_number lost)" 2>"$WORK/counts") || finding "$(cat "$WORK/counts")"
	[ -z "$seen" ] || finding "$(head -n 20 <<<"$seen")" "$(cat "$WORK/counts")"
	finish
}

# Code outside of calls was first, and its run comes first.
before() {
	local seen
	begin "runs of an object that stood in a queue before a call handed it over are lost, JDK $FEATURE" || return 0
	STATUS='0 3' record_program -Xmx256m TasksBefore 300 -- -m live.TasksBefore::request --tasks=on || return 0
	"$FRTRACE" print --stack-depth=1 --events frtrace.Task "$F_FILE" >"$WORK/before" 2>&1 || finding "print: $(tail -n 3 "$WORK/before")"
	seen=$(python3 "$LIVE/tasks_alike.py" "$WORK/before" 300 "$(end_line_number lost)" 2>"$WORK/counts") || finding "$(cat "$WORK/counts")"
	[ -z "$seen" ] || finding "$(head -n 20 <<<"$seen")"
	grep -qx 'new objects 200 shared 0 lost 100' "$WORK/counts" || finding "$(cat "$WORK/counts")"
	finish
}

# Each call knows whose it is.
branches() { # [JVM-OPTION...]
	local seen
	begin "calls in tasks of slow requests are recorded whole, and none of others${*:+, $*}, JDK $FEATURE" || return 0
	record_program -Xmx256m "$@" Branched 6 "${CALLS:-40}" -- -e 'live.Child live.Branched::child call=arg0' \
		--inside=live.Branched::request:30ms || return 0
	says ' 0 lost'
	"$FRTRACE" print --exact --stack-depth=1 --events live.Child "$F_FILE" >"$WORK/calls" 2>&1 || finding "print: $(tail -n 3 "$WORK/calls")"
	"$FRTRACE" view tree --json --top=100000 "$F_FILE" >"$WORK/tree" 2>&1 || finding "view tree: $(tail -c 300 "$WORK/tree")"
	seen=$(python3 "$LIVE/branched.py" "$T_DIR/children" "$T_DIR/roots" "$WORK/calls" "$WORK/tree" 30 2>"$WORK/counts") || finding "$(cat "$WORK/counts")"
	[ -z "$seen" ] || finding "$(head -n 20 <<<"$seen")" "$(cat "$WORK/counts")"
	finish
}

# The caller has the answer only when the last task has ended.
returned() {
	local seen
	begin "a request that returns at once counts until its last task has ended, JDK $FEATURE" || return 0
	record_program -Xmx256m Returned 30 -- -e 'live.Root live.Returned::request n=arg0' -e 'live.Step live.Returned::step call=arg0' \
		--inside=live.Returned::request:50ms --until=tasks --path || return 0
	says ' 0 lost'
	"$FRTRACE" print --exact --stack-depth=1 --events live.Step "$F_FILE" >"$WORK/steps" 2>&1 || finding "print: $(tail -n 3 "$WORK/steps")"
	"$FRTRACE" view slowest --json --top=1000 "$F_FILE" >"$WORK/slowest" 2>&1 || finding "view slowest: $(tail -c 300 "$WORK/slowest")"
	"$FRTRACE" view path --json --top=1000 "$F_FILE" >"$WORK/paths" 2>&1 || finding "view path: $(tail -c 300 "$WORK/paths")"
	seen=$(python3 "$LIVE/returned.py" "$T_DIR/requests" "$WORK/slowest" "$WORK/steps" 50 "$WORK/paths" 2>&1)
	[ -z "$seen" ] || finding "$(head -n 20 <<<"$seen")"
	"$FRTRACE" view slowest "$F_FILE" | grep -q 'until its end' || finding "view slowest does not say how long it took"
	jfr_prints live.Root 'requestTime = [0-9]'
	finish
}

# The program says with a call that the request is over; tasks of it may go on.
completed() {
	local seen
	begin "a request counts until the call that ends it, JDK $FEATURE" || return 0
	record_program -Xmx256m Completed 24 -- -e 'live.Root live.Completed::request n=arg0' \
		--inside=live.Completed::request:50ms --until='+live.Completed$Answer::complete' --path || return 0
	says ' 0 lost'
	"$FRTRACE" view slowest --json --top=1000 "$F_FILE" >"$WORK/slowest" 2>&1 || finding "view slowest: $(tail -c 300 "$WORK/slowest")"
	"$FRTRACE" view path --json --top=1000 "$F_FILE" >"$WORK/paths" 2>&1 || finding "view path: $(tail -c 300 "$WORK/paths")"
	seen=$(python3 "$LIVE/completed.py" "$T_DIR/requests" "$WORK/slowest" 50 "$WORK/paths" 2>&1)
	[ -z "$seen" ] || finding "$(head -n 20 <<<"$seen")"
	jfr_prints live.Root "requestTime = [0-9]" "requestTime = N/A"
	jfr_prints frtrace.PathSegment 'waited = "request"'
	finish
}

# The program knows which objects request() has put into its queue.
own_queue() {
	begin "calls for objects that a request puts into a queue of the program's own are its calls, JDK $FEATURE" || return 0
	record_program -Xmx256m OwnQueue 200 -- -e 'live.Child live.OwnQueue::child call=arg0' --inside=live.OwnQueue::request \
		--handoff='live.OwnQueue$Box::put(Object) arg0 => live.OwnQueue::handle arg1' \
		--handoff='live.Nowhere::put this => live.OwnQueue::handle arg0' || return 0
	says ' 0 lost'
	says 'live.Nowhere::put: no class that was loaded'
	says 'live.OwnQueue::handle: no class that was loaded' # its first argument is a number
	"$FRTRACE" print --exact --stack-depth=1 --events live.Child "$F_FILE" | sed -n 's/^  call = //p' | sort -n >"$WORK/calls"
	sort -n "$T_DIR/inside" | diff - "$WORK/calls" >"$WORK/differences" || finding "the program's calls and ours: $(head -n 20 "$WORK/differences")"
	"$FRTRACE" print --stack-depth=1 --events frtrace.Task "$F_FILE" >"$WORK/tasks"
	[ "$(grep -cE '^  (taskClass = live.OwnQueue\$Mail|eventThread = "worker"|submitThread = "main"|outcome = "ran")' "$WORK/tasks")" -eq 2400 ] ||
		finding "not 600 tasks of a Mail that the worker ran: $(head -n 30 "$WORK/tasks")"
	finish
}

for jdk in "${JDKS_OF_DAY[@]}"; do
	jdk_use "$jdk"
	ways
	turn 1 && branches
	turn 1 && alike
	turn 0 && before
	turn 1 && loaders
	turn 1 && returned
	turn 0 && completed
	turn 0 && own_queue
	turn 0 && STATUS='0 3' ways -XX:+UnlockExperimentalVMOptions -XX:hashCode=2
	turn 1 && ways -XX:+UseZGC -Xverify:all
	turn 0 && forgotten killed
	turn 1 && forgotten stopped
done
for version in $(amount "${JDKS_IN_TURN[0]}" "${JDKS_IN_TURN[*]}"); do
	root_use "$version" "tasks that calls hand over in many ways are recorded with their calls" || continue
	ways -XX:+UseParallelGC
	completed
	[ -z "$SOAK" ] || branches
	[ -z "$SOAK" ] || STATUS='0 3' ways -XX:+UnlockExperimentalVMOptions -XX:hashCode=2
	[ -z "$SOAK" ] || [ "$version" -lt 17 ] || ways -XX:+UseZGC
done
