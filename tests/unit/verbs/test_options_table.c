// SPDX-License-Identifier: BSD-2-Clause
/* Each row of the table is read, limited, shown by --help, in the manual page and offered by the completions. */
#include "user/verbs/cli.h"
#include "user/verbs/help.h"
#include "user/verbs/option_value.h"
#include "tests/lib/test.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#define FILE_SIZE 65536

static struct command_line fresh(void)
{
	struct command_line c = {.args = {.stack_depth = 5, .cell_height = 1, .min_share = 1}};
	struct diag d;

	assert_int_equal(settings_init(&c.settings, &d), 0);
	return c;
}

/* The first 8 bytes of the row's field. */
static uint64_t field(const struct command_line *c, const struct option_row *o)
{
	uint64_t value = 0;

	assert_true(o->size);
	memcpy(&value, (const char *)c + o->at, o->size < sizeof(value) ? o->size : sizeof(value));
	return value;
}

/* A text that the option takes and that is not its default; NULL for one without argument. */
static const char *sample(const struct option_row *o)
{
	static char number[32];

	switch (o->kind) {
	case OPTION_TIME: return "77s";
	case OPTION_SIZE: return "77m";
	case OPTION_PERCENT: return "77%";
	case OPTION_COUNT: snprintf(number, sizeof(number), "%" PRIu64, o->min + 7); return number;
	case OPTION_CHOICE:
		for (const struct option_choice *c = o->choices; c->name; c++)
			if (!o->usual || strcmp(c->name, o->usual) != 0)
				return c->name;
		return NULL;
	case OPTION_SETTINGS: return "profile";
	case OPTION_HANDOFF: return "a.Queue::put arg0 => a.Worker::run arg0";
	case OPTION_CONDITION: return "Cart::pay p99>1ms";
	case OPTION_DUMP_WHEN: return "Cart::pay >1s";
	case OPTION_UNTIL: return "tasks";
	default: return o->arg ? "text" : NULL;
	}
}

static bool is_number(const struct option_row *o)
{
	return o->kind == OPTION_COUNT || o->kind == OPTION_TIME || o->kind == OPTION_SIZE || o->kind == OPTION_PERCENT;
}

CASE(each_row_is_found_by_its_verbs)
{
	for (const struct option_row *o = options; o->name; o++) {
		assert_true(o->verbs && !(o->verbs & ~VERBS_ALL));
		for (size_t v = 0; v < VERBS; v++) {
			size_t count;

			if (!(o->verbs & VERB_BIT(v)))
				continue;
			if (option_by_name(VERB_BIT(v), o->name, strlen(o->name), &count) != o)
				fail_msg("%s --%s is another row", verbs[v].name, o->name);
			if (o->letter && option_by_letter(VERB_BIT(v), o->letter) != o)
				fail_msg("%s -%c is another row", verbs[v].name, o->letter);
		}
	}
}

CASE(each_row_reaches_its_field)
{
	for (const struct option_row *o = options; o->name; o++) {
		struct command_line c = fresh();
		struct diag d = {0};
		uint64_t before;

		if (o->size) {
			before = field(&c, o);
			if (option_store(&c, o, sample(o), &d))
				fail_msg("--%s: %s", o->name, d.text);
			if (field(&c, o) == before)
				fail_msg("--%s=%s changes nothing", o->name, sample(o));
		}
		cli_release(&c);
	}
}

/* One line, which names the option, for each verb that does not take it. */
CASE(other_verbs_refuse_an_option)
{
	for (const struct option_row *o = options; o->name; o++) {
		for (size_t v = 0; v < VERBS; v++) {
			char verb[16], word[64];
			char *argv[] = {(char *)"frtrace", verb, word, NULL};
			struct command_line c;
			struct diag d = {0};
			size_t count;

			if (option_by_name(VERB_BIT(v), o->name, strlen(o->name), &count) || count)
				continue;
			snprintf(verb, sizeof(verb), "%s", verbs[v].name);
			snprintf(word, sizeof(word), "--%s", o->name);
			if (cli_parse(3, argv, &c, &d) != -EINVAL || !d.usage)
				fail_msg("%s %s is taken", verb, word);
			if (!strstr(d.text, word) || strchr(d.text, '\n'))
				fail_msg("%s %s: %s", verb, word, d.text);
		}
	}
}

static int store_text(const struct option_row *o, const char *text, struct diag *d)
{
	struct command_line c = fresh();
	int err;

	*d = (struct diag){0};
	err = option_store(&c, o, text, d);
	cli_release(&c);
	return err;
}

static void must_take(const struct option_row *o, uint64_t number)
{
	static const char *const units[] = {[OPTION_TIME] = "ns", [OPTION_PERCENT] = "%"};
	const char *unit = o->kind < sizeof(units) / sizeof(units[0]) ? units[o->kind] : NULL;
	char text[32];
	struct diag d;

	snprintf(text, sizeof(text), "%" PRIu64 "%s", number, unit ? unit : "");
	if (store_text(o, text, &d))
		fail_msg("--%s=%s: %s", o->name, text, d.text);
}

