// SPDX-License-Identifier: BSD-2-Clause
/*
 * Frames are hashed as the JVM gives them, jmethodID and bytecode index; only
 * for a new stack they are named. A jmethodID is never given to a second method.
 *
 * GetStackTrace waits until the thread that it is asked about is neither being
 * mounted nor unmounted; without a thread it waits for all virtual threads, and
 * each that unmounts takes a lock that the caller may hold (Thread.interrupt).
 * So it is asked about this one thread, and never while that one is between the two.
 */
#include "uprobes/agent/stack_virtual.h"
#include "uprobes/agent/loader.h"
#include "uprobes/agent/memo.h"
#include "uprobes/agent/stack_table.h"
#include "uprobes/agent/thread.h"

#define OWN_FRAMES 2u /* the hook and the method that called it */
#define PORTION	   32u /* frames asked for at once: little of a stack may be left */
#define SETS_LOG2  9

static jvmtiEnv *jvmti;

static struct memo sets[1u << SETS_LOG2][MEMO_WAYS] __attribute__((aligned(64)));
static struct memo_table rows = { sets, SETS_LOG2, { 0 } }; /* of a jmethodID: its row in the control segment */

void stack_virtual_init(jvmtiEnv *j)
{
	jvmti = j;
}

static uint32_t class_row(JNIEnv *env, jclass c)
{
	uint32_t id = 0, loader = FRT_BOOT_LOADER;
	jobject object = NULL;
	jint modifiers = 0;
	char *signature;
	size_t length;

	if ((*jvmti)->GetClassSignature(jvmti, c, &signature, NULL))
		return 0;
	length = strlen(signature); /* La/b/C; */
	if (length > 2 && !(*jvmti)->GetClassLoader(jvmti, c, &object) && loader_number(env, object, &loader) &&
	    !(*jvmti)->GetClassModifiers(jvmti, c, &modifiers))
		id = control_class((struct text){ signature + 1, length - 2 }, loader, modifiers);
	if (object)
		(*env)->DeleteLocalRef(env, object);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	return id;
}

static uint32_t method_row(JNIEnv *env, jmethodID method)
{
	char *name, *descriptor;
	uint32_t class_id, id = 0;
	jint modifiers = 0;
	jclass c;

	if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &c))
		return 0;
	class_id = class_row(env, c);
	(*env)->DeleteLocalRef(env, c);
	if (!class_id || (*jvmti)->GetMethodModifiers(jvmti, method, &modifiers) ||
	    (*jvmti)->GetMethodName(jvmti, method, &name, &descriptor, NULL))
		return 0;
	id = control_method(class_id, text_of(name), text_of(descriptor), modifiers);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
	return id;
}

static uint32_t known_row(JNIEnv *env, jmethodID method)
{
	uint64_t row;

	if (memo_recall(&rows, (uint64_t)method, &row))
		return row;
	row = method_row(env, method);
	if (row)
		memo_remember(&rows, (uint64_t)method, row);
	return row;
}

/* The last entry at or before the index; entries are in no order. */
static int line_of(jmethodID method, jlocation index)
{
	jvmtiLineNumberEntry *table;
	jlocation best = -1;
	int line = -1;
	jint count;

	if (index < 0 || (*jvmti)->GetLineNumberTable(jvmti, method, &count, &table))
		return -1;
	for (jint i = 0; i < count; i++) {
		if (table[i].start_location > index || table[i].start_location < best)
			continue;
		best = table[i].start_location;
		line = table[i].line_number;
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)table);
	return line;
}

static struct frt_frame name_frame(JNIEnv *env, const jvmtiFrameInfo *f)
{
	struct frt_frame to = { .kind = FRT_FRAME_NAMED, .code = known_row(env, f->method) };
	int32_t bci = f->location < 0 || f->location > INT32_MAX ? -1 : f->location;

	to.at = (uint64_t)(uint32_t)bci << 32 | (uint32_t)line_of(f->method, bci);
	return to;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0xd6e8feb86659fd93ULL;
	return h ^ h >> 32;
}

struct taken {
	uint64_t hash;
	uint32_t count;
	enum frt_walk_end end;
};

/* JVMTI leaves out the native method that a virtual thread's stack begins with; JFR has it. */
static struct frt_frame first_frame(void)
{
	uint32_t class_id = control_class(text_of("jdk/internal/vm/Continuation"), FRT_BOOT_LOADER, 0x1);

	return (struct frt_frame){
		.kind = FRT_FRAME_NAMED,
		.code = class_id ? control_method(class_id, text_of("enterSpecial"),
						  text_of("(Ljdk/internal/vm/Continuation;ZZ)V"), 0x10a) : 0,
		.at = UINT32_MAX, /* bytecode index 0, no line */
	};
}

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
			t->hash = mix(mix(t->hash, (uint64_t)frames[i].method), frames[i].location);
			if (t->count < room)
				*stack_table_frame(first, t->count) = name_frame(env, &frames[i]);
			t->count++;
		}
	}
	if (t->count == depth) {
		t->end = FRT_WALK_DEPTH;
		return;
	}
	if (t->count < room)
		*stack_table_frame(first, t->count) = first_frame();
	t->count++;
}

static uint32_t take_id(JNIEnv *env, jthread thread, uint32_t depth)
{
	struct taken t, again;
	struct frt_stack row;
	uint32_t id;

	take(env, thread, depth, 0, 0, &t);
	row = (struct frt_stack){ .hash = mix(t.hash, t.end), .count = t.count, .end = t.end };
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
