/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The open calls of virtual threads, which can end on another carrier than they began on: a table for
 * all carriers (struct frt_virtual_call). No locks.
 */
#ifndef AGENT_VIRTUAL_CALLS_H
#define AGENT_VIRTUAL_CALLS_H

#include "uprobes/agent/control.h"

#include <jni.h>

/* Before a recording: there are none. */
void virtual_calls_begin(const struct frt_config *config);

/* A call begins on a carrier: returns its stamp. It is not kept when the table is full around there, or nobody tells whose it is. */
uint64_t virtual_calls_enter(struct frt_slot *s, JNIEnv *env, uint32_t method);

/* It ends, on this carrier or another. False: it was kept, and is not there. */
bool virtual_calls_leave(JNIEnv *env, uint64_t start, uint32_t method);

static inline struct frt_virtual_call *virtual_call(uint32_t i)
{
	return (struct frt_virtual_call *)control_at(FRT_VIRTUAL_AT) + i % FRT_VIRTUAL_CALLS;
}

#endif
