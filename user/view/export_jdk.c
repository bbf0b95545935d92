// SPDX-License-Identifier: BSD-2-Clause
/*
 * Some readers take the fields of an event by their position and expect it to end after the last one that they know:
 * async-profiler's jfrconv reads jdk.MethodTrace so. JEP 520 gives it five fields, and frtrace adds more.
 */
#include "format/jfr/jfr_merge.h"
#include "user/view/export.h"

#include <errno.h>

static int export_jdk_put(void *context, const void *chunk, size_t size)
{
	return fwrite(chunk, 1, size, context) == size ? 0 : -EIO;
}

int export_jdk(struct jfr_file *file, FILE *to)
{
	struct jfr_merge_sink sink = {.put = export_jdk_put, .context = to, .jdk_fields = true};
	struct jfr_merged merged;
	int err = jfr_merge(&file, 1, &sink, &merged);

	return ferror(to) || file->fault.what || err == -ENODATA ? 0 : err;
}
