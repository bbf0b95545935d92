// SPDX-License-Identifier: BSD-2-Clause
#include "filters/java_type.h"
#include "tests/lib/test.h"

CASE(method_is_printed_in_readable_form)
{
	static const struct {
		const char *name, *descriptor, *want;
	} rows[] = {
		{"run", "()V", "run()"},
		{"checkout", "(Lcom/acme/Order;Z)V", "checkout(Order, boolean)"},
		{"all", "(BCDFIJSZ)J", "all(byte, char, double, float, int, long, short, boolean)"},
		{"<init>", "([[I[Ljava/lang/String;)V", "<init>(int[][], String[])"},
		{"of", "(LUnnamed;Lcom/acme/Cart$Line;)V", "of(Unnamed, Cart$Line)"},
		/* no descriptor: unchanged */
		{"a", "", "a"},
		{"a", "V", "aV"},
		{"a", "(", "a("},
		{"a", "(I", "a(I"},
		{"a", "(Lx", "a(Lx"},
		{"a", "(Q)V", "a(Q)V"},
		{"a", "([)V", "a([)V"},
		{"a", "(V)V", "a(V)V"},
	};
	char out[200];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		java_name_print(rows[i].name, rows[i].descriptor, out, sizeof(out));
		assert_string_equal(out, rows[i].want);
	}
}

/* As `jfr print` does. */
CASE(types_that_are_unknown_or_cut_off_are_no_types)
{
	static const struct {
		const char *descriptor, *want;
		bool valid;
	} rows[] = {
		{"(ILa/B;)V", "int, B", true}, {"()", "", true},  {"(IQ)V", "int, <unknown-descriptor-type>", false},
		{"(ILa/B", "", false},	       {"(I", "", false}, {"I", "", false},
	};
	struct bytes out;

	bytes_init(&out);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(java_types_put(&out, rows[i].descriptor), rows[i].valid);
		assert_string_equal(bytes_text(&out), rows[i].want);
		bytes_clear(&out);
	}
	bytes_release(&out);
}

CASE(output_is_cut_to_its_buffer)
{
	static const char whole[] = "checkout(Order[], boolean)";

	for (size_t size = 1; size <= sizeof(whole); size++) {
		char *out = malloc(size); /* so that the sanitizer detects a byte too many */

		assert_non_null(out);
		java_name_print("checkout", "([Lcom/acme/Order;Z)V", out, size);
		assert_int_equal(strlen(out), size - 1);
		assert_memory_equal(out, whole, size - 1);
		java_name_print("checkout", "([Lcom/acme/Order", out, size);
		assert_true(strlen(out) < size);
		free(out);
	}
}

CASE(dots_replace_slashes)
{
	char name[] = "com/acme/Cart$Line", empty[] = "";

	java_name_dots(name);
	assert_string_equal(name, "com.acme.Cart$Line");
	java_name_dots(empty);
	assert_string_equal(empty, "");
}
