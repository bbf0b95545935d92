// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program at the USDT sites hotspot:method__entry and method__return, for JVMs that take no agent. A JVM that runs
 * with -XX:+DTraceMethodProbes passes them for every call of every method. So the first thing is one look-up, by the
 * class, that ends nearly all of them.
 *
 * The open calls of a thread are in its task storage; see open_calls.bpf.h.
 */
#include "bpf/call_stack.bpf.h"
#include "bpf/emit.bpf.h"
#include "bpf/native_stack.bpf.h"
#include "bpf/probes.h"
#include "bpf/open_calls.bpf.h"
#include "bpf/site.bpf.h"
#include "bpf/target.bpf.h"
#include "bpf/wait_state.bpf.h"

#include <bpf/bpf_tracing.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FRT_CHOSEN_CLASSES);
	__type(key, __u64);
	__type(value, struct frt_class_choice);
} hotspot_classes SEC(".maps");

/* Calls of each class while it was not decided. They are not in its choice, which the collector replaces. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64);
	__type(value, __u64);
} hotspot_missed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FRT_MAX_METHODS);
	__type(key, struct frt_method_name);
	__type(value, struct frt_method_choice);
} hotspot_methods SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct frt_probe_counts);
} hotspot_counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct probed_thread);
} hotspot_threads SEC(".maps");

/* A thread's stack is walked here: a program at a uprobe may interrupt another one on the same CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call_stack);
} hotspot_stacks SEC(".maps");

/* Serial of a thread to the address of its JavaThread. The collector fills it in for each new thread. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FRT_MAX_THREADS);
	__type(key, __u32);
	__type(value, __u64);
} hotspot_java_threads SEC(".maps");

/* For the stacks of calls; jdk_version 0: none are taken. */
struct frt_layout hotspot_layout = {};

struct frt_probe_exceptions hotspot_exceptions = {};

/* How waits are followed; all 0: they are not. */
struct frt_probe_waits hotspot_waits = {};

/*
 * Classes that are FRT_CHOICE_OTHER, each at its place: most calls end here, without a helper. The collector clears it when
 * a class is no longer one of them.
 */
volatile __u64 hotspot_others[FRT_OTHER_CLASSES] = {};

/* The last serial that was given to a thread. */
volatile __u32 hotspot_serial = 0;

static __always_inline struct frt_probe_counts *own_counts(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&hotspot_counts, &key);
}

static __noinline void count_missed(__u64 class_name)
{
	struct frt_probe_counts *counts = own_counts();
	__u64 *missed = bpf_map_lookup_elem(&hotspot_missed, &class_name), one = 1;

	if (missed)
		__sync_fetch_and_add(missed, 1);
	else if (bpf_map_update_elem(&hotspot_missed, &class_name, &one, BPF_NOEXIST) && counts)
		counts->unasked++;
}

/* The collector decides; until it has, calls of the class are missed, and counted. */
static __noinline void ask_about_class(__u64 name)
{
	struct frt_class_choice asked = {.state = FRT_CHOICE_ASKED};
	struct frt_probe_class *r = queue_reserve(sizeof(*r));

	if (!r)
		return;
	if (bpf_map_update_elem(&hotspot_classes, &name, &asked, BPF_NOEXIST)) {
		queue_discard(r);
		return;
	}
	*r = (struct frt_probe_class){.kind = FRT_PROBE_CLASS, .name = name};
	queue_submit(r, WAKE_NOW);
}

/* Tell the collector of a new thread. Without room in the queue the next call tries again. */
static __noinline void report_thread(struct probed_thread *t, __u64 java_id)
{
	struct frt_probe_thread *r = queue_reserve(sizeof(*r));
	struct bpf_pidns_info id = {};

	if (!r)
		return;
	bpf_get_ns_current_pid_tgid(target.pid_ns_dev, target.pid_ns_ino, &id, sizeof(id));
	__builtin_memset(r, 0, sizeof(*r));
	r->kind = FRT_PROBE_THREAD;
	r->thread = t->thread;
	r->tid = id.pid;
	r->java_id = java_id;
	bpf_get_current_comm(r->name, sizeof(r->name));
	queue_submit(r, WAKE_BY_LEVEL);
	t->known = 1;
}

static __always_inline struct probed_thread *probed_thread(void *context, struct frt_probe_counts *counts,
							   __u64 java_id)
{
	struct probed_thread *t =
		bpf_task_storage_get(&hotspot_threads, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t) {
		count_drop(FRT_DROP_STORAGE);
		return NULL;
	}
	meet_thread(context, t, counts, java_id);
	if (!t->thread)
		t->thread = __sync_fetch_and_add(&hotspot_serial, 1) + 1;
	if (!t->known)
		report_thread(t, java_id);
	return t;
}

