/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames as JVMTI tells them, as FRT_FRAME_NAMED: by method and line. Of how
 * their code ran JVMTI says nothing.
 */
#ifndef AGENT_STACK_NAMED_H
#define AGENT_STACK_NAMED_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

void stack_named_init(jvmtiEnv *jvmti);

/* The rows of methods are given out anew. */
void stack_named_forget(void);

/* The method's row in the control segment, 0: it has none. The same one as the hooks', also for a version that is obsolete. */
uint32_t stack_named_method(JNIEnv *env, jmethodID method);

struct frt_frame stack_named_frame(JNIEnv *env, const jvmtiFrameInfo *frame);

/* JVMTI leaves out the native method that a virtual thread's stack begins with; JFR has it. */
struct frt_frame stack_named_first(void);

/* From the hash of the frames above to that with this frame; and with any other number. */
uint64_t stack_named_hash(uint64_t hash, const jvmtiFrameInfo *frame);
uint64_t stack_named_mix(uint64_t hash, uint64_t number);

/* Intern a whole stack, innermost frame first, `depth` frames of it at most. Its id, or FRT_STACK_LOST. */
uint32_t stack_named_take(JNIEnv *env, const jvmtiFrameInfo *frames, uint32_t count, uint32_t depth, bool is_virtual);

#endif
