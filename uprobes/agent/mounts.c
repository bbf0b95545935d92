// SPDX-License-Identifier: BSD-2-Clause
/*
 * The table has sets of one cache line of ids, and each id may lie in two of them, so that a mount of a thread in no
 * call reads two lines. If both are full, the thread is forgotten, and the calls that it is in are not followed.
 */
#include "uprobes/agent/mounts.h"
#include "bpf/queue.h"
#include "uprobes/agent/allocated.h"
#include "uprobes/agent/inside.h"
#include "uprobes/agent/recordings.h"
#include "uprobes/agent/ring.h"
#include "uprobes/agent/slot.h"
#include "uprobes/agent/stack.h"
#include "uprobes/agent/trace_context.h"
#include "uprobes/agent/virtual_calls.h"
#include "uprobes/elf/usdt.h"

#define SETS_LOG2 12
#define SET	  8u
#define ROWS	  (SET << SETS_LOG2)
#define BUSY	  UINT64_MAX

USDT_SEMAPHORE(mount);
USDT_SEMAPHORE(poll);

/* A virtual thread in a traced call, or in a root, that is on no carrier. */
struct parked {
	uint64_t since, off, ready; /* TSC */
	uint64_t allocated;	    /* its own count */
	uint32_t depth, stack, reason, waker, polled;
	struct inside_root root;
};

static uint64_t ids[ROWS] __attribute__((aligned(64))); /* 0: free */
static struct parked rows[ROWS];
static bool used; /* by this recording */

void mounts_begin(void)
{
	if (used)
		memset(ids, 0, sizeof(ids));
	used = false;
}

static uint32_t mounts_place_of(uint64_t id)
{
	return (id * FRT_CELL_HASH >> (64 - SETS_LOG2)) * SET;
}

static int64_t mounts_find(uint64_t id)
{
	uint32_t place = mounts_place_of(id);

	for (uint32_t i = 0; i < 2 * SET && load_relaxed(&used); i++)
		if (load_acquire(&ids[(place + i) % ROWS]) == id)
			return (place + i) % ROWS;
	return -1;
}

