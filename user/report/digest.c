// SPDX-License-Identifier: BSD-2-Clause
#include "user/report/digest.h"
#include "format/vec.h"
#include "user/trace/trace.h"
#include "user/trace/sum.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CELLS_MOST 80000 /* of each kind, in memory */
#define APART	   3	 /* times the median: from there on calls are another kind of call */

static const double band_ends[DIGEST_BANDS] = {0.5, 0.9, 0.99, 0.999, 1};

void digest_release(struct digest *d)
{
	for (size_t i = 0; i < d->methods; i++) {
		free(d->method[i].histogram);
		free(d->method[i].next);
	}
	free(d->method);
	method_names_release(&d->names);
	threads_release(&d->threads);
	wait_kinds_release(&d->kinds);
	thread_waits_release(&d->waits);
	callers_release(&d->tree);
	activity_release(&d->activity);
	candidates_release(&d->candidates);
	holders_release(&d->holders);
	cells_release(&d->heat);
	cells_release(&d->calls);
	cells_release(&d->blocked);
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

/* The method of a call. NULL: no memory. */
static struct digest_method *digest_method_of(struct digest *d, const struct call *call)
{
	uint32_t name = method_names_number(&d->names, call->chunk, &call->method);

	if (!name || vec_reserve(&d->method, &d->method_capacity, name))
		return NULL;
	for (; d->methods < name; d->methods++)
		d->method[d->methods] = (struct digest_method){.name = d->methods + 1, .rank = DIGEST_METHODS};
	return &d->method[name - 1];
}

static int survey_on_call(const struct call *call, void *context)
{
	struct digest *d = context;
	struct digest_method *m = digest_method_of(d, call);
	uint32_t thread = threads_number(&d->threads, call->chunk, &call->thread);

	if (!m)
		return -ENOMEM;
	if (!d->all.calls || call->start < d->first)
		d->first = call->start;
	if (!d->all.calls || call->start + call->duration > d->last)
		d->last = call->start + call->duration;
	if (!m->all.calls && m->name <= DIGEST_SURVEYED) {
		m->histogram = calloc(DURATION_BINS, sizeof(*m->histogram));
		m->next = calloc(DURATION_BINS, sizeof(*m->next));
	}
	d->has_faults |= call->usage && call->major_faults >= 0;
	split_add(&d->all, call);
	split_add(&m->all, call);
	if (thread)
		sum_add(&d->threads.thread[thread - 1].time, call->duration);
	if (m->name > DIGEST_SURVEYED)
		return 0;
	if (!m->histogram || !m->next)
		return -ENOMEM;
	m->histogram[duration_bin(call->duration, DURATION_BITS)]++;
	return 0;
}

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

static const struct digest *digest_sorted; /* for the comparisons: qsort() passes no context */

static int digest_compare_methods(const void *a, const void *b)
{
	const struct digest_method *x = &digest_sorted->method[*(const uint32_t *)a];
	const struct digest_method *y = &digest_sorted->method[*(const uint32_t *)b];

	return x->all.time != y->all.time ? (x->all.time < y->all.time) - (x->all.time > y->all.time)
					  : (x->name > y->name) - (x->name < y->name);
}

static int digest_compare_threads(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int64_t of_x = digest_sorted->threads.thread[x - 1].time, of_y = digest_sorted->threads.thread[y - 1].time;

	return of_x != of_y ? (of_x < of_y) - (of_x > of_y) : (x > y) - (x < y);
}

/* Choose the methods and threads with most time. */
static int digest_rank(struct digest *d)
{
	size_t most = d->methods > d->threads.count ? d->methods : d->threads.count;
	uint32_t *order = calloc(most + 1, sizeof(*order));
	size_t n = 0;

	if (!order)
		return -ENOMEM;
	digest_sorted = d;
	for (size_t i = 0; i < d->methods; i++)
		if (d->method[i].histogram)
			order[n++] = i;
	qsort(order, n, sizeof(*order), digest_compare_methods);
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
	qsort(order, d->threads.count, sizeof(*order), digest_compare_threads);
	activity_init(&d->activity, &d->grid, order, d->threads.count);
	free(order);
	return 0;
}

int digest_survey(struct digest *d, struct jfr_file *file)
{
	int err = trace_read(file, &(struct trace_ops){.call = survey_on_call}, d);

	d->utc_offset = file->utc_offset;
	grid_init(&d->grid, d->first, d->last);
	cells_init(&d->heat, 0, CELLS_MOST);
	cells_init(&d->calls, 6, CELLS_MOST);
	cells_init(&d->blocked, 1, CELLS_MOST);
	callers_init(&d->tree);
	err = err ?: digest_rank(d);
	return err ?: candidates_init(&d->candidates, d->charted);
}

static int digest_on_wait(const struct thread_wait *w, void *context)
{
	struct digest *d = context;
	uint32_t thread = threads_number(&d->threads, w->chunk, &w->thread);
	uint32_t waker = threads_number(&d->threads, w->chunk, &w->waker);
	struct joined_wait joined = {.start = w->start, .duration = w->duration, .waker = waker};

	joined.kind = wait_kinds_of(&d->kinds, w, &d->threads, waker);
	d->has_waits = true;
	if (joined.kind == UINT32_MAX)
		return -ENOMEM;
	joined.lock = holders_is_lock(&d->holders, w);
	if (joined.lock)
		holders_note(&d->holders, thread, waker, w->start, w->duration);
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
	is = text.size == 2 && memcmp(text.data, "GC", 2) == 0;
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

static int digest_add_wait(struct digest *d, const struct digest_method *m, struct cell *where, unsigned int band,
			   const struct joined_wait *w)
{
	struct group *of_band = aggregate_of(&d->band_waits, digest_band_key(m->rank, band), w->kind);
	struct cell *cell;

	if (!of_band)
		return -ENOMEM;
	aggregate_add(of_band, w->duration, false);
	cell = cells_find_at(&d->blocked, m->rank, where->column, where->bin, w->kind);
	if (!cell)
		return -ENOMEM;
	cell->count++;
	sum_add(&cell->sum[0], w->duration);
	return 0;
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
				       .lock = w->lock,
				       .start = w->start,
				       .duration = w->duration});
}

