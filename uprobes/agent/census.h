/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which open calls are still alive? A call whose exit was lost (an exception
 * out of super(), a StackOverflowError in the hook) stays open in its slot
 * until an outer one ends. When a recording ends the stacks tell.
 */
#ifndef AGENT_CENSUS_H
#define AGENT_CENSUS_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

void census_init(jvmtiEnv *jvmti, JNIEnv *env);

/*
 * Count the open calls that are on no stack into control->dead_calls. Asks for
 * stacks only when a slot has open calls. To be called while the hooks are in,
 * for frames of the code before are known by being obsolete.
 */
void census_take(JNIEnv *env);

#endif
