/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements, canvases, colours, and the box that explains what is under the pointer. */

/* A new element. Texts become text nodes, so no name of a program is ever read as HTML. */
function make(tag, attributes, ...content) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (name.startsWith('on'))
			element.addEventListener(name.slice(2), value);
		else if (value !== undefined && value !== false)
			element.setAttribute(name, value === true ? '' : value);
	}
	element.append(...content.filter(part => part !== undefined && part !== null));
	return element;
}

const byId = id => document.getElementById(id);
const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* A reason belongs to a family, which has a colour. */
function familyOf(reason) {
	switch (reason) {
	case 'futex': case 'parked': return 'lock';
	case 'sleep': return 'sleep';
	case 'socket': case 'poll': case 'pipe': return 'net';
	case 'disk': case 'page fault': return 'disk';
	case 'gc': case 'safepoint': case 'jit': case 'class': case 'jvm': return 'vm';
	default: return 'other';
	}
}

/* A canvas of this height in CSS pixels, sharp on any screen. Its width is that of the parent. */
function canvasIn(parent, height, width) {
	const canvas = make('canvas'), ratio = Math.min(window.devicePixelRatio || 1, 2);
	parent.append(canvas);
	const w = Math.max(100, Math.floor(width || parent.clientWidth || 1000));
	canvas.width = Math.min(4096, w * ratio);
	canvas.height = Math.min(4096, height * ratio);
	canvas.style.height = height + 'px';
	const context = canvas.getContext('2d');
	context.scale(canvas.width / w, canvas.height / height);
	context.font = '11px ' + getComputedStyle(document.documentElement).fontFamily;
	return { canvas, context, width: w, height };
}

const mix = (a, b, share) => a.map((from, i) => Math.round(from + (b[i] - from) * share));

/* 256 colours from few calls to many. */
function heatRamp() {
	const [low, middle, high] = ['--heat-low', '--heat-mid', '--heat-high'].map(name => color(name).split(/\s+/).map(Number));
	const ramp = [];
	for (let i = 0; i < 256; i++)
		ramp.push(i < 128 ? mix(low, middle, i / 127) : mix(middle, high, (i - 128) / 127));
	return ramp;
}

const tip = byId('tip');

/* `lines`: the first one is bold. */
function showTip(event, lines) {
	tip.replaceChildren(make('b', {}, lines[0]));
	for (const line of lines.slice(1))
		tip.append(make('br'), line);
	tip.hidden = false;
	const x = event.clientX + 14, y = event.clientY + 16;
	tip.style.left = Math.max(4, Math.min(x, window.innerWidth - tip.offsetWidth - 8)) + 'px';
	tip.style.top = (y + tip.offsetHeight > window.innerHeight ? event.clientY - tip.offsetHeight - 10 : y) + 'px';
}

function hideTip() {
	tip.hidden = true;
}

function legend(entries) {
	return make('div', { class: 'legend' }, ...entries.map(([name, label]) =>
		make('span', { class: 'key' }, make('i', { class: name }), label)));
}

/* A bar of parts {name, label, share, title}; shares of the whole. */
function stackedBar(parts, pause) {
	const bar = make('div', { class: 'stack' });
	for (const part of parts) {
		if (!(part.share > 0))
			continue;
		const piece = make('span', { class: part.name,
			onmousemove: event => showTip(event, [part.label, part.detail]), onmouseleave: hideTip });
		piece.style.width = 100 * part.share + '%';
		if (part.share > 0.09)
			piece.textContent = part.share > 0.16 ? part.label + ' ' + formatShare(part.share) : formatShare(part.share);
		bar.append(piece);
	}
	if (pause > 0.001) {
		const line = make('span', { class: 'pause' });
		line.style.width = Math.min(100, 100 * pause) + '%';
		bar.append(line);
	}
	return bar;
}

/* The JDK's frames are drawn quietly. */
const ofJdk = name => /^(java|javax|jdk|sun|com\.sun|kernel)\./.test(name);

/* "a.b.C.m(int)" as "C.m". */
function shortName(name) {
	name = name.replace(/[./]0x[0-9a-f]{6,}/, ''); /* the address in the name of a hidden class */
	const call = name.indexOf('(');
	const path = (call < 0 ? name : name.slice(0, call)).split('.');
	return path.slice(-2).join('.');
}
