// SPDX-License-Identifier: BSD-2-Clause
/* --inside: calls in roots as rewritten methods make them, and what the collector gets of them. */
#include "uprobes/agent/inside.c"
#include "user/capture/stream.h"
#include "tests/lib/fake_streams.h"
#include "tests/unit/agent/in_roots.h"

#include <pthread.h>

CASE(outside_of_roots_nothing_is_recorded, setup)
{
	assert_int_equal(hook_enter(A, NULL, CHILD), 0);
	hook_leave(A, NULL, 0, CHILD);
	assert_null(slot_find(A));
	root(A, ALL, 0, false);
	assert_int_equal(hook_enter(A, NULL, CHILD), 0);
	hook_leave(A, NULL, 0, CHILD);
	assert_int_equal(slot_find(A)->entered, 1);
	assert_int_equal(slot_find(A)->exited, 1);
	assert_int_equal(slot_find(A)->recorded, 1);
}

CASE(kept_root_is_recorded_with_its_calls, setup)
{
	const struct frt_inside *in;
	const struct frt_slot *s;
	struct frt_root open, kept;

	root(A, THROWN, 2, true);
	s = slot_find(A);
	in = control_inside(s);
	assert_int_equal(s->head, 5 * FRT_RECORD_SIZE);
	assert_int_equal(in->settled, s->head);
	open = mark_at(s, 0);
	assert_int_equal(open.kind, FRT_ROOT);
	assert_int_equal(open.flags, FRT_ROOT_OPEN);
	assert_true(open.needed == FRT_ROOT_NEVER);
	assert_int_equal(span_at(s, 1).method, CHILD);
	assert_int_equal(span_at(s, 2).method, CHILD);
	kept = mark_at(s, 3);
	assert_int_equal(kept.flags, FRT_ROOT_KEPT);
	assert_true(kept.number == open.number);
	assert_int_equal(kept.start, 2);
	assert_int_equal(span_at(s, 4).method, THROWN);
	assert_int_equal(span_at(s, 4).start, open.start);
	assert_int_equal(span_at(s, 4).flags, FRT_SPAN_ROOT | FRT_SPAN_THROWN);
	assert_int_equal(in->begun, 1);
	assert_int_equal(in->kept, 1);
	assert_int_equal(in->root, 0);
	assert_int_equal(s->depth, 0);
}

CASE(dropped_root_takes_its_calls_back, setup)
{
	const struct frt_slot *s;

	root(A, ALL, 1, false);
	s = slot_find(A);
	for (int i = 0; i < 1000; i++) {
		uint64_t head = s->head;

		root(A, i % 2 ? NEVER : THROWN, 3, false);
		assert_true(s->head == head);
		assert_true(control_inside(s)->settled == head);
	}
	assert_int_equal(control_inside(s)->kept, 1);
	assert_int_equal(control_inside(s)->dropped, 1000);
	assert_int_equal(s->exited, 2 + 4 * 1000);
}

CASE(drained_root_is_dropped_by_a_record, setup)
{
	const struct frt_slot *s;
	struct frt_root last;

	root(A, NEVER, 20, false); /* half a ring is 16 records */
	s = slot_find(A);
	last = mark_at(s, s->head / FRT_RECORD_SIZE - 1);
	assert_int_equal(last.kind, FRT_ROOT);
	assert_int_equal(last.flags, FRT_ROOT_DROPPED);
	assert_int_equal(last.start, 20);
	assert_int_equal(control_inside(s)->settled, s->head);
	assert_int_equal(mark_at(s, 16).flags, FRT_ROOT_OPEN); /* named again in the second half */
}

