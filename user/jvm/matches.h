/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds what filters match in a JVM by reading its memory. The loaded classes are judged as the agent would judge
 * them (filters/policy.h); the JVM is not changed.
 */
#ifndef USER_JVM_MATCHES_H
#define USER_JVM_MATCHES_H

#include "filters/filter_list.h"
#include "filters/matcher.h"
#include "user/hotspot/layout.h"
#include "user/hotspot/resolve.h"

#include <stdbool.h>

#define MATCH_LOWER_BOUND 0x01u /* an intrinsic of the JIT: some calls may be missed */
#define MATCH_UNLINKED	  0x02u /* gets its hooks when its class is linked */
#define MATCH_FAILED	  0x04u /* its class's initializer has thrown: it cannot be called, and gets no hooks */
#define MATCH_LONG	  0x08u /* may be too long for hooks, which rewriting will show */
#define MATCH_OLD	  0x10u /* may contain jsr/ret, as class files before Java 6 do, which rewriting will show */
#define MATCH_TWIN	  0x20u /* another method of the class differs from it only in what it returns */

struct match {
	const struct resolved_method *method;
	uint64_t address; /* of the Method */
	uint64_t loader;  /* address of the ClassLoaderData; 0: the boot loader */
	struct matcher_decision verdict;
	uint32_t reason; /* enum frt_skip_reason: why it gets no hooks */
	uint32_t flags;	 /* MATCH_* */
};

struct matches {
	struct match *match; /* sorted by class, method, descriptor, loader */
	uint32_t count;
	size_t capacity;
	uint32_t classes; /* loaded classes without arrays and hidden ones */
	uint32_t unread;  /* classes that changed during each attempt to read them */
	bool incomplete;  /* no walk over all classes completed: some may be missing */
	struct method_table *texts;
};

struct matches_setup {
	const struct hotspot_layout *layout;
	const struct mem *mem;
	const struct matcher *pattern;
	unsigned int jdk_version; /* of the JDK */
	unsigned int pause_us;	  /* before reading again what changed while it was read */
	/*
	 * Called for every loaded class; with `name` not NULL for the methods of a class that a filter names but
	 * selects nothing of. May be NULL.
	 */
	void (*near)(const char *class_name, const char *method, void *context);
	void *context;
};

/*
 * Returns 0 or -errno; *out may be incomplete then, and is to be released in any case. -ENOTSUP: the layout does not support
 * it; -ENOMEM; -EINTR: a signal came (interrupt.h), and it had taken seconds of CPU time, as forged classes do; other -errno:
 * unreadable, or gone.
 */
int matches_find(struct matches *out, const struct matches_setup *setup);

/* The same for what these filters match; setup.pattern is not used. The message is in *d. */
int matches_find_by(struct matches *out, struct matches_setup setup, const struct filter_list *filters, struct diag *d);
void matches_release(struct matches *m);

/*
 * Index of the first method with that class and name (internal forms), which its overloads follow; m->count if
 * there is none.
 */
uint32_t matches_first(const struct matches *m, const char *class_name, const char *method);

/* True if it would get hooks (with MATCH_UNLINKED not at once). */
bool match_is_traced(const struct match *m);

/* True for a native method: its function would be traced. */
bool match_is_traced_native(const struct match *m);

#endif
