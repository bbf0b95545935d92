// SPDX-License-Identifier: BSD-2-Clause
#include "user/signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void method_is_printed_as_a_person_reads_it(void **state)
{
	static const struct {
		const char *name, *descriptor, *want;
	} rows[] = {
		{"run", "()V", "run()"},
		{"checkout", "(Lcom/acme/Order;Z)V", "checkout(Order, boolean)"},
		{"all", "(BCDFIJSZ)J", "all(byte, char, double, float, int, long, short, boolean)"},
		{"<init>", "([[I[Ljava/lang/String;)V", "<init>(int[][], String[])"},
		{"of", "(LUnnamed;Lcom/acme/Cart$Line;)V", "of(Unnamed, Cart$Line)"},
		/* none: as it is */
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
		signature_print(rows[i].name, rows[i].descriptor, out, sizeof(out));
		assert_string_equal(out, rows[i].want);
	}
}

static void print_is_cut_to_its_room(void **state)
{
	static const char whole[] = "checkout(Order[], boolean)";

	for (size_t size = 1; size <= sizeof(whole); size++) {
		char *out = malloc(size); /* so that a byte too many is seen */

		assert_non_null(out);
		signature_print("checkout", "([Lcom/acme/Order;Z)V", out, size);
		assert_int_equal(strlen(out), size - 1);
		assert_memory_equal(out, whole, size - 1);
		signature_print("checkout", "([Lcom/acme/Order", out, size);
		assert_true(strlen(out) < size);
		free(out);
	}
}

static void dots_stand_for_slashes(void **state)
{
	char name[] = "com/acme/Cart$Line", empty[] = "";

	signature_dots(name);
	assert_string_equal(name, "com.acme.Cart$Line");
	signature_dots(empty);
	assert_string_equal(empty, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(method_is_printed_as_a_person_reads_it),
		cmocka_unit_test(print_is_cut_to_its_room),
		cmocka_unit_test(dots_stand_for_slashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