/* So that the collector knows what became of native calls in them, which are not in the stream. */
CASE(roots_end_by_a_record_when_native_calls_are_traced, setup)
{
	const struct frt_slot *s;
	uint64_t head;

	((struct frt_config *)control_config(0))->flags |= FRT_CONFIG_ROOT_ENDS;
	root(A, NEVER, 0, false);
	s = slot_find(A);
	assert_int_equal(s->head, FRT_RECORD_SIZE);
	assert_int_equal(mark_at(s, 0).kind, FRT_ROOT);
	assert_int_equal(mark_at(s, 0).flags, FRT_ROOT_DROPPED);
	assert_int_equal(mark_at(s, 0).number >> FRT_ROOT_SLOT_SHIFT, s - control_slot(0) + 1);
	assert_int_equal(control_inside(s)->settled, s->head);
	root(A, NEVER, 3, false); /* its calls are taken back */
	assert_int_equal(s->head, 2 * FRT_RECORD_SIZE);
	assert_int_equal(mark_at(s, 1).flags, FRT_ROOT_DROPPED);
	assert_int_equal(mark_at(s, 1).start, 0);
	assert_true(mark_at(s, 1).number > mark_at(s, 0).number);
	root(A, ALL, 0, false);
	assert_int_equal(mark_at(s, 2).flags, FRT_ROOT_KEPT);
	assert_int_equal(span_at(s, 3).flags, FRT_SPAN_ROOT);
	hook_enter(A, NULL, NEVER);
	head = s->head;
	hook_leave(A, NULL, 0, CHILD); /* its exit is lost */
	assert_int_equal(s->head, head + FRT_RECORD_SIZE);
	assert_int_equal(mark_at(s, head / FRT_RECORD_SIZE).flags, FRT_ROOT_DROPPED);
}

CASE(of_nested_roots_the_outermost_counts, setup)
{
	jlong outer = hook_enter(A, NULL, THROWN);
	const struct frt_slot *s;

	root(A, THROWN, 1, false);
	root(A, NEVER, 1, false);
	hook_thrown(A, NULL, outer, THROWN);
	s = slot_find(A);
	assert_int_equal(control_inside(s)->begun, 1);
	assert_int_equal(control_inside(s)->kept, 1);
	assert_int_equal(s->recorded, 5); /* two children, two inner roots, the outer one */
	assert_int_equal(span_at(s, 2).flags, 0);
}

CASE(calls_in_roots_have_their_own_threshold, setup)
{
	set_rule(STRAY, 1ull << 50, 0);
	root(A, ALL, 2, false);
	assert_int_equal(slot_find(A)->recorded, 1);
	assert_int_equal(slot_find(A)->exited, 3);
}

CASE(timed_methods_are_counted_everywhere, setup)
{
	calls(A, TIMED, 3);
	root(A, NEVER, 0, false);
	calls(A, TIMED, 2);
	assert_int_equal(slot_find(A)->exited, 6);
	assert_int_equal(slot_find(A)->recorded, 0);
}

CASE(samples_are_kept, setup)
{
	((struct frt_config *)control_config(0))->keep = 100;
	root(A, NEVER, 2, false);
	assert_int_equal(control_inside(slot_find(A))->samples, 1);
	assert_int_equal(control_inside(slot_find(A))->kept, 0);
	assert_int_equal(mark_at(slot_find(A), 0).needed, 0);
	assert_int_equal(mark_at(slot_find(A), 3).flags, FRT_ROOT_KEPT);
	((struct frt_config *)control_config(0))->keep = 10;
	for (int i = 0; i < 10000; i++)
		root(A, NEVER, 0, false);
	assert_in_range(control_inside(slot_find(A))->samples, 701, 1301);
}

CASE(root_without_an_exit_ends_with_its_caller, setup)
{
	const struct frt_slot *s;

	assert_int_equal(hook_enter(A, NULL, CHILD), 0); /* the caller */
	hook_enter(A, NULL, NEVER);
	hook_enter(A, NULL, CHILD);
	call(A, CHILD);
	s = slot_find(A);
	hook_leave(A, NULL, 0, CHILD);
	assert_int_equal(control_inside(s)->root, 0);
	assert_int_equal(control_inside(s)->lost, 1);
	assert_int_equal(s->lost_exits, 2);
	assert_int_equal(s->depth, 0);
	assert_int_equal(s->head, 0);
	assert_int_equal(hook_enter(A, NULL, CHILD), 0);
}

