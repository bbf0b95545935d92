// SPDX-License-Identifier: BSD-2-Clause
/*
 * The words of StackChunks. The JVM is a table of functions here, with objects that move at each call. Local references
 * are counted, and each call can fail.
 */
#include "uprobes/agent/stack_chunks.h"
#include "uprobes/agent/control.h"
#include "uprobes/agent/jvm.h"
#include "tests/lib/test.h"

#define FIELDS	  56 /* bytes before the words */
#define WORDS	  2000
#define CHUNKS	  3
#define REFERENCE ((uintptr_t)0x10000)

/* Classes and other objects, by number. A reference is REFERENCE + 2 * number; a global one is odd. */
enum {
	NOTHING,
	THREAD,
	CONTINUATION,
	CHUNK_CLASS,
	UNSAFE_CLASS,
	UNSAFE,
	CARRIER,
	RUNNING,
	EMPTY,
	NO_BYTES,
	BYTES,
	CHUNK
};

enum { CURRENT_CARRIER = 1, COPY_MEMORY, THE_UNSAFE, CONT, TAIL, PARENT, SIZE, SP, BOTTOM };

struct fake_chunk {
	jint size, sp, bottom;
	bool has_parent;
	uint64_t word[WORDS];
};

static struct fake_chunk chunks[CHUNKS];
static int locals, globals, calls, fail_at, copies;
static uint64_t copied_bytes;
static bool pending, was_pending, no_continuation;
static jlong empty_size, alignment;
static const char *absent; /* a name that the JVM does not have */

static bool fails(void)
{
	calls++;
	pending |= fail_at && calls == fail_at;
	return fail_at && calls == fail_at;
}

static jobject local(int number)
{
	locals += number != NOTHING;
	return number ? (jobject)(REFERENCE + 2 * number) : NULL;
}

static int number_of(jobject o)
{
	return ((uintptr_t)o - REFERENCE) / 2;
}

static jclass JNICALL find_class(JNIEnv *env, const char *name)
{
	assert_false(pending);
	if (fails())
		return NULL;
	if (!strcmp(name, "java/lang/Thread"))
		return local(THREAD);
	if (!strcmp(name, "jdk/internal/vm/Continuation"))
		return local(CONTINUATION);
	if (!strcmp(name, "jdk/internal/vm/StackChunk"))
		return local(CHUNK_CLASS);
	assert_string_equal(name, "jdk/internal/misc/Unsafe");
	return local(UNSAFE_CLASS);
}

static uintptr_t member(const char *name, const char *const names[], size_t count, uintptr_t first)
{
	assert_false(pending);
	if (fails() || (absent && !strcmp(name, absent))) {
		pending = true;
		return 0;
	}
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return first + i;
	fail_msg("no member %s", name);
	return 0;
}

static jfieldID JNICALL get_field(JNIEnv *env, jclass c, const char *name, const char *type)
{
	static const char *const names[] = {"cont", "tail", "parent", "size", "sp", "bottom"};

	return (jfieldID)member(name, names, 6, CONT);
}

static jfieldID JNICALL get_static_field(JNIEnv *env, jclass c, const char *name, const char *type)
{
	static const char *const names[] = {"theUnsafe"};

	return (jfieldID)member(name, names, 1, THE_UNSAFE);
}

static jmethodID JNICALL get_method(JNIEnv *env, jclass c, const char *name, const char *type)
{
	static const char *const names[] = {"currentCarrierThread", "copyMemory0"};

	return (jmethodID)member(name, names, 2, CURRENT_CARRIER);
}

static jobject JNICALL get_static_object(JNIEnv *env, jclass c, jfieldID f)
{
	return local(UNSAFE);
}

static jobject JNICALL get_object(JNIEnv *env, jobject o, jfieldID f)
{
	int n = number_of(o);

	if (f == (jfieldID)CONT) {
		assert_int_equal(n, CARRIER);
		return local(no_continuation ? NOTHING : RUNNING);
	}
	if (f == (jfieldID)TAIL) {
		assert_int_equal(n, RUNNING);
		return local(CHUNK);
	}
	assert_ptr_equal(f, (jfieldID)PARENT);
	return local(chunks[n - CHUNK].has_parent ? n + 1 : NOTHING);
}

static jint JNICALL get_int(JNIEnv *env, jobject o, jfieldID f)
{
	const struct fake_chunk *c = &chunks[number_of(o) - CHUNK];

	return f == (jfieldID)SIZE ? c->size : f == (jfieldID)SP ? c->sp : c->bottom;
}

static jobject JNICALL allocate(JNIEnv *env, jclass c)
{
	return fails() ? NULL : local(EMPTY);
}

static jbyteArray JNICALL new_bytes(JNIEnv *env, jsize length)
{
	assert_false(pending);
	return fails() ? NULL : local(length ? BYTES : NO_BYTES);
}

