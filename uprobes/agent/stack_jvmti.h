/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole stack as JVMTI GetStackTrace tells it: right on any HotSpot, several
 * times the price of a walk. For JVMs whose frames the walker does not know, and
 * for virtual threads that were parked: their older frames lie in the heap.
 */
#ifndef AGENT_STACK_JVMTI_H
#define AGENT_STACK_JVMTI_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

void stack_jvmti_init(jvmtiEnv *jvmti);

enum stack_jvmti_answer {
	STACK_JVMTI_TAKEN = 0,
	STACK_JVMTI_UNASKED, /* to ask could block the thread for ever: a virtual thread is, or may be, between two carriers */
	STACK_JVMTI_REFUSED, /* an error (the JVM begins or ends), or a stack that does not begin with the hook and the method */
};

/*
 * As stack_take(), with `depth` frames at most. *id is set when the answer is
 * STACK_JVMTI_TAKEN. Runs no Java code but Thread.currentThread(), a native, on
 * carriers of virtual threads; holds no lock.
 */
enum stack_jvmti_answer stack_jvmti_take(const struct frt_slot *s, JNIEnv *env, uint32_t method, uint32_t depth,
					 uint32_t *id);

#endif
