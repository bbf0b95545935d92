/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The open calls of a thread, read from its slot in the scheduler's context. Reading the thread's own memory takes
 * 150 ns there. The collector, which shares the slot's page, therefore maps it into the thread's task storage
 * (since Linux 6.13): 20 ns.
 */
#ifndef BPF_SLOT_H
#define BPF_SLOT_H

#include "bpf/emit.bpf.h"

/* Never called. clang puts a map's types into BTF only if they are arguments of a function. */
static __attribute__((used)) void mapped_types(const struct mapped_slot *mapped, const struct frt_slot *slot)
{
}

/* The mapped slot of a task, if it has one that still belongs to the thread with this serial. */
static __always_inline const whole_slot *mapped_slot_of(struct task_struct *task, __u32 thread)
{
	const struct mapped_slot *mapped = NULL;

	if (bpf_core_enum_value_exists(enum btf_field_type, BPF_UPTR))
		mapped = bpf_task_storage_get(&mapped_slots, task, NULL, 0);
	return mapped && mapped->slot && mapped->slot->thread == thread ? mapped->slot : NULL;
}

/*
 * Read the calls of `task`, the running thread of the target, which has the given slot address and serial. Returns 0,
 * or nonzero if they cannot be read.
 */
static __always_inline long read_calls(struct task_struct *task, __u64 slot, __u32 thread, struct slot_calls *out)
{
	const whole_slot *mapped = mapped_slot_of(task, thread);
	const struct frt_slot *from = (const struct frt_slot *)slot;
	__u64 others = 0;

	if (mapped) {
		*out = (struct slot_calls){.head = mapped->head,
					   .entered = mapped->entered + mapped->others,
					   .exited = mapped->exited,
					   .depth = mapped->depth,
					   .thread = thread,
					   .virtual_key = mapped->virtual_key,
					   .mounts = mapped->mounts,
					   .outermost = mapped->open[0].start};
		return 0;
	}
	out->outermost = 0;
	if (wait_setup.hold && bpf_probe_read_user(&out->outermost, sizeof(out->outermost), &from->open[0].start))
		return -1;
	if (bpf_probe_read_user(out, offsetof(struct slot_calls, outermost), &from->head))
		return -1;
	if (usage_wanted && bpf_probe_read_user(&others, sizeof(others), &from->others))
		return -1;
	out->entered += others;
	return 0;
}

/* Tell the collector which thread owns a slot, so that it can map the slot, and what of the thread is not observed. */
static __always_inline void report_observed(const struct task_struct *task, __u32 tid, __u32 slot, __u32 thread,
					    __u32 flags, bool fresh)
{
	struct frt_slot_owner *o = queue_reserve(sizeof(*o));

	if (flags)
		count_drop(FRT_DROP_STORAGE);
	if (!o && flags)
		__sync_fetch_and_add(&unobserved_lost, 1);
	if (!o)
		return;
	*o = (struct frt_slot_owner){.kind = FRT_OWNER,
				     .slot = slot,
				     .thread = thread,
				     .task = task->pid,
				     .flags = flags,
				     .started = task->start_boottime >> FRT_STARTED_SHIFT,
				     .tid = tid,
				     .fresh = fresh,
				     .at = now_ns()};
	queue_submit(o, WAKE_NOW);
}

static __always_inline void report_owner(const struct task_struct *task, __u32 tid, __u32 slot, __u32 thread,
					 __u32 flags)
{
	report_observed(task, tid, slot, thread, flags, false);
}

#endif
