// SPDX-License-Identifier: BSD-2-Clause
/* Parts of a stream that come twice, late, cut or not at all. Each record's start is its place in the stream + 1000. */
#include "user/capture/stream.h"
#include "tests/lib/fake_streams.h"
#include "tests/lib/test.h"

#define MOST 256

struct seen {
	struct frt_span span[MOST];
	char name[MOST][80]; /* "-": a platform thread */
	uint64_t java_id[MOST];
	size_t spans, covers;
	uint64_t covered;
};

static void on_span(void *context, const struct frt_span *s, const struct stream_vthread *v)
{
	struct seen *seen = context;

	assert_true(seen->spans < MOST);
	assert_true(s->start + s->duration <= seen->covered);
	seen->span[seen->spans] = *s;
	snprintf(seen->name[seen->spans], sizeof(seen->name[0]), "%s", v ? v->name : "-");
	seen->java_id[seen->spans++] = v ? v->java_id : 0;
}

static void on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	for (size_t i = 0; i < n; i++)
		on_span(context, &s[i], v);
}

static void on_cover(void *context, uint64_t tsc)
{
	struct seen *seen = context;

	seen->covers++;
	seen->covered = tsc;
}

static struct streams *streams;
static struct seen seen;

static int setup(void **state)
{
	struct stream_sink sink = {on_spans, on_cover, &seen};

	memset(&seen, 0, sizeof(seen));
	streams = fake_streams_new(&sink);
	return streams ? 0 : -1;
}

static int teardown(void **state)
{
	fake_streams_free(streams);
	return 0;
}

static struct frt_span span_at(uint64_t number)
{
	return (struct frt_span){.start = 1000 + number, .duration = 5, .method = 1, .thread = 2, .kind = FRT_SPAN};
}

/* Feed the records number first .. end-1 of a slot, from memory of just that size. */
static void feed(uint32_t slot, uint64_t first, uint64_t end)
{
	struct frt_span *part = malloc((end - first) * sizeof(*part));

	assert_non_null(part);
	for (uint64_t i = first; i < end; i++)
		part[i - first] = span_at(i);
	streams_feed(streams, slot, first * FRT_RECORD_SIZE, part, (end - first) * FRT_RECORD_SIZE);
	free(part);
}

/* Exactly the records from first to end - 1 have come, each once, in order. */
static void assert_seen(uint64_t first, uint64_t end)
{
	assert_int_equal(seen.spans, end - first);
	for (uint64_t i = first; i < end; i++)
		assert_int_equal(seen.span[i - first].start, 1000 + i);
}

CASE(parts_in_order_come_whole, setup, teardown)
{
	feed(0, 0, 4);
	feed(0, 4, 9);
	assert_seen(0, 9);
	assert_int_equal(streams->received, 9);
	assert_int_equal(streams->lost, 0);
	assert_int_equal(streams->next[0], 9 * 32);
}

CASE(calls_that_come_are_counted_for_who_wants_to_know, setup, teardown)
{
	struct call_rates *rates = calloc(1, sizeof(*rates));
	struct frt_span s[3] = {span_at(0), span_at(1), span_at(2)};

	s[1].thread = 65;
	s[2].method = s[2].thread = UINT32_MAX;
	streams->rates = rates;
	streams_feed(streams, 3, 0, s, sizeof(s));
	assert_int_equal(rates->of[1].calls, 2);
	assert_int_equal(rates->of[1].threads, CALL_RATE_THREAD(1) | CALL_RATE_THREAD(2));
	free(rates);
}

CASE(part_that_came_before_is_not_taken_again, setup, teardown)
{
	feed(0, 0, 8);
	feed(0, 0, 8);
	feed(0, 2, 5);
	assert_seen(0, 8);
	assert_int_equal(streams->received, 8);
	assert_int_equal(streams->lost, 0);
}

CASE(overlap_is_trimmed, setup, teardown)
{
	feed(0, 0, 5);
	feed(0, 3, 10);
	feed(0, 9, 11);
	assert_seen(0, 11);
	assert_int_equal(streams->lost, 0);
}

