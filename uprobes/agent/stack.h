/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who called: the running thread's own Java stack, walked in place and
 * interned. Nothing is loaded but the thread's stack, code that was found to be
 * in the code cache, and tables of ours: a wrong layout can be no fault.
 */
#ifndef AGENT_STACK_H
#define AGENT_STACK_H

#include "uprobes/agent/control.h"

#include <jni.h>

extern uint32_t stack_depth; /* frames at most; 0: stacks are off */

/* Before a recording: take layout and depth from its config. With a layout that does not fit this process no stack is known. */
void stack_begin(const struct frt_config *config);

/* A thread has got its slot: find the bounds of its stack and its anchor. */
void stack_thread_begin(struct frt_slot *s, JNIEnv *env);

/*
 * The id of the running thread's stack, from the caller of the method (its id)
 * that called the hook: 0 when no Java code called, FRT_STACK_LOST when there was no room.
 */
uint32_t stack_take(struct frt_slot *s, JNIEnv *env, uint32_t method);

/* A class came into being or is redefined: what a Method's address means may be new. */
void stack_classes_changed(void);

#endif
