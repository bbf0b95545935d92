// SPDX-License-Identifier: BSD-2-Clause
/* Rings in a segment, as their owners leave them or write on in them. Each record's start is its number in the stream +
 * 1000. */
#include "user/capture/stream.h"
#include "tests/lib/fake_streams.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#define RING 1024u
#define FITS (RING / FRT_RECORD_SIZE)

static struct segment seg;
static struct streams *streams;
static struct frt_slot *slot; /* of setup_slot() */
static uint64_t spans, last_start, torn;

static void on_span(void *context, const struct frt_span *s, const struct stream_vthread *v)
{
	spans++;
	torn += s->start != 1000 + s->method || s->start <= last_start;
	last_start = s->start;
}

static void on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	for (size_t i = 0; i < n; i++)
		on_span(context, &s[i], v);
}

static void on_cover(void *context, uint64_t tsc)
{
}

static int setup(void **state)
{
	struct stream_sink sink = {on_spans, on_cover, NULL};

	spans = last_start = torn = 0;
	seg = fake_segment_new();
	streams = fake_streams_new(&sink);
	return streams ? 0 : -1;
}

static int teardown(void **state)
{
	fake_streams_free(streams);
	fake_segment_free(&seg);
	return 0;
}

static int setup_slot(void **state)
{
	if (setup(state))
		return -1;
	slot = fake_slot(&seg, 10, 0);
	return 0;
}

static void write_to(struct frt_slot *to, unsigned int n)
{
	while (n--) {
		uint64_t number = to->head / FRT_RECORD_SIZE;
		struct frt_span s = fake_span(1000 + number, number, 1, 0);

		fake_append(&seg, to, &s);
	}
}

static void write_spans(unsigned int n)
{
	write_to(slot, n);
}

static void expect(uint64_t whole, uint64_t lost)
{
	assert_int_equal(spans, whole);
	assert_int_equal(streams->lost, lost);
	assert_int_equal(torn, 0);
}

/* With --inside a thread may take back what is not settled. */
CASE(records_that_may_be_taken_back_are_not_swept, setup_slot, teardown)
{
	struct frt_inside *inside = (struct frt_inside *)(seg.base + FRT_INSIDES_AT);
	struct stream_sink sink = {on_spans, on_cover, NULL};
	struct frt_span root = fake_span(1000, 0, 1, 0);

	streams->roots = roots_new(&sink, 100);
	assert_non_null(streams->roots);
	root.flags = FRT_SPAN_ROOT;
	fake_append(&seg, slot, &root);
	sweep(&seg, streams);
	assert_int_equal(streams->next[0], 0);
	inside->settled = FRT_RECORD_SIZE;
	fake_append(&seg, slot, &root);
	sweep(&seg, streams);
	assert_int_equal(streams->next[0], FRT_RECORD_SIZE);
	assert_int_equal(spans, 1);
	sweep_finish(&seg, streams);
	assert_int_equal(spans, 2);
	roots_free(streams->roots);
}

/* A root that was taken back may have reached the end of the half, over the records one ring size before. */
CASE(records_under_what_was_taken_back_are_not_swept, setup_slot, teardown)
{
	struct frt_inside *inside = (struct frt_inside *)(seg.base + FRT_INSIDES_AT);
	struct stream_sink sink = {on_spans, on_cover, NULL};

	streams->roots = roots_new(&sink, 100);
	assert_non_null(streams->roots);
	for (unsigned int i = 0; i < FITS + 2; i++) {
		struct frt_span s = fake_span(1000 + i, i, 1, 0);

		s.flags = FRT_SPAN_ROOT;
		fake_append(&seg, slot, &s);
	}
	inside->settled = slot->head;
	streams->next[0] = (FITS / 2 - 1) * FRT_RECORD_SIZE;
	sweep(&seg, streams);
	assert_int_equal(spans, 0);
	streams->next[0] += FRT_RECORD_SIZE;
	sweep(&seg, streams);
	assert_int_equal(spans, FITS / 2 + 2);
	streams->next[0] = 0;
	sweep_finish(&seg, streams);
	assert_int_equal(spans, FITS + 4);
	assert_int_equal(streams->lost, FITS / 2);
	assert_int_equal(last_start, 1000 + FITS + 1);
	roots_free(streams->roots);
}

