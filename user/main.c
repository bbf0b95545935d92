// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli.h"
#include "user/cmd_check.h"
#include "user/cmd_list.h"
#include "user/cmd_methods.h"
#include "user/cmd_record.h"
#include "user/log.h"

static int run(struct settings *s, struct diag *d)
{
	switch (s->verb) {
	case SETTINGS_CHECK:
		return cmd_check(s, d);
	case SETTINGS_LIST:
		return cmd_list(s, d);
	case SETTINGS_METHODS:
		return cmd_methods(s, d);
	case SETTINGS_RECORD:
		break;
	}
	return cmd_record(s, d);
}

int main(int argc, char **argv)
{
	struct diag d = { 0 };
	struct settings s;
	int err = cli_parse(argc, argv, &s, &d);

	if (err == CLI_DONE)
		return EXIT_DONE;
	if (!err) {
		err = run(&s, &d);
		settings_release(&s);
	}
	if (err >= 0)
		return err;
	log_error("frtrace: %s", d.text);
	return d.usage ? EXIT_USAGE : EXIT_FAILED;
}
