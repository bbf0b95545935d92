// SPDX-License-Identifier: BSD-2-Clause
#include "user/compare/diff.h"
#include "user/text/java_number.h"
#include "user/text/fold.h"
#include "user/text/log.h"
#include "user/text/name_fit.h"
#include "user/print/user_values_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PARTS	      64
#define UNBOUNDED     1000 /* a change by this factor or more: the calls are too much alike to say anything */
#define FOLDED_INDENT 2
#define NARROW	      92  /* columns with the intervals */
#define VALUE_COLUMNS 60  /* of a value in a sentence */
#define UNCHANGED     0.1 /* share of the whole change */
#define VALUE_COLUMNS 60  /* of a value in a sentence */
#define LARGE	      0.2 /* likewise: parts that a sentence names */

static const char *const quantile_names[RUN_QUANTILES] = {"p50", "p90", "p99"};

static void __attribute__((format(printf, 2, 3))) diff_print(struct bytes *out, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	put_text(out, text);
}

/* ---- the sentence */

/* The highest quantile that differs; -1: none does. */
static int diff_highest(const struct diff_method *m)
{
	for (int q = RUN_QUANTILES; q-- > 0;)
		if (m->differs[q])
			return q;
	return -1;
}

static double diff_shift(const struct diff_method *m, int q)
{
	return (double)m->quantile[q].after - m->quantile[q].before;
}

/* The method that became slower by most or, if none did, faster. NULL: none differs in its times. */
static const struct diff_method *diff_worst(const struct diff *d)
{
	const struct diff_method *worst = NULL;
	double most = 0;

	for (size_t i = 0; i < d->changed; i++) {
		const struct diff_method *m = &d->method[i];
		int q = diff_highest(m);
		double shift = q < 0 ? 0 : diff_shift(m, q);

		if (q < 0)
			continue;
		if (!worst || (shift > 0 && shift > most) || (most < 0 && shift < most)) {
			worst = m;
			most = shift;
		}
	}
	return worst;
}

/* "Checkout.handle" of "live.Shop$Checkout.handle(HttpExchange)": class and method. */
static void put_short_name(struct bytes *out, const char *name)
{
	const char *end = name + strcspn(name, "("), *method = end, *class;

	while (method > name && method[-1] != '.')
		method--;
	class = method > name ? method - 1 : method;
	while (class > name && class[-1] != '.' && class[-1] != '$')
		class --;
	bytes_put(out, class, end - class);
}

/* On one line, cut to `columns`. */
static void diff_put_value(struct bytes *out, const struct run_method *m, size_t columns)
{
	struct bytes value;

	bytes_init(&value);
	put_text(&value, m->value ?: "");
	for (size_t i = 0; i < value.size; i++)
		value.data[i] = value.data[i] < ' ' ? ' ' : value.data[i];
	user_values_put_beside(out, &value, fold_columns(out) + columns);
	bytes_release(&value);
}

static void put_short_method(struct bytes *out, const struct run_method *m)
{
	put_short_name(out, m->name);
	diff_put_value(out, m, VALUE_COLUMNS);
}

static void put_percent(struct bytes *out, double change)
{
	diff_print(out, "%+.0f %%", 100 * change);
}

static void put_signed_time(struct bytes *out, double ns)
{
	diff_print(out, "%s%s", ns < 0 ? "-" : "+", log_time(fabs(ns)));
}

static void put_part(struct bytes *out, const struct diff_part *p)
{
	diff_print(out, "%s%s ", p->blocked ? "blocked on " : "", p->name);
	put_signed_time(out, p->after - p->before);
}

/* The two largest parts of the change, and whether the CPU time is another one. */
static void put_explanation(struct bytes *out, const struct diff *d, const struct diff_method *m, int q)
{
	struct diff_part parts[PARTS];
	size_t count = diff_parts(d, m, q, parts, PARTS), named[2] = {PARTS, PARTS};
	double whole = fabs(diff_shift(m, q));
	const char *before = ": ";

	for (int n = 0; n < 2; n++) {
		double most = LARGE * whole;

		for (size_t i = 0; i < count; i++) {
			double shift = fabs(parts[i].after - parts[i].before);

			if (i == named[0] || shift < most)
				continue;
			most = shift;
			named[n] = i;
		}
		if (named[n] == PARTS)
			break;
		put_text(out, before);
		put_part(out, &parts[named[n]]);
		before = ", ";
	}
	if (count && named[0] && named[1] && fabs(parts[0].after - parts[0].before) < UNCHANGED * whole)
		diff_print(out, "%scpu unchanged", before);
}

