/* SPDX-License-Identifier: BSD-2-Clause */
/* What the JVM and the tables of the segment know of a loaded class. */
#ifndef AGENT_CLASS_INFO_H
#define AGENT_CLASS_INFO_H

#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

/* What the JVM calls a class. */
struct class_info {
	struct slice name;
	char *signature; /* JVMTI's, "La/b/C;" */
	bool unknown;	 /* the JVM does not tell */
};

/*
 * Get the name of a class. True: jvm_free(out->signature) frees it. Returns false for arrays and for classes that
 * cannot be rewritten, too.
 */
bool class_info_name(jclass c, struct class_info *out);

/* The row of the class; NULL: it has none. */
struct frt_class *class_info_row(JNIEnv *env, jclass c, struct slice name);

/*
 * True if the class's initializer has thrown: none of its methods can be called any more, and the JVM no longer
 * transforms it.
 */
bool class_info_is_dead(jclass c);

/*
 * A class that is not prepared has run no code. Retransforming it would link it, and wait for a thread that is
 * linking it.
 */
bool class_info_is_prepared(jclass c);

/* Note that the class has no hooks. */
void class_info_forget(JNIEnv *env, jclass c, struct slice name);

/* The same for a dead class. Returns false if the class is not dead. */
bool class_info_forget_if_dead(JNIEnv *env, jclass c);

#endif
