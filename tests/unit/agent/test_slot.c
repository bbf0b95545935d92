// SPDX-License-Identifier: BSD-2-Clause
/*
 * Slots and rings as threads claim, grow and release them. The source is included, because its free lists must
 * start empty in each test. Questions to the JVM about threads are answered here.
 */
#include "uprobes/agent/ring.c"
#include "uprobes/agent/recordings.h"
#include "uprobes/agent/slot.h"
#include "tests/unit/agent/hooked.h"

static JNIEnv *ends_meanwhile; /* a thread that ends while another one's calls are being counted */

static void update_shares_slowly(struct frt_slot *s)
{
	JNIEnv *other = ends_meanwhile;

	recordings_update_shares(s);
	ends_meanwhile = NULL;
	if (other)
		slot_release(other);
}

#define recordings_update_shares update_shares_slowly
#include "uprobes/agent/slot.c"
#undef recordings_update_shares

#include <pthread.h>

static JNIEnv *env_of(uint64_t n)
{
	return (JNIEnv *)(0x7f1200000000 + n * 0x3c0);
}

static void append_span(struct frt_slot *s, const struct frt_span *span)
{
	uint64_t words[FRT_RECORD_SIZE / 8];

	memcpy(words, span, sizeof(words));
	ring_append(s, words, 1);
}

static int setup(void **state)
{
	if (!new_control())
		return -1;
	control->epoch = 1;
	memset(slot_table, 0, sizeof(slot_table));
	memset(free_rings, 0, sizeof(free_rings));
	free_slots.top = 0;
	serials = 0;
	running.java_id = 0;
	ring_grow_ticks = 0;
	return 0;
}

/* Run `part` in a thread that lives at the same time as this one, so that their thread pointers differ. */
static void beside(void *(*part)(void *), void *argument)
{
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, part, argument), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
}

CASE(slot_is_found_again_by_its_thread, setup)
{
	struct frt_slot *a = slot_claim(env_of(1)), *b = slot_claim(env_of(2));

	assert_non_null(a);
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(slot_find(env_of(1)), a);
	assert_ptr_equal(slot_find(env_of(2)), b);
	assert_null(slot_find(env_of(3)));
	assert_int_equal(control->slots, 2);
	assert_int_equal(a->thread, 1);
}

struct later {
	struct frt_slot *found, *claimed;
};

static void *come_later(void *argument)
{
	struct later *l = argument;

	l->found = slot_find(env_of(1));
	l->claimed = slot_claim(env_of(1));
	return NULL;
}

CASE(later_thread_with_the_same_env_is_distinguished, setup)
{
	struct frt_slot *s = slot_claim(env_of(1));
	struct later l;

	s->depth = 3;
	s->head = 64;
	s->vthread = 9;
	s->flags = 0x80; /* whatever it is */
	beside(come_later, &l);
	assert_null(l.found);
	assert_ptr_equal(l.claimed, s);
	assert_int_equal(s->thread, 2);
	assert_int_equal(s->depth, 0);
	assert_int_equal(s->lost_exits, 3);
	assert_int_equal(s->vthread, 0);
	assert_int_equal(s->flags, 0);
	assert_int_equal(s->head, 64);
	assert_null(slot_find(env_of(1))); /* the first thread is not its owner any more */
}

CASE(calls_of_the_thread_that_ends_the_jvm_stay_open, setup)
{
	struct frt_slot *s = slot_claim(env_of(1)), *other = slot_claim(env_of(2));

	s->depth = 3;
	slot_release(env_of(1));
	assert_int_equal(s->lost_exits, 3);
	assert_int_equal(s->depth, 0);
	slot_jvm_ends(env_of(1));
	assert_int_equal(s->lost_exits, 0);
	assert_int_equal(s->depth, 3);
	slot_jvm_ends(env_of(1)); /* once */
	assert_int_equal(s->lost_exits, 0);
	other->depth = 2;
	slot_release(env_of(2));
	slot_jvm_ends(env_of(3));
	assert_int_equal(other->lost_exits, 2);
}

