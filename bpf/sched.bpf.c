// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where the time of traced calls goes: when a target thread in a call left its CPU, why, who woke it, and when it
 * ran again.
 *
 * A thread reports its slot through frtrace:thread and gets its state then. The scheduler's tracepoints run with
 * locks held, so they allocate nothing and take no lock except the queue's. At each switch the slot shows whether
 * calls are open.
 *
 * Cost (Linux 6.18 on a VM, scripts/bench-switch), per context switch with its wake-up: 150 to 280 ns for other
 * processes, which is what the kernel takes to run two programs, even empty ones; 80 ns more for a thread of the
 * target; 280 ns more for one in a call. The alternative, PERF_COUNT_SW_CONTEXT_SWITCHES with a program for each
 * thread, costs other processes half as much but 1,100 ns for a thread of the target, and it reports only that a
 * thread leaves its CPU: neither the end of a wait nor the waker is visible.
 *
 * Every wake-up passes through sched_waking in the waker's context. A thread that is woken just before it leaves
 * its CPU is not observed there; it counts as woken when it left, by an unknown waker.
 */
#include "bpf/agent_site.bpf.h"
#include "bpf/caller.bpf.h"
#include "bpf/follow.bpf.h"
#include "bpf/held_waits.bpf.h"
#include "bpf/native_stack.bpf.h"
#include "bpf/resource.bpf.h"
#include "bpf/target.bpf.h"
#include "bpf/thread_usage.bpf.h"
#include "bpf/wait_emit.bpf.h"
#include "bpf/wait_reason.bpf.h"
#include "bpf/waker.bpf.h"

#include <bpf/bpf_tracing.h>

struct wait_map waits SEC(".maps");
struct wait_stack_map wait_stacks SEC(".maps");
struct native_stack_map natives SEC(".maps");

