/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the time of calls goes, from the fastest to the slowest. */

const bandNames = ['fastest 50 %', '50-90 %', '90-99 %', '99-99.9 %', 'slowest'];
const bandEnds = [0.5, 0.9, 0.99, 0.999, 1];

/* Is a cell of these tables selected? */
function inSelection(cells, i) {
	if (state.method >= 0 && cells.method[i] !== state.method)
		return false;
	const box = state.box;
	if (!box)
		return true;
	const column = cells.column[i] * (1 << cells.shift);
	return column >= box.from && column <= box.to && cells.bin[i] >= box.low && cells.bin[i] <= box.high;
}

const newSplit = () => splitOf([0, 0, 0, 0, 0, 0, 0, 0, Infinity, 0]);

/* Add a share of a cell to a split. */
function addCall(split, i, share) {
	const sum = callCells.sum;
	split.calls += callCells.count[i] * share;
	split.thrown += sum[THROWN][i] * share;
	split.time += sum[TIME][i] * share;
	split.known += (sum[TIME][i] - sum[UNKNOWN][i]) * share;
	split.cpu += sum[CPU][i] * share;
	split.runQueue += sum[RUN_QUEUE][i] * share;
	split.pause += sum[PAUSE][i] * share;
	split.least = Math.min(split.least, durationOfBin(callCells.bin[i]));
	split.most = Math.max(split.most, durationOfBin(callCells.bin[i] + 1));
}

/* The bands of the selection. A bin that reaches over the end of a band is divided in proportion. */
function bandsOfSelection() {
	const perBin = new Map(), bands = bandEnds.map(newSplit), shares = new Map();
	let all = 0, before = 0;
	for (let i = 0; i < callCells.length; i++) {
		if (!inSelection(callCells, i))
			continue;
		perBin.set(callCells.bin[i], (perBin.get(callCells.bin[i]) || 0) + callCells.count[i]);
		all += callCells.count[i];
	}
	for (const bin of [...perBin.keys()].sort((a, b) => a - b)) {
		const count = perBin.get(bin), of = [];
		bandEnds.forEach((end, band) => {
			const from = band ? bandEnds[band - 1] * all : 0, to = end * all;
			of.push(Math.max(0, Math.min(to, before + count) - Math.max(from, before)) / count);
		});
		shares.set(bin, of);
		before += count;
	}
	const each = (bin, visit) => (shares.get(bin) || []).forEach((share, band) => share > 0 && visit(bands[band], share));
	for (let i = 0; i < callCells.length; i++)
		if (inSelection(callCells, i))
			each(callCells.bin[i], (band, share) => addCall(band, i, share));
	for (let i = 0; i < waitCells.length; i++)
		if (inSelection(waitCells, i))
			each(waitCells.bin[i], (band, share) => {
				const reason = kinds[waitCells.item[i]].reason;
				band.reasons.set(reason, (band.reasons.get(reason) || 0) + waitCells.sum[0][i] * share);
			});
	return bands;
}

/* The parts of a split, in the order in which they are drawn. */
function partsOf(split) {
	if (!(split.time > 0))
		return [];
	const blocked = Math.max(0, split.known - split.cpu - split.runQueue), parts = [];
	const add = (name, label, ns) => parts.push({ name, label, share: ns / split.time, ns,
		detail: formatTime(split.calls ? ns / split.calls : 0) + ' a call, ' + formatTime(ns) + ' in all' });
	add('cpu', 'cpu', split.cpu);
	add('runq', 'run queue', split.runQueue);
	const named = [...split.reasons].reduce((sum, [, ns]) => sum + ns, 0);
	const scale = named > blocked ? blocked / named : 1;
	for (const [reason, ns] of [...split.reasons].sort((a, b) => b[1] - a[1]))
		add(familyOf(reason), reason, ns * scale);
	add('other', 'blocked otherwise', Math.max(0, blocked - named * scale));
	add('unknown', 'not known', Math.max(0, split.time - split.known));
	return parts;
}

/* How often a call of a band had a page fault. Cells, and so selections, do not have that. */
function faultsOf(split) {
	if (!data.hasFaults || state.box || state.method < 0)
		return '';
	const each = split.faults / split.calls;
	return ', ' + (each < 9.95 ? each.toFixed(1) : formatCount(each)) + ' page faults a call';
}

function bandRow(name, split) {
	const parts = partsOf(split), pause = split.time ? split.pause / split.time : 0;
	if (!(split.calls >= 0.5))
		return [make('span', { class: 'name' }, name), make('span', { class: 'range' }, 'no calls'), stackedBar([]), make('span', { class: 'mean' })];
	const bar = stackedBar(parts, pause);
	bar.setAttribute('role', 'img');
	bar.setAttribute('aria-label', parts.filter(p => p.share > 0.005).map(p => p.label + ' ' + formatShare(p.share)).join(', '));
	return [make('span', { class: 'name' }, name),
		make('span', { class: 'range' }, formatCount(split.calls) + (Math.round(split.calls) === 1 ? ' call, ' : ' calls, ') + formatTime(split.least) + ' to ' + formatTime(split.most) + faultsOf(split)),
		bar, make('span', { class: 'mean' }, make('b', {}, formatTime(split.time / split.calls)), ' a call')];
}

function showBands() {
	const exact = !state.box && state.method >= 0;
	const bands = exact ? data.methods[state.method].bands : bandsOfSelection();
	const rows = bands.flatMap((split, i) => bandRow(bandNames[i], split));
	const used = new Map([['cpu', 'on a CPU'], ['runq', 'waits for a CPU']]);
	for (const split of bands)
		for (const part of partsOf(split))
			if (part.share > 0.002 && !used.has(part.name))
				used.set(part.name, part.label);
			else if (part.share > 0.01 && part.name !== 'cpu' && part.name !== 'runq' && !used.get(part.name).split(', ').includes(part.label))
				used.set(part.name, used.get(part.name) + ', ' + part.label);
	const entries = [...used];
	if (bands.some(split => split.pause > 0.001 * split.time))
		entries.push(['pause', 'of it, the JVM stood still']);
	byId('bands').replaceChildren(make('div', { class: 'split' }, ...rows), legend(entries),
		exact ? '' : make('p', { class: 'hint' }, 'The ends of the bands are those of cells of the heat map.'));
}
