/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes one value into the records of a slot's ring: numbers, boxes, texts, names. */
#ifndef AGENT_FIELD_TEXT_H
#define AGENT_FIELD_TEXT_H

#include "format/slice.h"
#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

struct field_value {
	enum {
		FIELD_INTEGER,
		FIELD_BOOLEAN, /* this and the next: where the plan does not say it */
		FIELD_CHAR,
		FIELD_FLOAT,
		FIELD_DOUBLE,
		FIELD_OBJECT,
		FIELD_ABSENT /* there is no such field; `object` is the class that lacks it, or NULL */
	} form;
	struct slice wanted; /* ABSENT: the field's name, to be recorded with those that the class has; else empty */
	union {
		int64_t integer;
		float single;
		double twice;
		jobject object;
	};
};

static inline struct field_value field_integer(int64_t v)
{
	return (struct field_value){.form = FIELD_INTEGER, .integer = v};
}

static inline struct field_value field_float(float v)
{
	return (struct field_value){.form = FIELD_FLOAT, .single = v};
}

static inline struct field_value field_double(double v)
{
	return (struct field_value){.form = FIELD_DOUBLE, .twice = v};
}

static inline struct field_value field_object(jobject v)
{
	return (struct field_value){.form = FIELD_OBJECT, .object = v};
}

static inline struct field_value field_absent(jclass c)
{
	return (struct field_value){.form = FIELD_ABSENT, .object = c};
}

/* Find the classes of values, once; only when there are events, so that without them nothing here can fail. */
bool field_text_init(JNIEnv *env);
void field_text_release(JNIEnv *env);

bool field_text_is_string(JNIEnv *env, jobject o);

/* Write a value as `kind` (enum plan_kind), texts with at most `most` characters. */
void field_text_put(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, uint32_t kind, uint32_t most,
		    const struct field_value *v);

/* Write that there is no value. */
void field_put_null(struct frt_slot *s, uint32_t number, uint16_t flags);

#endif
