// SPDX-License-Identifier: BSD-2-Clause
/* Mapping files of ProGuard and R8. The first text is ProGuard 6.2's own, of a small program. */
#include "filters/mapping.h"
#include "tests/lib/test.h"

#include <errno.h>

static const char of_proguard[] = "com.acme.T -> com.acme.T:\n"
				  "    2:2:void <init>() -> <init>\n"
				  "    7:7:void main(java.lang.String[]) -> main\n"
				  "    1006:1006:int com.acme.T$Sq.price(java.lang.String):6:6 -> main\n"
				  "    1006:1006:void main(java.lang.String[]):7 -> main\n"
				  "com.acme.T$Shape -> com.acme.a:\n"
				  "    int area(int) -> a\n"
				  "com.acme.T$Sq -> com.acme.b:\n"
				  "    int s -> a\n"
				  "    4:4:void <init>(int) -> <init>\n"
				  "    4:4:int area(int) -> a\n"
				  "    1005:1005:void spin(int):5:5 -> a\n"
				  "    1005:1005:int helper(int):4:4 -> a\n"
				  "    1005:1005:int area(int):4 -> a\n";

static const char overloads[] = "# compiler: R8\n"
				"# {\"id\":\"com.android.tools.r8.mapping\",\"version\":\"2.2\"}\n"
				"com.acme.Cart -> a.b:\r\n"
				"# {\"id\":\"sourceFile\",\"fileName\":\"Cart.java\"}\n"
				"    com.acme.Item[] items -> a\n"
				"    1:4:void add(com.acme.Item):20:23 -> a\n"
				"    5:5:int total():31:31 -> a\n"
				"    6:9:void add(com.acme.Item[],int):40:43 -> a\n"
				"    10:12:long sum(int):50:59 -> a\n"
				"    1:1:void clear(boolean):60:60 -> b\n"
				"      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"()V\"}\n"
				"    1:2:void com.acme.Basket.drop():70:71 -> c\n"
				"    java.lang.Object first() -> d\n"
				"    java.lang.Object last() -> d\n"
				"\n"
				"com.acme.Item -> a.c:\n"
				"    int price() -> a\n"
				"com.acme.a -> a.d:\n"
				"    void run() -> run\n"
				"    void a() -> b\n";

static struct mapping *parsed(const char *text)
{
	struct mapping *m;
	struct diag d = {0};

	if (mapping_parse(&m, "map.txt", text, strlen(text), &d))
		fail_msg("%s", d.text);
	return m;
}

struct original {
	const char *name;
	const char *class_name, *method, *descriptor; /* in the program */
	int line;
	const char *of_class, *is; /* in the source */
	int at;
};

static void check_original(const char *text, const struct original *o)
{
	struct mapping *m = parsed(text);
	struct mapped_method found =
		mapping_method(m, slice_of(o->class_name), slice_of(o->method), slice_of(o->descriptor), o->line);

	assert_true(slice_is(found.class_name, o->of_class));
	assert_true(slice_is(found.name, o->is));
	assert_int_equal(found.line, o->at);
	mapping_free(m);
}

static const struct original by_proguard[] = {
	{"a_class_that_keeps_its_name", "com/acme/T", "main", "([Ljava/lang/String;)V", 7, "com.acme.T", "main", 7},
	{"a_line_of_an_inlined_method", "com/acme/T", "main", "([Ljava/lang/String;)V", 1006, "com.acme.T", "main", 7},
	{"two_inlined_into_each_other", "com/acme/b", "a", "(I)I", 1005, "com.acme.T$Sq", "area", 4},
	{"a_method_without_a_line", "com.acme.b", "a", "(I)I", -1, "com.acme.T$Sq", "area", -1},
	{"a_method_without_lines", "com.acme.a", "a", "(I)I", -1, "com.acme.T$Shape", "area", -1},
	{"a_method_that_it_does_not_have", "com.acme.a", "b", "(I)I", 12, "com.acme.T$Shape", "b", 12},
	{"a_class_that_it_does_not_have", "java/lang/Thread", "a", "(I)I", 3, "java/lang/Thread", "a", 3},
};

CASES(a_method_has_the_name_of_its_outermost_code, by_proguard)
{
	check_original(of_proguard, row);
}

