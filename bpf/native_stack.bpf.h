/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies of the native part of waiting threads' stacks, for the collector to unwind. A copy is taken together with that
 * of the Java part, when the thread leaves its CPU, and must lie beside it: the value of task storage fits into a page.
 */
#ifndef BPF_NATIVE_STACK_H
#define BPF_NATIVE_STACK_H

#include "bpf/emit.bpf.h"
#include "bpf/wait_reason.bpf.h"
#include "bpf/wait_state.bpf.h"

/* Of the wait in progress. A thread without a value gets no native frames. */
struct native_stack_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct frt_native);
};
extern struct native_stack_map natives;

/* Have the stacks of the running thread's waits copied. */
static __always_inline void native_stack_follow(void)
{
	bpf_task_storage_get(&wait_stacks, bpf_get_current_task_btf(), NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	bpf_task_storage_get(&natives, bpf_get_current_task_btf(), NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static __always_inline struct frt_native *native_of(struct task_struct *task)
{
	return bpf_task_storage_get(&natives, task, NULL, 0);
}

/* Copy what the running task has below `end`, where its Java frames begin. */
static __always_inline void native_take(struct task_struct *task, __u64 end)
{
	struct frt_native *n = native_of(task);
	__u64 size, low, high;

	if (!n)
		return;
	registers_take(&n->at, entry_registers(task));
	n->low_size = n->high_size = 0;
	n->end = end;
	size = end - n->at.sp;
	if (n->at.sp >= end)
		return;
	low = size < FRT_NATIVE_LOW ? size : FRT_NATIVE_LOW;
	high = size - low < FRT_NATIVE_HIGH ? size - low : FRT_NATIVE_HIGH;
	if (bpf_probe_read_user(n->low, low, (void *)n->at.sp))
		return;
	n->low_size = low;
	if (high && !bpf_probe_read_user(n->high, high, (void *)(end - high)))
		n->high_size = high;
}

#endif