static int digest_add_slow_wait(struct digest *d, const struct digest_method *m, uint32_t thread,
				const struct joined_wait *w)
{
	struct group *g = aggregate_of(&d->slow_waits, m->rank, w->kind);

	if (!g)
		return -ENOMEM;
	aggregate_add(g, w->duration, false);
	if (d->kinds.kind[w->kind].lock)
		digest_want_holder(d, m, thread, w);
	return 0;
}

static int digest_add_waits(struct digest *d, const struct digest_method *m, const struct call *call, uint32_t thread,
			    struct cell *where, unsigned int band)
{
	bool slow = call->duration >= m->slow_from;
	const struct joined_wait *w;
	size_t count;
	int err = 0;

	w = thread_waits_in(&d->waits, thread, call->start, call->start + call->duration, &count);
	for (size_t i = 0; i < count && !err; i++) {
		err = digest_add_wait(d, m, where, band, &w[i]);
		if (!err && slow)
			err = digest_add_slow_wait(d, m, thread, &w[i]);
	}
	return err;
}

static int digest_add_cell(struct digest *d, const struct digest_method *m, const struct call *call,
			   const struct cell *where)
{
	struct cell *heat = cells_find_at(&d->heat, m->rank, where->column, where->bin, 0), *cell;
	bool known = call_has_split(call);

	if (!heat)
		return -ENOMEM;
	heat->count++;
	cell = cells_find_at(&d->calls, m->rank, where->column, where->bin, where->item);
	if (!cell)
		return -ENOMEM;
	cell->count++;
	sum_add(&cell->sum[0], call->duration);
	sum_add(&cell->sum[1], call->thrown);
	sum_add(&cell->sum[2], known ? 0 : call->duration);
	sum_add(&cell->sum[3], known ? call->cpu : 0);
	sum_add(&cell->sum[4], known ? call->run_queue : 0);
	sum_add(&cell->sum[5], known && call->pause > 0 ? call->pause : 0);
	return 0;
}

/* A method with charts: its cells, bands, callers and waits. */
static int digest_chart(struct digest *d, struct digest_method *m, const struct call *call, uint32_t thread)
{
	struct cell where = {.column = grid_column(&d->grid, call->start),
			     .bin = duration_bin(call->duration, CELL_BITS)};
	struct outermost_call place = {d->seen, thread, call->start, call->duration, call->duration};
	unsigned int band = digest_band(m, call->duration);
	int err;

	where.item = callers_add(&d->tree, &d->names, call);
	split_add(&m->band[band], call);
	if (call->duration >= m->slow_from)
		split_add(&m->slow, call);
	candidates_offer(&d->candidates, m->rank, where.column * CANDIDATE_SLICES / GRID_COLUMNS, &place);
	err = digest_add_cell(d, m, call, &where);
	return err ?: digest_add_waits(d, m, call, thread, &where, band);
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
	int err = 0;

	if (!m)
		return -ENOMEM;
	if (m->rank < d->charted)
		err = digest_chart(d, m, call, thread);
	d->seen++;
	return err || !thread ? err : activity_add(&d->activity, thread, &span);
}

static int digest_on_waits_end(struct jfr_chunk *chunk, void *context)
{
	thread_waits_sort(&((struct digest *)context)->waits);
	return 0;
}

int digest_read(struct digest *d, struct jfr_file *file)
{
	static const struct trace_ops ops = {.wait = digest_on_wait,
					     .pause = digest_on_pause,
					     .waits_end = digest_on_waits_end,
					     .call = digest_on_call};
	int err = trace_read(file, &ops, d);

	if (!err)
		holders_settle(&d->holders);
	return err;
}
