/* SPDX-License-Identifier: BSD-2-Clause */
/* Class loaders: their rows in the control segment, and whether their classes can see the helper class. */
#ifndef AGENT_LOADER_H
#define AGENT_LOADER_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

/* Returns false without memory. loader_release() undoes it, before the JVMTI environment is disposed of. */
bool loader_init(JNIEnv *env);
void loader_release(void);

/*
 * The row of a loader (NULL: the boot loader), created at first sight, once, whichever threads see it. Returns false if the
 * table is full.
 */
bool loader_number(JNIEnv *env, jobject loader, uint32_t *number);

/* The existing row of a loader. Returns false if it has none. */
bool loader_known(jobject loader, uint32_t *number);

/*
 * Between recordings, when the tables are crowded: free the rows of loaders that are gone. Returns true if methods
 * have new rows; then call stack_named_forget().
 */
bool loader_make_room(JNIEnv *env);

enum loader_answer {
	LOADER_READY,
	LOADER_REFUSES,
	LOADER_BUSY, /* it is being asked now, perhaps by this very thread */
};

/*
 * Whether classes of this loader can resolve the helper. The first time, the loader is asked, which runs its Java
 * code. With `insist`, it is asked even if another thread is asking.
 */
enum loader_answer loader_ask(JNIEnv *env, jobject loader, uint32_t number, bool insist);

/*
 * The same for the thread that attaches. It must never hang in a loader's code, because jcmd, jstack and frtrace
 * need it. A separate thread asks; without an answer at CLOCK_MONOTONIC `until_ns` the result is LOADER_BUSY.
 */
enum loader_answer loader_ask_aside(JNIEnv *env, jobject loader, uint32_t number, uint64_t until_ns);

#endif