static __attribute__((noinline)) jlong enter_below(volatile char *room, jint method)
{
	volatile char frame[4096];

	frame[0] = *room;
	return hook_enter(A, NULL, method) + (frame[0] & 0);
}

CASE(root_without_an_exit_ends_with_one_above, setup)
{
	char room = 0;
	const struct frt_slot *s;

	enter_below(&room, NEVER);
	s = slot_find(A);
	over = true;
	root(A, THROWN, 1, true);
	assert_int_equal(control_inside(s)->lost, 1);
	assert_int_equal(control_inside(s)->kept, 1);
	assert_int_equal(s->lost_exits, 1);
	enter_below(&room, NEVER);
	assert_int_equal(hook_enter(A, NULL, CHILD), 0);
	assert_int_equal(control_inside(s)->lost, 2);
}

CASE(root_with_a_smaller_frame_goes_on, setup)
{
	char room = 0;
	const struct frt_slot *s;
	jlong start = enter_below(&room, NEVER);

	s = slot_find(A);
	root(A, THROWN, 1, true);
	call(A, CHILD);
	assert_int_equal(control_inside(s)->lost, 0);
	assert_int_equal(control_inside(s)->spans, 3);
	hook_leave(A, NULL, start, NEVER);
	assert_int_equal(control_inside(s)->dropped, 1);
}

CASE(next_owner_of_a_slot_is_in_no_root, setup)
{
	const struct frt_slot *s;

	hook_enter(A, NULL, NEVER);
	call(A, CHILD);
	s = slot_find(A);
	slot_release(A);
	assert_ptr_equal(slot_claim(B), s);
	assert_int_equal(control_inside(s)->root, 0);
	assert_int_equal(control_inside(s)->settled, s->head);
	assert_int_equal(hook_enter(B, NULL, CHILD), 0);
}

CASE(root_moves_with_its_virtual_thread, setup)
{
	const struct frt_slot *a, *b;
	struct frt_root last;
	jlong start;

	((struct frt_config *)control_config(0))->tick_scale = 1ull << 32;
	new_flags = FRT_SLOT_CARRIER;
	mounts_mount(A, NULL, V);
	mounts_mount(B, NULL, V + 1);
	start = hook_enter(A, NULL, THROWN);
	call(A, CHILD);
	mounts_unmount(A, NULL, V);
	a = slot_find(A), b = slot_find(B);
	assert_int_equal(control_inside(a)->settled, a->head);
	assert_int_equal(hook_enter(A, NULL, CHILD), 0);
	assert_int_equal(hook_enter(B, NULL, CHILD), 0);
	mounts_unmount(B, NULL, V + 1);
	mounts_mount(B, NULL, V);
	calls(B, CHILD, 2);
	assert_int_equal(control_inside(b)->settled, b->head);
	assert_int_equal(control_inside(b)->brief, 1000000);
	hook_leave(B, NULL, start, THROWN);
	last = mark_at(b, b->head / FRT_RECORD_SIZE - 1);
	assert_int_equal(last.flags, FRT_ROOT_DROPPED | FRT_ROOT_VIRTUAL);
	assert_int_equal(last.start, 3);
	assert_true(last.number == mark_at(a, 0).number);
	assert_int_equal(control_inside(b)->dropped, 1);
	assert_int_equal(hook_enter(B, NULL, CHILD), 0);
}

CASE(root_that_a_virtual_thread_leaves_unseen_is_lost, setup)
{
	new_flags = FRT_SLOT_CARRIER;
	mounts_mount(A, NULL, V);
	hook_enter(A, NULL, NEVER);
	call(A, CHILD);
	mounts_end(A, NULL, V);
	assert_int_equal(control_inside(slot_find(A))->lost, 1);
	mounts_mount(A, NULL, V + 1);
	hook_enter(A, NULL, NEVER);
	mounts_mount(A, NULL, V + 2);
	assert_int_equal(control_inside(slot_find(A))->lost, 2);
	assert_int_equal(hook_enter(A, NULL, CHILD), 0);
}

#define THREADS 4
#define ROOTS	20000

