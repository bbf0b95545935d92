// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/holdback.h"
#include "tests/lib/test.h"

static struct {
	uint64_t start[1000];
	char name[1000][16];
	size_t spans, covers;
} seen;

static void on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	for (size_t i = 0; i < n; i++) {
		seen.start[seen.spans] = s[i].start;
		strcpy(seen.name[seen.spans++], v ? v->name : "none");
	}
}

static void on_cover(void *context, uint64_t tsc)
{
	seen.covers++;
}

static const struct stream_sink sink = {.spans = on_spans, .cover = on_cover};

static struct holdback *h;
static struct stream_sink in;

static int setup(void **state)
{
	memset(&seen, 0, sizeof(seen));
	h = holdback_new(&sink);
	in = holdback_sink(h);
	return !h;
}

static int teardown(void **state)
{
	holdback_free(h);
	return 0;
}

static void feed(uint64_t start, const struct stream_vthread *v)
{
	in.cover(in.context, start);
	in.spans(in.context, &(struct frt_span){.start = start}, 1, v);
}

CASE(what_was_drained_passes, setup, teardown)
{
	feed(1, NULL);
	holdback_release(h, UINT64_MAX);
	assert_int_equal(seen.spans, 1);
	assert_int_equal(seen.covers, 1);
}

CASE(what_was_swept_waits_for_the_queue, setup, teardown)
{
	struct stream_vthread v = {.java_id = 7, .name = "seven"};

	holdback_begin(h);
	feed(1, NULL);
	feed(2, &v);
	strcpy(v.name, "renamed");
	holdback_end(h, 100);
	assert_int_equal(seen.covers, 2); /* what has to be known sooner */
	feed(3, NULL);
	assert_int_equal(seen.spans, 1); /* drained */
	holdback_release(h, 99);
	assert_int_equal(seen.spans, 1);
	holdback_release(h, 100);
	assert_int_equal(seen.spans, 3);
	assert_int_equal(seen.start[1], 1);
	assert_string_equal(seen.name[1], "none");
	assert_int_equal(seen.start[2], 2);
	assert_string_equal(seen.name[2], "seven");
	holdback_release(h, UINT64_MAX);
	assert_int_equal(seen.spans, 3);
}

CASE(each_sweep_has_its_own_position, setup, teardown)
{
	for (uint64_t sweep = 0; sweep < 10; sweep++) {
		holdback_begin(h);
		for (uint64_t i = 0; i < 60; i++)
			feed(100 * sweep + i, NULL);
		holdback_end(h, 10 * sweep);
		holdback_release(h, 5 * sweep);
		assert_int_equal(seen.spans, 60 * (5 * sweep / 10 + 1));
	}
	holdback_release(h, 90);
	assert_int_equal(seen.spans, 600);
	for (size_t i = 0; i < 600; i++)
		assert_int_equal(seen.start[i], 100 * (i / 60) + i % 60);
}