/* What virtual threads wait for, by the numbers of frtrace:poll. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct polled);
} polled SEC(".maps");

__noinline int site_thread(__u64 number, __u64 address)
{
	const struct frt_slot *slot = (const struct frt_slot *)address;
	struct task_struct *task = bpf_get_current_task_btf();
	struct wait_state *state;
	__u32 serial = 0;

	if (!is_target())
		return 0;
	bpf_probe_read_user(&serial, sizeof(serial), &slot->thread);
	state = bpf_task_storage_get(&waits, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	report_owner(task, namespace_id(task), number, serial, state ? 0 : FRT_OWNER_NO_WAITS);
	/* the same thread passes here again when another recording has joined */
	if (!state || (state->slot == (__u64)slot && state->thread == serial))
		return 0;
	if (wait_setup.hold) { /* waits of an earlier owner of its JNIEnv */
		held_release(&state->held, task);
		bpf_task_storage_get(&held_stacks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
		bpf_task_storage_get(&held_natives, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	}
	state->off = state->woken = state->sleeping = 0;
	state->unwoken = 0;
	state->mounted = state->number = 0;
	state->anchor = state->stack_end = 0;
	state->thread = serial;
	if (wait_setup.known) {
		bpf_probe_read_user(&state->anchor, sizeof(state->anchor), &slot->anchor);
		bpf_probe_read_user(&state->stack_end, sizeof(state->stack_end), &slot->stack_end);
		native_stack_follow();
	}
	state->slot = (__u64)slot;
	state->inside = address + FRT_INSIDES_AT - FRT_SLOTS_AT + number * sizeof(struct frt_inside) -
			number * sizeof(struct frt_slot);
	target_process = task->tgid;
	return 0;
}

/* One of the JDK's pollers has got a descriptor, perhaps by another thread than the one that waits for it. */
__noinline int site_poll(__u64 descriptor, __u64 number)
{
	struct polled found = {.descriptor = descriptor};
	__u32 key = number;

	if (is_target())
		find_polled(&found, now_ns());
	if (found.resource || found.epoll)
		bpf_map_update_elem(&polled, &key, &found, BPF_ANY);
	return 0;
}

/* What the thread that `task` carries has waited for, in the one wait that this call is for. */
static __always_inline __u64 take_polled(struct task_struct *task, __u32 number, __u64 now)
{
	struct polled *found = bpf_map_lookup_elem(&polled, &number);
	__u64 resource;

	if (!found)
		return 0;
	resource = found->epoll ? resource_of_selector(task, found, now) : found->resource;
	bpf_map_delete_elem(&polled, &number);
	return resource;
}

/*
 * A virtual thread in a traced call comes back to a carrier. From here on the carrier's waits are its own, although the
 * slot says so only a moment later.
 */
__noinline int site_mount(__u64 address)
{
	struct wait_state *state = state_of(bpf_get_current_task_btf());
	struct frt_mount at = {};
	struct frt_resumed *r = NULL;

	if (state && !bpf_probe_read_user(&at, sizeof(at), (const void *)address))
		r = reserve_record(sizeof(*r));
	else if (is_target())
		__sync_fetch_and_add(&waits_lost, 1);
	if (!r || !state)
		return 0;
	*r = (struct frt_resumed){.kind = FRT_RESUMED, .mount = at, .on = now_ns()};
	if (at.polled)
		r->resource = take_polled(bpf_get_current_task_btf(), at.polled, r->on);
	queue_submit(r, WAKE_BY_LEVEL);
	state->mounted = at.key;
	state->number = at.number;
	return 0;
}

/* hotspot:thread__sleep__begin and __end: for the kernel, Thread.sleep() is just another futex wait. */
__noinline int site_sleep(bool sleeping)
{
	struct wait_state *state = state_of(bpf_get_current_task_btf());

	if (state)
		state->sleeping = sleeping;
	return 0;
}

/* True if the running task has been interrupted in a hook, or waits there: its slot may be halfway to the next state. */
static __always_inline bool in_agent(const struct pt_regs___kernel *r)
{
	return regs_pc(r) - agent_code.begin < agent_code.end - agent_code.begin;
}

/*
 * Who waits, and is in a traced call: the thread, or the virtual thread that it carries. 0: nobody. An exiting thread
 * has no calls, whatever its slot says.
 */
static __always_inline __u32 caller_on(struct task_struct *task, const struct wait_state *state,
				       struct slot_calls *calls)
{
	if (task->flags & EXITING)
		return 0;
	if (!state->slot)
		return state->natives ? state->thread : 0;
	if (read_calls(task, state->slot, state->thread, calls)) {
		if (state->mounted) /* the wait may be that of a virtual thread */
			__sync_fetch_and_add(&waits_lost, 1);
		return state->thread; /* a wait outside of calls does no harm */
	}
	return caller_of(state, calls);
}

/* `calls` of another thread, or of none, are not known. */
static __always_inline void review_held(struct task_struct *task, struct wait_state *state,
					const struct slot_calls *calls)
{
	bool known = calls->thread == state->thread;

	held_review(&state->held, task, known ? calls : NULL);
	state->head = known ? calls->head : HELD_NO_HEAD;
	state->outermost = known && !in_agent(entry_registers(task)) ? calls->outermost : 0;
}

/*
 * A span that has been written since the last wait is of a call whose waits must not be overwritten. A thread that ends may not
 * be back.
 */
static __always_inline void review_flight(struct task_struct *task, struct wait_state *state,
					  const struct slot_calls *calls)
{
	bool ends = task->flags & EXITING;

	if (!ends && (calls->thread != state->thread || calls->head == state->head))
		return;
	if (!ends)
		state->head = calls->head;
	flight_release(&state->flight);
}

#define ANCHOR_WORDS (FRT_ANCHOR / 8)

/*
 * The length of a wait is unknown when it begins, so every wait takes a stack. That costs 500 ns, more than all
 * the rest. The rate is therefore limited to one stack per LOOK_EVERY ns, after a burst of LOOKS_FREE. Waits of
 * 200 us and more thus always get one. For paths, waits outside of calls learn by the same limit what they are for.
 */
#define LOOK_EVERY 200000
#define LOOKS_FREE 256

static __always_inline bool look_is_due(struct wait_state *state, __u64 now)
{
	if (state->looks_due > now)
		return false;
	if (now - state->looks_due > LOOKS_FREE * LOOK_EVERY)
		state->looks_due = now - LOOKS_FREE * LOOK_EVERY;
	state->looks_due += LOOK_EVERY;
	return true;
}

/*
 * Copy the stack now: it cannot be read when the thread is back on a CPU. The Java frames of a waiting thread
 * begin at its anchor. Pages that are not in memory are left out.
 */
static __always_inline void take_stack(struct task_struct *task, struct wait_state *state)
{
	__u64 anchor[ANCHOR_WORDS], from, size;
	struct wait_stack *copy;

	if (bpf_probe_read_user(anchor, sizeof(anchor), (void *)state->anchor))
		return;
	state->sp = anchor[wait_setup.anchor_sp / 8 % ANCHOR_WORDS];
	state->pc = anchor[wait_setup.anchor_pc / 8 % ANCHOR_WORDS];
	state->fp = anchor[wait_setup.anchor_fp / 8 % ANCHOR_WORDS];
	from = state->sp - 8;
	size = state->stack_end - from;
	if (!state->sp || from >= state->stack_end)
		return;
	if (size > sizeof(copy->bytes))
		size = sizeof(copy->bytes);
	copy = bpf_task_storage_get(&wait_stacks, task, NULL, 0);
	if (!copy || bpf_probe_read_user(copy->bytes, size, (void *)from))
		return;
	state->stack_size = size;
	native_take(task, state->sp);
}

/*
 * The wait has ended, and the thread has been on its CPU from `on` on. Only long waits are continued: those of a thread that
 * polls by short ones stay short.
 */
static __always_inline void end_wait(struct wait_state *state, __u64 on)
{
	bool unwoken = (!state->woken || state->interrupted) && state->reason == FRT_WAIT_FUTEX && is_long(state, on);

	if (state->blocked)
		state->unwoken = unwoken ? on : 0;
	else if (state->unwoken)
		state->unwoken += on - state->off;
	state->off = state->woken = 0;
}

/*
 * The thread leaves its CPU, but no switch to it was seen. That happens when it follows certain tasks (seen on
 * Linux 6.18 in a VM). The kernel's own account has the time of its arrival.
 *
 * Like switch_out(), it is global, so the verifier looks at it once, and not for each state in which its callers can be.
 * Inline, both took 120,000 instructions and most of the time that a recording needs to start.
 */
__noinline int emit_missed_wait(struct wait_state *state)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 now = now_ns(), on;

	if (!state)
		return 0;
	on = state->woken;
	if (bpf_core_field_exists(task->sched_info.last_arrival))
		on = now - (task->se.cfs_rq->rq->clock - task->sched_info.last_arrival);
	if (on < state->off || on > now)
		on = state->woken ?: state->off;
	put_wait(task, state, on);
	end_wait(state, on);
	return 0;
}

