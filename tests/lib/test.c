// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"

/* By the linker: the bounds of the section in which CASE_REGISTER() puts pointers. NULL in a program without cases. */
extern const struct test_cases *const __start_test_cases[] __attribute__((weak));
extern const struct test_cases *const __stop_test_cases[] __attribute__((weak));

void test_contains(const char *text, const char *part, bool wanted, const char *file, int line)
{
	if (!strstr(text, part) == !wanted)
		return;
	print_error("%s '%s' in:\n%s\n", wanted ? "no" : "there is", part, text);
	_fail(file, line);
}

static int cases_compare(const void *a, const void *b)
{
	return (*(const struct test_cases *const *)a)->line - (*(const struct test_cases *const *)b)->line;
}

/* Write the cases of `c` to `to` if it is not NULL. Returns how many they are. */
static size_t cases_expand(const struct test_cases *c, struct CMUnitTest *to)
{
	size_t i, count = c->rows ? c->count : 1;

	for (i = 0; to && i < count; i++) {
		const char *row = c->rows ? (const char *)c->rows + i * c->size : NULL;

		to[i] = (struct CMUnitTest){
			.name = row ? *(const char *const *)row : c->name,
			.test_func = c->check,
			.setup_func = c->setup,
			.teardown_func = c->teardown,
			.initial_state = (void *)row,
		};
	}
	return count;
}

int test_main(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	size_t groups = __stop_test_cases - __start_test_cases, count = 0, i;
	const struct test_cases *group[groups];

	memcpy(group, __start_test_cases, sizeof(group));
	qsort(group, groups, sizeof(group[0]), cases_compare);
	for (i = 0; i < groups; i++)
		count += cases_expand(group[i], NULL);

	struct CMUnitTest tests[count];

	for (i = 0, count = 0; i < groups; i++)
		count += cases_expand(group[i], tests + count);
	return cmocka_run_group_tests(tests, setup, teardown);
}

/* Weak: a test may have a setup for all cases together, and other programs use tests/lib, too. */
__attribute__((weak)) int main(void)
{
	return test_main(NULL, NULL);
}
