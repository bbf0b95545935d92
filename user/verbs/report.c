// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/report.h"
#include "user/options/mapping_file.h"
#include "user/trace/jfr_files.h"
#include "user/trace/progress.h"
#include "user/trace/spool.h"
#include "user/text/new_file.h"
#include "user/page/page.h"
#include "user/text/io.h"
#include "user/text/log.h"
#include "user/verbs/verbs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define PAGE_END ".html"

const char *report_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static size_t length_without(const char *name, size_t length, const char *end)
{
	size_t less = strlen(end);

	return length > less && strncmp(name + length - less, end, less) == 0 ? length - less : length;
}

/* "runs/shop.jfr", "runs/shop.jfr.gz" and "runs/shop/" become "runs/shop.html". */
static int report_path_of(const char *recording, char *out, size_t size, struct diag *d)
{
	size_t length = strlen(recording);

	while (length > 1 && recording[length - 1] == '/')
		length--;
	length = length_without(recording, length_without(recording, length, ".gz"), ".jfr");
	if (snprintf(out, size, "%.*s%s", (int)length, recording, PAGE_END) >= (int)size)
		return diag_set(d, ENAMETOOLONG, "cannot name the page: '%.200s' is too long", recording);
	return 0;
}

int report_check_name(const char *to, struct diag *d)
{
	size_t length = strlen(to), end = strlen(PAGE_END);

	if (length > end && strcmp(to + length - end, PAGE_END) == 0)
		return 0;
	return diag_usage(d, "the page '%s' needs a name that ends in %s", to, PAGE_END);
}

int report_save(const struct bytes *page, const char *to, struct diag *d)
{
	struct new_file out;
	int err = new_file_open(&out, to, NEW_FILE_REPLACES, d);

	if (err)
		return err;
	err = io_write_at(out.fd, page->data, page->size, 0);
	err = err ? diag_errno(d, -err, "cannot write '%s'", to) : new_file_finish(&out, d);
	new_file_close(&out);
	if (!err)
		log_line("%s: %s", to, log_bytes(page->size));
	return err;
}

static int report_files(const char *const *paths, size_t count, const char *mapping, const char *to, struct diag *d)
{
	struct mapping *names;
	struct jfr_files f;
	struct bytes page;
	int err =
		mapping_file_read(&names, mapping, d) ?: jfr_files_open(&f, paths, count, "cannot report together", d);

	if (err) {
		mapping_free(names);
		return err;
	}
	f.file->mapping = names;
	bytes_init(&page);
	progress_begin(f.name, f.size, false);
	page_write(f.file, report_base(f.name), &page);
	progress_end();
	err = report_save(&page, to, d) ?: jfr_files_verdict(&f, d);
	bytes_release(&page);
	jfr_files_close(&f);
	mapping_free(names);
	return err;
}

int cmd_report(const struct verb_args *a, struct diag *d)
{
	char path[PATH_MAX];
	int err = 0;

	if (!a->operands)
		return diag_usage(d, "no file: 'frtrace report FILE'");
	if (!a->output && spool_is_input(a->operand[0]))
		return diag_usage(d, "the page needs a name: 'frtrace report -o OUT.html -'");
	if (!a->output)
		err = report_path_of(a->operand[0], path, sizeof(path), d);
	if (!err && a->output)
		err = report_check_name(a->output, d);
	return err ?: report_files(a->operand, a->operands, a->mapping, a->output ?: report_base(path), d);
}

int report_recording(const char *recording, const char *mapping, const char *to, struct diag *d)
{
	char path[PATH_MAX];
	int err = to ? report_check_name(to, d) : report_path_of(recording, path, sizeof(path), d);

	return err ?: report_files(&recording, 1, mapping, to ?: path, d);
}
