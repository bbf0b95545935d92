// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks from the JVM itself. The JVM is a table of functions here. Its memory and local references are counted,
 * and it can fail.
 */
#include "uprobes/agent/loader.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/stack_jvmti.h"
#include "uprobes/agent/stack_named.h"
#include "uprobes/agent/stack_table.h"
#include "uprobes/agent/thread.h"
#include "tests/lib/test.h"

#define MOST	 100
#define OWN	 2	/* the hook and the traced method */
#define METHOD_1 0x1000 /* the jmethodID of frame i is METHOD_1 + i */

#define PLATFORM ((jthread)16ul)
#define VIRTUAL	 ((jthread)24ul)
#define HOOK	 ((jmethodID)(METHOD_1 - OWN))
#define TRACED	 ((jmethodID)(METHOD_1 - 1))

static jint stack_size, hidden; /* with the OWN frames; number of frames that the JVM hides at the top */
static int asked, fail_from, allocated, references;
static jthread running, about; /* the running thread, and the one that the JVM was asked about last */
static struct frt_slot slot;
static uint32_t traced; /* the row of TRACED */

jobject thread_own_virtual(JNIEnv *e)
{
	references += running == VIRTUAL;
	return running == VIRTUAL ? running : NULL;
}

bool thread_is_virtual(JNIEnv *e, jthread thread)
{
	return thread == VIRTUAL;
}

