/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is the layout of a JVM right? The same stacks from two sides: walked by
 * bpf/walk.h and resolved, and as the JVM itself prints them in its thread dump. Only
 * threads that slept all the while can be compared; every JVM has some.
 *
 *	proof_walk(p); dump = the JVM's thread dump; proof_compare(p, dump, ...)
 */
#ifndef USER_JVM_LAYOUT_CHECK_H
#define USER_JVM_LAYOUT_CHECK_H

#include "user/hotspot/layout.h"
#include "user/hotspot/resolve.h"
#include "user/process/find.h"

struct proof;

struct proof_setup {
	const struct target *target;
	const struct mem *mem;
	const struct hotspot_layout *layout;
	struct resolver *resolver;
};

/* NULL: no memory. */
struct proof *proof_new(const struct proof_setup *setup);
void proof_free(struct proof *p);

/* Walk threads of the target, 64 at most. */
void proof_walk(struct proof *p);

enum proof_result {
	PROOF_NOTHING,	 /* no thread with two frames or more could be compared */
	PROOF_GIVEN,
	PROOF_DIFFERENT, /* at least one thread looks different: the layout is not to be trusted */
};

struct proof_account {
	unsigned int threads, frames; /* compared and equal */
	char difference[512];	      /* the first */
};

/* Compare with a dump that was made since proof_walk(). */
enum proof_result proof_compare(struct proof *p, const char *dump, struct proof_account *out);

#endif
