// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/io.h"

#include <errno.h>

int io_write_all(int fd, const void *bytes, size_t size)
{
	const char *from = bytes;

	while (size) {
		ssize_t n = write(fd, from, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		from += n;
		size -= n;
	}
	return 0;
}

int io_write_at(int fd, const void *bytes, size_t size, uint64_t at)
{
	const char *from = bytes;

	while (size) {
		ssize_t n = pwrite(fd, from, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		from += n;
		size -= n;
		at += n;
	}
	return 0;
}

int io_copy_range(int from, uint64_t at, int to, uint64_t to_at, uint64_t size)
{
	char buffer[1 << 16];
	uint64_t out = 0;

	while (out < size) {
		size_t want = size - out < sizeof(buffer) ? size - out : sizeof(buffer);
		ssize_t n = pread(from, buffer, want, at + out);
		int err;

		if (n <= 0)
			return n ? -errno : -EIO;
		err = io_write_at(to, buffer, n, to_at + out);
		if (err)
			return err;
		out += n;
	}
	return 0;
}
