/* SPDX-License-Identifier: BSD-2-Clause */
/* Class files with hooks in the methods that agent/policy chooses. */
#ifndef AGENT_REWRITE_H
#define AGENT_REWRITE_H

#include "filters/matcher.h"
#include "uprobes/agent/control.h"

#include <jni.h>

enum rewrite_answer {
	REWRITE_NOTHING, /* the class stays as it is */
	REWRITE_DONE,
	REWRITE_LATER, /* its loader is being asked for the helper: look again when the class is prepared */
};

struct rewrite {
	const struct matcher *pattern;
	struct matcher_tags *tags; /* those that the JVM knows of; the ones that the class file tells are added */
	JNIEnv *env;
	jobject loader;
	bool insist; /* ask the loader even if it is being asked already */
};

/*
 * Rewrite a class file. On REWRITE_DONE *out lies in *memory, which the caller
 * gives back with sys_unmap(*memory, *memory_size); else no memory is kept.
 * Enters class, methods and skips into the control segment.
 */
enum rewrite_answer rewrite_class(const struct rewrite *r, const unsigned char *bytes, size_t size,
				  const unsigned char **out, size_t *out_size, void **memory, size_t *memory_size);

#endif
