// SPDX-License-Identifier: BSD-2-Clause
/*
 * Identifying the running virtual thread. Where threads are followed, the hook at the mount tells (mounts.h). Since JDK 24 the
 * JavaThread has the id of the thread that it runs, for monitors, so one load suffices. It is trusted after it has agreed
 * with the JVM's own answer often enough. The JVM's answer costs some hundred nanoseconds. Where that is the only source,
 * a carrier asks once in ten microseconds, with a burst of up to a thousand after a quiet time; other calls are not kept.
 *
 * If the id comes from a load, it determines a call's row, so that a thread's next call finds the same row in its
 * cache, and all rows of a thread are found; otherwise the start determines it. Where threads are followed the id does in any
 * case, because the hook may tell it before the call ends.
 */
#include "uprobes/agent/virtual_calls.h"
#include "uprobes/agent/allocated.h"
#include "uprobes/agent/nesting.h"
#include "uprobes/agent/own_memory.h"
#include "uprobes/agent/thread.h"

#define BUSY		 1ULL
#define FAR		 4096
#define ENOUGH_AGREEMENT 32u
#define KEPT		 1ULL /* bit in a stamp: the call has a row; costs a third of a nanosecond */
#define PROBES		 32u
#define ASK_TICKS	 (1u << 15)
#define ASK_BURST	 (ASK_TICKS << 10)

static int64_t owner_offset; /* from the JNIEnv; 0: unknown, or found to be wrong */
static uint32_t agreed;
uint32_t virtual_calls_followed;

static int64_t offset_in(const struct frt_layout *l)
{
	bool known = l->jdk_version && l->thread_owner_id < FAR && l->thread_env < FAR;

	return known ? (int64_t)l->thread_owner_id - l->thread_env : 0;
}

static void take_offset(int64_t offset)
{
	if (offset == owner_offset)
		return;
	store_relaxed(&owner_offset, 0);
	store_relaxed(&agreed, 0);
	store_relaxed(&owner_offset, offset);
}

/* After the hooks of an earlier epoch were gone, threads have left their carriers unseen. */
static void virtual_calls_follow(const struct frt_config *config)
{
	static uint32_t epochs;

	if (config->flags & FRT_CONFIG_MOUNTS && !virtual_calls_followed)
		store_relaxed(&virtual_calls_followed, ++epochs);
}

void virtual_calls_join(const struct frt_config *config)
{
	int64_t offset = offset_in(&config->layout);

	if (offset)
		take_offset(offset);
	virtual_calls_follow(config);
}

void virtual_calls_begin(const struct frt_config *config)
{
	take_offset(offset_in(&config->layout));
	if (control->virtual_used)
		memset(virtual_call(0), 0, FRT_VIRTUAL_CALLS * sizeof(struct frt_virtual_call));
	control->virtual_used = 0;
	store_relaxed(&virtual_calls_followed, 0);
	virtual_calls_follow(config);
}

static __attribute__((noinline)) uint64_t ask_and_compare(JNIEnv *env, int64_t offset)
{
	bool is_virtual;
	uint64_t id = thread_running_id(env, &is_virtual), word;

	if (!offset)
		return id;
	if (!own_memory_read(&word, sizeof(word), (uint64_t)env + offset) || word != id)
		store_relaxed(&owner_offset, 0);
	else if (is_virtual) /* an id on a carrier may match anywhere */
		store_relaxed(&agreed, load_relaxed(&agreed) + 1);
	return id;
}

static bool may_ask(struct frt_slot *s, uint64_t now)
{
	uint64_t until = s->carrier.asked_until;

	if (until > now + ASK_BURST)
		return false;
	s->carrier.asked_until = (until > now ? until : now) + ASK_TICKS;
	return true;
}

