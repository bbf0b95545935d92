/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls by time and duration: a heat map on which a box is selected, calls per column above it, pauses below. */

const HEAT_LEFT = 58, HEAT_TOP = 34, HEAT_HEIGHT = 300, STRIP = 10, AXIS = 18;

/* Of the shown method: calls by column and bin, and the range of bins. */
function heatOf(method) {
	const calls = new Map(), perColumn = new Float64Array(columns);
	let low = Infinity, high = -1, most = 0;
	for (let i = 0; i < heatCells.length; i++) {
		if (method >= 0 && heatCells.method[i] !== method)
			continue;
		const key = heatCells.column[i] * 1024 + heatCells.bin[i], sum = (calls.get(key) || 0) + heatCells.count[i];
		calls.set(key, sum);
		perColumn[heatCells.column[i]] += heatCells.count[i];
		low = Math.min(low, heatCells.bin[i]);
		high = Math.max(high, heatCells.bin[i]);
		most = Math.max(most, sum);
	}
	return { calls, perColumn, low: Math.max(0, low - 2), high: high + 2, most };
}

const heat = { box: null };

function heatGeometry() {
	const shown = columns / (1 << heatCells.shift);
	const cellWidth = (heat.width - HEAT_LEFT - 2) / shown, cellHeight = HEAT_HEIGHT / (heat.map.high - heat.map.low + 1);
	return {
		cellWidth, cellHeight,
		x: column => HEAT_LEFT + column / (1 << heatCells.shift) * cellWidth,
		y: bin => HEAT_TOP + HEAT_HEIGHT - (bin - heat.map.low) * cellHeight,
		column: x => Math.floor((x - HEAT_LEFT) / cellWidth) * (1 << heatCells.shift),
		bin: y => heat.map.low + Math.floor((HEAT_TOP + HEAT_HEIGHT - y) / cellHeight),
	};
}

/* Where on the axis a duration is, also between the borders of bins. */
function binOfDuration(ns) {
	let bin = 0;
	while (bin < 1000 && durationOfBin(bin + 1) <= ns)
		bin++;
	return bin + (ns - durationOfBin(bin)) / (durationOfBin(bin + 1) - durationOfBin(bin));
}

function drawDurationAxis(c, g) {
	c.textAlign = 'right';
	c.textBaseline = 'middle';
	const span = heat.map.high - heat.map.low, marks = span > 40 ? [1] : span > 24 ? [1, 3] : [1, 2, 5];
	let last = Infinity;
	for (let power = 0; power < 14; power++)
		for (const digit of marks) {
			const ns = digit * 10 ** power, y = g.y(binOfDuration(ns));
			if (y > HEAT_TOP + HEAT_HEIGHT || y < HEAT_TOP || last - y < 14)
				continue;
			last = y;
			c.fillStyle = color('--line');
			c.fillRect(HEAT_LEFT, Math.round(y), heat.width - HEAT_LEFT, 1);
			c.fillStyle = color('--soft');
			c.fillText(formatTime(ns).replace('.0 ', ' '), HEAT_LEFT - 8, y);
		}
}

/* A round number of ns between marks. */
function roundStep(ns) {
	const power = 10 ** Math.floor(Math.log10(ns));
	if (ns >= 1e9) { /* seconds and minutes */
		for (const s of [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400])
			if (s * 1e9 >= ns)
				return s * 1e9;
	}
	return [1, 2, 5, 10].map(f => f * power).find(f => f >= ns);
}

function drawTimeAxis(c, left, width, y) {
	const all = columns * grid.width, size = Math.max(1e6, roundStep(all / Math.max(2, Math.floor(width / 110))));
	const offset = ((grid.first + (state.utc ? 0 : grid.offset * 1000)) * 1e6) % size;
	c.textAlign = 'center';
	c.textBaseline = 'top';
	for (let at = size - offset; at < all; at += size) {
		const x = left + at / all * width;
		if (x < left + 28 || x > left + width - 28)
			continue;
		c.fillStyle = color('--line');
		c.fillRect(Math.round(x), y, 1, 4);
		c.fillStyle = color('--soft');
		c.fillText(formatMoment(at, size >= 1e9 ? 0 : 3), x, y + 5);
	}
}

