/* SPDX-License-Identifier: BSD-2-Clause */
/* The Java threads behind kernel ids, read from the JVM's memory and cached. */
#ifndef USER_RECORD_THREAD_NAMES_H
#define USER_RECORD_THREAD_NAMES_H

#include "user/hotspot/layout.h"
#include "user/hotspot/threads.h"
#include "user/process/target.h"

#include <stdbool.h>

struct thread_names;

/* The arguments are borrowed. Returns NULL when there is no memory. */
struct thread_names *thread_names_new(const struct hotspot_layout *layout, const struct mem *memory,
				      const struct target *target);
void thread_names_free(struct thread_names *n);

/*
 * A thread has woken another one at `woke` (CLOCK_MONOTONIC, ns): have it looked up while it is alive. Its id is that in the
 * JVM's pid namespace, `started` as in struct frt_wait, and `kernel_name` the kernel's name, which is cut off at 15 bytes.
 */
void thread_names_see(struct thread_names *n, uint32_t tid, uint32_t started, const char kernel_name[16], int64_t woke);

/* What is known of such a thread, valid until the next call of thread_names_see(). NULL: nothing that is certain. */
const struct thread_object *thread_names_of(const struct thread_names *n, uint32_t tid, uint32_t started,
					    const char kernel_name[16]);

/*
 * The id of the Java thread that HotSpot has as a monitor's owner: its JavaThread, or an address in its stack. It had that
 * monitor at `then` (CLOCK_MONOTONIC, ns), if it is one that has been there since. 0: unknown. Costs time, as thread_names_see() does.
 */
uint32_t thread_names_owner(struct thread_names *n, uint64_t owner, int64_t then);

/* The Thread of a thread that thread_names_owner() has found. Returns false if it is unknown. */
bool thread_names_read(struct thread_names *n, uint32_t tid, struct thread_object *out);

/* Is this a thread of the JVM's garbage collector: by its name, and because it is no Java thread? */
bool thread_names_is_collector(struct thread_names *n, uint32_t tid, uint32_t started, const char kernel_name[16]);

#endif
