/* SPDX-License-Identifier: BSD-2-Clause */
/* What hooks tell of an object that may stand in several queues; see struct task_natives. */
#ifndef AGENT_TASK_OBJECTS_H
#define AGENT_TASK_OBJECTS_H

#include <jni.h>

void JNICALL task_object_twin(JNIEnv *env, jclass helper, jint row, jlong other);
void JNICALL task_object_other(JNIEnv *env, jclass helper, jint hash);
void JNICALL task_object_left(JNIEnv *env, jclass helper, jint hash);
jint JNICALL task_object_unmet(JNIEnv *env, jclass helper, jint place);

#endif
