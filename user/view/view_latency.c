// SPDX-License-Identifier: BSD-2-Clause
/*
 * Distribution of call durations: a row for each power of two between the shortest and the longest call, with the
 * cumulative share of calls.
 *
 *       from           calls
 *     65.5 us          1,204  ##########                                 61.2 %
 */
#include "user/text/java_number.h"
#include "user/view/views.h"

#include <string.h>

#define BAR 40

struct latency {
	uint64_t count[64], total;
	int64_t most;
};

/* Row n counts durations of at least 2^n and less than 2^(n+1) ns. */
static int latency_add(const struct call *call, void *context)
{
	struct latency *l = context;
	uint64_t nanos = call->duration > 0 ? call->duration : 1;

	l->count[63 - __builtin_clzll(nanos)]++;
	l->total++;
	if (call->duration > l->most)
		l->most = call->duration;
	return 0;
}

static void latency_put_right(struct bytes *out, struct bytes *text, unsigned int width)
{
	put_spaces(out, text->size < width ? width - text->size : 0);
	bytes_put(out, text->data, text->size);
	bytes_clear(text);
}

static void latency_put_row(struct bytes *out, const struct latency *l, int row, uint64_t seen, uint64_t highest)
{
	unsigned int bar = (l->count[row] * BAR + highest - 1) / highest;
	struct bytes text;

	bytes_init(&text);
	view_time(&text, 1ll << row);
	latency_put_right(out, &text, 14);
	view_count(&text, l->count[row]);
	latency_put_right(out, &text, 16);
	put_text(out, "  ");
	for (unsigned int i = 0; i < bar; i++)
		bytes_put_u8(out, '#');
	put_spaces(out, BAR - bar);
	put_fixed(&text, 100.0 * seen / l->total, 2);
	put_text(&text, " %");
	latency_put_right(out, &text, 10);
	bytes_put_u8(out, '\n');
	bytes_release(&text);
}

static void latency_put_rows(struct bytes *out, const struct latency *l)
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
		latency_put_row(out, l, i, seen, highest);
	}
}

int view_latency(struct jfr_file *file, const struct table_layout *layout, struct bytes *out)
{
	struct latency l = {.total = 0};
	int err = call_iter_each(file, "jdk.MethodTrace", latency_add, &l);

	if (!l.total) {
		put_text(out, "\nNo events found for 'Latency'.\n");
		return err;
	}
	put_text(out, "\n                                    Latency\n\n");
	put_text(out, "          From           Calls                                            Until here\n");
	put_text(out, "-------------- ---------------  ---------------------------------------- ----------\n");
	latency_put_rows(out, &l);
	put_text(out, "\nlongest ");
	view_time(out, l.most);
	bytes_put_u8(out, '\n');
	return err;
}
