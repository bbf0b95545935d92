// SPDX-License-Identifier: BSD-2-Clause
/* The order of spans, which lies in which, and the links from each to the one around it. */
#include "tests/lib/test.h"
#include "user/trace/nest.h"

#include <stdlib.h>

#define SPANS 400

static int compare(const void *a, const void *b)
{
	return span_compare(&((const struct nested *)a)->span, &((const struct nested *)b)->span);
}

static bool lies_in(struct span s, struct span outer)
{
	return span_contains(&outer, &s);
}

CASE(a_span_lies_in_one_that_ends_as_it_does_but_for_rounding)
{
	struct span outer = {10, 10, 5};

	assert_true(lies_in(outer, outer));
	assert_true(lies_in((struct span){12, 8 + SPAN_ROUNDING, 1}, outer));
	assert_false(lies_in((struct span){12, 9 + SPAN_ROUNDING, 1}, outer));
	assert_false(lies_in((struct span){9, 5, 1}, outer));
	assert_true(lies_in((struct span){19, 1, 6}, outer));
	assert_false(lies_in((struct span){20, 0, 6}, outer));
	assert_true(lies_in((struct span){10, 0, 6}, outer));
}

CASE(of_two_spans_that_begin_together_the_longer_or_the_later_one_is_outside)
{
	struct span inner = {10, 10, 1}, longer = {10, 11, 0}, later = {10, 10, 2};

	assert_true(lies_in(inner, longer) && !lies_in(longer, inner));
	assert_true(lies_in(inner, later) && !lies_in(later, inner));
	assert_true(lies_in((struct span){10, 0, 1}, (struct span){10, 0, 2}));
}

CASE(a_span_has_its_beginning_but_not_its_end)
{
	struct span s = {10, 10, 0}, none = {10, 0, 0};

	assert_true(span_has_moment(&s, 10) && span_has_moment(&s, 19));
	assert_false(span_has_moment(&s, 9) || span_has_moment(&s, 20) || span_has_moment(&none, 10));
	assert_int_equal(span_middle(10, 5), 12);
}

/* The last one of the spans that has a moment. */
static struct nested *last_with(struct nested *span, size_t count, int64_t moment)
{
	while (count > 0 && !span_has_moment(&span[count - 1].span, moment))
		count--;
	return count ? &span[count - 1] : NULL;
}

/* Spans of a tree, in any order in the file: those in one are a part of it. */
static size_t make_tree(struct nested *span, size_t count, int64_t start, int64_t end)
{
	span[count].span = (struct span){start, end - start, count};
	for (count++; count < SPANS && end - start > 4 && rand() % 8; count = make_tree(span, count, start, end)) {
		start += rand() % (end - start);
		end -= rand() % (end - start);
	}
	return count;
}

CASE(each_span_is_linked_with_the_innermost_one_around_it)
{
	struct nested span[SPANS], *inner = NULL;
	size_t count = 0;

	for (int64_t start = 0; count < SPANS; start += 1000000)
		count = make_tree(span, count, start, start + 1000000);
	qsort(span, SPANS, sizeof(*span), compare);
	for (size_t i = 0; i < SPANS; i++) {
		struct nested *around = NULL;

		for (size_t k = 0; k < i; k++)
			if (lies_in(span[i].span, span[k].span))
				around = &span[k];
		assert_ptr_equal(nest_around(inner, &span[i].span), around);
		span[i].around = around;
		inner = &span[i];
		assert_ptr_equal(nest_at(inner, span_end(&inner->span)), last_with(span, i, span_end(&inner->span)));
	}
}
