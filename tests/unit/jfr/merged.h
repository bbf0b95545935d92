/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are made by hand and merged. */
#ifndef TESTS_UNIT_JFR_MERGED_H
#define TESTS_UNIT_JFR_MERGED_H

#include "format/jfr/jfr_merge.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/jfr_builder.h"
#include "tests/lib/jfr_printed.h"
#include "tests/lib/test.h"

static struct chunk_builder b;
static struct bytes file[2], merged;
static struct jfr_merged result;

static int setup(void **state)
{
	chunk_init(&b);
	for (int i = 0; i < 2; i++)
		bytes_init(&file[i]);
	bytes_init(&merged);
	return 0;
}

static int teardown(void **state)
{
	chunk_release(&b);
	for (int i = 0; i < 2; i++)
		bytes_release(&file[i]);
	bytes_release(&merged);
	return 0;
}

/* Forgets the types. */
static void finish_file(int n)
{
	chunk_finish(&b, &file[n]);
	chunk_release(&b);
	chunk_init(&b);
}

static int put_chunk(void *context, const void *chunk, size_t size)
{
	bytes_put(&merged, chunk, size);
	return merged.failed ? -ENOMEM : 0;
}

/* Merge the first `count` files. Returns what jfr_merge() returns; `fault`: of a file; NULL: none. */
static int merge_files(struct jfr_merge_sink how, size_t count, const char **fault)
{
	struct jfr_file files[2], *all[2] = {&files[0], &files[1]};
	int err;

	how.put = put_chunk;
	bytes_clear(&merged);
	for (size_t i = 0; i < count; i++)
		jfr_file_init(all[i], file[i].data, file[i].size);
	err = jfr_merge(all, count, &how, &result);
	*fault = NULL;
	for (size_t i = 0; i < count; i++) {
		*fault = *fault ?: all[i]->fault.what;
		jfr_file_release(all[i]);
	}
	return err;
}

#endif
