// SPDX-License-Identifier: BSD-2-Clause
/*
 * A StackChunk is an object with fields and, behind them, `size` words of stack. Frames lie in it as they lay on the
 * stack, the newest one at the lowest address:
 *
 *	fields  [ free ...  fp  pc | frame  fp  pc | frame ...  fp  pc | arguments ]
 *	        0                  sp                                  bottom      size        in words
 *
 * JNI reads the fields. No function of JNI reads the words, but Unsafe.copyMemory0() does: a native method, which runs in
 * the state in which a thread holds up safepoints, so a collector that moves objects at safepoints does not run, and one
 * that moves them concurrently has already moved the object when the reference was resolved.
 */
#include "uprobes/agent/stack_chunks.h"
#include "uprobes/agent/control.h"
#include "uprobes/agent/jvm.h"

#define JDK_21	   0x00150000u
#define MOST_WORDS (1 << 24)
#define WORD	   8u
#define METADATA   (2 * WORD) /* the saved fp and the return address below a frame */
#define BELOW	   (16 * WORD)
#define FIELDS	   256 /* bytes; 56 to 72 have been seen */

static jclass thread_class, chunk_class;
static jobject unsafe;
static jmethodID current_carrier, copy_memory;
static jfieldID continuation_of, tail_of, parent_of, size_of, sp_of, bottom_of;
static jlong words_at; /* offset of the words in a chunk; 0: chunks cannot be read */

static jobject chunks_find_unsafe(JNIEnv *env, jclass c)
{
	jfieldID field = (*env)->GetStaticFieldID(env, c, "theUnsafe", "Ljdk/internal/misc/Unsafe;");
	jobject local = field ? (*env)->GetStaticObjectField(env, c, field) : NULL;
	jobject global = local ? (*env)->NewGlobalRef(env, local) : NULL;

	if (local)
		(*env)->DeleteLocalRef(env, local);
	return global;
}

/* The size of an object, to which the reference is dropped. 0: unknown. */
static jlong chunks_size(JNIEnv *env, jobject object)
{
	jlong size = 0;

	if (object && (*jvmti)->GetObjectSize(jvmti, object, &size))
		size = 0;
	if (object)
		(*env)->DeleteLocalRef(env, object);
	return size;
}

/* The size of a chunk without words, unless the sizes of objects are rounded up to more than a word. */
static jlong chunks_size_of_fields(JNIEnv *env)
{
	jlong empty = chunks_size(env, (*env)->NewByteArray(env, 0)), size;

	if (jvm_threw(env) || chunks_size(env, (*env)->NewByteArray(env, WORD)) != empty + (jlong)WORD ||
	    jvm_threw(env))
		return 0;
	size = chunks_size(env, (*env)->AllocObject(env, chunk_class));
	return size > 0 && size <= FIELDS && size % WORD == 0 ? size : 0;
}

static bool chunks_find_classes(JNIEnv *env)
{
	jclass c = (*env)->FindClass(env, "jdk/internal/vm/Continuation");

	if (c) {
		tail_of = (*env)->GetFieldID(env, c, "tail", "Ljdk/internal/vm/StackChunk;");
		(*env)->DeleteLocalRef(env, c);
	}
	c = c && tail_of ? (*env)->FindClass(env, "jdk/internal/misc/Unsafe") : NULL;
	if (c) {
		copy_memory = (*env)->GetMethodID(env, c, "copyMemory0", "(Ljava/lang/Object;JLjava/lang/Object;JJ)V");
		unsafe = copy_memory ? chunks_find_unsafe(env, c) : NULL;
		(*env)->DeleteLocalRef(env, c);
	}
	if (!unsafe)
		return false;
	thread_class = jvm_keep_class(env, (*env)->FindClass(env, "java/lang/Thread"));
	chunk_class = thread_class ? jvm_keep_class(env, (*env)->FindClass(env, "jdk/internal/vm/StackChunk")) : NULL;
	return chunk_class;
}

static bool chunks_find_members(JNIEnv *env)
{
	return (current_carrier =
			(*env)->GetStaticMethodID(env, thread_class, "currentCarrierThread", "()Ljava/lang/Thread;")) &&
	       (continuation_of = (*env)->GetFieldID(env, thread_class, "cont", "Ljdk/internal/vm/Continuation;")) &&
	       (parent_of = (*env)->GetFieldID(env, chunk_class, "parent", "Ljdk/internal/vm/StackChunk;")) &&
	       (size_of = (*env)->GetFieldID(env, chunk_class, "size", "I")) &&
	       (sp_of = (*env)->GetFieldID(env, chunk_class, "sp", "I")) &&
	       (bottom_of = (*env)->GetFieldID(env, chunk_class, "bottom", "I"));
}

