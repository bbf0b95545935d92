/* SPDX-License-Identifier: BSD-2-Clause */
/* The helper class in the boot loader whose static natives the rewritten methods call. */
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
 * Define java.lang.FrtraceHook<tag> and bind these natives. A class that hook_class_unbind() has left is bound again.
 * FRT_ANOTHER_COPY: the class belongs to a copy of the agent that works.
 */
enum frt_result hook_class_init(jvmtiEnv *jvmti, JNIEnv *env, const char *tag,
				const struct hook_class_natives *natives);

/* The library is about to be unloaded: the class stays, and its natives lead nowhere. */
void hook_class_unbind(JNIEnv *env);

/* To be called from the ClassPrepare callback: binds the natives when it is the helper that was prepared. */
void hook_class_prepared(JNIEnv *env, jclass prepared);

/* Let a loader resolve the helper, so that the first `enter` in one of its classes asks it nothing. Runs Java code. */
bool hook_class_resolve(JNIEnv *env, jobject loader);

const struct class_hooks *hook_class_hooks(void);

#endif
