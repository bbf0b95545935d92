// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/retransform.h"
#include "uprobes/agent/class_info.h"
#include "uprobes/agent/jvm.h"
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

#define PATIENCE_NS 30000000000ULL /* for an answer */
#define STEP_MS	    100
#define LOADING	    8 /* an eighth of each answer */

/*
 * Upper bounds, in bytes, of what HotSpot keeps of a class. The file's own bytes stand for code, tables and annotations;
 * names are kept elsewhere. Measured on JDK 8 to 25: 4.0 to 4.6 KB for a class of 20 short methods for which this says 6.4,
 * and 65 to 90 bytes more for each method with hooks.
 */
#define EACH_CLASS    1024
#define EACH_CONSTANT 12
#define EACH_METHOD   168
#define EACH_HOOK     150
#define EACH_TABLE    60    /* of a method, where the class file is not at hand */
#define UNKNOWN	      16384 /* a class that the JVM does not describe */

static bool limited;
static int64_t bytes_left, classes_left;
static int64_t loading; /* of these bytes, for classes that are loaded while a portion of others gets hooks */
static uint32_t way_back[FRT_MAX_CLASSES]; /* bytes that the original code of a class with hooks will take */

static bool take(int64_t *left, int64_t amount, int64_t keep)
{
	if (__atomic_sub_fetch(left, amount, __ATOMIC_RELAXED) >= keep)
		return true;
	__atomic_fetch_add(left, amount, __ATOMIC_RELAXED);
	return false;
}

static bool room_take_both(int64_t bytes, int64_t keep)
{
	if (!take(&classes_left, 1, 0))
		return false;
	if (take(&bytes_left, bytes, keep))
		return true;
	__atomic_fetch_add(&classes_left, 1, __ATOMIC_RELAXED);
	return false;
}

/* Nothing but an answer raises what is left, and the thread that loads a class cannot wait for one. */
static bool room_take_or_want(int64_t bytes)
{
	if (room_take_both(bytes, 0))
		return true;
	store_relaxed(&control->room.wanted, 1);
	return false;
}

static uint32_t bytes_of(uint32_t size, uint32_t constants, uint32_t methods)
{
	return EACH_CLASS + size + constants * EACH_CONSTANT + methods * EACH_METHOD;
}

void room_note_hooked(uint32_t class_id, uint32_t size, uint32_t constants, uint32_t methods)
{
	store_relaxed(&way_back[class_id % FRT_MAX_CLASSES], bytes_of(size, constants, methods));
}

static int64_t code_size(jmethodID method)
{
	jlocation first, last;

	return (*jvmti)->GetMethodLocation(jvmti, method, &first, &last) || last < 0 ? 0 : last + 1;
}

/* What the class takes with hooks, and then without. */
static int64_t room_needed(jclass c)
{
	jint methods, constants = 0, pool_size = 0;
	int64_t code = 0, plain;
	unsigned char *pool;
	jmethodID *method;

	if ((*jvmti)->GetClassMethods(jvmti, c, &methods, &method))
		return UNKNOWN;
	for (jint i = 0; i < methods; i++)
		code += code_size(method[i]);
	jvm_free(method);
	if (!(*jvmti)->GetConstantPool(jvmti, c, &constants, &pool_size, &pool))
		jvm_free(pool);
	plain = bytes_of(pool_size + 2 * code + methods * EACH_TABLE, constants, methods);
	return 2 * plain + methods * EACH_HOOK;
}

bool room_take(jclass c, bool prepared_now)
{
	if (!limited)
		return true;
	return prepared_now ? room_take_or_want(room_needed(c)) : room_take_both(room_needed(c), loading);
}

/* About what it takes: half of a class file are names, the rest takes up to four times as much. */
static int64_t bytes_of_file(jint size)
{
	return EACH_CLASS + 2 * (int64_t)size;
}

void room_load(jint size)
{
	if (limited)
		__atomic_fetch_sub(&bytes_left, bytes_of_file(size), __ATOMIC_RELAXED);
}

/* Room for the hooks, for taking them out, and for one more class: a program that starts loads many. */
bool room_take_loading(jint size)
{
	return !limited || room_take_or_want(bytes_of_file(size) * 3);
}

static void room_sum_hooked(struct frt_room *r)
{
	r->hooked_bytes = r->hooked_classes = 0;
	for (uint32_t i = 1; i <= control->classes; i++) {
		if (!(control_class_row(i)->flags & (FRT_CLASS_REWRITTEN | FRT_CLASS_LEFT)))
			continue;
		r->hooked_bytes += way_back[i % FRT_MAX_CLASSES];
		r->hooked_classes++;
	}
}