static void put_change(struct bytes *out, const struct diff *d, const struct diff_method *m)
{
	int q = diff_highest(m);

	put_short_method(out, m->after);
	diff_print(out, " %s ", quantile_names[q]);
	put_percent(out, m->quantile[q].change);
	diff_print(out, " (%s → %s)", log_time(m->quantile[q].before), log_time(m->quantile[q].after));
	put_explanation(out, d, m, q);
}

void diff_put_sentence(struct bytes *out, const struct diff *d)
{
	const struct diff_method *worst = diff_worst(d);
	size_t more = d->changed - (d->changed > 0);

	if (worst) {
		put_change(out, d, worst);
	} else if (d->changed) {
		put_short_method(out, d->method[0].after);
		diff_print(out, " throws in %s of %s calls, before in %s of %s", log_count(d->method[0].after->thrown),
			   log_count(d->method[0].after->count), log_count(d->method[0].before->thrown),
			   log_count(d->method[0].before->count));
	} else if (d->compared) {
		diff_print(out, "no difference that is more than chance in %s method%s", log_count(d->compared),
			   d->compared == 1 ? "" : "s");
	} else {
		put_text(out, "~ no method has calls enough in both recordings to compare");
	}
	if (more)
		diff_print(out, "; %s more method%s", log_count(more), more == 1 ? " differs" : "s differ");
	bytes_put_u8(out, '\n');
}

/* ---- the blocks */

/* Recorded or counted, whichever is more. NAN: the recording does not have the method. */
static double calls_of(const struct run_method *m)
{
	double calls = m ? m->count : NAN;

	return m && m->timing.present && m->timing.invocations > calls ? m->timing.invocations : calls;
}

static double calls_per_second(const struct run *r, const struct run_method *m)
{
	double seconds = (r->last - r->first) / 1e9;

	return seconds > 0 ? calls_of(m) / seconds : NAN;
}

static void cell_number(char *cell, size_t size, double value)
{
	if (isnan(value))
		snprintf(cell, size, "-");
	else
		snprintf(cell, size, value < 100 && value != floor(value) ? "%.1f" : "%.0f", value);
}

static void cell_change(char *cell, size_t size, double before, double after)
{
	if (before > 0 && !isnan(after))
		snprintf(cell, size, "%+.0f %%", 100 * (after / before - 1));
	else
		snprintf(cell, size, "~");
}

static void each_number(const struct diff_writer *w, const char *label, double before, double after)
{
	char a[32], b[32], change[32];

	cell_number(a, sizeof(a), before);
	cell_number(b, sizeof(b), after);
	cell_change(change, sizeof(change), before, after);
	w->row(w, &(struct diff_row){.label = label, .before = a, .after = b, .change = change});
}

static void each_call_count(const struct diff *d, const struct diff_method *m, const struct diff_writer *w)
{
	char before[32], after[32];

	each_number(w, "calls", calls_of(m->before), calls_of(m->after));
	each_number(w, "calls a second", calls_per_second(d->before, m->before), calls_per_second(d->after, m->after));
	cell_number(before, sizeof(before), m->before ? m->before->thrown : NAN);
	cell_number(after, sizeof(after), m->after ? m->after->thrown : NAN);
	w->row(w, &(struct diff_row){.label = "thrown",
				     .before = before,
				     .after = after,
				     .change = m->thrown_differs ? "differs" : "~",
				     .differs = m->thrown_differs});
}

/* "58.0 ms (56.1 ms to 60.3 ms)", or that of the counters, which have no interval. */
static void cell_quantile(char *cell, size_t size, const struct run_method *m, int q, bool wide)
{
	size_t low, high;

	snprintf(cell, size, "-");
	if (m && m->count) {
		int length =
			snprintf(cell, size, "%s", log_time(m->sorted[quantile_index(m->count, run_quantiles[q])]));

		if (wide && quantile_interval(m->count, run_quantiles[q], &low, &high))
			snprintf(cell + length, size - length, " (%s to %s)", log_time(m->sorted[low]),
				 log_time(m->sorted[high]));
	} else if (m && m->timing.quantile[q] != INT64_MIN) {
		snprintf(cell, size, "%s", log_time(m->timing.quantile[q]));
	}
}

static void each_quantile(const struct diff_method *m, int q, const struct diff_writer *w)
{
	const struct quantile_change *c = &m->quantile[q];
	char before[80], after[80], change[80] = "~";
	double low, high;

	cell_quantile(before, sizeof(before), m->before, q, w->wide);
	cell_quantile(after, sizeof(after), m->after, q, w->wide);
	if (c->known) {
		const struct sample a = run_sample(m->before), b = run_sample(m->after);

		quantile_change_interval(c, &a, &b, &low, &high);
		if (high < UNBOUNDED)
			snprintf(change, sizeof(change), "%s%+.0f %% (%+.0f to %+.0f %%)", m->differs[q] ? "" : "~ ",
				 100 * c->change, 100 * low, 100 * high);
	}
	w->row(w, &(struct diff_row){.label = quantile_names[q],
				     .before = before,
				     .after = after,
				     .change = change,
				     .differs = m->differs[q]});
}

