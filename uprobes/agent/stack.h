/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callers of a traced method: the running thread's own Java stack, walked in place and interned. The walk
 * loads only from the thread's stack, from code known to be in the code cache, and from private tables, so a wrong
 * layout cannot cause a fault.
 */
#ifndef AGENT_STACK_H
#define AGENT_STACK_H

#include "uprobes/agent/control.h"

#include <jni.h>

extern uint32_t stack_depth; /* maximum number of frames; 0: stacks are off */

/*
 * Before a recording: take layout and depth from its config. If the layout does not fit this process, no stack is
 * walked.
 */
void stack_begin(const struct frt_config *config);

/* A thread has got its slot: find the bounds of its stack and its anchor. */
void stack_thread_begin(struct frt_slot *s, JNIEnv *env);

/*
 * The id of the running thread's stack, from the caller of `method`, the method that called the hook. 0: no Java
 * code called; FRT_STACK_LOST: the table is full.
 */
uint32_t stack_take(struct frt_slot *s, JNIEnv *env, uint32_t method);

/*
 * The same without asking the JVM: of a virtual thread that has been parked before, only the frames since then. 0 also
 * when stacks are not walked.
 */
uint32_t stack_take_walked(struct frt_slot *s);

/* A class is created or redefined: the address of a Method may change its meaning. */
void stack_classes_changed(void);

#endif
