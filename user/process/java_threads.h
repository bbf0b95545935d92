/* SPDX-License-Identifier: BSD-2-Clause */
/* The Java threads that a thread dump shows, by their kernel ids. */
#ifndef USER_PROCESS_JAVA_THREADS_H
#define USER_PROCESS_JAVA_THREADS_H

#include "user/process/dump.h"

#include <stddef.h>

/* Zeroed: there are none. */
struct java_threads {
	struct dump_thread *thread; /* sorted by tid */
	size_t count, capacity;
};

/* Replace the threads by those in the dump's text. Without memory some are missing. */
void java_threads_read(struct java_threads *t, const char *dump);
void java_threads_release(struct java_threads *t);

/* The thread with that id in the target's pid namespace; NULL: there was none. */
const struct dump_thread *java_threads_find(const struct java_threads *t, uint32_t tid);

#endif
