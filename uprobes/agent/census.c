// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread that makes no hook call while the stacks are taken (its counters
 * stand still) has as many live calls as it has frames of hooked methods; a
 * frame is there from before `enter` until after `leave`, so never too few are
 * counted. A thread that runs on meanwhile is left as it is.
 */
#include "uprobes/agent/census.h"
#include "uprobes/agent/loader.h"

#define MOST_SLOTS  4096
#define MOST_FRAMES 4096

struct still {
	uint32_t slot, depth;
	uint64_t java_id, entered, exited;
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
static uint32_t list_slots(struct still *list)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < control->slots && n < MOST_SLOTS; i++) {
		const struct frt_slot *s = control_slot(i);

		if (!s->env || !s->depth || s->epoch != control->epoch || s->flags & FRT_SLOT_CARRIER)
			continue;
		list[n] = (struct still){ i, s->depth, thread_id(s->thread), s->entered, s->exited };
		n += !!list[n].java_id;
	}
	return n;
}

static bool stood_still(const struct still *t)
{
	const struct frt_slot *s = control_slot(t->slot);

	return s->entered == t->entered && s->exited == t->exited && s->depth == t->depth &&
	       thread_id(s->thread) == t->java_id;
}

static bool class_is_hooked(JNIEnv *env, jclass c, struct text *name, char *signature)
{
	const struct frt_class *row = NULL;
	size_t length = strlen(signature);
	jobject loader = NULL;
	uint32_t number;

	if (length < 3 || (*jvmti)->GetClassLoader(jvmti, c, &loader))
		return false;
	*name = (struct text){ signature + 1, length - 2 };
	if (loader_number(env, loader, &number))
		row = control_find_class(*name, number);
	if (loader)
		(*env)->DeleteLocalRef(env, loader);
	return row && row->flags & FRT_CLASS_REWRITTEN;
}

static bool frame_is_hooked(JNIEnv *env, jmethodID method)
{
	jboolean obsolete = JNI_FALSE;
	struct text name;
	bool hooked = false;
	char *signature;
	jclass c;

	if ((*jvmti)->IsMethodObsolete(jvmti, method, &obsolete) || obsolete ||
	    (*jvmti)->GetMethodDeclaringClass(jvmti, method, &c))
		return false;
	if (!(*jvmti)->GetClassSignature(jvmti, c, &signature, NULL)) {
		/* a method of such a class that is not hooked itself counts as alive: rather open than lost */
		hooked = class_is_hooked(env, c, &name, signature);
		(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	}
	(*env)->DeleteLocalRef(env, c);
	return hooked;
}

static uint32_t count_frames(JNIEnv *env, const jvmtiFrameInfo *frames, jint count)
{
	uint32_t n = 0;

	for (jint i = 0; i < count; i++)
		n += frame_is_hooked(env, frames[i].method);
	return n;
}

static void compare(JNIEnv *env, const struct still *t, jthread thread, jvmtiFrameInfo *frames)
{
	uint32_t alive;
	jint count;

	if ((*jvmti)->GetStackTrace(jvmti, thread, 0, MOST_FRAMES, frames, &count) || count == MOST_FRAMES)
		return; /* gone, or perhaps more than was asked for */
	alive = count_frames(env, frames, count);
	if (alive < t->depth && stood_still(t))
		control->dead_calls += t->depth - alive;
}

/* One thread at a time: for all at once the JVM holds 64 KiB a thread, and every thread until it is done. */
static void compare_all(JNIEnv *env, const struct still *list, uint32_t n, const jthread *threads, jint count,
			jvmtiFrameInfo *frames)
{
	for (jint i = 0; i < count; i++) {
		uint64_t id = (*env)->GetLongField(env, threads[i], id_field);

		for (uint32_t k = 0; k < n; k++)
			if (list[k].java_id == id)
				compare(env, &list[k], threads[i], frames);
	}
}

static void compare_with_stacks(JNIEnv *env, const struct still *list, uint32_t n, jvmtiFrameInfo *frames)
{
	jthread *threads;
	jint count;

	if ((*env)->PushLocalFrame(env, 4096)) {
		(*env)->ExceptionClear(env);
		return;
	}
	if (!(*jvmti)->GetAllThreads(jvmti, &count, &threads)) {
		compare_all(env, list, n, threads, count, frames);
		(*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
	}
	(*env)->PopLocalFrame(env, NULL);
}

void census_take(JNIEnv *env)
{
	size_t list_size = MOST_SLOTS * sizeof(struct still), size = list_size + MOST_FRAMES * sizeof(jvmtiFrameInfo);
	struct still *list = id_field ? sys_map(size) : NULL;
	uint32_t n;

	if (!list)
		return;
	n = list_slots(list);
	if (n)
		compare_with_stacks(env, list, n, (jvmtiFrameInfo *)((char *)list + list_size));
	sys_unmap(list, size);
}
