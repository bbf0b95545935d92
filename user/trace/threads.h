/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers the threads of a recording, from 1 on, also across its chunks: a thread has a key in each chunk, and another one
 * when it is renamed. Out of memory ends the process.
 */
#ifndef USER_TRACE_THREADS_H
#define USER_TRACE_THREADS_H

#include "user/trace/chunk_map.h"
#include "user/trace/texts.h"
#include "user/trace/wait.h"

/* Zeroed at first. */
struct threads {
	struct threads_entry {
		char *name;
		char *group; /* the name with '*' for each number in it, so that the threads of a pool have one */
		int64_t tid, java_id; /* 0: unknown */
		int64_t time;	      /* ns in calls; for the caller */
	} *thread;		      /* by number - 1 */
	size_t count, capacity;
	struct chunk_map keys; /* -> number + 1 */
	struct map ids;	       /* (thread_number(), 0) or (number of a name, 1) -> number */
	struct texts names;
};

void threads_release(struct threads *t);

/*
 * For tables: as put_thread_name(), but virtual threads whose names differ only in numbers have one name, "order-*" or
 * "thread #*".
 */
void put_thread_kind(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value thread, const char *none);

/* The number of a thread; 0: it has no id. Its name is "?" if it has none. */
uint32_t threads_number(struct threads *t, struct jfr_chunk *chunk, const struct jfr_value *thread);

/*
 * The same, where one without an id is told by its name, "unknown thread" if it has none. A struct threads is asked by
 * only one of the two.
 */
uint32_t threads_named(struct threads *t, struct jfr_chunk *chunk, const struct jfr_value *thread);

/* The number of a thread that has one, by its thread_number(); 0: it has none. */
uint32_t threads_of_id(const struct threads *t, uint64_t id);

#endif
