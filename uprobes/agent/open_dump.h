/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The open-call dump: the stacks of all threads with open calls, stored in their slots (frt_slot.open_dump_*). The
 * stacks also show which calls are alive: a call whose exit was lost (an exception out of super(), a
 * StackOverflowError in the hook) stays open in its slot until an outer call ends.
 */
#ifndef AGENT_OPEN_DUMP_H
#define AGENT_OPEN_DUMP_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

/*
 * Visit the threads with open calls, at most 4096, for at most two seconds. Call it while the hooks are in place:
 * frames of earlier code are recognised because they are obsolete. The stacks are as deep as this recording wants them.
 * With `last`, when it ends, add its open calls that are on no stack to frt_recording.dead_calls.
 */
void open_dump_take(JNIEnv *env, uint32_t recording, bool last);

#endif
