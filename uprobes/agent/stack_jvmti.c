// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where GetStackTrace can hang. Since JDK 19 it waits until no virtual thread is being mounted or unmounted (a
 * transition). Since JDK 21, when it is asked about a single thread, it waits only for that thread, and for a
 * platform thread not at all. A method that runs within a transition would wait for itself; a method that holds a
 * lock which a transition takes (Thread.interrupt) would wait for a thread that waits for the method. Such methods
 * are in java.lang and jdk.internal (FRT_METHOD_MAY_MOUNT). Therefore the JVM is asked
 *
 *    before 19   about the running thread: NULL
 *    19 and 20   the same, but never from such a method
 *    since 21    about a platform thread by its reference; about a virtual thread never from such a method,
 *                and never while it runs code as its carrier: the JVM hides those frames
 *
 * The JVM omits hidden frames at the top of the stack. So an answer counts only if it begins with the hook, a
 * native method, and the method that called it.
 *
 * Like all of JVMTI, GetStackTrace preserves a pending exception.
 */
#include "uprobes/agent/stack_jvmti.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/stack_named.h"
#include "uprobes/agent/stack_table.h"
#include "uprobes/agent/thread.h"

#define OWN_FRAMES 2u  /* the hook and the method that called it */
#define PORTION	   96u /* frames per request, 1.5 KB: little stack may be left */
#define JDK_19	   0x00130000u
#define JDK_21	   0x00150000u

/* The thread to ask about, and what to take. */
struct question {
	JNIEnv *env;
	jthread thread; /* NULL: the running thread */
	bool is_virtual;
	uint32_t method, depth;
};

struct taken {
	uint64_t hash;
	uint32_t count;
	enum frt_walk_end end;
	bool refused;
};

static bool is_same_method(uint32_t a, uint32_t b)
{
	const struct frt_method *x = control_method_row(a), *y = control_method_row(b);

	/* a loader that two threads met at the same moment has two rows */
	return a == b || (a && x->name == y->name && x->descriptor == y->descriptor &&
			  control_class_row(x->class_id)->name == control_class_row(y->class_id)->name);
}

static bool begins_with_own(const struct question *q, const jvmtiFrameInfo *frames, jint count)
{
	return count >= (jint)OWN_FRAMES && frames[0].location < 0 &&
	       is_same_method(stack_named_method(q->env, frames[1].method), q->method);
}

/*
 * Add one frame. The first `capacity` frames are named and written to the table. Returns false if the stack is
 * deep enough.
 */
static bool take_frame(const struct question *q, const jvmtiFrameInfo *f, uint32_t first, uint32_t capacity,
		       struct taken *t)
{
	if (t->count == q->depth) {
		t->end = FRT_WALK_DEPTH;
		return false;
	}
	t->hash = stack_named_hash(t->hash, f);
	if (t->count < capacity)
		*stack_table_frame(first, t->count) = stack_named_frame(q->env, f);
	t->count++;
	return true;
}

/* Add the native method at the bottom of each virtual thread. */
static void jvmti_take_entry(const struct question *q, uint32_t first, uint32_t capacity, struct taken *t)
{
	if (t->count == q->depth) {
		t->end = FRT_WALK_DEPTH;
		return;
	}
	if (t->count < capacity)
		*stack_table_frame(first, t->count) = stack_named_first();
	t->count++;
}

/* Ask for frames from `start` on. Returns their number, or -1 if the JVM refuses. */
static jint jvmti_ask(const struct question *q, jint start, jvmtiFrameInfo frames[PORTION])
{
	jint n = 0;
	jvmtiError error = (*jvmti)->GetStackTrace(jvmti, q->thread, start, PORTION, frames, &n);

	if (error == JVMTI_ERROR_ILLEGAL_ARGUMENT && start)
		return 0; /* no more frames */
	return error ? -1 : n;
}

/* Hash the frames. If a place in the table is reserved, the first `capacity` are named and written there. */
static void jvmti_take(const struct question *q, uint32_t first, uint32_t capacity, struct taken *t)
{
	jvmtiFrameInfo frames[PORTION];
	jint start = 0, n, i = OWN_FRAMES;

	*t = (struct taken){.end = FRT_WALK_BOTTOM};
	do {
		n = jvmti_ask(q, start, frames);
		if (n < 0 || (!start && !begins_with_own(q, frames, n))) {
			t->refused = true;
			return;
		}
		for (; i < n; i++)
			if (!take_frame(q, &frames[i], first, capacity, t))
				return;
		start += n;
		i = 0;
	} while (n == (jint)PORTION);
	if (q->is_virtual)
		jvmti_take_entry(q, first, capacity, t);
}

