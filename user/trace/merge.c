// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/merge.h"
#include "filters/glob.h"
#include "user/text/log.h"
#include "user/trace/jfr_files.h"
#include "user/trace/merge_check.h"
#include "user/trace/progress.h"
#include "user/text/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct destination {
	int fd;
	uint64_t size;
	int error;		  /* -errno of a failed write */
	const char *with_context; /* names of events; NULL: none */
};

static int put_chunk(void *context, const void *chunk, size_t size)
{
	struct destination *to = context;

	to->error = io_write_at(to->fd, chunk, size, to->size);
	to->size += size;
	return to->error;
}

static bool is_with_context(void *context, const char *event)
{
	const struct destination *to = context;

	return glob_list_matches(GLOB_TEXT, to->with_context, ',', slice_of(event));
}

/* Choose the message. A damaged input file is a better explanation than the error of the merge itself. */
static int merge_explain(const struct jfr_files *files, int err, const struct destination *to, const char *to_path,
			 struct diag *d)
{
	int verdict;

	if (to->error)
		return diag_errno(d, -to->error, "cannot write '%s'", to_path);
	verdict = jfr_files_verdict(files, d);
	if (verdict < 0)
		return verdict;
	switch (err) {
	case 0: return verdict;
	case -ENOMEM: return diag_errno(d, ENOMEM, "cannot merge into '%s'", to_path);
	case -ENODATA: return diag_set(d, ENODATA, "nothing to merge: there is no chunk in these files");
	}
	return diag_set(d, -err, "cannot merge: these files are too different, or too large in one of their parts");
}

static int merge_recordings(struct jfr_files *files, struct destination *to, struct jfr_merged *merged)
{
	struct jfr_merge_sink sink = {
		.put = put_chunk, .context = to, .with_context = to->with_context ? is_with_context : NULL};
	size_t count = jfr_files_recordings(files);
	struct jfr_file **recordings = calloc(count + 1, sizeof(*recordings));
	const char *name;
	int err;

	if (!recordings)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		recordings[i] = jfr_files_recording(files, i, &name);
		if (count > 1)
			merge_check(name, recordings[i]);
	}
	progress_begin(files->name, files->size, false); /* once for each of three passes */
	err = jfr_merge(recordings, count, &sink, merged);
	progress_end();
	free(recordings);
	return err;
}

int merge_files(const char *const *paths, size_t count, int to_fd, const char *to_path, const char *with_context,
		struct jfr_merged *merged, size_t *number, struct diag *d)
{
	struct destination to = {.fd = to_fd, .with_context = with_context};
	struct jfr_files files;
	int err = jfr_files_open(&files, paths, count, "cannot merge", d);

	if (err)
		return err;
	if (number)
		*number = files.count;
	err = merge_explain(&files, merge_recordings(&files, &to, merged), &to, to_path, d);
	jfr_files_close(&files);
	return err;
}

void merge_say_clocks(const struct jfr_merged *merged)
{
	if (merged->laid)
		log_line("context: the clocks of the recordings were %s apart, known to %s",
			 log_time(llabs(merged->shift)), log_time(merged->shift_error));
}
