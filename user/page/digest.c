// SPDX-License-Identifier: BSD-2-Clause
#include "user/page/digest.h"
#include "user/trace/sum.h"
#include "user/trace/trace.h"
#include "user/trace/wait_place.h"

#include <math.h>
#include <stdlib.h>

#define CELLS_MOST 80000 /* of each kind, in memory */
#define APART	   3	 /* times the median: from there on calls are another kind of call */
#define SPANS_MOST 4096	 /* of a thread: a call that contains more than that counts some of them twice */

static const double band_ends[DIGEST_BANDS] = {0.5, 0.9, 0.99, 0.999, 1};

void digest_release(struct digest *d)
{
	for (size_t i = 0; i < d->methods; i++)
		free(d->method[i].histogram);
	for (size_t i = 0; i < d->methods; i++)
		chain_end_release(&d->method[i].chain);
	free(d->method);
	texts_release(&d->path_texts);
	threads_release(&d->path_threads);
	method_names_release(&d->names);
	threads_release(&d->threads);
	free(d->kinds.kind);
	texts_release(&d->kinds.text);
	map_release(&d->kinds.index);
	chunk_map_release(&d->kinds.places);
	thread_waits_release(&d->waits);
	thread_waits_release(&d->samples);
	callers_release(&d->tree);
	for (size_t i = 0; i < d->activity.count; i++)
		free(d->activity.thread[i].span);
	free(d->slice);
	holders_release(&d->holders);
	cells_release(&d->heat);
	cells_release(&d->calls);
	cells_release(&d->blocked);
	cells_release(&d->sampled);
	aggregate_release(&d->band_waits);
	aggregate_release(&d->slow_waits);
}

static void split_add(struct digest_split *s, const struct call *call)
{
	if (!s->calls || call->duration < s->least)
		s->least = call->duration;
	if (!s->calls || call->duration > s->most)
		s->most = call->duration;
	s->calls++;
	s->thrown += call->thrown;
	sum_add(&s->time, call->duration);
	if (call->usage && call->major_faults >= 0)
		sum_add(&s->faults, call->major_faults + call->minor_faults);
	if (!call_has_split(call))
		return;
	sum_add(&s->known, call->duration);
	sum_add(&s->cpu, call->cpu);
	sum_add(&s->run_queue, call->run_queue);
	sum_add(&s->pause, call->pause > 0 ? call->pause : 0);
}

static struct digest_method *digest_method_of(struct digest *d, const struct call *call)
{
	uint32_t name = method_names_number(&d->names, call->chunk, &call->method);

	memory_reserve(&d->method, &d->method_capacity, name);
	for (; d->methods < name; d->methods++)
		d->method[d->methods] = (struct digest_method){.name = d->methods + 1, .rank = DIGEST_METHODS};
	return &d->method[name - 1];
}

static int survey_on_call(const struct call *call, void *context)
{
	struct digest *d = context;
	struct digest_method *m = digest_method_of(d, call);
	uint32_t thread = threads_number(&d->threads, call->chunk, &call->thread);

	if (!d->all.calls || call->start < d->first)
		d->first = call->start;
	if (!d->all.calls || call->start + call->duration > d->last)
		d->last = call->start + call->duration;
	d->has_faults |= call->usage && call->major_faults >= 0;
	split_add(&d->all, call);
	split_add(&m->all, call);
	if (thread)
		sum_add(&d->threads.thread[thread - 1].time, call->duration);
	if (m->name > DIGEST_SURVEYED)
		return 0;
	if (!m->histogram) {
		m->histogram = memory_need(calloc(2 * DURATION_BINS, sizeof(*m->histogram)));
		m->next = m->histogram + DURATION_BINS;
	}
	m->histogram[duration_bin(call->duration, DURATION_BITS)]++;
	return 0;
}

const struct trace_ops digest_survey = {.call = survey_on_call};

int64_t digest_quantile(const struct digest_method *m, double share)
{
	uint64_t wanted = ceil(share * m->all.calls), sum = 0;

	for (unsigned int bin = 0; m->histogram && bin < DURATION_BINS; bin++) {
		int64_t from = duration_of_bin(bin, DURATION_BITS), to = duration_of_bin(bin + 1, DURATION_BITS);

		sum += m->histogram[bin];
		if (sum && sum >= wanted)
			return from + (to - from) / 2 < m->all.most ? from + (to - from) / 2 : m->all.most;
	}
	return m->all.most;
}

