/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread's slot in the control segment, found from the JNIEnv that every
 * native gets: one per thread, and no TLS needed. And the ring of a slot.
 */
#ifndef AGENT_SLOT_H
#define AGENT_SLOT_H

#include "uprobes/agent/control.h"

#include <jni.h>

#define SLOT_TABLE     16384u /* twice FRT_MAX_SLOTS */
#define SLOT_PROBES    64u
#define SLOT_TOMBSTONE 1ULL

/* Counted by the kernel: how many tracers want to know, by the USDT site frtrace:thread, which thread has which slot. */
extern volatile unsigned short frtrace_thread_semaphore;

struct slot_entry {
	uint64_t env; /* 0 never used, SLOT_TOMBSTONE given back */
	struct frt_slot *slot;
};
extern struct slot_entry slot_table[SLOT_TABLE];

static inline uint32_t slot_hash(uint64_t env)
{
	return (env >> 4) * 0x9e3779b97f4a7c15ULL >> 50; /* 14 bits */
}

/* The slot in the table for this JNIEnv, or NULL: the long way. */
struct frt_slot *slot_search(JNIEnv *env);

/*
 * The running thread's slot, or NULL when it has none yet. A JNIEnv may come
 * back with a later thread: the thread pointer tells. The table is emptied
 * before each recording, so what stands in it belongs to the present one.
 */
static inline struct frt_slot *slot_find(JNIEnv *env)
{
	const struct slot_entry *e = &slot_table[slot_hash((uint64_t)env)];
	struct frt_slot *s = likely(load_acquire(&e->env) == (uint64_t)env) ? e->slot : slot_search(env);

	return likely(s && s->thread_pointer == sys_thread_pointer()) ? s : NULL;
}

/* The same, and NULL also when the slot is not where it is looked for first. */
static inline struct frt_slot *slot_find_first(JNIEnv *env)
{
	const struct slot_entry *e = &slot_table[slot_hash((uint64_t)env)];

	return likely(load_acquire(&e->env) == (uint64_t)env && e->slot->thread_pointer == sys_thread_pointer())
		       ? e->slot
		       : NULL;
}

/* Make the running thread the owner of a slot, and write down who it is. NULL: none to be had. Slow: asks the JVM. */
struct frt_slot *slot_claim(JNIEnv *env);

/* The thread of this JNIEnv has ended, or a new one begins. */
void slot_release(JNIEnv *env);

/* The JVM ends on this thread, whose end it has told before: calls that it was in have not lost their exit, they are open for ever. */
void slot_jvm_ends(JNIEnv *env);

/* Forget all owners: before a recording, when nobody uses slots. */
void slot_reset_all(void);

/*
 * For a thread that may carry virtual threads: who runs? Appends the names to
 * the stream when the virtual thread is another than the last. True: a virtual thread.
 */
bool slot_name_virtual(struct frt_slot *s, JNIEnv *env);

/*
 * Open calls whose end this thread has not seen, and will not. Those of a carrier are not taken for lost: their
 * virtual threads may be parked, and end them on other carriers. They count as open until they do.
 */
static inline void slot_lose_calls(struct frt_slot *s, uint32_t calls)
{
	if (!(s->flags & FRT_SLOT_CARRIER))
		s->lost_exits += calls;
}

#endif
