/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the state of a thread that has waited, or still waits, to a record of the wait. */
#ifndef BPF_WAIT_EMIT_H
#define BPF_WAIT_EMIT_H

#include "bpf/flight.bpf.h"
#include "bpf/held_waits.bpf.h"
#include "bpf/native_stack.bpf.h"
#include "bpf/observed.bpf.h"

/*
 * The start of the wait for a CPU: not before the wake-up. Since Linux 6.12 (delayed dequeue) schedstat may claim
 * an earlier time for a sleeper that the kernel migrates before it dequeues it.
 */
static __always_inline __u64 wake_time(struct task_struct *task, const struct wait_state *state, __u64 now,
				       bool goes_on)
{
	__u64 from = state->woken ?: state->off, wake = from;

	if (!state->blocked)
		return state->off;
	if (goes_on && !state->woken)
		return now;
	if (bpf_core_field_exists(task->sched_info.run_delay))
		wake = now - (run_delay(task, true) - state->delay);
	return wake < from || wake > now ? from : wake;
}

static __always_inline __u32 wait_flags(const struct wait_state *state, bool woken, bool goes_on)
{
	return (goes_on ? FRT_WAIT_ONGOING : 0) | (woken && state->interrupted ? FRT_WAIT_BY_INTERRUPT : 0) |
	       (state->blocked && state->since != state->off ? FRT_WAIT_AGAIN : 0) | state->owned;
}

static __always_inline void fill_wait(struct frt_wait *w, struct task_struct *task, const struct wait_state *state,
				      __u64 now, bool goes_on)
{
	bool woken = state->blocked && state->woken;

	*w = (struct frt_wait){.kind = FRT_WAIT, .thread = state->owner, .off = state->off, .on = now};
	w->wake = wake_time(task, state, now, goes_on);
	w->waker = woken ? state->waker.id : 0;
	w->waker_origin = woken ? state->waker.origin : 0;
	if (woken)
		__builtin_memcpy(w->waker_name, state->waker.name, sizeof(w->waker_name));
	w->syscall = state->syscall;
	w->reason = state->reason;
	w->resource = state->resource;
	w->flags = wait_flags(state, woken, goes_on);
}

/* Only one in WAKE_EVERY short records checks the wake-up level. */
#define WAKE_EVERY 16

/* While this program looks at a waiting thread, the thread may run on. It has then emitted this wait itself. */
static __always_inline void submit_wait(struct frt_wait *w, const struct wait_state *state, enum wake wake)
{
	if (*(volatile const __u64 *)&state->off == w->off)
		queue_submit(w, wake);
	else
		queue_discard(w);
}

static __always_inline void emit_short_wait(struct task_struct *task, const struct wait_state *state, __u64 now,
					    bool goes_on)
{
	struct frt_wait *w = reserve_record(sizeof(*w));

	if (!w)
		return;
	fill_wait(w, task, state, now, goes_on);
	submit_wait(w, state, now % WAKE_EVERY ? WAKE_NEVER : WAKE_BY_LEVEL);
}

static __always_inline void copy_wait_stack(struct frt_long_wait *w, struct task_struct *task)
{
	const struct wait_stack *copy = bpf_task_storage_get(&wait_stacks, task, NULL, 0);

	if (copy)
		bpf_probe_read_kernel(w->stack, sizeof(w->stack), copy->bytes);
	else
		w->wait.stack_size = 0;
}

static __always_inline void fill_long_wait(struct frt_long_wait *w, struct task_struct *task,
					   const struct wait_state *state, __u64 now, bool goes_on)
{
	long size = 0;

	fill_wait(&w->wait, task, state, now, goes_on);
	if (task != bpf_get_current_task_btf()) /* else the wait is over */
		size = bpf_get_task_stack(task, w->kernel, sizeof(w->kernel), 0);
	w->wait.kernel_frames = size > 0 ? size / sizeof(w->kernel[0]) : 0;
	w->wait.stack_size = state->stack_size;
	w->wait.stack_pointer = state->sp;
	w->wait.stack_pc = state->pc;
	w->wait.stack_fp = state->fp;
	if (state->stack_size)
		copy_wait_stack(w, task);
}

