/* SPDX-License-Identifier: BSD-2-Clause */
/* The classes that a JVM has loaded, from outside: ClassLoaderDataGraph, and of each loader its Klasses. */
#ifndef USER_HOTSPOT_CLASSES_H
#define USER_HOTSPOT_CLASSES_H

#include "user/hotspot/layout.h"

#include <stdbool.h>

struct loaded_class {
	uint64_t klass;
	uint64_t loader;  /* address of its ClassLoaderData */
	bool boot;	  /* that of the boot loader */
	const char *name; /* internal form, modified UTF-8, 0-terminated; of a hidden class as HotSpot calls it */
	size_t length;
	uint8_t state; /* as hotspot_layout.klass_linked and klass_failed have it */
};

/*
 * Call `see` for each class that is no array; a non-zero return ends the walk and is returned. Of a loader the
 * newest comes first: what stands behind a class of the same name was there before it, as the class that a redefinition
 * has changed stands behind the one that keeps its old methods. The JVM goes on meanwhile: a walk that
 * was led astray (every class must name the loader that it was found at, none comes twice) ends with -EAGAIN: walk
 * again. -ENOTSUP: the layout lacks it; -ENOMEM; other -errno: unreadable.
 */
int hotspot_each_class(const struct hotspot_layout *l, const struct mem *m,
		       int (*visit)(const struct loaded_class *c, void *context), void *context);

#endif