void stack_chunks_init(JNIEnv *env)
{
	if (control->jni_version < JDK_21 || words_at)
		return;
	if (chunks_find_classes(env) && chunks_find_members(env))
		words_at = chunks_size_of_fields(env);
	jvm_threw(env);
	if (!words_at)
		stack_chunks_release(env);
}

static void chunks_release_global(JNIEnv *env, jobject *global)
{
	if (*global)
		(*env)->DeleteGlobalRef(env, *global);
	*global = NULL;
}

void stack_chunks_release(JNIEnv *env)
{
	words_at = 0;
	chunks_release_global(env, &thread_class);
	chunks_release_global(env, &chunk_class);
	chunks_release_global(env, &unsafe);
}

/* Replace a local reference by the one in its field. */
static jobject chunk_follow(JNIEnv *env, jobject object, jfieldID field)
{
	jobject next = object ? (*env)->GetObjectField(env, object, field) : NULL;

	if (object)
		(*env)->DeleteLocalRef(env, object);
	return next;
}

/* Take the first one with frames, from c->object on. */
static enum stack_chunk_answer chunk_take(struct stack_chunk *c)
{
	JNIEnv *env = c->env;
	jint size, sp, bottom;

	for (; c->object; c->object = chunk_follow(env, c->object, parent_of)) {
		size = (*env)->GetIntField(env, c->object, size_of);
		sp = (*env)->GetIntField(env, c->object, sp_of);
		bottom = (*env)->GetIntField(env, c->object, bottom_of);
		if (sp < 0 || bottom < sp || size < bottom || size > MOST_WORDS)
			return STACK_CHUNK_UNKNOWN;
		if (sp == bottom)
			continue;
		if ((uint32_t)sp * WORD < METADATA)
			return STACK_CHUNK_UNKNOWN;
		c->sp = (uint64_t)sp * WORD;
		c->bottom = (uint64_t)bottom * WORD;
		c->copied = c->copied_to = 0;
		return STACK_CHUNK_FOUND;
	}
	return STACK_CHUNK_NONE;
}

enum stack_chunk_answer stack_chunk_open(struct stack_chunk *c, JNIEnv *env)
{
	jobject carrier;

	c->env = env;
	c->object = NULL;
	if (!words_at || (*env)->ExceptionCheck(env))
		return STACK_CHUNK_UNKNOWN;
	carrier = (*env)->CallStaticObjectMethod(env, thread_class, current_carrier);
	if (jvm_threw(env))
		return STACK_CHUNK_UNKNOWN;
	c->object = chunk_follow(env, chunk_follow(env, carrier, continuation_of), tail_of);
	return chunk_take(c);
}

enum stack_chunk_answer stack_chunk_next(struct stack_chunk *c)
{
	c->object = chunk_follow(c->env, c->object, parent_of);
	return chunk_take(c);
}

void stack_chunk_close(struct stack_chunk *c)
{
	if (c->object)
		(*c->env)->DeleteLocalRef(c->env, c->object);
	c->object = NULL;
}

static bool chunk_copy(struct stack_chunk *c, uint64_t from)
{
	uint64_t size = c->bottom - from < sizeof(c->window) ? c->bottom - from : sizeof(c->window);

	c->copied = c->copied_to = 0;
	(*c->env)->CallVoidMethod(c->env, unsafe, copy_memory, c->object, words_at + (jlong)from, NULL,
				  (jlong)(uintptr_t)c->window, (jlong)size);
	if (jvm_threw(c->env))
		return false;
	c->copied = from;
	c->copied_to = from + size;
	return true;
}

/* A frame is read from a word near its end; the others that are needed lie close below it. */
static uint64_t chunk_window_of(const struct stack_chunk *c, uint64_t address)
{
	uint64_t least = c->sp - METADATA;

	return address - least < BELOW ? least : address - BELOW;
}

bool stack_chunk_word(struct stack_chunk *c, uint64_t *to, uint64_t address)
{
	if (address % WORD || address < c->sp - METADATA || address > c->bottom - WORD)
		return false;
	if ((address < c->copied || address >= c->copied_to) && !chunk_copy(c, chunk_window_of(c, address)))
		return false;
	*to = c->window[(address - c->copied) / WORD];
	return true;
}
