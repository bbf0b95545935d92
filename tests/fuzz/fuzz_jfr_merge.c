// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads any bytes as two recordings; the second begins at the second chunk, or is the same. Merging them terminates,
 * with an error or with a correct file.
 */
#include "format/jfr/jfr_merge.h"
#include "tests/fuzz/fuzz.h"

static int put_chunk(void *context, const void *chunk, size_t size)
{
	bytes_put(context, chunk, size);
	return 0;
}

static void walk(struct jfr_chunk *chunk)
{
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;
	struct jfr_value v;

	while (jfr_chunk_next(chunk, &position, &e)) {
		struct cursor c;

		if (!e.type)
			continue;
		v = jfr_event_value(&e);
		c = jfr_enter(chunk, &v);
		for (uint32_t i = 0; i < e.type->count; i++) {
			jfr_take(&c, &e.type->fields[i], &v);
			jfr_resolve(chunk, &v);
		}
		require(cursor_ok(&c), "an event of the merged file is wrong");
	}
}

static void read_merged(const struct bytes *merged)
{
	struct jfr_chunk *chunk;
	struct jfr_file f;

	jfr_file_init(&f, merged->data, merged->size);
	while ((chunk = jfr_file_next(&f))) {
		walk(chunk);
		jfr_chunk_put(chunk);
	}
	if (f.fault.what)
		fprintf(stderr, "%s at %lu\n", f.fault.what, f.fault.at);
	require(!f.fault.what, "the merged file is damaged");
	jfr_file_release(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *second = size > 4 ? memmem(data + 4, size - 4, "FLR", 4) : NULL;
	struct bytes merged = {.data = NULL};
	struct jfr_merge_sink sink = {.put = put_chunk, .context = &merged};
	struct jfr_merged result;
	struct jfr_file files[2], *both[2] = {&files[0], &files[1]};
	int err;

	jfr_file_init(&files[0], data, second ? (size_t)(second - data) : size);
	jfr_file_init(&files[1], second ? second : data, second ? size - (second - data) : size);
	err = jfr_merge(both, 2, &sink, &result);
	require(err != -ENOMEM, "out of memory");
	if (!err)
		read_merged(&merged);
	jfr_file_release(&files[0]);
	jfr_file_release(&files[1]);
	bytes_release(&merged);
	return 0;
}