CASE(what_lies_in_a_ring_is_taken_once, setup_slot, teardown)
{
	write_spans(5);
	sweep(&seg, streams);
	sweep(&seg, streams);
	assert_int_equal(spans, 5);
	write_spans(2);
	sweep(&seg, streams);
	expect(7, 0);
}

CASE(window_that_wraps_is_taken_whole, setup_slot, teardown)
{
	for (int i = 0; i < 20; i++) {
		write_spans(13);
		sweep(&seg, streams);
	}
	expect(260, 0);
}

CASE(each_slot_is_swept, setup, teardown)
{
	struct frt_slot *a = fake_slot(&seg, 10, 0), *b = fake_slot(&seg, FRT_RING_MAX_LOG2, 0);

	write_to(a, 1);
	write_to(b, 1);
	sweep(&seg, streams);
	assert_int_equal(spans, 2);
	assert_int_equal(streams->next[1], FRT_RECORD_SIZE);
}

/* While its owner may be writing, the place of the next record cannot be trusted. */
CASE(record_that_may_be_overwritten_just_now_is_not_taken, setup_slot, teardown)
{
	write_spans(FITS);
	sweep(&seg, streams);
	assert_int_equal(spans, 0);
	sweep_finish(&seg, streams); /* now nobody writes */
	expect(FITS, 0);
}

CASE(all_but_one_record_of_a_ring_are_safe, setup_slot, teardown)
{
	write_spans(FITS - 1);
	sweep(&seg, streams);
	assert_int_equal(spans, FITS - 1);
}

CASE(gap_is_left_to_the_queue_until_the_end, setup_slot, teardown)
{
	write_spans(FITS + 8);
	sweep(&seg, streams);
	expect(0, 0);
	sweep_finish(&seg, streams);
	expect(FITS, 8);
}

/* The owner has drained two halves, which are in the queue, and moved into a larger ring with the later one. */
static void grow_behind_the_queue(struct frt_span *record)
{
	uint64_t old = slot->ring >> 8;

	memcpy(record, seg.base + old, slot->head);
	slot->ring = (uint64_t)(FRT_RINGS_AT + 8192) << 8 | 11;
	memcpy(seg.base + (slot->ring >> 8) + RING / 2, seg.base + old + RING / 2, RING / 2);
}

CASE(what_a_grown_ring_does_not_have_is_left_to_the_queue, setup_slot, teardown)
{
	struct frt_span record[FITS];

	write_spans(FITS);
	grow_behind_the_queue(record);
	write_spans(3);
	sweep(&seg, streams);
	assert_int_equal(spans, 0);
	streams_feed(streams, 0, 0, record, sizeof(record));
	sweep(&seg, streams);
	assert_int_equal(spans, FITS + 3);
	assert_int_equal(torn + streams->lost + streams->malformed, 0);
}

CASE(what_a_grown_ring_does_not_have_is_lost_at_the_end, setup_slot, teardown)
{
	struct frt_span record[FITS];

	write_spans(FITS);
	grow_behind_the_queue(record);
	sweep_finish(&seg, streams);
	expect(FITS / 2, FITS / 2);
	assert_int_equal(torn + streams->malformed, 0);
}

CASE(recording_begins_where_the_streams_stand, setup_slot, teardown)
{
	write_spans(9);
	sweep_begin(&seg, streams);
	sweep(&seg, streams);
	assert_int_equal(spans, 0);
	write_spans(1);
	sweep(&seg, streams);
	assert_int_equal(spans, 1);
	assert_int_equal(last_start, 1009);
	assert_int_equal(streams->lost, 0);
}

CASE(slot_without_a_ring_is_lost_only_at_the_end, setup, teardown)
{
	fake_slot(&seg, 10, 64)->ring = 0;
	sweep(&seg, streams);
	assert_int_equal(streams->lost, 0);
	sweep_finish(&seg, streams);
	assert_int_equal(streams->lost, 2);
	assert_int_equal(spans, 0);
}