static const struct original by_r8[] = {
	{"types_tell_overloads_apart", "a/b", "a", "(La/c;)V", -1, "com.acme.Cart", "add", -1},
	{"types_of_arrays", "a/b", "a", "([La/c;I)V", -1, "com.acme.Cart", "add", -1},
	{"what_is_returned_does_too", "a/b", "a", "()I", -1, "com.acme.Cart", "total", -1},
	{"lines_are_those_of_the_source", "a/b", "a", "(La/c;)V", 3, "com.acme.Cart", "add", 22},
	{"a_line_tells_more_than_types", "a/b", "a", "(Z)V", 5, "com.acme.Cart", "total", 31},
	{"several_that_neither_tells_apart", "a/b", "a", "(Z)V", -1, "com.acme.Cart", "a", -1},
	{"and_with_a_line_of_none", "a/b", "a", "(Z)V", 99, "com.acme.Cart", "a", -1},
	{"lines_that_became_fewer", "a/b", "a", "(I)J", 11, "com.acme.Cart", "sum", -1},
	{"types_that_the_optimizer_has_changed", "a/b", "b", "()V", 1, "com.acme.Cart", "clear", 60},
	{"another_classs_method", "a/b", "c", "()V", 2, "com.acme.Basket", "drop", 71},
	{"two_of_equal_types", "a/b", "d", "()Ljava/lang/Object;", -1, "com.acme.Cart", "d", -1},
	{"an_original_name_that_looks_like_a_new_one", "a/d", "b", "()V", -1, "com.acme.a", "a", -1},
};

CASES(methods_of_one_name_are_told_apart, by_r8)
{
	check_original(overloads, row);
}

CASE(classes_in_descriptors_get_their_names)
{
	struct mapping *m = parsed(overloads);
	struct bytes out;

	bytes_init(&out);
	mapping_put_descriptor(m, &out, slice_of("(ILa/b;[[La/c;Ljava/lang/String;J)La/x;"));
	assert_string_equal(bytes_text(&out), "(ILcom/acme/Cart;[[Lcom/acme/Item;Ljava/lang/String;J)La/x;");
	bytes_clear(&out);
	mapping_put_descriptor(m, &out, slice_of("(La/b"));
	assert_string_equal(bytes_text(&out), "(La/b");
	assert_true(slice_is(mapping_class(m, slice_of("a/b")), "com.acme.Cart"));
	bytes_release(&out);
	mapping_free(m);
}

static const struct {
	const char *name, *filter, *want; /* NULL: it is refused */
	bool root;
} renamed[] = {
	{.name = "a_class", .filter = "com.acme.Cart", .want = "a.b::a;a.b::b;a.b::d"},
	{.name = "a_class_of_its_own_methods", .filter = "com.acme.Item", .want = "a.c"},
	{.name = "all_overloads", .filter = "com.acme.Item::price:10ms", .want = "a.c::a:10ms;a.c::price:10ms"},
	{.name = "one_of_several_with_its_new_name",
	 .filter = "com.acme.Cart::add",
	 .want = "a.b::a(a.c)void;a.b::a(a.c[],int)void;a.b::add"},
	{.name = "an_overload_by_its_types",
	 .filter = "com.acme.Cart::add(com.acme.Item)",
	 .want = "a.b::a(a.c)void;a.b::add(com.acme.Item)"},
	{.name = "types_without_packages",
	 .filter = "com.acme.Cart::add(Item[],int)",
	 .want = "a.b::a(a.c[],int)void;a.b::add(Item[],int)"},
	{.name = "a_method_whose_types_have_changed", .filter = "com.acme.Cart::clear", .want = "a.b::b;a.b::clear"},
	{.name = "all_methods_of_a_new_name", .filter = "com.acme.Cart::*st", .want = "a.b::d;a.b::*st"},
	{.name = "a_method_that_came_from_another_class",
	 .filter = "com.acme.Basket::drop",
	 .want = "a.b::c;com.acme.Basket::drop"},
	{.name = "subtypes_have_other_methods_of_that_name",
	 .filter = "+com.acme.Item::price",
	 .want = "+a.c::a()int;+a.c::price"},
	{.name = "an_annotation", .filter = "@com.acme.Item", .want = "@a.c"},
	{.name = "a_class_of_a_library",
	 .filter = "+java.sql.Statement::execute*",
	 .want = "+java.sql.Statement::execute*"},
	{.name = "a_pattern_stays_for_other_classes",
	 .filter = "com.acme.I*::price",
	 .want = "a.c::a;a.c::price;com.acme.I*::price"},
	{.name = "a_pattern_that_would_mean_others_does_not", .filter = "a*", .want = NULL},
	{.name = "any_class", .filter = "::price", .want = "a.c::a;::price"},
	{.name = "any_class_where_the_name_is_anothers_new_one", .filter = "::a", .want = "a.d::b"},
	{.name = "all_classes", .filter = "*", .want = "a.b::a;a.b::b;a.b::c;a.b::d;a.c;a.d;*"},
	{.name = "a_root",
	 .filter = "com.acme.Item::price:5ms:thrown",
	 .want = "a.c::a:5ms:thrown;a.c::price:5ms:thrown",
	 .root = true},
	{.name = "a_new_name_that_is_no_old_one", .filter = "a.b::a", .want = "a.b::a"},
	{.name = "a_name_that_is_both", .filter = "com.acme.a::a", .want = "a.d::b;a.d::a"},
};

