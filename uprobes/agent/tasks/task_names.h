/* SPDX-License-Identifier: BSD-2-Clause */
/* The class of a task: not of what the JDK wraps it in, such as a FutureTask, but of what the program has given. */
#ifndef AGENT_TASK_NAMES_H
#define AGENT_TASK_NAMES_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

struct task_class_name;

/*
 * It stays where it is; NULL: unknown. Leaves up to TASK_NAME_REFERENCES local references behind, which a
 * native method gives back when it returns: each DeleteLocalRef() would take longer than the search.
 */
#define TASK_NAME_REFERENCES 14
struct task_class_name *task_name(JNIEnv *env, jobject task);

/* The class that the Java code knows by that number (task_kinds.h), or NULL: it knows none. */
struct task_class_name *task_name_at(jint kind);

/* On the agent's thread: the Java code gets to know the classes that have been met since the last time. */
void task_names_tell(JNIEnv *env);

/* The string of the class's internal name, for a record; 0: there is no room. */
uint32_t task_name_string(struct task_class_name *name);

/* Is this thread a pool's, with a task of that name? */
bool task_name_is_worker(JNIEnv *env, jobject thread, const struct task_class_name *name);

/* The task that a ThreadPoolExecutor.Worker was made for, as a local reference; NULL: none, or unknown. */
jobject JNICALL task_name_first(JNIEnv *env, jclass helper, jobject worker);

/* Is this object of a class of Kotlin's coroutines? */
jint JNICALL task_name_dispatched(JNIEnv *env, jclass helper, jobject object);

/* Is this object a coroutine of Kotlin that begins or goes on, and not what waits for one, nor any other Runnable? */
jint JNICALL task_name_starts(JNIEnv *env, jclass helper, jobject object);

#endif