CASE(gap_is_counted_in_records, setup, teardown)
{
	feed(0, 0, 2);
	feed(0, 7, 9);
	assert_int_equal(seen.spans, 4);
	assert_int_equal(seen.span[2].start, 1007);
	assert_int_equal(streams->lost, 5);
	assert_int_equal(streams->received, 4);
	feed(0, 2, 7); /* too late: it has been counted as lost */
	assert_int_equal(seen.spans, 4);
	assert_int_equal(streams->lost, 5);
}

CASE(slots_are_streams_of_their_own, setup, teardown)
{
	feed(0, 0, 3);
	feed(FRT_MAX_SLOTS - 1, 0, 2);
	feed(0, 3, 4);
	assert_int_equal(seen.spans, 6);
	assert_int_equal(streams->lost, 0);
	assert_int_equal(streams->next[FRT_MAX_SLOTS - 1], 64);
}

CASE(slot_that_is_none_is_refused, setup, teardown)
{
	feed(FRT_MAX_SLOTS, 0, 3);
	feed(UINT32_MAX, 0, 3);
	streams_give_up(streams, FRT_MAX_SLOTS, 64);
	assert_int_equal(seen.spans, 0);
	assert_int_equal(streams->lost, 0);
}

CASE(odd_offset_is_refused, setup, teardown)
{
	struct frt_span s = span_at(0);

	streams_feed(streams, 0, 16, &s, sizeof(s));
	assert_int_equal(seen.spans, 0);
	assert_int_equal(streams->next[0], 0);
}

CASE(odd_size_is_cut_to_whole_records, setup, teardown)
{
	unsigned char *part = malloc(2 * sizeof(struct frt_span) + 31);
	struct frt_span s[2] = {span_at(0), span_at(1)};

	memcpy(part, s, sizeof(s));
	streams_feed(streams, 0, 0, part, sizeof(s) + 31);
	streams_feed(streams, 0, 64, part, 31);
	free(part);
	assert_seen(0, 2);
	assert_int_equal(streams->next[0], 64);
}

/* A forged head, on no record's border, where a recording begins. */
CASE(stream_that_stands_between_records_reads_no_byte_too_many, setup, teardown)
{
	streams->next[3] = 32 + 5;
	feed(3, 0, 4);
	assert_true(streams->next[3] <= 4 * 32);
	feed(3, 4, 6);
	assert_int_equal(seen.span[seen.spans - 1].start, 1005);
	assert_int_equal(streams->next[3], 6 * 32);
}

CASE(end_of_all_offsets_is_survived, setup, teardown)
{
	struct frt_span s[4] = {span_at(0), span_at(1), span_at(2), span_at(3)};

	streams_feed(streams, 0, UINT64_MAX - 63, s, sizeof(s));
	streams_feed(streams, 0, UINT64_MAX - 31, s, 32);
	assert_true(seen.spans <= 5);
}

CASE(giving_up_counts_what_has_not_come, setup, teardown)
{
	feed(0, 0, 2);
	streams_give_up(streams, 0, 5 * 32);
	assert_int_equal(streams->lost, 3);
	streams_give_up(streams, 0, 5 * 32);
	streams_give_up(streams, 0, 32);
	assert_int_equal(streams->lost, 3);
	feed(0, 5, 6);
	assert_int_equal(seen.spans, 3);
	assert_int_equal(streams->lost, 3);
}

CASE(record_of_no_kind_is_counted_and_passed_over, setup, teardown)
{
	struct frt_span s[3] = {span_at(0), {.kind = 77}, span_at(2)};

	streams_feed(streams, 0, 0, s, sizeof(s));
	assert_int_equal(seen.spans, 2);
	assert_int_equal(streams->malformed, 1);
	assert_int_equal(streams->received, 3);
}

