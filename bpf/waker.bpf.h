/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stacks of the thread that ends a long wait, which is the running one. They go straight into the queue, because no
 * task storage has room for them. Only threads of the target have a Java stack.
 */
#ifndef BPF_WAKER_H
#define BPF_WAKER_H

#include "bpf/emit.bpf.h"
#include "bpf/wait_reason.bpf.h"

struct waker_place {
	__u64 off, at;	      /* when the wait began, and now */
	__u64 sp, pc, fp;     /* the waker's JavaFrameAnchor; sp 0: none is in use */
	__u64 stack_end;      /* of the waker */
	__u32 thread, target; /* target: the waker belongs to it */
};

#define WAKER_PAGE 4096

/* Read the waker's JavaFrameAnchor, if the thread has left Java by it. `at` 0: its address is unknown. */
static __always_inline void waker_find_anchor(struct waker_place *place, __u64 at)
{
	__u64 anchor[FRT_ANCHOR / 8];

	if (!at || bpf_probe_read_user(anchor, sizeof(anchor), (void *)at))
		return;
	place->sp = anchor[wait_setup.anchor_sp / 8 % (FRT_ANCHOR / 8)];
	place->pc = anchor[wait_setup.anchor_pc / 8 % (FRT_ANCHOR / 8)];
	place->fp = anchor[wait_setup.anchor_fp / 8 % (FRT_ANCHOR / 8)];
	if (place->sp - 8 >= place->stack_end)
		place->sp = 0;
}

static __always_inline void waker_registers(struct frt_waker *w, const struct pt_regs___kernel *r)
{
	w->pc = r->ip;
	w->sp = r->sp;
	w->bp = r->bp;
	w->bx = r->bx;
	w->r12 = r->r12;
	w->r13 = r->r13;
	w->r14 = r->r14;
	w->r15 = r->r15;
}

static __always_inline void waker_fill(struct frt_waker *w, struct task_struct *task, const struct waker_place *place)
{
	long size = bpf_get_task_stack(task, w->kernel, sizeof(w->kernel), 0);

	w->kind = FRT_WAKER;
	w->thread = place->thread;
	w->off = place->off;
	w->at = place->at;
	w->kernel_frames = size > 0 ? size / sizeof(w->kernel[0]) : 0;
	w->stack_size = 0;
	w->from = 0;
	w->anchor_sp = place->sp;
	w->anchor_pc = place->pc;
	w->anchor_fp = place->fp;
	waker_registers(w, entry_registers(task));
}

/* The Java part, from the anchor up. */
static __always_inline void waker_copy_java(struct frt_waker *w, __u8 *stack, __u64 stack_end)
{
	__u64 from = w->anchor_sp - 8, size = stack_end - from;

	if (size > FRT_WAKER_JAVA)
		size = FRT_WAKER_JAVA;
	if (bpf_probe_read_user(stack, size, (void *)from))
		return;
	w->from = from;
	w->stack_size = size;
}

/* All of it, page by page: where the stack ends is not known, and what lies beyond may not be readable. */
static __always_inline void waker_copy_native(struct frt_waker *w, __u8 *stack)
{
	__u64 at = 0, size = WAKER_PAGE - w->sp % WAKER_PAGE;

	w->from = w->sp;
	for (int i = 0; i < FRT_WAKER_NATIVE / WAKER_PAGE; i++) {
		if (at > FRT_WAKER_NATIVE - WAKER_PAGE || size > WAKER_PAGE ||
		    bpf_probe_read_user(stack + at, size, (void *)(w->sp + at)))
			break;
		at += size;
		size = WAKER_PAGE;
	}
	w->stack_size = at;
}

struct waker_java_record {
	struct frt_waker waker;
	__u8 stack[FRT_WAKER_JAVA];
};

struct waker_native_record {
	struct frt_waker waker;
	__u8 stack[FRT_WAKER_NATIVE];
};

static __always_inline void waker_emit_kernel(struct task_struct *task, const struct waker_place *place)
{
	struct frt_waker *r = bpf_ringbuf_reserve(&queue, sizeof(*r), 0);

	if (!r)
		return;
	waker_fill(r, task, place);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
}

static __always_inline void waker_emit_native(struct task_struct *task, const struct waker_place *place)
{
	struct waker_native_record *r = bpf_ringbuf_reserve(&queue, sizeof(*r), 0);

	if (!r)
		return;
	waker_fill(&r->waker, task, place);
	waker_copy_native(&r->waker, r->stack);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
}

static __always_inline void waker_emit_java(struct task_struct *task, const struct waker_place *place)
{
	struct waker_java_record *r = bpf_ringbuf_reserve(&queue, sizeof(*r), 0);

	if (!r)
		return;
	waker_fill(&r->waker, task, place);
	waker_copy_java(&r->waker, r->stack, place->stack_end);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
}

/* What does not fit into the queue is left out: the wait then has a waker without stacks. */
static __always_inline void waker_emit(struct task_struct *task, const struct waker_place *place)
{
	if (!place->target || !wait_setup.known)
		waker_emit_kernel(task, place);
	else if (place->sp)
		waker_emit_java(task, place);
	else
		waker_emit_native(task, place);
}

#endif
