// SPDX-License-Identifier: BSD-2-Clause
#include "user/live/with_jfr.h"
#include "user/text/log.h"
#include "user/files/merge.h"
#include "user/record/new_file.h"
#include "user/process/jvm_recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct with_jfr {
	struct jvm_recording *own; /* NULL: stopped */
	char *path, *beside;
	const char *context; /* borrowed */
	bool there;	     /* `beside` exists */
};

/* "NAME.jfr" becomes "NAME-jvm.jfr"; malloc'ed, NULL: no memory. */
static char *derive(const char *path)
{
	size_t length = strlen(path), end = length > 4 && strcmp(path + length - 4, ".jfr") == 0 ? length - 4 : length;
	char *out;

	return asprintf(&out, "%.*s-jvm.jfr", (int)end, path) < 0 ? NULL : out;
}

int with_jfr_start(struct with_jfr **out, const struct target *t, const char *settings, const char *path,
		   const char *context, struct diag *d)
{
	struct with_jfr *w;
	int err;

	if (path[strlen(path) - 1] == '/')
		return diag_usage(d, "--with-jfr makes one file of two recordings: -o '%s' is a directory of many",
				  path);
	w = calloc(1, sizeof(*w));
	if (!w)
		return diag_errno(d, ENOMEM, "cannot start the JVM's own recording");
	w->context = context;
	w->path = strdup(path);
	w->beside = derive(path);
	err = w->path && w->beside ? 0 : diag_errno(d, ENOMEM, "cannot start the JVM's own recording");
	if (!err && !access(w->beside, F_OK))
		err = diag_set(d, EEXIST, "'%s' is there already: give another name with -o, or remove it", w->beside);
	if (!err)
		err = jvm_recording_start(&w->own, t, settings, d);
	if (err)
		with_jfr_free(w);
	else
		*out = w;
	return err;
}

static int with_jfr_take(struct with_jfr *w, struct diag *d)
{
	struct new_file file;
	int err = new_file_open(&file, w->beside, NEW_FILE_IS_NEW, d);

	if (err)
		return err;
	err = jvm_recording_stop(w->own, file.fd, d);
	if (!err)
		err = new_file_commit(&file, d);
	new_file_close(&file);
	return err;
}

void with_jfr_stop(struct with_jfr *w, bool keep)
{
	struct diag d = {0};

	if (!w || !w->own)
		return;
	w->there = keep && !with_jfr_take(w, &d);
	if (keep && !w->there)
		log_error("frtrace: %s", d.text);
	jvm_recording_free(w->own);
	w->own = NULL;
}

/* Merge into a new file, which replaces the complete one only when it is finished. */
static int merge(struct with_jfr *w, struct jfr_merged *merged, struct diag *d)
{
	const char *paths[] = {w->path, w->beside};
	struct new_file file;
	int err = new_file_open(&file, w->path, NEW_FILE_REPLACES, d);

	if (err)
		return err;
	err = merge_files(paths, 2, file.fd, w->path, w->context, merged, NULL, d);
	if (err >= 0)
		err = new_file_finish(&file, d);
	new_file_close(&file);
	if (!err)
		unlink(w->beside);
	return err;
}

bool with_jfr_merge(struct with_jfr *w, bool complete)
{
	struct jfr_merged merged;
	struct diag d = {0};

	if (!w)
		return true;
	if (!w->there)
		return false;
	if (complete && merge(w, &merged, &d) >= 0) {
		log_line("with the JVM's own recording: %s events, %s in %s", log_count(merged.events),
			 log_bytes(merged.bytes), w->path);
		return true;
	}
	if (complete)
		log_error("frtrace: %s", d.text);
	log_line("the JVM's own recording is in %s", w->beside);
	return false;
}

void with_jfr_free(struct with_jfr *w)
{
	if (!w)
		return;
	jvm_recording_free(w->own);
	free(w->path);
	free(w->beside);
	free(w);
}
