// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/jfr_magic.h"
#include "format/jfr/jfr_chunk.h"

#include <errno.h>
#include <string.h>

int jfr_magic_check(const char *path, const void *data, size_t size, struct diag *d)
{
	struct jfr_header h;
	struct cursor c;

	cursor_init(&c, data, size);
	if (size < 4 || memcmp(data, "FLR", 4) != 0)
		return diag_set(d, EINVAL, "'%s' is no Flight Recorder file", path);
	if (jfr_header_read(&h, &c) && size >= JFR_HEADER_SIZE)
		return diag_set(d, EINVAL,
				"cannot read '%s': version %u.%u of the format, only 1.0, 2.0 and 2.1 are known", path,
				h.major, h.minor);
	return 0;
}
