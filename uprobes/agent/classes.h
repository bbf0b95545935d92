/* SPDX-License-Identifier: BSD-2-Clause */
/* The classes of the JVM: those that are there are retransformed, those that come are caught at load. */
#ifndef AGENT_CLASSES_H
#define AGENT_CLASSES_H

#include "filters/matcher.h"
#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

void classes_init(jvmtiEnv *jvmti);

/*
 * Make the JVM run what the pattern asks for: hooks in every class that it
 * matches, original code in all others. One batch; a class that the JVM
 * refuses is found by bisection, left alone and named. The pattern's block must
 * live until a later call has replaced it and no callback is left that reads.
 * NULL: original code everywhere.
 */
jvmtiError classes_apply(JNIEnv *env, const struct matcher *pattern);

/*
 * Must ClassPrepare stay on without a recording? A class that was given hooks
 * while it was loaded, and came into being after the end, is put right there,
 * before its first method runs.
 */
bool classes_need_prepare(void);

/* Is a callback at work that may be looking at a pattern, perhaps at one long replaced? */
bool classes_reading(void);

/* JVMTI callbacks */
void JNICALL classes_on_file(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader, const char *name,
			     jobject protection_domain, jint size, const unsigned char *bytes, jint *new_size,
			     unsigned char **new_bytes);
void JNICALL classes_on_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass c);

#endif
