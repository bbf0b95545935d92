/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name of a Java thread, read from outside. The kernel has 15 bytes of it: up to JDK 25 the first ones, since JDK 26
 * the first 7, two dots and the last 6 (HotSpot's os::set_native_thread_name() for Linux).
 */
#ifndef USER_HOTSPOT_THREAD_NAME_H
#define USER_HOTSPOT_THREAD_NAME_H

#include "user/hotspot/layout.h"

#define HOTSPOT_KERNEL_NAME 15u /* bytes */

/*
 * Read the name of the JavaThread at this address, as modified UTF-8 with a final 0. `kernel_name` has
 * HOTSPOT_KERNEL_NAME bytes: only a name that begins with it is accepted. Returns 0; -ENOENT: none was
 * found, or it does not fit into `size`.
 */
int hotspot_thread_name(const struct hotspot_layout *l, const struct mem *m, uint64_t java_thread,
			const char *kernel_name, char *out, size_t size);

#endif