function drawCounts(c, g) {
	const most = Math.max(...heat.map.perColumn, 1);
	c.fillStyle = color('--faint');
	heat.map.perColumn.forEach((count, column) => {
		const height = count / most * 22;
		if (height > 0)
			c.fillRect(HEAT_LEFT + column * g.cellWidth, 26 - height, Math.max(1, g.cellWidth - 0.5), height);
	});
	c.textAlign = 'right';
	c.textBaseline = 'top';
	c.fillStyle = color('--soft');
	c.fillText('calls', HEAT_LEFT - 8, 14);
}

function drawPauses(c, g, y) {
	for (let column = 0; column < columns; column++) {
		for (const [sums, name] of [[data.pauses, '--ink'], [data.collections, '--vm']]) {
			const share = Math.min(1, sums[column] / grid.width);
			if (!(share > 0))
				continue;
			c.globalAlpha = 0.25 + 0.75 * Math.sqrt(share);
			c.fillStyle = color(name);
			c.fillRect(g.x(column), y, Math.max(1.5, g.cellWidth / (1 << heatCells.shift)), STRIP);
		}
	}
	c.globalAlpha = 1;
	c.textAlign = 'right';
	c.textBaseline = 'middle';
	c.fillStyle = color('--soft');
	c.fillText('pauses', HEAT_LEFT - 8, y + STRIP / 2);
}

function drawBox(c, g) {
	if (!heat.box)
		return;
	const limit = y => Math.max(HEAT_TOP, Math.min(HEAT_TOP + HEAT_HEIGHT, y));
	const x = g.x(heat.box.from), right = g.x(heat.box.to + 1), y = limit(g.y(heat.box.high + 1)), bottom = limit(g.y(heat.box.low));
	c.fillStyle = color('--paper');
	c.globalAlpha = 0.62;
	c.fillRect(HEAT_LEFT, HEAT_TOP, heat.width - HEAT_LEFT, y - HEAT_TOP);
	c.fillRect(HEAT_LEFT, bottom, heat.width - HEAT_LEFT, HEAT_TOP + HEAT_HEIGHT - bottom);
	c.fillRect(HEAT_LEFT, y, x - HEAT_LEFT, bottom - y);
	c.fillRect(right, y, heat.width - right, bottom - y);
	c.globalAlpha = 1;
	c.strokeStyle = color('--accent');
	c.lineWidth = 1.5;
	c.strokeRect(x, y, right - x, bottom - y);
}

function drawHeat() {
	const c = heat.context, g = heatGeometry(), ramp = heatRamp(), scale = 255 / Math.log(heat.map.most + 1);
	c.clearRect(0, 0, heat.width, heat.height);
	drawDurationAxis(c, g);
	for (const [key, count] of heat.map.calls) {
		const [r, green, b] = ramp[Math.round(Math.log(count + 1) * scale)];
		c.fillStyle = `rgb(${r} ${green} ${b})`;
		c.fillRect(HEAT_LEFT + Math.floor(key / 1024) * g.cellWidth, g.y(key % 1024 + 1),
			Math.max(1.5, g.cellWidth + 0.3), g.cellHeight + 0.3);
	}
	drawCounts(c, g);
	drawBox(c, g);
	const below = HEAT_TOP + HEAT_HEIGHT + 6;
	if (data.hasPauses)
		drawPauses(c, g, below);
	drawTimeAxis(c, HEAT_LEFT, heat.width - HEAT_LEFT - 2, below + (data.hasPauses ? STRIP + 4 : 0));
}