/*
 * Calls are slow if they are longer than the usual ones by a factor: then the limit is halfway, on a logarithmic scale,
 * between the median and the 99th or the 99.9th percentile. Where there is no such gap, all calls are alike.
 */
static int64_t digest_slow_from(const struct digest_method *m)
{
	static const double tails[] = {0.95, 0.99, 0.999};
	double median = digest_quantile(m, 0.5), tail;

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		tail = digest_quantile(m, tails[i]);
		if (m->all.calls * (1 - tails[i]) >= 1 && median > 0 && tail >= APART * median)
			return sqrt(median * tail);
	}
	return 0;
}

static int digest_compare_methods(const void *a, const void *b, void *context)
{
	const struct digest *d = context;
	const struct digest_method *x = &d->method[*(const uint32_t *)a], *y = &d->method[*(const uint32_t *)b];

	return x->all.time != y->all.time ? (x->all.time < y->all.time) - (x->all.time > y->all.time)
					  : (x->name > y->name) - (x->name < y->name);
}

static int digest_compare_threads(const void *a, const void *b, void *context)
{
	const struct threads *t = &((const struct digest *)context)->threads;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int64_t of_x = t->thread[x - 1].time, of_y = t->thread[y - 1].time;

	return of_x != of_y ? (of_x < of_y) - (of_x > of_y) : (x > y) - (x < y);
}

/* Choose the methods and threads with most time. */
static void digest_rank(struct digest *d)
{
	size_t most = d->methods > d->threads.count ? d->methods : d->threads.count, n = 0;
	uint32_t *order = memory_need(calloc(most + 1, sizeof(*order)));

	for (size_t i = 0; i < d->methods; i++)
		if (d->method[i].histogram)
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), digest_compare_methods, d);
	for (d->charted = 0; d->charted < n && d->charted < DIGEST_METHODS; d->charted++) {
		struct digest_method *m = &d->method[order[d->charted]];

		d->ranked[d->charted] = order[d->charted];
		m->rank = d->charted;
		for (unsigned int bin = 1; bin < DURATION_BINS; bin++)
			m->next[bin] = m->next[bin - 1] + m->histogram[bin - 1];
		m->slow_from = digest_slow_from(m);
	}
	for (size_t i = 0; i < d->threads.count; i++)
		order[i] = i + 1;
	qsort_r(order, d->threads.count, sizeof(*order), digest_compare_threads, d);
	for (size_t i = 0; i < d->threads.count && i < ACTIVITY_THREADS; i++)
		d->activity.thread[d->activity.count++].number = order[i];
	free(order);
}

void digest_survey_end(struct digest *d, int64_t utc_offset)
{
	d->utc_offset = utc_offset;
	grid_init(&d->grid, d->first, d->last);
	cells_init(&d->heat, false, 0, CELLS_MOST);
	cells_init(&d->calls, true, 6, CELLS_MOST);
	cells_init(&d->blocked, true, 1, CELLS_MOST);
	cells_init(&d->sampled, true, 1, CELLS_MOST);
	digest_rank(d);
	d->slice = memory_need(calloc(d->charted * SLICES + 1, sizeof(*d->slice)));
}

/* The place of a wait, as a number of a text. */
static uint32_t wait_kinds_place(struct wait_kinds *k, const struct thread_wait *w, bool lock)
{
	struct bytes text;
	uint32_t *number;

	if (w->stack.kind != VALUE_KEY)
		return 0;
	number = chunk_map_at(&k->places, w->chunk, &w->stack, lock);
	if (!*number) {
		bytes_init(&text);
		(lock ? put_wait_place : put_wait_caller)(&text, w);
		*number = texts_number(&k->text, memory_text(&text)) + 1;
		bytes_release(&text);
	}
	return *number - 1;
}

