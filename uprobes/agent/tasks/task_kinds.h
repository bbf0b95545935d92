/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Classes of tasks that the Java code of java.lang.FrtraceTasks<tag> knows by numbers, so that no call of the JVM is needed to
 * find out which class a task has.
 */
#ifndef AGENT_TASK_KINDS_H
#define AGENT_TASK_KINDS_H

#include "uprobes/agent/tasks/task_code.h"

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* What the code has to know about the JDK's class Unsafe; NULL: this JDK has another one. */
const struct task_unsafe *task_kinds_unsafe(JNIEnv *env);

/* Give the class its arrays. False: there is no memory for them. */
bool task_kinds_init(JNIEnv *env, jclass tasks);

/*
 * On the agent's thread: this class has that number from now on, which is what task_kind_of_hash() says. `inner`: the field with what
 * its objects wrap, or NULL. `class` may be a weak reference. No other class gets the number.
 */
void task_kinds_add(JNIEnv *env, uint32_t number, jclass class, jfieldID inner);

static inline uint32_t task_kind_of_hash(uint32_t hash)
{
	return hash % TASK_CLASSES;
}

#endif
