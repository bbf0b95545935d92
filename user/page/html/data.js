/* SPDX-License-Identifier: BSD-2-Clause */
/* The data of the page, as page_data.c and cells.c write it. All text comes from a recording: it is only ever set as text. */
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const grid = data.grid;

/* Numbers as bytes_put_leb() writes them: 7 bits a byte, low ones first; a ninth byte has 8. */
class Numbers {
	constructor(text) {
		const binary = atob(text.trim());
		this.bytes = new Uint8Array(binary.length);
		for (let i = 0; i < binary.length; i++)
			this.bytes[i] = binary.charCodeAt(i);
		this.at = 0;
	}
	next() {
		let value = 0, factor = 1;
		for (let n = 0; n < 9; n++) {
			const byte = this.bytes[this.at++];
			if (byte < 128 || n === 8)
				return value + byte * factor;
			value += (byte & 127) * factor;
			factor *= 128;
		}
	}
}

/* Cells as columns of numbers. `items`: each cell has one; `sums`: how many it has. */
function readCells(numbers, items, sums) {
	const shift = numbers.next(), count = numbers.next();
	const cells = { shift, length: count, method: new Uint16Array(count), column: new Uint16Array(count),
		bin: new Uint16Array(count), item: new Uint32Array(count), count: new Float64Array(count), sum: [] };
	for (let s = 0; s < sums; s++)
		cells.sum.push(new Float64Array(count));
	let method = 0, column = 0, bin = 0;
	for (let i = 0; i < count; i++) {
		const change = numbers.next();
		if (change & 1) {
			method += numbers.next();
			column = 0;
		}
		if (change & 2) {
			column += numbers.next();
			bin = 0;
		}
		bin += Math.floor(change / 4);
		cells.method[i] = method;
		cells.column[i] = column;
		cells.bin[i] = bin;
		if (items)
			cells.item[i] = numbers.next();
		cells.count[i] = numbers.next();
		for (let s = 0; s < sums; s++)
			cells.sum[s][i] = numbers.next();
	}
	return cells;
}

const numbers = new Numbers(document.getElementById('cells').textContent);
const heatCells = readCells(numbers, false, 0);
const callCells = readCells(numbers, true, 6); /* time, thrown, time of calls whose breakdown is unknown, cpu, run queue, pause */
const waitCells = readCells(numbers, true, 1); /* time */
const sampleCells = readCells(numbers, true, 1); /* those that are in no other traced call inside */
const TIME = 0, THROWN = 1, UNKNOWN = 2, CPU = 3, RUN_QUEUE = 4, PAUSE = 5;

/* A selection goes from border to border of the coarsest columns, so that all cells are in it or not. */
const step = 1 << Math.max(heatCells.shift, callCells.shift, waitCells.shift, sampleCells.shift);
const columns = grid.columns;

/* Durations: 2^bits bins between one power of two and the next. */
const perOctave = 1 << grid.bits;
function durationOfBin(bin) {
	return bin < perOctave ? bin : (perOctave + bin % perOctave) * 2 ** (Math.floor(bin / perOctave) - 1);
}

const kinds = [];
for (let i = 0; i < data.kinds.length; i += 4)
	kinds.push({ reason: data.waitTexts[data.kinds[i]], place: data.waitTexts[data.kinds[i + 1]],
		waker: data.waitTexts[data.kinds[i + 2]], lock: data.kinds[i + 3] === 1 });

const methodName = number => data.names[number] || '?';
const threadName = number => data.threads[number] || '?';

/* Splits are written as arrays. */
function splitOf(a) {
	return { calls: a[0], thrown: a[1], time: a[2], known: a[3], cpu: a[4], runQueue: a[5], pause: a[6], faults: a[7],
		least: a[8], most: a[9], reasons: new Map() };
}
for (const method of data.methods)
	method.bands = method.bands.map(splitOf);
for (let i = 0; i < data.bandWaits.length; i += 3) {
	const perMethod = data.methods.length && data.methods[0].bands.length;
	const method = data.methods[Math.floor(data.bandWaits[i] / perMethod)];
	const reasons = method.bands[data.bandWaits[i] % perMethod].reasons, reason = kinds[data.bandWaits[i + 1]].reason;
	reasons.set(reason, (reasons.get(reason) || 0) + data.bandWaits[i + 2]);
}

/* "31.2 ms", as frtrace's tables have it. */
function formatTime(ns) {
	if (ns < 1000)
		return Math.round(ns) + ' ns';
	const units = [['us', 1e3], ['ms', 1e6], ['s', 1e9]];
	let i = 0;
	while (i < 2 && ns >= 999.5 * units[i][1])
		i++;
	const value = ns / units[i][1];
	return (value < 99.95 ? value.toFixed(1) : value.toFixed(0)) + ' ' + units[i][0];
}

function formatCount(n) {
	return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

function formatShare(share) {
	return share > 0 && share < 0.0095 ? '<1 %' : Math.round(100 * share) + ' %';
}

/* A moment, in ns since the first one, as time of day. */
function formatMoment(ns, digits) {
	const ms = grid.first + ns / 1e6 + (state.utc ? 0 : grid.offset * 1000);
	const text = new Date(Math.floor(ms)).toISOString().slice(11, 23);
	return digits === undefined ? text : text.slice(0, digits ? 9 + digits : 8);
}
