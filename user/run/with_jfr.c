// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/with_jfr.h"
#include "format/bytes.h"
#include "format/jfc/jfc.h"
#include "user/text/io.h"
#include "user/text/log.h"
#include "user/trace/jfr_file.h"
#include "user/trace/merge.h"
#include "user/trace/merge_check.h"
#include "user/text/new_file.h"
#include "user/process/jvm_recording.h"
#include "user/process/root_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct with_jfr {
	struct jvm_recording *own; /* NULL: stopped */
	char *path, *beside;
	struct bytes context; /* names and globs of events, with commas between them; empty: none get context */
	bool there;	      /* `beside` exists */
};

/* "NAME.jfr" becomes "NAME-jvm.jfr"; malloc'ed, NULL: no memory. */
static char *derive(const char *path)
{
	size_t length = strlen(path), end = length > 4 && strcmp(path + length - 4, ".jfr") == 0 ? length - 4 : length;
	char *out;

	return asprintf(&out, "%.*s-jvm.jfr", (int)end, path) < 0 ? NULL : out;
}

static void add_names(struct bytes *to, const char *names)
{
	if (to->size)
		bytes_put_u8(to, ',');
	bytes_put(to, names, strlen(names));
}

static void add_marked(struct bytes *to, const char *path, const void *content, size_t size)
{
	const struct jfc_node *at = NULL;
	struct diag d = {0};
	const char *name;
	struct jfc *j;

	if (jfc_read(&j, path, content, size, &d)) {
		log_line("withContext is not read: %s", d.text);
		return;
	}
	while ((name = jfc_next_with_context(j, &at)))
		add_names(to, name);
	jfc_free(j);
}

/* The events that the settings file marks with withContext="true". It is the file that the JVM reads. */
static int add_context_of_file(struct bytes *to, const struct target *t, const char *path, struct diag *d)
{
	int root = root_path_open(t, "root"), fd = root < 0 ? root : root_path_open_file(t, root, path, JFC_MAX_SIZE);
	char *content = malloc(JFC_MAX_SIZE);
	ssize_t size = content && fd >= 0 ? pread(fd, content, JFC_MAX_SIZE, 0) : -1;

	if (size > 0)
		add_marked(to, path, content, size);
	io_close(fd);
	io_close(root);
	free(content);
	return content && !to->failed ? 0 : diag_errno(d, ENOMEM, "cannot read '%.200s'", path);
}

/* What is to get context: `names`, which may be NULL, and what the settings file says. */
static int choose_context(struct with_jfr *w, const struct target *t, const char *settings, const char *names,
			  struct diag *d)
{
	bytes_init(&w->context);
	if (names)
		add_names(&w->context, names);
	return settings[0] == '/' ? add_context_of_file(&w->context, t, settings, d) : 0;
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
	w->path = strdup(path);
	w->beside = derive(path);
	err = w->path && w->beside ? 0 : diag_errno(d, ENOMEM, "cannot start the JVM's own recording");
	if (!err)
		err = choose_context(w, t, settings, context, d);
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
	err = jvm_recording_stop(w->own, file.fd, d) ?: new_file_commit(&file, d);
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

/* The events of both halves have the times of their clocks. */
static void with_jfr_check_clock(const struct with_jfr *w)
{
	struct jfr_file_map own = {.fd = -1}, around = {.fd = -1};
	struct diag ignored; /* merging tells it */
	int64_t ahead = 0;

	if (!jfr_file_open(&own, w->path, &ignored) && !jfr_file_open(&around, w->beside, &ignored))
		ahead = merge_clock_ahead(&around.file, &own.file);
	jfr_file_close(&around);
	jfr_file_close(&own);
	if (ahead)
		log_line("the JVM's clock is %s %s the system's; its own events are that far from calls and waits",
			 log_time(ahead > 0 ? ahead : -ahead), ahead > 0 ? "ahead of" : "behind");
}

/* Merge into a new file, which replaces the complete one only when it is finished. */
static int merge(struct with_jfr *w, struct jfr_merged *merged, struct diag *d)
{
	const char *paths[] = {w->path, w->beside};
	struct new_file file;
	int err;

	with_jfr_check_clock(w);
	err = new_file_open(&file, w->path, NEW_FILE_REPLACES, d);
	if (err)
		return err;
	if (w->context.size)
		bytes_put_u8(&w->context, 0);
	if (w->context.failed)
		err = diag_errno(d, ENOMEM, "cannot merge '%s'", w->path);
	else
		err = merge_files(paths, 2, file.fd, w->path, (const char *)w->context.data, merged, NULL, d);
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
		merge_say_clocks(&merged);
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
	bytes_release(&w->context);
	free(w->path);
	free(w->beside);
	free(w);
}