/* The id in the JavaThread. 0: unknown, or not trusted yet. */
static inline uint64_t owner_word(JNIEnv *env)
{
	int64_t offset = load_relaxed(&owner_offset);

	return likely(offset && load_relaxed(&agreed) >= ENOUGH_AGREEMENT) ? load_word((uint64_t)env + offset) : 0;
}

/* The id of the running thread as far as one load tells it. 0: unknown. */
static inline uint64_t running_id(const struct frt_slot *s, JNIEnv *env)
{
	uint64_t word = owner_word(env);
	uint32_t hooked = s->carrier.hooked;

	return word || !hooked || hooked != load_relaxed(&virtual_calls_followed) ? word : s->carrier.java_id;
}

static uint32_t virtual_calls_place_of(uint64_t key)
{
	return key * FRT_CELL_HASH >> (64 - FRT_VIRTUAL_LOG2);
}

static struct frt_virtual_call *take_row(uint32_t place)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct frt_virtual_call *row = virtual_call(place + i);
		uint64_t vacant = 0;

		if (!load_relaxed(&row->start) &&
		    __atomic_compare_exchange_n(&row->start, &vacant, BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return row;
	}
	return NULL;
}

uint64_t virtual_calls_enter(struct frt_slot *s, JNIEnv *env, uint32_t method)
{
	uint64_t key = running_id(s, env), id = key, now = slot_stamp(s);
	struct frt_virtual_call *row;

	if (unlikely(!key)) {
		id = may_ask(s, now) ? ask_and_compare(env, load_relaxed(&owner_offset)) : 0;
		now = id ? slot_stamp(s) : now;
		key = load_relaxed(&virtual_calls_followed) ? id : 0;
	}
	now |= KEPT;
	row = id ? take_row(virtual_calls_place_of(key ? key : now)) : NULL;
	if (!row)
		return now & ~KEPT;
	row->java_id = id;
	row->method = method;
	row->carrier = s->thread;
	row->open_dump = 0;
	if (s->flags & FRT_SLOT_ALLOCATED)
		allocated_enter_row(s, row - virtual_call(0), now);
	if (unlikely(!load_relaxed(&control->virtual_used)))
		store_relaxed(&control->virtual_used, 1);
	store_release(&row->start, now);
	return now;
}

static bool free_row(const struct frt_slot *s, uint32_t place, uint64_t start, uint32_t method)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct frt_virtual_call *row = virtual_call(place + i);

		if (load_relaxed(&row->start) != start || row->method != method)
			continue;
		if (s->flags & FRT_SLOT_ALLOCATED)
			allocated_leave_row(s, row - virtual_call(0), start, row->carrier);
		store_release(&row->start, 0);
		return true;
	}
	return false;
}

bool virtual_calls_leave(const struct frt_slot *s, JNIEnv *env, uint64_t start, uint32_t method)
{
	uint64_t key;
	bool is_virtual;

	if (s->flags & FRT_SLOT_ALLOCATED)
		allocated_leave_none(s);
	if (!(start & KEPT))
		return true;
	key = running_id(s, env);
	return (key && free_row(s, virtual_calls_place_of(key), start, method)) ||
	       free_row(s, virtual_calls_place_of(start), start, method) ||
	       (load_relaxed(&virtual_calls_followed) &&
		free_row(s, virtual_calls_place_of(thread_running_id(env, &is_virtual)), start, method));
}

uint32_t virtual_calls_count(const struct frt_slot *s, JNIEnv *env,
			     bool (*counts)(const void *context, uint32_t method, uint64_t start), const void *context,
			     uint32_t *count)
{
	uint64_t id = running_id(s, env);
	uint32_t all = 0;

	*count = 0;
	for (uint32_t i = 0; id && i < PROBES; i++) {
		const struct frt_virtual_call *row = virtual_call(virtual_calls_place_of(id) + i);
		uint64_t start = load_relaxed(&row->start);

		if (start <= BUSY || row->java_id != id)
			continue;
		all++;
		*count += counts(context, row->method, start);
	}
	return all;
}
