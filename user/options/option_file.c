// SPDX-License-Identifier: BSD-2-Clause
#include "user/options/option_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define STEP 65536u

int option_file_read(struct bytes *out, const char *path, const char *what, size_t most, struct diag *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	ssize_t n = 1;

	if (fd < 0)
		return diag_errno(d, errno, "cannot open %s '%.200s'", what, path);
	while (!err && n && out->size < most) {
		size_t left = most - out->size;
		unsigned char *to = bytes_reserve(out, STEP);

		n = to ? read(fd, to, left < STEP ? left : STEP) : 0;
		if (!to)
			err = diag_set(d, ENOMEM, "no memory for %s", what);
		else if (n > 0)
			out->size += n;
		else if (n < 0 && errno != EINTR)
			err = diag_errno(d, errno, "cannot read %s '%.200s'", what, path);
	}
	close(fd);
	return err;
}
