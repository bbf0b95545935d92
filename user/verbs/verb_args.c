// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verb_args.h"
#include "user/verbs/cli.h"

#include <stdio.h>
#include <string.h>

static const struct verb_option *find_option(const struct verb_args *w, const char *word, size_t length)
{
	for (const struct verb_option *o = w->options; o->name; o++)
		if (strlen(o->name) == length && strncmp(o->name, word, length) == 0)
			return o;
	return NULL;
}

/* Returns how many words it took, or -EINVAL. */
static int read_option(struct verb_args *w, const char *word, const char *next, struct diag *d)
{
	size_t length = strcspn(word, "=");
	const struct verb_option *o = find_option(w, word, length);

	if (!o)
		return diag_usage(d, "'frtrace %s' has no option '%.*s', see 'frtrace %s --help'", w->verb, (int)length,
				  word, w->verb);
	if (o->flag && word[length])
		return diag_usage(d, "%s takes no value", o->name);
	if (o->flag) {
		*o->flag = true;
		return 1;
	}
	if (!word[length] && !next)
		return diag_usage(d, "%s needs a value", o->name);
	*o->value = word[length] ? word + length + 1 : next;
	return word[length] ? 1 : 2;
}

static int add_operand(struct verb_args *w, const char *word, struct diag *d)
{
	if (w->operands == sizeof(w->operand) / sizeof(w->operand[0]))
		return diag_usage(d, "unexpected word '%s', see 'frtrace %s --help'", word, w->verb);
	w->operand[w->operands++] = word;
	return 1;
}

int verb_args_read(struct verb_args *w, int argc, char **argv, struct diag *d)
{
	bool only_operands = false;
	int taken = 1;

	w->operands = 0;
	for (int i = 0; i < argc && taken > 0; i += taken) {
		taken = 1;
		if (only_operands || argv[i][0] != '-' || !argv[i][1]) {
			taken = add_operand(w, argv[i], d);
		} else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			fputs(w->help, stdout);
			return CLI_DONE;
		} else if (strcmp(argv[i], "--") == 0) {
			only_operands = true;
		} else {
			taken = read_option(w, argv[i], argv[i + 1], d);
		}
	}
	return taken < 0 ? taken : 0;
}

int verb_args_number(const char *option, const char *text, uint64_t least, uint64_t *n, struct diag *d)
{
	*n = 0;
	if (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 9)
		return diag_usage(d, "wrong %s '%s': it has to be a whole number", option, text);
	for (; *text; text++)
		*n = 10 * *n + (*text - '0');
	if (*n < least)
		return diag_usage(d, "wrong %s '%lu': it has to be at least %lu", option, *n, least);
	return 0;
}
