// SPDX-License-Identifier: BSD-2-Clause
#include "user/with_jfr.h"
#include "user/log.h"
#include "user/merge.h"
#include "user/output_form.h"
#include "user/target/own_recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct with_jfr {
	struct own_recording *own; /* NULL: it has been stopped */
	char *path, *beside, *merged;
	bool there; /* `beside` is */
};

/* NAME.jfr and "-jvm" make NAME-jvm.jfr. */
static char *derive(const char *path, const char *part)
{
	size_t length = strlen(path), end = length > 4 && strcmp(path + length - 4, ".jfr") == 0 ? length - 4 : length;
	char *out;

	return asprintf(&out, "%.*s%s.jfr", (int)end, path, part) < 0 ? NULL : out;
}

int with_jfr_start(struct with_jfr **out, const struct target *t, const char *settings, const char *path, struct diag *d)
{
	struct with_jfr *w;
	int err;

	if (path[strlen(path) - 1] == '/')
		return diag_usage(d, "--with-jfr makes one file of two recordings: -o '%s' is a directory of many", path);
	w = calloc(1, sizeof(*w));
	if (!w)
		return diag_errno(d, ENOMEM, "cannot start the JVM's own recording");
	w->path = strdup(path);
	w->beside = derive(path, "-jvm");
	w->merged = derive(path, "-merged");
	err = w->path && w->beside && w->merged ? 0 : diag_errno(d, ENOMEM, "cannot start the JVM's own recording");
	if (!err)
		err = own_recording_start(&w->own, t, settings, d);
	if (err)
		with_jfr_free(w);
	else
		*out = w;
	return err;
}

static int take(struct with_jfr *w, struct diag *d)
{
	int fd = output_create(AT_FDCWD, w->beside, O_EXCL, d), err;

	if (fd < 0)
		return fd;
	output_give_to_user(fd);
	err = own_recording_stop(w->own, fd, d);
	close(fd);
	if (err)
		unlink(w->beside);
	return err;
}

void with_jfr_stop(struct with_jfr *w, bool keep)
{
	struct diag d = {0};

	if (!w || !w->own)
		return;
	w->there = keep && !take(w, &d);
	if (keep && !w->there)
		log_error("frtrace: %s", d.text);
	own_recording_free(w->own);
	w->own = NULL;
}

/* Beside it first: a file that was complete stays until there is a better one. */
static int merge(struct with_jfr *w, struct jfr_merged *merged, struct diag *d)
{
	const char *paths[] = {w->path, w->beside};
	int fd = output_create(AT_FDCWD, w->merged, O_EXCL, d), err;

	if (fd < 0)
		return fd;
	output_give_to_user(fd);
	err = merge_files(paths, 2, fd, w->merged, merged, d);
	if (err >= 0 && fdatasync(fd))
		err = diag_errno(d, errno, "cannot write '%s'", w->merged);
	close(fd);
	if (err >= 0 && rename(w->merged, w->path))
		err = diag_errno(d, errno, "cannot rename '%s'", w->merged);
	unlink(err < 0 ? w->merged : w->beside);
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
	own_recording_free(w->own);
	free(w->path);
	free(w->beside);
	free(w->merged);
	free(w);
}
