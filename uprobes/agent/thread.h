/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The identity of threads. The JVM is asked once per thread and recording, and for each recorded call of a virtual
 * thread.
 */
#ifndef AGENT_THREAD_H
#define AGENT_THREAD_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

/* Look up the necessary classes and fields. Returns 0 or a JVMTI error. */
jvmtiError thread_init(JNIEnv *env);

/* Release the references of thread_init(). */
void thread_release(JNIEnv *env);

/* Start a daemon thread named "frtrace". Returns false if the JVM creates no thread. */
bool thread_run(JNIEnv *env, jvmtiStartFunction function, void *argument, int priority);

/* Enter the running thread into the log of threads and set the slot's flags. Returns its serial. */
uint32_t thread_identify(struct frt_slot *s, JNIEnv *env);

/* The id of the running thread, virtual or not. 0: unknown. Runs no Java code except Thread.currentThread, a native. */
uint64_t thread_running_id(JNIEnv *env, bool *is_virtual);

bool thread_is_virtual(JNIEnv *env, jthread thread);

uint64_t thread_java_id(JNIEnv *env, jthread thread);

/* Copy a virtual thread's name, at most `size` bytes of modified UTF-8. Returns its length. */
uint32_t thread_virtual_name(JNIEnv *env, jthread thread, char *name, size_t size);

struct thread_virtual {
	uint64_t java_id;
	uint32_t name_length;
};

/*
 * A local reference to the running thread if it is virtual, else NULL, also while a virtual thread runs code as
 * its carrier. Runs no Java code except Thread.currentThread, a native.
 */
jobject thread_own_virtual(JNIEnv *env);

/* True if a virtual thread is running. Fills in *v; the name only if the id differs from `known`. */
bool thread_running_virtual(JNIEnv *env, uint64_t known, char *name, size_t name_size, struct thread_virtual *v);

#endif
