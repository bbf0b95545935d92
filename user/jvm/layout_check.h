/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is the layout of a JVM right? The same stacks from two sides: walked by
 * bpf/walk.h and resolved, and as the JVM itself prints them in its thread dump. Only
 * threads that slept all the while can be compared; every JVM has some.
 *
 *	layout_check_walk(p); dump = the JVM's thread dump; layout_check_compare(p, dump, ...)
 */
#ifndef USER_JVM_LAYOUT_CHECK_H
#define USER_JVM_LAYOUT_CHECK_H

#include "user/hotspot/layout.h"
#include "user/hotspot/resolve.h"
#include "user/process/find.h"

struct proof;

struct layout_check_setup {
	const struct target *target;
	const struct mem *mem;
	const struct hotspot_layout *layout;
	struct resolver *resolver;
};

/* NULL: no memory. */
struct proof *layout_check_new(const struct layout_check_setup *setup);
void layout_check_free(struct proof *p);

/* Walk threads of the target, 64 at most. */
void layout_check_walk(struct proof *p);

enum layout_check_result {
	LAYOUT_CHECK_NOTHING, /* no thread with two frames or more could be compared */
	LAYOUT_CHECK_PASSED,
	LAYOUT_CHECK_DIFFERENT, /* at least one thread looks different: the layout is not to be trusted */
};

struct layout_check_account {
	unsigned int threads, frames; /* compared and equal */
	char difference[512];	      /* the first */
};

/* Compare with a dump that was made since layout_check_walk(). */
enum layout_check_result layout_check_compare(struct proof *p, const char *dump, struct layout_check_account *out);

#endif
