/* SPDX-License-Identifier: BSD-2-Clause */
/* Write or copy a whole range of a file. All return 0 or -errno. */
#ifndef USER_TEXT_IO_H
#define USER_TEXT_IO_H

#include <stddef.h>
#include <stdint.h>

int io_write_at(int fd, const void *bytes, size_t size, uint64_t at);
int io_copy_range(int from, uint64_t at, int to, uint64_t to_at, uint64_t size);

#endif
