/* SPDX-License-Identifier: BSD-2-Clause */
/* A layout while it is read. For the modules layout*.c only. */
#ifndef USER_HOTSPOT_LAYOUT_INTERNAL_H
#define USER_HOTSPOT_LAYOUT_INTERNAL_H

#include "user/hotspot/layout.h"

/* What is read, and from where. */
struct layout_reading {
	struct hotspot_layout *l;
	const struct vmstructs *v;
	const struct mem *m;
	struct diag *d;
	unsigned int jdk_version;
};

/* Read a static field of 8 bytes; 0 if there is no such field. 0, or -errno with the message. */
int layout_read_static(const struct layout_reading *r, const char *name, uint64_t *value);

/* Where the JVM's code is: its heaps, the interpreter and the stubs. 0; -EAGAIN: the JVM starts; other -errno with the message. */
int layout_read_code(struct layout_reading *r);

#endif