CASE(ends_of_two_threads_are_not_mixed, setup)
{
	struct frt_slot *s = slot_claim(env_of(1)), *other = slot_claim(env_of(2));

	s->depth = 3;
	other->depth = 2;
	recordings_shared = true;
	ends_meanwhile = env_of(2);
	slot_release(env_of(1));
	recordings_shared = false;
	assert_null(ends_meanwhile);
	slot_jvm_ends(env_of(2)); /* it has not ended last */
	assert_int_equal(other->depth, 0);
	slot_jvm_ends(env_of(1));
	assert_int_equal(s->depth, 3);
	assert_int_equal(other->depth, 0);
}

CASE(open_calls_of_a_carrier_may_end_elsewhere, setup)
{
	struct frt_slot *s = slot_claim(env_of(1));

	s->depth = 2;
	s->flags = FRT_SLOT_CARRIER;
	slot_release(env_of(1));
	assert_int_equal(s->depth, 0);
	assert_int_equal(s->lost_exits, 0);
}

CASE(released_slot_is_reused_and_its_stream_continues, setup)
{
	struct frt_slot *s = slot_claim(env_of(1));

	s->entered = 5;
	s->depth = 2;
	s->head = 96;
	assert_true(ring_first(s, 1));
	slot_release(env_of(1));
	assert_null(slot_find(env_of(1)));
	assert_int_equal(s->env, 0);
	assert_int_equal(s->lost_exits, 2);
	assert_ptr_equal(slot_claim(env_of(2)), s);
	assert_int_equal(s->entered, 5);
	assert_int_equal(s->lost_exits, 2);
	assert_int_equal(s->head, 96);
	assert_true(s->ring);
	assert_int_equal(s->thread, 2);
	assert_int_equal(control->slots, 1);
}

CASE(thread_without_a_slot_releases_nothing, setup)
{
	struct frt_slot *s = slot_claim(env_of(1));

	slot_release(env_of(2));
	slot_release(env_of(1));
	slot_release(env_of(1));
	assert_ptr_equal(slot_claim(env_of(3)), s);
	assert_ptr_not_equal(slot_claim(env_of(4)), s);
}

CASE(counters_restart_with_each_recording, setup)
{
	struct frt_slot *s = slot_claim(env_of(1));

	s->entered = s->exited = s->thrown = s->recorded = s->unrecorded = s->longest = s->moved_exits = 7;
	s->depth = 2;
	s->head = 64;
	slot_reset_all();
	assert_null(slot_find(env_of(1)));
	control->epoch++;
	assert_ptr_equal(slot_claim(env_of(9)), s);
	assert_int_equal(s->entered + s->exited + s->thrown + s->recorded + s->unrecorded + s->longest, 0);
	assert_int_equal(s->lost_exits + s->moved_exits + s->depth, 0);
	assert_int_equal(s->epoch, 2);
	assert_int_equal(s->head, 64);
}

CASE(reset_frees_each_slot_once, setup)
{
	bool taken[8] = {false};

	for (int i = 0; i < 8; i++)
		slot_claim(env_of(i));
	slot_release(env_of(3));
	slot_reset_all();
	for (int i = 0; i < 8; i++) {
		struct frt_slot *s = slot_claim(env_of(100 + i));

		assert_false(taken[s - control_slot(0)]);
		taken[s - control_slot(0)] = true;
	}
	assert_int_equal(control->slots, 8);
}

/* The n-th env with the same first cell in the table. */
static JNIEnv *colliding(unsigned int n)
{
	for (uint64_t i = 0;; i++)
		if (slot_hash((uint64_t)env_of(i)) == 777 && !n--)
			return env_of(i);
}

CASE(colliding_envs_have_separate_slots, setup)
{
	struct frt_slot *s[SLOT_PROBES];
	JNIEnv *too_many = colliding(SLOT_PROBES);

	for (unsigned int i = 0; i < SLOT_PROBES; i++) {
		s[i] = slot_claim(colliding(i));
		assert_non_null(s[i]);
	}
	assert_null(slot_claim(too_many));
	assert_int_equal(control->slots_missing, 1);
	assert_ptr_equal(slot_find(colliding(SLOT_PROBES - 1)), s[SLOT_PROBES - 1]);
	slot_release(colliding(5)); /* leaves a gap; the others must still be found */
	assert_ptr_equal(slot_find(colliding(6)), s[6]);
	assert_non_null(slot_claim(too_many));
	assert_ptr_equal(slot_claim(colliding(SLOT_PROBES - 1)), s[SLOT_PROBES - 1]);
}

