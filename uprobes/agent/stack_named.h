/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stack frames from JVMTI as FRT_FRAME_NAMED: by method and line. JVMTI does not say whether their code was
 * compiled.
 */
#ifndef AGENT_STACK_NAMED_H
#define AGENT_STACK_NAMED_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

/* Drop the cache, because methods get new rows. */
void stack_named_forget(void);

/*
 * The method's row in the control segment, 0: none. It is the same row that the hooks use, also for an obsolete
 * version.
 */
uint32_t stack_named_method(JNIEnv *env, jmethodID method);

struct frt_frame stack_named_frame(JNIEnv *env, const jvmtiFrameInfo *frame);

/* The native method at the bottom of a virtual thread's stack. JVMTI omits it; JFR has it. */
struct frt_frame stack_named_first(void);

/* Extend the hash of a stack by one frame, or by any number. */
uint64_t stack_named_hash(uint64_t hash, const jvmtiFrameInfo *frame);
uint64_t stack_named_mix(uint64_t hash, uint64_t number);

/* Intern a whole stack, innermost frame first, at most `depth` frames. Returns its id or FRT_STACK_LOST. */
uint32_t stack_named_take(JNIEnv *env, const jvmtiFrameInfo *frames, uint32_t count, uint32_t depth, bool is_virtual);

#endif
