// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads with interpreted frames on hand-made stacks. The JVM's list of threads, the kernel's, and the resolver
 * are replaced here (wrapped by the linker). The Method of a frame is its number: method m3 of class a.B; its
 * bytecode pointer is the line.
 */
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"
#include "user/jvm/layout_check.h"
#include "user/hotspot/threads.h"
#include "user/process/target.h"

#define THREADS	   3
#define THREAD(i)  (0x10000u * ((i) + 1))
#define STACK(i)   (THREAD(i) + 0x1000)
#define BASE(i)	   (THREAD(i) + 0x8000)
#define FRAME	   0x100
#define ANCHOR	   0x100
#define STACK_BASE 0x80
#define CODE	   0x5000000
#define CALL_STUB  0x4000000
#define WRAPPER(i) (BASE(i) - 0x80)

static unsigned char image[0x10000 * (THREADS + 1)];
static struct mem memory;
static struct hotspot_layout layout;
static struct layout_check *layout_check;
static struct layout_check_account account;
static struct target_task tasks[THREADS];
static unsigned int each_task_calls;
static bool wakes; /* the last thread runs during the dump */

static int read_image(const struct mem *m, uint64_t address, void *to, size_t size)
{
	if (address < 0x10000 || address + size > sizeof(image))
		return -EFAULT;
	memcpy(to, image + address, size);
	return 0;
}

static void put(uint64_t address, uint64_t value)
{
	memcpy(image + address, &value, sizeof(value));
}

WRAP(int, hotspot_each_thread, const struct hotspot_layout *l, const struct mem *m,
     int (*visit)(uint64_t java_thread, int tid, void *context), void *context)
{
	int r = 0;

	for (int i = 0; i < THREADS && !r; i++)
		r = visit(THREAD(i), 100 + i, context);
	return r;
}

WRAP(int, target_each_task, const struct target *t, int (*visit)(const struct target_task *task, void *context),
     void *context)
{
	int r = 0;

	if (each_task_calls++ && wakes)
		tasks[THREADS - 1].switches++;
	for (int i = 0; i < THREADS && !r; i++)
		r = visit(&tasks[i], context);
	return r;
}

static char names[64][8];
static struct resolved_method methods[64];
static struct resolved_frame resolved;

WRAP(size_t, resolver_frame, struct resolver *r, const struct frt_frame *f, const struct resolved_frame **out,
     enum resolved_failure *why)
{
	uint64_t n = f->code;

	*why = RESOLVE_CHANGED;
	if (!n || n >= 64)
		return 0;
	snprintf(names[n], sizeof(names[n]), "m%d", (int)n);
	methods[n].name = names[n];
	if (!methods[n].class_name)
		methods[n].class_name = "a/B";
	resolved = (struct resolved_frame){&methods[n], f->at ? (int)f->at : -1, 0,
					   f->at ? RESOLVED_INTERPRETED : RESOLVED_NATIVE};
	*out = &resolved;
	return 1;
}

/*
 * The thread's frames, innermost first: method numbers, ended by 0. Lines are ten times the number, 0 for method
 * 1, which is native.
 */
static void put_thread(unsigned int i, const unsigned int *numbers)
{
	uint64_t fp = STACK(i) + FRAME;

	put(THREAD(i) + STACK_BASE, BASE(i));
	put(THREAD(i) + ANCHOR, STACK(i));
	put(THREAD(i) + ANCHOR + 8, CODE + 5);
	put(THREAD(i) + ANCHOR + 16, fp);
	for (; *numbers; numbers++, fp += FRAME) {
		put(fp, fp + FRAME);
		put(fp + 8, numbers[1] ? CODE + 7 : CALL_STUB);
		put(fp - 8, fp + 16);
		put(fp - 24, *numbers);
		put(fp - 64, *numbers == 1 ? 0 : 10 * *numbers);
	}
	put(fp - 48, WRAPPER(i)); /* the call stub's frame: its wrapper has an empty anchor */
}
#define PUT(i, ...) put_thread(i, (const unsigned int[]){__VA_ARGS__, 0})

static int setup(void **state)
{
	struct layout_check_setup s = {.mem = &memory, .layout = &layout};

	memory.read = read_image;
	memset(image, 0, sizeof(image));
	memset(methods, 0, sizeof(methods));
	layout = (struct hotspot_layout){.walk = {.jdk_version = 17,
						  .thread_anchor = ANCHOR,
						  .thread_stack_base = STACK_BASE,
						  .anchor_pc = 8,
						  .anchor_fp = 16,
						  .interpreter = CODE,
						  .interpreter_end = CODE + 0x1000,
						  .call_stub_return = CALL_STUB,
						  .call_wrapper = -6,
						  .wrapper_anchor = 32,
						  .interpreter_method = -3,
						  .interpreter_bcp = -8,
						  .interpreter_sender_sp = -1}};
	for (int i = 0; i < THREADS; i++)
		tasks[i] = (struct target_task){.tid = 100 + i, .asleep = true, .switches = 7};
	wakes = false;
	each_task_calls = 0;
	layout_check = layout_check_new(&s);
	return !layout_check;
}

