// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/retransform.h"
#include "uprobes/agent/class_info.h"
#include "uprobes/agent/ring.h"

/*
 * Number of classes in one VM operation, during which the JVM stands still. For each class JDK 8 visits all loaded
 * classes, 1.5 us each (measured: 4.4 s for 1,700 of 1,700), and JDKs up to 14 visit all compiled methods. Later
 * JDKs do both once per operation.
 */
#define MOST_AT_ONCE	 2048
#define MOST_AT_ONCE_OLD 128
#define MOST_VISITS_8	 (1 << 18)
#define RUN_BETWEEN_MS	 200

static jvmtiEnv *jvmti;

void retransform_init(jvmtiEnv *j)
{
	jvmti = j;
}

void batch_add(struct batch *b, jclass c, bool hooked)
{
	b->hooked[b->count] = hooked;
	b->classes[b->count++] = c;
}

/* Errors that a single class of the batch causes; the other classes may succeed. */
static bool is_fault_of_a_class(jvmtiError error)
{
	return (error >= JVMTI_ERROR_INVALID_CLASS_FORMAT &&
		error <= JVMTI_ERROR_UNSUPPORTED_REDEFINITION_CLASS_MODIFIERS_CHANGED) ||
	       error == JVMTI_ERROR_UNMODIFIABLE_CLASS || error == JVMTI_ERROR_INTERNAL ||
	       error == JVMTI_ERROR_INVALID_CLASS;
}

/* The JVM refuses the class. If it had hooks before, it keeps those: they are other recordings'. */
static void refused(JNIEnv *env, const struct batch *b, jclass c, bool hooked)
{
	struct frt_class *row;
	struct slice name;
	char *signature;

	if ((*jvmti)->GetClassSignature(jvmti, c, &signature, NULL))
		return;
	if (class_info_name(signature, &name)) {
		row = hooked ? class_info_row(env, c, name) : NULL;
		for (uint32_t r = 0; row && r < FRT_RECORDINGS; r++)
			if (b->gain >> r & 1)
				control_unhook_for(row - control_class_row(0), r);
		if (!row)
			class_info_forget(env, c, name);
		control_skip(b->gain, name, slice_of(NULL), slice_of(NULL), FRT_SKIP_VERIFY);
	}
	class_info_free(signature);
}

static void note_hooks(JNIEnv *env, jclass c, bool hooked)
{
	struct frt_class *row = NULL;
	struct slice name;
	char *signature;

	if ((*jvmti)->GetClassSignature(jvmti, c, &signature, NULL))
		return;
	if (class_info_name(signature, &name))
		row = class_info_row(env, c, name);
	if (row && hooked)
		set_bits(&row->flags, FRT_CLASS_REWRITTEN);
	else if (row)
		control_unhook_class(row - control_class_row(0));
	class_info_free(signature);
}

/* The JVM asked for new code but accepted none of it. */
static void note_unchanged(JNIEnv *env, const struct batch *b, jint first, jint count)
{
	for (jint i = first; i < first + count; i++)
		note_hooks(env, b->classes[i], b->hooked[i]);
}

/* Map the error for a single class to a result. */
static jvmtiError judge_class(JNIEnv *env, const struct batch *b, jint i, jvmtiError error)
{
	if (!is_fault_of_a_class(error))
		return error;
	if (class_info_forget_if_dead(env, b->classes[i]))
		return JVMTI_ERROR_NONE;
	if (!b->gain)
		return error; /* restoring the original code: without metaspace HotSpot returns various errors */
	refused(env, b, b->classes[i], b->hooked[i]);
	return JVMTI_ERROR_NONE;
}

/* A JVM that is short of memory may have enough for fewer classes. */
static bool may_be_less(const struct batch *b, jvmtiError error)
{
	return is_fault_of_a_class(error) || (error == JVMTI_ERROR_OUT_OF_MEMORY && !b->gain);
}

static jvmtiError retransform(JNIEnv *env, const struct batch *b, jint first, jint count)
{
	jvmtiError error = count ? (*jvmti)->RetransformClasses(jvmti, count, b->classes + first) : JVMTI_ERROR_NONE,
		   rest;

	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	if (!error)
		return JVMTI_ERROR_NONE;
	note_unchanged(env, b, first, count);
	if (count == 1)
		return judge_class(env, b, first, error);
	if (!may_be_less(b, error))
		return error;
	error = retransform(env, b, first, count / 2);
	if (error == JVMTI_ERROR_OUT_OF_MEMORY)
		return error;
	rest = retransform(env, b, first + count / 2, count - count / 2);
	return error ? error : rest;
}

/* Since JDK 9 the JVMTI version is the JDK version; the JNI version is 10 for JDK 10 to 18. */
static int jdk_version(void)
{
	jint version;

	return (*jvmti)->GetVersionNumber(jvmti, &version)
		       ? 0
		       : (version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR;
}

static jint portion_size(const struct batch *b, jint loaded)
{
	int version = jdk_version();

	if (version >= 15 || (version >= 9 && b->gain &&
			      control->epoch == 1)) /* the first retransformation deoptimises everything, at once */
		return MOST_AT_ONCE;
	if (version >= 9)
		return MOST_AT_ONCE_OLD;
	return loaded < MOST_VISITS_8 ? MOST_VISITS_8 / loaded : 1;
}

/*
 * If one class of a batch fails, JDK 8 frees the cached class bytes of other hooked classes and later uses them
 * again. There each class goes alone.
 */
static jvmtiError retransform_portion(JNIEnv *env, const struct batch *b, jint first, jint count)
{
	jvmtiError error = JVMTI_ERROR_NONE;

	if (jdk_version() >= 9)
		return retransform(env, b, first, count);
	for (jint i = first; i < first + count && error != JVMTI_ERROR_OUT_OF_MEMORY; i++) {
		jvmtiError one = retransform(env, b, i, 1);

		error = error && one != JVMTI_ERROR_OUT_OF_MEMORY ? error : one;
	}
	return error;
}

jvmtiError batch_retransform(JNIEnv *env, const struct batch *b, jint loaded)
{
	jint portion = portion_size(b, loaded);
	jvmtiError error = JVMTI_ERROR_NONE, one;

	for (jint i = 0; i < b->count; i += portion) {
		uint64_t begin = sys_monotonic_ns();

		if (b->gain && (error || !frtrace_drain_semaphore)) /* the tracer is gone: add no more hooks */
			return error ? error : JVMTI_ERROR_INTERRUPT;
		one = retransform_portion(env, b, i, b->count - i < portion ? b->count - i : portion);
		error = error ? error : one;
		control->retransform_ns += sys_monotonic_ns() - begin;
		if (portion < MOST_AT_ONCE && i + portion < b->count)
			sys_sleep_ms(RUN_BETWEEN_MS);
	}
	return error;
}

jvmtiError batch_retransform_one(JNIEnv *env, jclass c, bool hooked, uint32_t gain)
{
	return retransform(env, &(struct batch){.classes = &c, .hooked = &hooked, .count = 1, .gain = gain}, 0, 1);
}
