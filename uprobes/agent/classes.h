/* SPDX-License-Identifier: BSD-2-Clause */
/* The classes of the JVM. Loaded classes are retransformed; new classes are rewritten while they are loaded. */
#ifndef AGENT_CLASSES_H
#define AGENT_CLASSES_H

#include "filters/matcher.h"
#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

/*
 * A recording begins: give hooks to the classes that its pattern matches. The classes go in batches; a class that the
 * JVM refuses is found by bisection, left unchanged and reported as skipped. The caller keeps the filter program until
 * classes_remove() has been called and no callback reads it any more.
 */
jvmtiError classes_add(JNIEnv *env, uint32_t recording, const struct matcher *pattern);

/* It ends: restore what no other recording wants. Classes whose hooks others all want as well are left alone. */
jvmtiError classes_remove(JNIEnv *env, uint32_t recording);

/* Remove the hooks that all their recordings have given up (FRT_RULE_UNHOOKED). */
jvmtiError classes_unhook(JNIEnv *env);

/*
 * Between recordings, when the tables are crowded: a class that got hooks while it was being loaded, and that the JVM does
 * not have, could not be defined, or is being loaded still. It does not count as hooked any more (FRT_CLASS_LEFT).
 */
jvmtiError classes_leave_missing(JNIEnv *env);

/*
 * True if ClassPrepare must stay enabled without a recording. It restores classes that got hooks while they were
 * being loaded and were not visible when the recording ended, before their first method runs.
 */
bool classes_need_prepare(void);

/* True if a running callback may read a pattern, even one that has been replaced. */
bool classes_reading(void);

/* JVMTI callbacks */
void JNICALL classes_on_file(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader, const char *name,
			     jobject protection_domain, jint size, const unsigned char *bytes, jint *new_size,
			     unsigned char **new_bytes);
void JNICALL classes_on_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass c);

#endif
