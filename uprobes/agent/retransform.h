/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Has the JVM ask for the code of loaded classes again, in batches; finds those that it refuses.
 *
 * How much of the JVM's metaspace hooks may still take, where that is limited. Each new code of a class takes some: with
 * hooks, and once more when they come out; what was there before comes back late, and only to classes of the same loader.
 * What the JVM has in use can be seen by the collector only (struct frt_room), which is asked while a command runs. In
 * between, and while classes are loaded, the agent counts what their class files say. That account only falls: when there
 * is no room for a class, the agent asks the collector to look again.
 */
#ifndef AGENT_RETRANSFORM_H
#define AGENT_RETRANSFORM_H

#include "uprobes/agent/supertypes.h"

#include <jni.h>
#include <jvmti.h>

/* Classes to retransform, as local references. */
struct batch {
	jclass *classes;
	bool *hooked; /* classes that had hooks before */
	jint count;
	uint32_t recording; /* which is added or removed */
	uint32_t gain;	    /* recordings that get hooks, as a set of bits; 0: hooks are removed */
	bool mounts;	    /* the first one that follows virtual threads is added */
	bool tasks;	    /* the first one that follows tasks is added */
	bool optional;	    /* classes without room for new code may stay as they are; so may those that gain hooks */
	uint64_t until_ns;  /* deadline for all loaders */
	struct supertypes supertypes;
};

void batch_add(struct batch *b, jclass c, bool hooked);

/*
 * Retransform the batch; `loaded` is the number of classes of the JVM. A class that the JVM refuses, or for whose hooks it
 * has no room, is reported as skipped.
 * Returns the first error that more than single classes cause.
 */
jvmtiError batch_retransform(JNIEnv *env, const struct batch *b, jint loaded);

/* The same for one class, which has hooks already if `hooked`. */
jvmtiError batch_retransform_one(JNIEnv *env, jclass c, bool hooked, uint32_t gain);

/*
 * A recording begins; without a limit there is always room. If it is not alone, a limit that another one knows of remains.
 * room_ask(): on the agent's thread, during a command only.
 */
void room_begin(bool limited, bool alone);
void room_ask(void);

/*
 * Take what a class needs for hooks to go in and to come out. False: there is not as much, and nothing is taken. Some is kept
 * for classes that are prepared now, or loaded, while others get hooks.
 */
bool room_take(jclass c, bool prepared_now);

/* The program loads a class; then, the same for that class. `size`: of its class file. */
void room_load(jint size);
bool room_take_loading(jint size);

/* This class, of `size` bytes, has got hooks; it needs room when they come out. */
void room_note_hooked(uint32_t class_id, uint32_t size, uint32_t constants, uint32_t methods);

#endif