CASE(threads_beyond_all_slots_are_counted, setup)
{
	for (uint32_t i = 0; i < FRT_MAX_SLOTS; i++)
		assert_non_null(slot_claim(env_of(i)));
	assert_null(slot_claim(env_of(FRT_MAX_SLOTS)));
	assert_null(slot_claim(env_of(FRT_MAX_SLOTS + 1)));
	assert_int_equal(control->slots_missing, 2);
	assert_int_equal(control->slots, FRT_MAX_SLOTS);
	slot_release(env_of(17));
	assert_non_null(slot_claim(env_of(FRT_MAX_SLOTS)));
}

/* Take slots with rings until none is left; count the rings of each size. */
static unsigned int take_rings(uint64_t from, unsigned int counts[FRT_RING_MAX_LOG2 + 1])
{
	unsigned int n = 0;

	memset(counts, 0, (FRT_RING_MAX_LOG2 + 1) * sizeof(*counts));
	for (;; n++) {
		struct frt_slot *s = slot_claim(env_of(from + n));

		if (!ring_first(s, 1000))
			return n;
		counts[s->ring & 0xff]++;
	}
}

CASE(second_half_of_the_cap_is_reserved_for_small_first_rings, setup)
{
	unsigned int counts[FRT_RING_MAX_LOG2 + 1];

	control->ring_cap = 64 << 10;
	take_rings(0, counts);
	assert_int_equal(counts[FRT_RING_FIRST_LOG2], 32);
	assert_int_equal(counts[FRT_RING_MIN_LOG2], 64);
	assert_int_equal(control->ring_used, 64 << 10);
}

CASE(rings_stay_within_their_section_whatever_the_cap, setup)
{
	unsigned int counts[FRT_RING_MAX_LOG2 + 1];

	control->ring_cap = UINT64_MAX;
	control->ring_used = FRT_RINGS_SIZE - 4096;
	assert_int_equal(take_rings(0, counts), 8);
	assert_int_equal(counts[FRT_RING_MIN_LOG2], 8);
	assert_int_equal(control->ring_used, FRT_RINGS_SIZE);
}

CASE(failed_ring_request_is_not_repeated_at_once, setup)
{
	struct frt_slot *s = slot_claim(env_of(1));

	control->ring_cap = 0;
	assert_false(ring_first(s, 1000));
	control->ring_cap = 4096;
	assert_false(ring_first(s, 1001));
	assert_true(ring_first(s, s->blocked_until));
}

CASE(rings_do_not_overlap, setup)
{
	static unsigned char owner[FRT_RINGS_SIZE >> FRT_RING_MIN_LOG2];

	memset(owner, 0, sizeof(owner));
	control->ring_cap = 256 << 10;
	for (int i = 1; i <= 40; i++) {
		struct frt_slot *s = slot_claim(env_of(i));

		assert_true(ring_first(s, 1));
		for (int n = i % 5; n--;)
			ring_grow(s);
	}
	for (int i = 1; i <= 40; i++) {
		struct frt_slot *s = slot_find(env_of(i));
		uint64_t first = ((s->ring >> 8) - FRT_RINGS_AT) >> FRT_RING_MIN_LOG2;

		for (uint64_t n = 0; n < ring_size(s) >> FRT_RING_MIN_LOG2; n++) {
			assert_int_equal(owner[first + n], 0);
			owner[first + n] = i;
		}
	}
}

static void append_numbered(struct frt_slot *s, unsigned int n)
{
	while (n--) {
		struct frt_span r = {.start = s->head, .kind = FRT_SPAN};

		append_span(s, &r);
	}
}