static int teardown(void **state)
{
	layout_check_free(layout_check);
	return 0;
}

#define HEAD(tid) "\"t\" #1 prio=5 tid=0x7f nid=" #tid " waiting\n"

static enum layout_check_result compare(const char *dump)
{
	layout_check_walk(layout_check);
	return layout_check_compare(layout_check, dump, &account);
}

CASE(equal_stacks_pass_the_check, setup, teardown)
{
	PUT(0, 1, 2, 3);
	PUT(1, 4);
	assert_int_equal(compare(HEAD(100) "\tat a.B.m1(java.base@17/Native Method)\n\tat a.B.m2(B.java:20)\n"
					   "\t- locked <0x1> (a X)\n\tat a.B.m3(B.java:30)\n\n" HEAD(
						   101) "\tat a.B.m4(B.java:40)\n"),
			 LAYOUT_CHECK_PASSED);
	assert_int_equal(account.threads, 2);
	assert_int_equal(account.frames, 4);
	assert_string_equal(account.difference, "");
}

CASE(one_frame_is_not_enough, setup, teardown)
{
	PUT(1, 4);
	assert_int_equal(compare(HEAD(101) "\tat a.B.m4(B.java:40)\n"), LAYOUT_CHECK_NOTHING);
}

CASE(threads_missing_in_the_dump_are_not_compared, setup, teardown)
{
	PUT(0, 1, 2, 3);
	assert_int_equal(compare(HEAD(777) "\tat a.B.m4(B.java:40)\n"), LAYOUT_CHECK_NOTHING);
	assert_int_equal(compare(""), LAYOUT_CHECK_NOTHING);
}

/* An earlier recording leaves such a line for a method that is still active. */
CASE(line_unknown_to_the_jvm_is_no_difference, setup, teardown)
{
	PUT(0, 2, 3);
	assert_int_equal(compare(HEAD(100) "\tat a.B.m2(Unknown Source)\n\tat a.B.m3(B.java:30)\n"),
			 LAYOUT_CHECK_PASSED);
	assert_int_equal(compare(HEAD(100) "\tat a.B.x2(Unknown Source)\n\tat a.B.m3(B.java:30)\n"),
			 LAYOUT_CHECK_DIFFERENT);
}

static const char *const different[] = {
	HEAD(100) "\tat a.B.m2(B.java:21)\n\tat a.B.m3(B.java:30)\n",			      /* line */
	HEAD(100) "\tat a.B.m2(Native Method)\n\tat a.B.m3(B.java:30)\n",		      /* native */
	HEAD(100) "\tat a.B.m2(B.java)\n\tat a.B.m3(B.java:30)\n",			      /* no line */
	HEAD(100) "\tat a.C.m2(B.java:20)\n\tat a.B.m3(B.java:30)\n",			      /* class */
	HEAD(100) "\tat a.B.x2(B.java:20)\n\tat a.B.m3(B.java:30)\n",			      /* method */
	HEAD(100) "\tat a.B.m2(B.java:20)\n",						      /* one frame more */
	HEAD(100) "\tat a.B.m2(B.java:20)\n\tat a.B.m3(B.java:30)\n\tat a.B.m3(B.java:30)\n", /* one less */
};

CASE(every_difference_is_found, setup, teardown)
{
	PUT(0, 2, 3);
	for (size_t i = 0; i < sizeof(different) / sizeof(different[0]); i++) {
		assert_int_equal(compare(different[i]), LAYOUT_CHECK_DIFFERENT);
		assert_memory_equal(account.difference, "thread 't', frame ", 18);
	}
	compare(different[0]);
	assert_string_equal(account.difference, "thread 't', frame 0: a/B.m2 line 20, the JVM says a.B.m2 line 21");
}

CASE(one_thread_that_differs_outweighs_those_that_do_not, setup, teardown)
{
	PUT(0, 2, 3);
	PUT(1, 2, 3);
	assert_int_equal(compare(HEAD(100) "\tat a.B.m2(B.java:20)\n\tat a.B.m3(B.java:30)\n" HEAD(
				 101) "\tat a.B.m2(B.java:20)\n\tat a.B.m4(B.java:30)\n"),
			 LAYOUT_CHECK_DIFFERENT);
}

CASE(thread_that_ran_meanwhile_is_not_compared, setup, teardown)
{
	PUT(2, 2, 3);
	wakes = true;
	assert_int_equal(compare(HEAD(102) "\tat a.B.m9(B.java:20)\n"), LAYOUT_CHECK_NOTHING);
}

