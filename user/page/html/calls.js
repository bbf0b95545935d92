/* SPDX-License-Identifier: BSD-2-Clause */
/* Single calls: a time line each, and when opened the calls inside, the waits, who ended them, and stacks. */

const STORIES_SHOWN = 15;
let storiesShown = STORIES_SHOWN;

function storyInSelection(story) {
	if (state.method >= 0 && story.method !== data.methods[state.method].name)
		return false;
	const box = state.box;
	if (!box)
		return true;
	const column = Math.floor(story.start / grid.width), bin = Math.floor(binOfDuration(story.time) + 1e-9);
	return column >= box.from && column <= box.to && bin >= box.low && bin <= box.high;
}

/* The states of a call: [start, length, class, label]; what is in no other state is CPU time, if that is known. */
function piecesOf(story) {
	const pieces = [];
	for (const [start, time] of story.runQueue.slice(2))
		pieces.push([start, time, 'runq', 'run queue']);
	for (const [start, time, reason, waker, , , , , , , , resource] of story.waits.slice(2)) {
		const name = data.texts[reason];
		pieces.push([start, time, familyOf(name), name + (resource ? ' ' + data.texts[resource] : '') + (waker ? ', ended by ' + threadName(waker) : '')]);
	}
	return pieces;
}

function lineOf(story, tag) {
	const line = make('div', { class: tag }), known = story.split[0] !== null;
	const base = make('i', { class: known ? 'cpu' : 'unknown' });
	base.style.left = 0;
	base.style.width = '100%';
	line.append(base);
	for (const [start, time, name, label] of piecesOf(story)) {
		const piece = make('i', { class: name, onmousemove: event => showTip(event, [label, formatTime(time), 'after ' + formatTime(Math.max(0, start))]), onmouseleave: hideTip });
		piece.style.left = 100 * start / story.time + '%';
		piece.style.width = 100 * time / story.time + '%';
		line.append(piece);
	}
	return line;
}

/* As span_contains() has it: start and duration are rounded. */
function isIn(call, outer) {
	return call.end <= outer.end + 2 && (call.start < outer.end || call.start === outer.start);
}

/* The traced calls inside, below each other as they called each other. Of equal ones the outer one comes first. */
function treeOf(story) {
	const calls = story.calls.slice(2).map(([start, time, method, thrown]) => ({ start, end: start + time, method, thrown }));
	if (!calls.length)
		return null;
	calls.sort((a, b) => a.start - b.start || b.end - a.end);
	const open = [], tree = make('div', { class: 'tree' });
	let depth = 0;
	for (const call of calls) {
		while (open.length && !isIn(call, open[open.length - 1]))
			open.pop();
		const box = make('div', { onmousemove: event => showTip(event, [methodName(call.method), formatTime(call.end - call.start) + (call.thrown ? ', thrown' : '')]), onmouseleave: hideTip }, shortName(methodName(call.method)));
		box.style.left = 100 * call.start / story.time + '%';
		box.style.width = 100 * (call.end - call.start) / story.time + '%';
		box.style.top = open.length * 20 + 'px';
		tree.append(box);
		open.push(call);
		depth = Math.max(depth, open.length);
	}
	tree.style.height = depth * 20 + 'px';
	return tree;
}

/* Kernel frames and those of the JDK on top are many and alike; the first own frame says where it was. */
function framesOf(number, most) {
	const frames = (number && data.stacks[number - 1] || []).map(frame => data.texts[frame]);
	const own = frames.findIndex(frame => !ofJdk(frame));
	const shown = frames.slice(0, Math.max(most, own + 4));
	const list = make('ul', { class: 'frames' });
	for (const frame of shown)
		list.append(make('li', { class: ofJdk(frame) ? 'jdk' : undefined }, frame));
	if (shown.length < frames.length)
		list.append(make('li', { class: 'jdk' }, (frames.length - shown.length) + ' more'));
	return frames.length ? list : null;
}

/* Who held the lock, if that is not just who ended the wait. */
function holderOf(waker, holder, heldIn) {
	if (!heldIn && holder === waker)
		return null;
	return make('span', { class: 'at' }, ', held ', heldIn ? 'by ' : '', heldIn ? make('b', {}, methodName(heldIn)) : '', holder ? ' on ' : '', holder ? make('b', {}, threadName(holder)) : '');
}

/* What the waker had done, as enum held_how says. */
const HELD_AFTER = 2, HELD_IN = 3;

function wakerCallOf(how, method, time) {
	if (how !== HELD_AFTER && how !== HELD_IN)
		return null;
	return make('span', { class: 'at' }, how === HELD_AFTER ? ' after ' : ' in ', make('b', {}, methodName(method)), ' of ' + formatTime(time));
}

function waitOf([start, time, reason, waker, stack, kernel, holder, heldIn, how, method, took, resource]) {
	return make('div', { class: 'wait' }, make('span', { class: 'took' }, formatTime(time)),
		make('div', {}, make('b', {}, data.texts[reason] + (resource ? ' ' + data.texts[resource] : '')),
			make('span', { class: 'at' }, ' after ' + formatTime(Math.max(0, start)), waker ? ', ended by the thread ' : '', waker ? make('b', {}, threadName(waker)) : ''),
			wakerCallOf(how, method, took), holder ? holderOf(waker, holder, heldIn) : null, framesOf(kernel, 4), framesOf(stack, 8)));
}

