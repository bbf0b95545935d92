/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread's slot in the control segment. It is found by the JNIEnv that every native method gets, which is unique
 * per thread; no TLS is needed.
 */
#ifndef AGENT_SLOT_H
#define AGENT_SLOT_H

#include "uprobes/agent/control.h"

#include <jni.h>

#define SLOT_TABLE     16384u /* 2 * FRT_MAX_SLOTS */
#define SLOT_PROBES    64u
#define SLOT_TOMBSTONE 1ULL

/* Number of tracers that listen on frtrace:thread, to learn which thread has which slot; maintained by the kernel. */
extern volatile unsigned short frtrace_thread_semaphore;

struct slot_entry {
	uint64_t env; /* 0: never used; SLOT_TOMBSTONE: released */
	struct frt_slot *slot;
};
extern struct slot_entry slot_table[SLOT_TABLE];

static inline uint32_t slot_hash(uint64_t env)
{
	return (env >> 4) * 0x9e3779b97f4a7c15ULL >> 50; /* 14 bits */
}

/* The slot in the table for this JNIEnv, or NULL: the full search. */
struct frt_slot *slot_search(JNIEnv *env);

/*
 * The running thread's slot, or NULL if it has none. A later thread may get the same JNIEnv; the thread pointer
 * tells them apart. The table is emptied before each recording, so its entries belong to the current one.
 */
static inline struct frt_slot *slot_find(JNIEnv *env)
{
	const struct slot_entry *e = &slot_table[slot_hash((uint64_t)env)];
	struct frt_slot *s = likely(load_acquire(&e->env) == (uint64_t)env) ? e->slot : slot_search(env);

	return likely(s && s->thread_pointer == sys_thread_pointer()) ? s : NULL;
}

/* The same, but also NULL if the slot is not at the first place of the search. */
static inline struct frt_slot *slot_find_first(JNIEnv *env)
{
	const struct slot_entry *e = &slot_table[slot_hash((uint64_t)env)];

	return likely(load_acquire(&e->env) == (uint64_t)env && e->slot->thread_pointer == sys_thread_pointer())
		       ? e->slot
		       : NULL;
}

/*
 * Make the running thread the owner of a slot and record its identity. Returns NULL if no slot is free. Slow: asks
 * the JVM.
 */
struct frt_slot *slot_claim(JNIEnv *env);

/* Report the slot's thread, which is running, to the kernel's half. */
void slot_announce(struct frt_slot *s, JNIEnv *env);

/* The thread of this JNIEnv has ended, or a new one begins. */
void slot_release(JNIEnv *env);

/*
 * The JVM ends on this thread, after the end of the thread itself was reported. The calls that it was in have not
 * lost their exit: they stay open for ever.
 */
void slot_jvm_ends(JNIEnv *env);

/* Release all slots: before a recording, when no thread uses them. */
void slot_reset_all(void);

/*
 * For a thread that may carry virtual threads: append the name of the running virtual thread to the stream if it
 * differs from the last one. Returns true if a virtual thread runs.
 */
bool slot_name_virtual(struct frt_slot *s, JNIEnv *env);

/* The running thread by its serial; a virtual thread, if the agent has seen its mount, by its frt_virtual_key(). */
static inline uint32_t slot_thread(const struct frt_slot *s)
{
	return s->flags & FRT_SLOT_CARRIER && s->carrier.java_id ? frt_virtual_key(s->carrier.java_id) : s->thread;
}

/*
 * Account for open calls whose end this thread will not see. A carrier's calls do not count as lost: their virtual
 * threads may be parked and end them on other carriers. They stay open until then.
 */
static inline void slot_lose_calls(struct frt_slot *s, uint32_t calls)
{
	if (!(s->flags & FRT_SLOT_CARRIER))
		s->lost_exits += calls;
}

#endif
