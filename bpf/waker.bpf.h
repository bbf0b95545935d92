/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The thread that ends a wait, which is the running one: who it is, and its stacks if the wait is long. They go straight
 * into the queue, because no task storage has room for them. Only threads of the target have a Java stack.
 */
#ifndef BPF_WAKER_H
#define BPF_WAKER_H

#include "bpf/emit.bpf.h"
#include "bpf/target.bpf.h"
#include "bpf/wait_reason.bpf.h"
#include "bpf/wait_state.bpf.h"

#define KERNEL_THREAD 0x00200000u /* task_struct.flags: PF_KTHREAD */

#define COUNT_SOFT 0x000100 /* in preempt_count: in a soft interrupt; in a hard one, or an NMI */
#define COUNT_HARD 0xff0000

static __always_inline int preempt_count(struct task_struct *task)
{
	return preempt_count_of(task, count_offset, COUNT_HARD);
}

/* True if a soft interrupt works on behalf of the running task, which has just sent something to a local socket. */
static __always_inline bool sends(struct task_struct *task)
{
	switch (regs_call(entry_registers(task))) {
	case __NR_write:
	case __NR_writev:
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_sendmmsg:
	case __NR_sendfile:
	case __NR_splice:
	case __NR_connect:
	case __NR_shutdown:
	case __NR_close: return true;
	}
	return false;
}

/* True if the running task itself is the waker, not an interrupt that arrived meanwhile. */
static __always_inline bool is_waker(struct task_struct *task)
{
	int count = preempt_count(task);

	if (count & COUNT_HARD)
		return false;
	return !(count & COUNT_SOFT) || (!(task->flags & KERNEL_THREAD) && sends(task));
}

#define PID_LEVELS_SIZE 1023u /* there are at most 32 levels (pid_namespaces(7)) */

/*
 * The task's id in its innermost pid namespace, which for threads of the target is the target's. The array is indexed
 * by hand: CO-RE relocates a variable index by the size of our struct upid, not of the kernel's. Before Linux 6.2 the
 * verifier adds only a small number to a pointer of the kernel.
 */
static __always_inline __u32 namespace_id(struct task_struct *task)
{
	const struct pid *pid = task->thread_pid;
	__u32 offset = pid->level * bpf_core_type_size(struct upid);

	barrier_var(offset);
	return offset ? kernel_int((const char *)pid->numbers + (offset & PID_LEVELS_SIZE)) : task->pid;
}

/*
 * The reason of a wait that the VM thread ends: it does so after a safepoint, and when it has done what this thread
 * asked it for.
 */
static __always_inline __u32 reason_of_vm(const struct wait_state *state)
{
	if (state->reason != FRT_WAIT_FUTEX && state->reason != FRT_WAIT_SLEEP)
		return state->reason;
	return vm_collects ? FRT_WAIT_GC : FRT_WAIT_SAFEPOINT;
}

#define AGENT_COMM 0x0065636172747266ull /* "frtrace" */

/*
 * True if the agent's thread wakes one that it has stopped: HotSpot stops a thread whose stack the agent asks for. From
 * JDK 10 on it does so by a handshake, which is no pause of the JVM.
 */
static __always_inline bool is_agent_at_work(const struct waker *waker)
{
	return commanding && waker->id && *(const __u64 *)waker->name == AGENT_COMM;
}

static __always_inline void note_waker(struct wait_state *state, struct task_struct *task)
{
	struct waker *waker = &state->waker;

	state->interrupted = !is_waker(task);
	if (state->interrupted) {
		*waker = (struct waker){};
		return;
	}
	waker->id = task->tgid == target_process ? namespace_id(task) : 0;
	waker->origin = waker->id ? task->start_boottime >> FRT_STARTED_SHIFT : task->tgid;
	__builtin_memcpy(waker->name, task->comm, sizeof(waker->name));
	if (task->pid == vm_thread)
		state->reason = reason_of_vm(state);
	else if (state->reason == FRT_WAIT_FUTEX && is_agent_at_work(waker))
		state->reason = FRT_WAIT_TRACER;
}

