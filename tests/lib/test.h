/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every unit test includes: CMocka, the headers that it needs, and CASE(), which defines and registers a case.
 * main() stands in test.c and runs the cases of the program in the order of their lines.
 */
#ifndef TESTS_LIB_TEST_H
#define TESTS_LIB_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* One case, or one for each of `count` rows of `size` bytes. */
struct test_cases {
	const char *name;
	int line;
	const void *rows;
	size_t size, count;
	CMUnitTestFunction check;
	CMFixtureFunction setup, teardown; /* may be NULL */
};

#define CASE_REGISTER(f, ...)                                                                   \
	static const struct test_cases f##_cases = {.name = #f, .line = __LINE__, __VA_ARGS__}; \
	static const struct test_cases *const f##_at __attribute__((section("test_cases"), used)) = &f##_cases

/*
 * A case: CASE(name_is_a_sentence) { ... } or CASE(name_is_a_sentence, setup, teardown) { ... }, with the parameter
 * `void **state` as in CMocka.
 */
#define CASE(f, ...)                                 \
	static void f(void **state);                 \
	CASE_REGISTER(f, .check = f, ##__VA_ARGS__); \
	static void f(void **state)

/*
 * A case for each row of an array: CASES(name, array) { ... }, perhaps with a setup and a teardown that leave the
 * state as it is. The first member of a row is `const char *name`, the sentence of its case. `row` points to the row.
 */
#define CASES(f, array, ...)                                                                                     \
	static void f(const __typeof__((array)[0]) *row);                                                        \
	static void f##_check(void **state)                                                                      \
	{                                                                                                        \
		f(*state);                                                                                       \
	}                                                                                                        \
	_Static_assert(offsetof(__typeof__((array)[0]), name) == 0, "a row begins with its name");               \
	CASE_REGISTER(f, .rows = array, .size = sizeof((array)[0]), .count = sizeof(array) / sizeof((array)[0]), \
		      .check = f##_check, ##__VA_ARGS__);                                                        \
	static void f(const __typeof__((array)[0]) *row)

/* The text has this part, or has not. */
#define assert_contains(text, part) test_contains(text, part, true, __FILE__, __LINE__)
#define assert_lacks(text, part)    test_contains(text, part, false, __FILE__, __LINE__)
void test_contains(const char *text, const char *part, bool wanted, const char *file, int line);

/* Runs all cases; returns the status of the program. For a main() with a setup for all cases together. */
int test_main(CMFixtureFunction setup, CMFixtureFunction teardown);

#endif