/* The number of the wait's kind. `waker`: of the thread; 0: unknown. */
static uint32_t digest_wait_kind(struct digest *d, const struct thread_wait *w, uint32_t waker)
{
	char *reason = thread_wait_reason(w);
	struct wait_kind kind = {.reason = texts_number(&d->kinds.text, reason), .lock = wait_is_for_lock(reason)};
	struct wait_kinds *k = &d->kinds;
	uint32_t *number;

	free(reason);
	if (k->count < WAIT_KINDS_MOST) {
		kind.place = wait_kinds_place(k, w, kind.lock);
		kind.waker = texts_number(&k->text, waker ? d->threads.thread[waker - 1].group : "");
	}
	number = memory_map_at(&k->index, kind.reason, (uint64_t)kind.place << 32 | kind.waker);
	if (!*number) {
		memory_reserve(&k->kind, &k->capacity, k->count + 1);
		k->kind[k->count++] = kind;
		*number = k->count;
	}
	return *number - 1;
}

static int digest_on_wait(const struct thread_wait *w, void *context)
{
	struct digest *d = context;
	uint32_t thread = threads_number(&d->threads, w->chunk, &w->thread);
	uint32_t waker = threads_number(&d->threads, w->chunk, &w->waker);
	struct joined_wait joined = {.start = w->start,
				     .duration = w->duration,
				     .woken = w->woken,
				     .kind = digest_wait_kind(d, w, waker),
				     .waker = waker};

	d->has_waits = true;
	joined.what = holders_what(&d->holders, w);
	if (joined.what == WAIT_FOR_LOCK)
		holders_note(&d->holders, &(struct noted_wait){.start = w->start,
							       .end = w->start + w->duration,
							       .thread = thread,
							       .waker = waker,
							       .what = WAIT_FOR_LOCK});
	if (thread)
		thread_waits_add(&d->waits, thread, &joined);
	return 0;
}

static bool pause_is_gc(const struct thread_wait *w)
{
	struct bytes text;
	bool is;

	bytes_init(&text);
	if (w->reason.kind == VALUE_TEXT)
		bytes_put_decoded(&text, &w->reason.text);
	is = strcmp(memory_text(&text), "GC") == 0;
	bytes_release(&text);
	return is;
}

static int digest_on_pause(const struct thread_wait *w, void *context)
{
	struct digest *d = context;
	int64_t *sums = pause_is_gc(w) ? d->gc : d->pause, at = w->start, end = w->start + w->duration;

	d->has_pauses = true;
	while (at < end && at < d->last) {
		unsigned int column = grid_column(&d->grid, at);
		int64_t next = d->grid.start + (column + 1) * d->grid.width;

		next = next < end && next > at ? next : end;
		if (at >= d->first)
			sum_add(&sums[column], next - at);
		at = next;
	}
	return 0;
}

/* The band of a call among those of its method. The calls of one bin are put in order as they come. */
static unsigned int digest_band(struct digest_method *m, int64_t duration)
{
	unsigned int bin = duration_bin(duration, DURATION_BITS), band = 0;
	uint64_t rank = m->next[bin]++;

	if (rank + 1 >= m->all.calls)
		return DIGEST_BANDS - 1;
	while (band < DIGEST_BANDS - 1 && rank + 0.5 >= band_ends[band] * m->all.calls)
		band++;
	return band;
}

/* When there are too many waits, each second one goes. */
static void digest_want_holder(struct digest *d, const struct digest_method *m, uint32_t thread,
			       const struct joined_wait *w)
{
	struct holders *h = &d->holders;

	d->held_stride = d->held_stride ?: 1;
	if (!w->waker || d->held_seen++ % d->held_stride)
		return;
	if (h->wanted >= HELD_MOST) {
		for (size_t i = 0; i < h->wanted / 2; i++)
			h->held[i] = h->held[2 * i];
		h->wanted /= 2;
		d->held_stride *= 2;
	}
	holders_want(h, &(struct held){.thread = thread,
				       .holder = w->waker,
				       .mark = m->rank,
				       .what = w->what,
				       .start = w->start,
				       .duration = w->duration,
				       .woken = w->woken});
}

