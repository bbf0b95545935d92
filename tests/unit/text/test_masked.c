// SPDX-License-Identifier: BSD-2-Clause
/* Statements and URLs without the values in them. */
#include "user/text/masked.h"
#include "tests/lib/test.h"

#include <stdint.h>
#include <stdio.h>

typedef size_t masked(void *text, size_t length, bool wide);

/* In both widths; "..." stands for the ellipsis, which only wide texts have. */
static void masks(masked *mask, const char *text, const char *want)
{
	uint16_t wide[256];
	char narrow[256], back[256];
	size_t n = 0, length = strlen(text);
	bool cut = strstr(text, "...(");

	memcpy(narrow, text, length + 1);
	if (!cut) {
		length = mask(narrow, length, false);
		narrow[length] = 0;
		assert_string_equal(narrow, want);
	}
	for (const char *at = text; *at; at++, n++) {
		wide[n] = (unsigned char)*at;
		if (cut && !strncmp(at, "...(", 4)) {
			wide[n] = 0x2026;
			at += 2;
		}
	}
	length = mask(wide, n, true);
	assert_true(length <= n);
	n = 0;
	for (size_t i = 0; i < length; i++)
		n += snprintf(back + n, sizeof(back) - n, "%s", wide[i] == 0x2026 ? "..." : (char[]){wide[i], 0});
	back[n] = 0;
	assert_string_equal(back, want);
}

CASE(texts_and_numbers_of_statements_become_question_marks)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"select * from item where id = 17 and name = 'it''s'", "select * from item where id = ? and name = ?"},
		{"insert into t1 values (1, -2.5e-3, .5, 0xFF, 'a', N'b', E'c', x'ff')",
		 "insert into t1 values (?, -?, ?, ?, ?, ?, ?, ?)"},
		{"select a1, \"b 2\", `c 3`, $4, :p5, ?6 from t", "select a1, \"b 2\", `c 3`, $4, :p5, ?6 from t"},
		{"select $$it's$$, $tag$ $$1$$ $tag$, 1", "select ?, ?, ?"},
		{"select 1 -- 4111 1111\nfrom t", "select ?  from t"},
		{"/* trace 'x */ select /* a */ 1", "  select   ?"},
		{"select /* a /* b */ c' */ 'secret'", "select  "},
		{"select 1e--it's\n, 'secret'", "select ? , ?"},
		{"// don't\nselect 'secret'", "?"},
		{"select q'[it's secret]', nq'{a'b}'", "select ?"},
		{"select [it's] = 'secret'", "select ?"},
		{"select a['x'], b[1]", "select a[?], b[?]"},
		{"select data ?$$key$$", "select data ??"},
		{"select faq, unique from t", "select faq, unique from t"},
		{"select 'open", "select ?"},
		{"select $$open", "select ?"},
		{"select /* open", "select  "},
		{"select \"open", "select \"open"},
		{"select -- open", "select  "},
		{"select 'a\\', 'secret' from t", "select ?"},
		{"select 'C:\\dir', 1", "select ?, ?"},
		{"\xe4pfel = 1", "\xe4pfel = ?"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		masks(masked_sql, cases[i][0], cases[i][1]);
}

CASE(mysql_has_texts_and_comments_of_its_own)
{
	masks(masked_mysql, "select \"it's\", 'a''b', \"c\"\"d\", `e 1` # f 2\nfrom t1",
	      "select ?, ?, ?, `e 1`  from t1");
	masks(masked_mysql, "select 'a\\'b', 2 from t", "select ?"); /* with NO_BACKSLASH_ESCAPES it ends there */
	masks(masked_mysql, "select 'a\\\\\\'', 2 from t", "select ?");
	masks(masked_mysql, "select \"a\\\"\", 2 from t", "select ?");
	masks(masked_mysql, "select 'C:\\dir', 'a\\\\''b', 2 from t", "select ?, ?, ? from t");
	masks(masked_mysql, "select 'a\\\\', 2", "select ?, ?");
	masks(masked_mysql, "select 'open\\", "select ?");
	masks(masked_mysql, "select 3--'a\nb', 1 --\n, 2", "select ?--?, ?  , ?");
	masks(masked_mysql, "select a$$b$$c, _utf8'x', -- d\n1", "select a$$b$$c, _utf8?,  ?");
	masks(masked_mysql, "select \"open...(99)", "select ?...(99)");
}

