/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The open-call dump: what are the threads with open calls doing? Their stacks go into
 * their slots (frt_slot.open_dump_*), and tell as well which calls are still
 * alive: a call whose exit was lost (an exception out of super(), a
 * StackOverflowError in the hook) stays open in its slot until an outer one ends.
 */
#ifndef AGENT_OPEN_DUMP_H
#define AGENT_OPEN_DUMP_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

void open_dump_init(jvmtiEnv *jvmti);

/*
 * Look at each thread that has open calls, for two seconds and at 4096 threads at most. To be called while the
 * hooks are in, for frames of the code before are known by being obsolete. `last`: the recording ends, count
 * the open calls that are on no stack into control->dead_calls.
 */
void open_dump_take(JNIEnv *env, bool last);

#endif
