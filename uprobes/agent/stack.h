/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callers of a traced method: the running thread's own Java stack, walked in place and interned. The walk
 * loads only from the thread's stack, from code known to be in the code cache, and from private tables, so a wrong
 * layout cannot cause a fault. Frames in the heap are copied by the JVM (stack_chunks.h).
 */
#ifndef AGENT_STACK_H
#define AGENT_STACK_H

#include "uprobes/agent/control.h"

#include <jni.h>

extern uint32_t stack_depth; /* maximum number of frames for any recording; 0: stacks are off */

/*
 * Before an epoch: take layout and depth from the config of the recording that begins it. If the layout does not fit
 * this process, no stack is walked. The other functions are for recordings that join and leave.
 */
void stack_begin(uint32_t recording, const struct frt_config *config);
void stack_join(uint32_t recording, const struct frt_config *config);
void stack_leave(uint32_t recording);

/* A thread has got its slot: find the bounds of its stack and its anchor. */
void stack_thread_begin(struct frt_slot *s, JNIEnv *env);

/*
 * The id of the running thread's stack, from the caller of `method`, the method that called the hook. 0: no Java
 * code called; FRT_STACK_LOST: the table is full.
 */
uint32_t stack_take(struct frt_slot *s, JNIEnv *env, uint32_t method);

/*
 * The same for a call of these recordings, a set of bits: as deep as one of them wants it. If one of them cannot have
 * stacks walked, the JVM is asked.
 */
uint32_t stack_take_for(struct frt_slot *s, JNIEnv *env, uint32_t method, uint32_t recordings);

/*
 * The same as stack_take() without asking JVMTI, which could hang: in a virtual thread between two carriers. 0 also when
 * stacks are not walked.
 */
uint32_t stack_take_walked(struct frt_slot *s, JNIEnv *env);

/* A class is created or redefined: the address of a Method may change its meaning. */
void stack_classes_changed(void);

#endif
