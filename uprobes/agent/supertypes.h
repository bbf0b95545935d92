/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters by supertype (+a.b.Iface). A class file names only the types right
 * above its class; those above them are known once the class is prepared.
 */
#ifndef AGENT_SUPERTYPES_H
#define AGENT_SUPERTYPES_H

#include "filters/matcher.h"

#include <jni.h>
#include <jvmti.h>

void supertypes_init(jvmtiEnv *jvmti);

/*
 * Mark a prepared class for itself and for all types above it. True when there
 * is a mark that its class file does not give.
 */
bool supertypes_tag(JNIEnv *env, const struct matcher *p, jclass c, struct matcher_tags *tags);

/* The loaded classes that filters name: most classes are below none of them, which the JVM tells fast. */
struct supertypes {
	jclass base[64]; /* the caller's references */
	uint32_t count;
	bool more; /* than there is room for */
};

void supertypes_find(const struct matcher *p, const jclass *loaded, jint count, struct supertypes *s);
bool supertypes_are_above(JNIEnv *env, const struct supertypes *s, jclass c);

#endif
