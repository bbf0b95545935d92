// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread is looked at between two looks at its slot: what was open before and
 * after is on the stack that was taken in between, or on none. On none: when
 * the thread made no hook call meanwhile (its counters stand still) it has as many
 * live calls as it has frames of hooked methods; a frame is there from before
 * `enter` until after `leave`, so never too few are counted.
 *
 * GetStackTrace is asked for one thread at a time: for all at once the JVM holds
 * 64 KiB a thread, and every thread until it is done.
 */
#include "uprobes/agent/census.h"
#include "uprobes/agent/helper.h"
#include "uprobes/agent/stack_named.h"

#define MOST_SLOTS  4096
#define MOST_FRAMES 4096
#define MOST_NS	    2000000000ULL

struct wanted {
	uint64_t java_id;
	struct frt_slot *slot;
};

struct census {
	JNIEnv *env;
	uint64_t until; /* CLOCK_MONOTONIC ns */
	bool last;
	uint32_t count;
	struct wanted wanted[MOST_SLOTS];
	jvmtiFrameInfo frames[MOST_FRAMES];
};

static jvmtiEnv *jvmti;
static jfieldID id_field;

void census_init(jvmtiEnv *j, JNIEnv *env)
{
	jclass thread = (*env)->FindClass(env, "java/lang/Thread");

	jvmti = j;
	id_field = thread ? (*env)->GetFieldID(env, thread, "tid", "J") : NULL;
	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
}

static uint64_t thread_id(uint32_t serial)
{
	const struct frt_thread *row = (const struct frt_thread *)control_at(FRT_THREADS_AT) + serial % FRT_MAX_THREADS;

	return load_acquire(&row->serial) == serial ? row->java_id : 0;
}

/* The slots with open calls, as they are now. */
static void list_slots(struct census *c)
{
	for (uint32_t i = 0; i < control->slots && c->count < MOST_SLOTS; i++) {
		struct frt_slot *s = control_slot(i);
		uint64_t id;

		if (!s->env || !s->depth || s->epoch != control->epoch || s->flags & FRT_SLOT_CARRIER)
			continue;
		id = thread_id(s->thread);
		if (id)
			c->wanted[c->count++] = (struct wanted){ id, s };
	}
}

/* A slot at one moment. */
struct moment {
	uint64_t entered, exited;
	uint32_t thread, depth;
	struct frt_open_call open[FRT_OPEN_CALLS];
};

static void read_moment(const struct frt_slot *s, struct moment *m)
{
	m->exited = load_acquire(&s->exited);
	m->entered = load_acquire(&s->entered);
	m->thread = s->thread;
	m->depth = s->depth;
	memcpy(m->open, s->open, sizeof(m->open));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static bool stood_still(const struct moment *a, const struct moment *b)
{
	return a->entered == b->entered && a->exited == b->exited && a->depth == b->depth && a->thread == b->thread;
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

/* The method's id if it has hooks now, else 0: an obsolete version has none. */
static uint32_t hooked_method(JNIEnv *env, jmethodID method)
{
	uint32_t id = stack_named_method(env, method);
	jboolean obsolete = JNI_FALSE;

	if (!id || !(control_method_row(id)->flags & FRT_METHOD_HOOKED) ||
	    (*jvmti)->IsMethodObsolete(jvmti, method, &obsolete) || obsolete)
		return FRT_NO_METHOD;
	return id;
}

/* Each frame is the innermost open call of its method that no frame above it is; those left over are dead. */
static uint32_t find_dead(struct census *c, const struct moment *m, jint count)
{
	uint32_t dead = (1u << m->depth) - 1, i = m->depth;

	for (jint f = 0; f < count && i; f++) {
		uint32_t id = hooked_method(c->env, c->frames[f].method), k = i;

		while (id && k && m->open[k - 1].method != id)
			k--;
		if (!id || !k)
			continue;
		i = k - 1;
		dead &= ~(1u << i);
	}
	return dead;
}

static uint32_t count_hooked(struct census *c, jint count)
{
	uint32_t n = 0;

	for (jint f = 0; f < count; f++)
		n += !!hooked_method(c->env, c->frames[f].method);
	return n;
}

static void judge(struct census *c, struct frt_slot *s, const struct moment *m, jint count)
{
	uint32_t alive = count_hooked(c, count);

	if (alive >= m->depth)
		return;
	if (m->depth <= FRT_OPEN_CALLS)
		s->census_dead = find_dead(c, m, count);
	if (c->last)
		control->dead_calls += m->depth - alive;
}

/* A thread can be in the middle of a hook. */
static jint own_frames(struct census *c, jint count)
{
	const char *helper = helper_hooks()->owner;
	char *signature;
	bool own = false;
	jclass class;

	if (!count || (*jvmti)->GetMethodDeclaringClass(jvmti, c->frames[0].method, &class))
		return 0;
	if (!(*jvmti)->GetClassSignature(jvmti, class, &signature, NULL)) {
		own = text_begins(signature + 1, helper) && signature[strlen(helper) + 1] == ';';
		(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	}
	(*c->env)->DeleteLocalRef(c->env, class);
	return own;
}

static void look(struct census *c, struct frt_slot *s, jthread thread)
{
	uint32_t depth = control_config()->census_depth;
	struct moment before, after;
	jint count, own;
	uint64_t at;

	read_moment(s, &before);
	at = sys_tsc();
	if ((*jvmti)->GetStackTrace(jvmti, thread, 0, MOST_FRAMES, c->frames, &count))
		return; /* it is gone */
	read_moment(s, &after);
	s->census_dead = s->census_stack = 0;
	s->census_open = open_in_both(&before, &after);
	own = own_frames(c, count);
	if (s->census_open && depth)
		s->census_stack = stack_named_take(c->env, c->frames + own, count - own, depth, false);
	if (stood_still(&before, &after) && count < MOST_FRAMES)
		judge(c, s, &after, count);
	s->census_at = at;
	store_release(&s->census_epoch, control->census);
}

static void look_for(struct census *c, jthread thread)
{
	uint64_t id = (*c->env)->GetLongField(c->env, thread, id_field);

	for (uint32_t i = 0; i < c->count; i++)
		if (c->wanted[i].java_id == id && sys_monotonic_ns() < c->until)
			look(c, c->wanted[i].slot, thread);
}

static void look_at_threads(struct census *c)
{
	jthread *threads;
	jint count;

	if ((*c->env)->PushLocalFrame(c->env, 4096)) {
		(*c->env)->ExceptionClear(c->env);
		return;
	}
	if (!(*jvmti)->GetAllThreads(jvmti, &count, &threads)) {
		for (jint i = 0; i < count; i++)
			look_for(c, threads[i]);
		(*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
	}
	(*c->env)->PopLocalFrame(c->env, NULL);
}

void census_take(JNIEnv *env, bool last)
{
	struct census *c = id_field ? sys_map(sizeof(*c)) : NULL;

	if (!c)
		return;
	c->env = env;
	c->last = last;
	c->until = sys_monotonic_ns() + MOST_NS;
	control->census++;
	list_slots(c);
	if (c->count)
		look_at_threads(c);
	sys_unmap(c, sizeof(*c));
}
