// SPDX-License-Identifier: BSD-2-Clause
/* Copies of stacks as the kernel hands them out, made from those of a made-up JVM; what they are resolved to is answered here. */
#include "user/stacks/copied_stacks.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/fake_vm.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"

#include <time.h>

#define WORDS 12 /* of a frame */

static struct bench {
	struct fake_vm vm;
	struct segment segment;
	struct recording r;
	struct method_keys methods;
	struct frames *frames;
	struct copied_stacks *stacks;
	struct frt_long_wait wait;
	struct budget budget;
	uint64_t method[8]; /* nmethods */
} *b;

static struct frt_frame asked[64]; /* what the resolver was asked for */
static int count;
static struct diag d;

static const struct resolved_method park = {.number = 1, .class_name = "a/B", .name = "park", .descriptor = "()V"};
static const struct resolved_frame answer = {&park, 4, 17, RESOLVED_JIT};

WRAP(size_t, resolver_frame, struct resolver *r, const struct frt_frame *f, const struct resolved_frame **out,
     enum resolved_failure *why)
{
	if (count < 64)
		asked[count++] = *f;
	*out = &answer;
	return 1;
}

static void make_stacks(bool known)
{
	struct frames_setup f = {
		.methods = &b->methods, .resolver = (struct resolver *)b, .depth = {64, 64}, .budget = &b->budget};
	struct copied_stacks_setup s = {
		.layout = &b->vm.layout.walk, .memory = known ? &b->vm.m.mem : NULL, .budget = &b->budget};

	copied_stacks_free(b->stacks);
	frames_free(b->frames);
	assert_int_equal(frames_new(&b->frames, &f, &d), 0);
	s.frames = b->frames;
	assert_int_equal(copied_stacks_new(&b->stacks, &s, &d), 0);
	frames_next_chunk(b->frames);
}

static int setup(void **state)
{
	b = calloc(1, sizeof(*b));
	fake_vm_init(&b->vm, 25);
	for (int i = 0; i < 8; i++)
		b->method[i] = fake_vm_nmethod(&b->vm, b->vm.heaps - 1, "nmethod", WORDS, 100 + i);
	budget_set(&b->budget, INT64_MAX);
	b->segment = fake_segment_new();
	b->r = recording_new_with(JFR_KERNEL_WAITS);
	method_keys_init(&b->methods, b->r.w, &b->segment);
	recording_begin(&b->r);
	make_stacks(true);
	count = 0;
	return 0;
}

static int teardown(void **state)
{
	copied_stacks_free(b->stacks);
	frames_free(b->frames);
	method_keys_release(&b->methods);
	recording_free(&b->r);
	fake_segment_free(&b->segment);
	fake_vm_release(&b->vm);
	free(b);
	return 0;
}

static uint64_t pc(int method)
{
	return b->method[method] + FAKE_VM_CODE_AT + 0x10;
}

/* A waiting thread with `depth` calls, of method 0, 1, 2, ... in turn; the last is the innermost. */
static void call(int depth)
{
	fake_vm_call_stub(&b->vm);
	for (int i = 0; i < depth; i++)
		fake_vm_fixed(&b->vm, pc(i % 8), WORDS);
}

static void wait_here(void)
{
	uint64_t from = b->vm.sp - 8, size = FAKE_VM_STACK + FAKE_VM_STACK_SIZE - from;
	struct timespec now;

	b->wait =
		(struct frt_long_wait){.wait = {.stack_pointer = b->vm.sp, .stack_pc = b->vm.pc, .stack_fp = b->vm.fp}};
	if (size > FRT_WAIT_STACK)
		size = FRT_WAIT_STACK;
	b->wait.wait.stack_size = size;
	clock_gettime(CLOCK_MONOTONIC, &now);
	b->wait.wait.off = now.tv_sec * 1000000000ULL + now.tv_nsec;
	b->wait.wait.on = b->wait.wait.off + 1000;
	memcpy(b->wait.stack, fake_mem_at(&b->vm.m, from, size), size);
}

