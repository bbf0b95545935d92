// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/tasks/task_objects.h"
#include "uprobes/agent/tasks/task_others.h"
#include "uprobes/agent/tasks/task_rows.h"
#include "uprobes/agent/tasks/task_threads.h"

void JNICALL task_object_twin(JNIEnv *env, jclass helper, jint row, jlong other)
{
	task_row_doubt(task_row_of(row), other);
}

void JNICALL task_object_other(JNIEnv *env, jclass helper, jint hash)
{
	if (!task_other_add(hash))
		task_hash_doubt(hash);
}

void JNICALL task_object_left(JNIEnv *env, jclass helper, jint hash)
{
	task_thread_meets(env);
	task_other_remove(hash);
}

jint JNICALL task_object_unmet(JNIEnv *env, jclass helper, jint place)
{
	return task_thread_is_unmet(env);
}
