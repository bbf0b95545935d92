// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/cli.h"
#include "user/verbs/check.h"
#include "user/verbs/control.h"
#include "user/verbs/export.h"
#include "user/verbs/list.h"
#include "user/verbs/merge.h"
#include "user/verbs/methods.h"
#include "user/verbs/print.h"
#include "user/verbs/record.h"
#include "user/verbs/recover.h"
#include "user/verbs/summary.h"
#include "user/verbs/view.h"
#include "user/exit.h"
#include "user/text/log.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static int settings_run(struct settings *s, struct diag *d)
{
	switch (s->verb) {
	case SETTINGS_CHECK: return cmd_check(s, d);
	case SETTINGS_LIST: return cmd_list(s, d);
	case SETTINGS_METHODS: return cmd_methods(s, d);
	case SETTINGS_RECORD: break;
	}
	return cmd_record(s, d);
}

/* Verbs that read files have options of their own. */
static const struct {
	const char *name;
	int (*run)(int argc, char **argv, struct diag *d);
} file_verbs[] = {
	{"summary", cmd_summary}, {"print", cmd_print},	    {"view", cmd_view},
	{"export", cmd_export},	  {"recover", cmd_recover}, {"merge", cmd_merge},
	{"status", cmd_status},	  {"dump", cmd_dump},	    {"stop", cmd_stop},
};

/* CLI_DONE, an exit status, or -errno with the message. */
static int run_words(int argc, char **argv, struct diag *d)
{
	struct settings s;
	int err;

	for (size_t i = 0; argc > 1 && i < sizeof(file_verbs) / sizeof(file_verbs[0]); i++)
		if (strcmp(argv[1], file_verbs[i].name) == 0)
			return file_verbs[i].run(argc - 2, argv + 2, d);
	err = cli_parse(argc, argv, &s, d);
	if (err)
		return err == CLI_DONE ? EXIT_DONE : err;
	err = settings_run(&s, d);
	cli_release(&s);
	return err;
}

/* Else the recording, or the JVM's segment, would get the number of stderr, and what is said there. Their use fails as before. */
static void keep_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	struct diag d = {0};
	int err;

	keep_standard_descriptors();
	err = run_words(argc, argv, &d);
	if (err >= 0)
		return err;
	log_error("frtrace: %s", d.text);
	return d.usage ? EXIT_USAGE : EXIT_FAILED;
}