/* Which letters are in texts of MySQL, with and without NO_BACKSLASH_ESCAPES: a bit for each. */
static uint32_t letters_in_texts(const char *text, bool escapes)
{
	uint32_t in = 0;
	char quote = 0;

	for (; *text; text++) {
		if (quote && escapes && *text == '\\' && text[1]) {
			text++;
			if (*text >= 'a')
				in |= 1u << (*text - 'a');
		} else if (quote && *text == quote && text[1] == quote) {
			text++;
		} else if (*text == quote) {
			quote = 0;
		} else if (!quote && (*text == '\'' || *text == '"')) {
			quote = *text;
		} else if (quote && *text >= 'a') {
			in |= 1u << (*text - 'a');
		}
	}
	return in;
}

CASE(no_mode_of_mysql_lets_a_value_through)
{
	static const char letters[] = "''''\"\"\\\\\\, =";
	uint32_t seed = 11, secret;
	char text[64];

	for (int round = 0; round < 200000; round++) {
		size_t n = 0;
		char next = 'a';

		while (n < 24) {
			seed = seed * 1103515245 + 12345;
			text[n++] =
				(seed >> 16) % 3 && next < 'z' ? next++ : letters[(seed >> 20) % (sizeof(letters) - 1)];
		}
		text[n] = 0;
		secret = letters_in_texts(text, true) | letters_in_texts(text, false);
		for (size_t i = masked_mysql(text, n, false); i--;)
			if (text[i] >= 'a' && secret >> (text[i] - 'a') & 1)
				fail_msg("'%c' of round %d is not masked", text[i], round);
	}
}

CASE(a_statement_that_was_cut_says_so)
{
	masks(masked_sql, "select 12 from ...(400)", "select ? from ...(400)");
	masks(masked_sql, "select 'abc...(400)", "select ?...(400)");
	masks(masked_sql, "...(400)", "...(400)");
	masks(masked_sql, "select f(400)", "select f(?)");
	masks(masked_url, "/a/b...(300)", "/a/b...(300)");
	masks(masked_url, "/a?b...(300)", "/a");
	masks(masked_url, "http://user:secr...(40)", "http://...(40)");
}

CASE(urls_lose_queries_parameters_and_users)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"/checkout/17?card=4111", "/checkout/17"},
		{"/a;jsessionid=AB/b", "/a"},
		{"/a#b", "/a"},
		{"http://host:80/a?b", "http://host:80/a"},
		{"http://user:pass@host/a@b", "http://host/a@b"},
		{"http://user:p@ss@host", "http://host"},
		{"//a@b/c//d@e", "//b/c//d@e"},
		{"http://user:pa;ss@host/a;b", "http://host/a"},
		{"jdbc:oracle:thin:scott/tiger@//db:1521/x", "//db:1521/x"},
		{"user:secret@host:443", "host:443"},
		{"/users/a@b", "/users/a@b"},
		{"*", "*"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		masks(masked_url, cases[i][0], cases[i][1]);
}

/* Whatever it is, nothing is read or written beyond it. */
CASE(any_text_stays_within_its_length)
{
	static const char letters[] = "'$\"`/*-?#;@ae1.(\\\n";
	uint32_t seed = 7;

	for (int round = 0; round < 20000; round++) {
		size_t n = seed % 24;
		char *text = malloc(n + 1);

		assert_non_null(text);
		for (size_t i = 0; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			text[i] = letters[(seed >> 16) % (sizeof(letters) - 1)];
		}
		assert_true(masked_sql(text, n, false) <= n);
		assert_true(masked_url(text, n, false) <= n);
		assert_true(masked_mysql(text, n, false) <= n);
		assert_true(masked_sql(text, n / 2, true) <= n / 2);
		free(text);
		seed = seed * 1103515245 + 12345;
	}
}
