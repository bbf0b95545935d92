/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A thread's open calls, as HotSpot's method probes show them: a stack in its task storage, with the outermost call first.
 *
 * HotSpot passes method__return also when a call ends with an exception, but not if the call is inlined in code of its C1
 * compiler, and the method is not synchronized. So a call may be over although no exit was seen. A later probe of the thread
 * shows it, by its place on the stack: a caller exits; or a call begins in a frame that lies above, or at the same
 * place in the same frame, which then has gone on. Until that happens the call is open.
 */
#ifndef BPF_OPEN_CALLS_H
#define BPF_OPEN_CALLS_H

#include "bpf/emit.bpf.h"
#include "bpf/probes.h"

/* Where a call is on its thread's stack: the registers of its code. */
struct call_place {
	__u64 sp, fp;
	__u64 pc; /* 0: unknown */
};

struct open_call {
	__u64 start, sp;
	__u32 pc, method; /* pc: the lower half */
};

struct probed_thread {
	__u32 thread; /* serial; 0: not given yet */
	__u32 known;  /* the collector has been told of it */
	__u32 depth;
	__u32 deep;    /* open calls beyond FRT_PROBE_DEPTH */
	__u64 java_id; /* of its java.lang.Thread; 0: not known yet */
	struct open_call open[FRT_PROBE_DEPTH];
};

static __always_inline struct open_call *call_at(struct probed_thread *t, __u32 position)
{
	return &t->open[position & (FRT_PROBE_DEPTH - 1)];
}

static __always_inline void emit_call(const struct probed_thread *t, struct frt_probe_counts *counts,
				      const struct open_call *call, __u64 now, __u32 flags)
{
	struct frt_probe_call *r = queue_reserve(sizeof(*r));

	if (!r) {
		counts->unrecorded++;
		return;
	}
	*r = (struct frt_probe_call){.kind = FRT_PROBE_CALL,
				     .thread = t->thread,
				     .method = call->method,
				     .flags = flags,
				     .start = call->start,
				     .duration = now - call->start};
	queue_submit(r, WAKE_BY_LEVEL);
}

/* What the callbacks of bpf_loop() work on. They look at one call each, from the top of the stack downwards. */
struct search {
	void *context; /* of the program */
	struct probed_thread *t;
	struct frt_probe_counts *counts;
	__u64 sp;
	union {
		__u64 now, nearest; /* for end_call(); for look_for_call() */
	};
	__u32 pc, method, position;
};

static long end_call(__u32 i, struct search *s)
{
	struct probed_thread *t = s->t;

	if (t->depth <= s->position)
		return 1;
	t->depth--;
	emit_call(t, s->counts, call_at(t, t->depth), s->now, FRT_PROBE_UNSEEN);
	queue_flush(s->context); /* there may be many of them */
	s->counts->unseen++;
	s->counts->exited++;
	return 0;
}

/* The calls from this position on are over. */
static __always_inline void end_calls(void *context, struct probed_thread *t, struct frt_probe_counts *counts,
				      __u32 position, __u64 now)
{
	struct search s = {.context = context, .t = t, .counts = counts, .now = now, .position = position};

	counts->exited += t->deep;
	t->deep = 0;
	bpf_loop(FRT_PROBE_DEPTH, end_call, &s, 0);
}

/*
 * A task that has left the JVM and has come back is another thread of Java's: it gets another serial. No call was open then,
 * but exits may not have been seen. Its JavaThread may be at the same address as before. java_id 0: it is just being made.
 */
static __always_inline void meet_thread(void *context, struct probed_thread *t, struct frt_probe_counts *counts,
					__u64 java_id)
{
	if (!java_id || java_id == t->java_id)
		return;
	if (t->java_id) {
		end_calls(context, t, counts, 0, now_ns());
		t->thread = 0;
	}
	t->java_id = java_id;
	t->known = 0;
}

/* While a method runs, its frame may become smaller by so much: interpreted at first, then compiled in a loop. */
#define FRAME_SHRINKS 4096