/* The box between two corners, from border to border of the columns that are selected together. */
function boxOf(a, b, g) {
	const snap = x => Math.max(0, Math.min(columns - 1, g.column(x)));
	const from = Math.floor(snap(Math.min(a.x, b.x)) / step) * step, to = Math.floor(snap(Math.max(a.x, b.x)) / step) * step + step - 1;
	const limit = y => Math.max(heat.map.low, Math.min(heat.map.high, g.bin(y)));
	return { from, to: Math.min(columns - 1, to), low: limit(Math.max(a.y, b.y)), high: limit(Math.min(a.y, b.y)) };
}

function heatPoint(event) {
	const at = heat.canvas.getBoundingClientRect();
	return { x: (event.clientX - at.left) * heat.width / at.width, y: (event.clientY - at.top) * heat.height / at.height };
}

function tellCell(event) {
	const at = heatPoint(event), g = heatGeometry();
	if (at.x < HEAT_LEFT || at.y < HEAT_TOP || at.y > HEAT_TOP + HEAT_HEIGHT + 24)
		return hideTip();
	const column = g.column(at.x), bin = g.bin(at.y), shown = column >> heatCells.shift;
	const moment = formatMoment(column * grid.width, grid.width * (1 << heatCells.shift) < 1e9 ? 3 : 0);
	if (at.y > HEAT_TOP + HEAT_HEIGHT) {
		const sum = data.pauses[column] + data.collections[column];
		return sum > 0 ? showTip(event, ['The JVM stood still for ' + formatTime(data.pauses[column]), moment, 'collections: ' + formatTime(data.collections[column])]) : hideTip();
	}
	const count = heat.map.calls.get(shown * 1024 + bin) || 0;
	showTip(event, [formatCount(count) + (count === 1 ? ' call' : ' calls'), moment,
		formatTime(durationOfBin(bin)) + ' to ' + formatTime(durationOfBin(bin + 1))]);
}

function listenToHeat() {
	let corner = null;
	heat.canvas.addEventListener('pointerdown', event => {
		corner = heatPoint(event);
		heat.canvas.setPointerCapture(event.pointerId);
		hideTip();
	});
	heat.canvas.addEventListener('pointermove', event => {
		if (!corner)
			return tellCell(event);
		heat.box = boxOf(corner, heatPoint(event), heatGeometry());
		drawHeat();
	});
	heat.canvas.addEventListener('pointerup', event => {
		const end = heatPoint(event);
		if (corner && Math.abs(end.x - corner.x) + Math.abs(end.y - corner.y) > 5)
			select({ box: boxOf(corner, end, heatGeometry()) });
		else if (corner)
			select({ box: null });
		corner = null;
	});
	heat.canvas.addEventListener('pointerleave', hideTip);
}

function showHeat() {
	const place = byId('heat');
	place.replaceChildren();
	heat.map = heatOf(state.method);
	if (!heat.map.calls.size)
		return;
	Object.assign(heat, canvasIn(place, HEAT_TOP + HEAT_HEIGHT + (data.hasPauses ? STRIP + 8 : 4) + AXIS + 4));
	heat.canvas.setAttribute('role', 'img');
	heat.canvas.setAttribute('aria-label', 'Heat map of calls by time and duration; the tables have the numbers');
	heat.canvas.tabIndex = 0;
	heat.box = state.box;
	const ramp = make('i', { class: 'ramp' });
	ramp.style.background = 'linear-gradient(90deg, rgb(' + color('--heat-low') + '), rgb(' + color('--heat-mid') + '), rgb(' + color('--heat-high') + '))';
	ramp.style.width = '90px';
	place.append(make('div', { class: 'legend' }, make('span', { class: 'key' }, '1 call', ramp, formatCount(heat.map.most)),
		...(data.hasPauses ? [make('span', { class: 'key' }, make('i', { class: 'pause' }), 'safepoint'), make('span', { class: 'key' }, make('i', { class: 'vm' }), 'collection')] : []),
		'a cell is ' + formatTime(grid.width * (1 << heatCells.shift)) + ' wide'));
	drawHeat();
	listenToHeat();
}
