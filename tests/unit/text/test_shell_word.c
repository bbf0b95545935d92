// SPDX-License-Identifier: BSD-2-Clause
/* A shell gets back the path from the word. */
#include "user/text/shell_word.h"
#include "tests/lib/test.h"

static const char *word(const char *path)
{
	static char text[512];
	struct bytes word;

	bytes_init(&word);
	put_shell_word(&word, path);
	snprintf(text, sizeof(text), "%s", bytes_text(&word));
	bytes_release(&word);
	return text;
}

/* What bash passes on for the word, which stands for POSIX's shells, too, unless it has $''. */
static const char *passed_on(const char *shell, const char *path)
{
	static char text[512];
	char command[1024];
	size_t size;
	FILE *from;

	snprintf(command, sizeof(command), "exec %s <<'END_OF_TEXT'\nprintf %%s %s\nEND_OF_TEXT\n", shell, word(path));
	from = popen(command, "r");
	assert_non_null(from);
	size = fread(text, 1, sizeof(text) - 1, from);
	text[size] = 0;
	pclose(from);
	return text;
}

CASE(usual_paths_stay_as_they_are)
{
	static const char *const paths[] = {"shop.jfr", "/var/tmp/frtrace-7017-2026_11_20.jfr", "rec/2026_11_20_7/",
					    "a,b:c@d%e+f=g", "gr\xc3\xbc\xc3\x9f.jfr"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_string_equal(word(paths[i]), paths[i]);
}

CASE(others_are_quoted)
{
	assert_string_equal(word("my shop.jfr"), "'my shop.jfr'");
	assert_string_equal(word("it's.jfr"), "'it'\\''s.jfr'");
	assert_string_equal(word(""), "''");
	assert_string_equal(word("-n.jfr"), "./-n.jfr");
	assert_string_equal(word("- n.jfr"), "'./- n.jfr'");
	assert_string_equal(word("a\nb\\'.jfr"), "$'a\\012b\\\\\\'.jfr'");
}

CASE(shells_pass_on_the_path)
{
	static const char *const paths[] = {"my shop.jfr", "it's.jfr", "$HOME;`id`\"\\*?[a]{b,c}~!#&|<>()", "'",
					    "''x'"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_string_equal(passed_on("sh", paths[i]), paths[i]);
		assert_string_equal(passed_on("bash", paths[i]), paths[i]);
	}
	assert_string_equal(passed_on("bash", "a\tb\n'c\\.jfr\x7f"), "a\tb\n'c\\.jfr\x7f");
	assert_string_equal(passed_on("bash", "~/x"), "~/x");
}

CASE(no_path_is_too_long)
{
	char path[200];
	struct bytes word;

	memset(path, '\'', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	bytes_init(&word);
	put_shell_word(&word, path);
	assert_int_equal(word.size, 2 + 4 * strlen(path));
	bytes_release(&word);
}
