// SPDX-License-Identifier: BSD-2-Clause
/* Texts by number, and the waits of threads in the order of time. */
#include "user/trace/texts.h"
#include "user/trace/thread_waits.h"
#include "tests/lib/test.h"

CASE(equal_texts_have_one_number)
{
	struct texts t = {0};
	char text[32];

	for (int i = 0; i < 2000; i++) {
		snprintf(text, sizeof(text), "text %d, longer than eight", i % 1000);
		assert_int_equal(texts_number(&t, text), 1 + i % 1000);
		assert_string_equal(t.text[1 + i % 1000], text);
	}
	assert_int_equal(texts_number(&t, ""), 0);
	assert_int_equal(texts_add(&t, "text 7, longer than eight"), 8);
	assert_int_equal(t.count, 1001);
	texts_release(&t);
}

/* FNV-1a gives these two one hash of 32 bits. */
CASE(texts_that_are_not_equal_have_two_numbers)
{
	struct texts t = {0};
	uint32_t costarring = texts_number(&t, "costarring");

	assert_int_not_equal(texts_number(&t, "liquid"), costarring);
	assert_int_not_equal(texts_number(&t, "costarrin"), costarring);
	assert_int_equal(texts_number(&t, "costarring"), costarring);
	texts_release(&t);
}

static void add_wait(struct thread_waits *t, uint32_t thread, int64_t start, int64_t duration)
{
	thread_waits_add(t, thread, &(struct joined_wait){.start = start, .duration = duration});
}

CASE(waits_belong_to_the_span_around_their_middle)
{
	const struct span span = {.start = 100, .duration = 100}, later = {.start = 400, .duration = 100};
	struct thread_waits t = {0};
	const struct joined_wait *w;
	size_t count;

	add_wait(&t, 2, 300, 10);
	add_wait(&t, 2, 95, 20); /* begins before the span */
	add_wait(&t, 2, 195, 8); /* ends after it */
	thread_waits_sort(&t);
	add_wait(&t, 2, 150, 10); /* of a later chunk, earlier than what is there */
	add_wait(&t, 1, 150, 10);
	thread_waits_sort(&t);
	w = thread_waits_in(&t, 2, &span, &count);
	assert_int_equal(count, 3);
	assert_int_equal(w[0].start, 95);
	assert_int_equal(w[1].start, 150);
	assert_int_equal(w[2].start, 195);
	assert_null(thread_waits_in(&t, 2, &later, &count));
	assert_int_equal(count, 0);
	assert_null(thread_waits_in(&t, 7, &span, &count));
	assert_int_equal(count, 0);
	thread_waits_release(&t);
}
