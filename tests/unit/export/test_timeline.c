// SPDX-License-Identifier: BSD-2-Clause
/* Spans come back as edges in the order of time, nested on each track. */
#include "user/export/timeline.h"
#include "tests/lib/test.h"

static struct timeline t;
static char text[4096];

static int teardown(void **state)
{
	timeline_release(&t);
	return 0;
}

/* A span named by a letter; they are added in the order of the file, so the outer one of two comes last. */
static void add(uint32_t track, char name, int64_t start, int64_t end)
{
	struct timeline_span s = {.nested.span = {.start = start, .duration = end - start, .number = t.count},
				  .track = track,
				  .name = name};

	s.kind = s.wait = name == 'w';
	assert_int_equal(timeline_add(&t, &s), 0);
}

/* All edges as "time:track:+name". */
static const char *edges(uint32_t tracks)
{
	struct timeline_edge e;
	size_t at = 0;

	text[0] = 0;
	assert_int_equal(timeline_arrange(&t, tracks), 0);
	while (timeline_next(&t, &e))
		at += snprintf(text + at, sizeof(text) - at, "%lld:%u:%c%c ", (long long)e.time, e.span->track,
			       e.begin ? '+' : '-', (char)e.span->name);
	return text;
}

static const struct row {
	const char *name;
	uint32_t tracks;
	const char *spans; /* "b1 12-18": span b of track 1; in the order of the file; w is a wait */
	const char *edges;
} rows[] = {
	{"edges_come_in_the_order_of_time", 2, "b1 12-18 a1 10-20 c0 5-15",
	 "5:0:+c 10:1:+a 12:1:+b 15:0:-c 18:1:-b 20:1:-a "},
	{"a_span_ends_before_the_next_one_begins", 1, "a0 0-10 b0 10-20", "0:0:+a 10:0:-a 10:0:+b 20:0:-b "},
	{"of_spans_that_begin_together_the_longer_one_is_outside", 1, "b0 0-5 a0 0-9", "0:0:+a 0:0:+b 5:0:-b 9:0:-a "},
	{"of_equal_spans_the_last_one_is_outside", 1, "b0 0-5 a0 0-5", "0:0:+a 0:0:+b 5:0:-b 5:0:-a "},
	{"an_end_that_was_rounded_up_is_cut", 1, "b0 3-11 a0 0-10", "0:0:+a 3:0:+b 10:0:-b 10:0:-a "},
	{"an_end_that_is_later_than_rounding_makes_it_is_no_span_inside", 1, "b0 3-13 a0 0-10",
	 "0:0:+a 3:1:+b 10:0:-a 13:1:-b "},
	{"a_wait_is_in_the_span_that_its_middle_is_in", 1, "w0 5-20 w0 35-60 w0 90-104 w0 1-10 b0 40-80 a0 10-100",
	 "1:0:+w 10:0:-w 10:0:+a 10:0:+w 20:0:-w 40:0:+b 40:0:+w 60:0:-w 80:0:-b 90:0:+w 100:0:-w 100:0:-a "},
	{"a_span_without_length_begins_and_ends", 1, "a0 7-7", "7:0:+a 7:0:-a "},
	{"of_spans_without_length_the_last_one_is_outside", 1, "w0 7-7 b0 7-7 a0 7-7",
	 "7:0:+a 7:0:+b 7:0:-b 7:0:-a 7:0:+w 7:0:-w "},
	{"nothing_has_no_edges", 3, "", ""},
};

CASES(spans_have_edges, rows, .teardown = teardown)
{
	long long start, end;
	unsigned int track;
	char name;
	int read;

	for (const char *at = row->spans; *at; at += read) {
		assert_int_equal(sscanf(at, " %c%u %lld-%lld%n", &name, &track, &start, &end, &read), 4);
		add(track, name, start, end);
	}
	assert_string_equal(edges(row->tracks), row->edges);
}

CASE(spans_that_overlap_get_tracks_of_their_own, .teardown = teardown)
{
	add(1, 'a', 0, 10000);
	add(1, 'b', 5000, 15000);
	add(1, 'c', 6000, 20000);
	add(1, 'd', 6500, 14000);
	assert_string_equal(edges(2),
			    "0:1:+a 5000:2:+b 6000:3:+c 6500:2:+d 10000:1:-a 14000:2:-d 15000:2:-b 20000:3:-c ");
	assert_int_equal(t.extra, 2);
	assert_int_equal(t.added[0], 1);
	assert_int_equal(t.added[1], 1);
}

/* As those in a forged file. */
CASE(a_span_is_cut_to_what_a_timeline_can_have)
{
	struct span s = timeline_cut(-5, -9, 1);

	assert_true(s.start == 0 && s.duration == 0);
	s = timeline_cut(INT64_MAX, INT64_MAX, 1);
	assert_true(s.start > 0 && s.duration == 0);
	s = timeline_cut(9, INT64_MAX, 1);
	assert_true(s.start == 9 && s.duration > 0 && span_end(&s) > 0);
}

/* Each end is that of the innermost span that is open on its track, and times never go back. */
CASE(whatever_the_spans_are_their_edges_nest, .teardown = teardown)
{
	const struct timeline_span *open[400][64];
	size_t depth[400] = {0}, begun = 0, ended = 0;
	struct timeline_edge e;
	int64_t last = 0;

	srand(1);
	for (int i = 0; i < 20000; i++) {
		int64_t start = rand() % 1000000;

		add(rand() % 3, 'x', start, start + rand() % 3000);
	}
	assert_int_equal(timeline_arrange(&t, 3), 0);
	while (timeline_next(&t, &e)) {
		uint32_t track = e.span->track;

		assert_true(e.time >= last && track < 3 + t.extra && track < 400 && depth[track] < 64);
		last = e.time;
		if (e.begin)
			open[track][depth[track]++] = e.span;
		else
			assert_ptr_equal(open[track][--depth[track]], e.span);
		begun += e.begin;
		ended += !e.begin;
	}
	assert_int_equal(begun, 20000);
	assert_int_equal(ended, 20000);
}