static jvmtiError JNICALL object_size(jvmtiEnv *j, jobject o, jlong *to)
{
	jlong size = number_of(o) == EMPTY ? empty_size : number_of(o) == BYTES ? 20 : 12;

	*to = (size + alignment - 1) / alignment * alignment;
	return JVMTI_ERROR_NONE;
}

static jobject JNICALL new_global(JNIEnv *env, jobject o)
{
	if (fails())
		return NULL;
	globals++;
	return (jobject)((uintptr_t)o | 1);
}

static void JNICALL delete_global(JNIEnv *env, jobject o)
{
	assert_true((uintptr_t)o & 1);
	globals--;
}

static void JNICALL delete_local(JNIEnv *env, jobject o)
{
	assert_false((uintptr_t)o & 1);
	locals--;
}

static jobject JNICALL call_static(JNIEnv *env, jclass c, jmethodID m, ...)
{
	assert_ptr_equal(m, (jmethodID)CURRENT_CARRIER);
	return fails() ? NULL : local(CARRIER);
}

static void JNICALL call_void(JNIEnv *env, jobject o, jmethodID m, ...)
{
	va_list a;
	jobject from, to;
	jlong at, address, size;
	const struct fake_chunk *c;

	va_start(a, m);
	from = va_arg(a, jobject);
	at = va_arg(a, jlong);
	to = va_arg(a, jobject);
	address = va_arg(a, jlong);
	size = va_arg(a, jlong);
	va_end(a);
	if (fails())
		return;
	assert_int_equal(number_of(o), UNSAFE);
	assert_ptr_equal(m, (jmethodID)COPY_MEMORY);
	assert_null(to);
	c = &chunks[number_of(from) - CHUNK];
	assert_true(at >= FIELDS && size > 0 && at - FIELDS + size <= (jlong)c->size * 8);
	memcpy((void *)address, (const char *)c->word + at - FIELDS, size);
	copies++;
	copied_bytes += size;
}

static jboolean JNICALL check(JNIEnv *env)
{
	return pending;
}

static void JNICALL clear(JNIEnv *env)
{
	assert_false(was_pending); /* it is the program's */
	pending = false;
}

static const struct JNINativeInterface_ functions = {.FindClass = find_class,
						     .GetFieldID = get_field,
						     .GetStaticFieldID = get_static_field,
						     .GetMethodID = get_method,
						     .GetStaticMethodID = get_method,
						     .GetStaticObjectField = get_static_object,
						     .GetObjectField = get_object,
						     .GetIntField = get_int,
						     .AllocObject = allocate,
						     .NewByteArray = new_bytes,
						     .NewGlobalRef = new_global,
						     .DeleteGlobalRef = delete_global,
						     .DeleteLocalRef = delete_local,
						     .CallStaticObjectMethod = call_static,
						     .CallVoidMethod = call_void,
						     .ExceptionCheck = check,
						     .ExceptionClear = clear};
static JNIEnv env_table = &functions;
static JNIEnv *env = &env_table;
static const struct jvmtiInterface_1_ jvmti_functions = {.GetObjectSize = object_size};
static jvmtiEnv jvmti_table = &jvmti_functions;

/* A JVM of this version with one chunk of WORDS words, each with its number in it. */
static void begin(jint version)
{
	static struct frt_header fake_control;

	jvmti = &jvmti_table;
	fail_at = calls = 0;
	absent = NULL;
	pending = was_pending = no_continuation = false;
	empty_size = FIELDS;
	alignment = 8;
	control = &fake_control;
	control->jni_version = 0x00150000;
	stack_chunks_release(env);
	control->jni_version = version;
	for (uint64_t i = 0; i < CHUNKS * WORDS; i++)
		chunks[i / WORDS].word[i % WORDS] = i;
	for (int i = 0; i < CHUNKS; i++) {
		chunks[i].size = chunks[i].bottom = WORDS;
		chunks[i].sp = 100;
		chunks[i].has_parent = false;
	}
	stack_chunks_init(env);
	calls = copies = copied_bytes = 0;
}

static void end(struct stack_chunk *c)
{
	stack_chunk_close(c);
	assert_int_equal(locals, 0);
}

CASE(each_word_of_the_frames_is_read_and_none_beyond)
{
	struct stack_chunk c;
	uint64_t word;

	begin(0x00150000);
	chunks[0].bottom = WORDS - 5;
	assert_int_equal(stack_chunk_open(&c, env), STACK_CHUNK_FOUND);
	assert_int_equal(c.sp, 100 * 8);
	assert_int_equal(c.bottom, (WORDS - 5) * 8);
	for (uint64_t i = 98; i < WORDS - 5; i++) {
		assert_true(stack_chunk_word(&c, &word, i * 8));
		assert_int_equal(word, i);
	}
	assert_in_range(copies, (WORDS - 98) / STACK_CHUNK_WINDOW, 8);
	assert_true(stack_chunk_word(&c, &word, 98 * 8)); /* back again */
	assert_int_equal(word, 98);
	for (int i = 0; i < 7; i++) {
		const uint64_t bad[] = {97 * 8,		(WORDS - 5) * 8,     100 * 8 + 4, 0,
					UINT64_MAX - 7, (WORDS - 5) * 8 - 4, 1ull << 63};

		assert_false(stack_chunk_word(&c, &word, bad[i]));
	}
	end(&c);
}

