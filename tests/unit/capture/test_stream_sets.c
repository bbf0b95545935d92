// SPDX-License-Identifier: BSD-2-Clause
/* Spans with values: they are delivered as one set, wherever a stream is cut, and never with those of another span. */
#include "user/capture/stream.h"
#include "tests/lib/fake_streams.h"
#include "tests/lib/test.h"

#define MOST 64

struct delivery {
	uint64_t start;
	size_t records;
	unsigned char first; /* byte of the first value */
};

static struct delivery got[MOST];
static size_t deliveries;
static struct streams *streams;

static void on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	(void)context, (void)v;
	assert_true(deliveries < MOST);
	got[deliveries++] = (struct delivery){s->start, n, n > 1 ? *(const unsigned char *)(s + 1) : 0};
}

static void on_cover(void *context, uint64_t tsc)
{
	(void)context, (void)tsc;
}

static int setup(void **state)
{
	struct stream_sink sink = {on_spans, on_cover, NULL};

	(void)state;
	deliveries = 0;
	streams = fake_streams_new(&sink);
	return streams ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	fake_streams_free(streams);
	return 0;
}

union record {
	struct frt_span span;
	struct frt_field field;
};

static union record span(uint64_t start, uint16_t flags)
{
	return (union record){.span = {.start = start, .kind = FRT_SPAN, .flags = flags}};
}

static union record value(unsigned char byte, uint32_t recording, uint16_t flags)
{
	return (union record){.field = {.data = {byte},
					.number = FRT_FIELD_NUMBER(recording, 5),
					.form = FRT_FORM_INTEGER,
					.kind = FRT_FIELD,
					.flags = flags}};
}

static void feed(uint64_t at, const union record *r, size_t n)
{
	streams_feed(streams, 3, at * FRT_RECORD_SIZE, r, n * FRT_RECORD_SIZE);
}

CASE(a_set_may_arrive_in_any_number_of_pieces, setup, teardown)
{
	const union record r[] = {span(1, 0), span(2, FRT_SPAN_FIELDS), value(7, 0, 0), value(8, 0, FRT_FIELD_LAST),
				  span(3, 0)};

	(void)state;
	for (size_t i = 0; i < 5; i++)
		feed(i, &r[i], 1);
	assert_int_equal(deliveries, 3);
	assert_int_equal(got[1].start, 2);
	assert_int_equal(got[1].records, 3);
	assert_int_equal(got[1].first, 7);
	assert_int_equal(streams->torn, 0);
}

/* A thread is in one trace, whoever records it. */
CASE(ids_of_a_trace_are_of_all_recordings, setup, teardown)
{
	union record r[] = {span(1, FRT_SPAN_FIELDS), value(7, 0, 0), value(9, 0, FRT_FIELD_LAST)};

	(void)state;
	streams->recording = 2;
	r[1].field.number = FRT_FIELD_TRACE;
	feed(0, r, 3);
	assert_int_equal(deliveries, 1);
	assert_int_equal(got[0].records, 2);
	assert_int_equal(got[0].first, 7);
}

CASE(allocated_bytes_are_of_recordings_that_want_them, setup, teardown)
{
	union record r[] = {span(1, FRT_SPAN_FIELDS), value(7, 0, 0), value(9, 0, FRT_FIELD_LAST)};

	(void)state;
	streams->recording = 2;
	r[1].field.number = FRT_FIELD_ALLOCATED;
	feed(0, r, 3);
	assert_int_equal(got[0].records, 1);
	streams->allocated = true;
	feed(3, r, 3);
	assert_int_equal(deliveries, 2);
	assert_int_equal(got[1].records, 2);
	assert_int_equal(got[1].first, 7);
}

CASE(a_torn_set_keeps_its_own_values, setup, teardown)
{
	const union record r[] = {span(1, FRT_SPAN_FIELDS), value(7, 0, 0), span(2, FRT_SPAN_FIELDS), value(8, 0, 0),
				  value(9, 0, FRT_FIELD_LAST)};

	(void)state;
	feed(0, r, 5);
	assert_int_equal(deliveries, 2);
	assert_int_equal(got[0].records, 2);
	assert_int_equal(got[0].first, 7);
	assert_int_equal(got[1].records, 3);
	assert_int_equal(got[1].first, 8);
	assert_int_equal(streams->torn, 1);
}

CASE(values_behind_a_gap_belong_to_nobody, setup, teardown)
{
	const union record begin[] = {span(1, FRT_SPAN_FIELDS), value(7, 0, 0)};
	const union record rest[] = {value(9, 0, FRT_FIELD_LAST), span(2, FRT_SPAN_FIELDS),
				     value(8, 0, FRT_FIELD_LAST)};

	(void)state;
	feed(0, begin, 2);
	feed(10, rest, 3);
	assert_int_equal(deliveries, 2);
	assert_int_equal(got[0].records, 2);
	assert_int_equal(got[1].start, 2);
	assert_int_equal(got[1].records, 2);
	assert_int_equal(got[1].first, 8);
	assert_int_equal(streams->torn, 1);
}

CASE(the_end_delivers_what_is_there, setup, teardown)
{
	const union record r[] = {span(1, FRT_SPAN_FIELDS), value(7, 0, 0)};

	(void)state;
	feed(0, r, 2);
	assert_int_equal(deliveries, 0);
	streams_end(streams, 3);
	assert_int_equal(deliveries, 1);
	assert_int_equal(got[0].records, 2);
}

CASE(values_of_other_recordings_are_left_out, setup, teardown)
{
	const union record r[] = {span(1, FRT_SPAN_FIELDS),
				  value(7, 1, 0),
				  value(8, 0, 0),
				  value(9, 1, FRT_FIELD_LAST),
				  span(2, FRT_SPAN_FIELDS | FRT_SPAN_NOT(0)),
				  value(6, 1, FRT_FIELD_LAST)};

	(void)state;
	streams->not_ours = FRT_SPAN_NOT(0);
	feed(0, r, 6);
	assert_int_equal(deliveries, 1);
	assert_int_equal(got[0].records, 2);
	assert_int_equal(got[0].first, 8);
}

CASE(a_set_without_end_has_a_limit, setup, teardown)
{
	const union record begin = span(1, FRT_SPAN_FIELDS), more = value(7, 0, 0), end = span(2, 0);

	(void)state;
	feed(0, &begin, 1);
	for (uint64_t i = 1; i < STREAM_SETS + 10; i++)
		feed(i, &more, 1);
	feed(STREAM_SETS + 10, &end, 1);
	assert_int_equal(deliveries, 2);
	assert_int_equal(got[0].records, STREAM_SETS);
	assert_true(streams->torn > 0);
}