CASE(finish_takes_what_a_killed_owner_left, setup_slot, teardown)
{
	write_spans(10);
	sweep(&seg, streams);
	write_spans(10);
	sweep_finish(&seg, streams);
	sweep_finish(&seg, streams);
	expect(20, 0);
}

/* Words that no agent writes; the segment lies between pages that fault. */
CASE(forged_ring_is_not_followed, setup, teardown)
{
	static const uint64_t words[] = {
		0,
		10,
		UINT64_MAX,
		(uint64_t)FRT_RINGS_AT << 8 | (FRT_RING_MAX_LOG2 + 1),
		(uint64_t)FRT_RINGS_AT << 8 | (FRT_RING_MIN_LOG2 - 1),
		(uint64_t)FRT_RINGS_AT << 8 | 64,
		(uint64_t)(FRT_RINGS_AT - 32) << 8 | 10,
		(uint64_t)(FRT_SEGMENT_SIZE - RING + 32) << 8 | 10,
		(uint64_t)FRT_SEGMENT_SIZE << 8 | 10,
		(UINT64_MAX >> 8) << 8 | 10,
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		fake_slot(&seg, 10, 96)->ring = words[i];
		segment_header(&seg)->ring_used = 0;
	}
	sweep(&seg, streams);
	sweep_finish(&seg, streams);
	assert_int_equal(streams->received, 0);
	assert_int_equal(streams->lost, 3 * sizeof(words) / sizeof(*words));
}

CASE(last_ring_of_the_segment_is_read_to_its_end, setup_slot, teardown)
{
	slot->ring = (uint64_t)(FRT_SEGMENT_SIZE - RING) << 8 | 10;
	write_spans(FITS);
	sweep_finish(&seg, streams);
	assert_int_equal(spans, FITS);
}

CASE(forged_heads_end_the_sweep_all_the_same, setup, teardown)
{
	static const uint64_t heads[] = {UINT64_MAX, UINT64_MAX - 31, 33, 1ULL << 63};

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		fake_slot(&seg, 10, heads[i]);
	sweep(&seg, streams);
	sweep_finish(&seg, streams);
	sweep_begin(&seg, streams);
	sweep(&seg, streams);
	sweep_finish(&seg, streams);
	segment_header(&seg)->slots = UINT32_MAX;
	sweep(&seg, streams);
	sweep_finish(&seg, streams);
}

/*
 * What the owner does between two instructions of the sweep: the ring's page
 * faults at the first byte that is copied, and the handler is the owner.
 */
static struct {
	unsigned int spans;
	uint64_t ring; /* not 0: the ring that the slot moves to */
} owner;

static void run_owner(int signal_number)
{
	mprotect(seg.base + FRT_RINGS_AT, 4096, PROT_READ | PROT_WRITE);
	if (owner.ring) {
		memset(seg.base + (slot->ring >> 8), 0xee, RING);
		slot->ring = owner.ring;
	}
	write_spans(owner.spans);
}

static void sweep_with_owner(void)
{
	struct sigaction act = {.sa_handler = run_owner}, before;

	sigaction(SIGSEGV, &act, &before);
	mprotect(seg.base + FRT_RINGS_AT, 4096, PROT_NONE);
	sweep(&seg, streams);
	mprotect(seg.base + FRT_RINGS_AT, 4096, PROT_READ | PROT_WRITE);
	sigaction(SIGSEGV, &before, NULL);
}

CASE(records_overwritten_during_the_copy_are_not_taken, setup_slot, teardown)
{
	owner.ring = 0;
	owner.spans = FITS - 10; /* the first that was there is being overwritten */
	write_spans(10);
	sweep_with_owner();
	assert_int_equal(spans, 0);
	sweep_finish(&seg, streams);
	expect(FITS, 0);
}

CASE(records_that_stand_during_the_copy_are_taken, setup_slot, teardown)
{
	owner.ring = 0;
	owner.spans = FITS - 11;
	write_spans(10);
	sweep_with_owner();
	expect(10, 0);
}

