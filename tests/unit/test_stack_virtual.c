// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks that the JVM itself is asked for. The JVM is a table of functions here:
 * its memory and local references are counted, and it can fail.
 */
#include "uprobes/agent/loader.h"
#include "uprobes/agent/stack_named.h"
#include "uprobes/agent/stack_table.h"
#include "uprobes/agent/stack_virtual.h"
#include "uprobes/agent/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST	 100
#define OWN	 2	/* the hook and the traced method */
#define METHOD_1 0x1000 /* the jmethodID of frame i is METHOD_1 + i */

static jint stack_size; /* with the OWN frames */
static int asked, fail_from, allocated, references;
static jthread running; /* the virtual thread; NULL: it runs as its carrier */

jobject thread_own_virtual(JNIEnv *e)
{
	references += running != NULL;
	return running;
}

static jvmtiError JNICALL get_stack_trace(jvmtiEnv *j, jthread t, jint start, jint most, jvmtiFrameInfo *to,
					  jint *count)
{
	asked++;
	if (!t || t != running)
		return JVMTI_ERROR_INVALID_THREAD; /* NULL waits for all virtual threads */
	if (fail_from && asked >= fail_from)
		return JVMTI_ERROR_WRONG_PHASE;
	if (start >= stack_size)
		return JVMTI_ERROR_ILLEGAL_ARGUMENT;
	for (*count = 0; *count < most && start + *count < stack_size; ++*count)
		to[*count] = (jvmtiFrameInfo){(jmethodID)(uint64_t)(METHOD_1 + start + *count - OWN), *count + 1};
	return JVMTI_ERROR_NONE;
}

static char *allocate(const char *text)
{
	allocated++;
	return strdup(text);
}

