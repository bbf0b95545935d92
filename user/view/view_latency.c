// SPDX-License-Identifier: BSD-2-Clause
/*
 * Distribution of call durations, method by method: a row for each power of two between the shortest and the longest
 * call, with the cumulative share of calls.
 *
 *     demo.Cart.checkout(): 1,204 calls, 24.7 s in all, longest 210 ms
 *
 *          From           Calls                                            Until here
 *     -------------- ---------------  ---------------------------------------- ----------
 *            65.5 us           1,204  ##########                                 61.20 %
 */
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/memory.h"
#include "user/text/name_fit.h"
#include "user/trace/method_names.h"
#include "user/trace/sum.h"
#include "user/print/user_values_text.h"
#include "user/view/views.h"

#include <stdlib.h>

#define SHOWN 20
#define BAR   40 /* columns at most */
#define OTHER 43 /* columns of a row beside it */

struct latency {
	uint32_t method;
	uint64_t count[64], calls;
	int64_t total, most;
};

struct latencies {
	const char *by;
	struct method_names names;
	struct latency *of; /* by number of the method - 1 */
	size_t count, capacity;
};

/* Row n counts durations of at least 2^n and less than 2^(n+1) ns. */
static int latency_add(const struct call *call, void *context)
{
	struct latencies *all = context;
	uint32_t method = user_values_method(&all->names, call, all->by);
	uint64_t nanos = call->duration > 0 ? call->duration : 1;
	struct latency *l;

	memory_extend(&all->of, &all->count, &all->capacity, method);
	l = &all->of[method - 1];
	l->method = method;
	l->count[63 - __builtin_clzll(nanos)]++;
	l->calls++;
	sum_add(&l->total, call->duration);
	if (call->duration > l->most)
		l->most = call->duration;
	return 0;
}

static void latencies_begin(void *state, const struct view_request *request)
{
	struct latencies *all = state;

	all->by = view_by_field(request);
	all->names.any_loader = request->by && !all->by;
}

static void latency_put_right(struct bytes *out, const char *text, unsigned int width)
{
	size_t length = strlen(text);

	put_spaces(out, length < width ? width - length : 0);
	put_text(out, text);
}

static unsigned int bar_columns(size_t width)
{
	return width >= OTHER + BAR ? BAR : width > OTHER ? width - OTHER : 1;
}

static void latency_put_row(struct bytes *out, const struct latency *l, int row, uint64_t seen, uint64_t highest,
			    unsigned int most)
{
	unsigned int bar = (l->count[row] * most + highest - 1) / highest;
	struct bytes share;

	latency_put_right(out, log_time(1ull << row), 14);
	latency_put_right(out, log_count(l->count[row]), 16);
	put_text(out, "  ");
	for (unsigned int i = 0; i < bar; i++)
		bytes_put_u8(out, '#');
	put_spaces(out, most - bar);
	bytes_init(&share);
	put_fixed(&share, 100.0 * seen / l->calls, 2);
	put_text(&share, " %");
	latency_put_right(out, memory_text(&share), 10);
	bytes_release(&share);
	bytes_put_u8(out, '\n');
}

static void latency_put_rows(struct bytes *out, const struct latency *l, unsigned int most)
{
	uint64_t seen = 0, highest = 0;
	int first = 0, last = 63;

	while (!l->count[first])
		first++;
	while (!l->count[last])
		last--;
	for (int i = first; i <= last; i++)
		highest = l->count[i] > highest ? l->count[i] : highest;
	for (int i = first; i <= last; i++) {
		seen += l->count[i];
		latency_put_row(out, l, i, seen, highest, most);
	}
}

static void latency_put(struct bytes *out, const struct latency *l, const struct method_names *names, const char *by,
			size_t width)
{
	unsigned int bar = bar_columns(width);
	struct bytes sums, value;
	size_t left;

	bytes_init(&sums);
	bytes_init(&value);
	if (by && method_names_value(names, l->method))
		bytes_printf(&value, "%s=%s", by, method_names_value(names, l->method) + 1);
	for (size_t i = 0; i < value.size; i++)
		value.data[i] = value.data[i] < ' ' ? ' ' : value.data[i];
	put_text(&sums, ": ");
	view_count(&sums, l->calls);
	put_text(&sums, l->calls == 1 ? " call, " : " calls, ");
	view_time(&sums, l->total);
	put_text(&sums, " in all, longest ");
	view_time(&sums, l->most);
	put_text(&sums, "\n\n");
	bytes_put_u8(out, '\n');
	left = width > sums.size - 2 ? width - (sums.size - 2) : 0; /* two line ends */
	name_fit(out, method_names_text(names, l->method), left - user_values_share(&value, left),
		 method_names_overloaded(names, l->method));
	user_values_put_beside(out, &value, left);
	bytes_put(out, sums.data, sums.size);
	bytes_release(&value);
	bytes_release(&sums);
	put_text(out, "          From           Calls  ");
	put_spaces(out, bar);
	put_text(out, " Until here\n-------------- ---------------  ");
	for (unsigned int i = 0; i < bar; i++)
		bytes_put_u8(out, '-');
	put_text(out, " ----------\n");
	latency_put_rows(out, l, bar);
}

/* Most total time first. */
static int latency_compare(const void *a, const void *b)
{
	const struct latency *x = a, *y = b;

	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	if (!x->calls != !y->calls)
		return x->calls ? -1 : 1;
	return (x->method > y->method) - (x->method < y->method);
}

static void latencies_put(void *state, const struct view_request *request, struct bytes *out)
{
	struct latencies *all = state;
	uint64_t shown = request->top ?: SHOWN;

	if (!all->count) {
		put_text(out, "\nNo events found for 'Latency'.\n");
		return;
	}
	method_names_settle(&all->names);
	put_text(out, "\n                                    Latency\n");
	qsort(all->of, all->count, sizeof(*all->of), latency_compare);
	while (all->count && !all->of[all->count - 1].calls) /* every call of the method has a value */
		all->count--;
	for (size_t i = 0; i < all->count && i < shown; i++)
		latency_put(out, &all->of[i], &all->names, all->by, request->layout.width);
	view_put_more(out, all->count, shown, "method");
}

static void latencies_release(void *state)
{
	struct latencies *all = state;

	free(all->of);
	method_names_release(&all->names);
}

const struct view_pass view_latency = {.size = sizeof(struct latencies),
				       .ops = {.call = latency_add},
				       .begin = latencies_begin,
				       .put = latencies_put,
				       .release = latencies_release};
