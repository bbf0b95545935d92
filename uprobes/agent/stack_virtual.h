/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stack of a virtual thread that was parked: of its frames only the
 * youngest lie on the stack, the others in the heap. The JVM itself is asked.
 */
#ifndef AGENT_STACK_VIRTUAL_H
#define AGENT_STACK_VIRTUAL_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

void stack_virtual_init(jvmtiEnv *jvmti);

/* As stack_take(), with `depth` frames at most. False: the JVM cannot be asked now, it runs as its carrier. */
bool stack_virtual_take(JNIEnv *env, uint32_t depth, uint32_t *id);

#endif
