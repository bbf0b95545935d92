// SPDX-License-Identifier: BSD-2-Clause
/* Filters of roots, --inside: their texts, and which calls are kept. */
#include "filters/filter_list.h"
#include "tests/lib/test.h"

static struct filter_list *list;
static struct diag d;

static int setup(void **state)
{
	list = filter_list_new();
	return list ? 0 : -1;
}

static int teardown(void **state)
{
	filter_list_free(list);
	return 0;
}

static void add(const char *text, enum filter_kind kind)
{
	if (filter_list_add(list, text, kind, &d))
		fail_msg("%s", d.text);
}

static struct matcher_decision decide(const char *class_name, const char *method)
{
	struct matcher_decision v;
	struct matcher p;
	void *program;

	assert_int_equal(filter_list_compile(list, &program, &p.size, &d), 0);
	p.program = program;
	v = matcher_decide(&p, &(struct matcher_method){.class_name = slice_of(class_name),
							.name = slice_of(method),
							.descriptor = slice_of("()V")});
	free(program);
	return v;
}

CASE(texts_are_as_typed, setup, teardown)
{
	static const char *const texts[] = {"a.C::m",	   "a.C::m:50ms",	 "a.C::m:thrown", "a.C::m:50ms:thrown",
					    "a.C::thrown", "+a.I::m():1s:thrown"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		add(texts[i], FILTER_ROOT);
		assert_string_equal(filter_list_text(list, i), texts[i]);
		assert_int_equal(filter_list_kind(list, i), FILTER_ROOT);
	}
	assert_int_equal(filter_list_count(list, FILTER_ROOT), 6);
	assert_int_equal(filter_list_count(list, FILTER_TRACE), 0);
}

CASE(root_is_kept_by_its_time_or_its_exception, setup, teardown)
{
	static const struct {
		const char *text;
		uint64_t ns;
		bool thrown;
	} rows[] = {
		{"a.C::a", 0, false},
		{"a.C::b:50ms", 50000000, false},
		{"a.C::c:thrown", MATCHER_NO_THRESHOLD, true},
		{"a.C::d:50ms:thrown", 50000000, true},
		{"*::e*:2us", 2000, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		add(rows[i].text, FILTER_ROOT);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[2] = {'a' + i, 0};
		struct matcher_decision v = decide("a/C", name);

		assert_true(v.root && v.trace && !v.timing);
		assert_true(v.root_ns == rows[i].ns);
		assert_int_equal(v.root_thrown, rows[i].thrown);
		assert_true(v.threshold_ns == MATCHER_NO_THRESHOLD);
	}
	assert_false(decide("a/C", "x").root);
}

CASE(thresholds_of_tracing_and_of_roots_are_apart, setup, teardown)
{
	struct matcher_decision v;

	add("a.C::m:1ms;a.C::n", FILTER_TRACE);
	add("a.C::m:50ms", FILTER_ROOT);
	add("a.C::m:20ms;a.C::m:thrown", FILTER_ROOT);
	v = decide("a/C", "m");
	assert_true(v.root && v.trace && v.root_thrown && v.root_ns == 20000000 && v.threshold_ns == 1000000);
	v = decide("a/C", "n");
	assert_true(!v.root && v.trace);
}

CASE(exclusions_win, setup, teardown)
{
	add("a.C", FILTER_ROOT);
	add("a.C::get*", FILTER_EXCLUDE);
	assert_true(decide("a/C", "m").root);
	assert_false(decide("a/C", "getName").root);
	assert_false(decide("a/C", "getName").trace);
}

CASE(what_ends_roots_is_traced, setup, teardown)
{
	struct matcher_decision v;

	add("a.C::m:50ms", FILTER_ROOT);
	add("a.C::m:1ms", FILTER_TRACE);
	add("a.C::end;+a.I::done", FILTER_UNTIL);
	add("a.C::m", FILTER_UNTIL);
	v = decide("a/C", "end");
	assert_true(v.until && v.trace && !v.root && v.threshold_ns == MATCHER_NO_THRESHOLD);
	v = decide("a/C", "m");
	assert_true(v.until && v.root && v.root_ns == 50000000 && v.threshold_ns == 1000000);
	assert_false(decide("a/C", "done").until);
	add("a.C::end", FILTER_EXCLUDE);
	assert_false(decide("a/C", "end").until);
	assert_int_equal(filter_list_count(list, FILTER_UNTIL), 3);
	assert_int_equal(filter_list_add(list, "a.C::end:1ms", FILTER_UNTIL, &d), -EINVAL);
	assert_int_equal(filter_list_add(list, "!a.C::end", FILTER_UNTIL, &d), -EINVAL);
}

CASE(wrong_roots_are_refused, setup, teardown)
{
	static const char *const wrong[] = {"!a.C::m",	 "a.C::m:thrown:50ms", ":thrown",
					    "a.C::m:50", "a.C::m::thrown:1",   ""};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(filter_list_add(list, wrong[i], FILTER_ROOT, &d), -EINVAL);
		assert_true(d.usage);
	}
	assert_int_equal(filter_list_add(list, "a.C::m:thrown", FILTER_TRACE, &d), -EINVAL);
	assert_int_equal(filter_list_size(list), 0);
}