/*
 * Does this wait for a futex continue the last one (FRT_WAIT_AGAIN)? A thread that has been back in Java code since begins
 * with the shortest time limit.
 */
static __always_inline bool continues_wait(const struct wait_state *state, const struct pt_regs___kernel *r, __u64 now)
{
	return state->unwoken && now - state->unwoken <= FRT_AGAIN_NS && state->reason == FRT_WAIT_FUTEX &&
	       futex_time_left(r, now) > FRT_FIRST_PARK_NS;
}

/* Take the stack of a thread that is about to wait. Returns whether it has the same place as that of its last wait. */
static __always_inline bool take_place(struct task_struct *task, struct wait_state *state, bool due)
{
	__u64 sp = state->sp, pc = state->pc;

	state->sp = 0;
	if (due && state->stack_end)
		take_stack(task, state);
	return state->sp && state->sp == sp && state->pc == pc;
}

/*
 * Before JDK 24 a thread that wants a monitor parks with time limits, and who owns it need not wake it. JavaThread says
 * which monitor that is.
 */
static __always_inline void take_monitor_owner(struct wait_state *state)
{
	__u64 monitor = 0, owner = 0;

	state->owned = 0;
	if (!wait_setup.monitor || !state->anchor || state->reason != FRT_WAIT_FUTEX)
		return;
	if (bpf_probe_read_user(&monitor, sizeof(monitor), (void *)(state->anchor + wait_setup.monitor)) || !monitor ||
	    bpf_probe_read_user(&owner, sizeof(owner), (void *)(monitor + wait_setup.monitor_owner)) || !owner)
		return;
	state->resource = owner;
	state->owned = FRT_WAIT_OWNED;
}

