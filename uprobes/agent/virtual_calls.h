/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The open calls of virtual threads, which may end on another carrier than they began on: one table for all
 * carriers (struct frt_virtual_call). No locks.
 */
#ifndef AGENT_VIRTUAL_CALLS_H
#define AGENT_VIRTUAL_CALLS_H

#include "uprobes/agent/control.h"

#include <jni.h>

/* Number of the epoch if a recording of it has the hooks at mounts (mounts.h), else 0. */
extern uint32_t virtual_calls_followed;

/* Before an epoch: clear the table. */
void virtual_calls_begin(const struct frt_config *config);

/* A recording joins: its config may say where threads have the ids of those that they run, and that they are followed. */
void virtual_calls_join(const struct frt_config *config);

/*
 * A call begins on a carrier. Returns its stamp. The call is not kept if the table is full near its place, or if
 * its thread is unknown.
 */
uint64_t virtual_calls_enter(struct frt_slot *s, JNIEnv *env, uint32_t method);

/* A call ends, on this carrier or another. Returns false if it was kept but is not in the table. */
bool virtual_calls_leave(const struct frt_slot *s, JNIEnv *env, uint64_t start, uint32_t method);

/*
 * Ask about the open calls of the running virtual thread that are in the table: `counts` is asked about each, and *count gets how
 * often it was true. Returns their number; 0 also if the thread's id is not known, as before its next mount.
 */
uint32_t virtual_calls_count(const struct frt_slot *s, JNIEnv *env,
			     bool (*counts)(const void *context, uint32_t method, uint64_t start), const void *context,
			     uint32_t *count);

static inline struct frt_virtual_call *virtual_call(uint32_t i)
{
	return (struct frt_virtual_call *)control_at(FRT_VIRTUAL_AT) + i % FRT_VIRTUAL_CALLS;
}

#endif
