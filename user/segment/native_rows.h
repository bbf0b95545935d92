/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the collector knows of traced native methods and of threads that call nothing else, in the form of the agent's
 * tables, so that all readers of the segment see both.
 */
#ifndef USER_SEGMENT_NATIVE_ROWS_H
#define USER_SEGMENT_NATIVE_ROWS_H

#include "bpf/queue.h"

#include <stdbool.h>
#include <stddef.h>

#define NATIVE_THREADS 65536u /* a ring: threads that were here first are forgotten first */

struct native_sum {
	uint32_t method;
	struct frt_native_sum sum;
};

/* A call that was open at the last look. */
struct native_open {
	uint64_t start; /* TSC */
	uint32_t method, thread;
	uint32_t stack; /* of copied_stacks_take_open(); 0: none */
};

/* Zeroed: there are none. */
struct native_rows {
	struct frt_thread *thread; /* row = key % capacity; .serial is the key */
	size_t thread_capacity;	   /* a power of two */
	struct native_sum *sum;	   /* sorted by method */
	size_t sums, sum_capacity;
	struct native_open *open; /* thread by thread, outermost first */
	size_t opens, open_capacity;
};

/* Add the calls of one sum to another. */
void native_sum_add(struct frt_native_sum *to, const struct frt_native_sum *from);

void native_rows_release(struct native_rows *r);

/*
 * Name a thread of the target in its row, and say whether it carries virtual threads: those of the JDK's own scheduler do,
 * which are known by their names.
 */
struct target;
void native_rows_name_thread(struct frt_thread *row, const char *name, const struct target *t);

/* The row of a key, to be filled in. NULL: no memory. */
struct frt_thread *native_rows_add_thread(struct native_rows *r, uint32_t key);

/* False: this key was not given, or is forgotten. */
bool native_rows_thread(const struct native_rows *r, uint32_t key, struct frt_thread *out);

/* The sum of a method, zeroed if it is new. NULL: no memory. It is valid until the next one is added. */
struct frt_native_sum *native_rows_add_sum(struct native_rows *r, uint32_t method);

/* NULL: none. */
const struct frt_native_sum *native_rows_sum(const struct native_rows *r, uint32_t method);

/* Without memory it is left out. */
void native_rows_add_open(struct native_rows *r, const struct native_open *call);

#endif