CASE(running_thread_is_not_compared, setup, teardown)
{
	PUT(2, 2, 3);
	tasks[2].asleep = false;
	assert_int_equal(compare(HEAD(102) "\tat a.B.m9(B.java:20)\n"), LAYOUT_CHECK_NOTHING);
}

CASE(thread_with_a_changed_stack_is_not_compared, setup, teardown)
{
	PUT(0, 2, 3);
	layout_check_walk(layout_check);
	PUT(0, 2, 4);
	assert_int_equal(layout_check_compare(layout_check,
					      HEAD(100) "\tat a.B.m2(B.java:20)\n\tat a.B.m4(B.java:40)\n", &account),
			 LAYOUT_CHECK_NOTHING);
}

CASE(unresolved_frames_are_not_compared, setup, teardown)
{
	PUT(0, 2, 99);
	assert_int_equal(compare(HEAD(100) "\tat a.B.m2(B.java:20)\n\tat a.B.m3(B.java:30)\n"), LAYOUT_CHECK_NOTHING);
}

CASE(hidden_frames_may_be_missing_in_the_dump, setup, teardown)
{
	PUT(0, 2, 3, 4, 5);
	methods[3].hidden = methods[5].hidden = true;
	assert_int_equal(compare(HEAD(100) "\tat a.B.m2(B.java:20)\n\tat a.B.m4(B.java:40)\n"), LAYOUT_CHECK_PASSED);
	assert_int_equal(compare(HEAD(100) "\tat a.B.m2(B.java:20)\n\tat a.B.m3(B.java:30)\n\tat a.B.m4(B.java:40)\n"
					   "\tat a.B.m5(B.java:50)\n"),
			 LAYOUT_CHECK_PASSED);
}

CASE(hidden_classes_are_written_in_different_ways, setup, teardown)
{
	PUT(0, 2, 3);
	methods[2].class_name = "a/B$$Lambda+0x00007f0012345678";
	assert_int_equal(
		compare(HEAD(100) "\tat a.B$$Lambda/0x00007f0012345678.m2(B.java:20)\n\tat a.B.m3(B.java:30)\n"),
		LAYOUT_CHECK_PASSED);
	methods[2].class_name = "a/B$$Lambda$1";
	assert_int_equal(compare(HEAD(100) "\tat a.B$$Lambda$1/12345.m2(B.java:20)\n\tat a.B.m3(B.java:30)\n"),
			 LAYOUT_CHECK_PASSED);
}

CASE(carriers_of_virtual_threads_are_not_compared, setup, teardown)
{
	PUT(0, 2, 3);
	methods[3].class_name = "jdk/internal/vm/Continuation";
	assert_int_equal(compare(HEAD(100) "\tat a.B.m7(B.java:20)\n"), LAYOUT_CHECK_NOTHING);
}

CASE(endless_walk_is_a_difference, setup, teardown)
{
	PUT(0, 2, 3);
	layout.walk.call_stub_return = 1;
	assert_int_equal(compare(HEAD(100) "\tat a.B.m2(B.java:20)\n\tat a.B.m3(B.java:30)\n\tat a.B.m4(B.java:40)\n"),
			 LAYOUT_CHECK_DIFFERENT);
}

CASE(layout_of_garbage_does_no_harm, setup, teardown)
{
	uint16_t *words = (uint16_t *)&layout.walk.thread_anchor;

	for (size_t i = 0; i < (sizeof(layout.walk) - offsetof(struct frt_layout, thread_anchor)) / 2; i++) {
		for (unsigned int value = 1; value < 0x10000; value = value * 7 + 3) {
			uint16_t was = words[i];

			words[i] = value;
			PUT(0, 1, 2, 3);
			compare(HEAD(100) "\tat a.B.m1(Native Method)\n\tat a.B.m2(B.java:20)\n");
			words[i] = was;
		}
	}
}

#define STATUS(more)                                                        \
	"Name:\tjava\nState:\tS (sleeping)\nTgid:\t4000\nPid:\t4001\n" more \
	"voluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t7\n"

CASE(status_of_a_task_is_parsed)
{
	struct target_task t;

	assert_int_equal(task_parse(STATUS("NSpid:\t4001\t33\n"), &t), 0);
	assert_int_equal(t.tid, 33);
	assert_true(t.asleep);
	assert_int_equal(t.switches, 157);
	assert_int_equal(task_parse(STATUS(""), &t), 0);
	assert_int_equal(t.tid, 4001);
	assert_int_equal(task_parse("State:\tR (running)\nPid:\t1\n", &t), -EINVAL);
	assert_int_equal(task_parse("", &t), -EINVAL);
}
