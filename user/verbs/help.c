// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/help.h"
#include "user/view/views.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define COLUMN 29  /* where help texts start */
#define WIDTH  108 /* maximum line length */

static const char filters_help[] =
	"Filters\n"
	"  a.b.C  a.b.C$In            all methods of a class, of a nested class\n"
	"  C::m  C::<init>  ::m       a method, all overloads; constructors; of any class\n"
	"  C::m(int,String[])         one overload; C::m() has no parameters; C::m()void returns nothing\n"
	"  a.b.*  *Dao::find*         '*' is any characters, dots too: a.b and all packages below\n"
	"  +a.b.I  +a.b.I::m          a class or interface and all that extend or implement it\n"
	"  @a.b.Anno                  the classes and methods that have the annotation\n"
	"  !FILTER  FILTER:10ms       not these; a threshold of its own\n";

static const char examples_help[] =
	"  sudo frtrace -p 4242 -m 'com.acme.Cart::checkout'\n"
	"  sudo frtrace -p shop.jar -m 'com.acme.Cart;com.acme.Order$Line' -t 10ms -d 30s -o /tmp/\n";

/* Print text from `column` on, wrapping long lines with `indent`. */
static void print_wrapped(const char *text, size_t column, size_t indent)
{
	for (const char *word = text; *word; word += *word == ' ') {
		size_t length = strcspn(word, " ");

		if (word != text && column + 1 + length > WIDTH) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		} else if (word != text) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)length, word);
		column += length;
		word += length;
	}
	putchar('\n');
}

/* Print a help text in its column, or two spaces after a longer option. */
static void help_print_text(int column, const char *text)
{
	column += printf("%*s", column < COLUMN ? COLUMN - column : 2, "");
	print_wrapped(text, column, COLUMN);
}

static void print_option(const struct option_row *o)
{
	char argument[64], notes[128], text[512];
	int column = printf(o->letter ? "  -%c, " : "      ", o->letter);

	option_argument(o, argument, sizeof(argument));
	option_notes(o, notes, sizeof(notes));
	snprintf(text, sizeof(text), "%s%s%s", o->help, notes[0] ? "; " : "", notes);
	column += printf("--%s%s", o->name, argument);
	help_print_text(column, text);
}

static void print_section(const struct verb *v, enum option_section section)
{
	for (const struct option_row *o = options; o->name; o++)
		if (o->section == section && o->verbs & VERB_BIT(v->id) && !o->hidden)
			print_option(o);
}

/* Print each line of verb.usage after "frtrace ". */
static void print_usage(const struct verb *v)
{
	const char *before = "Usage:";

	for (const char *line = v->usage; line; before = "      ") {
		const char *end = strchrnul(line, '\n');

		printf("%s frtrace %.*s\n", before, (int)(end - line), line);
		line = *end ? end + 1 : NULL;
	}
}

static void print_verbs(void)
{
	puts("Verbs");
	for (size_t i = VERB_START; i < VERBS; i++)
		help_print_text(printf("  %s", verbs[i].usage), verbs[i].help);
}

static void print_views(void)
{
	for (const struct view *v = views; v->name; v++)
		printf("  %-16s%s\n", v->name, v->help);
	putchar('\n');
}

static void print_whole(const struct verb *v)
{
	print_usage(v);
	puts("Trace chosen methods of a running JVM and write a Flight Recorder file.");
	print_verbs();
	for (enum option_section s = 0; s < SECTION_VERBS; s++) {
		puts(option_sections[s]);
		print_section(v, s);
		if (s == SECTION_WHAT)
			fputs(filters_help, stdout);
	}
	fputs(examples_help, stdout);
}

static void print_verb(const struct verb *v)
{
	char text[1024];

	print_usage(v);
	snprintf(text, sizeof(text), "%c%s.%s%s", toupper(v->help[0]), v->help + 1, v->more ? " " : "",
		 v->more ? v->more : "");
	print_wrapped(text, 0, 0);
	putchar('\n');
	if (v->id == VERB_VIEW)
		print_views();
	for (enum option_section s = 0; s < SECTION_OTHER; s++)
		print_section(v, s);
	print_section(v, SECTION_VERBS);
	print_section(v, SECTION_OTHER);
}

void help_print(const struct verb *v)
{
	if (VERB_BIT(v->id) & VERBS_RECORDING)
		print_whole(&verbs[VERB_RECORD]);
	else
		print_verb(v);
}