/* A task that the call handed over: in the queue, then on a thread. It may go on after the call. */
function taskOf(story, [start, time, name, queued, thread, method, took]) {
	const line = make('div', { class: 'line' });
	for (const [from, length, kind, label] of [[start, queued, 'queued', 'in the queue'], [start + queued, time - queued, 'ran', 'ran']]) {
		const piece = make('i', { class: kind, onmousemove: event => showTip(event, [label, formatTime(length), 'after ' + formatTime(Math.max(0, from))]), onmouseleave: hideTip });
		piece.style.left = 100 * from / story.time + '%';
		piece.style.width = 100 * length / story.time + '%';
		line.append(piece);
	}
	return make('div', { class: 'wait task' }, make('span', { class: 'took' }, formatTime(time)),
		make('div', {}, 'task ', make('b', {}, data.texts[name]),
			make('span', { class: 'at' }, ' handed over after ' + formatTime(Math.max(0, start)) + ', ' + formatTime(queued) + ' in the queue, then ' + formatTime(time - queued) + ' on ', make('b', {}, data.texts[thread]),
				method ? ', longest call in it: ' : '', method ? make('b', {}, methodName(method)) : '', method ? ' ' + formatTime(took) : ''), line));
}

const TASKS_SHOWN = 6;

/* The longest tasks, below the calls that handed them over. */
function tasksOf(story) {
	const shown = story.tasks.slice(2, 2 + TASKS_SHOWN), rest = story.tasks[0] - shown.length;
	const all = shown.map(task => taskOf(story, task));
	if (rest > 0)
		all.push(make('p', { class: 'hint' }, formatCount(rest) + (rest === 1 ? ' shorter task' : ' shorter tasks')));
	return all;
}

function partsLine(story) {
	const [cpu, runQueue, pause] = story.split;
	if (cpu === null)
		return 'where its time went is not known';
	let text = formatTime(cpu) + ' on a CPU, ' + formatTime(runQueue) + ' in the run queue, ' + formatTime(Math.max(0, story.time - cpu - runQueue)) + ' blocked';
	if (pause > 0)
		text += '; the JVM stood still for ' + formatTime(pause) + ' of it';
	return text + usageOf(story);
}

/* What --kernel=full and the like add to a call. */
function usageOf(story) {
	const [systemCalls, time, faults] = story.usage, parts = [];
	if (systemCalls !== null)
		parts.push(formatCount(systemCalls) + ' system calls' + (time !== null ? ' (' + formatTime(time) + ')' : ''));
	if (faults !== null)
		parts.push(formatCount(faults) + ' page faults');
	return parts.length ? '; ' + parts.join(', ') : '';
}

function fillStory(body, story) {
	const waits = story.waits.slice(2), others = story.waits[0] - waits.length, inside = story.calls[0] - story.calls.slice(2).length;
	body.replaceChildren(make('p', { class: 'meta' }, methodName(story.method) + ' on ' + threadName(story.thread),
		story.caller ? ', called by ' + methodName(story.caller) + (story.line >= 0 ? ':' + story.line : '') : '',
		story.thrown ? ', ended with an exception' : '', make('br'), partsLine(story),
		story.samples ? make('br') : null, story.samples ? story.samples : null,
		story.values >= 0 ? make('br') : null, story.values >= 0 ? make('b', {}, data.texts[story.values]) : null),
		lineOf(story, 'line'), make('div', { class: 'axis' }, make('span', {}, '0'), make('span', {}, formatTime(story.time / 2)), make('span', {}, formatTime(story.time))));
	const tree = treeOf(story);
	if (tree)
		body.append(tree);
	if (inside > 0)
		body.append(make('p', { class: 'hint' }, formatCount(inside) + ' shorter calls inside are not shown'));
	body.append(...tasksOf(story));
	waits.slice(0, 6).forEach(wait => body.append(waitOf(wait)));
	if (waits.length > 6 || others > 0)
		body.append(make('p', { class: 'hint' }, formatCount(story.waits[0] - Math.min(6, waits.length)) + ' shorter waits'));
}

function storyElement(story) {
	const body = make('div', { class: 'body' });
	const element = make('details', { class: 'story' },
		make('summary', {}, make('span', { class: 'took' }, formatTime(story.time)),
			make('span', { class: 'what', title: methodName(story.method) }, make('bdi', {}, shortName(methodName(story.method)) + (story.thrown ? ' (thrown)' : ''))),
			lineOf(story, 'lane'), make('span', { class: 'thread', title: threadName(story.thread) }, threadName(story.thread)),
			make('span', { class: 'when' }, formatMoment(story.start))), body);
	element.addEventListener('toggle', () => element.open && fillStory(body, story));
	return element;
}

function showStories() {
	const found = data.stories.filter(storyInSelection), place = byId('stories');
	place.replaceChildren(...found.slice(0, storiesShown).map(storyElement));
	if (!found.length)
		place.append(make('p', { class: 'none' }, 'None of the calls that this page has in detail is in the selection.'));
	if (found.length > storiesShown)
		place.append(make('button', { class: 'more', onclick: () => { storiesShown += 50; showStories(); } },
			'Show more of ' + formatCount(found.length)));
	place.append(legend([['cpu', 'on a CPU'], ['runq', 'run queue'], ['lock', 'lock, queue, park'], ['sleep', 'sleep'], ['net', 'socket, poll, pipe'], ['disk', 'disk, page fault'], ['vm', 'JVM'], ['other', 'other']]));
}
