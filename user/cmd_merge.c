// SPDX-License-Identifier: BSD-2-Clause
#include "user/cmd_merge.h"
#include "user/cli.h"
#include "user/cmd_record.h"
#include "user/log.h"
#include "user/merge.h"
#include "user/output_form.h"
#include "user/words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] = "Usage: frtrace merge -o OUT FILE FILE...\n"
			   "Make one recording of those that were made of one JVM at the same time, such as frtrace's\n"
			   "and the JVM's own: on one clock, in the order of time, with the threads that they share,\n"
			   "so that 'jfr print' of JDK 25 shows the JVM's events within the traced calls. At most 4.\n"
			   "Each event keeps the time that its own file gives it: where the wall clock was set between\n"
			   "the starts of two recordings, they are that far apart; set within one, it is said.\n";

static bool are_one(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Its events would be there twice. */
static int check_twice(const struct words *w, struct diag *d)
{
	for (size_t i = 0; i < w->operands; i++)
		for (size_t j = 0; j < i; j++)
			if (are_one(w->operand[i], w->operand[j]))
				return diag_usage(d, "'%s' is given twice: two recordings make one", w->operand[i]);
	return 0;
}

static int merge(const struct words *w, const char *to, struct diag *d)
{
	struct jfr_merged merged;
	int fd = output_create(AT_FDCWD, to, O_EXCL, d), err;

	if (fd == -EEXIST)
		return diag_set(d, EEXIST, "'%s' is there already: give another name with -o, or remove it", to);
	if (fd < 0)
		return fd;
	output_give_to_user(fd);
	err = merge_files(w->operand, w->operands, fd, to, &merged, d);
	if (err >= 0 && fdatasync(fd))
		err = diag_errno(d, errno, "cannot write '%s'", to);
	close(fd);
	if (err < 0)
		unlink(to);
	else
		log_line("%s: %s events of %zu files, %s", to, log_count(merged.events), w->operands,
			 log_bytes(merged.bytes));
	return err;
}

int cmd_merge(int argc, char **argv, struct diag *d)
{
	const char *to = NULL;
	const struct word_option options[] = {{"--output", &to, NULL}, {"-o", &to, NULL}, {NULL, NULL, NULL}};
	struct words w = {.verb = "merge", .help = help, .options = options};
	int err = words_read(&w, argc, argv, d);

	if (!err && w.operands < 2)
		err = diag_usage(d, "two files at least: 'frtrace merge -o OUT.jfr A.jfr B.jfr'");
	if (!err && !to)
		err = diag_usage(d, "no file to write: 'frtrace merge -o OUT.jfr A.jfr B.jfr'");
	if (!err)
		err = check_twice(&w, d);
	if (err)
		return err == CLI_DONE ? EXIT_DONE : err;
	return merge(&w, to, d);
}
