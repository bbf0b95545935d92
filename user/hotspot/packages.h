/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packages of all loaded classes, for users that know a class by its name and loader, as the agent does, and not
 * by its address.
 */
#ifndef USER_HOTSPOT_PACKAGES_H
#define USER_HOTSPOT_PACKAGES_H

#include "user/hotspot/layout.h"
#include "user/hotspot/resolved.h"

struct packages;

/* Both are borrowed until packages_free(). NULL: no memory. */
struct packages *packages_new(const struct hotspot_layout *l, const struct mem *m);
void packages_free(struct packages *p);

/* A class by its name, in internal form, and its loader. */
struct class_name {
	const char *name;
	const char *loader_type; /* the loader's class, in internal form; NULL: the boot loader */
	const char *loader_name; /* NULL or "": none */
};

/*
 * Get the module of a class. Loaders with the same class and name count as one. False: it is unknown; no class of its
 * package is loaded; the package is in different modules of such loaders; or there are no modules. A package that
 * has not been seen costs a walk of all loaded classes, at most PACKAGES_WALKS times. The texts are valid until
 * packages_free().
 */
#define PACKAGES_WALKS 32u
bool packages_find(struct packages *p, const struct class_name *c, struct resolved_module *out);

#endif
