// SPDX-License-Identifier: BSD-2-Clause
#include "user/stacks/kernel_symbols.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/test.h"

static struct kernel_symbols *parse(const char *text)
{
	FILE *f = fmemopen((char *)text, strlen(text), "r");
	struct kernel_symbols *s = kernel_symbols_parse(f);

	fclose(f);
	return s;
}

/* As Linux 6.18 writes it. */
static const char listing[] = "0000000000000000 A fixed_percpu_data\n"
			      "ffffffff81000000 T _stext\n"
			      "ffffffff811c3c50 t futex_do_wait\n"
			      "ffffffff811c3c40 t __pfx_futex_do_wait\n"
			      "ffffffff811c4aa0 W arch_weak\n"
			      "ffffffff82a12b80 D init_task\n"
			      "ffffffffa0001000 t nf_hook\t[nf_tables]\n"
			      "ffffffffc0000074 t bpf_prog_6deef7357e7b4530_sched\t[bpf]\n";

CASE(an_address_is_in_the_last_function_before_it)
{
	struct kernel_symbols *s = parse(listing);

	assert_non_null(s);
	assert_string_equal(kernel_symbols_find(s, 0xffffffff811c3c50), "futex_do_wait");
	assert_string_equal(kernel_symbols_find(s, 0xffffffff811c4a9f), "futex_do_wait");
	assert_string_equal(kernel_symbols_find(s, 0xffffffff811c4aa0), "arch_weak");
	assert_string_equal(kernel_symbols_find(s, 0xffffffff811c3c4f), "__pfx_futex_do_wait");
	assert_string_equal(kernel_symbols_find(s, 0xffffffffa0001010), "nf_hook");
	assert_string_equal(kernel_symbols_find(s, 0xffffffffc0000100), "bpf_prog_6deef7357e7b4530_sched");
	kernel_symbols_free(s);
}

CASE(an_address_far_from_any_function_is_in_none)
{
	struct kernel_symbols *s = parse(listing);

	assert_null(kernel_symbols_find(s, 0));
	assert_null(kernel_symbols_find(s, 0xffffffff80ffffff));
	assert_null(kernel_symbols_find(s, 0xffffffff82a12b90)); /* data */
	assert_null(kernel_symbols_find(s, UINT64_MAX));
	kernel_symbols_free(s);
}

CASE(hidden_addresses_are_no_symbols)
{
	assert_null(parse("0000000000000000 T _stext\n0000000000000000 t futex_do_wait\n"));
	assert_null(parse("\n"));
}

CASE(lines_of_another_form_are_passed_over)
{
	struct kernel_symbols *s = parse("nothing\nffffffff81000000\nffffffff81000000 T\nffffffff81000040 T last");

	assert_string_equal(kernel_symbols_find(s, 0xffffffff81000050), "last");
	assert_null(kernel_symbols_find(s, 0xffffffff81000010));
	kernel_symbols_free(s);
}

CASE(without_memory_there_are_none)
{
	bool happened = true;

	fail_nth_or_skip();
	for (unsigned int n = 1; happened; n++) {
		FILE *f = fmemopen((char *)listing, strlen(listing), "r");
		struct kernel_symbols *s;

		fail_nth(n);
		s = kernel_symbols_parse(f);
		happened = fail_nth_end();
		assert_true(happened ? !s || kernel_symbols_find(s, 0xffffffff811c3c50) : !!s);
		kernel_symbols_free(s);
		fclose(f);
	}
}
