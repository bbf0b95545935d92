// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls of native methods: at the entry and the return of the C functions that they are bound to. This is an object of
 * its own, which is loaded with the first function; it shares the queue and the threads' states with the others.
 *
 * A JNI function has the thread's JNIEnv as its first argument, and the anchor of that thread has the stack pointer at
 * which Java called. So a call by other C code is told from one by Java, and the return by the stack pointer, too: a
 * function that is left by longjmp() never returns.
 *
 * Where the kernel has sessions (Linux 6.13), one program sees both ends, and no return address is replaced for calls
 * that do not count. Else there are two.
 */
#include "bpf/queue.h"
#include "bpf/call_stack.bpf.h"
#include "bpf/emit.bpf.h"
#include "bpf/native_thread.bpf.h"
#include "bpf/target.bpf.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

volatile struct frt_target target = {};
const volatile __s64 clock_offset = 0;
const volatile bool perf_buffers = false;
volatile __u64 wake_level = 0;
struct frt_native_setup native_setup = {};

volatile __u32 native_keys = 0;
volatile __u64 natives_lost = 0;   /* calls, also open ones, whose record did not fit into the queue */
volatile __u64 natives_missed = 0; /* calls whose end was not seen, or that were too deep */

struct queue_map queue SEC(".maps");
struct perf_queue_map perf_queue SEC(".maps");
struct staging_map staging SEC(".maps");
struct drop_map drops SEC(".maps");
struct wait_map waits SEC(".maps");
struct wait_stack_map wait_stacks SEC(".maps");
struct native_stack_map natives SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, FRT_NATIVE_FUNCTIONS);
	__type(key, __u32);
	__type(value, struct frt_native_function);
} native_functions SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, FRT_NATIVE_FUNCTIONS);
	__type(key, __u32);
	__type(value, struct frt_native_sum);
} native_sums SEC(".maps");

struct open_native {
	__u64 start;
	__u64 sp;     /* at entry */
	__u64 thread; /* JavaThread */
	__u64 root;   /* with --inside: that it is in; 0: in none */
	__u32 function, reserved;
};

/* Of a thread. Its stack is walked here, because a program on an uprobe may interrupt another one on the same CPU. */
struct native_calls {
	__u32 depth;
	__u32 known; /* the collector has been told of the thread */
	struct open_native open[FRT_OPEN_NATIVES];
	struct call_stack stack;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct native_calls);
} native_calls SEC(".maps");

static __always_inline struct task_struct *task_now(void)
{
	return bpf_get_current_task_btf();
}

/* Was the function called from Java? `sp` is the stack pointer at its entry. */
static __always_inline bool from_java(__u64 thread, __u64 sp)
{
	const struct frt_layout *l = &native_setup.layout;
	__u64 java_sp = 0;

	if (!l->jdk_version)
		return true;
	bpf_probe_read_user(&java_sp, sizeof(java_sp), (void *)(thread + l->thread_anchor + l->anchor_sp));
	return java_sp - (sp + CALL_PUSHES) < 16;
}

/* The root that the thread is in, with --inside; 0: none. A thread without a slot is in none. */
static __always_inline __u64 open_root(const struct wait_state *state)
{
	__u64 root = 0;

	if (native_setup.inside && state->slot)
		bpf_probe_read_user(&root, sizeof(root), (void *)(state->inside + offsetof(struct frt_inside, root)));
	return root;
}

/* Is a call of this function, which begins now, of any interest? */
static __always_inline bool counts_now(__u32 function, __u64 root)
{
	const struct frt_native_function *f;

	if (root || !native_setup.inside)
		return true;
	f = bpf_map_lookup_elem(&native_functions, &function);
	return f && f->timed;
}

#define DEAD_AT_ONCE 4 /* the others go at the next calls */

/* Forget calls that have ended unseen: the stack is above them. */
static __always_inline void drop_dead(struct native_calls *n, struct wait_state *state, __u64 sp)
{
	for (__u32 i = 0; i < DEAD_AT_ONCE && n->depth; i++) {
		if (n->open[(n->depth - 1) % FRT_OPEN_NATIVES].sp >= sp)
			break;
		n->depth--;
		state->natives = n->depth;
		__sync_fetch_and_add(&natives_missed, 1);
	}
}