static long look_for_unseen(__u32 i, struct search *s)
{
	__u32 position = s->t->depth - 1 - i;
	const struct open_call *call = call_at(s->t, position);

	if (position >= FRT_PROBE_DEPTH)
		return 1;
	if (call->sp + FRAME_SHRINKS < s->sp || (call->sp == s->sp && call->pc == s->pc && s->pc))
		s->position = position;
	else if (call->sp > s->sp)
		return 1;
	return 0;
}

/*
 * The position of the lowest call that is over, although its exit was not seen, when a call begins at this place; the depth:
 * none is. Such calls lie below the present frame, or they were begun by the same code in the same frame, which has then gone
 * on.
 */
static __always_inline __u32 find_unseen(struct probed_thread *t, const struct call_place *at)
{
	struct search s = {.t = t, .sp = at->sp, .pc = (__u32)at->pc, .position = t->depth};

	if (t->depth && call_at(t, t->depth - 1)->sp <= at->sp)
		bpf_loop(FRT_PROBE_DEPTH, look_for_unseen, &s, 0);
	return s.position;
}

static long look_for_call(__u32 i, struct search *s)
{
	__u32 position = s->t->depth - 1 - i;
	const struct open_call *call = call_at(s->t, position);
	__u64 distance = call->sp > s->sp ? call->sp - s->sp : s->sp - call->sp;

	if (position >= FRT_PROBE_DEPTH)
		return 1;
	if (call->method == s->method && distance < s->nearest) {
		s->nearest = distance;
		s->position = position;
	}
	return !s->nearest || (call->sp > s->sp && distance > s->nearest);
}

/*
 * The position of the call that exits; FRT_PROBE_DEPTH: it is not there. A frame may have changed its size since the call
 * began, so of several calls of the method it is the one whose stack pointer is nearest.
 */
static __always_inline __u32 find_call(struct probed_thread *t, __u32 method, __u64 sp)
{
	struct search s = {.t = t, .sp = sp, .method = method, .nearest = ~0ull, .position = FRT_PROBE_DEPTH};

	bpf_loop(FRT_PROBE_DEPTH, look_for_call, &s, 0);
	return s.position;
}

static __always_inline void enter_method(void *context, struct probed_thread *t, struct frt_probe_counts *counts,
					 __u32 method, const struct call_place *at)
{
	__u32 over = find_unseen(t, at);
	struct open_call *call;

	counts->entered++;
	if (over < t->depth)
		end_calls(context, t, counts, over, now_ns());
	if (t->depth >= FRT_PROBE_DEPTH) {
		t->deep++;
		counts->deep++;
		return;
	}
	call = call_at(t, t->depth);
	call->method = method;
	call->sp = at->sp;
	call->pc = at->pc;
	t->depth++;
	call->start = now_ns();
}

/* Fill in *ended if the call is to be recorded. */
static __always_inline void exit_method(void *context, struct probed_thread *t, struct frt_probe_counts *counts,
					const struct frt_method_choice *m, __u64 sp, bool thrown, __u64 now,
					struct frt_probe_call *ended)
{
	const struct open_call *call;
	__u32 position;

	if (t->deep && sp < call_at(t, FRT_PROBE_DEPTH - 1)->sp) {
		t->deep--;
		counts->exited++;
		return;
	}
	position = find_call(t, m->method, sp);
	if (position >= FRT_PROBE_DEPTH) {
		counts->early_exits++;
		return;
	}
	if (t->deep || position + 1 < t->depth)
		end_calls(context, t, counts, position + 1, now);
	call = call_at(t, position);
	t->depth = position;
	counts->exited++;
	counts->thrown += thrown;
	if (now - call->start > counts->longest)
		counts->longest = now - call->start;
	if (now - call->start >= m->threshold)
		*ended = (struct frt_probe_call){
			.kind = FRT_PROBE_CALL,
			.thread = t->thread,
			.method = call->method,
			.start = call->start,
			.duration = now - call->start,
			.flags = (find_call(t, m->method, sp) < FRT_PROBE_DEPTH ? FRT_PROBE_NESTED : 0) |
				 (thrown ? FRT_PROBE_THROWN : 0)};
}

#endif
