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
	REWRITE_LATER,	   /* its loader is being asked for the helper: try again in ClassPrepare */
	REWRITE_MALFORMED, /* unchanged; the caller reports this and the next one, as the name is not known here */
	REWRITE_NO_MEMORY,
};

struct rewrite {
	uint32_t recordings;	       /* those with a pattern, as a set of bits */
	uint32_t news;		       /* those that get rules and skips: the others have them already */
	const struct matcher *pattern; /* of each recording */
	struct matcher_tags *tags;     /* the same: known from the JVM; those found in the class file are added */
	bool mounts;		       /* hook the mounts of virtual threads, too */
	bool tasks;		       /* hook where tasks are handed over, too */
	JNIEnv *env;
	jobject loader;
	bool insist; /* ask the loader even if it is being asked already */
};

/* True if a running recording traces native methods; a recording begins, and has none yet. */
bool rewrite_has_natives(void);
void rewrite_forget_natives(uint32_t recording);

/*
 * The class whose methods mount virtual threads, and that of their continuations: its constructor makes one, so no virtual
 * thread comes to a carrier before the second class is prepared.
 */
bool rewrite_is_mounts(struct slice name);
bool rewrite_is_continuation(struct slice name);

/* The classes by which virtual threads wait for descriptors. */
bool rewrite_is_poller(struct slice name);

/*
 * Rewrite a class file. On REWRITE_DONE *out points into *memory, which the caller releases with
 * sys_unmap(*memory, *memory_size); otherwise nothing is allocated. Enters the class, its methods and skips into
 * the control segment.
 */
enum rewrite_answer rewrite_class(const struct rewrite *r, const unsigned char *bytes, size_t size,
				  const unsigned char **out, size_t *out_size, void **memory, size_t *memory_size);

#endif
