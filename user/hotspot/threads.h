/* SPDX-License-Identifier: BSD-2-Clause */
/* The Java threads of a JVM, from outside. */
#ifndef USER_HOTSPOT_THREADS_H
#define USER_HOTSPOT_THREADS_H

#include "user/hotspot/layout.h"

/*
 * Call `see` for each JavaThread: its address, and the kernel's id of it in the JVM's pid
 * namespace (0: not started yet). A non-zero return ends the walk and is returned. The JVM goes on
 * meanwhile: threads that begin or end may be left out, and a list that is freed
 * under us is given up with -EAGAIN: try again. -ENOTSUP: the layout lacks it; other -errno: unreadable.
 */
int hotspot_each_thread(const struct hotspot_layout *l, const struct mem *m,
			int (*visit)(uint64_t java_thread, int tid, void *context), void *context);

#endif