static void must_refuse(const struct option_row *o, const char *text)
{
	struct diag d;

	if (store_text(o, text, &d) != -EINVAL || !d.usage)
		fail_msg("--%s='%s' is taken", o->name, text);
	if (!strstr(d.text, o->name) || strchr(d.text, '\n'))
		fail_msg("--%s='%s': %s", o->name, text, d.text);
}

static void refuse_number(const struct option_row *o, uint64_t number)
{
	static const char *const units[] = {"", "ns", "%"};
	char text[32];

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		snprintf(text, sizeof(text), "%" PRIu64 "%s", number, units[i]);
		must_refuse(o, text);
	}
}

CASE(numbers_beyond_the_limits_get_one_line)
{
	static const char *const wrong[] = {"", "many", "-1", "+1", "1x", " 1", "99999999999999999999"};
	size_t rows = 0;

	for (const struct option_row *o = options; o->name; o++) {
		if (!is_number(o))
			continue;
		rows++;
		for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
			must_refuse(o, wrong[i]);
		must_take(o, o->min);
		if (o->min)
			refuse_number(o, o->min - 1);
		if (o->max) {
			must_take(o, o->max);
			refuse_number(o, o->max + 1);
		}
	}
	assert_in_range(rows, 10, 100);
}

CASE(limit_is_named_as_it_is_typed)
{
	size_t count;
	struct diag d;

	store_text(option_by_name(VERBS_RECORDING, "interval", 8, &count), "99ms", &d);
	assert_string_equal(d.text, "wrong --interval '99ms': it has to be at least 100ms");
	store_text(option_by_name(VERBS_RECORDING, "in-memory", 9, &count), "1m", &d);
	assert_string_equal(d.text, "wrong --in-memory '1m': it has to be at least 16m");
	store_text(option_by_name(VERB_BIT(VERB_VIEW), "width", 5, &count), "19", &d);
	assert_string_equal(d.text, "wrong --width '19': it has to be 20 to 10000");
	store_text(option_by_name(VERB_BIT(VERB_EXPORT), "weight", 6, &count), "kg", &d);
	assert_string_equal(d.text, "wrong --weight 'kg': it has to be calls or time");
}

CASE(old_names_are_found_and_nothing_abbreviates_a_hidden_one)
{
	static const struct {
		const char *name, *found; /* NULL: nothing */
	} rows[] = {{"source", "source"}, {"sour", "source"}, {"probe", "source"}, {"attach", "attach"},
		    {"probes", "attach"}, {"prob", NULL},     {"atta", NULL}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t count;
		const struct option_row *o =
			option_by_name(VERBS_RECORDING, rows[i].name, strlen(rows[i].name), &count);

		if (rows[i].found)
			assert_string_equal(o ? o->name : "", rows[i].found);
		else
			assert_true(!o && !count);
	}
}

/* What --help calls the default is what happens without the option. */
CASE(defaults_are_as_the_rows_say)
{
	for (const struct option_row *o = options; o->name; o++) {
		struct command_line c = fresh();
		struct diag d = {0};
		uint64_t before;

		if (o->usual && o->kind != OPTION_OUTPUT) {
			before = field(&c, o);
			assert_int_equal(option_store(&c, o, o->usual, &d), 0);
			if (field(&c, o) != before)
				fail_msg("--%s: the default is not %s", o->name, o->usual);
		}
		cli_release(&c);
	}
}

static void read_descriptor(int fd, char out[FILE_SIZE])
{
	size_t length = 0;
	ssize_t n;

	while ((n = pread(fd, out + length, FILE_SIZE - 1 - length, length)) > 0)
		length += n;
	assert_in_range(length, 1, FILE_SIZE - 2);
	out[length] = 0;
}

static void help_of(const struct verb *v, char out[FILE_SIZE])
{
	char name[] = "/tmp/frtrace-test-XXXXXX";
	int file = mkstemp(name), saved = dup(1);

	assert_true(file >= 0 && saved >= 0);
	unlink(name);
	fflush(stdout);
	dup2(file, 1);
	help_print(v);
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	read_descriptor(file, out);
	close(file);
}

static void read_text(const char *path, char out[FILE_SIZE])
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		fail_msg("no %s", path);
	read_descriptor(fd, out);
	close(fd);
}

