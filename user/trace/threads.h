/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers the threads of a recording, also across its chunks. */
#ifndef USER_TRACE_THREADS_H
#define USER_TRACE_THREADS_H

#include "user/trace/aggregate.h"
#include "user/trace/wait.h"

struct threads {
	struct threads_entry {
		char *name;
		char *group;  /* the name with '*' for each number in it, so that the threads of a pool have one */
		int64_t time; /* ns in calls; for the caller */
	} *thread;	      /* by number - 1 */
	size_t count, capacity;
	struct aggregate keys; /* of the last chunk -> number in `mark` */
	struct aggregate ids;  /* thread_number() -> number in `mark` */
};

void threads_release(struct threads *t);

/* The number, from 1 on, of a thread; 0: it has no id. UINT32_MAX: no memory. */
uint32_t threads_number(struct threads *t, struct jfr_chunk *chunk, const struct jfr_value *thread);

/* The number of a thread that has one, by its thread_number(); 0: it has none. */
uint32_t threads_of_id(struct threads *t, uint64_t id);

#endif