static uint32_t take(void)
{
	struct wait_stack_ids ids;

	copied_stacks_take_wait(b->stacks, &b->wait, NULL, &ids);
	return ids.java;
}

static uint32_t take_kernel(int frames, uint64_t address)
{
	struct wait_stack_ids ids;

	b->wait = (struct frt_long_wait){.wait = {.kernel_frames = frames}};
	for (int i = 0; i < frames && i < (int)FRT_KERNEL_FRAMES; i++)
		b->wait.kernel[i] = address + i;
	copied_stacks_take_wait(b->stacks, &b->wait, NULL, &ids);
	assert_int_equal(ids.java, 0);
	return ids.kernel;
}

/* The stack in the file. */
static const struct dissect_event *written(uint32_t id)
{
	recording_call_from(&b->r, frames_key(b->frames, FRAMES_OURS, id, FRT_NO_METHOD),
			    recording_method(&b->r, "checkout"));
	recording_end(&b->r, true);
	return dissect_find(recording_read(&b->r), TRACE, 0);
}

CASE(a_stack_is_that_of_its_copy_whatever_the_thread_does_now, setup, teardown)
{
	const struct dissect_event *e;
	uint32_t id;

	call(3);
	wait_here();
	memset(fake_mem_at(&b->vm.m, b->vm.sp - 8, 512), 0xee, 512);
	id = take();
	assert_int_not_equal(id, 0);
	assert_int_equal(count, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(asked[i].kind, FRT_FRAME_COMPILED);
		assert_int_equal(asked[i].code, b->method[2 - i]);
		assert_int_equal(asked[i].at, pc(2 - i));
		assert_int_equal(asked[i].cookie, 102 - i);
	}
	e = written(id);
	assert_event_text(&b->r, e, "stackTrace.frames.2.method.name", "park");
	assert_int_equal(event_number(&b->r, e, "stackTrace.truncated"), 0);
}

CASE(a_stack_that_goes_on_above_its_copy_is_cut_there, setup, teardown)
{
	uint32_t id;

	call(60);
	wait_here();
	id = take();
	assert_int_not_equal(id, 0);
	assert_in_range(count, FRT_WAIT_STACK / 8 / WORDS - 1, FRT_WAIT_STACK / 8 / WORDS + 1);
	for (int i = 0; i < count; i++)
		assert_int_equal(asked[i].code, b->method[(59 - i) % 8]);
	assert_int_equal(event_number(&b->r, written(id), "stackTrace.truncated"), 1);
}

CASE(equal_stacks_have_one_id, setup, teardown)
{
	uint32_t one, other;

	call(3);
	wait_here();
	one = take();
	assert_int_equal(take(), one);
	assert_int_equal(count, 3); /* it was resolved once */
	fake_vm_fixed(&b->vm, pc(5), WORDS);
	wait_here();
	other = take();
	assert_int_not_equal(other, 0);
	assert_int_not_equal(other, one);
	assert_int_equal(take_kernel(3, 0xffffffff81000000), take_kernel(3, 0xffffffff81000000));
	assert_int_not_equal(take_kernel(3, 0xffffffff81000000), take_kernel(4, 0xffffffff81000000));
}

CASE(an_anchor_without_pc_has_it_below_its_sp, setup, teardown)
{
	call(2);
	fake_mem_put(&b->vm.m, b->vm.sp - 8, b->vm.pc, 8);
	b->vm.pc = 0;
	wait_here();
	assert_int_not_equal(take(), 0);
	assert_int_equal(count, 2);
	assert_int_equal(asked[0].at, pc(1));
}

CASE(code_that_has_been_replaced_is_looked_up_again, setup, teardown)
{
	call(1);
	wait_here();
	take();
	fake_mem_put(&b->vm.m, b->method[0] + b->vm.layout.walk.nmethod_compile_id, 7, 4);
	wait_here();
	take();
	assert_int_equal(count, 2);
	assert_int_equal(asked[0].cookie, 100);
	assert_int_equal(asked[1].cookie, 7);
}

