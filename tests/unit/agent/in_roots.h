/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls in roots as rewritten methods make them. The source of the slots is included, because its free lists must start empty
 * in each test.
 */
#ifndef TESTS_UNIT_AGENT_IN_ROOTS_H
#define TESTS_UNIT_AGENT_IN_ROOTS_H

#include "uprobes/agent/ring.c"
#include "uprobes/agent/slot.c"
#include "uprobes/agent/hook.h"
#include "uprobes/agent/inside.h"
#include "uprobes/agent/mounts.h"
#include "uprobes/agent/stack.h"
#include "tests/unit/agent/hooked.h"

#define A ((JNIEnv *)0x7f12000003c0)
#define B ((JNIEnv *)0x7f12000103c0)
#define V 77

enum { CHILD = 1, STRAY, ALL, THROWN, NEVER, TIMED };

static void set_rule(uint32_t method, uint64_t ticks, uint64_t flags)
{
	*control_rule(0, method) = ticks << FRT_RULE_SHIFT | flags;
}

static int setup(void **state)
{
	if (!new_control())
		return -1;
	control->epoch = 1;
	control->recording[0].founder = control->recording[0].number = 1;
	recordings_shared = false;
	memset(slot_table, 0, sizeof(slot_table));
	memset(free_rings, 0, sizeof(free_rings));
	free_slots.top = 0;
	frtrace_drain_semaphore = 1;
	ring_grow_ticks = 0;
	control_since = UINT64_MAX;
	inside_since = 1;
	mounts_begin();
	inside_begin();
	new_flags = 0;
	over = false;
	set_rule(CHILD, 0, 0);
	set_rule(STRAY, 0, 0);
	set_rule(ALL, 0, FRT_RULE_ROOT);
	set_rule(THROWN, FRT_RULE_UNTRACED >> FRT_RULE_SHIFT, FRT_RULE_ROOT | FRT_RULE_THROWN);
	set_rule(NEVER, 1ull << 50, FRT_RULE_ROOT);
	set_rule(TIMED, FRT_RULE_UNTRACED >> FRT_RULE_SHIFT, FRT_RULE_TIMED);
	return 0;
}

static void call(JNIEnv *env, jint method)
{
	hook_leave(env, NULL, hook_enter(env, NULL, method), method);
}

static void calls(JNIEnv *env, jint method, int n)
{
	while (n--)
		call(env, method);
}

/* A call of the root with n calls inside: CHILD if it throws, else STRAY. */
static inline void root(JNIEnv *env, jint method, int n, bool thrown)
{
	jlong start = hook_enter(env, NULL, method);

	calls(env, thrown ? CHILD : STRAY, n);
	(thrown ? hook_thrown : hook_leave)(env, NULL, start, method);
}

/* The record at an offset of the stream. */
static inline struct frt_root mark_at(const struct frt_slot *s, uint64_t number)
{
	struct frt_root r;

	memcpy(&r, ring_at(s) + (number * FRT_RECORD_SIZE & (ring_size(s) - 1)), sizeof(r));
	return r;
}

static inline struct frt_span span_at(const struct frt_slot *s, uint64_t number)
{
	struct frt_span r;

	memcpy(&r, ring_at(s) + (number * FRT_RECORD_SIZE & (ring_size(s) - 1)), sizeof(r));
	return r;
}

#endif
