/* SPDX-License-Identifier: BSD-2-Clause */
/* Class loaders, as HotSpot stores them. */
#ifndef USER_HOTSPOT_LOADER_H
#define USER_HOTSPOT_LOADER_H

#include "user/hotspot/layout.h"
#include "user/hotspot/method_table.h"

/*
 * Read the class and name of the loader with this ClassLoaderData (not the boot loader's) into out->loader_type
 * and out->loader_name; unknown ones stay NULL. Returns 0 or -ENOMEM.
 */
int loader_read(const struct hotspot_layout *l, const struct mem *m, uint64_t loader, struct method_table *t,
		struct resolved_method *out);

#endif