CASES(filters_get_new_names, renamed)
{
	struct mapping *m = parsed(overloads);
	struct filter_list *l = filter_list_new();
	struct diag d = {0};
	struct bytes out;
	int err;

	bytes_init(&out);
	assert_int_equal(filter_list_add(l, row->filter, row->root ? FILTER_ROOT : FILTER_TRACE, &d), 0);
	err = mapping_rename_filters(m, l, &d);
	for (size_t i = 0; i < filter_list_size(l); i++)
		bytes_printf(&out, "%s%s", i ? ";" : "", filter_list_text(l, i));
	if (row->want) {
		assert_int_equal(err, 0);
		assert_string_equal(bytes_text(&out), row->want);
	} else {
		assert_int_equal(err, -EINVAL);
		assert_non_null(strstr(d.text, "the mapping has nothing that"));
		assert_string_equal(bytes_text(&out), row->filter);
	}
	bytes_release(&out);
	filter_list_free(l);
	mapping_free(m);
}

CASE(exclusions_get_new_names_too)
{
	struct mapping *m = parsed(overloads);
	struct filter_list *l = filter_list_new();
	struct diag d = {0};
	struct matcher p;
	void *program;

	assert_int_equal(filter_list_add(l, "com.acme.Cart;!com.acme.Cart::add", FILTER_TRACE, &d), 0);
	assert_int_equal(filter_list_add(l, "com.acme.Cart::clear", FILTER_EXCLUDE, &d), 0);
	assert_int_equal(mapping_rename_filters(m, l, &d), 0);
	assert_int_equal(filter_list_compile(l, &program, &p.size, &d), 0);
	p.program = program;
	assert_true(matcher_selects(&p, slice_of("a/b"), slice_of("a"), slice_of("()I")));
	assert_false(matcher_selects(&p, slice_of("a/b"), slice_of("a"), slice_of("(La/c;)V")));
	assert_false(matcher_selects(&p, slice_of("a/b"), slice_of("b"), slice_of("()V")));
	assert_false(matcher_selects(&p, slice_of("com/acme/Cart"), slice_of("x"), slice_of("()I")));
	free(program);
	filter_list_free(l);
	mapping_free(m);
}

static const struct {
	const char *name, *text, *want;
} wrong[] = {
	{"an_empty_file", "", "no class in map.txt"},
	{"only_comments", "# compiler: R8\n\n", "no class in map.txt"},
	{"a_member_first", "\n    int a() -> b\n", "line 2: a member stands before the first class"},
	{"no_arrow", "com.acme.Cart a.b:\n", "line 1: it is no class"},
	{"no_colon", "a -> b:\nc -> d\n", "line 2: it is no class"},
	{"no_new_name", "a -> :\n", "line 1: it is no class"},
	{"blanks_in_a_class", "a x -> b:\n", "line 1: it is no class"},
	{"one_new_name_twice", "a -> b:\nc -> b:\n", "line 2: an earlier line has a class of that new name"},
	{"a_member_without_a_type", "a -> b:\n  x() -> c\n", "line 2: it is no member"},
	{"a_member_without_a_new_name", "a -> b:\n  int x() ->\n", "line 2: it is no member"},
	{"open_parentheses", "a -> b:\n  int x(int -> c\n", "line 2: it is no member"},
	{"an_empty_type", "a -> b:\n  int x(int,,int) -> c\n", "line 2: it is no member"},
	{"a_range_of_one_end", "a -> b:\n  1:int x() -> c\n", "line 2: it is no member"},
	{"a_range_that_ends_early", "a -> b:\n  5:4:int x() -> c\n", "line 2: it is no member"},
	{"a_number_too_large", "a -> b:\n  1:99999999999:int x() -> c\n", "line 2: it is no member"},
	{"no_line_behind_the_colon", "a -> b:\n  1:2:int x(): -> c\n", "line 2: it is no member"},
	{"words_behind_the_parentheses", "a -> b:\n  1:2:int x()y -> c\n", "line 2: it is no member"},
	{"a_control_character", "a -> b:\n  int x\x01() -> c\n", "line 2: it is no member"},
};

CASES(a_broken_line_is_named, wrong)
{
	struct mapping *m;
	struct diag d = {0};

	assert_int_equal(mapping_parse(&m, "map.txt", row->text, strlen(row->text), &d), -EINVAL);
	assert_null(m);
	assert_true(d.usage);
	assert_non_null(strstr(d.text, "wrong mapping"));
	assert_non_null(strstr(d.text, row->want));
}
