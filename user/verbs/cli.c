// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/cli.h"
#include "format/vec.h"
#include "user/options/mapping_file.h"
#include "user/options/presets.h"
#include "user/options/settings_files.h"
#include "user/verbs/help.h"
#include "user/verbs/option_value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct command_line *c;
	char **words; /* NULL-terminated */
	int next;     /* index of the first unread word */
	struct diag *d;
};

static bool verb_is_of(const struct command_line *c, unsigned int mask)
{
	return VERB_BIT(c->verb->id) & mask;
}

static unsigned int verb_mask(const struct reader *r)
{
	return VERB_BIT(r->c->verb->id);
}

static int show_version(void)
{
	puts("frtrace " FRTRACE_VERSION);
	return CLI_DONE;
}

static int use_option(struct reader *r, const struct option_row *o, const char *text)
{
	if (o->kind == OPTION_HELP) {
		help_print(r->c->verb);
		return CLI_DONE;
	}
	return o->kind == OPTION_VERSION ? show_version() : option_store(r->c, o, text, r->d);
}

/*
 * Fail: `word`, of `length` bytes, is no option of the verb. `other`, which may be NULL, is the recording option of
 * this name.
 */
static int refuse_option(struct reader *r, const char *word, size_t length, const struct option_row *other)
{
	const char *verb = r->c->verb->name;

	if (r->c->verb->id == VERB_EXPORT && length == 8 && strncmp(word, "--chrome", length) == 0)
		return diag_usage(r->d, "'frtrace export' has no --chrome any more, use --perfetto");
	if (verb_is_of(r->c, VERBS_RECORDING))
		return diag_usage(r->d, "there is no option '%.*s', see 'frtrace --help'", (int)length, word);
	if (other && verb_is_of(r->c, VERBS_INSPECTING))
		return diag_usage(r->d, "'frtrace %s' takes no --%s, it records nothing", verb, other->name);
	return diag_usage(r->d, "'frtrace %s' has no option '%.*s', see 'frtrace %s --help'", verb, (int)length, word,
			  verb);
}

/* Parse --name, --name=TEXT or --name TEXT. */
static int read_long(struct reader *r, const char *word)
{
	size_t length = strcspn(word, "="), count, ignored;
	const struct option_row *o = option_by_name(verb_mask(r), word + 2, length - 2, &count);
	const char *text = word[length] ? word + length + 1 : NULL;

	if (count > 1)
		return diag_usage(r->d, "'%.*s' may mean several options, see 'frtrace --help'", (int)length, word);
	if (!o)
		return refuse_option(r, word, length, option_by_name(VERBS_RECORDING, word + 2, length - 2, &ignored));
	if (!o->arg && text)
		return diag_usage(r->d, "--%s takes no value", o->name);
	if (o->arg && !o->optional && !text) {
		text = r->words[r->next];
		if (!text)
			return diag_usage(r->d, "--%s needs a value, as in --%s=%s", o->name, o->name, o->arg);
		r->next++;
	}
	return use_option(r, o, text);
}

/* Parse -q, -qv, -t10ms, -t=10ms or -t 10ms. */
static int read_letters(struct reader *r, const char *word)
{
	int err = 0;

	for (const char *s = word + 1; *s && !err; s++) {
		const struct option_row *o = option_by_letter(verb_mask(r), *s == '?' ? 'h' : *s);

		if (!o)
			return refuse_option(r, (char[]){'-', *s, 0}, 2, option_by_letter(VERBS_RECORDING, *s));
		if (!o->arg) {
			err = use_option(r, o, NULL);
			continue;
		}
		if (s[1])
			return use_option(r, o, s + 1 + (s[1] == '='));
		if (!r->words[r->next])
			return diag_usage(r->d, "-%c needs a value, as in -%c %s", *s, *s, o->arg);
		return use_option(r, o, r->words[r->next++]);
	}
	return err;
}

static int refuse_word(const char *word, struct diag *d)
{
	if (word[strspn(word, "0123456789")] == 0 && *word)
		return diag_usage(d, "there is no command '%s'; a target is given with -p %s", word, word);
	return diag_usage(d, "unexpected word '%s', see 'frtrace --help'", word);
}

static int add_operand(struct reader *r, const char *word)
{
	struct verb_args *a = &r->c->args;

	if (vec_reserve(&a->operand, &a->capacity, a->operands + 1))
		return diag_set(r->d, ENOMEM, "no memory for the command line");
	a->operand[a->operands++] = word;
	return 0;
}