/* A virtual thread that cannot leave its carrier waits there until its descriptor is ready. 0: it waits for none. */
static __always_inline __u32 pinned_poll(const struct wait_state *state)
{
	const struct frt_slot *slot = (const struct frt_slot *)state->slot;
	__u32 number = 0;

	if (state->owner & FRT_VIRTUAL_KEY && state->reason == FRT_WAIT_FUTEX)
		bpf_probe_read_user(&number, sizeof(number), &slot->carrier.polled);
	return number;
}

static __always_inline void take_resource(struct task_struct *task, struct wait_state *state,
					  const struct pt_regs___kernel *r, const struct file *file, __u64 now,
					  bool wanted)
{
	state->resource = state->epoll = state->polled = 0;
	take_monitor_owner(state);
	if (!wait_setup.resources || !wanted)
		return;
	if (!file)
		state->polled = state->owned ? 0 : pinned_poll(state);
	else if (is_epoll(r))
		state->epoll = epoll_of(task, file);
	else
		state->resource = resource_of(task, r, file, now);
}

/* The running thread leaves its CPU. Returns the time; 0: it was not needed. */
__noinline __u64 switch_out(struct wait_state *state, bool preempted)
{
	struct task_struct *prev = bpf_get_current_task_btf();
	const struct pt_regs___kernel *r;
	const struct file *file = NULL;
	struct slot_calls calls = {};
	__u32 caller;
	__u64 now;
	bool due;

	if (!state)
		return 0;
	if (state->off)
		emit_missed_wait(state);
	caller = caller_on(prev, state, &calls);
	state->owner = caller ?: wait_setup.path ? state->thread : 0;
	state->inside_call = !!caller;
	if (wait_setup.hold)
		review_held(prev, state, &calls);
	else if (wait_setup.path)
		review_flight(prev, state, &calls);
	if (!state->owner)
		return 0;
	r = entry_registers(prev);
	state->syscall = regs_call(r) < 0 ? FRT_NO_SYSCALL : regs_call(r);
	state->blocked = !preempted;
	if (preempted)
		state->reason = FRT_WAIT_PREEMPTED;
	else if (in_agent(r))
		state->reason = FRT_WAIT_TRACER;
	else if (state->syscall == FRT_NO_SYSCALL)
		state->reason = FRT_WAIT_PAGE_FAULT;
	else
		state->reason = reason_of_call(prev, r, state->sleeping, &file);
	now = now_ns();
	due = !preempted && look_is_due(state, now);
	take_resource(prev, state, r, file, now, caller || due);
	state->stack_size = 0;
	if (!preempted && (!take_place(prev, state, due) || !continues_wait(state, r, now)))
		state->since = now;
	if (bpf_core_field_exists(prev->sched_info.run_delay))
		state->delay = run_delay(prev, false);
	state->off = now;
	return now;
}

/* Not inline: its frame would be below those of switch_out(), and kernels before 6.13 add them up to 512 bytes. */
static __noinline int switch_in(struct task_struct *task, struct wait_state *state, __u64 now)
{
	if (!state->off)
		return 0;
	now = now ?: now_ns();
	if (state->epoll)
		state->resource = resource_of_ready(resource_scratch(), task, (const void *)state->epoll, now);
	if (state->polled)
		state->resource = take_polled(task, state->polled, now);
	put_wait(task, state, now);
	end_wait(state, now);
	return 0;
}

/* A task in a sleeping state is preempted nonetheless if it did not give up its CPU itself. */
SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct wait_state *state = state_of(prev);
	__u64 now = 0;

	if (state) {
		resource_stack(ctx);
		now = switch_out(state, preempt || !prev->__state);
	}
	if (usage_wanted)
		thread_usage_leave(prev);
	state = state_of(next);
	if (state)
		switch_in(next, state, now);
	queue_flush(ctx);
	return 0;
}

