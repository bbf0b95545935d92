/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls as rewritten methods make them, in this process. The source of the slots is included, because its free lists must
 * start empty in each test.
 */
#ifndef TESTS_UNIT_AGENT_HOOK_CALLS_H
#define TESTS_UNIT_AGENT_HOOK_CALLS_H

#include "tests/lib/machine/machine.h"
#include "uprobes/agent/ring.c"
#include "uprobes/agent/slot.c"
#include "uprobes/agent/hook.h"
#include "uprobes/agent/recordings.h"
#include "tests/unit/agent/hooked.h"

static JNIEnv *const env = (JNIEnv *)0x7f12000003c0;

static int setup(void **state)
{
	if (!new_control())
		return -1;
	control->epoch = 1;
	control->recording[0].founder = 1;
	recordings_shared = false;
	memset(recordings_since, 0xff, sizeof(recordings_since));
	memset(slot_table, 0, sizeof(slot_table));
	memset(free_rings, 0, sizeof(free_rings));
	free_slots.top = 0;
	frtrace_drain_semaphore = 1;
	ring_grow_ticks = 0;
	control_since = 1;
	running.java_id = new_flags = 0;
	mount_unseen = true;
	return 0;
}

/* The i-th last record of a slot. */
static struct frt_span last(const struct frt_slot *s, uint64_t i)
{
	struct frt_span r;

	memcpy(&r, ring_at(s) + ((s->head - (i + 1) * FRT_RECORD_SIZE) & (ring_size(s) - 1)), sizeof(r));
	return r;
}

/* Returns the slot of this thread. */
static struct frt_slot *call(jint method)
{
	hook_leave(env, NULL, hook_enter(env, NULL, method), method);
	return slot_find(env);
}

#endif