/* The waits in a call. */
static void digest_add_waits(struct digest *d, const struct digest_method *m, const struct call *call, uint32_t thread,
			     const struct cell *where, unsigned int band)
{
	const struct span span = call_span(call);
	const struct joined_wait *w;
	struct cell *cell;
	size_t count;

	w = thread_waits_in(&d->waits, thread, &span, &count);
	for (size_t i = 0; i < count; i++, w++) {
		aggregate_add(aggregate_of(&d->band_waits, digest_band_key(m->rank, band), w->kind), w->duration,
			      false);
		cell = cells_find_at(&d->blocked, m->rank, where->column, where->bin, w->kind);
		cell->count++;
		sum_add(&cell->sum[0], w->duration);
		if (call->duration < m->slow_from)
			continue;
		aggregate_add(aggregate_of(&d->slow_waits, m->rank, w->kind), w->duration, false);
		if (d->kinds.kind[w->kind].lock)
			digest_want_holder(d, m, thread, w);
	}
}

static void digest_add_cell(struct digest *d, const struct digest_method *m, const struct call *call,
			    const struct cell *where)
{
	bool known = call_has_split(call);
	struct cell *cell;

	cells_find_at(&d->heat, m->rank, where->column, where->bin, 0)->count++;
	cell = cells_find_at(&d->calls, m->rank, where->column, where->bin, where->item);
	cell->count++;
	sum_add(&cell->sum[0], call->duration);
	sum_add(&cell->sum[1], call->thrown);
	sum_add(&cell->sum[2], known ? 0 : call->duration);
	sum_add(&cell->sum[3], known ? call->cpu : 0);
	sum_add(&cell->sum[4], known ? call->run_queue : 0);
	sum_add(&cell->sum[5], known && call->pause > 0 ? call->pause : 0);
}

static void digest_slice_offer(struct digest_slice *slice, const struct outermost_call *call)
{
	struct outermost_call *kept = slice->call;
	int i = SLICE_EACH - 1;

	if (call->span.duration <= kept[i].span.duration)
		return;
	for (; i > 0 && kept[i - 1].span.duration < call->span.duration; i--)
		kept[i] = kept[i - 1];
	kept[i] = *call;
}

size_t digest_longest(const struct digest *d, struct outermost_call *out, size_t wanted)
{
	size_t count = 0;

	for (int order = 0; order < SLICE_EACH; order++)
		for (size_t i = 0; i < (size_t)d->charted * SLICES && count < wanted; i++)
			if (d->slice[i].call[order].span.duration > 0)
				out[count++] = d->slice[i].call[order];
	return count;
}

/* A method with charts: its cells, bands, callers and waits. */
static void digest_chart(struct digest *d, struct digest_method *m, const struct call *call, uint32_t thread)
{
	struct cell where = {.column = grid_column(&d->grid, call->start),
			     .bin = duration_bin(call->duration, CELL_BITS),
			     .item = callers_add(&d->tree, &d->names, call)};
	struct outermost_call place = {call_span(call), thread, call->duration};
	unsigned int band = digest_band(m, call->duration);

	split_add(&m->band[band], call);
	if (call->duration >= m->slow_from)
		split_add(&m->slow, call);
	digest_slice_offer(&d->slice[m->rank * SLICES + where.column * SLICES / GRID_COLUMNS], &place);
	digest_add_cell(d, m, call, &where);
	digest_add_waits(d, m, call, thread, &where, band);
}

/* Add the span's times to its columns, or take them away again: in proportion to what lies in each. */
static void activity_spread(const struct grid *grid, struct activity_thread *t, const struct activity_span *span,
			    int sign)
{
	int64_t all = span->part[ACTIVITY_ALL], width = grid->width << ACTIVITY_SHIFT, end = span->start + all;
	unsigned int column = grid_column(grid, span->start) >> ACTIVITY_SHIFT;
	unsigned int last = grid_column(grid, end) >> ACTIVITY_SHIFT;

	for (; column <= last; column++) {
		int64_t from = grid->start + column * width, to = from + width;
		int64_t inside = (end < to ? end : to) - (span->start > from ? span->start : from);

		for (int p = 0; p < ACTIVITY_PARTS && inside > 0 && all > 0; p++)
			sum_add(&t->column[column][p], sign * (int64_t)((double)span->part[p] * inside / all));
	}
}