/* Take the stacks of the running thread, which ends a long wait. Not inline: it is rare, and long. */
static __noinline void take_waker(struct wait_state *state, struct task_struct *task)
{
	struct waker_place place = {
		.thread = state->owner, .off = state->off, .at = state->woken, .target = task->tgid == target_process};
	struct wait_state *own = place.target ? bpf_task_storage_get(&waits, task, NULL, 0) : NULL;

	if (own) {
		place.stack_end = own->stack_end;
		waker_find_anchor(&place, own->anchor);
		waker_find_virtual(&place, own->slot);
	}
	waker_emit(task, &place);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *task)
{
	struct wait_state *state = state_of(task);
	struct task_struct *waker;

	if (!state || !state->off)
		return 0;
	waker = bpf_get_current_task_btf();
	state->woken = now_ns();
	note_waker(state, waker);
	if (is_long(state, state->woken) && !state->interrupted) {
		take_waker(state, waker);
		queue_flush(ctx);
	}
	return 0;
}

/* Move the held waits of the running thread into the queue. */
__noinline int release_waits(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wait_state *state = bpf_task_storage_get(&waits, task, NULL, 0);

	if (state && wait_setup.path)
		flight_release(&state->flight);
	else if (state)
		held_release(&state->held, task);
	return 0;
}

/*
 * Waits are held for about this long, although it is not certain that their call is recorded: code on their stacks may
 * be replaced by other code, and somebody may follow the recording of a call that does not end.
 */
#define HELD_AGE 1000000000

/*
 * Iterator over all tasks: release the held waits of spans that have been written, and old ones; with paths, all: it
 * is not known whose path needs them.
 */
SEC("iter/task")
int waits_held(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct wait_state *state = task ? state_of(task) : NULL;
	const whole_slot *slot;

	if (!state)
		return 0;
	if (wait_setup.path) {
		flight_release(&state->flight);
		queue_flush(context);
		return 0;
	}
	if (!held_count(held_word(&state->held)))
		return 0;
	slot = mapped_slot_of(task, state->thread);
	if (!slot || slot->head != state->held.head || now_ns() - state->held.wait[0].on > HELD_AGE)
		held_release(&state->held, task);
	queue_flush(context);
	return 0;
}

/* Iterator over all tasks, for paths: the threads that are there when the recording begins. */
SEC("iter/task")
int waits_follow(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct wait_state *state;

	if (!task)
		return 0;
	if (target_process == NO_PROCESS &&
	    is_target_leader(task->group_leader)) /* some numbers are below the leader's */
		target_process = task->tgid;
	if (task->tgid != target_process || task->flags & EXITING || state_of(task))
		return 0;
	state = follow_task(task, false);
	if (state && is_off_cpu(task))
		begin_unseen_wait(task, state);
	queue_flush(context);
	return 0;
}

/* The same for new ones. They wait for a CPU at first. */
SEC("tp_btf/task_newtask")
int BPF_PROG(task_newtask, struct task_struct *task)
{
	struct wait_state *state;

	if (task->tgid != target_process)
		return 0;
	state = follow_task(task, true);
	if (state) {
		state->owner = state->thread;
		state->syscall = FRT_NO_SYSCALL;
		state->reason = FRT_WAIT_PREEMPTED;
		state->off = state->since = now_ns();
	}
	queue_flush(ctx);
	return 0;
}

/* Iterator over all tasks: emit the held waits, and those in progress, up to now. */
SEC("iter/task")
int waits_now(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct wait_state *state = task ? state_of(task) : NULL;

	if (!state)
		return 0;
	if (wait_setup.path)
		flight_release(&state->flight);
	else
		held_release(&state->held, task);
	if (state->off && !(bpf_core_field_exists(task->on_cpu) && BPF_CORE_READ_BITFIELD(task, on_cpu)))
		emit_wait(task, state, now_ns(), true);
	queue_flush(context);
	return 0;
}
