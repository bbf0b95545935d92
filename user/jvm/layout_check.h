/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the layout of a JVM. It compares stacks that bpf/walk.h has walked and that were resolved with the JVM's
 * own thread dump. Only threads that slept all the time can be compared; every JVM has some.
 *
 *	layout_check_walk(p); dump = the JVM's thread dump; layout_check_compare(p, dump, ...)
 */
#ifndef USER_JVM_LAYOUT_CHECK_H
#define USER_JVM_LAYOUT_CHECK_H

#include "user/hotspot/layout.h"
#include "user/hotspot/resolve.h"
#include "user/process/find.h"

struct layout_check;

struct layout_check_setup {
	const struct target *target;
	const struct mem *mem;
	const struct hotspot_layout *layout;
	struct resolver *resolver;
};

/* Returns NULL without memory. */
struct layout_check *layout_check_new(const struct layout_check_setup *setup);
void layout_check_free(struct layout_check *p);

/* Walk at most 64 threads of the target. */
void layout_check_walk(struct layout_check *p);

enum layout_check_result {
	LAYOUT_CHECK_NOTHING, /* no thread with two frames or more could be compared */
	LAYOUT_CHECK_PASSED,
	LAYOUT_CHECK_DIFFERENT, /* at least one thread differs: do not trust the layout */
};

struct layout_check_account {
	unsigned int threads, frames; /* compared and equal */
	char difference[512];	      /* the first one */
};

/* Compare with a dump that was taken after layout_check_walk(). */
enum layout_check_result layout_check_compare(struct layout_check *p, const char *dump,
					      struct layout_check_account *out);

#endif
