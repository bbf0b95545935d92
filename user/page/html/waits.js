/* SPDX-License-Identifier: BSD-2-Clause */
/* What the selected calls waited for: reasons, places, and who ended the waits. */

const WAITS_SHOWN = 12;

/* [name, count, time] by what `name` says of a kind, the longest time first. */
function waitSums(nameOf) {
	const sums = new Map();
	for (let i = 0; i < waitCells.length; i++) {
		const name = inSelection(waitCells, i) ? nameOf(kinds[waitCells.item[i]]) : null;
		if (name === null)
			continue;
		const sum = sums.get(name) || [name, 0, 0];
		sum[1] += waitCells.count[i];
		sum[2] += waitCells.sum[0][i];
		sums.set(name, sum);
	}
	return [...sums.values()].sort((a, b) => b[2] - a[2]);
}

function meter(share, family) {
	const bar = make('span', { class: 'meter ' + family });
	bar.style.width = Math.max(1, 70 * share) + 'px';
	return bar;
}

function waitTable(title, label, rows, familyOfRow, mono) {
	const most = rows.length ? rows[0][2] : 1;
	const body = rows.slice(0, WAITS_SHOWN).map(([name, count, time]) => make('tr', {},
		make('td', { class: mono ? 'm' : undefined }, name), make('td', { class: 'n' }, formatCount(count)),
		make('td', { class: 'n' }, meter(time / most, familyOfRow(name)), formatTime(time))));
	const table = make('table', {}, make('caption', {}, title),
		make('thead', {}, make('tr', {}, make('th', {}, label), make('th', { class: 'n' }, 'Waits'), make('th', { class: 'n' }, 'Time'))),
		make('tbody', {}, ...body));
	const rest = rows.length > WAITS_SHOWN ? make('p', { class: 'none' }, 'and ' + formatCount(rows.length - WAITS_SHOWN) + ' more') : null;
	return make('div', { class: 'wide' }, table, rest);
}

function showWaits() {
	const place = byId('waits');
	const reasons = waitSums(kind => kind.reason);
	if (!reasons.length)
		return place.replaceChildren(make('p', { class: 'none' }, data.hasWaits ? 'The selected calls waited for nothing.' : 'This recording does not say what calls waited for.'));
	const places = waitSums(kind => kind.place || '(no stack: a short wait)');
	const wakers = waitSums(kind => kind.waker || '(not known, or an interrupt)');
	const familyOfPlace = new Map();
	for (const [pair] of waitSums(kind => kind.reason + '\n' + (kind.place || '(no stack: a short wait)'))) {
		const [reason, ...name] = pair.split('\n'), key = name.join('\n');
		familyOfPlace.set(key, familyOfPlace.get(key) || familyOf(reason)); /* of the longest waits there */
	}
	place.replaceChildren(
		make('div', { class: 'trio' }, waitTable('By reason', 'Reason', reasons, familyOf), waitTable('By the threads that ended them', 'Threads', wakers, () => 'other')),
		waitTable('By place', 'Place', places, name => familyOfPlace.get(name) || 'other', true));
}