/* Each kept root of a thread comes with all its calls, and nothing else comes. */
static struct reader {
	uint64_t children[THREADS], kept[THREADS], bad, stray;
} reader;

static uint32_t inner_of(uint64_t root)
{
	return root * 7 % 50;
}

static void on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t thread = s[i].thread - 1;

		if (thread >= THREADS || s[i].method == STRAY) {
			reader.stray++;
		} else if (s[i].method == CHILD) {
			reader.children[thread]++;
		} else {
			reader.bad += reader.children[thread] != inner_of(reader.kept[thread]++ * 3);
			reader.children[thread] = 0;
		}
	}
}

static void on_cover(void *context, uint64_t tsc)
{
}

static int ended_threads;

/* Every third root is kept. */
static void *make_roots(void *context)
{
	JNIEnv *env = context;

	for (uint64_t i = 0; i < ROOTS; i++)
		root(env, THROWN, inner_of(i), i % 3 == 0);
	__atomic_add_fetch(&ended_threads, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Feed what a drain has copied; false: the thread has overwritten it. */
static bool feed_drained(struct streams *streams, const struct segment *seg)
{
	static _Alignas(8) char copy[1 << FRT_RING_MAX_LOG2];
	const struct frt_slot *s;
	bool whole = true;

	for (uint32_t i = 0; (s = segment_slot(seg, i)); i++) {
		uint64_t drained = load_acquire(&s->drained), from = streams->next[i];

		if (drained <= from)
			continue;
		whole &= drained - from <= ring_size(s);
		for (uint64_t at = from; at < drained; at += FRT_RECORD_SIZE)
			memcpy(copy + (at - from) % sizeof(copy), ring_at(s) + (at & (ring_size(s) - 1)),
			       FRT_RECORD_SIZE);
		streams_feed(streams, i, from, copy, drained - from);
	}
	return whole;
}

CASE(collector_gets_kept_roots_whole_and_no_others, setup)
{
	struct segment seg = {.base = (char *)control};
	struct stream_sink sink = {on_spans, on_cover, NULL};
	struct streams *streams = fake_streams_new(&sink);

	memset(&reader, 0, sizeof(reader));
	ring_grow_ticks = UINT64_MAX;
	for (int i = 0; i < 20; i++) /* the ring is as large as can be, and what it has so far has been taken */
		root(A, NEVER, 50, false);
	sweep_begin(&seg, streams);
	memset(control_inside(slot_find(A)), 0, sizeof(struct frt_inside));
	slot_find(A)->thread = 1;
	streams->roots = roots_new(&sink, 1000);
	for (uint64_t i = 0; i < ROOTS; i++) { /* this thread is its own drain */
		root(A, THROWN, inner_of(i), i % 3 == 0);
		if (i % 2)
			sweep(&seg, streams);
		assert_true(feed_drained(streams, &seg));
	}
	sweep_finish(&seg, streams);
	roots_finish(streams->roots);
	assert_int_equal(reader.bad + reader.stray, 0);
	assert_int_equal(reader.children[0], 0);
	assert_int_equal(reader.kept[0], ROOTS / 3 + 1);
	assert_int_equal(streams->lost + streams->malformed, 0);
	assert_int_equal(roots_counts(streams->roots)->torn + roots_counts(streams->roots)->excess, 0);
	roots_free(streams->roots);
	fake_streams_free(streams);
}

CASE(sweep_never_sees_what_is_taken_back, setup)
{
	struct segment seg = {.base = (char *)control};
	struct stream_sink sink = {on_spans, on_cover, NULL};
	struct streams *streams = fake_streams_new(&sink);
	pthread_t thread[THREADS];
	uint64_t kept = 0;

	memset(&reader, 0, sizeof(reader));
	serials = 0;
	ended_threads = 0;
	ring_grow_ticks = UINT64_MAX;
	streams->roots = roots_new(&sink, 1 << 20);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, make_roots, (void *)(0x7f1200000000 + (i << 16)));
	while (load_acquire(&ended_threads) < THREADS) { /* no drains: most is lost, and nothing else may be seen */
		const struct frt_slot *s;

		sweep(&seg, streams);
		for (uint32_t slot = 0; (s = segment_slot(&seg, slot)); slot++) {
			uint64_t settled = load_acquire(&control_inside(s)->settled);

			assert_true(streams->next[slot] <= settled);
			if (settled > streams->next[slot] + 1024)
				streams_give_up(streams, slot, settled - 512);
		}
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	sweep_finish(&seg, streams);
	for (int i = 0; i < THREADS; i++) {
		kept += reader.kept[i];
		assert_true(reader.kept[i] <= ROOTS / 3 + 1);
	}
	assert_true(kept > THREADS);
	assert_int_equal(reader.stray, 0);
	assert_int_equal(streams->malformed, 0);
	roots_free(streams->roots);
	fake_streams_free(streams);
}

/* A task that the root in A hands over runs on B. */
static void run_task(const struct inside_root *root, int n)
{
	struct frt_slot *s = slot_find(B) ?: slot_claim(B);
	struct inside_root before;

	inside_switch_root(s, root, &before);
	calls(B, CHILD, n);
	inside_switch_root(s, &before, NULL);
}

CASE(task_on_another_thread_is_in_the_root, setup)
{
	jlong start = hook_enter(A, NULL, NEVER);
	struct inside_root root;
	struct frt_slot *b;

	inside_hand_over(slot_find(A), sys_tsc(), &root);
	run_task(&root, 2);
	b = slot_find(B);
	assert_int_equal(b->head, 3 * FRT_RECORD_SIZE);
	assert_int_equal(mark_at(b, 0).number, root.number);
	assert_int_equal(mark_at(b, 0).flags, FRT_ROOT_OPEN | FRT_ROOT_TASK | FRT_ROOT_VIRTUAL);
	assert_true(mark_at(b, 0).needed == FRT_ROOT_NEVER);
	calls(B, CHILD, 1);
	assert_int_equal(b->head, 3 * FRT_RECORD_SIZE);
	assert_int_equal(control_inside(b)->settled, b->head);
	hook_leave(A, NULL, start, NEVER);
	assert_int_equal(mark_at(slot_find(A), 0).flags, FRT_ROOT_DROPPED | FRT_ROOT_TASKS);
	assert_true(inside_is_over(root.number, sys_tsc()));
	run_task(&root, 2);
	assert_int_equal(b->head, 3 * FRT_RECORD_SIZE);
}

CASE(task_goes_on_after_a_root_that_is_kept, setup)
{
	jlong start = hook_enter(A, NULL, ALL);
	struct inside_root root;

	((struct frt_config *)control_config(0))->tick_scale = 1ull << 32;
	inside_hand_over(slot_find(A), sys_tsc(), &root);
	assert_int_equal(root.brief, 0);
	hook_leave(A, NULL, start, ALL);
	assert_false(inside_is_over(root.number, sys_tsc()));
	assert_true(inside_is_over(root.number, UINT64_MAX));
	run_task(&root, 2);
	assert_int_equal(slot_find(B)->head, 3 * FRT_RECORD_SIZE);
}

CASE(thread_is_back_in_its_own_root_after_a_task_of_another, setup)
{
	jlong start = hook_enter(A, NULL, ALL), own;
	struct inside_root root;
	struct frt_slot *b;

	inside_hand_over(slot_find(A), sys_tsc(), &root);
	own = hook_enter(B, NULL, ALL);
	b = slot_find(B);
	calls(B, CHILD, 1);
	run_task(&root, 1);
	calls(B, CHILD, 1);
	hook_leave(B, NULL, own, ALL);
	assert_int_equal(mark_at(b, 2).number, root.number);
	assert_int_equal(mark_at(b, 4).number, mark_at(b, 0).number);
	assert_int_equal(mark_at(b, 6).flags, FRT_ROOT_KEPT);
	assert_int_equal(mark_at(b, 6).start, 2);
	assert_int_equal(span_at(b, 7).flags, FRT_SPAN_ROOT);
	hook_leave(A, NULL, start, ALL);
}

CASE(root_that_handed_over_nothing_says_nothing, setup)
{
	struct inside_root root;

	inside_hand_over(slot_claim(A), sys_tsc(), &root);
	assert_int_equal(root.number, 0);
	hook_leave(A, NULL, hook_enter(A, NULL, NEVER), NEVER);
	assert_int_equal(slot_find(A)->head, 0);
}

CASE(threads_in_roots_are_counted, setup)
{
	uint64_t none = inside_busy;
	struct inside_root root, before;
	jlong start;

	slot_claim(B);
	start = hook_enter(A, NULL, NEVER);
	assert_int_equal(inside_busy, none + INSIDE_ROOT);
	inside_hand_over(slot_find(A), sys_tsc(), &root);
	inside_switch_root(slot_find(B), &root, &before);
	assert_int_equal(inside_busy, none + 2 * INSIDE_ROOT);
	inside_switch_root(slot_find(B), &before, NULL);
	hook_leave(A, NULL, start, NEVER);
	assert_int_equal(inside_busy, none);
	hook_enter(A, NULL, NEVER);
	inside_lose_root(slot_find(A));
	assert_int_equal(inside_busy, none);
}

/* --until=tasks: a root of A that hands over two tasks, which B ends. Returns the decision in B's stream. */
static struct frt_root ends_with_tasks(jint method)
{
	struct frt_slot *b = slot_claim(B);
	struct inside_root root;
	jlong start;

	((struct frt_config *)control_config(0))->flags |= FRT_CONFIG_UNTIL;
	call(B, CHILD); /* nothing */
	start = hook_enter(A, NULL, method);
	inside_hand_over(slot_find(A), sys_tsc(), &root);
	inside_hand_over(slot_find(A), sys_tsc(), &root);
	inside_task_over(b, root.number, sys_tsc());
	assert_int_equal(b->head, 0);
	hook_leave(A, NULL, start, method);
	assert_int_equal(mark_at(slot_find(A), 0).flags, FRT_ROOT_UNTIL | FRT_ROOT_TASKS);
	assert_true(mark_at(slot_find(A), 0).number == root.number);
	assert_int_equal(span_at(slot_find(A), 1).flags, FRT_SPAN_ROOT);
	assert_false(inside_is_over(root.number, sys_tsc()));
	assert_int_equal(b->head, 0);
	inside_task_over(b, root.number, sys_tsc());
	assert_int_equal(b->head, FRT_RECORD_SIZE);
	assert_true(mark_at(b, 0).number == root.number);
	inside_task_over(b, root.number, sys_tsc()); /* one too many */
	assert_int_equal(b->head, FRT_RECORD_SIZE);
	return mark_at(b, 0);
}

CASE(last_task_of_a_root_decides, setup)
{
	assert_int_equal(ends_with_tasks(ALL).flags,
			 FRT_ROOT_KEPT | FRT_ROOT_UNTIL | FRT_ROOT_TASKS | FRT_ROOT_VIRTUAL);
	assert_int_equal(control_inside(slot_find(B))->kept, 1);
}

CASE(root_whose_last_task_is_early_is_dropped, setup)
{
	assert_int_equal(ends_with_tasks(NEVER).flags,
			 FRT_ROOT_DROPPED | FRT_ROOT_UNTIL | FRT_ROOT_TASKS | FRT_ROOT_VIRTUAL);
	assert_int_equal(control_inside(slot_find(B))->dropped, 1);
}

/* --until=FILTER: a root of A that hands over a task. B runs it, and reaches the end in it or not. */
static struct frt_slot *ends_with_call_in_task(jint method, struct inside_root *root)
{
	struct frt_slot *b = slot_claim(B);
	struct inside_root before;
	jlong start;

	((struct frt_config *)control_config(0))->flags |= FRT_CONFIG_UNTIL | FRT_CONFIG_UNTIL_CALL;
	set_rule(STRAY, FRT_RULE_UNTRACED >> FRT_RULE_SHIFT, FRT_RULE_UNTIL);
	start = hook_enter(A, NULL, method);
	inside_hand_over(slot_find(A), sys_tsc(), root);
	hook_leave(A, NULL, start, method);
	assert_int_equal(mark_at(slot_find(A), 0).flags, FRT_ROOT_UNTIL | FRT_ROOT_TASKS);
	inside_switch_root(b, root, &before);
	return b;
}

CASE(first_call_that_ends_a_root_decides, setup)
{
	struct inside_root root;
	struct frt_slot *b = ends_with_call_in_task(ALL, &root);

	calls(B, STRAY, 2);
	assert_int_equal(b->head, FRT_RECORD_SIZE);
	assert_int_equal(mark_at(b, 0).flags, FRT_ROOT_KEPT | FRT_ROOT_UNTIL | FRT_ROOT_TASKS | FRT_ROOT_VIRTUAL);
	assert_true(mark_at(b, 0).number == root.number && mark_at(b, 0).needed);
	inside_task_over(b, root.number, sys_tsc());
	assert_int_equal(b->head, FRT_RECORD_SIZE);
	assert_null(until_find(root.number));
}

CASE(tasks_of_a_root_that_ended_too_early_are_of_no_interest, setup)
{
	struct inside_root root;
	struct frt_slot *b = ends_with_call_in_task(NEVER, &root);

	calls(B, STRAY, 1);
	assert_int_equal(mark_at(b, 0).flags, FRT_ROOT_DROPPED | FRT_ROOT_UNTIL | FRT_ROOT_TASKS | FRT_ROOT_VIRTUAL);
	assert_true(inside_is_over(root.number, sys_tsc()));
}

CASE(end_that_no_task_has_reached_is_unknown, setup)
{
	struct inside_root root;
	struct frt_slot *b = ends_with_call_in_task(ALL, &root);

	inside_task_over(b, root.number, sys_tsc());
	assert_int_equal(mark_at(b, 0).flags, FRT_ROOT_KEPT | FRT_ROOT_UNTIL | FRT_ROOT_TASKS | FRT_ROOT_VIRTUAL);
	assert_true(mark_at(b, 0).needed == 0);
}

CASE(root_ends_with_its_call_if_that_is_later, setup)
{
	struct inside_root root;
	jlong start;

	((struct frt_config *)control_config(0))->flags |= FRT_CONFIG_UNTIL | FRT_CONFIG_UNTIL_CALL;
	set_rule(STRAY, FRT_RULE_UNTRACED >> FRT_RULE_SHIFT, FRT_RULE_UNTIL);
	start = hook_enter(A, NULL, ALL);
	inside_hand_over(slot_find(A), sys_tsc(), &root);
	calls(A, STRAY, 1);
	assert_int_equal(slot_find(A)->head, 0);
	hook_leave(A, NULL, start, ALL);
	assert_int_equal(mark_at(slot_find(A), 0).flags, FRT_ROOT_UNTIL | FRT_ROOT_TASKS);
	assert_true(mark_at(slot_find(A), 1).flags & FRT_ROOT_KEPT && mark_at(slot_find(A), 1).needed);
	assert_int_equal(span_at(slot_find(A), 2).flags, FRT_SPAN_ROOT);
}

/* A task may be about to count in the row of its root, so no other root may get that. */
CASE(row_of_a_lost_root_stays_until_its_last_task_has_ended, setup)
{
	struct frt_slot *b = slot_claim(B);
	struct inside_root root;

	((struct frt_config *)control_config(0))->flags |= FRT_CONFIG_UNTIL;
	call(B, CHILD); /* nothing */
	hook_enter(A, NULL, ALL);
	inside_hand_over(slot_find(A), sys_tsc(), &root);
	inside_hand_over(slot_find(A), sys_tsc(), &root);
	inside_lose_root(slot_find(A));
	assert_non_null(until_find(root.number));
	inside_task_over(b, root.number, sys_tsc());
	assert_non_null(until_find(root.number));
	inside_task_over(b, root.number, sys_tsc());
	assert_null(until_find(root.number));
	assert_int_equal(b->head, 0);
}