static __always_inline void emit_native_wait(struct task_struct *task, const struct wait_state *state, __u64 now,
					     bool goes_on, const struct frt_native *native)
{
	struct frt_native_wait *w = reserve_record(sizeof(*w));

	if (!w)
		return;
	fill_long_wait(&w->wait, task, state, now, goes_on);
	bpf_probe_read_kernel(&w->native, sizeof(w->native), native);
	submit_wait(&w->wait.wait, state, WAKE_BY_LEVEL);
}

static __always_inline void emit_long_wait(struct task_struct *task, const struct wait_state *state, __u64 now,
					   bool goes_on)
{
	const struct frt_native *native = state->stack_size ? native_of(task) : NULL;
	struct frt_long_wait *w;

	if (native && native->low_size) {
		emit_native_wait(task, state, now, goes_on, native);
		return;
	}
	w = reserve_record(sizeof(*w));
	if (!w)
		return;
	fill_long_wait(w, task, state, now, goes_on);
	submit_wait(&w->wait, state, WAKE_BY_LEVEL);
}

static __always_inline bool is_long(const struct wait_state *state, __u64 now)
{
	return state->blocked && now - state->since > wait_setup.longer;
}

static __always_inline void emit_wait(struct task_struct *task, const struct wait_state *state, __u64 now, bool goes_on)
{
	if (is_long(state, now))
		emit_long_wait(task, state, now, goes_on);
	else
		emit_short_wait(task, state, now, goes_on);
}

/*
 * Waits of virtual threads are not held: their calls end in any slot. Nor are those in native methods, whose calls are
 * in none.
 */
static __always_inline bool is_held(const struct wait_state *state)
{
	return wait_setup.hold && state->owner == state->thread && !state->natives;
}

/* Keep a wait that has ended in the kernel for now. */
static __always_inline void hold_wait(struct task_struct *task, struct wait_state *state, __u64 now, bool long_wait)
{
	struct frt_long_wait *stacks = NULL;
	struct frt_wait w;

	if (long_wait)
		stacks = bpf_task_storage_get(&held_stacks, task, NULL, 0);
	held_reserve(&state->held, task, stacks);
	if (stacks) {
		fill_long_wait(stacks, task, state, now, false);
		held_take_native(task, state->stack_size ? native_of(task) : NULL);
		w = stacks->wait;
	} else {
		fill_wait(&w, task, state, now, false);
	}
	held_add(&state->held, &w, stacks, state->head, state->outermost);
}

/* Waits of virtual threads, and in native methods, are not among them, for the same reasons. */
static __always_inline bool is_brief(const struct wait_state *state, __u64 now)
{
	return wait_setup.path && state->owner == state->thread && !state->natives && !is_long(state, now) &&
	       now - state->off <= ~0u;
}

static __always_inline void keep_brief(struct task_struct *task, struct wait_state *state, __u64 now)
{
	__u64 wake = wake_time(task, state, now, false);
	bool woken = state->blocked && state->woken;
	struct frt_brief *b = flight_place(&state->flight, state->owner, state->inside_call);

	b->off = state->off;
	b->blocked = wake - state->off;
	b->ready = now - wake;
	b->waker = woken ? state->waker.id : 0;
	b->waker_origin = woken ? state->waker.origin : 0;
	if (woken)
		__builtin_memcpy(b->waker_name, state->waker.name, sizeof(b->waker_name));
	else
		__builtin_memset(b->waker_name, 0, sizeof(b->waker_name));
	b->syscall = state->syscall;
	b->reason = state->reason;
	b->flags = wait_flags(state, woken, false);
	b->resource = state->resource;
	flight_add(&state->flight);
}

/* What does not become a brief is recorded at once, behind those before it. */
static __always_inline void put_wait_of_path(struct task_struct *task, struct wait_state *state, __u64 now)
{
	if (is_brief(state, now)) {
		keep_brief(task, state, now);
		return;
	}
	flight_release(&state->flight);
	emit_wait(task, state, now, false);
}

/* The wait has ended: the thread is on its CPU from `now` on. */
static __always_inline void put_wait(struct task_struct *task, struct wait_state *state, __u64 now)
{
	if (is_held(state)) {
		hold_wait(task, state, now, is_long(state, now));
	} else if (wait_setup.path) {
		put_wait_of_path(task, state, now);
	} else {
		if (state->natives) /* those before it go first */
			held_release(&state->held, task);
		emit_wait(task, state, now, false);
	}
}

#endif
