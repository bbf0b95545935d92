// SPDX-License-Identifier: BSD-2-Clause
/* Which of the names that exist are near to a wanted one. */
#include "filters/near.h"
#include "tests/lib/test.h"

#include <string.h>

static const struct near_row {
	const char *name, *wanted, *names, *near;
} rows[] = {
	{"one_letter_is_missing", "reqest", "uri request response", "; near: request"},
	{"two_letters_are_swapped", "qeury", "query key", "; near: query"},
	{"the_case_differs", "nativesql", "nativeSql sql", "; near: nativeSql, sql"},
	{"a_name_contains_the_other", "uri", "decodedUriMB method uriMB uris", "; near: uris, uriMB, decodedUriMB"},
	{"nothing_is_near", "uri", "method count", ""},
	{"the_nearest_three_stay", "name", "named names nam fname nom", "; near: named, names, nam"},
	{"no_name_comes_twice", "uri", "url url", "; near: url"},
};

CASES(names_that_are_near_are_named_in_the_order_of_their_distance, rows)
{
	struct near_names near = {.wanted = slice_of(row->wanted)};
	char said[256];

	for (const char *at = row->names; *at; at += *at == ' ') {
		size_t length = strcspn(at, " ");

		near_names_offer(&near, (struct slice){at, length});
		at += length;
	}
	near_names_print(&near, said, sizeof(said));
	assert_string_equal(said, row->near);
}

CASE(a_name_that_is_too_long_is_not_near)
{
	char name[NEAR_LENGTH + 2] = "";
	struct near_names near = {.wanted = slice_of("aaa")};

	(void)state;
	memset(name, 'a', NEAR_LENGTH + 1);
	near_names_offer(&near, slice_of(name));
	assert_int_equal(near.count, 0);
	name[NEAR_LENGTH] = 0;
	near_names_offer(&near, slice_of(name));
	assert_int_equal(near.count, 1);
}
