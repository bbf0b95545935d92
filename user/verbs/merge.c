// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/merge.h"
#include "user/verbs/cli.h"
#include "user/exit.h"
#include "user/text/log.h"
#include "user/view/merge.h"
#include "user/record/new_file.h"
#include "user/verbs/verb_args.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
	"Usage: frtrace merge -o OUT FILE FILE...\n"
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
static int check_twice(const struct verb_args *w, struct diag *d)
{
	for (size_t i = 0; i < w->operands; i++)
		for (size_t j = 0; j < i; j++)
			if (are_one(w->operand[i], w->operand[j]))
				return diag_usage(d, "'%s' is given twice: two recordings make one", w->operand[i]);
	return 0;
}

static int merge_it(const struct verb_args *w, const char *to, struct diag *d)
{
	struct jfr_merged merged;
	struct new_file out;
	int err = new_file_open(&out, to, NEW_FILE_IS_NEW, d), verdict;

	if (err)
		return err;
	verdict = merge_files(w->operand, w->operands, out.fd, to, &merged, d);
	err = verdict < 0 ? verdict : new_file_finish(&out, d);
	new_file_close(&out);
	if (!err)
		log_line("%s: %s events of %zu files, %s", to, log_count(merged.events), w->operands,
			 log_bytes(merged.bytes));
	return err ? err : verdict;
}

int cmd_merge(int argc, char **argv, struct diag *d)
{
	const char *to = NULL;
	const struct verb_option options[] = {{"--output", &to, NULL}, {"-o", &to, NULL}, {NULL, NULL, NULL}};
	struct verb_args w = {.verb = "merge", .help = help, .options = options};
	int err = verb_args_read(&w, argc, argv, d);

	if (!err && w.operands < 2)
		err = diag_usage(d, "two files at least: 'frtrace merge -o OUT.jfr A.jfr B.jfr'");
	if (!err && !to)
		err = diag_usage(d, "no file to write: 'frtrace merge -o OUT.jfr A.jfr B.jfr'");
	if (!err)
		err = check_twice(&w, d);
	if (err)
		return err == CLI_DONE ? EXIT_DONE : err;
	return merge_it(&w, to, d);
}