CASE(help_shows_what_a_verb_takes)
{
	static char help[FILE_SIZE];

	for (size_t v = 0; v < VERBS; v++) {
		help_of(&verbs[v], help);
		for (const struct option_row *o = options; o->name; o++) {
			bool taken = o->verbs & VERB_BIT(v) && !o->hidden;
			char letter[8] = "   ", argument[64], line[128];

			if (o->letter)
				snprintf(letter, sizeof(letter), "-%c,", o->letter);
			option_argument(o, argument, sizeof(argument));
			snprintf(line, sizeof(line), "\n  %s --%s%s ", letter, o->name, argument);
			if (taken && !strstr(help, line))
				fail_msg("%s --help does not show%s", verbs[v].name, line);
			snprintf(line, sizeof(line), " --%s%s  ", o->name, argument);
			if (!taken &&
			    (o->hidden || !option_by_name(VERB_BIT(v), o->name, strlen(o->name), &(size_t){0})) &&
			    strstr(help, line))
				fail_msg("%s --help shows%s", verbs[v].name, line);
		}
	}
}

CASE(help_has_no_line_that_is_too_long)
{
	static char help[FILE_SIZE];

	for (size_t v = 0; v < VERBS; v++) {
		help_of(&verbs[v], help);
		for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n"))
			if (strlen(line) > 108 || line[strlen(line) - 1] == ' ')
				fail_msg("%s --help: '%s'", verbs[v].name, line);
	}
}

/* The name as roff has it: \-\-stack\-depth. */
static void roff_name(const char *name, char *out)
{
	out += sprintf(out, "\\-\\-");
	for (; *name; name++)
		out += sprintf(out, *name == '-' ? "\\-" : "%c", *name);
}

CASE(manual_page_has_every_verb_and_option)
{
	static char page[FILE_SIZE];
	char text[128];

	read_text(BUILD "/frtrace.1", page);
	assert_ptr_equal(strchr(page, '@'), strstr(page, "@a.b.Anno")); /* no mark of the template is left */
	for (size_t v = 0; v < VERBS; v++) {
		snprintf(text, sizeof(text), "\n.B %s\n", verbs[v].name);
		if (!strstr(page, text))
			fail_msg("no verb %s", verbs[v].name);
	}
	for (const struct option_row *o = options; o->name; o++) {
		roff_name(o->name, text);
		strcat(text, o->hidden ? "=" : "");
		if (!strstr(page, text) != o->hidden)
			fail_msg("%s: %s", o->hidden ? "hidden, but there" : "no option", text);
	}
}

CASE(bash_completion_has_every_verb_and_option)
{
	char line[128], expected[128];
	FILE *f = popen("bash -c '. " BUILD "/frtrace.bash; for verb in \"${_frtrace_verbs[@]%%:*}\"; "
			"do echo \"$verb:\"; _frtrace_options \"$verb\"; done'",
			"r");

	assert_non_null(f);
	for (size_t v = 0; v < VERBS; v++) {
		assert_non_null(fgets(line, sizeof(line), f));
		snprintf(expected, sizeof(expected), "%s:\n", verbs[v].name);
		assert_string_equal(line, expected);
		for (const struct option_row *o = options; o->name; o++) {
			if (!(o->verbs & VERB_BIT(v)) || o->hidden)
				continue;
			snprintf(expected, sizeof(expected), "-%c\n", o->letter);
			if (o->letter && (!fgets(line, sizeof(line), f) || strcmp(line, expected) != 0))
				fail_msg("%s offers no %s", verbs[v].name, expected);
			snprintf(expected, sizeof(expected), "--%s%s\n", o->name, o->arg && !o->optional ? "=" : "");
			if (!fgets(line, sizeof(line), f) || strcmp(line, expected) != 0)
				fail_msg("%s offers no %s", verbs[v].name, expected);
		}
	}
	assert_null(fgets(line, sizeof(line), f));
	assert_int_equal(pclose(f), 0);
}

CASE(bash_completion_has_every_choice)
{
	for (const struct option_row *o = options; o->name; o++) {
		char command[256], line[128];
		FILE *f;

		if (!o->choices || o->hidden)
			continue;
		snprintf(command, sizeof(command), "bash -c '. %s/frtrace.bash; _frtrace_values --%s'", BUILD, o->name);
		f = popen(command, "r");
		assert_non_null(f);
		for (const struct option_choice *c = o->choices; c->name; c++) {
			assert_non_null(fgets(line, sizeof(line), f));
			line[strcspn(line, "\n")] = 0;
			assert_string_equal(line, c->name);
		}
		assert_int_equal(pclose(f), 0);
	}
}

/* From the verbs to the views, to be freed. */
static char *tables_of(const char *text)
{
	const char *begin = strstr(text, "_frtrace_verbs=("), *end = strstr(text, "_frtrace_views()");

	assert_true(begin && end && begin < end);
	return strndup(begin, strchrnul(end, '\n') - begin);
}

CASE(zsh_completion_has_the_same_tables)
{
	static char bash[FILE_SIZE], zsh[FILE_SIZE];
	char *of_bash, *of_zsh;

	read_text(BUILD "/frtrace.bash", bash);
	read_text(BUILD "/_frtrace", zsh);
	of_bash = tables_of(bash);
	of_zsh = tables_of(zsh);
	assert_string_equal(of_bash, of_zsh);
	free(of_bash);
	free(of_zsh);
}