CASE(the_jvm_is_read_once_for_copies_that_were_made_before, setup, teardown)
{
	struct frt_long_wait before;
	unsigned int reads;
	uint32_t id;

	call(3);
	wait_here();
	before = b->wait;
	id = take();
	reads = b->vm.m.reads;
	b->wait = before;
	assert_int_equal(take(), id);
	assert_int_equal(b->vm.m.reads, reads);
	wait_here();
	assert_int_equal(take(), id);
	assert_true(b->vm.m.reads > reads);
}

CASE(what_is_no_stack_has_none, setup, teardown)
{
	call(3);
	wait_here();
	b->wait.wait.stack_size = 0;
	assert_int_equal(take(), 0);
	b->wait.wait.stack_size = FRT_WAIT_STACK + 1;
	assert_int_equal(take(), 0);
	wait_here();
	b->wait.wait.stack_pc = 0x1234;
	assert_int_equal(take(), 0);
	wait_here();
	make_stacks(false); /* nothing is known of the JVM */
	assert_int_equal(take(), 0);
	assert_int_equal(take_kernel(0, 0), 0);
	assert_int_equal(count, 0);
}

/* The thread of `wait_here()` ends the wait of another one instead, which began at `off`. */
static void wake_from_here(uint32_t thread, uint64_t off)
{
	struct {
		struct frt_waker waker;
		uint8_t stack[FRT_WAIT_STACK];
	} w = {.waker = {.thread = thread,
			 .off = off,
			 .kernel_frames = 2,
			 .kernel = {0xffffffff81000000, 0xffffffff81000010}}};

	w.waker.at = b->wait.wait.off;
	w.waker.anchor_sp = b->wait.wait.stack_pointer;
	w.waker.anchor_pc = b->wait.wait.stack_pc;
	w.waker.anchor_fp = b->wait.wait.stack_fp;
	w.waker.low = b->wait.wait.stack_pointer - 8;
	w.waker.low_size = b->wait.wait.stack_size;
	memcpy(w.stack, b->wait.stack, sizeof(w.stack));
	copied_stacks_take_waker(b->stacks, &w.waker);
}

CASE(a_waker_is_that_of_its_wait, setup, teardown)
{
	struct wait_stack_ids ids;

	call(3);
	wait_here();
	wake_from_here(7, 1000);
	assert_int_equal(count, 3);
	assert_int_equal(asked[0].code, b->method[2]);
	assert_int_equal(asked[0].flags, FRT_FRAME_LEAF);
	assert_int_equal(asked[1].flags, 0);
	b->wait = (struct frt_long_wait){.wait = {.thread = 7, .off = 1000}};
	copied_stacks_take_wait(b->stacks, &b->wait, NULL, &ids);
	assert_int_not_equal(ids.waker_java, 0);
	assert_int_not_equal(ids.waker_kernel, 0);
	assert_int_equal(ids.java, 0);
	b->wait.wait.off = 1001;
	copied_stacks_take_wait(b->stacks, &b->wait, NULL, &ids);
	assert_int_equal(ids.waker_java, 0);
	b->wait.wait = (struct frt_wait){.thread = 8, .off = 1000};
	copied_stacks_take_wait(b->stacks, &b->wait, NULL, &ids);
	assert_int_equal(ids.waker_java, 0);
}

CASE(wakers_of_64_threads_at_a_time_are_known, setup, teardown)
{
	struct wait_stack_ids ids;
	uint64_t off[64];
	int known = 0;

	srand(1);
	for (int round = 0; round < 100; round++) {
		for (uint32_t i = 0; i < 64; i++) {
			off[i] = (uint64_t)round * 1000000 + rand() % 1000000;
			b->wait = (struct frt_long_wait){.wait = {.off = off[i] + 2000000}};
			wake_from_here(i, off[i]);
		}
		for (uint32_t i = 0; i < 64; i++) {
			b->wait = (struct frt_long_wait){.wait = {.thread = i, .off = off[i]}};
			copied_stacks_take_wait(b->stacks, &b->wait, NULL, &ids);
			known += ids.waker_kernel != 0;
		}
	}
	assert_int_equal(known, 6400);
}

