/* SPDX-License-Identifier: BSD-2-Clause */
/* The JVM as the agent reaches it. */
#ifndef AGENT_JVM_H
#define AGENT_JVM_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

/* The agent's environment in the JVM, since it was loaded. */
extern jvmtiEnv *jvmti;

/* Free what JVMTI has allocated; it may be NULL. */
static inline void jvm_free(void *memory)
{
	if (memory)
		(*jvmti)->Deallocate(jvmti, memory);
}

/* True if an exception is pending. It is cleared. */
static inline bool jvm_threw(JNIEnv *env)
{
	if (!(*env)->ExceptionCheck(env))
		return false;
	(*env)->ExceptionClear(env);
	return true;
}

/* Make room for local references, up to PopLocalFrame(). False: the JVM has no memory for them. */
static inline bool jvm_push_frame(JNIEnv *env, jint references)
{
	if (!(*env)->PushLocalFrame(env, references))
		return true;
	(*env)->ExceptionClear(env);
	return false;
}

/* A global reference instead of a local one. NULL, without a pending exception, if that was NULL or there is no memory. */
static inline jclass jvm_keep_class(JNIEnv *env, jclass local)
{
	jclass global = local ? (*env)->NewGlobalRef(env, local) : NULL;

	jvm_threw(env);
	if (local)
		(*env)->DeleteLocalRef(env, local);
	return global;
}

#endif