static void activity_add(struct digest *d, struct activity_thread *t, const struct activity_span *span)
{
	while (t->count && t->span[t->count - 1].start >= span->start)
		activity_spread(&d->grid, t, &t->span[--t->count], -1);
	if (t->count >= SPANS_MOST) {
		t->count /= 2;
		memmove(t->span, t->span + t->count, t->count * sizeof(*t->span));
	}
	memory_reserve(&t->span, &t->capacity, t->count + 1);
	t->span[t->count++] = *span;
	activity_spread(&d->grid, t, span, 1);
}

static int digest_on_call(const struct call *call, void *context)
{
	struct digest *d = context;
	struct digest_method *m = digest_method_of(d, call);
	uint32_t thread = threads_number(&d->threads, call->chunk, &call->thread);
	bool known = call_has_split(call);
	struct activity_span span = {
		call->start,
		{call->duration, known ? call->cpu : 0, known ? call->run_queue : 0, known ? call->blocked : 0}};

	if (m->rank < d->charted)
		digest_chart(d, m, call, thread);
	for (size_t i = 0; i < d->activity.count && thread && call->duration > 0; i++)
		if (d->activity.thread[i].number == thread)
			activity_add(d, &d->activity.thread[i], &span);
	return 0;
}

static int digest_on_waits_end(struct jfr_chunk *chunk, void *context)
{
	struct digest *d = context;

	thread_waits_sort(&d->waits);
	thread_waits_sort(&d->samples); /* only what is sorted can be forgotten */
	return 0;
}

/* The critical paths of slow calls. */
static int digest_on_path(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct digest *d = context;
	struct path_part part = path_part_read(&d->path_reader, chunk, e);
	uint32_t name = method_names_number(&d->names, chunk, &part.method), thread;
	struct digest_method *m = name && name <= d->methods ? &d->method[name - 1] : NULL;

	if (!m || m->rank == DIGEST_METHODS || part.call_duration < m->slow_from)
		return 0;
	thread = threads_named(&d->path_threads, chunk, &part.thread);
	if (!part.offset)
		sum_add(&m->path_time, part.call_duration);
	chain_end_add(&m->chain, &d->path_texts, &part, thread ? d->path_threads.thread[thread - 1].group : NULL);
	return 0;
}

static int digest_on_sample(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct jfr_value stack = jfr_event_field(chunk, e, e->type->stack);
	struct jfr_value sampled = jfr_event_field(chunk, e, meta_type_field(e->type, "sampledThread"));
	struct digest *d = context;
	uint32_t thread = threads_number(&d->threads, chunk, &sampled);

	if (thread)
		thread_waits_add(&d->samples, thread,
				 &(struct joined_wait){.start = jfr_event_span(chunk, e).start,
						       .kind = callers_add_stack(&d->tree, &d->names, chunk, &stack)});
	return 0;
}

static const struct trace_event digest_events[] = {
	{PATH_EVENT, digest_on_path}, {"jdk.ExecutionSample", digest_on_sample}, {NULL, NULL}};

const struct trace_ops digest_fill = {.events = digest_events,
				      .wait = digest_on_wait,
				      .pause = digest_on_pause,
				      .waits_end = digest_on_waits_end,
				      .call = digest_on_call};

void digest_fill_end(struct digest *d)
{
	d->holders.threads = &d->threads;
	d->holders.names = &d->names;
	holders_settle(&d->holders);
	thread_waits_sort(&d->samples);
}

/* A sample may be in a later chunk than its call. Calls come in the order of their ends, the innermost one first. */
static int digest_on_sampled_call(const struct call *call, void *context)
{
	struct digest *d = context;
	const struct digest_method *m = digest_method_of(d, call);
	const struct span span = call_span(call);
	unsigned int column = grid_column(&d->grid, call->start), bin = duration_bin(call->duration, CELL_BITS);
	struct joined_wait *w;
	struct cell *cell;
	size_t count;

	if (m->rank >= d->charted)
		return 0;
	w = thread_waits_in(&d->samples, threads_number(&d->threads, call->chunk, &call->thread), &span, &count);
	for (; count; count--, w++) {
		cell = cells_find_at(&d->sampled, m->rank, column, bin, w->kind);
		cell->count++;
		cell->sum[0] += !w->what;
		w->what = 1;
	}
	return 0;
}

const struct trace_ops digest_sampled = {.call = digest_on_sampled_call};
