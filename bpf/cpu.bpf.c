// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Samples of threads that are in a traced call, by a timer on each CPU (PERF_COUNT_SW_CPU_CLOCK). It interrupts the thread
 * anywhere: its registers, its JavaFrameAnchor and the top of its stack go into the queue, where the collector walks them.
 * Which samples are recorded is decided there, when the calls have ended.
 */
#include "bpf/caller.bpf.h"
#include "bpf/waker.bpf.h"

#include <linux/bpf_perf_event.h>

#define USER_SPACE (1ull << 47)

/* Loads from the context have constant offsets: the verifier refuses one from a pointer that may be another one. */
#define CONTEXT(r) (*(const volatile unsigned long *)&context->regs.r)

static __always_inline void sample_registers(struct frt_waker *w, struct bpf_perf_event_data *context,
					     struct task_struct *task)
{
	w->pc = CONTEXT(rip);
	w->sp = CONTEXT(rsp);
	w->bp = CONTEXT(rbp);
	w->bx = CONTEXT(rbx);
	w->r12 = CONTEXT(r12);
	w->r13 = CONTEXT(r13);
	w->r14 = CONTEXT(r14);
	w->r15 = CONTEXT(r15);
	if (w->pc >= USER_SPACE) /* in the kernel: those with which the thread entered it */
		waker_registers(w, entry_registers(task));
}

static __always_inline void sample_emit(struct bpf_perf_event_data *context, struct task_struct *task,
					const struct wait_state *state, __u32 caller)
{
	struct waker_place place = {.thread = caller, .at = now_ns(), .stack_end = state->stack_end};
	struct waker_known_record *r = queue_has_room() ? queue_reserve(sizeof(*r)) : NULL;

	if (!r) {
		__sync_fetch_and_add(&samples_lost, 1);
		return;
	}
	waker_find_anchor(&place, state->anchor);
	waker_name(&r->waker, FRT_SAMPLE, &place);
	sample_registers(&r->waker, context, task);
	waker_copy_known(&r->waker, r->stack, place.stack_end);
	queue_submit(r, WAKE_NEVER);
}

SEC("perf_event")
int cpu_sample(struct bpf_perf_event_data *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct wait_state *state;
	struct slot_calls calls = {};
	__u32 caller;

	if (task->tgid != target_process)
		return 0;
	state = bpf_task_storage_get(&waits, task, NULL, 0);
	if (!state || !state->slot || !state->stack_end)
		return 0;
	if (task->flags & EXITING || read_calls(task, state->slot, state->thread, &calls))
		return 0;
	caller = caller_of(state, &calls);
	if (caller)
		sample_emit(context, task, state, caller);
	queue_flush(context);
	return 0;
}
