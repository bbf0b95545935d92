/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of loaded classes, by their names, as JVMTI tells them. */
#ifndef AGENT_FIELD_SEARCH_H
#define AGENT_FIELD_SEARCH_H

#include "filters/plan.h"

#include <jni.h>

struct found_field {
	jfieldID id;
	char type; /* 0: none */
	enum plan_kind kind;
	bool statical;
	bool unknown; /* which one it is, or whether there is one */
	bool is_new;  /* it has just been looked for */
};

/* Is this the name of the class? It has slashes. */
bool field_class_is(jclass c, struct slice name);

/*
 * Find a field of objects, or with `statics` also of the class, in a class and those above it: the nearest one, but from the class `known_as` on if the object is
 * known as that and has one there. Returns how many of these classes declare one, or -1: the JVM does not tell.
 */
int field_search(JNIEnv *env, jclass c, struct slice name, bool statics, const char *known_as, struct found_field *out);

#endif
