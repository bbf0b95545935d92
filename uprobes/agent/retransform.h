/* SPDX-License-Identifier: BSD-2-Clause */
/* Has the JVM ask for the code of loaded classes again, in batches; finds those that it refuses. */
#ifndef AGENT_RETRANSFORM_H
#define AGENT_RETRANSFORM_H

#include "uprobes/agent/supertypes.h"

#include <jni.h>
#include <jvmti.h>

void retransform_init(jvmtiEnv *jvmti);

/* Classes to retransform, as local references. */
struct batch {
	jclass *classes;
	bool *hooked; /* classes that had hooks before */
	jint count;
	uint32_t recording; /* which is added or removed */
	uint32_t gain;	    /* recordings that get hooks, as a set of bits; 0: hooks are removed */
	bool mounts;	    /* the first one that follows virtual threads is added */
	uint64_t until_ns;  /* deadline for all loaders */
	struct supertypes supertypes;
};

void batch_add(struct batch *b, jclass c, bool hooked);

/*
 * Retransform the batch; `loaded` is the number of classes of the JVM. A class that the JVM refuses is reported as skipped.
 * Returns the first error that more than single classes cause.
 */
jvmtiError batch_retransform(JNIEnv *env, const struct batch *b, jint loaded);

/* The same for one class, which has hooks already if `hooked`. */
jvmtiError batch_retransform_one(JNIEnv *env, jclass c, bool hooked, uint32_t gain);

#endif
