/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads know of their tasks, by their slots. */
#ifndef AGENT_TASK_THREADS_H
#define AGENT_TASK_THREADS_H

#include "uprobes/agent/slot.h"

struct task_thread {
	uint64_t inner; /* handle of the innermost task; 0: none */
	uint64_t open;	/* that of the pool's, or the thread's, which ends when the thread asks for the next one */
	uint32_t next;	/* row to try next */
	bool met;	/* a hook has met a task of its pool: the thread was not in getTask() when that got its hooks */
	bool direct;	/* the next task that begins without having waited is not somebody else's */
	uint32_t asked; /* row + 1 that it has asked for, and in which it has put no task yet; 0: none */
	uint64_t due;	/* TSC: limits the rate of tasks; see task_thread_is_too_often() */
};

struct task_thread *task_thread_of(const struct frt_slot *s);

/* Forget all. */
void task_threads_begin(void);

/* The running thread, of a pool, has got a task from its queue, at a place where threads are not between two carriers. */
void task_thread_meets(JNIEnv *env);

/* The thread is about to run a task. True if it got it in a call of getTask() that is older than the hooks. */
bool task_thread_is_unmet(JNIEnv *env);

/* The thread is about to hand over a task: has it done so too often? `scale`: the tick_scale of a recording. */
bool task_thread_is_too_often(struct task_thread *t, uint64_t now, uint64_t scale);

#endif