static jvmtiError JNICALL deallocate(jvmtiEnv *j, unsigned char *memory)
{
	allocated -= memory != NULL;
	free(memory);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_class(jvmtiEnv *j, jmethodID m, jclass *to)
{
	references++;
	*to = (jclass)(uint64_t)8;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_signature(jvmtiEnv *j, jclass c, char **signature, char **generic)
{
	*signature = allocate("La/B;");
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_loader(jvmtiEnv *j, jclass c, jobject *to)
{
	references++;
	*to = (jobject)(uint64_t)16;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_class_modifiers(jvmtiEnv *j, jclass c, jint *to)
{
	*to = 1;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_modifiers(jvmtiEnv *j, jmethodID m, jint *to)
{
	*to = 9;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_name(jvmtiEnv *j, jmethodID m, char **name, char **descriptor, char **generic)
{
	char text[16];

	snprintf(text, sizeof(text), "m%lu", (uint64_t)m - METHOD_1);
	*name = allocate(text);
	*descriptor = allocate("()V");
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_lines(jvmtiEnv *j, jmethodID m, jint *count, jvmtiLineNumberEntry **to)
{
	static const jvmtiLineNumberEntry lines[] = {{4, 104}, {0, 100}, {2, 102}};

	*count = 3;
	*to = (jvmtiLineNumberEntry *)malloc(sizeof(lines));
	allocated++;
	memcpy(*to, lines, sizeof(lines));
	return JVMTI_ERROR_NONE;
}

static void JNICALL delete_reference(JNIEnv *env, jobject o)
{
	references--;
}

bool loader_number(JNIEnv *env, jobject loader, uint32_t *number)
{
	*number = 3;
	return true;
}

static const struct jvmtiInterface_1_ jvmti_table = {
	.GetStackTrace = get_stack_trace,
	.Deallocate = deallocate,
	.GetMethodDeclaringClass = get_class,
	.GetClassSignature = get_signature,
	.GetClassLoader = get_loader,
	.GetClassModifiers = get_class_modifiers,
	.GetMethodModifiers = get_modifiers,
	.GetMethodName = get_name,
	.GetLineNumberTable = get_lines,
};
static const struct JNINativeInterface_ jni_table = {.DeleteLocalRef = delete_reference};
static jvmtiEnv jvmti = &jvmti_table;
static JNIEnv env = &jni_table;

/* One segment for all: what the agent knows of rows in it has no end. */
static int make_segment(void **state)
{
	if (!control_create("unit"))
		return -1;
	stack_named_init(&jvmti);
	stack_virtual_init(&jvmti);
	return 0;
}

static int setup(void **state)
{
	asked = fail_from = 0;
	running = (jthread)(uint64_t)16;
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(allocated, 0);
	assert_int_equal(references, 0);
	return 0;
}

static const struct frt_stack *row(uint32_t id)
{
	const struct frt_stack *r = (struct frt_stack *)control_at(FRT_STACKS_AT) + id;

	assert_int_equal(r->id, id);
	return r;
}

static const char *string(uint32_t at)
{
	return (const char *)control_at(FRT_STRINGS_AT) + at + 2;
}

static void expect_frame(uint32_t id, uint32_t i, const char *name, int bci, int line)
{
	const struct frt_frame *f = stack_table_frame(row(id)->first, i);

	assert_int_equal(f->kind, FRT_FRAME_NAMED);
	assert_string_equal(string(control_method_row(f->code)->name), name);
	assert_int_equal((int)(f->at >> 32), bci);
	assert_int_equal((int)f->at, line);
}

static uint32_t take(uint32_t depth)
{
	uint32_t id;

	assert_true(stack_virtual_take(&env, depth, &id));
	return id;
}

static void frames_are_named_and_end_where_virtual_threads_begin(void **state)
{
	uint32_t id;

	stack_size = OWN + 3;
	id = take(64);
	assert_int_equal(row(id)->count, 4);
	assert_int_equal(row(id)->end, FRT_WALK_BOTTOM);
	expect_frame(id, 0, "m0", 1, 100);
	expect_frame(id, 1, "m1", 2, 102);
	expect_frame(id, 2, "m2", 3, 102);
	expect_frame(id, 3, "enterSpecial", 0, -1);
	assert_int_equal(take(64), id);
}

static void stacks_of_all_sizes_are_whole(void **state)
{
	uint32_t id;
	char name[16];

	for (stack_size = OWN + 1; stack_size < OWN + MOST; stack_size++) {
		id = take(2048);
		assert_int_equal(row(id)->count, stack_size - OWN + 1);
		assert_int_equal(row(id)->end, FRT_WALK_BOTTOM);
		for (int i = 0; i < stack_size - OWN; i++) {
			snprintf(name, sizeof(name), "m%d", i);
			expect_frame(id, i, name, i % 32 + 1, i % 32 == 0 ? 100 : i % 32 < 3 ? 102 : 104);
		}
	}
}

static void stack_is_cut_at_its_depth(void **state)
{
	uint32_t id;

	stack_size = OWN + 40;
	for (uint32_t depth = 1; depth < 45; depth++) {
		id = take(depth);
		assert_int_equal(row(id)->count, depth < 41 ? depth : 41);
		assert_int_equal(row(id)->end, depth < 41 ? FRT_WALK_DEPTH : FRT_WALK_BOTTOM);
	}
}

static void stack_that_the_jvm_does_not_tell_is_unreadable(void **state)
{
	uint32_t id;

	stack_size = OWN + MOST + 40; /* unknown yet; asked for five times, 32 frames each, and that twice */
	for (fail_from = 1; fail_from <= 10; fail_from++) {
		asked = 0;
		id = take(2048);
		assert_int_equal(row(id)->count, 0);
		assert_int_equal(row(id)->end, FRT_WALK_UNREADABLE);
	}
	fail_from = 0;
	id = take(2048);
	assert_int_equal(row(id)->count, MOST + 40 + 1);
	assert_int_equal(row(id)->end, FRT_WALK_BOTTOM);
}

static void thread_that_runs_as_its_carrier_is_not_asked(void **state)
{
	uint32_t id;

	running = NULL;
	assert_false(stack_virtual_take(&env, 64, &id));
	assert_int_equal(asked, 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(frames_are_named_and_end_where_virtual_threads_begin),
		CASE(stacks_of_all_sizes_are_whole),
		CASE(stack_is_cut_at_its_depth),
		CASE(stack_that_the_jvm_does_not_tell_is_unreadable),
		CASE(thread_that_runs_as_its_carrier_is_not_asked),
	};

	return cmocka_run_group_tests(tests, make_segment, NULL);
}
