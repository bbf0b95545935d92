/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callers as a flame graph: from the bottom of the stacks to the traced methods, or from these to their callers. With
 * samples, what ran in the traced methods: from the bottom to what was running, or from that on.
 */

const ROW = 18, LEAST_WIDTH = 0.6;
const flame = { zoom: null };
const weights = [['calls', 'calls'], ['time', 'time'], ['cpu', 'cpu'], ['blocked', 'blocked']];
if (sampleCells.length)
	weights.push(['samples', 'what ran']);

const isOfSamples = () => state.weight === 'samples';

function weightOf(i) {
	const sum = callCells.sum;
	switch (state.weight) {
	case 'calls': return callCells.count[i];
	case 'samples': return state.method < 0 ? sampleCells.sum[0][i] : sampleCells.count[i];
	case 'cpu': return sum[CPU][i];
	case 'blocked': return Math.max(0, sum[TIME][i] - sum[UNKNOWN][i] - sum[CPU][i] - sum[RUN_QUEUE][i]);
	default: return sum[TIME][i];
	}
}

function weightText(n) {
	const what = { calls: 'call', samples: 'sample' }[state.weight];
	return what ? formatCount(n) + ' ' + what + (n === 1 ? '' : 's') : formatTime(n);
}

function newFrame(name, parent) {
	return { name, parent, value: 0, children: new Map(), traced: false };
}

function childOf(frame, key, name) {
	let child = frame.children.get(key);
	if (!child)
		frame.children.set(key, child = newFrame(name, frame));
	return child;
}

/* The names of callers, from the outermost on. */
function pathOf(node) {
	const path = [];
	for (; node; node = data.tree[2 * node])
		path.push(data.tree[2 * node + 1]);
	return path.reverse();
}

function buildFlame() {
	const sums = new Map(), root = newFrame('all', null), cells = isOfSamples() ? sampleCells : callCells;
	for (let i = 0; i < cells.length; i++) {
		const weight = inSelection(cells, i) ? weightOf(i) : 0;
		if (weight > 0) {
			const key = cells.item[i] * 65536 + cells.method[i];
			sums.set(key, (sums.get(key) || 0) + weight);
		}
	}
	for (const [key, weight] of sums) {
		const path = pathOf(Math.floor(key / 65536)), traced = data.methods[key % 65536].name;
		const names = !isOfSamples() ? [...path, traced] : path.length ? path : [0], top = state.inverted ? 0 : names.length - 1;
		let frame = root;
		root.value += weight;
		(state.inverted ? names.reverse() : names).forEach((number, depth) => {
			const is = isOfSamples() ? number === traced : depth === top;
			frame = childOf(frame, number + (is ? 't' : ''), number ? methodName(number) : path.length ? '(other callers)' : '(unknown)');
			frame.traced = frame.traced || is;
			frame.value += weight;
		});
	}
	return root;
}

/* Give each frame its place; the frames around the zoomed one are as wide as the graph. */
function layOut(root, width) {
	const placed = [], top = flame.zoom || root;
	let depth = 0;
	const above = [];
	for (let frame = top; frame; frame = frame.parent)
		above.unshift(frame);
	above.slice(0, -1).forEach(frame => placed.push({ frame, x: 0, width, depth: depth++ }));
	const visit = (frame, x, level) => {
		const size = frame.value / top.value * width;
		if (size < LEAST_WIDTH)
			return;
		placed.push({ frame, x, width: size, depth: level });
		let at = x;
		for (const child of [...frame.children.values()].sort((a, b) => b.value - a.value)) {
			visit(child, at, level + 1);
			at += child.value / top.value * width;
		}
	};
	visit(top, 0, depth);
	return placed;
}

const isHit = frame => state.search && frame.name.toLowerCase().includes(state.search.toLowerCase());

function fitText(context, text, width) {
	if (width < 24)
		return '';
	const size = Math.floor(width / 5.6);
	return text.length <= size ? text : size > 4 ? text.slice(0, size - 1) + '…' : '';
}

