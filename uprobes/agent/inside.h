/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --inside: calls are recorded only in a root, and kept only if the root took long enough or ended as it should. The
 * spans of a root are written into the ring as it runs. If it is not kept, the thread takes them back by setting the
 * ring's head to where it was at the root's entry. If some have been drained by then, or lie in the ring of another
 * carrier, a record says that they are to be dropped.
 *
 * A recording with --inside runs alone. A root belongs to the thread, platform or virtual: the slot of a carrier has the
 * root of the virtual thread that is mounted, and mounts.c keeps those of others. No locks.
 */
#ifndef AGENT_INSIDE_H
#define AGENT_INSIDE_H

#include "uprobes/agent/stack.h"

/* TSC: calls that began earlier do not belong to the recording. UINT64_MAX: no recording with --inside runs. */
extern uint64_t inside_since;

/*
 * How many tasks wait (task_rows.h), and above that, in units of INSIDE_ROOT, how many threads are in a root. While it is 0,
 * no task that is handed over or begins is of interest. Code in Java reads it (task_code_write.c). A recording of tasks without
 * --inside adds one root. One word, because each change locks a cache line.
 */
extern uint64_t inside_busy;
#define INSIDE_ROOT (1ull << 32)

/* Before an epoch, and before methods are forgotten: nothing has been taken back yet. */
void inside_begin(void);

/* The slot has a new owner: he is in no root. */
void inside_slot_begin(struct frt_slot *s);

/* A call of a root's method, with that rule, begins outside of all roots. `frame`: an address in the hook's frame. */
void inside_enter_root(struct frt_slot *s, uint64_t start, uint32_t method, uint64_t rule, uint64_t frame);

/* A span of a call in the open root is about to be appended, or has been. The slot has a ring. */
void inside_name_root(struct frt_slot *s, uint64_t now);
void inside_appended(struct frt_slot *s);

/* The open root ends. Returns true if it is kept, or that depends on its tasks; its own span comes next. */
bool inside_leave_root(struct frt_slot *s, uint64_t now, bool thrown);

/* The open root, if there is one, has ended unseen. */
void inside_lose_root(struct frt_slot *s);

/* The root of a virtual thread that is on no carrier. */
struct inside_root {
	uint64_t number; /* 0: none */
	uint64_t start, needed, spans, frame;
	uint32_t method, brief, flags;
};

/* What must be known of the open root when its thread leaves this carrier. */
void inside_copy_root(const struct frt_slot *s, struct inside_root *out);

/* The thread of the open root, if there is one, leaves this carrier, or comes to it. */
void inside_suspend_root(struct frt_slot *s);
void inside_resume_root(struct frt_slot *s, const struct inside_root *root);

/*
 * --tasks: the thread hands over a task; what must be known of its open root, if there is one. Then a thread begins such a
 * task, or has ended it: it is in that root, or in none if its number is 0, instead of the one that *before gets, if that is
 * not NULL. The length and the end of a root are the business of the thread, or virtual thread, where it began.
 */
void inside_hand_over(struct frt_slot *s, uint64_t now, struct inside_root *out);
void inside_switch_root(struct frt_slot *s, const struct inside_root *to, struct inside_root *before);

/* True if the root has ended and its tasks are of no interest any more: it is not kept, or ended FRT_TASK_SECONDS ago. */
bool inside_is_over(uint64_t root, uint64_t now);

/*
 * --until=tasks: a task of the root is over, or is not followed any more. With the last one, after the root's own call, the
 * root is decided. `s`: of the running thread; NULL: it has none, and the root stays undecided.
 */
void inside_task_over(struct frt_slot *s, uint64_t root, uint64_t now);

/*
 * --until=FILTER: a call that ends the open root has ended, on the root's own thread or in one of its tasks. The first one
 * counts. A root ends with it, or with its own call if that is later. If there is no such call, the root is decided when no
 * task is left that could make it.
 */
void inside_reach_end(struct frt_slot *s, uint64_t now);

/* Is the call that ends the open root? */
static inline bool inside_is_root(const struct frt_inside *in, uint64_t start, uint32_t method)
{
	return in->root && in->start == start && in->method == method;
}

/*
 * Is the stack of this call, in the root that is open or has just ended, worth its price? A walk takes longer than all else
 * that is done for a call, and most roots are dropped. Where one is kept anyway, and for calls that say most about it, it is.
 */
static inline bool inside_wants_stack(const struct frt_inside *in, uint64_t start, uint64_t now, uint64_t flags)
{
	return now - in->start >= in->needed || now - start >= in->brief ||
	       flags & (FRT_SPAN_ROOT | FRT_SPAN_THROWN | FRT_SPAN_FIELDS);
}

/* The stack of a call that is recorded: as stack_take(), or FRT_STACK_UNTAKEN. */
static inline uint32_t inside_stack(struct frt_slot *s, JNIEnv *env, uint64_t start, uint64_t now, uint32_t method,
				    uint64_t flags)
{
	if (!stack_depth)
		return 0;
	return inside_wants_stack(control_inside(s), start, now, flags) ? stack_take(s, env, method)
									: FRT_STACK_UNTAKEN;
}

/* What the slot's thread has appended so far stays, unless it is in a root that may take it back. */
static inline void inside_settle(struct frt_slot *s)
{
	struct frt_inside *in = control_inside(s);

	if (!in->root || in->flags & FRT_INSIDE_MOVED)
		store_release(&in->settled, s->head);
}

#endif
