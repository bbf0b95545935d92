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
static __attribute__((used)) void mapped_types(const struct mapped_slot *mapped, const struct slot_calls *calls)
{
}

/*
 * Read the calls of `task`, a target thread with the given slot address and serial. Returns 0, or nonzero if they
 * cannot be read.
 */
static __always_inline long read_calls(struct task_struct *task, __u64 slot, __u32 thread, struct slot_calls *out)
{
	const struct mapped_slot *mapped = NULL;

	if (bpf_core_enum_value_exists(enum btf_field_type, BPF_UPTR))
		mapped = bpf_task_storage_get(&mapped_slots, task, NULL, 0);
	if (mapped && mapped->calls && mapped->calls->thread == thread) {
		*out = *mapped->calls;
		return 0;
	}
	return bpf_probe_read_user(out, sizeof(*out), (const void *)(slot + offsetof(struct frt_slot, entered)));
}

/* Tell the collector which thread owns a slot, so that it can map the slot, and what of the thread is not observed. */
static __always_inline void report_owner(const struct task_struct *task, __u32 slot, __u32 thread, __u32 flags)
{
	struct frt_slot_owner *o = bpf_ringbuf_reserve(&queue, sizeof(*o), 0);

	if (flags)
		count_drop(FRT_DROP_STORAGE);
	if (!o && flags)
		__sync_fetch_and_add(&unobserved_lost, 1);
	if (!o)
		return;
	*o = (struct frt_slot_owner){
		.kind = FRT_OWNER, .slot = slot, .thread = thread, .task = task->pid, .flags = flags};
	bpf_ringbuf_submit(o, BPF_RB_FORCE_WAKEUP);
}

#endif
