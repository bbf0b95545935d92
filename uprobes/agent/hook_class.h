/* SPDX-License-Identifier: BSD-2-Clause */
/* The helper class in the boot loader. Its static natives are the hooks that rewritten methods call. */
#ifndef AGENT_HOOK_CLASS_H
#define AGENT_HOOK_CLASS_H

#include "bpf/frtrace.h"
#include "format/classfile/class_edit.h"

#include <jni.h>
#include <jvmti.h>

/* What happens to a virtual thread; the natives get its id. */
enum hook_mount {
	HOOK_MOUNT,   /* it is about to run on this carrier */
	HOOK_UNMOUNT, /* it has left this carrier, and will run again */
	HOOK_END,     /* it has left this carrier for ever */
	HOOK_READY,   /* this thread is about to give it to the scheduler */
	HOOK_MOUNTS
};

/* Methods with a descriptor. */
enum hook_poll {
	HOOK_POLL,     /* a virtual thread waits for it */
	HOOK_REGISTER, /* a poller gets it */
	HOOK_POLLS
};

#define HOOK_PUTS 5 /* types of values */

struct hook_class_natives {
	jlong(JNICALL *enter)(JNIEnv *env, jclass helper, jint method);
	void(JNICALL *leave)(JNIEnv *env, jclass helper, jlong start, jint method);
	void(JNICALL *thrown)(JNIEnv *env, jclass helper, jlong start, jint method);
	jlong(JNICALL *waits)(JNIEnv *env, jclass helper, jint reason);
	void(JNICALL *waited)(JNIEnv *env, jclass helper, jlong start, jint reason);
	jlong(JNICALL *polls[HOOK_POLLS])(JNIEnv *env, jclass helper, jint descriptor, jint reason);
	void(JNICALL *polled[HOOK_POLLS])(JNIEnv *env, jclass helper, jlong start, jint reason);
	jint(JNICALL *left)(JNIEnv *env, jclass helper, jlong start, jint method);
	jint(JNICALL *threw)(JNIEnv *env, jclass helper, jlong start, jint method);
	jobject(JNICALL *begun)(JNIEnv *env, jclass helper, jobject value, jint number);
	void *put
		[HOOK_PUTS]; /* (value, jint set, jint number); the values are a jint, jlong, jfloat, jdouble, jobject */
	void(JNICALL *mount[HOOK_MOUNTS])(JNIEnv *env, jclass helper, jlong java_id);
};

/*
 * Define java.lang.FrtraceHook<tag> and bind the natives. A class that hook_class_unbind() has left is bound
 * again. Returns FRT_ANOTHER_COPY if the class belongs to another live copy of the agent.
 */
enum frt_result hook_class_init(JNIEnv *env, const char *tag, const struct hook_class_natives *natives);

/* Unbind the natives before the library is unloaded. The class itself stays. */
void hook_class_unbind(JNIEnv *env);

/*
 * Have the JVM prepare a boot class of ours, and call `bind` meanwhile, with a class of the JDK on the stack: see hook_class.c.
 * `name`: with dots. If it has been prepared already, nothing is called.
 * False: it is not found.
 */
bool hook_class_bind_at_prepare(JNIEnv *env, jclass class, const char *name, void (*bind)(JNIEnv *env, jclass class));

/* Called by the ClassPrepare callback: binds the natives if `prepared` is a class of ours. */
void hook_class_prepared(JNIEnv *env, jclass prepared);

/*
 * Let a loader resolve the helper now, so that the first `enter` in one of its classes does not have to ask it.
 * Runs Java code.
 */
bool hook_class_resolve(JNIEnv *env, jobject loader);

const struct class_hooks *hook_class_hooks(void);

/* The hooks of a method in which a virtual thread may be parked; their id is the reason, enum frt_wait_reason. */
const struct class_hooks *hook_class_wait_hooks(void);

/* The hooks of a method with a descriptor (EDIT_COUNTS). */
const struct class_hooks *hook_class_poll_hooks(enum hook_poll poll);

/* The name of the native method for `hook`. */
const char *hook_class_mount_name(enum hook_mount hook);

#endif
