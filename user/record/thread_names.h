/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of Java threads that the kernel has abbreviated, read from the JVM's memory and cached. */
#ifndef USER_RECORD_THREAD_NAMES_H
#define USER_RECORD_THREAD_NAMES_H

#include "user/hotspot/layout.h"

#include <stdbool.h>

struct thread_names;

/* Both arguments are borrowed. Returns NULL when there is no memory. */
struct thread_names *thread_names_new(const struct hotspot_layout *layout, const struct mem *memory);
void thread_names_free(struct thread_names *n);

/*
 * The full name of the thread with that id in the JVM's pid namespace. `kernel_name` is the kernel's, which is cut off
 * at 15 bytes. Valid until the next call. NULL: the kernel's name is all that is known, or is not abbreviated.
 */
const char *thread_names_of(struct thread_names *n, uint32_t tid, const char kernel_name[16]);

/* Is this a thread of the JVM's garbage collector: by its name, and because it is no Java thread? */
bool thread_names_is_collector(struct thread_names *n, uint32_t tid, const char kernel_name[16]);

#endif
