// SPDX-License-Identifier: BSD-2-Clause
#include "user/options/filter_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZE (8u << 20) /* compiled filters have room for less */

/* Read the file. *content is NUL-terminated and is freed by the caller, also on failure. */
static int file_read(FILE *f, const char *path, char **content, struct diag *d)
{
	size_t size;

	*content = malloc(MAX_SIZE + 1);
	if (!*content)
		return diag_set(d, ENOMEM, "no memory for filters");
	errno = 0;
	size = fread(*content, 1, MAX_SIZE + 1, f);
	if (ferror(f))
		return diag_errno(d, errno, "cannot read filters '%.200s'", path);
	if (size > MAX_SIZE)
		return diag_usage(d, "wrong filters: '%.200s' is larger than 8 MB", path);
	if (memchr(*content, 0, size))
		return diag_usage(d, "wrong filters: '%.200s' is no text file", path);
	(*content)[size] = 0;
	return 0;
}

int filter_file_add(struct filter_list *l, const char *path, enum filter_kind kind, struct diag *d)
{
	FILE *f = fopen(path, "re");
	char *content = NULL;
	int err;

	if (!f)
		return diag_errno(d, errno, "cannot open filters '%.200s'", path);
	err = file_read(f, path, &content, d);
	if (!err)
		err = filter_list_add_lines(l, path, content, kind, d);
	free(content);
	fclose(f);
	return err;
}
