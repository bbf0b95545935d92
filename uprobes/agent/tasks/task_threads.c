// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/tasks/task_threads.h"
#include "uprobes/agent/control.h"
#include "uprobes/agent/sys.h"

static struct task_thread threads[FRT_MAX_SLOTS];
static bool any_unknown; /* a thread has met a task, and had no slot */

struct task_thread *task_thread_of(const struct frt_slot *s)
{
	return &threads[s - control_slot(0)];
}

void task_threads_begin(void)
{
	memset(threads, 0, sizeof(threads));
	any_unknown = false;
}

void task_thread_meets(JNIEnv *env)
{
	struct frt_slot *s = slot_find(env) ?: slot_claim(env);

	if (s)
		task_thread_of(s)->met = true;
	else
		store_relaxed(&any_unknown, true);
}

bool task_thread_is_unmet(JNIEnv *env)
{
	struct frt_slot *s = slot_find(env) ?: slot_claim(env);

	return s && !(s->flags & FRT_SLOT_CARRIER) && !task_thread_of(s)->met && !load_relaxed(&any_unknown);
}

/* A thread that forks without end: after a burst of BURST, it may hand over a task each 10 us. */
#define TASK_NS 10000u
#define BURST	1024u

bool task_thread_is_too_often(struct task_thread *t, uint64_t now, uint64_t scale)
{
	uint64_t ticks = scale * (unsigned __int128)TASK_NS >> 32;

	if (t->due > now)
		return true;
	if (now - t->due > BURST * ticks)
		t->due = now - BURST * ticks;
	t->due += ticks;
	return false;
}
