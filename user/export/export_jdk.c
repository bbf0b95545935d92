// SPDX-License-Identifier: BSD-2-Clause
/*
 * Some readers take the fields of an event by their position and expect it to end after the last one that they know:
 * async-profiler's jfrconv reads jdk.MethodTrace so. JEP 520 gives it five fields, and frtrace adds more.
 */
#include "format/jfr/jfr_merge.h"
#include "user/export/export.h"
#include "user/text/memory.h"

#include <errno.h>
#include <stdlib.h>

static int export_jdk_put(void *context, const void *chunk, size_t size)
{
	return fwrite(chunk, 1, size, context) == size ? 0 : -EIO;
}

int export_jdk(struct jfr_files *files, FILE *to)
{
	struct jfr_merge_sink sink = {.put = export_jdk_put, .context = to, .jdk_fields = true};
	size_t count = jfr_files_recordings(files);
	struct jfr_file **recordings = memory_need(calloc(count + 1, sizeof(*recordings)));
	struct jfr_merged merged;
	bool damaged = false;
	const char *name;
	int err;

	for (size_t i = 0; i < count; i++)
		recordings[i] = jfr_files_recording(files, i, &name);
	err = jfr_merge(recordings, count, &sink, &merged);
	for (size_t i = 0; i < count; i++)
		damaged |= recordings[i]->fault.what != NULL;
	free(recordings);
	return ferror(to) || damaged || err == -ENODATA ? 0 : err;
}
