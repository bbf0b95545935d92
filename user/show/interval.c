// SPDX-License-Identifier: BSD-2-Clause
#include "user/show/interval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct open_calls {
	uint64_t count, oldest; /* start of the oldest, TSC */
};

struct intervals {
	const struct segment *segment;
	struct clock *clock;
	struct breakdown_sums *splits;
	struct timings now;
	struct timing before[FRT_MAX_METHODS];
	struct breakdown_sum split_before[FRT_MAX_METHODS];
	struct frt_group seen[FRT_MAX_GROUPS];
	struct open_calls open[FRT_MAX_METHODS];
	struct interval_row row[FRT_MAX_METHODS];
	struct interval interval;
	int64_t begin;
};

int intervals_new(struct intervals **out, const struct segment *s, struct clock *c, struct breakdown_sums *splits,
		  bool allocated, struct diag *d)
{
	struct intervals *v = calloc(1, sizeof(*v));

	*out = v;
	if (!v)
		return diag_errno(d, ENOMEM, "cannot make room for the table");
	v->segment = s;
	v->clock = c;
	v->splits = splits;
	v->interval.order = INTERVAL_TOTAL;
	v->interval.split = splits;
	v->interval.allocated = allocated;
	return 0;
}

void intervals_begin(struct intervals *v)
{
	clock_sample(v->clock);
	v->begin = v->interval.end = clock_last(v->clock)->monotonic;
}

void intervals_free(struct intervals *v)
{
	if (v)
		timings_release(&v->now);
	free(v);
}

/*
 * Count the open calls of a slot. Its thread runs meanwhile, so the data may be slightly stale; only indexes are
 * checked.
 */
static void add_open(struct intervals *v, const struct frt_slot *slot)
{
	uint32_t depth = __atomic_load_n(&slot->depth, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < depth && i < FRT_OPEN_CALLS; i++) {
		struct frt_open_call call;
		struct open_calls *to;

		call.start = __atomic_load_n(&slot->open[i].start, __ATOMIC_RELAXED);
		call.method = __atomic_load_n(&slot->open[i].method, __ATOMIC_RELAXED);
		if (!call.method || call.method >= FRT_MAX_METHODS ||
		    !segment_has_call(v->segment, call.method, call.start))
			continue;
		to = &v->open[call.method];
		if (!to->count++ || call.start < to->oldest)
			to->oldest = call.start;
	}
}

static void read_open(struct intervals *v)
{
	const struct frt_slot *slot;

	for (uint32_t id = 1; segment_method(v->segment, id); id++)
		v->open[id] = (struct open_calls){0};
	for (uint32_t i = 0; (slot = segment_slot(v->segment, i)); i++)
		if (slot->epoch == segment_header(v->segment)->epoch && !(slot->flags & FRT_SLOT_CARRIER))
			add_open(v, slot);
}

static uint64_t age(const struct intervals *v, uint64_t start)
{
	int64_t ns = start ? v->interval.end - clock_ns(v->clock, start) : 0;

	return ns > 0 ? ns : 0;
}

static uint64_t interval_ns_of(const struct intervals *v, uint64_t ticks)
{
	return clock_ns_of_ticks(v->clock, ticks);
}

static struct timing in_ns(const struct intervals *v, const struct timing *t)
{
	return (struct timing){.count = t->count,
			       .thrown = t->thrown,
			       .total = interval_ns_of(v, t->total),
			       .children = interval_ns_of(v, t->children),
			       .repeated = interval_ns_of(v, t->repeated),
			       .allocated = t->allocated,
			       .unknown = t->unknown,
			       .minimum = interval_ns_of(v, t->minimum),
			       .maximum = interval_ns_of(v, t->maximum)};
}

/* The sums to subtract. seen NULL: everything since the start. */
struct base {
	const struct timing *of;
	struct frt_group *seen;
};

static void fill_nested(const struct intervals *v, struct interval_row *r, const struct timing *now,
			const struct timing *before)
{
	struct timing t = {.total = now->total - before->total,
			   .children = now->children - before->children,
			   .repeated = now->repeated - before->repeated,
			   .unknown = now->unknown};
	uint64_t ticks;

	r->self = timing_self(&t, &ticks) ? interval_ns_of(v, ticks) : INTERVAL_UNKNOWN;
	r->outermost = timing_without_recursion(&t, &ticks) ? interval_ns_of(v, ticks) : INTERVAL_UNKNOWN;
}

static uint64_t interval_allocated(const struct timing *now, const struct timing *before)
{
	return now->unknown & FRT_UNKNOWN_ALLOCATED ? INTERVAL_UNKNOWN : now->allocated - before->allocated;
}

static void fill_times(struct intervals *v, struct interval_row *r, const struct base *base)
{
	const struct timing *now = &v->now.of[r->method], *before = &base->of[r->method];
	uint64_t ticks = now->total - before->total, percentile[TIMING_PERCENTILES], longest;

	r->total = interval_ns_of(v, ticks);
	fill_nested(v, r, now, before);
	r->allocated = interval_allocated(now, before);
	r->average = (r->total + r->calls / 2) / r->calls;
	r->maximum = interval_ns_of(v, now->maximum);
	r->bucketed = timing_percentiles_since(v->segment, &v->now, r->method, base->seen, percentile, &longest);
	if (!r->bucketed)
		return;
	r->p50 = interval_ns_of(v, percentile[TIMING_P50]);
	r->p99 = interval_ns_of(v, percentile[TIMING_P99]);
	if (now->maximum <= before->maximum)
		r->maximum = interval_ns_of(v, longest);
}

