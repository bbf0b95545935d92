// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which classes of a batch get hooks in a JVM with little metaspace. The sources are included; the JVM and the collector are
 * played here.
 */
#include "uprobes/agent/retransform.c"
#include "tests/lib/test.h"

#include <pthread.h>

#define CLASSES 100
#define METHODS 20
#define CODE	40
#define LEFT	(METHODS * (EACH_METHOD + CODE)) /* at least, of what a class needs */

static JNIEnv *env;
static jclass all[CLASSES];
static bool hooked[CLASSES];
static int given; /* classes retransformed */
static int skipped;
static int64_t free_bytes; /* what the collector says, at each question */
static int questions;
static bool ends;
static pthread_t collector;

static jvmtiError JNICALL retransform_classes(jvmtiEnv *j, jint count, const jclass *classes)
{
	given += count;
	free_bytes -= count * room_needed(classes[0]) * 5 / 8; /* less than was said, and some is for the way back */
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_methods(jvmtiEnv *j, jclass c, jint *count, jmethodID **methods)
{
	*count = METHODS;
	*methods = calloc(METHODS, sizeof(**methods));
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_location(jvmtiEnv *j, jmethodID m, jlocation *first, jlocation *last)
{
	*first = 0;
	*last = CODE - 1;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_pool(jvmtiEnv *j, jclass c, jint *count, jint *size, unsigned char **pool)
{
	*count = 27;
	*size = 280;
	*pool = malloc(280);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *j, unsigned char *memory)
{
	free(memory);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_version(jvmtiEnv *j, jint *version)
{
	*version = 17 << JVMTI_VERSION_SHIFT_MAJOR;
	return JVMTI_ERROR_NONE;
}

static jboolean JNICALL exception_check(JNIEnv *e)
{
	return 0;
}

bool class_info_name(jclass c, struct class_info *out)
{
	*out = (struct class_info){.name = slice_of("a/B")};
	return true;
}

struct frt_class *class_info_row(JNIEnv *e, jclass c, struct slice name)
{
	return NULL;
}

void class_info_forget(JNIEnv *e, jclass c, struct slice name)
{
	skipped++;
}

bool class_info_forget_if_dead(JNIEnv *e, jclass c)
{
	return false;
}

static void *collect(void *unused)
{
	struct frt_room *r = &control->room;

	while (!__atomic_load_n(&ends, __ATOMIC_ACQUIRE)) {
		uint32_t asked = load_acquire(&r->asked);

		if (asked != r->answered) {
			questions++;
			r->bytes = free_bytes > 0 ? free_bytes : 0;
			r->classes = 1000;
			store_release(&r->answered, asked);
			sys_wake_shared(&r->answered);
		}
		sys_sleep_ms(1);
	}
	return NULL;
}

static int setup(void **state)
{
	static const struct jvmtiInterface_1_ tools = {.RetransformClasses = retransform_classes,
						       .GetClassMethods = get_methods,
						       .GetMethodLocation = get_location,
						       .GetConstantPool = get_pool,
						       .Deallocate = deallocate,
						       .GetVersionNumber = get_version};
	static const struct JNINativeInterface_ calls = {.ExceptionCheck = exception_check};
	static JNIEnv calling = &calls;
	static jvmtiEnv tool = &tools;

	if (!control && !control_create("unit"))
		return -1;
	env = &calling;
	jvmti = &tool;
	for (int i = 0; i < CLASSES; i++)
		all[i] = (jclass)(uintptr_t)(i + 1);
	given = skipped = questions = 0;
	ends = false;
	frtrace_drain_semaphore = 1;
	control_reset_skips(0);
	return pthread_create(&collector, NULL, collect, NULL);
}

static int teardown(void **state)
{
	__atomic_store_n(&ends, true, __ATOMIC_RELEASE);
	return pthread_join(collector, NULL);
}

static struct batch batch_of_all(uint32_t gain)
{
	return (struct batch){.classes = all, .hooked = hooked, .count = CLASSES, .gain = gain};
}

CASE(without_a_limit_all_go_at_once, setup, teardown)
{
	struct batch b = batch_of_all(1);

	room_begin(false, true);
	assert_int_equal(batch_retransform(env, &b, CLASSES), 0);
	assert_int_equal(given, CLASSES);
	assert_int_equal(questions, 0);
}

CASE(classes_go_in_portions_and_the_rest_is_named, setup, teardown)
{
	struct batch b = batch_of_all(1);
	int64_t begin = 30 * room_needed(all[0]);

	free_bytes = begin;
	room_begin(true, true);
	assert_int_equal(batch_retransform(env, &b, CLASSES), 0);
	assert_in_range(given, 40, 48);
	assert_int_equal(given + skipped, CLASSES);
	assert_true(free_bytes >= 0);
	assert_in_range(questions, 3, 10);
	assert_int_equal(control->recording[0].skips, 1); /* they have one name here */
	assert_int_equal(((struct frt_skip *)control_at(FRT_SKIPS_AT))->reason, FRT_SKIP_METASPACE);
}

CASE(hooks_come_out_without_a_question, setup, teardown)
{
	struct batch b = batch_of_all(0);

	free_bytes = 0;
	room_begin(true, true);
	assert_int_equal(batch_retransform(env, &b, CLASSES), 0);
	assert_int_equal(given, CLASSES);
	assert_int_equal(questions, 1);
}

CASE(what_need_not_be_is_not_done_without_room, setup, teardown)
{
	struct batch b = batch_of_all(0);

	free_bytes = 4 * room_needed(all[0]);
	b.optional = true;
	room_begin(true, true);
	assert_int_equal(batch_retransform(env, &b, CLASSES), 0);
	assert_int_equal(given, 3);
	assert_int_equal(skipped, 0);
}

CASE(a_class_that_is_loaded_counts_with_and_without_hooks, setup, teardown)
{
	free_bytes = 10 * bytes_of_file(2000);
	room_begin(true, true);
	assert_true(room_take_loading(2000));
	for (int i = 0; i < 4; i++)
		room_load(2000);
	assert_true(room_take_loading(2000));
	assert_false(room_take_loading(2000));
	assert_false(room_take(all[0], true));
}

CASE(one_class_after_the_other_gets_hooks_while_there_is_room, setup, teardown)
{
	int got = 0;

	free_bytes = 5 * room_needed(all[0]);
	room_begin(true, true);
	for (int i = 0; i < 8; i++) {
		batch_retransform_one(env, all[i], false, 1);
		got = given;
	}
	assert_int_equal(got, 5);
	batch_retransform_one(env, all[0], true, 0);
	assert_int_equal(given, 6);
}

CASE(a_collector_that_has_gone_gives_no_room, setup, teardown)
{
	teardown(state);
	frtrace_drain_semaphore = 0;
	free_bytes = INT64_MAX;
	room_begin(true, true);
	assert_false(room_take(all[0], true));
	frtrace_drain_semaphore = 1;
	setup(state);
}

/* What the program has freed is room again, once the collector has looked. */
CASE(a_class_without_room_has_the_next_ones_find_it, setup, teardown)
{
	free_bytes = 4 * bytes_of_file(2000);
	room_begin(true, true);
	assert_true(room_take_loading(2000));
	assert_int_equal(control->room.wanted, 0);
	assert_false(room_take_loading(2000));
	assert_int_equal(control->room.wanted, 1);
	room_ask();
	assert_int_equal(control->room.wanted, 0);
	assert_true(room_take_loading(2000));
	assert_false(room_take(all[0], true));
	assert_int_equal(control->room.wanted, 1);
}

CASE(what_is_taken_while_the_collector_looks_is_not_forgotten, setup, teardown)
{
	free_bytes = 10000;
	room_begin(true, true);
	room_set(&bytes_left, bytes_left + 3000, 20000); /* 3,000 were taken meanwhile */
	assert_int_equal(bytes_left, 17000);
	room_set(&bytes_left, bytes_left, INT64_MAX);
	assert_true(bytes_left == INT64_MAX);
	room_set(&bytes_left, bytes_left, 0);
	assert_int_equal(bytes_left, 0);
}

CASE(a_limit_holds_while_a_recording_runs_that_knows_it, setup, teardown)
{
	free_bytes = 0;
	room_begin(true, true);
	room_begin(false, false);
	assert_false(room_take(all[0], true));
	room_begin(false, true);
	assert_true(room_take(all[0], true));
}

CASE(a_question_without_an_answer_is_not_asked_again, setup, teardown)
{
	uint32_t before;

	teardown(state);
	frtrace_drain_semaphore = 0;
	room_begin(true, true);
	before = control->room.asked;
	room_ask();
	assert_int_equal(control->room.asked, before + 1);
	setup(state);
	free_bytes = 7000;
	room_ask();
	assert_int_equal(control->room.answered, before + 2);
	assert_int_equal(bytes_left, 7000);
}

CASE(the_way_back_is_that_of_the_classes_with_hooks, setup, teardown)
{
	struct frt_room *r = &control->room;
	uint32_t id = control_class(slice_of("a/B"), 0, 0), other = control_class(slice_of("a/C"), 0, 0);

	free_bytes = 0;
	room_note_hooked(id, 1650, 27, METHODS);
	room_note_hooked(other, 1000, 10, 1);
	control_class_row(id)->flags = FRT_CLASS_REWRITTEN;
	room_begin(true, true);
	assert_int_equal(r->hooked_classes, 1);
	assert_int_equal(r->hooked_bytes, bytes_of(1650, 27, METHODS));
	assert_true(r->hooked_bytes > LEFT);
	control_class_row(id)->flags = 0;
	room_ask();
	assert_int_equal(r->hooked_bytes, 0);
}
