/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the thread allocates in a call, by the JVM's own count (--alloc): read when the call begins and when it ends. A
 * virtual thread has a count of its own: that of its carrier without what the carrier had counted when it came, and what
 * the thread had allocated until then. It is known for calls that are followed from carrier to carrier (mounts.h).
 */
#ifndef AGENT_ALLOCATED_H
#define AGENT_ALLOCATED_H

#include "uprobes/agent/control.h"

#include <jni.h>

#define ALLOCATED_UNKNOWN     UINT64_MAX
#define ALLOCATED_BUFFER_MOST (1ull << 34)

extern bool allocated_wanted;

/* Odd while a collector has stopped the threads. */
extern uint64_t allocated_collections;

/* JVMTI's events of collections. */
void allocated_collection_begins(void);
void allocated_collection_ends(void);

/*
 * A recording begins an epoch, or joins one, before its calls are recorded. Without FRT_CONFIG_ALLOCATED, or if there is
 * nothing to read where the config says, it gets no values. `env`: of the running thread.
 */
void allocated_begin(const struct frt_config *config, JNIEnv *env);
void allocated_join(const struct frt_config *config, JNIEnv *env);

/* The flags of slots whose threads are to count. */
static inline uint32_t allocated_flags(void)
{
	return load_relaxed(&allocated_wanted) ? FRT_SLOT_ALLOCATED : 0;
}

/* The rest is for slots with FRT_SLOT_ALLOCATED, by their own threads. */

/* A new thread owns the slot. */
void allocated_slot_begin(const struct frt_slot *s);

/* The thread's count when a call began. */
struct allocated_level {
	uint64_t start; /* of the call */
	uint64_t count;
};

/* The same for a row of virtual_calls.h. */
struct allocated_row {
	uint64_t start, count, base;
};

/* Of each slot. */
struct allocated_counting {
	struct allocated_level kept[FRT_OPEN_CALLS];
	uint64_t deep; /* place of the levels behind the kept ones, as frt_slot.cells; 0: none */
	/* Of a carrier: what is not its virtual thread's. 0 if it has none; ALLOCATED_UNKNOWN */
	uint64_t base;
	struct allocated_row left; /* of the call that has just ended; start 0: unknown */
	uint32_t carrier;	   /* where that began */
	uint32_t reserved;
	uint64_t padding[22];
};
_Static_assert(sizeof(struct allocated_counting) == sizeof(struct frt_slot), "the same distance as in the segment");

extern struct frt_allocated allocated_places;
extern struct allocated_counting allocated_countings[FRT_MAX_SLOTS];

static inline struct allocated_counting *allocated_counting(const struct frt_slot *s)
{
	return &allocated_countings[s - control_slot(0)];
}

static inline uint64_t allocated_word(uint64_t env, int offset)
{
	return load_acquire((const uint64_t *)(env + offset));
}

/* Read what the JVM has counted. False: it changed meanwhile, or a collector may have counted a buffer that is still there. */
static inline bool allocated_read(uint64_t env, uint64_t *out)
{
	uint64_t collections = load_acquire(&allocated_collections);
	uint64_t count = allocated_word(env, allocated_places.count),
		 begin = allocated_word(env, allocated_places.buffer);
	uint64_t used = allocated_word(env, allocated_places.used) - begin;

	*out = count + used;
	if (unlikely(!begin))
		return !used && allocated_word(env, allocated_places.count) == count;
	return likely(used < ALLOCATED_BUFFER_MOST && allocated_word(env, allocated_places.count) == count) &&
	       likely(!(collections & 1) && load_acquire(&allocated_collections) == collections);
}

/* It is soon different: try again. */
uint64_t allocated_read_again(uint64_t env);

/* What the JVM has counted of the running thread, or ALLOCATED_UNKNOWN. */
static inline __attribute__((always_inline)) uint64_t allocated_now(uint64_t env)
{
	uint64_t count;

	return likely(allocated_read(env, &count)) ? count : allocated_read_again(env);
}

/* A call that the slot does not keep begins: `depth` calls are around it. */
void allocated_enter_deep(const struct frt_slot *s, uint32_t depth, struct allocated_level level);

/* The slot's open call number `depth` has begun. */
static inline void allocated_enter(const struct frt_slot *s, uint32_t depth, struct allocated_level level)
{
	if (likely(depth < FRT_OPEN_CALLS))
		allocated_counting(s)->kept[depth] = level;
	else
		allocated_enter_deep(s, depth, level);
}

/* The same for a call in a row of virtual_calls.h; it ends, and its row is free next; one that has no row ends. */
void allocated_enter_row(const struct frt_slot *s, uint32_t row, uint64_t start);
void allocated_leave_row(const struct frt_slot *s, uint32_t row, uint64_t start, uint32_t carrier);
void allocated_leave_none(const struct frt_slot *s);

/* A virtual thread comes to the carrier. `own`: what it had allocated when it left the last one, or 0. */
void allocated_mount(const struct frt_slot *s, uint64_t own);

/* It leaves. Returns its own count, or ALLOCATED_UNKNOWN. */
uint64_t allocated_unmount(const struct frt_slot *s);

/*
 * The bytes that the thread has allocated in the call that has just been closed. `flags`: of its span. False: unknown.
 */
bool allocated_take(const struct frt_slot *s, uint64_t start, uint64_t flags, uint64_t *bytes);

/* Add them to the sum of a timed method (FRT_TIMED_METHOD). */
void allocated_time(struct frt_slot *s, uint64_t start, uint32_t method);

#endif