CASE(growth_keeps_each_record_at_its_offset_in_the_stream, setup)
{
	static const unsigned int heads[] = {0, 1, 15, 16, 17, 31, 32, 33, 47, 100, 1000};

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		struct frt_slot *s = slot_claim(env_of(i));
		uint64_t old, from;

		control->ring_cap = 1 << 20;
		assert_true(ring_first(s, 1));
		append_numbered(s, heads[i]);
		for (; old = ring_size(s), old < 1 << FRT_RING_MAX_LOG2;) {
			memset(ring_of(control->ring_used >> FRT_RING_MIN_LOG2), 0xee, 2 * old); /* a used one */
			ring_grow(s);
			assert_int_equal(ring_size(s), 2 * old);
			from = s->head < 1024 ? 0 : s->head - 1024; /* the first ring's capacity */
			for (uint64_t at = from; at < s->head; at += FRT_RECORD_SIZE) {
				const struct frt_span *r = (void *)(ring_at(s) + (at & (ring_size(s) - 1)));

				assert_int_equal(r->start, at);
				assert_int_equal(r->kind, FRT_SPAN);
			}
			for (uint64_t at = s->head; at < from + ring_size(s); at += FRT_RECORD_SIZE)
				assert_int_equal(((struct frt_span *)(ring_at(s) + (at & (ring_size(s) - 1))))->kind,
						 0);
		}
		ring_grow(s); /* no larger than the maximum */
		assert_int_equal(ring_size(s), 1 << FRT_RING_MAX_LOG2);
	}
}

CASE(outgrown_ring_is_reused_by_another_slot, setup)
{
	struct frt_slot *a = slot_claim(env_of(1)), *b = slot_claim(env_of(2));
	uint64_t old, used;

	ring_first(a, 1);
	old = a->ring;
	ring_grow(a);
	used = control->ring_used;
	assert_true(ring_first(b, 1));
	assert_int_equal(b->ring, old);
	assert_int_equal(control->ring_used, used);
}

CASE(growth_ends_at_half_of_the_cap, setup)
{
	struct frt_slot *s = slot_claim(env_of(1));

	control->ring_cap = 8 << 10;
	ring_first(s, 1); /* 1 KiB + 2 KiB; 4 more would pass 4 */
	ring_grow(s);
	assert_int_equal(ring_size(s), 2048);
	append_numbered(s, 3);
	ring_grow(s);
	assert_int_equal(ring_size(s), 2048);
	assert_int_equal(control->ring_used, 3072);
}

CASE(any_free_ring_is_better_than_none, setup)
{
	struct frt_slot *a = slot_claim(env_of(1)), *b = slot_claim(env_of(2)), *c = slot_claim(env_of(3));

	control->ring_cap = 16 << 10;
	ring_first(a, 1);
	ring_grow(a);
	ring_grow(a); /* leaves 1 and 2 KiB */
	control->ring_cap = 0;
	assert_true(ring_first(b, 1));
	assert_int_equal(ring_size(b), 1024);
	assert_true(ring_first(c, 1));
	assert_int_equal(ring_size(c), 2048);
}

static const struct frt_vthread *name_record(const struct frt_slot *s, unsigned int i)
{
	return (const void *)(ring_at(s) + i * FRT_RECORD_SIZE);
}

CASE(virtual_thread_is_named_in_parts_when_it_changes, setup)
{
	struct frt_slot *s = slot_claim(env_of(1));

	ring_first(s, 1);
	assert_false(slot_name_virtual(s, env_of(1)));
	assert_int_equal(s->head, 0);
	running = (struct thread_virtual){7, 20};
	running_name = "worker 7 of the shop";
	assert_true(slot_name_virtual(s, env_of(1)));
	assert_int_equal(s->head, 2 * FRT_RECORD_SIZE);
	assert_int_equal(name_record(s, 0)->kind, FRT_VTHREAD);
	assert_int_equal(name_record(s, 0)->java_id, 7);
	assert_int_equal(name_record(s, 0)->length, 20);
	assert_memory_equal(name_record(s, 0)->name, "worker 7 of the ", 16);
	assert_int_equal(name_record(s, 1)->part, 1);
	assert_memory_equal(name_record(s, 1)->name, "shop\0\0\0\0\0\0\0\0\0\0\0", 16);
	assert_true(slot_name_virtual(s, env_of(1)));
	assert_int_equal(s->head, 2 * FRT_RECORD_SIZE);
	running = (struct thread_virtual){8, 0};
	assert_true(slot_name_virtual(s, env_of(1)));
	assert_int_equal(s->head, 3 * FRT_RECORD_SIZE);
	assert_int_equal(name_record(s, 2)->java_id, 8);
}

