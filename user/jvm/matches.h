/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What filters would hit in a JVM, told by reading its memory: the loaded classes are asked as the agent would ask
 * them (filters/policy.h), and nothing is done to the JVM.
 */
#ifndef USER_JVM_MATCHES_H
#define USER_JVM_MATCHES_H

#include "filters/matcher.h"
#include "user/hotspot/layout.h"
#include "user/hotspot/resolve.h"

#include <stdbool.h>

#define MATCH_LOWER_BOUND 0x01u /* an intrinsic of the JIT: not all calls are seen */
#define MATCH_UNLINKED	  0x02u /* gets its hooks as soon as its class is linked */
#define MATCH_FAILED	  0x04u /* its class's initializer has thrown: nobody can call it, it gets none */
#define MATCH_LONG	  0x08u /* may be too long for hooks: told when its class is rewritten */
#define MATCH_OLD	  0x10u /* may have jsr/ret, as class files before Java 6 do: told then, too */

struct match {
	const struct resolved_method *method;
	uint64_t address; /* of the Method */
	uint64_t loader;  /* address of the ClassLoaderData; 0: the boot loader */
	struct matcher_decision verdict;
	uint32_t reason; /* enum frt_skip_reason: why it gets no hooks */
	uint32_t flags;	 /* MATCH_* */
};

struct matches {
	struct match *match; /* by class, method, descriptor, loader */
	uint32_t count, capacity;
	uint32_t classes; /* loaded, arrays and hidden ones not counted */
	uint32_t unread;  /* classes that changed while they were read, however often that was tried */
	bool incomplete;  /* the walk over all classes never came to its end: some may be missing */
	struct method_table *texts;
};

struct matches_setup {
	const struct hotspot_layout *layout;
	const struct mem *mem;
	const struct matcher *pattern;
	unsigned int jdk_version; /* of the JDK */
	unsigned int pause_us;	  /* before what changed while it was read is read again */
	/* May be NULL: shown every loaded class, and (name not NULL) the methods of those that filters name, none of which is selected */
	void (*near)(const char *class_name, const char *method, void *context);
	void *context;
};

/* 0, *out is to be released; -ENOTSUP: the layout lacks it; -ENOMEM; other -errno: unreadable, or gone. */
int matches_find(struct matches *out, const struct matches_setup *setup);
void matches_release(struct matches *m);

/* The first of a class's methods of that name (internal forms); m->count: there is none. The others stand behind it. */
uint32_t matches_first(const struct matches *m, const char *class_name, const char *method);

/* Would it have hooks? (MATCH_UNLINKED: not at once.) */
bool match_is_traced(const struct match *m);

#endif
