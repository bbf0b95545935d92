/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --tasks: tasks that a traced call hands to other threads, from the moment when it does so to the end of their run. Which
 * task a thread begins is decided by the identity of the object. The agent holds the object no longer than it is in its
 * queue, at most for FRT_TASK_SECONDS. No locks; a hook on a hot path asks a field of task_class.c first.
 */
#ifndef AGENT_TASKS_H
#define AGENT_TASKS_H

#include "uprobes/agent/control.h"

#include <jni.h>

/* A recording begins. False: the JVM did not make the class that is needed. Without FRT_CONFIG_TASKS nothing happens. */
bool tasks_begin(JNIEnv *env, uint32_t recording);

/* A recording ends: if no other one wants tasks, those that have not begun, or not ended, get their records. */
void tasks_end(JNIEnv *env, uint32_t recording);

/* On the agent's thread, about ten times a second. */
void tasks_watch(JNIEnv *env);

/* The running thread has been started, or is about to end. */
void tasks_thread_begins(JNIEnv *env, jobject thread);
void tasks_thread_ends(JNIEnv *env);

/* Do hooks for tasks go into classes? */
bool tasks_are_on(void);

#endif
