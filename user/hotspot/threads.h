/* SPDX-License-Identifier: BSD-2-Clause */
/* The Java threads of a JVM, read from outside. */
#ifndef USER_HOTSPOT_THREADS_H
#define USER_HOTSPOT_THREADS_H

#include "user/hotspot/layout.h"

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

#endif
