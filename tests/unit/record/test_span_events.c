// SPDX-License-Identifier: BSD-2-Clause
/*
 * The two paths from spans to events write the same bytes. Random spans, waits, pauses and usage go into two writers, of
 * which one never takes the fast path. A tick is a nanosecond. How many events take the fast path is counted (wrapped
 * by the linker).
 */
#include "user/record/span_events.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"

static const struct wait_stack_ids no_stacks;

#define THREADS 5u /* the last one is a carrier, the one before is unknown */
#define METHODS 6u /* the last one is unknown */
#define MANY	3000u
#define STACKS	6u /* the last one is unknown */
#define BATCHES 400u
#define MOST	256u /* spans of a batch */

struct side {
	struct jfr_writer *writer;
	struct method_keys methods;
	struct thread_keys *threads;
	struct frames *frames;
	struct breakdown *breakdown;
	struct kernel_sink kernel;
	struct span_events *events;
	struct recorded_call heard[MOST];
	size_t calls;
};

static struct segment segment;
static struct clock ticks;
static uint32_t method[MANY], stack[STACKS];
static uint32_t methods; /* that are called */
static struct side side[2];
static struct diag d;
static uint32_t seed;
static uint64_t now;
static size_t fast;
static bool users; /* there are events of -e */

WRAP(void, jfr_method_traces, struct jfr_writer *w, uint64_t thread, const struct jfr_trace_call *calls, size_t n)
{
	fast += n;
	__real_jfr_method_traces(w, thread, calls, n);
}

/* Calls of one method are events of -e instead. */
WRAP(bool, user_events_has, struct user_events *u, uint32_t id)
{
	return id == method[2];
}

WRAP(bool, user_events_put, struct user_events *u, struct jfr_writer *w, const struct frt_span *s,
     const struct jfr_method_trace *e, const struct frt_field *values, size_t n)
{
	if (s->method == method[2])
		jfr_message(w, e->start, "event", "of -e");
	return s->method != method[2];
}

static uint32_t some(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static int setup(void **state)
{
	uint32_t class_id;
	char name[16];

	memset(&ticks, 0, sizeof(ticks));
	ticks = fake_clock();
	now = 1ull << 46;
	fast = 0;
	segment = fake_segment_new();
	class_id = fake_class(&segment, "com/acme/Cart", FRT_BOOT_LOADER, FRT_CLASS_REWRITTEN);
	methods = METHODS;
	users = false;
	for (unsigned int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "m%u", i);
		method[i] = i + 1 != METHODS ? fake_method(&segment, class_id, name, "()V", FRT_METHOD_HOOKED) : 9999;
	}
	for (unsigned int i = 1; i <= THREADS; i++)
		if (i != THREADS - 1)
			fake_thread(&segment, i, "worker", "main")->carrier = i == THREADS;
	return 0;
}

static int teardown(void **state)
{
	for (int i = 0; i < 2; i++) {
		span_events_free(side[i].events);
		breakdown_free(side[i].breakdown);
		frames_free(side[i].frames);
		thread_keys_free(side[i].threads);
		method_keys_release(&side[i].methods);
		jfr_writer_free(side[i].writer);
	}
	memset(side, 0, sizeof(side));
	fake_segment_free(&segment);
	return 0;
}

static void make_stacks(void)
{
	for (unsigned int i = 0; i < STACKS; i++) {
		struct frt_frame frame = {.kind = FRT_FRAME_NAMED, .code = method[0], .at = 1 + i};

		stack[i] = i == 0 ? 0 : i + 1 < STACKS ? fake_stack(&segment, &frame, 1, FRT_WALK_BOTTOM, 0) : 77777;
	}
}

static void on_call(void *context, const struct recorded_call *c)
{
	struct side *s = context;

	s->heard[s->calls++] = *c;
}

static void make_breakdown(struct side *s, bool no_pauses)
{
	struct breakdown_setup b = {.writer = s->writer,
				    .threads = s->threads,
				    .segment = &segment,
				    .clock = &ticks,
				    .ticks_offset = 1000,
				    .no_pauses = no_pauses};

	assert_int_equal(breakdown_new(&s->breakdown, &b, &d), 0);
	s->kernel = breakdown_sink(s->breakdown);
}

