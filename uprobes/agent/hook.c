// SPDX-License-Identifier: BSD-2-Clause
/*
 * What happens on each call. `enter` takes a stamp and pushes an open call; `leave` or `thrown` takes a stamp,
 * pops the call and appends a span to the thread's own ring. The two stamps are the whole cost: the rest is hidden
 * behind them while it stays in the first-level cache and no other hardware thread uses the core, which doubles
 * the cost. Rare cases are functions of their own, called last.
 *
 * That is the short way, for a recording that runs alone. Where several do, control_since sends each call the long way,
 * which asks for each recording whether the call is its own; see recordings.h. With --inside there is a third way: a call
 * outside of all roots gets the stamp 0 and leaves at once; see inside.h.
 */
#include "uprobes/agent/hook.h"
#include "uprobes/agent/allocated.h"
#include "uprobes/agent/inside.h"
#include "uprobes/agent/mounts.h"
#include "uprobes/agent/nesting.h"
#include "uprobes/agent/open_stack.h"
#include "uprobes/agent/recordings.h"
#include "uprobes/agent/slot.h"
#include "uprobes/agent/span.h"
#include "uprobes/agent/stack.h"
#include "uprobes/agent/virtual_calls.h"

/* The number of the open call that began then, or -1. */
static int32_t open_call_find(const struct frt_slot *s, uint64_t start)
{
	int32_t i = s->depth < FRT_OPEN_CALLS ? s->depth : FRT_OPEN_CALLS;

	while (--i >= 0 && s->open[i].start != start)
		;
	return i;
}

/* Find the open call that ends. The calls above it have lost their exit. */
static __attribute__((noinline)) void resynchronise(struct frt_slot *s, uint64_t start)
{
	int32_t i = open_call_find(s, start);
	uint32_t depth = s->depth;

	if (i >= 0) {
		slot_lose_calls(s, depth - 1 - i);
		s->depth = i;
		return;
	}
	if (depth > FRT_OPEN_CALLS) /* beyond the calls that are kept: assume the innermost */
		s->depth = depth - 1;
	else
		s->moved_exits++;
}

static struct frt_slot *own_slot(JNIEnv *env)
{
	struct frt_slot *s = slot_find(env);

	return s ? s : slot_claim(env);
}

static __attribute__((noinline)) bool prepare_record(struct frt_slot *s, JNIEnv *env, uint64_t now, uint64_t *flags)
{
	if (!s->ring && !ring_first(s, now))
		return false;
	if (s->flags & FRT_SLOT_CARRIER && slot_name_virtual(s, env))
		*flags |= FRT_SPAN_VIRTUAL | (mounts_followed(s) ? FRT_SPAN_FOLLOWED : 0);
	return true;
}

static __attribute__((noinline)) void hook_record(struct frt_slot *s, JNIEnv *env, uint64_t start, uint64_t now,
						  uint32_t method, uint64_t flags)
{
	if (unlikely(!s->ring || s->flags) && !prepare_record(s, env, now, &flags)) {
		s->unrecorded++;
		return;
	}
	s->recorded++;
	span_append_call(s, start, now, method, stack_depth ? stack_take(s, env, method) : 0, flags);
}

/* A call of a timed method has ended. */
static inline __attribute__((always_inline)) void count_timed(struct frt_slot *s, uint64_t start, uint32_t method,
							      uint64_t duration, bool thrown, bool innermost)
{
	if (unlikely(s->flags & FRT_SLOT_ALLOCATED))
		allocated_time(s, start, method);
	nesting_count(s, start, method, duration, thrown, innermost);
}

static __attribute__((noinline)) void time_and_record(struct frt_slot *s, JNIEnv *env, uint64_t start, uint64_t now,
						      uint32_t method, uint64_t flags)
{
	count_timed(s, start, method, now - start, flags & FRT_SPAN_THROWN, false);
	hook_record(s, env, start, now, method, flags);
}

static inline void hook_count(struct frt_slot *s, uint64_t duration, bool thrown)
{
	s->exited++;
	if (unlikely(thrown))
		s->thrown++;
	if (unlikely(duration > s->longest))
		s->longest = duration;
}

