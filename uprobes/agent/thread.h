/* SPDX-License-Identifier: BSD-2-Clause */
/* Who a thread is: asked of the JVM once per thread and recording, and for each recorded call of a virtual thread. */
#ifndef AGENT_THREAD_H
#define AGENT_THREAD_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

/* Look up the classes and fields that are needed. 0 or a jvmti error. */
jvmtiError thread_init(jvmtiEnv *jvmti, JNIEnv *env);

/* Give back what thread_init() took. */
void thread_release(JNIEnv *env);

/* Start a daemon thread "frtrace". False: the JVM makes no thread. */
bool thread_run(JNIEnv *env, jvmtiStartFunction function, void *argument, int priority);

/* Write the running thread into the log of threads and set the slot's flags. Returns its serial. */
uint32_t thread_identify(struct frt_slot *s, JNIEnv *env);

/* The id of the running thread, virtual or not, 0: the JVM does not tell. Runs no Java code, as above. */
uint64_t thread_running_id(JNIEnv *env, bool *is_virtual);

bool thread_is_virtual(JNIEnv *env, jthread thread);

uint64_t thread_java_id(JNIEnv *env, jthread thread);

/* A virtual thread's name, at most `size` bytes of modified UTF-8. Returns its length. */
uint32_t thread_virtual_name(JNIEnv *env, jthread thread, char *name, size_t size);

struct thread_virtual {
	uint64_t java_id;
	uint32_t name_length;
};

/*
 * The running thread as a local reference, if it is a virtual one; else NULL: also while a virtual
 * thread runs code as its carrier. Runs no Java code: Thread.currentThread is a native.
 */
jobject thread_own_virtual(JNIEnv *env);

/*
 * Is a virtual thread running? Fills *v; the name only when its id is not
 * `known`.
 */
bool thread_running_virtual(JNIEnv *env, uint64_t known, char *name, size_t name_size, struct thread_virtual *v);

#endif