CASE(ring_that_is_given_away_during_the_copy_is_not_taken, setup_slot, teardown)
{
	owner.ring = (uint64_t)(FRT_RINGS_AT + 8192) << 8 | 11;
	owner.spans = 0;
	write_spans(10);
	sweep_with_owner();
	assert_int_equal(streams->received, 0);
}

#define WRITTEN 400000u

static void *write_on(void *argument)
{
	uint64_t size = 1ULL << (slot->ring & 0xff);

	for (uint64_t i = 0; i < WRITTEN; i++) {
		struct frt_span s = fake_span(1000 + i, i, 1, 0);

		memcpy(seg.base + (slot->ring >> 8) + slot->head % size, &s, sizeof(s));
		__atomic_store_n(&slot->head, slot->head + FRT_RECORD_SIZE, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* The owner overtakes the sweep again and again; a queue that gives up on what the ring has lost lets it go on. */
CASE(sweep_beside_a_writer_takes_no_torn_record, setup_slot, teardown)
{
	pthread_t writer;
	uint64_t head = 0;

	assert_int_equal(pthread_create(&writer, NULL, write_on, NULL), 0);
	while (head < (uint64_t)WRITTEN * FRT_RECORD_SIZE) {
		sweep(&seg, streams);
		head = __atomic_load_n(&slot->head, __ATOMIC_ACQUIRE);
		if (head - streams->next[0] > RING - 64) /* up to where it is just being overwritten */
			streams_give_up(streams, 0, head - (RING - 64));
	}
	pthread_join(writer, NULL);
	sweep_finish(&seg, streams);
	assert_int_equal(torn, 0);
	assert_int_equal(spans + streams->lost, WRITTEN);
	assert_int_equal(streams->malformed, 0);
}

/* All slots have the one ring, filled but for the place of the next record. */
static void forge_slots(void)
{
	struct frt_slot *slots = (struct frt_slot *)(seg.base + FRT_SLOTS_AT);

	segment_header(&seg)->slots = FRT_MAX_SLOTS;
	for (uint32_t i = 0; i < FRT_MAX_SLOTS; i++) {
		slots[i].ring = (uint64_t)FRT_RINGS_AT << 8 | FRT_RING_MAX_LOG2;
		slots[i].head = (1u << FRT_RING_MAX_LOG2) - FRT_RECORD_SIZE;
	}
	for (uint32_t i = 0; i < 1u << FRT_RING_MAX_LOG2; i += FRT_RECORD_SIZE)
		((struct frt_span *)(seg.base + FRT_RINGS_AT + i))->kind = FRT_SPAN;
}

CASE(pass_has_an_end_and_the_next_one_goes_on, setup, teardown)
{
	const uint64_t all = FRT_MAX_SLOTS * ((1u << FRT_RING_MAX_LOG2) / FRT_RECORD_SIZE - 1);
	unsigned int passes = 0;

	forge_slots();
	for (; spans < all && passes < 100; passes++) {
		uint64_t before = spans;

		sweep(&seg, streams);
		assert_in_range(spans - before, 1, (SWEEP_MOST + (1u << FRT_RING_MAX_LOG2)) / FRT_RECORD_SIZE);
	}
	assert_int_equal(spans, all);
	assert_in_range(passes, 2, 99);
}

CASE(last_pass_takes_no_more_than_all_rings_together, setup, teardown)
{
	forge_slots();
	sweep_finish(&seg, streams);
	assert_in_range(spans, 1, FRT_RINGS_SIZE / FRT_RECORD_SIZE);
	assert_int_equal(spans + streams->lost, FRT_MAX_SLOTS * ((1u << FRT_RING_MAX_LOG2) / FRT_RECORD_SIZE - 1));
}

CASE(forged_head_is_read_within_the_ring, setup_slot, teardown)
{
	struct stream_sink sink = {on_spans, on_cover, NULL};

	for (int roots = 0; roots < 2; roots++) {
		streams->roots = roots ? roots_new(&sink, 100) : NULL;
		streams->next[0] = 0;
		slot->head = 0 - (uint64_t)FRT_RECORD_SIZE;
		sweep_finish(&seg, streams);
		assert_int_equal(spans, 0);
		roots_free(streams->roots);
		streams->roots = NULL;
	}
}