/*
 * The collector finds the JavaThread of each new thread. Until it has, a register may be it: in Java code it is, but libjvm may have
 * stored something else there. 0: unknown.
 */
static __always_inline __u64 running_java_thread(__u32 serial, __u64 register_thread)
{
	const struct frt_probe_exceptions *e = &hotspot_exceptions;
	const __u64 *known = bpf_map_lookup_elem(&hotspot_java_threads, &serial);
	struct bpf_pidns_info id = {};
	__u64 osthread = 0;
	__u32 number = 0;

	if (known)
		return *known;
	if (e->thread_osthread == FRT_NO_OFFSET || e->osthread_id == FRT_NO_OFFSET)
		return 0;
	bpf_get_ns_current_pid_tgid(target.pid_ns_dev, target.pid_ns_ino, &id, sizeof(id));
	bpf_probe_read_user(&osthread, sizeof(osthread), (const void *)(register_thread + e->thread_osthread));
	bpf_probe_read_user(&number, sizeof(number), (const void *)(osthread + e->osthread_id));
	return number && number == id.pid ? register_thread : 0;
}

/* For the scheduler's programs the open calls are like those of native methods: of a thread without a slot. */
static __noinline void follow_waits(const struct probed_thread *t, __u64 register_thread)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wait_state *state = bpf_task_storage_get(&waits, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	__u64 java_thread;

	if (!state || !t) {
		__sync_fetch_and_add(&waits_lost, 1);
		return;
	}
	if (state->thread != t->thread)
		state->anchor = 0;
	state->thread = t->thread;
	state->natives = t->depth + t->deep;
	target_process = task->tgid;
	if (state->anchor || !hotspot_waits.stacks)
		return;
	java_thread = running_java_thread(t->thread, register_thread);
	if (!java_thread)
		return;
	state->anchor = java_thread + hotspot_waits.thread_anchor;
	bpf_probe_read_user(&state->stack_end, sizeof(state->stack_end),
			    (void *)(java_thread + hotspot_waits.thread_stack_base));
	native_stack_follow();
}

/*
 * The code that has called the probe's function, whose frame has a frame pointer, as all of libjvm has. Activations that
 * are inlined into one frame have the same stack pointer.
 */
static __always_inline struct call_place caller_place(struct pt_regs *context)
{
	__u64 frame = PT_REGS_FP(context), saved[2] = {};

	bpf_probe_read_user(saved, sizeof(saved), (const void *)frame);
	return (struct call_place){.sp = frame + 16, .fp = saved[0], .pc = saved[1]};
}

/* Walk the stack of the running thread from there on. It is global, so the verifier looks at it once. */
int probe_walk(struct call_stack *s, const struct call_place *at);

__noinline int probe_walk(struct call_stack *s, const struct call_place *at)
{
	if (!s || !at)
		return FRT_WALK_UNREADABLE;
	return stack_walk_from(&hotspot_layout, at->pc, at->sp, at->fp, s->frame, &s->frames);
}

static __always_inline void probe_take_stack(struct call_stack *s, const struct call_place *at,
					     struct frt_probe_call *call)
{
	__u32 end;

	if (!hotspot_layout.jdk_version || !at->pc || !s)
		return;
	end = (__u32)probe_walk(s, at) % FRT_WALK_ENDS;
	if (!s->frames)
		return;
	call->flags |= FRT_NATIVE_CUT(end);
	call->stack = call_stack_identity(s, end);
}

