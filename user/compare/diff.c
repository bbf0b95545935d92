// SPDX-License-Identifier: BSD-2-Clause
#include "user/compare/diff.h"

#include <stdlib.h>
#include <string.h>

#define ERROR_RATE 0.05 /* of all comparisons together */

void diff_release(struct diff *d)
{
	free(d->method);
	*d = (struct diff){0};
}

static bool run_method_is_there(const struct run_method *m)
{
	return m->count || m->timing.present;
}

static void diff_add(struct diff *d, uint32_t before, uint32_t after)
{
	struct diff_method *m = &d->method[d->count++];

	*m = (struct diff_method){.before_number = before, .after_number = after, .thrown_p = 1};
	m->before = before ? &d->before->method[before - 1] : NULL;
	m->after = after ? &d->after->method[after - 1] : NULL;
}

/* A number for the name and the value of a method. */
static uint32_t diff_identity(struct texts *names, const struct run_method *m)
{
	struct bytes text;
	uint32_t number;

	if (!m->value)
		return texts_number(names, m->name);
	bytes_init(&text);
	bytes_printf(&text, "%s %s", m->name, m->value);
	number = texts_number(names, memory_text(&text));
	bytes_release(&text);
	return number;
}

/* Pair the methods of the two runs by their names, and values. */
static void diff_pair(struct diff *d)
{
	enum { BEFORE, AFTER };
	struct texts names = {0};
	struct map rows = {0}; /* (number of the name, BEFORE or AFTER) -> number in the run */

	d->method = memory_need(calloc(d->before->count + d->after->count + 1, sizeof(*d->method)));
	for (size_t i = 0; i < d->after->count; i++)
		if (run_method_is_there(&d->after->method[i]))
			*memory_map_at(&rows, diff_identity(&names, &d->after->method[i]), AFTER) = i + 1;
	for (size_t i = 0; i < d->before->count; i++) {
		uint32_t name = diff_identity(&names, &d->before->method[i]);

		if (!run_method_is_there(&d->before->method[i]))
			continue;
		*memory_map_at(&rows, name, BEFORE) = i + 1;
		diff_add(d, i + 1, map_get(&rows, name, AFTER));
	}
	for (size_t i = 0; i < d->after->count; i++)
		if (run_method_is_there(&d->after->method[i]) &&
		    !map_get(&rows, diff_identity(&names, &d->after->method[i]), BEFORE))
			diff_add(d, 0, i + 1);
	texts_release(&names);
	map_release(&rows);
}

/* Returns the number of comparisons that were possible. */
static size_t diff_compare_method(struct diff_method *m)
{
	double calls, thrown;
	size_t tests = 0;

	if (!m->before || !m->after || !m->before->count || !m->after->count)
		return 0;
	for (int i = 0; i < RUN_QUANTILES; i++) {
		const struct sample before = run_sample(m->before), after = run_sample(m->after);

		m->quantile[i] = quantile_compare(&before, &after, run_quantiles[i]);
		tests += m->quantile[i].known;
	}
	calls = m->before->count + m->after->count;
	thrown = m->before->thrown + m->after->thrown;
	if (thrown) {
		m->thrown_p = binomial_test(thrown, m->after->count / calls, m->after->thrown);
		tests++;
	}
	return tests;
}

bool diff_method_differs(const struct diff_method *m)
{
	for (int i = 0; i < RUN_QUANTILES; i++)
		if (m->differs[i])
			return true;
	return m->thrown_differs;
}

static double method_time(const struct diff_method *m)
{
	double before = m->before ? m->before->total : 0, after = m->after ? m->after->total : 0;

	return before > after ? before : after;
}

static int compare_diffs(const void *a, const void *b)
{
	const struct diff_method *x = a, *y = b;
	int differs = diff_method_differs(y) - diff_method_differs(x);
	double s = method_time(x), t = method_time(y);

	if (differs || s != t)
		return differs ?: (s < t) - (s > t);
	return strcmp((x->before ?: x->after)->name, (y->before ?: y->after)->name)
		       ?: strcmp((x->before ?: x->after)->value ?: "", (y->before ?: y->after)->value ?: "");
}

void diff_make(struct diff *d, const struct run *before, const struct run *after)
{
	size_t tests = 0;

	*d = (struct diff){.before = before, .after = after};
	diff_pair(d);
	for (size_t i = 0; i < d->count; i++) {
		size_t possible = diff_compare_method(&d->method[i]);

		tests += possible;
		d->compared += possible > 0;
	}
	for (size_t i = 0; i < d->count; i++) {
		struct diff_method *m = &d->method[i];

		for (int q = 0; q < RUN_QUANTILES; q++)
			m->differs[q] = m->quantile[q].known && m->quantile[q].p < ERROR_RATE / tests;
		m->thrown_differs = m->thrown_p < ERROR_RATE / (tests ?: 1);
		d->changed += diff_method_differs(m);
	}
	if (d->count)
		qsort(d->method, d->count, sizeof(*d->method), compare_diffs);
}

/* The reason for waiting that a sum is about; NULL: the sum is of other calls than the slow ones of the method. */
static const char *reason_of(const struct run *r, const struct group *sum, uint32_t number, int q)
{
	return sum->first == ((uint64_t)number << 2 | q) ? r->reason_texts.text[sum->second] : NULL;
}

/* The mean ns of a reason in the slow calls of a method. */
static double reason_mean(const struct run *r, uint32_t number, int q, const char *reason)
{
	const struct run_split *s = &r->method[number - 1].tail[q];

	for (size_t i = 0; i < r->reasons.count; i++) {
		const char *other = reason_of(r, &r->reasons.group[i], number, q);

		if (other && strcmp(other, reason) == 0)
			return s->calls ? (double)r->reasons.group[i].total / s->calls : 0;
	}
	return 0;
}

static bool parts_have(const struct diff_part *parts, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].blocked && strcmp(parts[i].name, name) == 0)
			return true;
	return false;
}

static size_t diff_add_reasons(const struct diff *d, const struct diff_method *m, int q, const struct run *of,
			       uint32_t number, struct diff_part *parts, size_t count, size_t size)
{
	for (size_t i = 0; i < of->reasons.count && count < size; i++) {
		const char *reason = reason_of(of, &of->reasons.group[i], number, q);

		if (!reason || parts_have(parts, count, reason))
			continue;
		parts[count++] = (struct diff_part){reason, true, reason_mean(d->before, m->before_number, q, reason),
						    reason_mean(d->after, m->after_number, q, reason)};
	}
	return count;
}

size_t diff_parts(const struct diff *d, const struct diff_method *m, int q, struct diff_part *parts, size_t size)
{
	const struct run_split *before = m->before ? &m->before->tail[q] : NULL;
	const struct run_split *after = m->after ? &m->after->tail[q] : NULL;
	size_t count = 0;

	if (!before || !after || !before->calls || !after->calls || size < 2)
		return 0;
	parts[count++] = (struct diff_part){"cpu", false, before->cpu / before->calls, after->cpu / after->calls};
	parts[count++] = (struct diff_part){"run queue", false, before->run_queue / before->calls,
					    after->run_queue / after->calls};
	count = diff_add_reasons(d, m, q, d->before, m->before_number, parts, count, size);
	return diff_add_reasons(d, m, q, d->after, m->after_number, parts, count, size);
}
