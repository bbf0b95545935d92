// SPDX-License-Identifier: BSD-2-Clause
/*
 * Frames are hashed as the JVM returns them, by jmethodID and bytecode index. Only the frames of a new stack are
 * named. The JVM never reuses a jmethodID for another method.
 */
#include "uprobes/agent/stack_named.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/loader.h"
#include "uprobes/agent/lock_free.h"
#include "uprobes/agent/stack_table.h"

#define SETS_LOG2 9

static struct cache sets[1u << SETS_LOG2][CACHE_WAYS] __attribute__((aligned(64)));
static struct cache_table rows = {sets, SETS_LOG2, {0}}; /* jmethodID to row in the control segment */

void stack_named_forget(void)
{
	memset(sets, 0, sizeof(sets));
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
		id = control_class((struct slice){signature + 1, length - 2}, loader, modifiers);
	if (object)
		(*env)->DeleteLocalRef(env, object);
	jvm_free(signature);
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
	id = control_method(class_id, slice_of(name), slice_of(descriptor), modifiers);
	jvm_free(name);
	jvm_free(descriptor);
	return id;
}

uint32_t stack_named_method(JNIEnv *env, jmethodID method)
{
	uint64_t row;

	if (cache_get(&rows, (uint64_t)method, &row))
		return row;
	row = method_row(env, method);
	if (row)
		cache_put(&rows, (uint64_t)method, row);
	return row;
}

/* The line of the last entry at or before the index; entries are unordered. */
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
	jvm_free(table);
	return line;
}

struct frt_frame stack_named_frame(JNIEnv *env, const jvmtiFrameInfo *f)
{
	struct frt_frame to = {.kind = FRT_FRAME_NAMED, .code = stack_named_method(env, f->method)};
	int32_t bci = f->location < 0 || f->location > INT32_MAX ? -1 : f->location;

	to.at = (uint64_t)(uint32_t)bci << 32 | (uint32_t)line_of(f->method, bci);
	return to;
}

uint64_t stack_named_mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0xd6e8feb86659fd93ULL;
	return h ^ h >> 32;
}

uint64_t stack_named_hash(uint64_t h, const jvmtiFrameInfo *f)
{
	return stack_named_mix(stack_named_mix(h, (uint64_t)f->method), f->location);
}

struct frt_frame stack_named_first(void)
{
	uint32_t class_id = control_class(slice_of("jdk/internal/vm/Continuation"), FRT_BOOT_LOADER, 0x1);

	return (struct frt_frame){
		.kind = FRT_FRAME_NAMED,
		.code = class_id ? control_method(class_id, slice_of("enterSpecial"),
						  slice_of("(Ljdk/internal/vm/Continuation;ZZ)V"), 0x10a)
				 : 0,
		.at = UINT32_MAX, /* bytecode index 0, no line */
	};
}

uint32_t stack_named_take(JNIEnv *env, const jvmtiFrameInfo *frames, uint32_t count, uint32_t depth, bool is_virtual)
{
	struct frt_stack row = {.count = count > depth ? depth : count, .end = FRT_WALK_BOTTOM};
	bool entry = is_virtual && count < depth;
	uint32_t id;

	if (count + is_virtual > depth)
		row.end = FRT_WALK_DEPTH;
	for (uint32_t i = 0; i < row.count; i++)
		row.hash = stack_named_hash(row.hash, &frames[i]);
	row.hash = stack_named_mix(row.hash, row.end);
	id = stack_table_find(row.hash);
	if (id)
		return id;
	id = stack_table_reserve(row.count + entry, &row.first);
	if (id == FRT_STACK_LOST)
		return id;
	for (uint32_t i = 0; i < row.count; i++)
		*stack_table_frame(row.first, i) = stack_named_frame(env, &frames[i]);
	if (entry)
		*stack_table_frame(row.first, row.count++) = stack_named_first();
	stack_table_publish(id, &row);
	return id;
}
