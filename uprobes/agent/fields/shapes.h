/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects that are texts: their classes and fields, in a table. No method is called. */
#ifndef AGENT_SHAPES_H
#define AGENT_SHAPES_H

#include "uprobes/agent/fields/built_text.h"

#include <jni.h>

/* Find the classes of arrays, once. False: the JVM does not give them. */
bool shapes_init(JNIEnv *env);
void shapes_release(JNIEnv *env);

enum shape_result { SHAPE_TEXT, SHAPE_NULL, SHAPE_UNKNOWN };

/*
 * Append an object's text. SHAPE_NULL: it has none now; SHAPE_UNKNOWN: its class is not in the table, or is in a state that
 * fields alone do not tell. A String is one, too.
 */
enum shape_result shapes_read(JNIEnv *env, jobject o, struct built_text *t);

#endif
