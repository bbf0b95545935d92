/* SPDX-License-Identifier: BSD-2-Clause */
/* The packages of a program that its threads are in most of the time, by some thread dumps. */
#ifndef USER_JVM_BUSY_PACKAGES_H
#define USER_JVM_BUSY_PACKAGES_H

#include "format/bytes.h"
#include "user/process/target.h"

#define BUSY_PACKAGES 512u /* that are counted; others are not */

struct busy_packages {
	struct busy_package {
		char name[256];	     /* a.b.c, */
		bool alone;	     /* or a class without a package */
		unsigned int stacks; /* that it is in, */
		unsigned int depth;  /* and the sum of how deep */
	} package[BUSY_PACKAGES];
	struct busy_thread {
		uint32_t tid;
		uint64_t hash;
	} *thread; /* with their last stacks */
	size_t threads, capacity;
	unsigned int count;
	unsigned int stacks, dumps; /* number of busy stacks with a package of the program, and of dumps */
};

/*
 * Count the stacks in a dump's text. Busy is a thread in Java code, and one in a native method, as one that waits, if its
 * stack has changed since the dump before, or is new. Packages of the JDK do not count. Without memory some threads count as busy.
 */
void busy_packages_add(struct busy_packages *p, const char *dump);

/*
 * Append to `where` the busiest, "a.b (80 %), a.c (15 %)", at most three, and to `filter` the first one's, as for -m. Nothing
 * if no thread was busy.
 */
void busy_packages_put(struct busy_packages *p, struct bytes *filter, struct bytes *where);

/* Zeroed: no packages. */
void busy_packages_release(struct busy_packages *p);

/* Ask a JVM for dumps for two seconds. A JVM that gives none has no packages. */
void busy_packages_watch(struct busy_packages *p, const struct target *t);

#endif
