// SPDX-License-Identifier: BSD-2-Clause
#include "user/options/dump_conditions.h"
#include "filters/filter_list.h"
#include "filters/time.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPTION	"--dump-when"
#define EXAMPLE "as in --dump-when='Cart::pay >1s', 'Cart::pay thrown' or 'Cart::pay open>10s'"

/* What is known of a thread's call are names: no supertypes, no annotations. */
static int check_filter(struct dump_condition *c, const struct filter_list *l, struct diag *d)
{
	size_t size;
	int err;

	if (!filter_list_count(l, FILTER_TRACE))
		return diag_usage(d, "wrong " OPTION " '%s': the filter selects nothing, " EXAMPLE, c->text);
	if (filter_list_threshold(l, 0))
		return diag_usage(d, "wrong " OPTION " '%s': the limit stands behind '>', " EXAMPLE, c->text);
	err = filter_list_compile(l, &c->program, &size, d);
	if (err)
		return err;
	c->methods = (struct matcher){c->program, size};
	if (matcher_has_supertypes(&c->methods) || matcher_has_annotations(&c->methods))
		return diag_usage(d, "wrong " OPTION " '%s': '+' and '@' do not work here, name classes", c->text);
	return 0;
}

static int take_filter(struct dump_condition *c, const char *text, struct diag *d)
{
	struct filter_list *l = filter_list_new();
	int err = l ? filter_list_add(l, text, FILTER_TRACE, d) : diag_set(d, ENOMEM, "no memory for " OPTION);

	if (!err)
		err = check_filter(c, l, d);
	filter_list_free(l);
	return err;
}

static int take_cause(struct dump_condition *c, const char *word, struct diag *d)
{
	if (strcmp(word, "thrown") == 0) {
		c->cause = DUMP_THROWN;
		return 0;
	}
	c->cause = word[0] == '>' ? DUMP_SLOW : DUMP_OPEN;
	if (c->cause == DUMP_OPEN && strncmp(word, "open>", 5) != 0)
		return diag_usage(d, "wrong " OPTION " '%s': '%s' is none of >TIME, thrown and open>TIME, " EXAMPLE,
				  c->text, word);
	word = strchr(word, '>') + 1;
	if (time_parse(word, strlen(word), &c->limit_ns))
		return 0;
	return diag_usage(d, "wrong " OPTION " '%s': '%s' is no time, " EXAMPLE, c->text, word);
}

/* The filter may have blanks in it; the cause, which is the last word, has none. */
static int parse_dump_condition(struct dump_condition *c, char *text, struct diag *d)
{
	char *end = text + strlen(text), *word;

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = 0;
	for (word = end; word > text && !isspace((unsigned char)word[-1]);)
		word--;
	if (word == text)
		return diag_usage(d, "wrong " OPTION " '%s': a filter and a limit, " EXAMPLE, c->text);
	word[-1] = 0;
	return take_cause(c, word, d) ?: take_filter(c, text, d);
}

int dump_conditions_add(struct dump_conditions *l, const char *text, struct diag *d)
{
	struct dump_condition *c = &l->condition[l->count];
	char *copy;
	int err;

	if (l->count == DUMP_CONDITIONS_MAX)
		return diag_usage(d, "at most %u " OPTION, DUMP_CONDITIONS_MAX);
	copy = strdup(text);
	if (!copy)
		return diag_set(d, ENOMEM, "no memory for " OPTION);
	*c = (struct dump_condition){.text = text};
	l->count++;
	err = parse_dump_condition(c, copy, d);
	free(copy);
	return err;
}

void dump_conditions_release(struct dump_conditions *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->condition[i].program);
	l->count = 0;
}
