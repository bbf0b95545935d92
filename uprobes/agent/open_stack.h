/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of a thread's open calls are on its stack. A call whose exit was lost (an exception out of super(), a
 * StackOverflowError in the hook) is on no stack, and stays open in the slot until an outer call ends.
 */
#ifndef AGENT_OPEN_STACK_H
#define AGENT_OPEN_STACK_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

/* Open calls, outermost first, and the frames of their thread, innermost first. */
struct open_stack {
	JNIEnv *env;
	const jvmtiFrameInfo *frames;
	jint count;
	const struct frt_open_call *open;
	uint32_t depth; /* number of open calls, also of those beyond FRT_OPEN_CALLS, which are not in `open` */
};

/* The method's id if it has hooks now, else FRT_NO_METHOD. */
uint32_t open_stack_method(JNIEnv *env, jmethodID method);

/* The number of frames of methods with hooks: as many calls are alive. */
uint32_t open_stack_alive(const struct open_stack *o);

/*
 * The dead calls among those kept, as a set of bits. With more than FRT_OPEN_CALLS calls only those of methods that
 * have no frame at all: a call with a frame may be one of those that are not kept.
 */
uint32_t open_stack_dead(const struct open_stack *o);

/*
 * Ask the JVM about the running thread, in the hook at the entry of `method`, before that call is open. Returns how
 * many open calls remain if those that are dead, and have none that is alive within them, are dropped: s->depth if none
 * are, or if it is not known. For platform threads. Takes some microseconds; after an answer that drops nothing, none is
 * given for a hundred times as long, so that a deep recursion spends at most a hundredth of its time here.
 */
uint32_t open_stack_ask(const struct frt_slot *s, JNIEnv *env, uint32_t method);

#endif