/* Returns 0: the call counts. */
static __always_inline int native_begin(struct pt_regs *context, __u32 function)
{
	__u64 sp = PT_REGS_SP(context), thread = PT_REGS_PARM1(context) - native_setup.layout.thread_env;
	struct native_calls *n;
	struct wait_state *state;
	struct open_native *open;
	__u64 root;

	if (!is_target() || !from_java(thread, sp))
		return 1;
	n = bpf_task_storage_get(&native_calls, task_now(), NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	state = bpf_task_storage_get(&waits, task_now(), NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!n || !state) {
		count_drop(FRT_DROP_STORAGE);
		__sync_fetch_and_add(&natives_missed, 1);
		return 1;
	}
	root = open_root(state);
	if (!counts_now(function, root))
		return 1;
	native_meet_thread(&native_setup, state, &n->known, thread);
	drop_dead(n, state, sp + 1);
	if (n->depth >= FRT_OPEN_NATIVES) {
		__sync_fetch_and_add(&natives_missed, 1);
		return 1;
	}
	open = &n->open[n->depth % FRT_OPEN_NATIVES];
	n->depth++;
	open->sp = sp;
	open->thread = thread;
	open->root = root;
	open->function = function;
	state->natives = n->depth;
	open->start = now_ns();
	return 0;
}

static __always_inline bool has_exception(__u64 thread)
{
	__u64 pending = 0;

	if (native_setup.thread_pending == FRT_NO_OFFSET)
		return false;
	bpf_probe_read_user(&pending, sizeof(pending), (void *)(thread + native_setup.thread_pending));
	return pending;
}

static __always_inline void add_sum(__u32 function, __u64 ns, bool thrown)
{
	struct frt_native_sum *sum = bpf_map_lookup_elem(&native_sums, &function);

	if (!sum)
		return;
	if (!sum->count || ns < sum->minimum)
		sum->minimum = ns;
	if (ns > sum->maximum)
		sum->maximum = ns;
	sum->total += ns;
	sum->thrown += thrown;
	sum->count++;
}

static __always_inline void fill_call(struct frt_native_call *to, const struct frt_native_call *from)
{
	*to = *from;
}

static __noinline void native_emit_call(struct native_calls *n, struct frt_native_call *call)
{
	struct frt_native_stack *with_stack;
	struct frt_native_call *alone;

	if (call->stack && call_stack_is_news(call->stack, call->end)) {
		with_stack = queue_reserve(sizeof(*with_stack));
		if (!with_stack) {
			__sync_fetch_and_add(&natives_lost, 1);
			return;
		}
		fill_call(&with_stack->call, call);
		with_stack->call.frames = n->stack.frames;
		bpf_probe_read_kernel(with_stack->frame, sizeof(with_stack->frame), n->stack.frame);
		queue_submit(with_stack, WAKE_BY_LEVEL);
		call_stack_sent(call->stack, call->end);
		return;
	}
	alone = queue_reserve(sizeof(*alone));
	if (!alone) {
		__sync_fetch_and_add(&natives_lost, 1);
		return;
	}
	fill_call(alone, call);
	queue_submit(alone, WAKE_BY_LEVEL);
}

/*
 * Walk the running thread's stack into n->stack. Returns why the walk ended. It is global, so the verifier looks at it
 * once: inline, it takes a second. It does so even if nothing calls it, so what old kernels do not have is asked here.
 */
int native_walk(struct native_calls *n, __u64 thread);

__noinline int native_walk(struct native_calls *n, __u64 thread)
{
	const struct frt_layout *l = &native_setup.layout;

	if (!n || !bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_loop))
		return FRT_WALK_UNREADABLE;
	return stack_walk_own(l, thread + l->thread_anchor, n->stack.frame, &n->stack.frames);
}

static __always_inline void native_take_stack(struct native_calls *n, struct frt_native_call *call, __u64 thread)
{
	__u32 end;

	if (!native_setup.stacks || !bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_loop))
		return;
	end = (__u32)native_walk(n, thread) % FRT_WALK_ENDS;
	if (!n->stack.frames)
		return;
	call->flags |= FRT_NATIVE_CUT(end);
	call->stack = call_stack_identity(&n->stack, end);
}

static __always_inline void read_java_id(struct frt_native_call *call, __u64 thread)
{
	if (native_setup.layout.jdk_version && native_setup.layout.thread_owner_id != FRT_NO_OFFSET)
		bpf_probe_read_user(&call->java_id, sizeof(call->java_id),
				    (void *)(thread + native_setup.layout.thread_owner_id));
}