/* False: both sets are full. */
static bool mounts_put(uint64_t id, const struct parked *p)
{
	uint32_t place = mounts_place_of(id);

	store_relaxed(&used, true);
	for (uint32_t i = 0; i < 2 * SET; i++) {
		uint32_t at = (place + i) % ROWS;
		uint64_t vacant = 0;

		if (load_relaxed(&ids[at]) ||
		    !__atomic_compare_exchange_n(&ids[at], &vacant, BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		rows[at] = *p;
		store_release(&ids[at], id);
		return true;
	}
	return false;
}

static __attribute__((noinline, aligned(32))) void mount_site(const struct frt_mount *m)
{
	CALL_SITE_1("mount", m);
}

static __attribute__((noinline, aligned(32))) void poll_site(uint64_t descriptor, uint64_t number)
{
	CALL_SITE_2("poll", descriptor, number);
}

/* The thread was in calls when it left its last carrier. */
static void mounts_resume_calls(struct frt_slot *s, uint64_t java_id, const struct parked *p)
{
	struct frt_mount m = {.off = p->off,
			      .ready = p->ready,
			      .key = frt_virtual_key(java_id),
			      .number = s->mounts + 1,
			      .stack = p->stack,
			      .waker = p->waker,
			      .reason = p->reason ?: FRT_WAIT_PARKED,
			      .polled = p->polled};

	s->carrier.since = p->since;
	s->carrier.depth = p->depth;
	s->carrier.reason = p->reason;
	store_relaxed(&s->carrier.polled, p->polled);
	if (s->flags & FRT_SLOT_ALLOCATED)
		allocated_mount(s, p->allocated);
	if (frtrace_mount_semaphore)
		mount_site(&m);
	store_release(&s->virtual_key, m.key);
	store_release(&s->mounts, m.number);
}

static void mounts_resume(struct frt_slot *s, uint64_t java_id, int64_t at)
{
	struct parked p = rows[at];

	p.ready = load_relaxed(&rows[at].ready);
	store_release(&ids[at], 0);
	if (p.root.number)
		inside_resume_root(s, &p.root);
	if (p.depth)
		mounts_resume_calls(s, java_id, &p);
}

static bool mounts_is_recorded(void)
{
	return frtrace_drain_semaphore && (control_since != UINT64_MAX || load_relaxed(&recordings_shared) ||
					   load_relaxed(&inside_since) != UINT64_MAX);
}

/* The running thread's slot, which it gets now if it has been in no traced call so far. NULL: there is none left. */
static struct frt_slot *mounts_slot(JNIEnv *env)
{
	struct frt_slot *s = slot_find(env);

	return s || load_relaxed(&control->slots_missing) ? s : slot_claim(env);
}

void JNICALL mounts_mount(JNIEnv *env, jclass helper, jlong java_id)
{
	struct frt_slot *s = mounts_is_recorded() ? mounts_slot(env) : NULL;
	int64_t at;

	if (!s || !(s->flags & FRT_SLOT_CARRIER))
		return;
	store_relaxed(&s->virtual_key, 0);
	s->carrier = (struct frt_carrier){.java_id = java_id,
					  .hooked = load_relaxed(&virtual_calls_followed),
					  .stacks_until = s->carrier.stacks_until,
					  .asked_until = s->carrier.asked_until};
	if (unlikely(trace_context_is_published()))
		s->carrier.traceless = trace_context_unset(s);
	if (s->flags & FRT_SLOT_ALLOCATED)
		allocated_mount(s, 0);
	inside_lose_root(s); /* one that is still open here was left without notice */
	at = mounts_find(java_id);
	if (at >= 0)
		mounts_resume(s, java_id, at);
}

/* The running thread's slot if it is a carrier. */
static struct frt_slot *mounts_carrier(JNIEnv *env)
{
	struct frt_slot *s = mounts_is_recorded() ? slot_find(env) : NULL;

	return s && s->flags & FRT_SLOT_CARRIER ? s : NULL;
}

/* The carrier is free. A thread that was on it already when it got its slot is unknown. */
static void mounts_clear(struct frt_slot *s, uint64_t java_id)
{
	if (s->carrier.java_id != java_id)
		return;
	store_relaxed(&s->virtual_key, 0);
	s->carrier.java_id = 0;
	if (s->flags & FRT_SLOT_ALLOCATED)
		allocated_unmount(s);
}

static void mounts_park(struct frt_slot *s, uint64_t java_id)
{
	struct parked p = {.off = 0};

	inside_copy_root(s, &p.root);
	if (s->carrier.java_id == java_id && s->carrier.depth) {
		p.since = s->carrier.since;
		p.off = slot_stamp(s);
		p.depth = s->carrier.depth;
		p.stack = s->carrier.stack;
		p.reason = s->carrier.reason;
		p.polled = s->carrier.polled;
		p.allocated = s->flags & FRT_SLOT_ALLOCATED ? allocated_unmount(s) : ALLOCATED_UNKNOWN;
	}
	if (!p.depth && !p.root.number)
		return;
	if (mounts_put(java_id, &p))
		inside_suspend_root(s);
	else
		inside_lose_root(s);
}

void JNICALL mounts_unmount(JNIEnv *env, jclass helper, jlong java_id)
{
	struct frt_slot *s = mounts_carrier(env);

	if (!s)
		return;
	mounts_park(s, java_id);
	mounts_clear(s, java_id);
}

void JNICALL mounts_end(JNIEnv *env, jclass helper, jlong java_id)
{
	struct frt_slot *s = mounts_carrier(env);

	if (!s)
		return;
	inside_lose_root(s);
	mounts_clear(s, java_id);
}

/* The running thread as a waker. */
static uint32_t mounts_own_name(JNIEnv *env)
{
	const struct frt_slot *s = mounts_slot(env);

	return s ? slot_thread(s) : 0;
}

/* Hooked methods call each other: the first one counts. */
void JNICALL mounts_ready(JNIEnv *env, jclass helper, jlong java_id)
{
	int64_t at = mounts_is_recorded() ? mounts_find(java_id) : -1;

	if (at < 0 || load_relaxed(&rows[at].ready))
		return;
	rows[at].waker = mounts_own_name(env);
	store_relaxed(&rows[at].ready, sys_tsc());
}

/* As for the waits of platform threads (bpf/sched.bpf.c): one stack every 200 us or so, after a burst. */
#define STACK_TICKS (1ULL << 19)
#define STACKS_FREE 256

static bool mounts_stack_is_due(struct frt_carrier *c)
{
	uint64_t now = sys_tsc();

	if (c->stacks_until > now)
		return false;
	if (now - c->stacks_until > STACKS_FREE * STACK_TICKS)
		c->stacks_until = now - STACKS_FREE * STACK_TICKS;
	c->stacks_until += STACK_TICKS;
	return true;
}

/* The carrier of the running virtual thread if that is in a traced call. */
static struct frt_slot *carrier_in_call(JNIEnv *env)
{
	struct frt_slot *s = mounts_carrier(env);

	return s && s->carrier.java_id && s->carrier.depth ? s : NULL;
}

/* FRT_WAIT_PARKED: where the thread is about to be parked. Any other reason: what it will be parked for. */
jlong JNICALL mounts_waits(JNIEnv *env, jclass helper, jint reason)
{
	struct frt_slot *s = carrier_in_call(env);

	if (s && reason != FRT_WAIT_PARKED)
		s->carrier.reason = reason;
	else if (s && mounts_stack_is_due(&s->carrier))
		s->carrier.stack = stack_take_walked(s, env);
	return 0;
}

/* The thread may have changed its carrier, or have been unable to leave it. */
void JNICALL mounts_waited(JNIEnv *env, jclass helper, jlong start, jint reason)
{
	struct frt_slot *s = carrier_in_call(env);

	if (!s)
		return;
	if (reason == FRT_WAIT_PARKED)
		s->carrier.stack = 0;
	else
		s->carrier.reason = 0;
}

/*
 * A virtual thread waits for a descriptor, which it, or with JDK 21 another thread, gives to a poller. What the poller waits for
 * then the kernel's half looks up: somebody may put another file behind the descriptor at any time.
 */
#define POLLS 4096u

static uint64_t polls[POLLS]; /* numbers of such waits << 32 | descriptor, until the poller has it; 0: none */

jlong JNICALL mounts_polls(JNIEnv *env, jclass helper, jint descriptor, jint reason)
{
	static uint32_t last;
	struct frt_slot *s = frtrace_poll_semaphore ? carrier_in_call(env) : NULL;
	uint32_t number;

	if (!s || descriptor < 0)
		return 0;
	number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED) ?: 1;
	store_relaxed(&s->carrier.polled, number);
	store_relaxed(&polls[(uint32_t)descriptor % POLLS], (uint64_t)number << 32 | (uint32_t)descriptor);
	return 0;
}

jlong JNICALL mounts_registers(JNIEnv *env, jclass helper, jint descriptor, jint reason)
{
	uint64_t *at = &polls[(uint32_t)descriptor % POLLS], poll = load_relaxed(at);

	if (!poll || (uint32_t)poll != (uint32_t)descriptor)
		return 0;
	return __atomic_exchange_n(at, 0, __ATOMIC_RELAXED) == poll ? poll : 0;
}

void JNICALL mounts_registered(JNIEnv *env, jclass helper, jlong poll, jint reason)
{
	if (poll && frtrace_poll_semaphore)
		poll_site((uint32_t)poll, (uint64_t)poll >> 32);
}

void JNICALL mounts_polled(JNIEnv *env, jclass helper, jlong start, jint reason)
{
	struct frt_slot *s = carrier_in_call(env);

	if (s)
		store_relaxed(&s->carrier.polled, 0);
}
