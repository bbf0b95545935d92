/* SPDX-License-Identifier: BSD-2-Clause */
/* Rewriting of class files: adds hooks to the methods that the policy selects. */
#ifndef AGENT_REWRITE_H
#define AGENT_REWRITE_H

#include "filters/matcher.h"
#include "uprobes/agent/control.h"

#include <jni.h>

enum rewrite_answer {
	REWRITE_NOTHING, /* the class stays unchanged */
	REWRITE_DONE,
	REWRITE_LATER, /* its loader is being asked for the helper: try again in ClassPrepare */
};

struct rewrite {
	const struct matcher *pattern;
	struct matcher_tags *tags; /* tags known from the JVM; those found in the class file are added */
	JNIEnv *env;
	jobject loader;
	bool insist; /* ask the loader even if it is being asked already */
};

/* Must this class get hooks for the mounts of virtual threads, whatever the filters select? */
bool rewrite_needs_mounts(struct slice name);

/*
 * Rewrite a class file. On REWRITE_DONE *out points into *memory, which the caller releases with
 * sys_unmap(*memory, *memory_size); otherwise nothing is allocated. Enters the class, its methods and skips into
 * the control segment.
 */
enum rewrite_answer rewrite_class(const struct rewrite *r, const unsigned char *bytes, size_t size,
				  const unsigned char **out, size_t *out_size, void **memory, size_t *memory_size);

#endif