struct waker_place {
	__u64 off, at;	      /* when the wait began, and now */
	__u64 sp, pc, fp;     /* the waker's JavaFrameAnchor; sp 0: none is in use */
	__u64 stack_end;      /* of the waker */
	__u64 java_id;	      /* of the virtual thread that it carries; 0: none, or unknown */
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

/* A carrier works for the virtual thread that is mounted on it. `at`: address of the waker's slot. */
static __always_inline void waker_find_virtual(struct waker_place *place, __u64 at)
{
	const struct frt_slot *slot = (const struct frt_slot *)at;
	__u32 flags = 0;

	if (bpf_probe_read_user(&flags, sizeof(flags), &slot->flags) || !(flags & FRT_SLOT_CARRIER))
		return;
	if (bpf_probe_read_user(&place->java_id, sizeof(place->java_id), &slot->carrier.java_id))
		place->java_id = 0;
}

static __always_inline void waker_name(struct frt_waker *w, __u32 kind, const struct waker_place *place)
{
	w->kind = kind;
	w->thread = place->thread;
	w->off = place->off;
	w->at = place->at;
	w->kernel_frames = 0;
	w->low_size = w->high_size = w->reserved = 0;
	w->low = w->high = 0;
	w->java_id = place->java_id;
	w->anchor_sp = place->sp;
	w->anchor_pc = place->pc;
	w->anchor_fp = place->fp;
}

static __always_inline void waker_fill(struct frt_waker *w, struct task_struct *task, const struct waker_place *place)
{
	long size = bpf_get_task_stack(task, w->kernel, sizeof(w->kernel), 0);

	waker_name(w, FRT_WAKER, place);
	w->kernel_frames = size > 0 ? size / sizeof(w->kernel[0]) : 0;
	registers_take(&w->at_entry, entry_registers(task));
}

/* From the anchor up, or from the stack pointer: without an anchor, little native code lies below Java's frames. */
static __always_inline void waker_copy_known(struct frt_waker *w, __u8 *stack, __u64 stack_end)
{
	__u64 from = w->anchor_sp ? w->anchor_sp - 8 : w->at_entry.sp, size = stack_end - from;

	if (from >= stack_end)
		return;
	if (size > FRT_WAKER_KNOWN)
		size = FRT_WAKER_KNOWN;
	if (bpf_probe_read_user(stack, size, (void *)from))
		return;
	w->low = from;
	w->low_size = size;
}

/*
 * Copy page by page, because the end of the stack is unknown, and what lies beyond may not be readable. `most` must be a
 * constant. Returns the number of bytes.
 */
static __always_inline __u32 waker_copy_pages(__u8 *to, __u64 from, const __u32 most)
{
	__u64 at = 0, size = WAKER_PAGE - from % WAKER_PAGE;

	for (__u32 i = 0; i < most / WAKER_PAGE; i++) {
		if (at > most - WAKER_PAGE || size > WAKER_PAGE ||
		    bpf_probe_read_user(to + at, size, (void *)(from + at)))
			break;
		at += size;
		size = WAKER_PAGE;
	}
	return at;
}

struct waker_known_record {
	struct frt_waker waker;
	__u8 stack[FRT_WAKER_KNOWN];
};

struct waker_other_record {
	struct frt_waker waker;
	__u8 low[FRT_WAKER_LOW], high[FRT_WAKER_HIGH];
};
_Static_assert(sizeof(struct waker_other_record) + sizeof(struct frt_staged) <= FRT_STAGED_LARGE, "a large place");

static __always_inline void waker_emit_kernel(struct task_struct *task, const struct waker_place *place)
{
	struct frt_waker *r = queue_reserve(sizeof(*r));

	if (!r)
		return;
	waker_fill(r, task, place);
	queue_submit(r, WAKE_NEVER);
}

static __always_inline void waker_emit_known(struct task_struct *task, const struct waker_place *place)
{
	struct waker_known_record *r = queue_reserve(sizeof(*r));

	if (!r)
		return;
	waker_fill(&r->waker, task, place);
	waker_copy_known(&r->waker, r->stack, place->stack_end);
	queue_submit(r, WAKE_NEVER);
}

static __always_inline void waker_emit_other(struct task_struct *task, const struct waker_place *place)
{
	struct waker_other_record *r = queue_reserve(sizeof(*r));
	struct frt_waker *w = &r->waker;

	if (!r)
		return;
	waker_fill(w, task, place);
	w->low = w->at_entry.sp;
	w->low_size = waker_copy_pages(r->low, w->low, FRT_WAKER_LOW);
	w->high = w->at_entry.sp + FRT_WAKER_GAP;
	w->high_size = waker_copy_pages(r->high, w->high, FRT_WAKER_HIGH);
	queue_submit(r, WAKE_NEVER);
}

/*
 * What does not fit into the queue is left out: the wait then has a waker without stacks. But a virtual thread is known
 * only from here. A record has up to 25 KiB. So that many threads which wait for each other do not fill the queue, where
 * calls would be lost, stacks are taken only while it has room.
 */
static __always_inline void waker_emit(struct task_struct *task, const struct waker_place *place)
{
	bool has_room = queue_has_room();

	if (!has_room && !place->java_id)
		return;
	if (!has_room || !place->target || !wait_setup.known)
		waker_emit_kernel(task, place);
	else if (place->stack_end)
		waker_emit_known(task, place);
	else
		waker_emit_other(task, place);
}

#endif