static jvmtiError JNICALL get_current(jvmtiEnv *j, jthread *to)
{
	references += running != NULL;
	*to = running;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_stack_trace(jvmtiEnv *j, jthread t, jint start, jint most, jvmtiFrameInfo *to,
					  jint *count)
{
	asked++;
	about = t;
	start += hidden;
	if (fail_from && asked >= fail_from)
		return JVMTI_ERROR_WRONG_PHASE;
	if (start >= stack_size)
		return JVMTI_ERROR_ILLEGAL_ARGUMENT;
	for (*count = 0; *count < most && start + *count < stack_size; ++*count) {
		jint i = start + *count - OWN;

		to[*count] = (jvmtiFrameInfo){(jmethodID)(uint64_t)(METHOD_1 + i), i == -OWN ? -1 : i + 1};
	}
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

	snprintf(text, sizeof(text), "m%ld", (long)((uint64_t)m - METHOD_1));
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
	.GetCurrentThread = get_current,
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
static jvmtiEnv tool = &jvmti_table;
static JNIEnv env = &jni_table;

/* One segment for all tests: the agent's cache of its rows is never cleared. */
static int make_segment(void **state)
{
	if (!control_create("unit"))
		return -1;
	stack_table_join(0);
	jvmti = &tool;
	traced = stack_named_method(&env, TRACED);
	return !traced;
}

static void be(unsigned int jdk, jthread who)
{
	control->jni_version = jdk << 16;
	running = who;
	slot.flags = who == VIRTUAL ? FRT_SLOT_CARRIER : 0;
	about = NULL;
	asked = 0;
}

static int setup(void **state)
{
	fail_from = hidden = 0;
	control_method_row(traced)->flags = 0;
	stack_size = OWN + 3;
	be(21, VIRTUAL);
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

static enum stack_jvmti_answer take_id(uint32_t depth, uint32_t *id)
{
	return stack_jvmti_take(&slot, &env, traced, depth, id);
}

static uint32_t take(uint32_t depth)
{
	uint32_t id = 0;

	assert_int_equal(take_id(depth, &id), STACK_JVMTI_TAKEN);
	return id;
}

CASE(frames_are_named_and_end_where_virtual_threads_begin, setup, teardown)
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

CASE(platform_thread_has_no_entry, setup, teardown)
{
	static const unsigned int versions[] = {8, 18, 19, 20, 21, 26};
	uint32_t id;

	for (int i = 0; i < 6; i++) {
		be(versions[i], PLATFORM);
		id = take(64);
		assert_int_equal(row(id)->count, 3);
		assert_int_equal(row(id)->end, FRT_WALK_BOTTOM);
		expect_frame(id, 2, "m2", 3, 102);
		assert_ptr_equal(about,
				 versions[i] < 21 ? NULL : PLATFORM); /* NULL waits for all virtual threads there */
	}
}

CASE(method_called_only_by_the_vm_has_no_stack, setup, teardown)
{
	be(17, PLATFORM);
	stack_size = OWN;
	assert_int_equal(take(64), 0);
}

CASE(stacks_of_all_sizes_are_complete, setup, teardown)
{
	uint32_t id;
	char name[16];

	for (stack_size = OWN + 1; stack_size < OWN + MOST; stack_size++) {
		id = take(2048);
		assert_int_equal(row(id)->count, stack_size - OWN + 1);
		assert_int_equal(row(id)->end, FRT_WALK_BOTTOM);
		for (int i = 0; i < stack_size - OWN; i++) {
			snprintf(name, sizeof(name), "m%d", i);
			expect_frame(id, i, name, i + 1, i < 1 ? 100 : i < 3 ? 102 : 104);
		}
	}
}

CASE(stack_is_cut_at_its_depth, setup, teardown)
{
	uint32_t id;

	stack_size = OWN + 100;
	for (uint32_t depth = 1; depth < 105; depth++) {
		id = take(depth);
		assert_int_equal(row(id)->count, depth < 101 ? depth : 101);
		assert_int_equal(row(id)->end, depth < 101 ? FRT_WALK_DEPTH : FRT_WALK_BOTTOM);
	}
}

/* Requested twice, at most 96 frames at a time; and again to name them. */
CASE(stack_that_the_jvm_refuses_is_refused, setup, teardown)
{
	uint32_t id;

	stack_size = OWN + MOST + 40;
	for (fail_from = 1; fail_from <= 2; fail_from++) {
		asked = 0;
		assert_int_equal(take_id(2048, &id), STACK_JVMTI_REFUSED);
	}
	for (; fail_from <= 4; fail_from++) {
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

CASE(stack_without_the_hook_at_its_top_is_refused, setup, teardown)
{
	uint32_t id;

	for (hidden = 1; hidden <= 6; hidden++)
		assert_int_equal(take_id(64, &id), STACK_JVMTI_REFUSED);
	hidden = 0;
	assert_int_equal(stack_jvmti_take(&slot, &env, traced + 1, 64, &id), STACK_JVMTI_REFUSED);
}

CASE(method_of_a_loader_with_two_rows_is_the_same, setup, teardown)
{
	uint32_t other = control_method(control_class(slice_of("a/B"), 7, 1), slice_of("m-1"), slice_of("()V"), 9), id;

	assert_int_not_equal(other, traced);
	assert_int_equal(stack_jvmti_take(&slot, &env, other, 64, &id), STACK_JVMTI_TAKEN);
}

CASE(jvm_is_not_asked_while_a_virtual_thread_runs_as_its_carrier, setup, teardown)
{
	uint32_t id;

	running = PLATFORM;
	assert_int_equal(take_id(64, &id), STACK_JVMTI_UNASKED);
	be(21, NULL); /* a thread without an object yet */
	assert_int_equal(take_id(64, &id), STACK_JVMTI_REFUSED);
	be(21, VIRTUAL);
	slot.flags = 0; /* of an unknown carrier */
	assert_int_equal(take_id(64, &id), STACK_JVMTI_UNASKED);
	assert_int_equal(asked, 0);
}

/* It would wait for the end of a transition, perhaps its own. */
CASE(jvm_is_not_asked_from_a_method_that_may_mount_where_that_waits, setup, teardown)
{
	static const struct {
		unsigned int jdk;
		jthread who;
		enum stack_jvmti_answer answer;
	} cases[] = {{8, PLATFORM, STACK_JVMTI_TAKEN},	  {18, PLATFORM, STACK_JVMTI_TAKEN},
		     {19, PLATFORM, STACK_JVMTI_UNASKED}, {20, PLATFORM, STACK_JVMTI_UNASKED},
		     {21, PLATFORM, STACK_JVMTI_TAKEN},	  {21, VIRTUAL, STACK_JVMTI_UNASKED},
		     {26, PLATFORM, STACK_JVMTI_TAKEN},	  {26, VIRTUAL, STACK_JVMTI_UNASKED}};
	uint32_t id;

	control_method_row(traced)->flags = FRT_METHOD_MAY_MOUNT;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		be(cases[i].jdk, cases[i].who);
		assert_int_equal(take_id(64, &id), cases[i].answer);
		assert_int_equal(asked > 0, cases[i].answer == STACK_JVMTI_TAKEN);
	}
}

int main(void)
{
	return test_main(make_segment, NULL);
}
