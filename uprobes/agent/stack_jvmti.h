/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole stacks from JVMTI GetStackTrace. It is right on any HotSpot, at several times the cost of a walk. It
 * serves JVMs whose frames the walker does not know, and frames in the heap that cannot be walked.
 */
#ifndef AGENT_STACK_JVMTI_H
#define AGENT_STACK_JVMTI_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

enum stack_jvmti_answer {
	STACK_JVMTI_TAKEN = 0,
	/* asking could block the thread for ever: a virtual thread is, or may be, between two carriers */
	STACK_JVMTI_UNASKED,
	/* an error (the JVM begins or ends), or a stack that does not begin with the hook and the method */
	STACK_JVMTI_REFUSED,
};

/*
 * As stack_take(), with at most `depth` frames. Sets *id if the result is STACK_JVMTI_TAKEN. Holds no lock. Runs
 * no Java code except the native Thread.currentThread(), on carriers of virtual threads.
 */
enum stack_jvmti_answer stack_jvmti_take(const struct frt_slot *s, JNIEnv *env, uint32_t method, uint32_t depth,
					 uint32_t *id);

/*
 * The running thread's frames from the caller of `method` on, innermost first, in the hook of `method`. For platform
 * threads. Returns their number, or -1 if the JVM is not asked or refuses, or if the stack has `most` frames or more.
 */
jint stack_jvmti_frames(const struct frt_slot *s, JNIEnv *env, uint32_t method, jvmtiFrameInfo *frames, jint most);

#endif
