// SPDX-License-Identifier: BSD-2-Clause
/* --handoff: where objects are handed over and begun. */
#include "filters/handoff.h"
#include "tests/lib/test.h"

#include <errno.h>

static const struct {
	const char *name, *text;
	const char *class_name[2], *method[2], *types[2]; /* class_name[0]: NULL if it is refused */
	unsigned int argument[2];
} texts[] = {
	{"a_method_of_each_side",
	 "com.acme.Queue::put arg0 => com.acme.Worker::handle arg2",
	 {"com/acme/Queue", "com/acme/Worker"},
	 {"put", "handle"},
	 {"", ""},
	 {1, 3}},
	{"types_name_an_overload",
	 " a.Q$In::put( java.lang.Object ,int[],D , long[] [] )  arg0=>Worker::run() this",
	 {"a/Q$In", "Worker"},
	 {"put", "run"},
	 {"(Ljava/lang/Object;[ILD;[[J)", "()"},
	 {1, 0}},
	{.name = "a_side_is_missing", .text = "com.acme.Queue::put arg0"},
	{.name = "an_empty_side", .text = "com.acme.Queue::put arg0 =>"},
	{.name = "no_object", .text = "a.Q::put => a.W::run this"},
	{.name = "no_number", .text = "a.Q::put arg => a.W::run this"},
	{.name = "a_large_number", .text = "a.Q::put arg255 => a.W::run this"},
	{.name = "a_field", .text = "a.Q::put arg0.x => a.W::run this"},
	{.name = "no_class", .text = "::put arg0 => a.W::run this"},
	{.name = "no_method", .text = "a.Q arg0 => a.W::run this"},
	{.name = "a_constructor_has_no_object_yet", .text = "a.Q::<init> this => a.W::run this"},
	{.name = "a_pattern", .text = "a.*::put arg0 => a.W::run this"},
	{.name = "open_types", .text = "a.Q::put(int arg0 => a.W::run this"},
	{.name = "an_empty_type", .text = "a.Q::put(int,,int) arg0 => a.W::run this"},
};

CASES(a_hand_over_is_two_methods_with_their_object, texts)
{
	struct handoff_list l = {.count = 0};
	struct diag d = {0};

	if (!row->class_name[0]) {
		assert_int_equal(handoff_add(&l, row->text, &d), -EINVAL);
		assert_non_null(strstr(d.text, "wrong --handoff"));
		assert_int_equal(l.count, 0);
		return;
	}
	assert_int_equal(handoff_add(&l, row->text, &d), 0);
	assert_int_equal(l.count, 2);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(l.place[i].class_name, row->class_name[i]);
		assert_string_equal(l.place[i].method, row->method[i]);
		assert_string_equal(l.place[i].types, row->types[i]);
		assert_int_equal(l.place[i].argument, row->argument[i]);
	}
}

CASE(methods_of_the_jdk_are_no_places)
{
	struct handoff_list l = {.count = 0};
	struct diag d = {0};

	assert_int_equal(handoff_add(&l, "a.Q::put arg0 => jdk.internal.misc.Unsafe::getLong(long) this", &d), -EINVAL);
	assert_non_null(strstr(d.text, "not of the JDK"));
	assert_int_equal(handoff_add(&l, "java.util.Queue::add arg0 => a.W::run arg0", &d), -EINVAL);
	assert_int_equal(handoff_add(&l, "javax.Q::add arg0 => sunny.W::run arg0", &d), 0);
}

CASE(names_and_numbers_of_hand_overs_are_bounded)
{
	struct handoff_list l = {.count = 0};
	char text[600], name[300];
	struct diag d = {0};

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	snprintf(text, sizeof(text), "%s::put this => W::run this", name);
	assert_int_equal(handoff_add(&l, text, &d), -EINVAL);
	snprintf(text, sizeof(text), "W::%s this => W::run this", name);
	assert_int_equal(handoff_add(&l, text, &d), -EINVAL);
	snprintf(text, sizeof(text), "W::put(%s) this => W::run this", name);
	assert_int_equal(handoff_add(&l, text, &d), -EINVAL);
	for (unsigned int i = 0; i < FRT_PLACES / 2; i++)
		assert_int_equal(handoff_add(&l, "Q::put this => W::run this", &d), 0);
	assert_int_equal(handoff_add(&l, "Q::put this => W::run this", &d), -EINVAL);
}

static const struct {
	const char *name, *types, *descriptor;
	unsigned int argument;
	bool is_static;
	int object; /* -1: it is not the method */
} methods[] = {
	{"this_object", "", "(J)V", 0, false, 0},
	{"a_static_method_has_no_this", "", "(J)V", 0, true, -1},
	{"the_first_argument", "", "(Ljava/lang/Object;)V", 1, false, 1},
	{"of_a_static_method", "", "(Ljava/lang/Object;)V", 1, true, 0},
	{"long_values_take_two_locals", "", "(JDI[[JLa/B;)V", 5, false, 7},
	{"an_array_is_an_object", "", "(JDI[[JLa/B;)V", 4, true, 5},
	{"a_number_is_none", "", "(JDI[[JLa/B;)V", 3, false, -1},
	{"there_is_no_such_argument", "", "(La/B;)V", 2, false, -1},
	{"a_type_with_its_package", "(La/B;I)", "(La/B;I)V", 1, false, 1},
	{"a_type_of_any_package", "(LB;[LB;)", "(La/c/B;[La/B;)V", 2, false, 2},
	{"a_class_without_a_package", "(LB;)", "(LB;)V", 1, false, 1},
	{"the_end_of_a_name_is_no_name", "(LB;)", "(La/bB;)V", 1, false, -1},
	{"another_package", "(La/B;)", "(Lb/a/B;)V", 1, false, -1},
	{"an_array_is_another_type", "(LB;)", "([La/B;)V", 1, false, -1},
	{"more_types", "(LB;I)", "(La/B;)V", 1, false, -1},
	{"fewer_types", "(LB;)", "(La/B;I)V", 1, false, -1},
	{"no_types", "()", "(La/B;)V", 0, false, -1},
	{"no_types_and_this", "()", "()V", 0, false, 0},
	{"a_torn_descriptor", "", "(La/B", 1, false, -1},
	{"torn_types", "(La/B", "(La/B;)V", 1, false, -1},
};

CASES(a_place_is_a_method_by_its_name_types_and_object, methods)
{
	struct frt_place p = {.class_name = "a/Q", .method = "put", .argument = row->argument};
	unsigned int object;

	snprintf(p.types, sizeof(p.types), "%s", row->types);
	assert_false(handoff_is_method(&p, slice_of("putt"), slice_of(row->descriptor), row->is_static, &object));
	assert_int_equal(handoff_is_method(&p, slice_of("put"), slice_of(row->descriptor), row->is_static, &object),
			 row->object >= 0);
	if (row->object >= 0)
		assert_int_equal(object, row->object);
}
