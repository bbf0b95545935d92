/* SPDX-License-Identifier: BSD-2-Clause */
/* What is selected, and what follows from it. The state is in the fragment of the address, so a link shows the same. */

const state = { method: 0, box: null, weight: 'time', inverted: false, search: '', utc: false, theme: '' };

function writeState() {
	const parts = new URLSearchParams();
	if (state.method !== firstMethod())
		parts.set('method', state.method);
	if (state.box)
		parts.set('box', [state.box.from, state.box.to, state.box.low, state.box.high].join('-'));
	if (state.weight !== 'time')
		parts.set('weight', state.weight);
	if (state.inverted)
		parts.set('methods-on-top', 1);
	if (state.search)
		parts.set('search', state.search);
	if (state.utc)
		parts.set('utc', 1);
	if (state.theme)
		parts.set('theme', state.theme);
	history.replaceState(null, '', '#' + parts);
}

/* The method that the verdict is about. */
const firstMethod = () => data.verdicts.length ? data.verdicts[0] : 0;

/* Values of the fragment may be anything. */
function readState() {
	const parts = new URLSearchParams(location.hash.slice(1)), method = parseInt(parts.get('method') ?? firstMethod(), 10);
	state.method = method >= -1 && method < data.methods.length ? method : firstMethod();
	const box = (parts.get('box') || '').split('-').map(n => parseInt(n, 10));
	state.box = box.length === 4 && box.every(n => n >= 0 && n < 1024) && box[0] <= box[1] && box[2] <= box[3]
		? { from: box[0], to: Math.min(columns - 1, box[1]), low: box[2], high: box[3] } : null;
	state.weight = weights.some(([name]) => name === parts.get('weight')) ? parts.get('weight') : 'time';
	state.inverted = parts.has('methods-on-top');
	state.search = parts.get('search') || '';
	state.utc = parts.has('utc');
	state.theme = ['light', 'dark'].includes(parts.get('theme')) ? parts.get('theme') : '';
}

function selectedCalls() {
	let count = 0, time = 0;
	for (let i = 0; i < callCells.length; i++)
		if (inSelection(callCells, i)) {
			count += callCells.count[i];
			time += callCells.sum[TIME][i];
		}
	return [count, time];
}

function describeSelection() {
	const [count, time] = selectedCalls(), box = state.box;
	const text = make('span', { class: 'now' }, make('b', {}, formatCount(count) + (count === 1 ? ' call' : ' calls')), ', ' + formatTime(time) + ' in all');
	if (state.method < 0)
		text.append(' (a call inside another one counts for both)');
	if (box) {
		const digits = grid.width * step < 1e9 ? 3 : 0;
		text.append(', ' + formatMoment(box.from * grid.width, digits) + ' to ' + formatMoment((box.to + 1) * grid.width, digits) + ', '
			+ formatTime(durationOfBin(box.low)) + ' to ' + formatTime(durationOfBin(box.high + 1)));
	}
	return text;
}

function showBar() {
	const choice = make('select', { 'aria-label': 'Method' });
	if (data.methods.length > 1)
		choice.append(make('option', { value: -1 }, 'All methods'));
	data.methods.forEach((method, rank) => choice.append(make('option', { value: rank }, methodName(method.name))));
	choice.value = state.method;
	choice.addEventListener('change', () => select({ method: Number(choice.value), box: null }));
	byId('bar').replaceChildren(choice, describeSelection(),
		state.box ? make('button', { onclick: () => select({ box: null }) }, 'Clear selection') : '');
	byId('bar').hidden = false;
}

function showTools() {
	const themes = [['', 'Auto'], ['light', 'Light'], ['dark', 'Dark']];
	const zones = [[false, 'Local time'], [true, 'UTC']];
	byId('tools').replaceChildren(
		make('span', { class: 'group', role: 'group', 'aria-label': 'Time zone' }, ...zones.map(([utc, label]) => make('button', { 'aria-pressed': String(state.utc === utc), onclick: () => set({ utc }) }, label))),
		make('span', { class: 'group', role: 'group', 'aria-label': 'Colours' }, ...themes.map(([theme, label]) => make('button', { 'aria-pressed': String(state.theme === theme), onclick: () => set({ theme }) }, label))));
}

function showAll() {
	if (state.theme)
		document.documentElement.dataset.theme = state.theme;
	else
		delete document.documentElement.dataset.theme;
	showTools();
	if (!data.methods.length)
		return;
	showBar();
	showHeat();
	showBands();
	showStories();
	showFlame();
	showWaits();
	showThreads();
}

function set(change) {
	Object.assign(state, change);
	writeState();
	showAll();
}

function select(change) {
	storiesShown = STORIES_SHOWN;
	set(change);
}

/* A button of a verdict selects the calls that it is about. */
function offerVerdicts() {
	document.querySelectorAll('#verdict article').forEach((article, i) => {
		article.querySelectorAll('button').forEach(old => old.remove());
		const method = data.verdicts[2 * i], from = data.verdicts[2 * i + 1];
		if (method === undefined)
			return;
		article.append(make('button', { onclick: () => {
			const high = heatOf(method).high;
			const low = Math.min(high, Math.ceil(binOfDuration(from) - 1e-9));
			select({ method, box: from ? { from: 0, to: columns - 1, low, high } : null });
			byId('time').scrollIntoView({ behavior: 'smooth', block: 'start' });
		} }, from ? 'Show these calls' : 'Show its calls'));
	});
}

/* Move the selection in time, or up and down. */
function moveBox(right, up) {
	const box = state.box, width = box.to - box.from;
	const from = Math.max(0, Math.min(columns - 1 - width, box.from + right * step));
	select({ box: { from, to: from + width, low: Math.max(0, box.low + up), high: Math.max(0, box.high + up) } });
}

document.addEventListener('keydown', event => {
	if (event.target.matches('input, select, textarea') || event.ctrlKey || event.altKey || event.metaKey || !state.box)
		return;
	const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
	if (event.key === 'Escape')
		select({ box: null });
	else if (moves[event.key] && document.activeElement === heat.canvas) {
		event.preventDefault();
		moveBox(...moves[event.key]);
		heat.canvas.focus();
	}
});

/* Paper shows all tables, as a browser without scripts does. */
let closed = [];
window.addEventListener('beforeprint', () => {
	closed = [...document.querySelectorAll('details.table:not([open])')];
	closed.forEach(details => { details.open = true; });
});
window.addEventListener('afterprint', () => closed.forEach(details => { details.open = false; }));

let resized = 0;
window.addEventListener('resize', () => {
	clearTimeout(resized);
	resized = setTimeout(showAll, 150);
});
window.addEventListener('hashchange', () => {
	readState();
	showAll();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', showAll);

document.querySelectorAll('details.table').forEach(details => { details.open = false; });
document.querySelectorAll('section[hidden]').forEach(section => { section.hidden = !data.methods.length; });
readState();
offerVerdicts();
showAll();
