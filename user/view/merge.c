// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/merge.h"
#include "user/exit.h"
#include "user/view/jfr_file.h"
#include "user/view/merge_check.h"
#include "user/record/output_internal.h"

#include <errno.h>
#include <stdlib.h>

struct destination {
	int fd;
	uint64_t size;
	int error; /* -errno of a failed write */
};

static int put_chunk(void *context, const void *chunk, size_t size)
{
	struct destination *to = context;

	to->error = output_write(to->fd, chunk, size, to->size);
	to->size += size;
	return to->error;
}

/* Choose the message. A damaged input file is a better explanation than the error of the merge itself. */
static int merge_explain(const struct jfr_file_map *maps, size_t count, int err, const struct destination *to,
			 const char *to_path, struct diag *d)
{
	int verdict = EXIT_DONE;

	if (to->error)
		return diag_errno(d, -to->error, "cannot write '%s'", to_path);
	for (size_t i = 0; i < count; i++) {
		int v = jfr_file_verdict(&maps[i], d);

		if (v < 0)
			return v;
		if (v)
			verdict = v;
	}
	switch (err) {
	case 0: return verdict;
	case -ENOMEM: return diag_errno(d, ENOMEM, "cannot merge into '%s'", to_path);
	case -ENODATA: return diag_set(d, ENODATA, "nothing to merge: there is no chunk in these files");
	}
	return diag_set(d, -err, "cannot merge: these files are too different, or too large in one of their parts");
}

static int merge_maps(struct jfr_file_map *maps, size_t count, struct destination *to, struct jfr_merged *merged)
{
	struct jfr_merge_sink sink = {.put = put_chunk, .context = to};
	struct jfr_file **files = calloc(count, sizeof(struct jfr_file *));
	int err;

	if (!files)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		files[i] = &maps[i].file;
	err = jfr_merge(files, count, &sink, merged);
	free(files);
	return err;
}

int merge_files(const char *const *paths, size_t count, int to_fd, const char *to_path, struct jfr_merged *merged,
		struct diag *d)
{
	struct jfr_file_map *maps = calloc(count, sizeof(*maps));
	struct destination to = {.fd = to_fd};
	int err = 0;

	if (!maps)
		return diag_errno(d, ENOMEM, "cannot merge into '%s'", to_path);
	for (size_t i = 0; i < count && !err; i++)
		err = jfr_file_open(&maps[i], paths[i], d);
	if (!err)
		err = merge_check(maps, count, d);
	if (!err)
		err = merge_explain(maps, count, merge_maps(maps, count, &to, merged), &to, to_path, d);
	for (size_t i = 0; i < count; i++)
		jfr_file_close(&maps[i]);
	free(maps);
	return err;
}
