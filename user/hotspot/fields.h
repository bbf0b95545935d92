/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields that a class declares, from its InstanceKlass. */
#ifndef USER_HOTSPOT_FIELDS_H
#define USER_HOTSPOT_FIELDS_H

#include "user/hotspot/layout.h"

#include <stdbool.h>

#define FIELD_STATIC 0x0008u /* JVMS 4.5 */

struct declared_field {
	const char *name, *descriptor;
	uint32_t access;
	uint32_t offset; /* in the object, or for a static field in the class's mirror */
};

/*
 * Visit the fields of the class at an address, in no particular order. Returns 0; -ENOTSUP: this JVM does not tell;
 * -EBADMSG: they are implausible; other -errno: unreadable.
 */
int klass_each_field(const struct hotspot_layout *l, const struct mem *m, uint64_t klass,
		     void (*visit)(const struct declared_field *f, void *context), void *context);

#endif