function drawFlame(root) {
	const c = flame.context, colors = { own: color('--frame-own'), jdk: color('--frame-jdk'), traced: color('--frame-traced'), hit: color('--frame-hit'), ink: color('--frame-ink'), paper: color('--paper') };
	c.clearRect(0, 0, flame.width, flame.height);
	c.textBaseline = 'middle';
	c.textAlign = 'left';
	for (const place of flame.placed) {
		const { frame, x, width, depth } = place, y = depth * ROW;
		c.fillStyle = isHit(frame) ? colors.hit : frame === root ? color('--line') : frame.traced ? colors.traced : ofJdk(frame.name) ? colors.jdk : colors.own;
		c.fillRect(x, y, Math.max(LEAST_WIDTH, width - 1), ROW - 1);
		const text = frame === root ? 'all: ' + weightText(root.value) : shortName(frame.name);
		c.fillStyle = isHit(frame) ? '#fff' : colors.ink;
		const shown = fitText(c, text, width - 8);
		if (shown)
			c.fillText(shown, x + 5, y + ROW / 2);
	}
}

/* The sum of the outermost frames that are found. */
function foundShare(root) {
	const visit = frame => isHit(frame) ? frame.value : [...frame.children.values()].reduce((sum, child) => sum + visit(child), 0);
	return root.value ? visit(root) / root.value : 0;
}

function flameControls(root) {
	const group = make('span', { class: 'group', role: 'group', 'aria-label': 'Width stands for' }, ...weights.map(([name, label]) =>
		make('button', { 'aria-pressed': String(state.weight === name), onclick: () => set({ weight: name }) }, label)));
	const order = make('button', { 'aria-pressed': String(state.inverted), onclick: () => set({ inverted: !state.inverted }) }, 'methods on top');
	const found = make('span', { class: 'found', 'aria-live': 'polite' });
	const tell = () => { found.textContent = state.search ? formatShare(foundShare(root)) + ' found' : ''; };
	const search = make('input', { type: 'search', placeholder: 'Search for a method', 'aria-label': 'Search for a method', value: state.search });
	search.addEventListener('input', () => {
		state.search = search.value;
		writeState();
		drawFlame(root);
		tell();
	});
	tell();
	return make('div', { class: 'controls' }, group, order, search, found);
}

function listenToFlame(root) {
	const frameAt = event => {
		const at = flame.canvas.getBoundingClientRect(), x = (event.clientX - at.left) * flame.width / at.width, depth = Math.floor((event.clientY - at.top) / ROW);
		return flame.placed.find(place => place.depth === depth && x >= place.x && x < place.x + place.width);
	};
	flame.canvas.addEventListener('mousemove', event => {
		const place = frameAt(event);
		flame.canvas.style.cursor = place ? 'pointer' : 'default';
		if (!place)
			return hideTip();
		showTip(event, [place.frame.name, weightText(place.frame.value) + ', ' + formatShare(place.frame.value / root.value)]);
	});
	flame.canvas.addEventListener('mouseleave', hideTip);
	flame.canvas.addEventListener('click', event => {
		const place = frameAt(event);
		flame.zoom = !place || place.frame === root || place.frame === flame.zoom ? null : place.frame;
		hideTip();
		placeFlame(root);
	});
}

function placeFlame(root) {
	const place = byId('flame'), width = place.clientWidth || 1000;
	flame.placed = layOut(root, width);
	const depth = flame.placed.reduce((most, one) => Math.max(most, one.depth), 0) + 1;
	if (flame.canvas)
		flame.canvas.remove();
	Object.assign(flame, canvasIn(place, Math.min(depth, 120) * ROW, width));
	flame.canvas.setAttribute('role', 'img');
	flame.canvas.setAttribute('aria-label', isOfSamples() ? 'Flame graph of samples; frtrace view hot has the numbers' : 'Flame graph of callers; the table of callers has the numbers');
	drawFlame(root);
	listenToFlame(root);
}

function showFlame() {
	const place = byId('flame'), root = buildFlame();
	flame.zoom = null;
	flame.canvas = null;
	byId('who').querySelector('h2').textContent = isOfSamples() ? 'What ran on the CPU' : 'Who calls';
	place.replaceChildren(flameControls(root));
	if (!(root.value > 0))
		return place.append(make('p', { class: 'none' }, 'nothing'));
	placeFlame(root);
}