CASE(a_waker_without_anchor_and_libraries_has_no_java_stack, setup, teardown)
{
	struct wait_stack_ids ids;

	call(3);
	wait_here();
	b->wait.wait.stack_pointer = 0;
	wake_from_here(7, 1000);
	assert_int_equal(count, 0);
	b->wait = (struct frt_long_wait){.wait = {.thread = 7, .off = 1000}};
	copied_stacks_take_wait(b->stacks, &b->wait, NULL, &ids);
	assert_int_equal(ids.waker_java, 0);
	assert_int_not_equal(ids.waker_kernel, 0);
}

CASE(waits_whose_stacks_are_beyond_the_budget_are_counted, setup, teardown)
{
	call(3);
	wait_here();
	assert_int_not_equal(take(), 0);
	budget_set(&b->budget, 0);
	assert_int_equal(take(), 0);
	assert_int_equal(take_kernel(2, 0x1000), 0);
	assert_int_equal(copied_stacks_behind(b->stacks), 2);
	assert_int_equal(take_kernel(0, 0), 0); /* has no stack to lose */
	assert_int_equal(copied_stacks_behind(b->stacks), 2);
}

CASE(lost_stacks_of_calls_are_counted, setup, teardown)
{
	struct frames_counts c;

	assert_int_not_equal(frames_key(b->frames, FRAMES_OURS, FRT_STACK_LOST, 1), 0);
	frames_count(b->frames, &c);
	assert_int_equal(c.missing, 1);
}

/* The two sources share the ring of frames, and nothing else. */
CASE(a_stack_whose_frames_others_have_replaced_is_taken_again, setup, teardown)
{
	struct frt_frame frames[64];
	struct frames_counts c;
	uint32_t id, again;

	for (int i = 0; i < 64; i++)
		frames[i] = (struct frt_frame){.kind = FRT_FRAME_COMPILED, .code = 1};
	call(3);
	wait_here();
	id = take();
	assert_int_equal(take(), id);
	for (int i = 0; i < (2 << 20) / 64; i++) {
		fake_stack(&b->segment, frames, 64, FRT_WALK_BOTTOM, 0);
		frames_read(b->frames, false);
	}
	again = take();
	assert_int_not_equal(again, id);
	assert_event_text(&b->r, written(again), "stackTrace.frames.2.method.name", "park");
	frames_count(b->frames, &c);
	assert_int_equal(c.stacks, (2 << 20) / 64);
	assert_int_equal(c.forgotten, 0);
}

CASE(more_kernel_frames_than_there_can_be_are_those_that_can, setup, teardown)
{
	uint32_t id = take_kernel(255, 0xffffffff81000000);
	const struct dissect_event *e = written(id);
	char path[64];

	snprintf(path, sizeof(path), "stackTrace.frames.%u.lineNumber", FRT_KERNEL_FRAMES - 1);
	event_number(&b->r, e, path);
	snprintf(path, sizeof(path), "stackTrace.frames.%u", FRT_KERNEL_FRAMES);
	assert_null(dissect_text(b->r.d, e, path));
	assert_int_equal(event_number(&b->r, e, "stackTrace.truncated"), 1);
}

/* What the target forges costs no more than a wrong stack. */
CASE(garbled_copies_do_no_harm, setup, teardown)
{
	unsigned int seed = 1;

	call(40);
	for (int round = 0; round < 3000; round++) {
		wait_here();
		for (int i = 0; i < 1 + round % 8; i++) {
			uint64_t *word = (uint64_t *)(b->wait.stack + rand_r(&seed) % (FRT_WAIT_STACK / 8) * 8);

			*word = round % 3 ? *word + rand_r(&seed) % 512 - 256 : (uint64_t)rand_r(&seed) << 33;
		}
		if (round % 5 == 0)
			b->wait.wait.stack_pointer += rand_r(&seed) % 64 - 32;
		if (round % 7 == 0)
			b->wait.wait.stack_size = rand_r(&seed);
		take();
	}
	wait_here();
	count = 0;
	make_stacks(true);
	assert_int_not_equal(take(), 0);
}
