// SPDX-License-Identifier: BSD-2-Clause
#include "user/files/event_iter.h"

#include <string.h>

int event_iter_chunk(struct jfr_chunk *chunk, const char *type, event_visit *visit, void *context)
{
	const struct meta_type *wanted = jfr_metadata_find(chunk->metadata, type);
	bool calls = strcmp(type, "jdk.MethodTrace") == 0;
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;
	int err = 0;

	while (!err && wanted && jfr_chunk_next(chunk, &position, &e))
		if (e.type == wanted || (calls && e.type && e.type->calls))
			err = visit(chunk, &e, context);
	return err;
}

int event_iter_each(struct jfr_file *file, const char *type, event_visit *visit, void *context)
{
	struct jfr_chunk *chunk;
	int err = 0;

	while (!err && (chunk = jfr_file_next(file))) {
		err = event_iter_chunk(chunk, type, visit, context);
		jfr_chunk_put(chunk);
	}
	return err;
}