/* Parse a word that is no option: the target for `check`, the target and then filters for `methods`. */
static int read_operand(struct reader *r, const char *word)
{
	struct settings *s = &r->c->settings;

	switch (r->c->verb->id) {
	case VERB_RECORD:
	case VERB_START: return refuse_word(word, r->d);
	case VERB_LIST: return diag_usage(r->d, "'frtrace list' takes no target, it shows all: unexpected '%s'", word);
	case VERB_CHECK: return option_store_target(r->c, word, r->d);
	case VERB_METHODS:
		return s->target ? filter_list_add(s->filters, word, FILTER_TRACE, r->d)
				 : option_store_target(r->c, word, r->d);
	default: return add_operand(r, word);
	}
}

/*
 * Parse the words after "--": the program with its arguments; for verbs that read files, operands that may begin with
 * '-'.
 */
static int read_rest(struct reader *r)
{
	char **rest = r->words + r->next;
	int err = 0;

	if (!rest[0])
		return 0;
	if (verb_is_of(r->c, VERBS_INSPECTING))
		return diag_usage(r->d, "'frtrace %s' starts no program", r->c->verb->name);
	if (verb_is_of(r->c, VERBS_RECORDING)) {
		r->c->settings.program = rest;
		return rest[0][0] ? 0
				  : diag_usage(r->d,
					       "wrong program '': it is empty, name one as in -- java -jar shop.jar");
	}
	for (; *rest && !err; rest++)
		err = add_operand(r, *rest);
	return err;
}

static int read_words(struct reader *r)
{
	int err = 0;

	while (!err && r->words[r->next]) {
		const char *word = r->words[r->next++];

		if (strcmp(word, "--") == 0)
			return read_rest(r);
		if (word[0] != '-' || !word[1])
			err = read_operand(r, word);
		else
			err = word[1] == '-' ? read_long(r, word) : read_letters(r, word);
	}
	return err;
}

/* Parse the first word. 0: r->c->verb is set, CLI_DONE, or -errno. */
static int read_verb(struct reader *r)
{
	const char *name = r->words[0];

	r->c->verb = &verbs[VERB_RECORD];
	if (!name || name[0] == '-')
		return 0;
	r->next = 1;
	if (strcmp(name, "help") == 0) {
		help_print(r->c->verb);
		return CLI_DONE;
	}
	r->c->verb = verb_find(name);
	if (r->c->verb)
		return 0;
	if (name[0] && name[strspn(name, "0123456789")] == 0)
		return diag_usage(r->d, "there is no command '%s'; a target is given with -p %s", name, name);
	return diag_usage(r->d, "there is no command '%s', see 'frtrace --help'", name);
}

/* A recording of a JVM without a word on what to record: then frtrace knows something itself. */
static bool names_nothing(const struct command_line *c)
{
	const struct settings *s = &c->settings;

	return verb_is_of(c, VERBS_RECORDING) && (s->target || s->follow || s->program) && !s->files &&
	       !s->events.count && !filter_list_size(s->filters) && s->source != SETTINGS_SOURCE_HOTSPOT;
}

int cli_parse(int argc, char **argv, struct command_line *c, struct diag *d)
{
	struct reader r = {.c = c, .words = argv + (argc > 0), .d = d};
	int err;

	*c = (struct command_line){.args = {.stack_depth = 5, .cell_height = 1, .min_share = 1}};
	err = read_verb(&r);
	if (!err)
		err = settings_init(&c->settings, d);
	c->settings.background = !err && c->verb->id == VERB_START;
	if (!err)
		err = read_words(&r);
	if (!err && c->settings.files)
		err = settings_files_apply(c->settings.files, &c->settings, d);
	if (!err && names_nothing(c))
		err = presets_add_entries(&c->settings, d);
	if (!err)
		err = mapping_file_apply(&c->settings, &c->conditions, d);
	if (!err)
		err = cli_check(c, d);
	if (!err && c->settings.in_memory)
		c->settings.max_size = c->settings.in_memory;
	if (err)
		cli_release(c);
	return err;
}

void cli_release(struct command_line *c)
{
	free(c->args.operand);
	condition_list_release(&c->conditions);
	settings_files_free(c->settings.files);
	settings_release(&c->settings);
}