/* False if the collector has gone, or takes too long. */
static bool room_await(struct frt_room *r, uint32_t question)
{
	uint64_t until = sys_monotonic_ns() + PATIENCE_NS;
	uint32_t answered;

	while ((answered = load_acquire(&r->answered)) != question) {
		if (!frtrace_drain_semaphore || sys_monotonic_ns() > until)
			return false;
		sys_wait_shared(&r->answered, answered, STEP_MS);
	}
	return true;
}

/* What is left now, but for what was taken since `before` was: the answer may not know of that. */
static void room_set(int64_t *left, int64_t before, uint64_t now)
{
	__atomic_fetch_add(left, (int64_t)(now - (uint64_t)before), __ATOMIC_RELAXED);
}

void room_ask(void)
{
	struct frt_room *r = &control->room;
	uint32_t question = r->asked + 1; /* an earlier one may have had no answer */
	int64_t bytes = load_relaxed(&bytes_left), classes = load_relaxed(&classes_left);
	bool answered;

	if (!limited)
		return;
	store_relaxed(&r->wanted, 0);
	room_sum_hooked(r);
	store_release(&r->asked, question);
	sys_wake_shared(&control->command.answered);
	answered = room_await(r, question);
	store_relaxed(&control->progress, control->progress + 1);
	room_set(&bytes_left, bytes, answered ? r->bytes : 0);
	loading = answered ? r->bytes / LOADING : 0;
	room_set(&classes_left, classes, answered ? r->classes : 0);
}

void room_begin(bool is_limited, bool alone)
{
	limited = is_limited || (!alone && limited);
	room_ask();
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

/* The class does not get hooks. If it had some before, it keeps those: they are other recordings'. */
static void refused(JNIEnv *env, const struct batch *b, jclass c, bool hooked, enum frt_skip_reason reason)
{
	struct class_info n;
	struct frt_class *row;

	if (!class_info_name(c, &n))
		return;
	row = hooked ? class_info_row(env, c, n.name) : NULL;
	for (uint32_t r = 0; row && r < FRT_RECORDINGS; r++)
		if (b->gain >> r & 1)
			control_unhook_for(row - control_class_row(0), r);
	if (!row)
		class_info_forget(env, c, n.name);
	control_skip(b->gain, n.name, slice_of(NULL), slice_of(NULL), reason);
	jvm_free(n.signature);
}

static void note_hooks(JNIEnv *env, jclass c, bool hooked)
{
	struct class_info n;
	struct frt_class *row;

	if (!class_info_name(c, &n))
		return;
	row = class_info_row(env, c, n.name);
	if (row && hooked)
		set_bits(&row->flags, FRT_CLASS_REWRITTEN);
	else if (row)
		control_unhook_class(row - control_class_row(0));
	jvm_free(n.signature);
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
	refused(env, b, b->classes[i], b->hooked[i], FRT_SKIP_VERIFY);
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

	jvm_threw(env);
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

/* How many of these classes there is room for. To take hooks out, room has been kept. */
static jint fitting(const struct batch *b, jint first, jint count)
{
	jint n = 0;

	if (!b->gain && !b->optional)
		return count;
	while (n < count && room_take(b->classes[first + n], false))
		n++;
	if (n || !b->gain)
		return n;
	room_ask(); /* what the last portion has really taken may be less */
	while (n < count && room_take(b->classes[first + n], false))
		n++;
	return n;
}

static void leave_out(JNIEnv *env, const struct batch *b, jint first)
{
	for (jint i = first; b->gain && i < b->count; i++)
		refused(env, b, b->classes[i], b->hooked[i], FRT_SKIP_METASPACE);
}

jvmtiError batch_retransform(JNIEnv *env, const struct batch *b, jint loaded)
{
	jint most = portion_size(b, loaded), portion;
	jvmtiError error = JVMTI_ERROR_NONE, one;

	for (jint i = 0; i < b->count; i += portion) {
		uint64_t begin = sys_monotonic_ns();

		if (b->gain && (error || !frtrace_drain_semaphore)) /* the tracer is gone: add no more hooks */
			return error ? error : JVMTI_ERROR_INTERRUPT;
		portion = fitting(b, i, b->count - i < most ? b->count - i : most);
		if (!portion) {
			leave_out(env, b, i);
			break;
		}
		one = retransform_portion(env, b, i, portion);
		error = error ? error : one;
		control->retransform_ns += sys_monotonic_ns() - begin;
		if (most < MOST_AT_ONCE && i + portion < b->count)
			sys_sleep_ms(RUN_BETWEEN_MS);
	}
	return error;
}

jvmtiError batch_retransform_one(JNIEnv *env, jclass c, bool hooked, uint32_t gain)
{
	const struct batch b = {.classes = &c, .hooked = &hooked, .count = 1, .gain = gain};

	if (hooked || !gain || room_take(c, true))
		return retransform(env, &b, 0, 1);
	leave_out(env, &b, 0);
	return JVMTI_ERROR_NONE;
}
