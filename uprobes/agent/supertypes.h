/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters by supertype (+a.b.Iface). A class file names only the direct supertypes of its class; the others are
 * known once the class is prepared.
 */
#ifndef AGENT_SUPERTYPES_H
#define AGENT_SUPERTYPES_H

#include "filters/matcher.h"

#include <jni.h>
#include <jvmti.h>

/*
 * Add the tags of a prepared class and of all its supertypes. Returns true if one of them does not come from its
 * class file.
 */
bool supertypes_tag(JNIEnv *env, const struct matcher *p, jclass c, struct matcher_tags *tags);

/*
 * The loaded classes that filters name as supertypes. Most classes are below none of them, which the JVM answers
 * fast.
 */
struct supertypes {
	jclass base[64]; /* references owned by the caller */
	uint32_t count;
	bool more; /* there are more than fit */
};

void supertypes_find(const struct matcher *p, const jclass *loaded, jint count, struct supertypes *s);
bool supertypes_are_above(JNIEnv *env, const struct supertypes *s, jclass c);

#endif