CASE(name_of_full_length_takes_four_parts, setup)
{
	struct frt_slot *s = slot_claim(env_of(1));
	static char name[64];

	memset(name, 'n', sizeof(name));
	ring_first(s, 1);
	running = (struct thread_virtual){7, sizeof(name)};
	running_name = name;
	assert_true(slot_name_virtual(s, env_of(1)));
	assert_int_equal(s->head, FRT_VTHREAD_PARTS * FRT_RECORD_SIZE);
}

#define THREADS 4
#define ROUNDS	40000u
#define NUMBERS 8u

static uint32_t held[FRT_MAX_SLOTS], held_twice;

static void hold(uint32_t number)
{
	if (__atomic_exchange_n(&held[number], 1, __ATOMIC_RELAXED))
		__atomic_add_fetch(&held_twice, 1, __ATOMIC_RELAXED);
}

static void let_go(uint32_t number)
{
	__atomic_store_n(&held[number], 0, __ATOMIC_RELAXED);
}

static void *pop_and_push(void *argument)
{
	for (uint32_t i = 0; i < ROUNDS; i++) {
		int64_t a = free_list_pop(&free_slots, slot_next), b = free_list_pop(&free_slots, slot_next);

		if (a >= 0)
			hold(a);
		if (b >= 0)
			hold(b), let_go(b), free_list_push(&free_slots, b, slot_next);
		if (a >= 0) /* in another order than they were taken */
			let_go(a), free_list_push(&free_slots, a, slot_next);
	}
	return NULL;
}

static void run_threads(void *(*part)(void *))
{
	pthread_t t[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, part, (void *)i), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

CASE(free_list_gives_each_number_to_one_thread, setup)
{
	unsigned int left = 0;

	memset(held, 0, sizeof(held));
	held_twice = 0;
	for (uint32_t i = 0; i < NUMBERS; i++)
		free_list_push(&free_slots, i, slot_next);
	run_threads(pop_and_push);
	assert_int_equal(held_twice, 0);
	for (int64_t n; (n = free_list_pop(&free_slots, slot_next)) >= 0; left++)
		hold(n);
	assert_int_equal(left, NUMBERS);
	assert_int_equal(held_twice, 0);
}

/* Threads begin and end, and their rings grow: each slot and ring always has one owner. */
static void *live_and_die(void *argument)
{
	JNIEnv *env = env_of(1000 + (uintptr_t)argument);

	for (uint32_t i = 0; i < ROUNDS / 4; i++) {
		struct frt_slot *s = slot_claim(env);
		uint32_t number;

		if (!s)
			continue;
		number = s - control_slot(0);
		hold(number);
		if (s->ring || ring_first(s, UINT64_MAX)) {
			uint64_t mark = (uint64_t)argument << 32 | i;

			append_span(s, &(struct frt_span){.start = mark, .kind = FRT_SPAN});
			if (i % 512 == 0)
				ring_grow(s);
			if (((struct frt_span *)(ring_at(s) + ((s->head - 32) & (ring_size(s) - 1))))->start != mark)
				__atomic_add_fetch(&held_twice, 1, __ATOMIC_RELAXED);
		}
		let_go(number);
		slot_release(env);
	}
	return NULL;
}

CASE(slots_and_rings_have_one_owner_at_a_time, setup)
{
	memset(held, 0, sizeof(held));
	held_twice = 0;
	control->ring_cap = 24 << 10;
	run_threads(live_and_die);
	assert_int_equal(held_twice, 0);
	assert_true(control->slots <= THREADS);
	assert_int_equal(control->slots_missing, 0);
	assert_true(control->ring_used <= control->ring_cap);
}