/* `base` NULL: since the start. */
static void fill_split(struct intervals *v, struct interval_row *r, const struct breakdown_sum *base)
{
	static const struct breakdown_sum nothing;
	const struct breakdown_sum *now = breakdown_sums_of(v->splits, r->method),
				   *before = base ? &base[r->method] : &nothing;

	r->split = (struct breakdown_sum){.calls = now->calls - before->calls,
					  .duration = now->duration - before->duration,
					  .run_queue = now->run_queue - before->run_queue,
					  .blocked = now->blocked - before->blocked,
					  .worst = base ? breakdown_sums_take_worst(v->splits, r->method) : now->worst};
	v->split_before[r->method] = *now;
}

static void interval_add_row(struct intervals *v, uint32_t method, const struct base *base)
{
	const struct timing *now = &v->now.of[method], *before = &base->of[method];
	const struct open_calls *open = &v->open[method];
	struct interval_row *r = &v->row[v->interval.rows];

	if (now->count == before->count && !open->count)
		return;
	*r = (struct interval_row){.method = method,
				   .calls = now->count - before->count,
				   .thrown = now->thrown - before->thrown,
				   .open = open->count,
				   .oldest_age = age(v, open->count ? open->oldest : 0),
				   .since_start = in_ns(v, now)};
	if (r->calls)
		fill_times(v, r, base);
	if (v->splits)
		fill_split(v, r, base->seen ? v->split_before : NULL);
	v->interval.rows++;
	v->interval.calls += r->calls;
	v->interval.nested |= r->calls && r->self != INTERVAL_UNKNOWN && r->self != r->total;
	v->interval.recursive |= r->calls && r->outermost != INTERVAL_UNKNOWN && r->outermost != r->total;
	v->interval.thrown += r->thrown;
}

static uint64_t share_of_duration(const struct interval_row *r, uint64_t part)
{
	return r->split.duration ? 1000000.0 * part / r->split.duration : 0;
}

static uint64_t row_value(const struct interval_row *r, enum interval_column c)
{
	switch (c) {
	case INTERVAL_CALLS: return r->calls;
	case INTERVAL_ERRORS: return r->thrown;
	case INTERVAL_AVERAGE: return r->average;
	case INTERVAL_P50: return r->p50;
	case INTERVAL_P99: return r->p99;
	case INTERVAL_MAXIMUM: return r->maximum;
	case INTERVAL_SELF: return r->self == INTERVAL_UNKNOWN ? 0 : r->self;
	case INTERVAL_ALLOCATED: return r->allocated == INTERVAL_UNKNOWN ? 0 : r->allocated;
	case INTERVAL_OUTERMOST: return r->outermost == INTERVAL_UNKNOWN ? 0 : r->outermost;
	case INTERVAL_CPU: return share_of_duration(r, breakdown_sum_cpu(&r->split));
	case INTERVAL_RUN_QUEUE: return share_of_duration(r, r->split.run_queue);
	case INTERVAL_BLOCKED: return share_of_duration(r, r->split.blocked);
	case INTERVAL_WORST: return r->split.worst;
	case INTERVAL_OPEN: return r->open;
	case INTERVAL_TOTAL:
	case INTERVAL_COLUMNS: break;
	}
	return r->total;
}

static int busier(const void *a, const void *b, void *order)
{
	const struct interval_row *x = a, *y = b;
	uint64_t of_x = row_value(x, *(enum interval_column *)order),
		 of_y = row_value(y, *(enum interval_column *)order);

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return x->method < y->method ? -1 : 1;
}

const struct interval *intervals_last(const struct intervals *v)
{
	return &v->interval;
}

void intervals_sort(struct intervals *v, enum interval_column order)
{
	v->interval.order = order;
	qsort_r(v->row, v->interval.rows, sizeof(v->row[0]), busier, &v->interval.order);
}

static void add_rows(struct intervals *v, const struct base *base)
{
	for (uint32_t id = 1; segment_method(v->segment, id); id++)
		interval_add_row(v, id, base);
	intervals_sort(v, v->interval.order);
}

bool interval_has_column(const struct interval *i, enum interval_column c)
{
	switch (c) {
	case INTERVAL_OUTERMOST: return i->recursive;
	case INTERVAL_SELF: return i->nested;
	case INTERVAL_ALLOCATED: return i->allocated;
	case INTERVAL_CPU:
	case INTERVAL_RUN_QUEUE:
	case INTERVAL_BLOCKED:
	case INTERVAL_WORST: return i->split;
	default: return true;
	}
}

const struct interval *intervals_next(struct intervals *v)
{
	struct base last = {v->before, v->seen};
	struct interval *i = &v->interval;
	struct segment_totals t;
	int64_t begin = i->end;

	timings_read(&v->now, v->segment);
	read_open(v);
	segment_totals(v->segment, &t);
	clock_sample(v->clock);
	*i = (struct interval){.end = clock_last(v->clock)->monotonic,
			       .row = v->row,
			       .open = t.open,
			       .split = v->splits,
			       .allocated = i->allocated,
			       .order = i->order};
	i->length = i->end - begin;
	i->oldest_age = age(v, t.oldest_start);
	i->oldest_method = t.oldest_start ? t.oldest_method : 0;
	add_rows(v, &last);
	memcpy(v->before, v->now.of, sizeof(v->before));
	return i;
}

const struct interval *intervals_whole(struct intervals *v)
{
	static struct timing nothing[FRT_MAX_METHODS]; /* zeros; not const, to be in .bss */
	struct base start = {nothing, NULL};
	struct interval *i = &v->interval;

	i->length = i->end - v->begin;
	i->rows = i->calls = i->thrown = 0;
	i->nested = i->recursive = false;
	i->whole = true;
	add_rows(v, &start);
	return i;
}
