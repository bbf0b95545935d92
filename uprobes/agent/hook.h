/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The native methods that rewritten methods call, and the USDT site frtrace:drain. Nothing here makes a system
 * call, takes a lock or allocates memory, except to create or grow the thread's slot.
 */
#ifndef AGENT_HOOK_H
#define AGENT_HOOK_H

#include "uprobes/agent/control.h"

#include <jni.h>

jlong JNICALL hook_enter(JNIEnv *env, jclass helper, jint method);
void JNICALL hook_leave(JNIEnv *env, jclass helper, jlong start, jint method);
void JNICALL hook_thrown(JNIEnv *env, jclass helper, jlong start, jint method);

/* The same for methods with fields. They return the recordings that want the values, as a set of bits. */
jint JNICALL hook_left(JNIEnv *env, jclass helper, jlong start, jint method);
jint JNICALL hook_threw(JNIEnv *env, jclass helper, jlong start, jint method);

#endif
