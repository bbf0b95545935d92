// SPDX-License-Identifier: BSD-2-Clause
/*
 * What happens on each call. `enter` takes a stamp and pushes an open call; `leave` or `thrown` takes a stamp,
 * pops the call and appends a span to the thread's own ring. The two stamps are the whole cost: the rest is hidden
 * behind them while it stays in the first-level cache and no other hardware thread uses the core, which doubles
 * the cost. Rare cases are functions of their own, called last.
 */
#include "uprobes/agent/hook.h"
#include "uprobes/agent/mounts.h"
#include "uprobes/agent/ring.h"
#include "uprobes/agent/slot.h"
#include "uprobes/agent/stack.h"
#include "uprobes/agent/timing.h"
#include "uprobes/agent/virtual_calls.h"

/* Find the open call that ends. The calls above it have lost their exit. */
static __attribute__((noinline)) void resynchronise(struct frt_slot *s, uint64_t start)
{
	uint32_t depth = s->depth;

	for (uint32_t i = depth < FRT_OPEN_CALLS ? depth : FRT_OPEN_CALLS; i-- > 0;) {
		if (s->open[i].start == start) {
			slot_lose_calls(s, depth - 1 - i);
			s->depth = i;
			return;
		}
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
	if (!s->ring && !ring_first(s, now)) {
		s->unrecorded++;
		return false;
	}
	if (s->flags & FRT_SLOT_CARRIER && slot_name_virtual(s, env))
		*flags |= FRT_SPAN_VIRTUAL | (mounts_followed(s) ? FRT_SPAN_FOLLOWED : 0);
	return true;
}

static __attribute__((noinline)) void hook_record(struct frt_slot *s, JNIEnv *env, uint64_t start, uint64_t now,
						  uint32_t method, uint64_t flags)
{
	uint64_t span[4];

	if (unlikely(!s->ring || s->flags) && !prepare_record(s, env, now, &flags))
		return;
	s->recorded++;
	span[0] = start;
	span[1] = now - start;
	span[2] = method | (uint64_t)(stack_depth ? stack_take(s, env, method) : 0) << 32;
	span[3] = s->thread | (uint64_t)FRT_SPAN << 32 | flags << 48;
	ring_append(s, span, now);
}

static inline void count_time(struct frt_slot *s, uint32_t method, uint64_t duration, uint64_t flags)
{
	if (flags || unlikely(!timing_wait(s, method, duration)))
		timing_add(s, method, duration, flags);
}

static __attribute__((noinline)) void time_and_record(struct frt_slot *s, JNIEnv *env, uint64_t start, uint64_t now,
						      uint32_t method, uint64_t flags)
{
	count_time(s, method, now - start, flags);
	hook_record(s, env, start, now, method, flags);
}

/* The call is no longer among the open calls. */
static inline __attribute__((always_inline)) void hook_finish(struct frt_slot *s, JNIEnv *env, uint64_t start,
							      uint64_t now, uint32_t method, uint64_t flags)
{
	uint64_t duration = now - start, rule = load_relaxed(control_rule(method));

	s->exited++;
	if (unlikely(flags))
		s->thrown++;
	if (unlikely(duration > s->longest))
		s->longest = duration;
	if (duration < rule >> FRT_RULE_SHIFT || (rule & FRT_RULE_THROWN && !flags)) {
		if (rule & FRT_RULE_TIMED)
			count_time(s, method, duration, flags);
	} else if (rule & FRT_RULE_TIMED) {
		time_and_record(s, env, start, now, method, flags);
	} else {
		hook_record(s, env, start, now, method, flags);
	}
}

/* True if this is the slot's innermost open call. */
static inline bool is_innermost(const struct frt_slot *s, uint64_t start)
{
	uint32_t depth = s->depth - 1;

	return likely(depth < FRT_OPEN_CALLS && s->open[depth].start == start);
}

static void end_on_carrier(struct frt_slot *s, JNIEnv *env, uint64_t start, uint32_t method)
{
	mounts_leave(s, start);
	s->moved_exits += !virtual_calls_leave(env, start, method);
}

static __attribute__((noinline)) void ended_otherwise(JNIEnv *env, uint64_t start, uint64_t now, uint32_t method,
						      uint64_t flags)
{
	struct frt_slot *s = own_slot(env);

	if (!s) {
		add_relaxed(&control->unslotted, 1);
		return;
	}
	if (is_innermost(s, start))
		s->depth--;
	else if (s->flags & FRT_SLOT_CARRIER)
		end_on_carrier(s, env, start, method);
	else
		resynchronise(s, start);
	hook_finish(s, env, start, now, method, flags);
}

static inline __attribute__((always_inline)) void ended(JNIEnv *env, uint64_t start, uint32_t method, uint64_t flags)
{
	struct frt_slot *s;
	uint64_t now;

	if (unlikely(start < control_since || !frtrace_drain_semaphore))
		return;
	s = slot_find_first(env);
	now = sys_tsc(); /* the stamp is taken before the code that depends on it, so that both run in parallel */
	if (unlikely(!s || !is_innermost(s, start))) {
		ended_otherwise(env, start, now, method, flags);
		return;
	}
	s->depth--;
	hook_finish(s, env, start, now, method, flags);
}

static inline uint64_t hook_begin(struct frt_slot *s, JNIEnv *env, uint32_t method)
{
	uint32_t depth;
	uint64_t now;

	s->entered++;
	if (unlikely(s->flags & FRT_SLOT_CARRIER)) {
		mounts_enter(s);
		return virtual_calls_enter(s, env, method);
	}
	depth = s->depth++;
	now = sys_tsc();
	if (likely(depth < FRT_OPEN_CALLS)) {
		s->open[depth].start = now;
		s->open[depth].method = method;
	}
	return now;
}

static __attribute__((noinline)) uint64_t begin_otherwise(JNIEnv *env, uint32_t method)
{
	struct frt_slot *s = own_slot(env);

	return s ? hook_begin(s, env, method) : sys_tsc(); /* `leave` will count the call as unslotted */
}

jlong JNICALL hook_enter(JNIEnv *env, jclass helper, jint method)
{
	struct frt_slot *s;

	(void)helper;
	if (unlikely(!frtrace_drain_semaphore || load_acquire(&control_since) == UINT64_MAX))
		return 0; /* `leave` will take it for a call that began earlier */
	s = slot_find_first(env);
	return likely(s) ? hook_begin(s, env, method) : begin_otherwise(env, method);
}

void JNICALL hook_leave(JNIEnv *env, jclass helper, jlong start, jint method)
{
	(void)helper;
	ended(env, start, method, 0);
}

void JNICALL hook_thrown(JNIEnv *env, jclass helper, jlong start, jint method)
{
	(void)helper;
	ended(env, start, method, FRT_SPAN_THROWN);
}
