/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read memory of this process that may not be there: the kernel copies it into the scratch rows of the segment by
 * pwrite() to its memfd, which ends with EFAULT where a load would end with a signal.
 */
#ifndef AGENT_OWN_MEMORY_H
#define AGENT_OWN_MEMORY_H

#include "uprobes/agent/sys.h"

/* Copy `size` bytes at address `from`. False: they cannot be read, or there is no segment. Any thread may call it. */
bool own_memory_read(void *to, size_t size, uint64_t from);

/* True when a byte of every page of [from, to) can be read; false for more than 64 MiB. */
bool own_memory_readable(uint64_t from, uint64_t to);

#endif