static void each_part(const struct diff *d, const struct diff_method *m, const struct diff_writer *w)
{
	struct diff_part parts[PARTS];
	int q = diff_highest(m) < 0 ? RUN_P50 : diff_highest(m);
	size_t count = diff_parts(d, m, q, parts, PARTS);
	char label[80], before[32], after[32], change[32];

	if (count)
		w->parts(w, quantile_names[q]);
	for (size_t i = 0; i < count; i++) {
		snprintf(label, sizeof(label), "  %s%s", parts[i].blocked ? "blocked on " : "", parts[i].name);
		snprintf(before, sizeof(before), "%s", log_time(parts[i].before));
		snprintf(after, sizeof(after), "%s", log_time(parts[i].after));
		snprintf(change, sizeof(change), "%s%s", parts[i].after < parts[i].before ? "-" : "+",
			 log_time(fabs(parts[i].after - parts[i].before)));
		w->row(w,
		       &(struct diff_row){
			       .label = label, .before = before, .after = after, .change = change, .part = &parts[i]});
	}
}

void diff_each_row(const struct diff *d, const struct diff_method *m, const struct diff_writer *w)
{
	each_call_count(d, m, w);
	for (int q = 0; q < RUN_QUANTILES; q++)
		each_quantile(m, q, w);
	each_part(d, m, w);
}

const char *diff_only_in(const struct diff_method *m)
{
	return !m->before ? "only in the new one" : !m->after ? "only in the old one" : NULL;
}

struct text_writer {
	struct diff_writer writer;
	struct bytes *out;
	int width; /* of a cell */
};

static void text_put_row(const struct diff_writer *w, const struct diff_row *r)
{
	const struct text_writer *t = (const struct text_writer *)w;

	diff_print(t->out, "  %-20.60s %*s %*s  %s\n", r->label, t->width, r->before, t->width, r->after, r->change);
}

static void text_put_parts(const struct diff_writer *w, const char *from)
{
	diff_print(((const struct text_writer *)w)->out, "  mean of calls from %s on\n", from);
}

static void put_block(struct bytes *out, const struct diff *d, const struct diff_method *m, unsigned int columns)
{
	bool wide = columns >= NARROW;
	struct text_writer w = {{text_put_row, text_put_parts, wide}, out, wide ? 30 : 10};
	const char *only = diff_only_in(m);
	const struct run_method *method = m->before ?: m->after;
	size_t left = columns - (only ? strlen(only) + 3 : 0), used;

	bytes_put_u8(out, '\n');
	name_fit(out, method->name, left - (method->value ? left / 2 : 0), true);
	used = fold_columns(out);
	diff_put_value(out, method, left > used ? left - used : 0);
	diff_print(out, "%s%s\n", only ? "   " : "", only ?: "");
	w.writer.row(&w.writer, &(struct diff_row){.label = "", .before = "old", .after = "new", .change = "change"});
	diff_each_row(d, m, &w.writer);
}

static void put_remarks_on(struct bytes *out, const char *which, const struct run *r)
{
	if (r->lost)
		diff_print(out, "the %s recording is incomplete: calls were lost, or it has not ended\n", which);
	if (r->throttled)
		diff_print(out, "the %s recording is incomplete: the throttle left calls out\n", which);
	if (r->partial)
		diff_print(out, "the %s recording has slow calls only, or those that threw: quantiles are of these\n",
			   which);
}

void diff_put_remarks(struct bytes *out, const struct diff *d)
{
	put_remarks_on(out, "old", d->before);
	put_remarks_on(out, "new", d->after);
}

/* Each line is folded where it does not fit. */
static void put_lines(struct bytes *out, struct bytes *lines, unsigned int width)
{
	char *line, *next;

	bytes_put_u8(lines, 0);
	for (line = lines->failed ? NULL : (char *)lines->data; line && *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = 0;
		fold_words(out, line, width, FOLDED_INDENT);
		bytes_put_u8(out, '\n');
	}
	out->failed |= lines->failed;
}

void diff_put(struct bytes *out, const struct diff *d, size_t top, unsigned int width)
{
	size_t shown = d->count < top ? d->count : top;
	struct bytes head = {0};

	diff_put_sentence(&head, d);
	diff_put_remarks(&head, d);
	put_lines(out, &head, width);
	bytes_release(&head);
	for (size_t i = 0; i < shown; i++)
		put_block(out, d, &d->method[i], width);
	if (d->count > shown)
		diff_print(out, "\nand %s more method%s\n", log_count(d->count - shown),
			   d->count - shown == 1 ? "" : "s");
}
