/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors: writing all of some bytes, and closing those that may not be open. */
#ifndef USER_TEXT_IO_H
#define USER_TEXT_IO_H

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Write all of the bytes, interrupted or not. Returns 0 or -errno; then some may have been written. */
int io_write_all(int fd, const void *bytes, size_t size);

/* The same at an offset of the file; -ENOSPC: nothing more can be written there. */
int io_write_at(int fd, const void *bytes, size_t size, uint64_t at);

/* Copy a whole range of a file. Returns 0 or -errno. */
int io_copy_range(int from, uint64_t at, int to, uint64_t to_at, uint64_t size);

/* Close a descriptor, or do nothing if it is negative. */
static inline void io_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

#endif
