// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/merge.h"
#include "user/text/log.h"
#include "user/view/merge.h"
#include "user/record/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static bool are_one(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Refuse a file that is given twice: its events would be duplicated. */
static int check_twice(const struct verb_args *a, struct diag *d)
{
	for (size_t i = 0; i < a->operands; i++)
		for (size_t j = 0; j < i; j++)
			if (are_one(a->operand[i], a->operand[j]))
				return diag_usage(d, "'%s' is given twice: two recordings make one", a->operand[i]);
	return 0;
}

static int merge_it(const struct verb_args *a, const char *to, struct diag *d)
{
	struct jfr_merged merged;
	struct new_file out;
	int err = new_file_open(&out, to, NEW_FILE_IS_NEW, d), verdict;

	if (err)
		return err;
	verdict = merge_files(a->operand, a->operands, out.fd, to, &merged, d);
	err = verdict < 0 ? verdict : new_file_finish(&out, d);
	new_file_close(&out);
	if (!err)
		log_line("%s: %s events of %zu files, %s", to, log_count(merged.events), a->operands,
			 log_bytes(merged.bytes));
	return err ? err : verdict;
}

int cmd_merge(const struct verb_args *a, struct diag *d)
{
	int err;

	if (a->operands < 2)
		return diag_usage(d, "two files at least: 'frtrace merge -o OUT.jfr A.jfr B.jfr'");
	if (!a->output)
		return diag_usage(d, "no file to write: 'frtrace merge -o OUT.jfr A.jfr B.jfr'");
	err = check_twice(a, d);
	return err ? err : merge_it(a, a->output, d);
}
