/* SPDX-License-Identifier: BSD-2-Clause */
/* The classes that a JVM has loaded, read from outside: the ClassLoaderDataGraph, and the Klasses of each loader. */
#ifndef USER_HOTSPOT_CLASSES_H
#define USER_HOTSPOT_CLASSES_H

#include "user/hotspot/layout.h"

#include <stdbool.h>

struct loaded_class {
	uint64_t klass;
	uint64_t loader;  /* address of its ClassLoaderData */
	bool boot;	  /* the loader is the boot loader */
	const char *name; /* internal form, modified UTF-8, 0-terminated; for a hidden class HotSpot's name */
	size_t length;
	uint8_t state; /* compare with hotspot_layout.klass_linked and klass_failed */
};

/*
 * Call `visit` for each class that is no array. A non-zero return ends the walk and is returned. For each loader
 * the newest class comes first. So of two classes with the same name, the later one in the walk is older; likewise
 * a redefined class comes after the one that keeps its old methods.
 *
 * The JVM continues to run. Each class must name the loader under which it was found, and none may occur twice;
 * otherwise the walk ends with -EAGAIN and has to be repeated. -ENOTSUP: the layout does not support it; -ENOMEM;
 * other -errno: unreadable.
 */
int hotspot_each_class(const struct hotspot_layout *l, const struct mem *m,
		       int (*visit)(const struct loaded_class *c, void *context), void *context);

#endif
