// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Samples of threads that are in a traced call, by a timer on each CPU (PERF_COUNT_SW_CPU_CLOCK). It interrupts the thread
 * anywhere: its registers, its JavaFrameAnchor and the top of its stack go into the queue, where the collector walks them.
 * Which samples are recorded is decided there, when the calls have ended.
 */
#include "bpf/caller.bpf.h"
#include "bpf/waker.bpf.h"

#include <linux/bpf_perf_event.h>

static __always_inline void sample_registers(struct frt_waker *w, struct bpf_perf_event_data *context,
					     struct task_struct *task)
{
	CONTEXT_TAKE(&w->at_entry, context);
	if (w->at_entry.pc >= USER_SPACE) /* in the kernel: those with which the thread entered it */
		registers_take(&w->at_entry, entry_registers(task));
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

#define TOUCH_PAGE  4096
#define TOUCH_PAGES 64

/*
 * Write to the next pages of the ring buffer. Returns 1 once it is full. Some hypervisors give a virtual machine a page only
 * when something is written to it. That takes some 20 us, ten times as long as all else of a sample.
 */
SEC("raw_tp")
int queue_touch(void *context)
{
	for (int i = 0; i < TOUCH_PAGES; i++) {
		void *page = perf_buffers ? NULL : bpf_ringbuf_reserve(&queue, TOUCH_PAGE - BPF_RINGBUF_HDR_SZ, 0);

		if (!page)
			return 1;
		bpf_ringbuf_discard(page, BPF_RB_NO_WAKEUP);
	}
	return 0;
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