/* The call is no longer among the open calls. Returns true if it may be recorded. */
static inline __attribute__((always_inline)) bool hook_finish(struct frt_slot *s, JNIEnv *env, uint64_t start,
							      uint64_t now, uint32_t method, uint64_t flags,
							      bool innermost)
{
	uint64_t duration = now - start, rule = load_relaxed(control_rule(0, method));
	bool thrown = flags & FRT_SPAN_THROWN;

	hook_count(s, duration, thrown);
	if (duration < rule >> FRT_RULE_SHIFT || (rule & FRT_RULE_THROWN && !thrown)) {
		if (rule & FRT_RULE_TIMED)
			count_timed(s, start, method, duration, thrown, innermost);
		return false;
	}
	if (rule & FRT_RULE_TIMED)
		time_and_record(s, env, start, now, method, flags);
	else
		hook_record(s, env, start, now, method, flags);
	return true;
}

/* True if this is the slot's innermost open call. */
static inline bool is_innermost(const struct frt_slot *s, uint64_t start)
{
	uint32_t depth = s->depth - 1;

	return likely(depth < FRT_OPEN_CALLS && s->open[depth].start == start);
}

static inline void close_call(struct frt_slot *s, JNIEnv *env, uint64_t start, uint32_t method)
{
	if (is_innermost(s, start)) {
		s->depth--;
	} else if (s->flags & FRT_SLOT_CARRIER) {
		mounts_leave(s, start);
		s->moved_exits += !virtual_calls_leave(s, env, start, method);
	} else {
		resynchronise(s, start);
	}
}

static __attribute__((noinline)) void ended_otherwise(JNIEnv *env, uint64_t start, uint64_t now, uint32_t method,
						      uint64_t flags)
{
	struct frt_slot *s = own_slot(env);

	if (!s) {
		recordings_miss(1);
		return;
	}
	close_call(s, env, start, method);
	hook_finish(s, env, start, now, method, flags, false);
}

/* Append the span of a call in the open root, or of a root that is kept. */
static void record_inside(struct frt_slot *s, JNIEnv *env, uint64_t start, uint64_t now, uint32_t method,
			  uint64_t flags)
{
	if (unlikely(control_inside(s)->flags & FRT_INSIDE_TASK) && inside_is_over(control_inside(s)->root, now)) {
		inside_suspend_root(s);
		return;
	}
	if (unlikely(!s->ring || s->flags) && !prepare_record(s, env, now, &flags)) {
		s->unrecorded++;
		return;
	}
	s->recorded++;
	if (!(flags & FRT_SPAN_ROOT))
		inside_name_root(s, now);
	span_append_call(s, start, now, method, inside_stack(s, env, start, now, method, flags), flags);
	inside_appended(s);
}

/* The call is no longer among the open calls. It is recorded if it is in a root, or a root that is kept. */
static void finish_inside(struct frt_slot *s, JNIEnv *env, uint64_t start, uint64_t now, uint32_t method,
			  uint64_t flags)
{
	const struct frt_inside *in = control_inside(s);
	uint64_t duration = now - start, rule = load_relaxed(control_rule(0, method));
	bool thrown = flags & FRT_SPAN_THROWN, is_root = inside_is_root(in, start, method);

	hook_count(s, duration, thrown);
	if (rule & FRT_RULE_TIMED)
		count_timed(s, start, method, duration, thrown, false);
	if (!is_root && in->root &&
	    (rule & FRT_RULE_ROOT || (duration >= rule >> FRT_RULE_SHIFT && (thrown || !(rule & FRT_RULE_THROWN)))))
		record_inside(s, env, start, now, method, flags);
	if (unlikely(rule & FRT_RULE_UNTIL) && in->root) /* its span comes before that of the root */
		inside_reach_end(s, now);
	if (is_root && inside_leave_root(s, now, thrown))
		record_inside(s, env, start, now, method, flags | FRT_SPAN_ROOT);
}

static int32_t open_root_find(const struct frt_slot *s)
{
	return s->flags & FRT_SLOT_CARRIER ? -1 : open_call_find(s, control_inside(s)->start);
}

/* The open root, and what was open in it, has lost its exit. */
static __attribute__((noinline)) void lose_root(struct frt_slot *s)
{
	int32_t i = open_root_find(s);

	if (i >= 0) {
		slot_lose_calls(s, s->depth - i);
		s->depth = i;
	}
	inside_lose_root(s);
}

/*
 * A call ends while a recording with --inside runs. If it began outside of all roots and the thread is in one, then that
 * one has ended unseen, by a StackOverflowError in its exit hook.
 */