static void make_side(struct side *s, bool general, const struct jfr_origin *origin, bool no_pauses)
{
	struct frames_setup frames = {.methods = &s->methods, .depth = {64, 64}};
	struct span_events_setup events = {.clock = &ticks, .ticks_offset = 1000, .general = general};

	assert_int_equal(jfr_writer_new(&s->writer, origin, &d), 0);
	method_keys_init(&s->methods, s->writer, &segment);
	s->threads = thread_keys_new(s->writer, &segment, NULL);
	assert_int_equal(frames_new(&s->frames, &frames, &d), 0);
	if (origin->kernel != JFR_KERNEL_NONE)
		make_breakdown(s, no_pauses);
	events.writer = s->writer;
	events.threads = s->threads;
	events.methods = &s->methods;
	events.frames = s->frames;
	events.breakdown = s->breakdown;
	events.users = users ? (struct user_events *)&users : NULL; /* only the functions above know it */
	s->events = span_events_new(&events);
	assert_non_null(s->events);
	span_events_listen(s->events, RECORDED_SHOW, on_call, s);
}

static void begin_chunks(void)
{
	for (int i = 0; i < 2; i++) {
		assert_int_equal(jfr_chunk_begin(side[i].writer, now, &d), 0);
		frames_next_chunk(side[i].frames);
		thread_keys_next_chunk(side[i].threads);
		span_events_next_chunk(side[i].events);
	}
}

static void compare_chunks(void)
{
	const void *bytes[2];
	size_t size[2];

	for (int i = 0; i < 2; i++)
		assert_int_equal(jfr_chunk_finish(side[i].writer, now, false, &bytes[i], &size[i], &d), 0);
	assert_int_equal(size[0], size[1]);
	assert_memory_equal(bytes[0], bytes[1], size[0]);
}

/* The thread was off its CPU now; sometimes the kernel has lost that, or all of them stood still. */
static void leave_cpu(uint32_t thread)
{
	struct frt_wait w = {.kind = FRT_WAIT,
			     .thread = thread,
			     .off = now + 10,
			     .wake = now + 500,
			     .on = now + 700,
			     .syscall = FRT_NO_SYSCALL,
			     .reason = some(2) ? FRT_WAIT_FUTEX : FRT_WAIT_PREEMPTED};
	struct frt_pause p = {.kind = FRT_PAUSE, .begin = now + 5, .end = now + 600};
	struct frt_thread_usage u = {.kind = FRT_THREAD_USAGE, .thread = thread, .at = now + 650, .syscalls = 3};
	struct frt_slot_owner o = {.kind = FRT_OWNER, .thread = thread, .flags = FRT_OWNER_NO_WAITS};
	uint32_t pauses = some(3), uses = some(2), unobserved = some(50);

	for (int i = 0; i < 2 && side[i].breakdown; i++) {
		struct kernel_sink *k = &side[i].kernel;

		k->wait(k->context, &w, &no_stacks);
		if (uses)
			k->usage(k->context, &u);
		if (!pauses)
			k->pause(k->context, &p);
		if (!unobserved)
			k->unobserved(k->context, &o);
	}
	now += 800;
}

/* Some calls; an outer one may have begun before the thread was off its CPU. */
static size_t make_batch(struct frt_span *s, uint32_t thread)
{
	size_t n = 1 + some(200);
	uint64_t began = now - some(1200);

	for (size_t i = 0; i < n; i++) {
		bool outer = some(20) == 0;
		uint64_t duration = some(200) ? some(300) : 1ull << some(40);
		uint32_t alike = some(3);

		s[i] = (struct frt_span){.start = outer ? began : (now += 40),
					 .method = i && alike ? s[i - 1].method : method[some(methods)],
					 .stack = i && alike ? s[i - 1].stack : stack[some(STACKS)],
					 .thread = some(100) ? thread : 1 + some(THREADS),
					 .kind = FRT_SPAN,
					 .flags = some(10) ? 0 : FRT_SPAN_THROWN};
		s[i].duration = outer ? now - began : duration;
		now += s[i].duration < 300 ? s[i].duration : 300;
	}
	return n;
}

static void assert_same_call(const struct recorded_call *a, const struct recorded_call *b)
{
	assert_ptr_equal(a->span, b->span);
	assert_ptr_equal(a->vthread, b->vthread);
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->duration, b->duration);
	assert_memory_equal(&a->split, &b->split, sizeof(a->split));
	assert_ptr_equal(a->caller.resolved, b->caller.resolved);
	assert_int_equal(a->caller.named, b->caller.named);
	assert_int_equal(a->caller.line, b->caller.line);
}

