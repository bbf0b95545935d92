// SPDX-License-Identifier: BSD-2-Clause
/*
 * GetStackTrace waits until the thread that it is asked about is neither being
 * mounted nor unmounted; without a thread it waits for all virtual threads, and
 * each that unmounts takes a lock that the caller may hold (Thread.interrupt).
 * So it is asked about this one thread, and never while that one is between the two.
 */
#include "uprobes/agent/stack_virtual.h"
#include "uprobes/agent/stack_named.h"
#include "uprobes/agent/stack_table.h"
#include "uprobes/agent/thread.h"

#define OWN_FRAMES 2u /* the hook and the method that called it */
#define PORTION	   32u /* frames asked for at once: little of a stack may be left */

static jvmtiEnv *jvmti;

void stack_virtual_init(jvmtiEnv *j)
{
	jvmti = j;
}

struct taken {
	uint64_t hash;
	uint32_t count;
	enum frt_walk_end end;
};

/* Hash the frames; those of the first `room`, when they have a place in the table, are named and written there. */
static void take(JNIEnv *env, jthread thread, uint32_t depth, uint32_t first, uint32_t room, struct taken *t)
{
	jvmtiFrameInfo frames[PORTION];
	jint n = PORTION;
	jvmtiError error;

	*t = (struct taken){ .end = FRT_WALK_BOTTOM };
	while (n == (jint)PORTION) {
		error = (*jvmti)->GetStackTrace(jvmti, thread, OWN_FRAMES + t->count, PORTION, frames, &n);
		if (error == JVMTI_ERROR_ILLEGAL_ARGUMENT)
			break; /* there are no more */
		if (error) {
			*t = (struct taken){ .end = FRT_WALK_UNREADABLE };
			return;
		}
		for (jint i = 0; i < n; i++) {
			if (t->count == depth) {
				t->end = FRT_WALK_DEPTH;
				return;
			}
			t->hash = stack_named_hash(t->hash, &frames[i]);
			if (t->count < room)
				*stack_table_frame(first, t->count) = stack_named_frame(env, &frames[i]);
			t->count++;
		}
	}
	if (t->count == depth) {
		t->end = FRT_WALK_DEPTH;
		return;
	}
	if (t->count < room)
		*stack_table_frame(first, t->count) = stack_named_first();
	t->count++;
}

static uint32_t take_id(JNIEnv *env, jthread thread, uint32_t depth)
{
	struct taken t, again;
	struct frt_stack row;
	uint32_t id;

	take(env, thread, depth, 0, 0, &t);
	row = (struct frt_stack){ .hash = stack_named_mix(t.hash, t.end), .count = t.count, .end = t.end };
	id = stack_table_find(row.hash);
	if (id)
		return id;
	id = stack_table_reserve(row.count, &row.first);
	if (id == FRT_STACK_LOST)
		return id;
	take(env, thread, depth, row.first, row.count, &again);
	if (again.hash != t.hash || again.end != t.end) {
		row.count = 0;
		row.end = FRT_WALK_UNREADABLE;
		row.hash = 0;
	}
	stack_table_publish(id, &row);
	return id;
}

bool stack_virtual_take(JNIEnv *env, uint32_t depth, uint32_t *id)
{
	jthread thread = thread_own_virtual(env);

	if (!thread)
		return false;
	*id = take_id(env, thread, depth);
	(*env)->DeleteLocalRef(env, thread);
	return true;
}