static __attribute__((noinline)) void ended_inside(JNIEnv *env, uint64_t start, uint32_t method, uint64_t flags)
{
	struct frt_slot *s = slot_find(env);
	uint64_t now;

	if (likely(start < load_relaxed(&inside_since))) {
		if (unlikely(!start && s && control_inside(s)->root))
			lose_root(s);
		return;
	}
	now = slot_stamp(s);
	s = s ? s : own_slot(env);
	if (!s) {
		recordings_miss(1);
		return;
	}
	close_call(s, env, start, method);
	finish_inside(s, env, start, now, method, flags);
}

/* Prepare for recordings that have joined since the thread was last in a hook, and announce it to them. */
static void meet_recordings(struct frt_slot *s, JNIEnv *env)
{
	if (likely(s->joined == load_acquire(&control->joined)))
		return;
	recordings_update_shares(s);
	s->flags |= allocated_flags();
	s->vthread = 0; /* a collector that began in the middle of the stream does not know it */
	slot_announce(s, env);
}

/* Record the call for these recordings. */
static void record_for(struct frt_slot *s, JNIEnv *env, uint64_t start, uint64_t now, uint32_t method, uint64_t flags,
		       uint32_t set)
{
	bool ready = (s->ring && !s->flags) || prepare_record(s, env, now, &flags);

	for (uint32_t r = 0; r < FRT_RECORDINGS; r++) {
		recordings_share(s, r)->recorded += ready && set >> r & 1;
		recordings_share(s, r)->unrecorded += !ready && set >> r & 1;
		flags |= set >> r & 1 ? 0 : FRT_SPAN_NOT(r);
	}
	if (ready)
		span_append_call(s, start, now, method, stack_depth ? stack_take_for(s, env, method, set) : 0, flags);
}

/* Count the call for one recording. Returns true if it is to be recorded there. */
static bool count_for(struct frt_slot *s, uint32_t recording, uint64_t start, uint64_t duration, uint32_t method,
		      uint64_t flags)
{
	uint64_t rule = load_relaxed(control_rule(recording, method));
	struct frt_share *share = recordings_share(s, recording);
	bool thrown = flags & FRT_SPAN_THROWN;

	share->exited++;
	if (thrown)
		share->thrown++;
	if (duration > share->longest)
		share->longest = duration;
	if (rule & FRT_RULE_TIMED) {
		if (s->flags & FRT_SLOT_ALLOCATED)
			allocated_time(s, start, FRT_TIMED_METHOD(recording, method));
		nesting_count_missed(s, FRT_TIMED_METHOD(recording, method));
		timing_count(s, FRT_TIMED_METHOD(recording, method), duration, thrown);
	}
	return duration >= rule >> FRT_RULE_SHIFT && (thrown || !(rule & FRT_RULE_THROWN));
}

static void finish_for(struct frt_slot *s, JNIEnv *env, uint64_t start, uint64_t now, uint32_t method, uint64_t flags,
		       uint32_t set)
{
	uint32_t recorded = 0;

	s->others++;
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (set >> r & 1 && count_for(s, r, start, now - start, method, flags))
			recorded |= 1u << r;
	if (recorded)
		record_for(s, env, start, now, method, flags, recorded);
}

/* The call is no longer open. Returns false if it was not. */
static bool close_for(struct frt_slot *s, JNIEnv *env, uint64_t start, uint32_t method, uint32_t set)
{
	int32_t i;

	if (is_innermost(s, start)) {
		s->depth--;
		return true;
	}
	if (s->flags & FRT_SLOT_CARRIER) {
		mounts_leave(s, start);
		return virtual_calls_leave(s, env, start, method);
	}
	i = open_call_find(s, start);
	if (i >= 0) {
		recordings_lose(s, i + 1);
		s->depth = i;
		return true;
	}
	if (s->depth <= FRT_OPEN_CALLS)
		return false;
	recordings_pop_deep(s, set);
	s->depth--;
	return true;
}

/* A call ends while several recordings run. */
static __attribute__((noinline)) void ended_for_several(JNIEnv *env, uint64_t start, uint32_t method, uint64_t flags)
{
	struct frt_slot *s;
	uint64_t now;
	uint32_t set;

	if (load_acquire(&inside_since) != UINT64_MAX && frtrace_drain_semaphore) {
		ended_inside(env, start, method, flags);
		return;
	}
	if (!frtrace_drain_semaphore || !load_acquire(&recordings_shared) || start < load_relaxed(&recordings_epoch))
		return;
	s = own_slot(env);
	now = slot_stamp(s);
	set = recordings_of(start, method);
	if (!s) {
		recordings_miss(set);
		return;
	}
	meet_recordings(s, env);
	if (!close_for(s, env, start, method, set))
		for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
			recordings_share(s, r)->moved_exits += set >> r & 1;
	finish_for(s, env, start, now, method, flags, set);
}

