// SPDX-License-Identifier: BSD-2-Clause
#include "user/options/filter_file.h"
#include "user/options/option_file.h"

#define MAX_SIZE (8u << 20) /* compiled filters have room for less */

int filter_file_add(struct filter_list *l, const char *path, enum filter_kind kind, struct diag *d)
{
	struct bytes content = {.size = 0};
	int err = option_file_read(&content, path, "filters", MAX_SIZE + 1, d);
	const char *text = bytes_text(&content);

	if (!err && content.size > MAX_SIZE)
		err = diag_usage(d, "wrong filters: '%.200s' is larger than 8 MB", path);
	if (!err && memchr(text, 0, content.size))
		err = diag_usage(d, "wrong filters: '%.200s' is no text file", path);
	if (!err)
		err = filter_list_add_lines(l, path, text, kind, d);
	bytes_release(&content);
	return err;
}