CASE(last_stamp_is_told_before_the_spans, setup, teardown)
{
	struct frt_span s[3] = {span_at(0), span_at(1), {.kind = FRT_VTHREAD}};

	s[1].duration = 100;
	streams_feed(streams, 0, 0, s, sizeof(s)); /* on_span checks that it came first */
	assert_int_equal(seen.covers, 1);
	assert_int_equal(seen.covered, 1001 + 100);
	streams_feed(streams, 0, 0, s, sizeof(s)); /* nothing new: nothing to cover */
	assert_int_equal(seen.covers, 1);
}

/* The records that name a virtual thread, at stream offset *at. */
static void feed_name(uint32_t slot, uint64_t *at, uint64_t java_id, const char *name)
{
	size_t length = strlen(name);

	for (uint32_t part = 0; !part || part * 16 < length; part++) {
		struct frt_vthread r = {.java_id = java_id, .part = part, .kind = FRT_VTHREAD, .length = length};
		size_t left = length - part * 16;

		memcpy(r.name, name + part * 16, left < 16 ? left : 16);
		streams_feed(streams, slot, *at, &r, sizeof(r));
		*at += sizeof(r);
	}
}

static void feed_virtual(uint32_t slot, uint64_t *at)
{
	struct frt_span s = span_at(*at / 32);

	s.flags = FRT_SPAN_VIRTUAL;
	streams_feed(streams, slot, *at, &s, sizeof(s));
	*at += sizeof(s);
}

CASE(span_carries_the_virtual_thread_last_named_in_its_stream, setup, teardown)
{
	uint64_t at = 0, other = 0;

	feed_name(0, &at, 7, "a name of more than sixteen bytes, which takes three parts");
	feed_name(1, &other, 9, "");
	feed_virtual(0, &at);
	feed_virtual(1, &other);
	feed_name(0, &at, 8, "short");
	feed_virtual(0, &at);
	assert_string_equal(seen.name[0], "a name of more than sixteen bytes, which takes three parts");
	assert_int_equal(seen.java_id[0], 7);
	assert_string_equal(seen.name[1], "");
	assert_int_equal(seen.java_id[1], 9);
	assert_string_equal(seen.name[2], "short"); /* with nothing of the longer one */
	assert_int_equal(seen.java_id[2], 8);
}

CASE(name_of_full_length_is_kept_and_ended, setup, teardown)
{
	char name[65];
	uint64_t at = 0;

	memset(name, 'x', 64);
	name[64] = 0;
	feed_name(0, &at, 7, name);
	feed_virtual(0, &at);
	assert_string_equal(seen.name[0], name);
}

CASE(platform_thread_has_no_name_of_a_virtual_one, setup, teardown)
{
	uint64_t at = 0;

	feed_name(0, &at, 7, "v");
	feed(0, at / 32, at / 32 + 1);
	assert_string_equal(seen.name[0], "-");
}

CASE(virtual_thread_that_nobody_named_is_unknown, setup, teardown)
{
	uint64_t at = 0;

	feed_virtual(0, &at);
	assert_string_equal(seen.name[0], "");
	assert_int_equal(seen.java_id[0], 0);
}

CASE(name_from_before_a_gap_is_not_trusted, setup, teardown)
{
	uint64_t at = 0;

	feed_name(0, &at, 7, "v");
	at += 64;
	feed_virtual(0, &at);
	assert_int_equal(seen.java_id[0], 0);
}

CASE(forged_name_parts_stay_in_bounds, setup, teardown)
{
	struct frt_vthread r = {.java_id = 1, .kind = FRT_VTHREAD, .length = 60000};
	uint64_t at = 0;

	memset(r.name, 'y', sizeof(r.name));
	for (unsigned int i = 0; i < 6; i++, at += sizeof(r)) {
		r.part = i < 5 ? i : UINT32_MAX;
		streams_feed(streams, 0, at, &r, sizeof(r));
	}
	feed_virtual(0, &at);
	assert_int_equal(strlen(seen.name[0]), 64);
}
