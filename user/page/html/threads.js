/* SPDX-License-Identifier: BSD-2-Clause */
/* What the busiest threads did in traced calls, column by column. */

const THREADS_SHOWN = 14;
let threadsShown = THREADS_SHOWN;

function drawThread(place, activity) {
	const { canvas, context: c, width, height } = canvasIn(place, 20);
	const count = activity.parts.length / 4, size = width / count, part = (n, i) => activity.parts[n * count + i] / 1000;
	const colors = [color('--cpu'), color('--runq'), color('--blocked'), color('--unknown')];
	for (let i = 0; i < count; i++) {
		const all = Math.min(1, part(0, i)), known = [part(1, i), part(2, i), part(3, i)];
		const sum = known[0] + known[1] + known[2], scale = sum > all ? all / sum : 1;
		let y = height;
		for (const [n, share] of [...known, Math.max(0, all - sum)].entries()) {
			const size_y = share * scale * height;
			c.fillStyle = colors[n];
			if (size_y > 0.2)
				c.fillRect(i * size, y - size_y, size + 0.3, size_y);
			y -= size_y;
		}
	}
	c.fillStyle = color('--line');
	c.fillRect(0, height - 1, width, 1);
	if (state.box) {
		c.fillStyle = color('--accent');
		c.globalAlpha = 0.14;
		c.fillRect(state.box.from / columns * width, 0, (state.box.to + 1 - state.box.from) / columns * width, height);
		c.globalAlpha = 1;
	}
	canvas.addEventListener('mousemove', event => {
		const at = canvas.getBoundingClientRect(), i = Math.floor((event.clientX - at.left) / at.width * count);
		if (i < 0 || i >= count)
			return;
		showTip(event, [threadName(activity.thread), formatMoment(i * grid.width * columns / count),
			'in traced calls ' + formatShare(Math.min(1, part(0, i))) + ': cpu ' + formatShare(part(1, i)) + ', run queue ' + formatShare(part(2, i)) + ', blocked ' + formatShare(part(3, i))]);
	});
	canvas.addEventListener('mouseleave', hideTip);
}

function showThreads() {
	const place = byId('threads'), strip = make('div', { class: 'strip' });
	place.replaceChildren(strip);
	for (const activity of data.activity.slice(0, threadsShown)) {
		const cell = make('div');
		strip.append(make('span', { class: 'name', title: threadName(activity.thread) }, threadName(activity.thread)), cell);
		drawThread(cell, activity);
	}
	const axis = make('div');
	strip.append(make('span'), axis);
	const { context, width } = canvasIn(axis, 20);
	drawTimeAxis(context, 0, width, 0);
	if (data.activity.length > threadsShown)
		place.append(make('button', { class: 'more', onclick: () => { threadsShown = data.activity.length; showThreads(); } }, 'Show ' + (data.activity.length - threadsShown) + ' more'));
	place.append(legend([['cpu', 'on a CPU'], ['runq', 'run queue'], ['blocked', 'blocked'], ['unknown', 'not known']]),
		make('p', { class: 'hint' }, 'Height is the share of the time in which the thread was in a traced call.'));
}