/* True if a recording with --inside runs and the running thread is in no root. False: it may be, or has an odd slot. */
static inline bool is_outside(JNIEnv *env)
{
	const struct slot_entry *e = &slot_table[slot_hash((uint64_t)env)];
	uint64_t owner = load_acquire(&e->env);

	if (load_acquire(&inside_since) == UINT64_MAX || !frtrace_drain_semaphore)
		return false;
	return !owner || (owner == (uint64_t)env && e->slot->thread_pointer == sys_thread_pointer() &&
			  !control_inside(e->slot)->root);
}

/* A call that began outside of roots and ends there leaves nothing. */
static __attribute__((noinline)) void ended_not_alone(JNIEnv *env, uint64_t start, uint32_t method, uint64_t flags)
{
	if (start || !is_outside(env))
		ended_for_several(env, start, method, flags);
}

/* Returns false if the call is not recorded. */
static inline __attribute__((always_inline)) bool ended(JNIEnv *env, uint64_t start, uint32_t method, uint64_t flags)
{
	struct frt_slot *s;
	uint64_t now;

	if (unlikely(start < control_since || !frtrace_drain_semaphore)) {
		ended_not_alone(env, start, method, flags);
		return true;
	}
	s = slot_find_first(env);
	now = slot_stamp(s); /* the stamp is taken before the code that depends on it, so that both run in parallel */
	if (unlikely(!s || !is_innermost(s, start))) {
		ended_otherwise(env, start, now, method, flags);
		return true;
	}
	s->depth--;
	return hook_finish(s, env, start, now, method, flags, true);
}

/*
 * All places for open calls are taken, and the frame that enters is not below that of the last one. So that one may be
 * over, and what was open in it. Roots have a rule of their own; see drop_root().
 */
static __attribute__((noinline)) void drop_ended(struct frt_slot *s, JNIEnv *env, uint32_t method)
{
	uint32_t left;

	if (load_relaxed(&inside_since) != UINT64_MAX)
		return;
	left = open_stack_ask(s, env, method);
	if (left == s->depth)
		return;
	if (recordings_shared)
		recordings_lose(s, left);
	else
		slot_lose_calls(s, s->depth - left);
	s->depth = left;
}

/* The low half of the stack pointer. */
static inline uint32_t stack_place(void)
{
	return (uint32_t)machine_stack_pointer();
}

/* The call of a platform thread is open from now on. Returns its stamp. */
static inline __attribute__((always_inline)) uint64_t open_platform_call(struct frt_slot *s, JNIEnv *env,
									 uint32_t method, uint32_t place)
{
	uint32_t depth;
	uint64_t now;

	if (unlikely(s->depth >= FRT_OPEN_CALLS && (int32_t)(place - s->open[FRT_OPEN_CALLS - 1].place) >= 0))
		drop_ended(s, env, method);
	depth = s->depth++;
	now = slot_stamp(s);
	if (unlikely(depth >= FRT_OPEN_CALLS))
		return nesting_enter_deep(s, depth, method, now);
	s->open[depth].start = now;
	s->open[depth].method = method;
	s->open[depth].place = place;
	return now;
}

/* The slot has flags. */
static __attribute__((noinline)) uint64_t open_flagged_call(struct frt_slot *s, JNIEnv *env, uint32_t method,
							    uint32_t place)
{
	uint64_t start, count;

	if (s->flags & FRT_SLOT_CARRIER) {
		mounts_enter(s);
		return virtual_calls_enter(s, env, method);
	}
	count = allocated_now((uint64_t)env); /* what depends on no stamp comes before it */
	start = open_platform_call(s, env, method, place);
	allocated_enter(s, s->depth - 1, (struct allocated_level){start, count});
	return start;
}

/* The call is open from now on. Returns its stamp. */
static inline __attribute__((always_inline)) uint64_t open_call(struct frt_slot *s, JNIEnv *env, uint32_t method)
{
	uint32_t place = stack_place();

	if (unlikely(s->flags))
		return open_flagged_call(s, env, method, place);
	return open_platform_call(s, env, method, place);
}

static inline uint64_t hook_begin(struct frt_slot *s, JNIEnv *env, uint32_t method)
{
	s->entered++;
	return open_call(s, env, method);
}

static __attribute__((noinline)) uint64_t begin_otherwise(JNIEnv *env, uint32_t method)
{
	struct frt_slot *s = own_slot(env);

	return s ? hook_begin(s, env, method) : sys_tsc(); /* `leave` will count the call as unslotted */
}

