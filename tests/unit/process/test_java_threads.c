// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/java_threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void threads_are_found_by_their_kernel_ids(void **state)
{
	struct java_threads t = {.count = 0};

	assert_null(java_threads_find(&t, 16));
	java_threads_read(&t,
			  "\"b\" #31 prio=5 nid=0x20 runnable\n\tat A.m(A.java)\n\"a\" #9 prio=5 nid=0x10 runnable\n");
	assert_string_equal(java_threads_find(&t, 32)->name, "b");
	assert_int_equal(java_threads_find(&t, 16)->java_id, 9);
	assert_null(java_threads_find(&t, 17));
	java_threads_read(&t, "\"c\" #1 prio=5 nid=0x11 runnable\n");
	assert_null(java_threads_find(&t, 16));
	assert_string_equal(java_threads_find(&t, 17)->name, "c");
	java_threads_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_found_by_their_kernel_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
