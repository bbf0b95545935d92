// SPDX-License-Identifier: BSD-2-Clause
/* Flags of a JVM, represented by variables of this test, set by the agent. */
#include "uprobes/agent/control.h"
#include "uprobes/agent/flags.h"
#include "tests/lib/test.h"

static const char *disable;
static bool concat, boxing;
static struct frt_config *config;

static int setup(void **state)
{
	config = calloc(1, sizeof(*config));
	if (!config || (!control && !control_create("flags"))) /* flags are read through the segment */
		return -1;
	disable = NULL;
	concat = boxing = true;
	config->flag_disable_intrinsic = (uint64_t)&disable;
	snprintf(config->intrinsics, sizeof(config->intrinsics), "_max,_min");
	snprintf(config->exact, sizeof(config->exact), "java/lang/Math.max\njava/lang/Math.min\n");
	return 0;
}

static int teardown(void **state)
{
	free(config);
	return 0;
}

CASE(names_precede_the_users_own, setup, teardown)
{
	assert_true(flags_set(config));
	assert_string_equal(disable, "_max,_min");
	disable = "";
	assert_true(flags_set(config));
	assert_string_equal(disable, "_max,_min");
	disable = "_dsin";
	assert_true(flags_set(config));
	assert_string_equal(disable, "_max,_min,_dsin");
	assert_true(concat && boxing);
}

CASE(only_flags_that_have_an_address_are_cleared, setup, teardown)
{
	config->flag_off[1] = (uint64_t)&boxing;
	assert_true(flags_set(config));
	assert_true(concat && !boxing);
}

CASE(without_the_flag_nothing_is_changed, setup, teardown)
{
	config->flag_off[0] = (uint64_t)&concat;
	config->flag_disable_intrinsic = 0;
	assert_false(flags_set(config));
	config->flag_disable_intrinsic = 8; /* nothing is mapped there */
	assert_false(flags_set(config));
	assert_true(concat);
}

CASE(exact_methods_are_found_by_their_whole_name, setup, teardown)
{
	assert_true(flags_set(config));
	assert_true(flags_make_exact(slice_of("java/lang/Math"), slice_of("max")));
	assert_true(flags_make_exact(slice_of("java/lang/Math"), slice_of("min")));
	assert_false(flags_make_exact(slice_of("java/lang/Math"), slice_of("mi")));
	assert_false(flags_make_exact(slice_of("java/lang/Mat"), slice_of("max")));
	assert_false(flags_make_exact(slice_of("java/lang/Math.max"), slice_of("")));
	assert_false(flags_make_exact(slice_of(""), slice_of("")));
}