static __noinline void emit_ended(struct frt_probe_counts *counts, struct frt_probe_call *call,
				  const struct call_place *at, __u64 now)
{
	struct call_stack *s =
		bpf_task_storage_get(&hotspot_stacks, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct frt_probe_stack *with_stack;
	struct frt_probe_call *alone;

	if (!counts || !call || !at)
		return;
	probe_take_stack(s, at, call);
	if (s && call->stack && call_stack_is_news(call->stack, now)) {
		with_stack = queue_reserve(sizeof(*with_stack));
		if (!with_stack) {
			counts->unrecorded++;
			return;
		}
		with_stack->call = *call;
		with_stack->call.frames = s->frames;
		bpf_probe_read_kernel(with_stack->frame, sizeof(with_stack->frame), s->frame);
		queue_submit(with_stack, WAKE_BY_LEVEL);
		call_stack_sent(call->stack, now);
		return;
	}
	alone = queue_reserve(sizeof(*alone));
	if (!alone) {
		counts->unrecorded++;
		return;
	}
	*alone = *call;
	queue_submit(alone, WAKE_BY_LEVEL);
}

/*
 * Does an exception end the call that exits here? The interpreter calls the probe from other code then, and a compiled native
 * method has left the exception in its thread. Other compiled code has it in a register, and shows nothing.
 */
static __noinline bool is_thrown(const struct probed_thread *t, const struct call_place *at, __u64 register_thread)
{
	const struct frt_probe_exceptions *e = &hotspot_exceptions;
	__u64 pending = 0, java_thread;

	if (!t || !at)
		return false;
	if (at->pc - e->begin < e->end - e->begin)
		return true;
	java_thread = running_java_thread(t->thread, register_thread);
	if (!java_thread || e->thread_pending == FRT_NO_OFFSET)
		return false;
	bpf_probe_read_user(&pending, sizeof(pending), (const void *)(java_thread + e->thread_pending));
	return pending;
}

static __noinline int probe_chosen(struct pt_regs *context, struct frt_method_name *name, __u64 java_id,
				   const struct call_place *at, bool entry)
{
	const struct frt_method_choice *m = bpf_map_lookup_elem(&hotspot_methods, name);
	struct frt_probe_counts *counts = own_counts();
	struct frt_probe_call ended = {};
	__u64 now = entry ? 0 : now_ns();
	struct probed_thread *t;

	if (!m || !counts || !at || !is_target())
		return 0;
	t = probed_thread(context, counts, java_id);
	if (!t)
		return 0;
	if (entry)
		enter_method(context, t, counts, m->method, at);
	else
		exit_method(context, t, counts, m, at->sp, is_thrown(t, at, CONTEXT_THREAD(context)), now, &ended);
	if (ended.kind)
		emit_ended(counts, &ended, at, now);
	if (hotspot_waits.wanted)
		follow_waits(t, CONTEXT_THREAD(context));
	return 0;
}

static __noinline int probe_unknown(const struct frt_class_choice *c, __u64 class_name, bool entry)
{
	if (!is_target())
		return 0;
	if (entry)
		count_missed(class_name);
	if (!c)
		ask_about_class(class_name);
	return 0;
}

SEC("uprobe")
int hotspot_site(struct pt_regs *context)
{
	__u64 cookie = bpf_get_attach_cookie(context);
	bool entry = site_of(cookie) == FRT_SITE_METHOD_ENTRY;
	struct frt_method_name name = {.class_name = site_register(context, cookie, 0)};
	volatile __u64 *other = &hotspot_others[name.class_name / 8 % FRT_OTHER_CLASSES];
	struct frt_class_choice *c;
	struct call_place at;

	if (*other == name.class_name)
		return 0;
	c = bpf_map_lookup_elem(&hotspot_classes, &name.class_name);
	if (c && c->state == FRT_CHOICE_OTHER) {
		*other = name.class_name;
		return 0;
	}
	if (!c || c->state != FRT_CHOICE_SOME) {
		probe_unknown(c, name.class_name, entry);
		queue_flush(context);
		return 0;
	}
	name.name = site_register(context, cookie, 1);
	name.descriptor = site_register(context, cookie, 2);
	at = caller_place(context);
	probe_chosen(context, &name, site_register(context, cookie, 3), &at, entry);
	queue_flush(context);
	return 0;
}

static long report_open_calls(__u32 part, struct probed_thread **of)
{
	struct probed_thread *t = *of;
	__u32 first = part * FRT_OPEN_CALLS;
	struct frt_probe_counts *counts = own_counts();
	struct frt_probe_open *r;

	if (first >= t->depth)
		return 1;
	r = queue_reserve(sizeof(*r));
	if (!r) {
		if (counts)
			counts->unrecorded += t->depth - first;
		return 1;
	}
	r->kind = FRT_PROBE_OPEN;
	r->thread = t->thread;
	r->count = t->depth - first < FRT_OPEN_CALLS ? t->depth - first : FRT_OPEN_CALLS;
	r->reserved = 0;
	for (__u32 i = 0; i < FRT_OPEN_CALLS; i++) {
		r->start[i] = call_at(t, first + i)->start;
		r->method[i] = call_at(t, first + i)->method;
	}
	queue_submit(r, WAKE_BY_LEVEL);
	return 0;
}

/* Iterator over all tasks: emit the open calls of those that are in chosen methods. */
SEC("iter/task")
int hotspot_open(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct probed_thread *t = task ? bpf_task_storage_get(&hotspot_threads, task, 0, 0) : NULL;

	if (t)
		bpf_loop((FRT_PROBE_DEPTH + FRT_OPEN_CALLS - 1) / FRT_OPEN_CALLS, report_open_calls, &t, 0);
	queue_flush(context);
	return 0;
}
