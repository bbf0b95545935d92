// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each slot is read before and after the stack of its thread is taken. A call that was open both times is on that
 * stack, or on no stack at all. To find the dead calls: if the thread made no hook call in between (its counters
 * have not changed), it has as many live calls as frames of hooked methods. A frame exists from before `enter`
 * until after `leave`, so never too few are counted.
 *
 * GetStackTrace is called for one thread at a time. For all threads at once the JVM would hold 64 KiB per thread,
 * and stop every thread until it is done. The call waits while a virtual thread is being mounted or unmounted, so
 * the caller must not hold anything that such a thread needs; it holds nothing.
 */
#include "uprobes/agent/open_dump.h"
#include "uprobes/agent/containers.h"
#include "uprobes/agent/hook_class.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/open_stack.h"
#include "uprobes/agent/recordings.h"
#include "uprobes/agent/stack_named.h"
#include "uprobes/agent/thread.h"
#include "uprobes/agent/virtual_calls.h"

#define MOST_SLOTS  4096
#define MOST_FRAMES 4096
#define MOST_NS	    10000000000ULL

struct wanted {
	uint64_t java_id;
	struct frt_slot *slot;
};

struct open_dump {
	JNIEnv *env;
	uint64_t until; /* CLOCK_MONOTONIC ns */
	bool last;
	uint32_t recording;
	uint32_t depth; /* of the stacks; 0: none */
	uint32_t count;
	struct wanted wanted[MOST_SLOTS];
	uint32_t virtual_left; /* virtual calls whose thread has not been visited yet */
	uint32_t first[FRT_VIRTUAL_CALLS],
		next[FRT_VIRTUAL_CALLS]; /* lists of them by java id: row + 1, 0 ends a list */
	jvmtiFrameInfo frames[MOST_FRAMES];
};

static uint64_t thread_id(uint32_t serial)
{
	const struct frt_thread *row = (const struct frt_thread *)control_at(FRT_THREADS_AT) + serial % FRT_MAX_THREADS;

	return load_acquire(&row->serial) == serial ? row->java_id : 0;
}

/* List the slots that have open calls now. */
static void list_slots(struct open_dump *c)
{
	for (uint32_t i = 0; i < control->slots && c->count < MOST_SLOTS; i++) {
		struct frt_slot *s = control_slot(i);
		uint64_t id;

		if (!s->env || !s->depth || s->epoch != control->epoch || s->flags & FRT_SLOT_CARRIER)
			continue;
		id = thread_id(s->thread);
		if (id)
			c->wanted[c->count++] = (struct wanted){id, s};
	}
}

/* The open calls of a slot at one moment. */
struct moment {
	uint64_t entered, exited, others;
	uint32_t thread, depth;
	struct frt_open_call open[FRT_OPEN_CALLS];
};

