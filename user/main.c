// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/cli.h"
#include "user/verbs/verbs.h"
#include "user/exit.h"
#include "user/text/log.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static int run_verb(struct command_line *c, struct diag *d)
{
	switch (c->verb->id) {
	case VERB_RECORD:
		if (c->settings.follow)
			return cmd_follow(&c->settings, d);
		return cmd_record(&c->settings, &c->conditions, d);
	case VERB_START: return cmd_record(&c->settings, &c->conditions, d);
	case VERB_STATUS: return cmd_status(&c->args, d);
	case VERB_DUMP: return cmd_dump(&c->args, d);
	case VERB_STOP: return cmd_stop(&c->args, d);
	case VERB_LIST: return cmd_list(&c->settings, d);
	case VERB_CHECK: return cmd_check(&c->settings, d);
	case VERB_METHODS: return cmd_methods(&c->settings, d);
	case VERB_PRESETS: return cmd_presets(&c->args, d);
	case VERB_SUMMARY: return cmd_summary(&c->args, d);
	case VERB_PRINT: return cmd_print(&c->args, d);
	case VERB_VIEW: return cmd_view(&c->args, c->settings.filters, &c->conditions, d);
	case VERB_DIFF: return cmd_diff(&c->args, c->settings.filters, &c->conditions, d);
	case VERB_REPORT: return cmd_report(&c->args, d);
	case VERB_EXPORT: return cmd_export(&c->args, d);
	case VERB_MERGE: return cmd_merge(&c->args, d);
	case VERB_RECOVER: break;
	}
	return cmd_recover(&c->args, d);
}

/* Parse and run the command line. Returns an exit status, or -errno with the message. */
static int run_words(int argc, char **argv, struct diag *d)
{
	struct command_line c;
	int err = cli_parse(argc, argv, &c, d);

	if (err)
		return err == CLI_DONE ? EXIT_DONE : err;
	err = run_verb(&c, d);
	cli_release(&c);
	return err;
}

/*
 * Open /dev/null for closed standard descriptors. Otherwise the recording or the JVM's segment could get the number of
 * stderr, and messages would go there. It is opened in the wrong mode, so using the descriptor still fails.
 */
static void keep_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static void do_nothing(int signal)
{
}

/*
 * A write beyond RLIMIT_FSIZE then fails like one to a full disk (EFBIG). It is a handler because a program that frtrace
 * starts would inherit SIG_IGN.
 */
static void survive_file_size_limit(void)
{
	if (signal(SIGXFSZ, do_nothing) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
	struct diag d = {0};
	int err;

	keep_standard_descriptors();
	survive_file_size_limit();
	signal(SIGCHLD, SIG_DFL); /* a supervisor may have it ignored: then no child could be waited for */
	err = run_words(argc, argv, &d);
	if (err >= 0)
		return err;
	log_error("frtrace: %s", d.text);
	return d.usage ? EXIT_USAGE : EXIT_FAILED;
}