static __always_inline void read_root(struct frt_native_call *call, const struct wait_state *state)
{
	struct frt_inside in = {};

	if (!call->root)
		return;
	bpf_probe_read_user(&in, offsetof(struct frt_inside, mark), (void *)state->inside);
	if (in.root == call->root && in.needed != FRT_ROOT_NEVER)
		call->root_due = in.start + in.needed;
}

/* The function has returned: what the call has pushed is off the stack. */
static __always_inline int native_end(struct pt_regs *context)
{
	struct frt_native_call call = {.kind = FRT_NATIVE_CALL, .end = now_ns()};
	struct native_calls *n = bpf_task_storage_get(&native_calls, task_now(), NULL, 0);
	struct wait_state *state = bpf_task_storage_get(&waits, task_now(), NULL, 0);
	__u64 sp = PT_REGS_SP(context) - CALL_PUSHES, thread;
	const struct frt_native_function *f;
	const struct open_native *open;

	if (!n || !state)
		return 0;
	drop_dead(n, state, sp);
	if (!n->depth)
		return 0;
	open = &n->open[(n->depth - 1) % FRT_OPEN_NATIVES];
	if (open->sp != sp)
		return 0;
	call.thread = state->thread;
	call.function = open->function;
	call.start = open->start;
	call.root = open->root;
	thread = open->thread;
	n->depth--;
	state->natives = n->depth;
	call.flags = has_exception(thread) ? FRT_NATIVE_THROWN : 0;
	add_sum(call.function, call.end - call.start, call.flags);
	f = bpf_map_lookup_elem(&native_functions, &call.function);
	if (!f || call.end - call.start < f->threshold || (f->thrown && !call.flags) ||
	    (native_setup.inside && !call.root))
		return 0;
	read_root(&call, state);
	read_java_id(&call, thread);
	native_take_stack(n, &call, thread);
	native_emit_call(n, &call);
	return 0;
}

/*
 * Both ends. A function that returns goes on at another address than its own. bpf_session_is_return() says the same, but
 * has another type in Linux 7.2, and libbpf takes one type only.
 */
SEC("uprobe")
int native_session(struct pt_regs *context)
{
	bool returns = PT_REGS_IP(context) != bpf_get_func_ip(context);
	int result = returns ? native_end(context) : native_begin(context, bpf_get_attach_cookie(context));

	queue_flush(context);
	return result;
}

SEC("uprobe")
int native_entry(struct pt_regs *context)
{
	native_begin(context, bpf_get_attach_cookie(context));
	queue_flush(context);
	return 0;
}

SEC("uprobe")
int native_return(struct pt_regs *context)
{
	native_end(context);
	queue_flush(context);
	return 0;
}

/* With --inside those in roots. */
static __always_inline void count_lost_open(const struct native_calls *n)
{
	for (__u32 i = 0; i < FRT_OPEN_NATIVES; i++)
		if (i < n->depth && (!native_setup.inside || n->open[i].root))
			__sync_fetch_and_add(&natives_lost, 1);
}

/* Iterator over all tasks: emit the open calls of those that are in native methods. */
SEC("iter/task")
int native_open(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct native_calls *n = task ? bpf_task_storage_get(&native_calls, task, NULL, 0) : NULL;
	struct wait_state *state = task ? bpf_task_storage_get(&waits, task, NULL, 0) : NULL;
	struct frt_native_open *r;

	if (!n || !state || !n->depth)
		return 0;
	r = queue_reserve(sizeof(*r));
	if (!r) {
		count_lost_open(n);
		return 0;
	}
	r->kind = FRT_NATIVE_OPEN;
	r->thread = state->thread;
	r->java_thread = n->open[0].thread;
	r->count = n->depth < FRT_OPEN_NATIVES ? n->depth : FRT_OPEN_NATIVES;
	r->reserved = 0;
	for (__u32 i = 0; i < FRT_OPEN_NATIVES; i++) {
		r->start[i] = native_setup.inside && !n->open[i].root ? 0 : n->open[i].start;
		r->function[i] = n->open[i].function;
	}
	queue_submit(r, WAKE_BY_LEVEL);
	queue_flush(context);
	return 0;
}
