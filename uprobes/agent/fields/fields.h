/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of calls, for the events of -e: what the rewritten methods hand over, and how it is read. They are read on the
 * calling thread, by JNI, and only for calls that are recorded. No method of the program is called.
 */
#ifndef AGENT_FIELDS_H
#define AGENT_FIELDS_H

#include "filters/plan.h"
#include "format/classfile/class_edit.h"
#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

void fields_release(JNIEnv *env);

/*
 * Take the plan from the recording's config, before classes are rewritten. Returns FRT_DONE, FRT_BAD_CONFIG if it is not
 * valid, or FRT_JVMTI_FAILED if the JVM has no memory for it.
 */
enum frt_result fields_begin(JNIEnv *env, uint32_t recording);

/* The recording ends: write which events between two calls have begun and not ended. */
void fields_finish(JNIEnv *env, uint32_t recording);

/* The recording has ended: its plan is used no more. */
void fields_end(JNIEnv *env, uint32_t recording);

/* A method of a class that is being rewritten. */
struct fields_method {
	const struct class_file *file;
	const struct class_method *method;
	jobject loader;			 /* of the class; NULL: the boot loader */
	uint32_t id;			 /* in the segment */
	const struct matcher *pattern;	 /* of each recording */
	const struct matcher_tags *tags; /* the same, of the class */
};

/*
 * The captures of a method for these recordings (a set of bits): those for later calls, or all others. Returns their number, at
 * most `room`. Static fields of classes that this loader does not mean by their names are left out, and so have no value. Also
 * decides, for fields for classes that are loaded later, of what kind they are.
 */
uint32_t fields_captures(uint32_t recordings, bool for_later, const struct fields_method *m, struct capture *to,
			 uint32_t room);

/*
 * The captures of the exception's class for those recordings that want it, at most FRT_RECORDINGS. Returns their number.
 */
uint32_t fields_thrown(uint32_t recordings, struct capture *to);

/* At the entry of a call, for a value that is read then: what is at the end of its steps. NULL: nothing, or no object. */
jobject JNICALL fields_begun(JNIEnv *env, jclass helper, jobject value, jint number);

/* The natives that take the values. */
void JNICALL fields_put_int(JNIEnv *env, jclass helper, jint value, jint set, jint number);
void JNICALL fields_put_long(JNIEnv *env, jclass helper, jlong value, jint set, jint number);
void JNICALL fields_put_float(JNIEnv *env, jclass helper, jfloat value, jint set, jint number);
void JNICALL fields_put_double(JNIEnv *env, jclass helper, jdouble value, jint set, jint number);
void JNICALL fields_put_object(JNIEnv *env, jclass helper, jobject value, jint set, jint number);

#endif
