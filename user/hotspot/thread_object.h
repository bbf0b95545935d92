/* SPDX-License-Identifier: BSD-2-Clause */
/* The java.lang.Thread of a JavaThread, read from outside: its id, name and group. */
#ifndef USER_HOTSPOT_THREAD_OBJECT_H
#define USER_HOTSPOT_THREAD_OBJECT_H

#include "user/hotspot/layout.h"

#include <stdbool.h>

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
