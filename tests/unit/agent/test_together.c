// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads in hooks, drains and the collector's sweep, all at the same time and at the same addresses: `make check` also runs
 * this under ThreadSanitizer, which reports words that are read without a lock and are not atomic. The sources of slots and
 * rings are included, because their free lists must start empty, and for the drain, which is here what bpf/drain.bpf.c is.
 */
#include "uprobes/agent/control.h"
#include "uprobes/agent/machine/machine.h"

static void drain(uint64_t slot, uint64_t ring, uint64_t head, uint64_t drained, uint64_t half);
#undef CALL_SITE_5
#define CALL_SITE_5(name, slot, ring, head, drained, half) drain(slot, ring, head, drained, half)
#include "uprobes/agent/ring.c"
#include "uprobes/agent/slot.c"
#include "uprobes/agent/hook.h"
#include "uprobes/agent/recordings.h"
#include "user/capture/stream.h"
#include "tests/lib/fake_streams.h"
#include "tests/unit/agent/hooked.h"

#include <pthread.h>

#define WRITERS 3u
#define OWNERS	8u    /* of slots, one after the other in each writer: each is a thread for the agent */
#define CALLS	2000u /* of each */
#define METHODS 97u

/* What drains have copied, in the order of their ends. */
struct batch {
	struct batch *next;
	uint64_t at, size;
	uint32_t slot;
	_Alignas(8) char data[1 << FRT_RING_MAX_LOG2];
};
static struct batch *first_batch, **last_batch = &first_batch;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;

/* Of each slot, by its running owner. */
static uint64_t copied[FRT_MAX_SLOTS];
static uint32_t drains[FRT_MAX_SLOTS];

/* Each third drain of a slot fails, so that the next one, or the sweep, takes its records. */
static void drain(uint64_t slot, uint64_t ring, uint64_t head, uint64_t drained, uint64_t half)
{
	uint64_t at = copied[slot];
	struct batch *b;

	if (!(++drains[slot] % 3))
		return;
	assert_true(head - at <= 2 * half);
	b = malloc(sizeof(*b));
	assert_non_null(b);
	*b = (struct batch){.slot = slot, .at = at, .size = head - at};
	for (; at < head; at += FRT_RECORD_SIZE)
		memcpy(b->data + (at - b->at), (const char *)ring + (at & (2 * half - 1)), FRT_RECORD_SIZE);
	copied[slot] = head;
	pthread_mutex_lock(&queue);
	*last_batch = b;
	last_batch = &b->next;
	pthread_mutex_unlock(&queue);
}

static struct segment seg;
static struct streams *streams;
static uint32_t seen[WRITERS * OWNERS + 1], wrong;

static void on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	for (size_t i = 0; i < n; i++) {
		bool known = s[i].thread && s[i].thread <= WRITERS * OWNERS;

		wrong += !known || s[i].method != seen[s[i].thread]++ % METHODS + 1 || !s[i].duration;
	}
}

static void on_cover(void *context, uint64_t tsc)
{
}

static int setup(void **state)
{
	struct stream_sink sink = {on_spans, on_cover, NULL};

	if (!new_control())
		return -1;
	control->epoch = 1;
	control->recording[0].founder = 1;
	control->ring_cap = 1 << 20;
	control_since = 1;
	recordings_shared = false;
	frtrace_drain_semaphore = 1;
	ring_grow_ticks = UINT64_MAX; /* each ring grows until it is as large as can be */
	seg = (struct segment){.base = (char *)control};
	streams = fake_streams_new(&sink);
	return streams ? 0 : -1;
}

static int teardown(void **state)
{
	fake_streams_free(streams);
	return 0;
}

static void *writer(void *number)
{
	for (uint32_t owner = 0; owner < OWNERS; owner++) {
		JNIEnv *env = (JNIEnv *)(0x7f0000000000 + 64 * ((uint64_t)number * OWNERS + owner));

		for (uint32_t i = 0; i < CALLS; i++)
			hook_leave(env, NULL, hook_enter(env, NULL, i % METHODS + 1), i % METHODS + 1);
		slot_release(env);
	}
	return NULL;
}

static void take_batches(void)
{
	struct batch *b, *next;

	pthread_mutex_lock(&queue);
	b = first_batch;
	first_batch = NULL;
	last_batch = &first_batch;
	pthread_mutex_unlock(&queue);
	for (; b; b = next) {
		next = b->next;
		streams_feed(streams, b->slot, b->at, b->data, b->size);
		free(b);
	}
}

static void *collector(void *end)
{
	while (!load_acquire((bool *)end)) {
		take_batches();
		sweep(&seg, streams);
	}
	return NULL;
}

CASE(writers_drains_and_sweep_give_each_call_once, setup, teardown)
{
	pthread_t thread[WRITERS], reader;
	bool end = false;

	assert_int_equal(pthread_create(&reader, NULL, collector, &end), 0);
	for (uint64_t i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, writer, (void *)i), 0);
	for (uint64_t i = 0; i < WRITERS; i++)
		pthread_join(thread[i], NULL);
	store_release(&end, true);
	pthread_join(reader, NULL);
	take_batches();
	sweep_finish(&seg, streams);
	assert_int_equal(wrong, 0);
	for (uint32_t i = 1; i <= WRITERS * OWNERS; i++)
		assert_int_equal(seen[i], CALLS);
	assert_int_equal(streams->lost + streams->malformed + streams->torn, 0);
}