/* Frames are read from their ends upwards: few copies, few bytes. */
CASE(one_copy_serves_many_frames)
{
	struct stack_chunk c;
	uint64_t word;

	begin(0x001c0000);
	assert_int_equal(stack_chunk_open(&c, env), STACK_CHUNK_FOUND);
	for (uint64_t sender = 108; sender < 600; sender += 8)
		for (int below = 1; below <= 9; below++)
			assert_true(stack_chunk_word(&c, &word, (sender - below) * 8));
	assert_int_equal(copies, 1);
	assert_int_equal(copied_bytes, sizeof(c.window));
	end(&c);
}

CASE(chunks_without_frames_are_passed_over)
{
	struct stack_chunk c;
	uint64_t word;

	begin(0x00190000);
	chunks[0].has_parent = chunks[1].has_parent = true;
	chunks[0].sp = chunks[0].bottom;
	assert_int_equal(stack_chunk_open(&c, env), STACK_CHUNK_FOUND);
	assert_true(stack_chunk_word(&c, &word, 120 * 8));
	assert_int_equal(word, WORDS + 120);
	assert_int_equal(stack_chunk_next(&c), STACK_CHUNK_FOUND);
	assert_true(stack_chunk_word(&c, &word, 120 * 8));
	assert_int_equal(word, 2 * WORDS + 120);
	assert_int_equal(stack_chunk_next(&c), STACK_CHUNK_NONE);
	end(&c);
	chunks[0].has_parent = false;
	assert_int_equal(stack_chunk_open(&c, env), STACK_CHUNK_NONE);
	end(&c);
	no_continuation = true;
	assert_int_equal(stack_chunk_open(&c, env), STACK_CHUNK_NONE);
	end(&c);
}

CASE(fields_that_no_chunk_has_make_it_unknown)
{
	static const jint bad[][3] = {{WORDS, -1, 5},	   {WORDS, 101, 100}, {100, 50, 101}, {WORDS, 1, WORDS},
				      {-1, 2, 3},	   {INT32_MAX, 2, 3}, {WORDS, 0, 9},  {100, INT32_MIN, 100},
				      {100, 20, INT32_MIN}};
	struct stack_chunk c;

	begin(0x00150000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		chunks[0].size = bad[i][0];
		chunks[0].sp = bad[i][1];
		chunks[0].bottom = bad[i][2];
		assert_int_equal(stack_chunk_open(&c, env), STACK_CHUNK_UNKNOWN);
		end(&c);
	}
	assert_int_equal(copies, 0);
}

CASE(without_a_name_or_before_jdk_21_no_chunk_is_looked_at)
{
	static const char *const names[] = {
		"theUnsafe", "currentCarrierThread", "copyMemory0", "cont", "tail", "parent", "size", "sp", "bottom"};
	struct stack_chunk c;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) + 4; i++) {
		begin(0x00140000);
		control->jni_version = i ? 0x00150000 : 0x00140000;
		empty_size = i == 1 ? 0 : FIELDS;
		alignment = i == 2 ? 16 : i == 3 ? 256 : 8;
		absent = i < 4 ? NULL : names[i - 4];
		stack_chunks_init(env);
		assert_false(pending);
		assert_int_equal(globals + locals, 0);
		calls = 0;
		assert_int_equal(stack_chunk_open(&c, env), STACK_CHUNK_UNKNOWN);
		assert_int_equal(calls, 0);
		end(&c);
	}
}

CASE(failures_leave_no_reference_and_no_exception)
{
	struct stack_chunk c;
	uint64_t word;

	for (int i = 1;; i++) {
		begin(0x00140000);
		control->jni_version = 0x00150000;
		fail_at = i;
		stack_chunks_init(env);
		assert_int_equal(locals, 0);
		assert_false(pending);
		if (calls < i)
			break;
		assert_int_equal(globals, 0);
	}
	for (int i = 1; i <= 2; i++) {
		begin(0x00150000);
		fail_at = i;
		assert_int_equal(stack_chunk_open(&c, env), i == 1 ? STACK_CHUNK_UNKNOWN : STACK_CHUNK_FOUND);
		if (i == 2) {
			assert_false(stack_chunk_word(&c, &word, 120 * 8));
			assert_false(pending);
			assert_true(stack_chunk_word(&c, &word, 120 * 8));
		}
		assert_false(pending);
		end(&c);
	}
}

CASE(exception_of_the_program_is_left_alone)
{
	struct stack_chunk c;

	begin(0x00150000);
	pending = was_pending = true;
	assert_int_equal(stack_chunk_open(&c, env), STACK_CHUNK_UNKNOWN);
	assert_int_equal(calls, 0);
	assert_true(pending);
	stack_chunk_close(&c);
	was_pending = pending = false;
}
