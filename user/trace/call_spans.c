// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/call_spans.h"
#include "user/trace/wait.h"

#include <stdlib.h>

void call_spans_release(struct call_spans *s)
{
	free(s->span);
	*s = (struct call_spans){0};
}

void call_spans_add(struct call_spans *s, const struct call *call)
{
	uint64_t thread = thread_number(call->chunk, call->thread);

	if (!thread)
		return;
	memory_reserve(&s->span, &s->capacity, s->count + 1);
	s->span[s->count++] = (struct call_spans_span){thread, call_span(call)};
}

int call_spans_compare(const void *a, const void *b)
{
	const struct call_spans_span *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return span_compare(&x->span, &y->span);
}

void call_spans_sort(struct call_spans *s)
{
	if (s->count)
		qsort(s->span, s->count, sizeof(*s->span), call_spans_compare);
}

void call_spans_keep_outermost(struct call_spans *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct call_spans_span *last = kept ? &s->span[kept - 1] : NULL;

		if (!last || last->thread != s->span[i].thread || !span_contains(&last->span, &s->span[i].span))
			s->span[kept++] = s->span[i];
	}
	s->count = kept;
}

bool call_spans_are_in(const struct call_spans *s, const struct call *call)
{
	const struct call_spans_span own = {thread_number(call->chunk, call->thread), call_span(call)};
	size_t n = lower_bound(i, s->count, call_spans_compare(&s->span[i], &own) >= 0);

	return n < s->count && s->span[n].thread == own.thread && span_contains(&own.span, &s->span[n].span);
}

/* The last span that began by then; NULL: none. */
static const struct call_spans_span *call_spans_before(const struct call_spans *s, uint64_t thread, int64_t moment)
{
	size_t n = lower_bound(i, s->count,
			       s->span[i].thread > thread ||
				       (s->span[i].thread == thread && s->span[i].span.start > moment));

	return thread && n && s->span[n - 1].thread == thread ? &s->span[n - 1] : NULL;
}

bool call_spans_have(const struct call_spans *s, uint64_t thread, int64_t moment)
{
	const struct call_spans_span *last = call_spans_before(s, thread, moment);

	return last && span_has_moment(&last->span, moment);
}

bool call_spans_have_call(const struct call_spans *s, const struct call *call)
{
	const struct call_spans_span *last =
		call_spans_before(s, thread_number(call->chunk, call->thread), call->start);
	const struct span own = call_span(call);

	return last && span_contains(&last->span, &own);
}