/*
 * A frame above that of the root's hook enters: the root may be over. Or it has got a smaller frame, because it was
 * compiled while it runs; so the JVM is asked. Returns true if the root was lost.
 */
static __attribute__((noinline)) bool drop_root(struct frt_slot *s, JNIEnv *env, uint32_t method)
{
	int32_t i = open_root_find(s);

	if (i < 0 || open_stack_ask(s, env, method) > (uint32_t)i)
		return false;
	lose_root(s);
	return true;
}

/* A call begins while a recording with --inside runs. Outside of all roots, few calls need a stamp. */
static __attribute__((noinline)) uint64_t begin_inside(JNIEnv *env, uint32_t method)
{
	uint64_t start, rule = load_relaxed(control_rule(0, method)), frame = (uint64_t)__builtin_frame_address(0);
	struct frt_slot *s = slot_find(env);
	bool in_root = s && control_inside(s)->root;

	if (unlikely(in_root && frame > control_inside(s)->frame))
		in_root = !drop_root(s, env, method);
	if (likely(!in_root && !(rule & (FRT_RULE_ROOT | FRT_RULE_TIMED))))
		return 0;
	s = s ? s : slot_claim(env);
	if (!s)
		return sys_tsc();
	start = hook_begin(s, env, method);
	if (!in_root && rule & FRT_RULE_ROOT)
		inside_enter_root(s, start, method, rule, frame);
	return start;
}

/* A call begins while several recordings run, or none. */
static __attribute__((noinline)) uint64_t begin_for_several(JNIEnv *env, uint32_t method)
{
	struct frt_slot *s;
	uint64_t start;
	uint32_t set;

	if (load_acquire(&inside_since) != UINT64_MAX && frtrace_drain_semaphore)
		return begin_inside(env, method);
	if (!frtrace_drain_semaphore || !load_acquire(&recordings_shared))
		return 0; /* `leave` will take it for a call that began earlier */
	s = own_slot(env);
	if (!s)
		return sys_tsc();
	meet_recordings(s, env);
	s->others++;
	start = open_call(s, env, method);
	set = recordings_of(start, method); /* `leave` will find the same; see commands.c on when a recording begins */
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		recordings_share(s, r)->entered += set >> r & 1;
	recordings_push(s, s->depth - 1, set);
	return start;
}

/* The recording does not run alone. First what is most frequent, in a function that needs no frame. */
static __attribute__((noinline)) uint64_t begin_not_alone(JNIEnv *env, uint32_t method)
{
	if (is_outside(env) && !(load_relaxed(control_rule(0, method)) & (FRT_RULE_ROOT | FRT_RULE_TIMED)))
		return 0;
	return begin_for_several(env, method);
}

jlong JNICALL hook_enter(JNIEnv *env, jclass helper, jint method)
{
	struct frt_slot *s;

	if (unlikely(!frtrace_drain_semaphore || load_acquire(&control_since) == UINT64_MAX))
		return begin_not_alone(env, method);
	s = slot_find_first(env);
	return likely(s) ? hook_begin(s, env, method) : begin_otherwise(env, method);
}

void JNICALL hook_leave(JNIEnv *env, jclass helper, jlong start, jint method)
{
	ended(env, start, method, 0);
}

void JNICALL hook_thrown(JNIEnv *env, jclass helper, jlong start, jint method)
{
	ended(env, start, method, FRT_SPAN_THROWN);
}

/*
 * The recordings for which the call that began at `start` was the last thing recorded by this thread, as a set of bits. A
 * recording that does not run is in the set of one that runs alone; nobody asks for it.
 */
static __attribute__((noinline)) jint recorded_for(JNIEnv *env, uint64_t start)
{
	const struct frt_slot *s = slot_find(env);
	const struct frt_span *last = start && s ? span_last(s, start) : NULL;

	if (!last)
		return 0;
	return ~(last->flags / FRT_SPAN_NOT(0)) & ((1u << FRT_RECORDINGS) - 1);
}

jint JNICALL hook_left(JNIEnv *env, jclass helper, jlong start, jint method)
{
	return unlikely(ended(env, start, method, FRT_SPAN_FIELDS)) ? recorded_for(env, start) : 0;
}

jint JNICALL hook_threw(JNIEnv *env, jclass helper, jlong start, jint method)
{
	return ended(env, start, method, FRT_SPAN_THROWN | FRT_SPAN_FIELDS) ? recorded_for(env, start) : 0;
}
