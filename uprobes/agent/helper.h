/* SPDX-License-Identifier: BSD-2-Clause */
/* The helper class in the boot loader whose static natives the rewritten methods call. */
#ifndef AGENT_HELPER_H
#define AGENT_HELPER_H

#include "format/class_edit.h"

#include <jni.h>
#include <jvmti.h>

/*
 * Define java.lang.FrtraceHook<tag> and bind its natives. NULL, or what went wrong.
 */
const char *helper_init(jvmtiEnv *jvmti, JNIEnv *env, const char *tag);

/* To be called from the ClassPrepare callback: binds the natives when it is the helper that was prepared. */
void helper_prepared(JNIEnv *env, jclass prepared);

/* Let a loader resolve the helper, so that the first `enter` in one of its classes asks it nothing. Runs Java code. */
bool helper_resolve(JNIEnv *env, jobject loader);

const struct class_hooks *helper_hooks(void);

#endif