static void read_moment(const struct frt_slot *s, struct moment *m)
{
	m->exited = load_acquire(&s->exited);
	m->entered = load_acquire(&s->entered);
	m->others = load_acquire(&s->others);
	m->thread = s->thread;
	m->depth = s->depth;
	memcpy(m->open, s->open, sizeof(m->open));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static bool stood_still(const struct moment *a, const struct moment *b)
{
	return a->entered == b->entered && a->exited == b->exited && a->others == b->others && a->depth == b->depth &&
	       a->thread == b->thread;
}

static uint32_t open_in_both(const struct moment *a, const struct moment *b)
{
	uint32_t n = 0, most = a->depth < b->depth ? a->depth : b->depth;

	if (a->thread != b->thread)
		return 0;
	while (n < most && n < FRT_OPEN_CALLS && a->open[n].start == b->open[n].start)
		n++;
	return n;
}

/*
 * How many of the slot's `all` dead calls are the recording's. Only some calls are kept: beyond them nobody knows, and
 * all count.
 */
static uint32_t dead_of(const struct open_dump *c, const struct frt_slot *s, const struct moment *m, uint32_t all)
{
	uint32_t dead = 0;

	if (!recordings_shared || m->depth > FRT_OPEN_CALLS)
		return all;
	for (uint32_t i = 0; i < m->depth; i++)
		if (s->open_dump_dead >> i & 1)
			dead += recordings_of(m->open[i].start, m->open[i].method) >> c->recording & 1;
	return dead;
}

static void open_dump_judge(struct open_dump *c, struct frt_slot *s, const struct moment *m, jint count)
{
	const struct open_stack o = {c->env, c->frames, count, m->open, m->depth};
	uint32_t alive = open_stack_alive(&o);

	if (alive >= m->depth)
		return;
	s->open_dump_dead = open_stack_dead(&o);
	if (c->last)
		control->recording[c->recording].dead_calls += dead_of(c, s, m, m->depth - alive);
}

/* The number of frames of the hook itself, if the thread is in the middle of one. */
static jint own_frames(struct open_dump *c, jint count)
{
	const char *helper = hook_class_hooks()->owner;
	char *signature;
	bool own = false;
	jclass class;

	if (!count || (*jvmti)->GetMethodDeclaringClass(jvmti, c->frames[0].method, &class))
		return 0;
	if (!(*jvmti)->GetClassSignature(jvmti, class, &signature, NULL)) {
		own = text_begins(signature + 1, helper) && signature[strlen(helper) + 1] == ';';
		jvm_free(signature);
	}
	(*c->env)->DeleteLocalRef(c->env, class);
	return own;
}

static void open_dump_look(struct open_dump *c, struct frt_slot *s, jthread thread)
{
	struct moment before, after;
	jint count, own;
	uint64_t at;

	read_moment(s, &before);
	at = sys_tsc();
	if ((*jvmti)->GetStackTrace(jvmti, thread, 0, MOST_FRAMES, c->frames, &count))
		return; /* the thread is gone */
	read_moment(s, &after);
	s->open_dump_dead = s->open_dump_stack = 0;
	s->open_dump_open = open_in_both(&before, &after);
	own = own_frames(c, count);
	if (s->open_dump_open && c->depth)
		s->open_dump_stack = stack_named_take(c->env, c->frames + own, count - own, c->depth, false);
	if (stood_still(&before, &after) && count < MOST_FRAMES)
		open_dump_judge(c, s, &after, count);
	s->open_dump_at = at;
	store_release(&s->open_dump_epoch, control->open_dump);
}

static void look_for(struct open_dump *c, jthread thread)
{
	uint64_t id = thread_java_id(c->env, thread);

	for (uint32_t i = 0; i < c->count; i++)
		if (c->wanted[i].java_id == id && sys_monotonic_ns() < c->until)
			open_dump_look(c, c->wanted[i].slot, thread);
}

static void look_at_threads(struct open_dump *c)
{
	jthread *threads;
	jint count;

	if (!jvm_push_frame(c->env, 4096))
		return;
	if (!(*jvmti)->GetAllThreads(jvmti, &count, &threads)) {
		for (jint i = 0; i < count; i++)
			look_for(c, threads[i]);
		jvm_free(threads);
	}
	(*c->env)->PopLocalFrame(c->env, NULL);
}

static uint32_t *first_of(struct open_dump *c, uint64_t java_id)
{
	return &c->first[java_id * FRT_CELL_HASH >> (64 - FRT_VIRTUAL_LOG2)];
}

static void list_virtual(struct open_dump *c)
{
	for (uint32_t i = 0; i < FRT_VIRTUAL_CALLS; i++) {
		struct frt_virtual_call *call = virtual_call(i);
		uint32_t *first;

		if (load_acquire(&call->start) <= 1)
			continue;
		first = first_of(c, call->java_id);
		c->next[i] = *first;
		*first = i + 1;
		c->virtual_left++;
	}
}

static bool is_on_stack(struct open_dump *c, uint32_t method, jint count)
{
	for (jint f = 0; f < count; f++)
		if (open_stack_method(c->env, c->frames[f].method) == method)
			return true;
	return false;
}

/* Store the stack of a virtual call's thread. A call that began after `at`, or has ended, is left unchanged. */
static void mark_virtual(struct open_dump *c, uint32_t i, jthread thread, uint64_t at, jint count, uint32_t stack)
{
	struct frt_virtual_name *name = (struct frt_virtual_name *)control_at(FRT_VIRTUAL_NAMES_AT) + i;
	struct frt_virtual_call *call = virtual_call(i);
	uint64_t start = load_acquire(&call->start);

	c->virtual_left--;
	if (start <= 1 || start > at || !is_on_stack(c, call->method, count))
		return;
	name->length = thread_virtual_name(c->env, thread, name->name, sizeof(name->name));
	call->stack = stack;
	store_release(&call->open_dump, control->open_dump);
}

static uint32_t open_dump_next_of(const struct open_dump *c, uint32_t number, uint64_t java_id)
{
	while (number && virtual_call(number - 1)->java_id != java_id)
		number = c->next[number - 1];
	return number;
}

static void look_at_virtual(struct open_dump *c, jthread thread, uint64_t id)
{
	uint32_t number = open_dump_next_of(c, *first_of(c, id), id), stack = 0;
	jint count, own;
	uint64_t at = sys_tsc();

	if (!number || (*jvmti)->GetStackTrace(jvmti, thread, 0, MOST_FRAMES, c->frames, &count))
		return;
	own = own_frames(c, count);
	if (c->depth)
		stack = stack_named_take(c->env, c->frames + own, count - own, c->depth,
					 thread_is_virtual(c->env, thread));
	for (; number; number = open_dump_next_of(c, c->next[number - 1], id))
		mark_virtual(c, number - 1, thread, at, count, stack);
}

static bool on_virtual_thread(void *context, jobject thread)
{
	struct open_dump *c = context;

	look_at_virtual(c, thread, thread_java_id(c->env, thread));
	return c->virtual_left && sys_monotonic_ns() < c->until;
}

void open_dump_take(JNIEnv *env, uint32_t recording, bool last)
{
	uint32_t depth = control_config(recording)->open_dump_depth;
	struct open_dump *c = sys_map(sizeof(*c));

	if (!c)
		return;
	c->env = env;
	c->last = last;
	c->recording = recording;
	c->depth = depth < FRT_MAX_DEPTH ? depth : FRT_MAX_DEPTH;
	c->until = sys_monotonic_ns() + MOST_NS;
	store_release(&control->recording[recording].open_dump, ++control->open_dump);
	list_slots(c);
	if (c->count)
		look_at_threads(c);
	if (control->virtual_used)
		list_virtual(c);
	if (c->virtual_left)
		containers_each(env, on_virtual_thread, c);
	sys_unmap(c, sizeof(*c));
}
