// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which open calls are on the stack of their thread. The stack is a list of method ids, innermost first; methods from 100
 * on have no hooks. The hook that asks is tested, too: it drops what has ended once all places are taken. The source is
 * included, because each test begins with threads that may ask.
 */
#include "uprobes/agent/open_stack.c"
#include "uprobes/agent/hook.h"
#include "uprobes/agent/inside.h"
#include "uprobes/agent/ring.h"
#include "uprobes/agent/slot.h"
#include "uprobes/agent/thread.h"
#include "tests/lib/new_control.h"

#define WITHOUT_HOOKS 100
#define OBSOLETE      99 /* an earlier version of method 1 */
#define FULL	      ((int)FRT_OPEN_CALLS)

static int frames[64], frame_count, asked; /* frame_count -1: the JVM does not answer, which takes its time */
static JNIEnv *const env = (JNIEnv *)0x7f12000003c0;

uint32_t thread_identify(struct frt_slot *s, JNIEnv *e)
{
	return 1;
}

uint64_t thread_running_id(JNIEnv *e, bool *is_virtual)
{
	return *is_virtual = false;
}

bool thread_running_virtual(JNIEnv *e, uint64_t known, char *name, size_t size, struct thread_virtual *v)
{
	return false;
}

enum stack_jvmti_answer stack_jvmti_take(const struct frt_slot *s, JNIEnv *e, uint32_t method, uint32_t depth,
					 uint32_t *id)
{
	return STACK_JVMTI_UNASKED;
}

struct frt_frame stack_named_first(void)
{
	return (struct frt_frame){0};
}

uint32_t stack_named_method(JNIEnv *e, jmethodID method)
{
	uint32_t id = (uint32_t)(uintptr_t)method;

	return id == OBSOLETE ? 1 : id;
}

jint stack_jvmti_frames(const struct frt_slot *s, JNIEnv *e, uint32_t method, jvmtiFrameInfo *to, jint most)
{
	asked++;
	if (frame_count < 0)
		sys_sleep_ms(20);
	for (int i = 0; i < frame_count; i++)
		to[i].method = (jmethodID)(uintptr_t)frames[i];
	return frame_count;
}

static jvmtiError JNICALL is_obsolete(jvmtiEnv *j, jmethodID method, jboolean *to)
{
	*to = (uintptr_t)method == OBSOLETE;
	return JVMTI_ERROR_NONE;
}

static jvmtiInterface_1 table = {.IsMethodObsolete = is_obsolete};
static jvmtiEnv fake = &table;

static int setup(void **state)
{
	if (!new_control())
		return -1;
	jvmti = &fake;
	control->epoch = 1;
	control->recording[0].founder = 1;
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		recordings_since[r] = UINT64_MAX;
	for (uint32_t id = 1; id < WITHOUT_HOOKS; id++)
		control_method_row(id)->flags = FRT_METHOD_HOOKED;
	memset(slot_table, 0, sizeof(slot_table));
	recordings_shared = false;
	inside_since = UINT64_MAX;
	frtrace_drain_semaphore = 1;
	control_since = 1;
	memset(not_before, 0, sizeof(not_before));
	asked = 0;
	return 0;
}

static void set_stack(int count, const int *methods)
{
	frame_count = count;
	memcpy(frames, methods, count * sizeof(*methods));
}
#define STACK(...) set_stack(sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]){__VA_ARGS__})

static void open_calls(int count, int method)
{
	for (int i = 0; i < count; i++)
		hook_enter(env, NULL, method);
}

CASE(calls_that_are_on_no_stack_are_dead, setup)
{
	struct frt_open_call open[] = {{.method = 1}, {.method = 2}, {.method = 3}, {.method = 2}};
	jvmtiFrameInfo stack[] = {
		{(jmethodID)WITHOUT_HOOKS, 0}, {(jmethodID)2, 0}, {(jmethodID)1, 0}, {(jmethodID)OBSOLETE, 0}};
	struct open_stack o = {env, stack, 4, open, 4};

	assert_int_equal(open_stack_alive(&o), 2);
	assert_int_equal(open_stack_dead(&o), 1 << 1 | 1 << 2); /* the innermost call of method 2 has the frame */
	o.count = 0;
	assert_int_equal(open_stack_dead(&o), 0xf);
}

CASE(hook_drops_what_has_ended_when_all_places_are_taken, setup)
{
	struct frt_slot *s;

	STACK(WITHOUT_HOOKS, 2);
	open_calls(1, 2);
	open_calls(FULL - 1, 3);
	s = slot_find(env);
	assert_int_equal(asked, 0);
	open_calls(1, 4);
	assert_int_equal(asked, 1);
	assert_int_equal(s->depth, 2);
	assert_int_equal(s->open[0].method, 2);
	assert_int_equal(s->open[1].method, 4);
	assert_int_equal(s->lost_exits, FULL - 1);
}

CASE(calls_below_the_last_place_are_dropped_with_it, setup)
{
	struct frt_slot *s;

	STACK(WITHOUT_HOOKS);
	open_calls(FULL, 3);
	s = slot_find(env);
	s->open[FULL - 1].place += 1 << 20; /* all that follow are nested in it */
	open_calls(2 * FULL, 3);
	assert_int_equal(s->depth, 3 * FULL);
	s->open[FULL - 1].place -= 1 << 20;
	open_calls(1, 4);
	assert_int_equal(s->depth, 1);
	assert_int_equal(s->lost_exits, 3 * FULL);
}

/* Its frame is that of a call which the slot has not kept. */
CASE(nothing_is_dropped_while_a_call_that_is_not_kept_is_alive, setup)
{
	struct frt_slot *s;

	STACK(5, 2);
	open_calls(1, 2);
	open_calls(FULL - 1, 3);
	open_calls(1, 5);
	s = slot_find(env);
	assert_int_equal(s->depth, FULL + 1);
	open_calls(1, 4);
	assert_int_equal(s->depth, FULL + 2);
	assert_int_equal(s->lost_exits, 0);
}

CASE(deep_recursion_is_not_asked_about_again_and_again, setup)
{
	frame_count = -1;
	open_calls(FULL + 1, 3);
	assert_int_equal(asked, 1);
	open_calls(1, 3);
	assert_int_equal(asked, 1);
}

CASE(frame_below_the_last_place_asks_nothing, setup)
{
	struct frt_slot *s;

	open_calls(FULL, 3);
	s = slot_find(env);
	s->open[FULL - 1].place += 1 << 20;
	open_calls(1, 3);
	assert_int_equal(asked, 0);
	assert_int_equal(s->depth, FULL + 1);
}

CASE(each_recording_loses_its_own, setup)
{
	struct frt_slot *s;

	recordings_shared = true;
	control_since = UINT64_MAX;
	recordings_epoch = recordings_since[0] = recordings_since[1] = 1;
	for (uint32_t r = 0; r < 2; r++) {
		control->recording[r].state = FRT_ACTIVE;
		control->recording[r].number = r + 1;
	}
	control->joined = 1;
	*control_rule(1, 3) = FRT_RULE_UNTRACED;
	STACK(WITHOUT_HOOKS, 2);
	open_calls(1, 2);
	open_calls(FULL + 5, 3);
	s = slot_find(env);
	open_calls(1, 4);
	assert_int_equal(s->open[0].method, 2);
	assert_int_equal(recordings_share(s, 0)->entered - recordings_share(s, 0)->lost_exits, s->depth);
	assert_int_equal(recordings_share(s, 1)->lost_exits, 0);
	assert_int_equal(recordings_share(s, 1)->entered, 2);
}