/* The stack is not in the table: ask again, and write it. */
static uint32_t jvmti_intern(const struct question *q, const struct taken *t, uint64_t hash)
{
	struct frt_stack row = {.hash = hash, .count = t->count, .end = t->end};
	struct taken again;
	uint32_t id = stack_table_reserve(row.count, &row.first);

	if (id == FRT_STACK_LOST)
		return id;
	jvmti_take(q, row.first, row.count, &again);
	if (again.refused || again.hash != t->hash || again.count != t->count || again.end != t->end) {
		row.count = 0;
		row.end = FRT_WALK_UNREADABLE;
		row.hash = 0;
	}
	stack_table_publish(id, &row);
	return id;
}

static enum stack_jvmti_answer jvmti_answer(const struct question *q, uint32_t *id)
{
	struct taken t;
	uint64_t hash;

	jvmti_take(q, 0, 0, &t);
	if (t.refused)
		return STACK_JVMTI_REFUSED;
	*id = 0;
	if (!t.count)
		return STACK_JVMTI_TAKEN; /* no Java code called */
	hash = stack_named_mix(t.hash, t.end << 1 | q->is_virtual);
	*id = stack_table_find(hash);
	if (!*id)
		*id = jvmti_intern(q, &t, hash);
	return STACK_JVMTI_TAKEN;
}

/*
 * Since JDK 21: *thread becomes a local reference to the running thread. Even a thread that is not known as a
 * carrier can be one, for a scheduler of the program's own.
 */
static enum stack_jvmti_answer jvmti_name_thread(const struct frt_slot *s, JNIEnv *env, jthread *thread)
{
	*thread = NULL;
	if (s->flags & FRT_SLOT_CARRIER) {
		*thread = thread_own_virtual(env);
		return *thread ? STACK_JVMTI_TAKEN : STACK_JVMTI_UNASKED;
	}
	if ((*jvmti)->GetCurrentThread(jvmti, thread) || !*thread)
		return STACK_JVMTI_REFUSED;
	if (!thread_is_virtual(env, *thread))
		return STACK_JVMTI_TAKEN;
	(*env)->DeleteLocalRef(env, *thread);
	return STACK_JVMTI_UNASKED;
}

static bool may_hang(const struct frt_slot *s, uint32_t method)
{
	bool may_mount = control_method_row(method % FRT_MAX_METHODS)->flags & FRT_METHOD_MAY_MOUNT;

	return may_mount && control->jni_version >= JDK_19 &&
	       (control->jni_version < JDK_21 || s->flags & FRT_SLOT_CARRIER);
}

enum stack_jvmti_answer stack_jvmti_take(const struct frt_slot *s, JNIEnv *env, uint32_t method, uint32_t depth,
					 uint32_t *id)
{
	struct question q = {.env = env, .method = method, .depth = depth};
	enum stack_jvmti_answer result;

	if (may_hang(s, method))
		return STACK_JVMTI_UNASKED;
	if (control->jni_version < JDK_21)
		return jvmti_answer(&q, id);
	q.is_virtual = s->flags & FRT_SLOT_CARRIER;
	result = jvmti_name_thread(s, env, &q.thread);
	if (result)
		return result;
	result = jvmti_answer(&q, id);
	(*env)->DeleteLocalRef(env, q.thread);
	return result;
}

jint stack_jvmti_frames(const struct frt_slot *s, JNIEnv *env, uint32_t method, jvmtiFrameInfo *frames, jint most)
{
	struct question q = {.env = env, .method = method};
	jint n = -1, count;

	if (s->flags & FRT_SLOT_CARRIER || may_hang(s, method))
		return -1;
	if (control->jni_version >= JDK_21 && jvmti_name_thread(s, env, &q.thread))
		return -1;
	if (!(*jvmti)->GetStackTrace(jvmti, q.thread, 0, most, frames, &count) && count < most &&
	    begins_with_own(&q, frames, count)) {
		n = count - (jint)OWN_FRAMES;
		memmove(frames, frames + OWN_FRAMES, n * sizeof(*frames));
	}
	if (q.thread)
		(*env)->DeleteLocalRef(env, q.thread);
	return n;
}
