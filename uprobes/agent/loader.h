/* SPDX-License-Identifier: BSD-2-Clause */
/* Class loaders: their rows in the control segment, and whether their classes can see the helper. */
#ifndef AGENT_LOADER_H
#define AGENT_LOADER_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

void loader_init(jvmtiEnv *jvmti, JNIEnv *env);

/* The row of a loader (NULL: the boot loader), made at first sight. False: the table is full. */
bool loader_number(JNIEnv *env, jobject loader, uint32_t *number);

/* The row that a loader has; false: it has none yet. */
bool loader_known(jobject loader, uint32_t *number);

/*
 * Between recordings, when the tables are crowded: free the rows of class loaders that are gone.
 * True: methods have other rows now; stack_named_forget() is to be called.
 */
bool loader_make_room(JNIEnv *env);

enum loader_answer {
	LOADER_READY,
	LOADER_REFUSES,
	LOADER_BUSY, /* it is being asked just now, perhaps by this very thread */
};

/* Can classes of this loader resolve the helper? Asks the loader the first time, which runs its Java code. */
enum loader_answer loader_ask(JNIEnv *env, jobject loader, uint32_t number, bool insist);

/*
 * The same from the thread that attaches, which must never hang in a loader's
 * code: jcmd, jstack and we ourselves need it. A thread of our own asks; when
 * that has no answer at CLOCK_MONOTONIC `until_ns`, the loader is LOADER_BUSY.
 */
enum loader_answer loader_ask_aside(JNIEnv *env, jobject loader, uint32_t number, uint64_t until_ns);

#endif
