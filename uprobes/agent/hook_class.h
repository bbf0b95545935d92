/* SPDX-License-Identifier: BSD-2-Clause */
/* The helper class in the boot loader. Its static natives are the hooks that rewritten methods call. */
#ifndef AGENT_HOOK_CLASS_H
#define AGENT_HOOK_CLASS_H

#include "bpf/frtrace.h"
#include "format/classfile/class_edit.h"

#include <jni.h>
#include <jvmti.h>

struct hook_class_natives {
	jlong(JNICALL *enter)(JNIEnv *env, jclass helper, jint method);
	void(JNICALL *leave)(JNIEnv *env, jclass helper, jlong start, jint method);
	void(JNICALL *thrown)(JNIEnv *env, jclass helper, jlong start, jint method);
};

/*
 * Define java.lang.FrtraceHook<tag> and bind the natives. A class that hook_class_unbind() has left is bound
 * again. Returns FRT_ANOTHER_COPY if the class belongs to another live copy of the agent.
 */
enum frt_result hook_class_init(jvmtiEnv *jvmti, JNIEnv *env, const char *tag,
				const struct hook_class_natives *natives);

/* Unbind the natives before the library is unloaded. The class itself stays. */
void hook_class_unbind(JNIEnv *env);

/* Called by the ClassPrepare callback: binds the natives if `prepared` is the helper. */
void hook_class_prepared(JNIEnv *env, jclass prepared);

/*
 * Let a loader resolve the helper now, so that the first `enter` in one of its classes does not have to ask it.
 * Runs Java code.
 */
bool hook_class_resolve(JNIEnv *env, jobject loader);

const struct class_hooks *hook_class_hooks(void);

#endif
