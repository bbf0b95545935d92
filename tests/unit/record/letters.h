/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks of one letter each go into an output. What arrives reads "a70 b80": each run of a letter with its length. */
#ifndef TESTS_UNIT_RECORD_LETTERS_H
#define TESTS_UNIT_RECORD_LETTERS_H

#include "tests/lib/workdir.h"
#include "tests/lib/test.h"
#include "user/record/output.h"

static char path[128]; /* of the recording */
static struct diag d;

static inline int make_directory(void **state)
{
	d.text[0] = 0;
	if (workdir_make(state))
		return -1;
	strcpy(path, workdir_path("x.jfr"));
	return 0;
}

static inline int append(struct output *o, char letter, size_t size)
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
