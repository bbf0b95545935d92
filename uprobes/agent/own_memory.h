/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads of this process's own memory at addresses that may be unreadable. The kernel copies the bytes into the
 * scratch rows of the segment, by pwrite() to its memfd; that fails with EFAULT where a load would raise a signal.
 */
#ifndef AGENT_OWN_MEMORY_H
#define AGENT_OWN_MEMORY_H

#include "uprobes/agent/sys.h"

/*
 * Copy `size` bytes from address `from`. Returns false if they are unreadable or there is no segment. Any thread
 * may call it.
 */
bool own_memory_read(void *to, size_t size, uint64_t from);

/* The same for two areas, each of at most FRT_SCRATCH_ROW bytes. */
bool own_memory_read_two(void *first, size_t first_size, uint64_t first_from, void *second, size_t second_size,
			 uint64_t second_from);

/* True if one byte of each page in [from, to) is readable. False for ranges above 64 MiB. */
bool own_memory_readable(uint64_t from, uint64_t to);

#endif