static void put_batch(void)
{
	struct stream_vthread v = {.java_id = 70 + some(3), .name = "virtual"};
	bool is_virtual = some(10) == 0;
	struct frt_span s[MOST];
	size_t n = make_batch(s, 1 + some(THREADS));

	for (int i = 0; i < 2; i++) {
		side[i].calls = 0;
		span_events_put(side[i].events, s, n, is_virtual ? &v : NULL);
		assert_int_equal(side[i].calls, n);
	}
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(side[0].heard[i].span, &s[i]);
		assert_int_equal(side[0].heard[i].start, clock_ns(&ticks, s[i].start));
		assert_same_call(&side[0].heard[i], &side[1].heard[i]);
	}
}

static void compare_sums(void)
{
	struct breakdown_slowest slowest[2];
	struct frames_counts stacks[2];

	for (int i = 0; i < 2; i++)
		frames_count(side[i].frames, &stacks[i]);
	assert_true(stacks[0].missing > 0);
	assert_memory_equal(&stacks[0], &stacks[1], sizeof(stacks[0]));
	if (!side[0].breakdown)
		return;
	for (int i = 0; i < 2; i++)
		breakdown_sums_slowest(breakdown_running_sums(side[i].breakdown), &slowest[i]);
	assert_memory_equal(&slowest[0], &slowest[1], sizeof(slowest[0]));
	for (unsigned int m = 0; m < methods; m++)
		assert_memory_equal(breakdown_sums_of(breakdown_running_sums(side[0].breakdown), method[m]),
				    breakdown_sums_of(breakdown_running_sums(side[1].breakdown), method[m]),
				    sizeof(struct breakdown_sum));
}

static void write_both(enum jfr_kernel kernel, bool jdk_fields, bool no_pauses)
{
	struct jfr_origin origin = {.start_ticks = now,
				    .start_nanos = 1700000000000000000,
				    .locale = "en_US",
				    .kernel = kernel,
				    .jdk_fields = jdk_fields};

	seed = 1 + kernel;
	make_side(&side[0], true, &origin, no_pauses);
	make_side(&side[1], false, &origin, no_pauses);
	make_stacks();
	for (unsigned int batch = 0; batch < BATCHES; batch++) {
		if (batch % 50 == 0) {
			if (batch)
				compare_chunks();
			for (int i = 0; batch == BATCHES / 2 && i < 2; i++)
				assert_int_equal(jfr_writer_add_trace_ids(side[i].writer, &d), 0);
			begin_chunks();
		}
		if (some(3) == 0)
			leave_cpu(1 + some(THREADS));
		put_batch();
	}
	compare_chunks();
	compare_sums();
}

CASE(paths_write_the_same_with_the_kernels_times, setup, teardown)
{
	write_both(JFR_KERNEL_WAITS, false, false);
	assert_true(fast > 1000);
}

CASE(paths_write_the_same_with_usage, setup, teardown)
{
	write_both(JFR_KERNEL_FULL, false, false);
	assert_true(fast > 1000);
}

CASE(paths_write_the_same_without_the_kernel, setup, teardown)
{
	write_both(JFR_KERNEL_NONE, false, false);
	assert_true(fast > 10000);
}

CASE(paths_write_the_same_with_the_fields_of_the_jdk, setup, teardown)
{
	write_both(JFR_KERNEL_WAITS, true, false);
	assert_true(fast > 1000);
}

/* There are more keys than have a place, so that they replace each other within a chunk. */
CASE(paths_write_the_same_with_15000_pairs_of_method_and_stack, setup, teardown)
{
	methods = MANY;
	write_both(JFR_KERNEL_NONE, false, false);
	assert_true(fast > 10000);
}

CASE(paths_write_the_same_with_events_of_one_method, setup, teardown)
{
	users = true;
	write_both(JFR_KERNEL_NONE, false, false);
	assert_true(fast > 10000);
}

/* Unknown is not 0. */
CASE(unknown_pauses_take_the_general_path, setup, teardown)
{
	write_both(JFR_KERNEL_WAITS, false, true);
	assert_int_equal(fast, 0);
}
