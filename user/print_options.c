// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program of the build: copies a template from standard input to standard output. A line with @verbs@, @recording@
 * or @others@ becomes that section of the manual page, a line with @tables@ what the completions of bash and zsh
 * have to know. All of it comes from the options table.
 */
#include "user/verbs/options_table.h"
#include "user/view/views.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_option_start(const char *text, const char *s)
{
	return *s == '-' && (s == text || strchr(" (", s[-1])) && (s[1] == '-' || isalpha(s[1]));
}

/* Prose: options in bold, and what means something to roff escaped. */
static void roff_prose(const char *text)
{
	bool bold = false;

	for (const char *s = text; *s; s++) {
		if (is_option_start(text, s)) {
			fputs("\\fB", stdout);
			bold = true;
		} else if (bold && *s != '-' && !isalnum(*s)) {
			fputs("\\fR", stdout);
			bold = false;
		}
		if (*s == '-' && bold)
			fputs("\\-", stdout);
		else if (*s == '\'')
			fputs("\\(aq", stdout);
		else
			putchar(*s);
	}
	if (bold)
		fputs("\\fR", stdout);
}

/* One line, or the first sentence: a capital and a full stop. */
static void roff_sentence(const char *text)
{
	char sentence[512];

	snprintf(sentence, sizeof(sentence), "%c%s.", toupper(text[0]), text + 1);
	roff_prose(sentence);
}

/* The argument behind a name in bold: what is typed in bold, what stands for something in italics. */
static void roff_argument(const char *text)
{
	char font = 'B';

	for (const char *s = text; *s; s++) {
		char wanted = strchr("|[]", *s) ? 'R' : isupper(*s) ? 'I' : 'B';

		if (wanted != font)
			printf("\\f%c", wanted);
		font = wanted;
		putchar(*s);
	}
	puts("\\fR");
}

/* "list, check and methods", with " and " for `last`. */
static void roff_verb_names(unsigned int mask, const char *last)
{
	for (size_t i = 0; i < VERBS; i++) {
		unsigned int more = mask & -(VERB_BIT(i) << 1);

		if (mask & VERB_BIT(i))
			printf("%s%s", verbs[i].name, !more ? "" : more & (more - 1) ? ", " : last);
	}
}

static void roff_option(const struct option_row *o)
{
	unsigned int others = o->verbs & ~VERBS_RECORDING;
	char argument[64], notes[128];

	option_argument(o, argument, sizeof(argument));
	option_notes(o, notes, sizeof(notes));
	puts(".TP");
	if (o->section == SECTION_VERBS) {
		roff_verb_names(o->verbs, ", ");
		putchar(' ');
	}
	if (o->letter)
		printf("\\fB\\-%c\\fR, ", o->letter);
	fputs("\\fB\\-\\-", stdout);
	for (const char *s = o->name; *s; s++)
		printf(*s == '-' ? "\\-" : "%c", *s);
	roff_argument(argument);
	roff_sentence(o->help);
	if (notes[0]) {
		putchar(' ');
		roff_sentence(notes);
	}
	putchar('\n');
	if (o->more) {
		roff_prose(o->more);
		putchar('\n');
	}
	if (o->section < SECTION_OTHER && others) {
		fputs("Also for ", stdout);
		roff_verb_names(others, " and ");
		puts(".");
	}
}

static void roff_section(enum option_section section)
{
	for (const struct option_row *o = options; o->name; o++)
		if (o->section == section && !o->hidden)
			roff_option(o);
}

static void roff_recording(void)
{
	for (enum option_section s = 0; s < SECTION_VERBS; s++) {
		printf(".SS %s\n", option_sections[s]);
		roff_section(s);
	}
}

static void roff_others(void)
{
	roff_section(SECTION_VERBS);
}

static void roff_views(void)
{
	fputs("The views are:", stdout);
	for (const struct view *v = views; v->name; v++)
		printf("%s %s", v == views ? "" : ",", v->name);
	puts(".");
}

static void roff_verbs(void)
{
	for (size_t i = 0; i < VERBS; i++) {
		printf(".TP\n.B %s\n", verbs[i].name);
		roff_sentence(verbs[i].help);
		putchar('\n');
		if (verbs[i].more) {
			roff_prose(verbs[i].more);
			putchar('\n');
		}
		if (i == VERB_VIEW)
			roff_views();
	}
}

/* A word of the shell. */
static void shell_word(const char *text)
{
	putchar('\'');
	for (; *text; text++)
		fputs(*text == '\'' ? "'\\''" : (char[]){*text, 0}, stdout);
	putchar('\'');
}

static void shell_verbs(void)
{
	puts("_frtrace_verbs=(");
	for (size_t i = 0; i < VERBS; i++) {
		char text[256];

		snprintf(text, sizeof(text), "%s:%s", verbs[i].name, verbs[i].help);
		putchar('\t');
		shell_word(text);
		putchar('\n');
	}
	puts(")");
}

/* A name that ends in '=' waits for its argument. */
static void shell_options(void)
{
	puts("\n_frtrace_options() { # VERB\n\tcase $1 in");
	for (size_t i = 0; i < VERBS; i++) {
		printf("\t%s) printf '%%s\\n'", verbs[i].name);
		for (const struct option_row *o = options; o->name; o++) {
			if (!(o->verbs & VERB_BIT(i)) || o->hidden)
				continue;
			if (o->letter)
				printf(" -%c", o->letter);
			printf(" --%s%s", o->name, o->arg && !o->optional ? "=" : "");
		}
		puts(" ;;");
	}
	puts("\tesac\n}");
}

/* Who can list the values of an option: a function of the template, or the rows. */
static const char *shell_source(const struct option_row *o)
{
	switch (o->kind) {
	case OPTION_TARGET: return "_frtrace_jvms";
	case OPTION_USER: return "_frtrace_users";
	default: return o->choices ? "printf '%s\\n'" : NULL;
	}
}

static void shell_values(void)
{
	puts("\n_frtrace_values() { # OPTION\n\tcase $1 in");
	for (const struct option_row *o = options; o->name; o++) {
		const char *values = shell_source(o);

		if (!values || o->hidden)
			continue;
		putchar('\t');
		if (o->letter)
			printf("-%c | ", o->letter);
		printf("--%s) %s", o->name, values);
		for (const struct option_choice *c = o->choices; c && c->name; c++)
			printf(" %s", c->name);
		puts(" ;;");
	}
	puts("\t*) return 1 ;;\n\tesac\n}");
}

static void shell_views(void)
{
	fputs("\n_frtrace_views() { printf '%s\\n'", stdout);
	for (const struct view *v = views; v->name; v++)
		printf(" %s", v->name);
	puts("; }");
}

static void shell_tables(void)
{
	shell_verbs();
	shell_options();
	shell_values();
	shell_views();
}

static const struct {
	const char *mark;
	void (*print)(void);
} marks[] = {
	{"@verbs@", roff_verbs},
	{"@recording@", roff_recording},
	{"@others@", roff_others},
	{"@tables@", shell_tables},
};

int main(void)
{
	char line[1024];

	while (fgets(line, sizeof(line), stdin)) {
		size_t i = 0;

		while (i < sizeof(marks) / sizeof(marks[0]) && !strstr(line, marks[i].mark))
			i++;
		if (i < sizeof(marks) / sizeof(marks[0]))
			marks[i].print();
		else
			fputs(line, stdout);
	}
	return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
