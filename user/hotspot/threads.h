/* SPDX-License-Identifier: BSD-2-Clause */
/* The Java threads of a JVM, read from outside. */
#ifndef USER_HOTSPOT_THREADS_H
#define USER_HOTSPOT_THREADS_H

#include "user/hotspot/layout.h"

#include <stdbool.h>

/*
 * Call `visit` for each JavaThread with its address and its kernel id in the JVM's pid namespace (0: not started
 * yet). A non-zero return ends the walk and is returned. The JVM continues to run: threads that begin or end may
 * be missed, and if the list is freed meanwhile the result is -EAGAIN: try again. -ENOTSUP: the layout does not
 * support it; other -errno: unreadable.
 */
int hotspot_each_thread(const struct hotspot_layout *l, const struct mem *m,
			int (*visit)(uint64_t java_thread, int tid, void *context), void *context);

/* The kernel id of one JavaThread, as above; a thread that has ended may have any. Returns 0 or -errno. */
int hotspot_thread_tid(const struct hotspot_layout *l, const struct mem *m, uint64_t java_thread, uint32_t *tid);

/* The java.lang.Thread of a JavaThread, read from outside: its id, name and group. */

/* Fill in l->thread_fields; they stay unknown if the JVM's tables do not tell them. */
void thread_object_find_fields(struct hotspot_layout *l, const struct mem *m);

/* Names are modified UTF-8, cut at a character. */
struct thread_object {
	uint64_t java_id;
	char name[256], group[64];
};

/*
 * Read the Thread of the JavaThread at an address. The JVM continues to run: that the JavaThread is still there after the
 * return is the caller's to prove. Returns 0; -EAGAIN: it is none, or has changed meanwhile; -ENOTSUP: the fields are unknown; other
 * -errno: unreadable.
 */
int thread_object_read(struct thread_object *out, const struct hotspot_layout *l, const struct mem *m,
		       uint64_t java_thread);

#endif
