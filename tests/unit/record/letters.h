/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks of one letter each go into an output. What arrives reads "a70 b80": each run of a letter with its length. */
#ifndef TESTS_UNIT_RECORD_LETTERS_H
#define TESTS_UNIT_RECORD_LETTERS_H

#include "tests/lib/test.h"
#include "user/record/output.h"

#include <dirent.h>

static char directory[64], path[128]; /* of the case, and of the recording in it */
static struct diag d;

/* Returns 0 or -1. */
static inline int make_directory(void)
{
	d.text[0] = 0;
	snprintf(directory, sizeof(directory), "/tmp/frtrace-output-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/x.jfr", directory);
	return 0;
}

static inline unsigned int count_files(void)
{
	DIR *dir = opendir(directory);
	struct dirent *e;
	unsigned int n = 0;

	while (dir && (e = readdir(dir)))
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}

static int append(struct output *o, char letter, size_t size)
{
	char *chunk = malloc(size);
	int err;

	assert_non_null(chunk);
	memset(chunk, letter, size);
	err = output_append(o, chunk, size, &d);
	free(chunk);
	return err;
}

struct letters {
	char text[4096];
	size_t at, run;
	char last;
};

static const char *letters_end(struct letters *l)
{
	if (l->run)
		l->at += snprintf(l->text + l->at, sizeof(l->text) - l->at, "%s%c%zu", l->at ? " " : "", l->last,
				  l->run);
	l->run = 0;
	return l->text;
}

static void letters_take(struct letters *l, const char *bytes, size_t size)
{
	for (; size--; bytes++) {
		if (*bytes != l->last)
			letters_end(l);
		l->last = *bytes;
		l->run++;
	}
}

/* Of the recording. */
static inline const char *content(void)
{
	static struct letters l;
	FILE *f = fopen(path, "rb");
	char bytes[4096];
	size_t n;

	assert_non_null(f);
	l = (struct letters){.at = 0};
	while ((n = fread(bytes, 1, sizeof(bytes), f)))
		letters_take(&l, bytes, n);
	fclose(f);
	return letters_end(&l);
}

#endif
