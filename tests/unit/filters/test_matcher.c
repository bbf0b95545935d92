// SPDX-License-Identifier: BSD-2-Clause
/* Which methods a filter selects: the rules of JEP 520 (equal names, declared in the class), compiled and matched. */
#include "filters/program.h"
#include "filters/filter_list.h"
#include "tests/lib/test.h"

struct compiled {
	struct matcher p;
	void *program;
};

static struct compiled compile(const char *select, const char *exclude)
{
	struct filter_list *l = filter_list_new();
	struct compiled c = {0};
	struct diag d = {0};

	assert_non_null(l);
	if (select && filter_list_add(l, select, FILTER_TRACE, &d))
		fail_msg("%s", d.text);
	if (exclude && filter_list_add(l, exclude, FILTER_EXCLUDE, &d))
		fail_msg("%s", d.text);
	assert_int_equal(filter_list_compile(l, &c.program, &c.p.size, &d), 0);
	c.p.program = c.program;
	filter_list_free(l);
	assert_true(matcher_valid(&c.p));
	return c;
}

static bool selects(const struct matcher *p, const char *class_name, const char *method)
{
	return matcher_selects(p, slice_of(class_name), slice_of(method), slice_of("()V"));
}

static enum matcher_answer asks(const struct matcher *p, const char *class_name)
{
	return matcher_class(p, class_name, strlen(class_name));
}

struct row {
	const char *select, *exclude, *class_name, *method;
	bool yes;
};

static const struct row rows[] = {
	/* a class filter: every method declared in it */
	{"a.b.C", NULL, "a/b/C", "m", true},
	{"a.b.C", NULL, "a/b/C", "<init>", true},
	{"a.b.C", NULL, "a/b/C", "<clinit>", true},
	{"a.b.C", NULL, "a/b/C", "access$0", true},
	{"a.b.C", NULL, "a/b/C$In", "m", false},
	{"a.b.C", NULL, "a/b/CV2", "m", false},
	{"a.b.C", NULL, "a/b/c", "m", false},
	{"a.b.C", NULL, "b/C", "m", false},
	{"a.b.C", NULL, "x/a/b/C", "m", false},
	{"a.b.C$In", NULL, "a/b/C$In", "m", true},
	{"a.b.C$In", NULL, "a/b/C", "m", false},
	{"a.b.C$1", NULL, "a/b/C$1", "m", true},
	{"C", NULL, "C", "m", true},
	{"C", NULL, "a/C", "m", false},
	/* a method filter: that name, any descriptor */
	{"a.b.C::m", NULL, "a/b/C", "m", true},
	{"a.b.C::m", NULL, "a/b/C", "mm", false},
	{"a.b.C::m", NULL, "a/b/C", "M", false},
	{"a.b.C::m", NULL, "a/b/D", "m", false},
	{"a.b.C::m", NULL, "a/b/C$In", "m", false},
	{"a.b.C::m", NULL, "a/b/C", "<init>", false},
	{"a.b.C::<init>", NULL, "a/b/C", "<init>", true},
	{"a.b.C::<init>", NULL, "a/b/C", "<clinit>", false},
	{"a.b.C#m", NULL, "a/b/C", "m", true},
	/* what a method returns; the rows' methods return nothing */
	{"a.C::m()", NULL, "a/C", "m", true},
	{"a.C::m()void", NULL, "a/C", "m", true},
	{"a.C::m()int", NULL, "a/C", "m", false},
	{"a.C::m()\\V", NULL, "a/C", "m", false},
	{"a.C", "a.C::m()void", "a/C", "m", false},
	{"a.C", "a.C::m()int", "a/C", "m", true},
	{"a.*::m()void", NULL, "a/C", "m", true},
	{"a.*::m()int", NULL, "a/C", "m", false},
	/* names that only class files have; an escaped '*' is no wildcard */
	{"a.-K::is it ok?", NULL, "a/-K", "is it ok?", true},
	{"a.C::a\\*b*", NULL, "a/C", "a*bc", true},
	{"a.C::a\\*b*", NULL, "a/C", "axbc", false},
	{"a.C::a\\*b", NULL, "a/C", "a*b", true},
	{"a.C::a\\*b", NULL, "a/C", "axb", false},
	{"a.C\\**", NULL, "a/C*x", "m", true},
	{"a.C\\**", NULL, "a/Cx", "m", false},
	{"REPL.x.*", NULL, "REPL/x/C", "m", true},
	{"REPL/*", NULL, "REPL/C", "m", true},
	/* a method of any class */
	{"::m", NULL, "a/b/C", "m", true},
	{"::m", NULL, "C", "m", true},
	{"::m", NULL, "C", "n", false},
	{"::<clinit>", NULL, "a/b/C", "<clinit>", true},
	{"::<clinit>", NULL, "a/b/C", "<init>", false},
	/* lists */
	{"A::m;B", NULL, "A", "m", true},
	{"A::m;B", NULL, "A", "n", false},
	{"A::m;B", NULL, "B", "n", true},
	{" A::m ; B ;;", NULL, "B", "n", true},
	{"A::m;A", NULL, "A", "n", true},
	{"A::m;A::m", NULL, "A", "m", true},
	{"A::m;::n", NULL, "B", "n", true},
	{"A::m;::n", NULL, "A", "n", true},
	/* exclusions win in any order */
	{"A", "A::m", "A", "m", false},
	{"A", "A::m", "A", "n", true},
	{"A::m", "A", "A", "m", false},
	{"A", "::m", "A", "m", false},
	{"A", "::m", "A", "n", true},
	{"::m", "A", "A", "m", false},
	{"::m", "A", "B", "m", true},
	{"::m", "A::m", "A", "m", false},
	{"A", "B::m", "A", "m", true},
	{"A::m", "A::m", "A", "m", false},
	{NULL, "A", "B", "m", false},
	/* names outside of ASCII; above U+FFFF class files have two surrogates */
	{"shop.Größe::größer", NULL, "shop/Größe", "größer", true},
	{"shop.\xf0\x90\x90\x80", NULL, "shop/\xed\xa0\x81\xed\xb0\x80", "m", true},
	/* '*' matches any characters, also dots */
	{"*", NULL, "a/b/C", "m", true},
	{"a.*", NULL, "a/b/C$In", "<init>", true},
	{"a.*", NULL, "a/C", "m", true},
	{"a.*", NULL, "ab/C", "m", false},
	{"a.*", NULL, "x/a/C", "m", false},
	{"*.C", NULL, "a/b/C", "m", true},
	{"*.C", NULL, "C", "m", false},
	{"*C", NULL, "C", "m", true},
	{"a.b.Foo*", NULL, "a/b/Foo", "m", true},
	{"a.b.Foo*", NULL, "a/b/Foo$In", "m", true},
	{"a.b.Foo*", NULL, "a/b/Fo", "m", false},
	{"a*c*e", NULL, "abcde", "m", true},
	{"a*c*e", NULL, "abcdef", "m", false},
	{"a*c*e", NULL, "abcecde", "m", true},
	{"C::get*", NULL, "C", "get", true},
	{"C::get*", NULL, "C", "getX", true},
	{"C::get*", NULL, "C", "forget", false},
	{"C::get*", NULL, "D", "getX", false},
	{"C::*et", NULL, "C", "<init>", false},
	{"C::*", NULL, "C", "<init>", true},
	{"*::run", NULL, "a/b/C", "run", true},
	{"*::run", NULL, "a/b/C", "runs", false},
	{"::run*", NULL, "a/b/C", "runs", true},
	{"a.*::run", NULL, "a/b/C", "run", true},
	{"a.*::run", NULL, "b/C", "run", false},
	{"a.*::run*", "a.b.*", "a/b/C", "run", false},
	{"a.*::run*", "a.b.*", "a/c/C", "run", true},
	{"a.*", "*::run", "a/c/C", "run", false},
	{"a.*", "a.*::get*", "a/c/C", "getX", false},
	{"a.*", "a.*::get*", "a/c/C", "setX", true},
	/* exclusions of a list */
	{"a.*;!a.b.C", NULL, "a/b/C", "m", false},
	{"!a.b.C;a.*", NULL, "a/b/D", "m", true},
	{"a.b.C;!::m", NULL, "a/b/C", "m", false},
	/* the JVM's form, where dots would mean a nested class */
	{"org/omg/CORBA/ORB::init", NULL, "org/omg/CORBA/ORB", "init", true},
};

CASE(method_is_selected_by_equal_names)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct compiled c = compile(r->select, r->exclude);
		bool yes = selects(&c.p, r->class_name, r->method);

		if (yes != r->yes)
			fail_msg("-m '%s' -x '%s': %s.%s is %d", r->select, r->exclude ? r->exclude : "", r->class_name,
				 r->method, yes);
		if (yes && asks(&c.p, r->class_name) != MATCHER_METHODS)
			fail_msg("-m '%s': class %s is not asked for its methods", r->select, r->class_name);
		free(c.program);
	}
}

CASE(class_without_a_match_is_not_inspected)
{
	struct compiled c = compile("a.A;a.B::m", "a.X;a.B::n");

	assert_int_equal(asks(&c.p, "a/A"), MATCHER_METHODS);
	assert_int_equal(asks(&c.p, "a/B"), MATCHER_METHODS);
	assert_int_equal(asks(&c.p, "a/C"), MATCHER_NO);
	assert_int_equal(asks(&c.p, "a/X"), MATCHER_NO);
	assert_int_equal(asks(&c.p, "a"), MATCHER_NO);
	assert_int_equal(asks(&c.p, ""), MATCHER_NO);
	assert_false(matcher_any_class(&c.p));
	free(c.program);
}

CASE(exclusions_do_not_make_a_filter_for_any_class)
{
	struct compiled all = compile("::m", "a.X"), none = compile("a.A", "::m");

	assert_true(matcher_any_class(&all.p));
	assert_int_equal(asks(&all.p, "b/Whatever"), MATCHER_METHODS);
	assert_int_equal(asks(&all.p, "a/X"), MATCHER_NO);
	assert_false(matcher_any_class(&none.p));
	assert_int_equal(asks(&none.p, "b/Whatever"), MATCHER_NO);
	free(all.program);
	free(none.program);
}

CASE(names_need_no_terminator)
{
	struct compiled c = compile("a.b.C::m", NULL);

	assert_true(matcher_selects(&c.p, (struct slice){"a/b/Cxyz", 5}, (struct slice){"mxyz", 1}, slice_of("")));
	free(c.program);
}

/* The longest chain of entries that a lookup may walk. */
static uint32_t longest_chain(const void *program)
{
	const struct program_header *h = program;
	const uint32_t *buckets = (const uint32_t *)(h + 1);
	const struct program_entry *entries = (const struct program_entry *)(buckets + h->buckets);
	uint32_t longest = 0;

	for (uint32_t i = 0; i < h->buckets; i++) {
		uint32_t steps = 0;

		for (uint32_t n = buckets[i]; n; n = entries[n - 1].next)
			steps++;
		longest = steps > longest ? steps : longest;
	}
	return longest;
}

CASE(five_thousand_filters_cost_a_few_steps)
{
	struct filter_list *l = filter_list_new();
	struct diag d = {0};
	struct matcher p;
	void *program;
	char text[80];

	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "com.acme.shop.orders.Service%d::handle%d", i % 2500, i);
		assert_int_equal(filter_list_add(l, text, FILTER_TRACE, &d), 0);
	}
	assert_int_equal(filter_list_size(l), 5000);
	assert_int_equal(filter_list_compile(l, &program, &p.size, &d), 0);
	p.program = program;
	assert_true(selects(&p, "com/acme/shop/orders/Service2499", "handle4999"));
	assert_true(selects(&p, "com/acme/shop/orders/Service2499", "handle2499"));
	assert_false(selects(&p, "com/acme/shop/orders/Service2499", "handle2498"));
	assert_in_range(longest_chain(program), 1, 12);
	free(program);
	filter_list_free(l);
}

CASE(too_many_filters_for_the_agent_are_refused)
{
	struct filter_list *l = filter_list_new();
	struct diag d = {0};
	size_t size;
	void *program;
	char text[400];

	for (int i = 0; i < 4000; i++) {
		snprintf(text, sizeof(text), "c%d.%.*s", i, 300,
			 "a123456789b123456789c123456789d123456789e123456789"
			 "f123456789g123456789h123456789i123456789j123456789k123456789l123456789m123456789n123456789"
			 "o123456789p123456789q123456789r123456789s123456789t123456789u123456789v123456789w123456789"
			 "x123456789y123456789z123456789a123456789b123456789c123456789d123456789");
		assert_int_equal(filter_list_add(l, text, FILTER_TRACE, &d), 0);
	}
	assert_true(filter_list_compile(l, &program, &size, &d) < 0);
	assert_null(program);
	assert_contains(d.text, "too many filters: 4000");
	filter_list_free(l);
}

CASE(empty_list_compiles_and_selects_nothing)
{
	struct compiled c = compile(NULL, NULL);

	assert_false(selects(&c.p, "a/A", "m"));
	assert_false(matcher_any_class(&c.p));
	free(c.program);
}

CASE(program_works_at_any_address)
{
	struct compiled c = compile("a.b.C::m;::n", "D");
	char *moved = malloc(c.p.size + 1);
	struct matcher p = {moved + 1, c.p.size};

	memcpy(moved + 1, c.program, c.p.size);
	free(c.program);
	assert_true(matcher_valid(&p));
	assert_true(selects(&p, "a/b/C", "m"));
	assert_true(selects(&p, "X", "n"));
	assert_false(selects(&p, "D", "n"));
	free(moved);
}

CASE(damaged_header_is_not_a_program)
{
	static const size_t fields[] = {offsetof(struct program_header, magic),
					offsetof(struct program_header, version), offsetof(struct program_header, size),
					offsetof(struct program_header, buckets),
					offsetof(struct program_header, entries) + 3};
	struct compiled c = compile("a.b.C", NULL);

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		((char *)c.program)[fields[i]] ^= 0x55;
		if (matcher_valid(&c.p))
			fail_msg("valid with a wrong byte at %zu", fields[i]);
		assert_false(selects(&c.p, "a/b/C", "m"));
		assert_int_equal(asks(&c.p, "a/b/C"), MATCHER_NO);
		((char *)c.program)[fields[i]] ^= 0x55;
	}
	assert_true(matcher_valid(&c.p));
	for (size_t size = 0; size < c.p.size; size++)
		assert_false(matcher_valid(&(struct matcher){c.program, size}));
	assert_false(matcher_valid(&(struct matcher){NULL, 100}));
	free(c.program);
}

static struct program_entry *first_entry(void *program)
{
	struct program_header *h = program;

	return (struct program_entry *)((uint32_t *)(h + 1) + h->buckets);
}

/* Change a name in the program but not its hash, which is what two names with one hash look like. */
CASE(equal_hashes_are_not_equal_names)
{
	struct compiled c = compile("a.b.C;a.b.D::m", NULL);
	struct program_entry *e = first_entry(c.program);

	assert_true(selects(&c.p, "a/b/C", "m"));
	((char *)c.program)[e[0].class_at] = 'x';
	assert_false(selects(&c.p, "a/b/C", "m"));
	assert_true(selects(&c.p, "a/b/D", "m"));
	((char *)c.program)[e[2].method_at] = 'x';
	assert_false(selects(&c.p, "a/b/D", "m"));
	free(c.program);
}

/* If the guard is broken, this test does not end. */
CASE(circular_chain_ends)
{
	struct compiled c = compile("a.b.C;a.b.D", NULL);
	struct program_header *h = c.program;
	struct program_entry *e = first_entry(c.program);

	for (uint32_t i = 0; i < h->buckets; i++)
		((uint32_t *)(h + 1))[i] = 2;
	e[0].next = 2;
	e[1].next = 1;
	assert_false(selects(&c.p, "a/b/E", "m"));
	e[1].next = 2;
	assert_false(selects(&c.p, "a/b/E", "m"));
	h->wild = 0xffffffff;
	assert_false(selects(&c.p, "a/b/E", "m"));
	h->wild = 2;
	e[1].next = 0xffffffff;
	assert_false(selects(&c.p, "a/b/E", "m"));
	free(c.program);
}

CASE(overloads_that_return_something_else_are_told_apart)
{
	static const struct {
		const char *filter, *descriptor;
		bool yes;
	} overloads[] = {
		{"C::m(int)int", "(I)I", true},
		{"C::m(int)int", "(I)V", false},
		{"C::m(int)int", "(I)[I", false},
		{"C::m(int)int", "(J)I", false},
		{"C::m(int)int[]", "(I)[I", true},
		{"C::m(int)", "(I)[I", true},
		{"C::m(int)void", "(I)V", true},
		{"C::m(int)void", "(I)Lvoid;", false},
		{"C::m()java.lang.String", "()Ljava/lang/String;", true},
		{"C::m()String", "()Ljava/lang/String;", true},
		{"C::m()String", "()Ljava/lang/Strings;", false},
		{"C::m()String", "()[Ljava/lang/String;", false},
		{"C::m()a.String", "()Ljava/lang/String;", false},
		{"C::m()a.B$C", "()La/B$C;", true},
		{"C::m()int", "()", false},
		{"C::m()int", "()L", false},
	};

	for (size_t i = 0; i < sizeof(overloads) / sizeof(overloads[0]); i++) {
		struct compiled c = compile(overloads[i].filter, NULL);

		if (matcher_selects(&c.p, slice_of("C"), slice_of("m"), slice_of(overloads[i].descriptor)) !=
		    overloads[i].yes)
			fail_msg("%s and %s", overloads[i].filter, overloads[i].descriptor);
		free(c.program);
	}
}

static bool names(const char *select, const char *class_name, const char *method)
{
	struct compiled c = compile(select, "a.Left::out");
	struct matcher_method m = {
		.class_name = slice_of(class_name), .name = slice_of(method), .descriptor = {"()V", 3}};
	struct matcher_decision v = matcher_decide(&c.p, &m);

	free(c.program);
	return v.named;
}

/* Native methods are traced only then. */
CASE(filter_that_selects_may_name_the_class)
{
	assert_true(names("a.B", "a/B", "m"));
	assert_true(names("a.B::m", "a/B", "m"));
	assert_true(names("a.B::m*", "a/B", "mine"));
	assert_true(names("*;a.B::m", "a/B", "m"));
	assert_false(names("a.*", "a/B", "m"));
	assert_false(names("a.*;a.B::n", "a/B", "m"));
	assert_false(names("::m", "a/B", "m"));
	assert_false(names("a.Left", "a/Left", "out"));
}

static struct matcher_decision decide_tagged(const struct matcher *p, const struct matcher_tags *tags,
					     const char *method)
{
	return matcher_decide(p, &(struct matcher_method){.class_name = slice_of("x/Plug"),
							  .name = slice_of(method),
							  .descriptor = slice_of("()V"),
							  .of_class = tags});
}

/* What the JVM has told for the filters of a recording serves a list that is part of them. */
CASE(tags_of_one_program_are_those_of_another)
{
	struct compiled all =
		compile("a.b.C;+java.lang.Runnable::call;+a.Store::save;+java.lang.Runnable::run:2ms", NULL);
	struct compiled part = compile("+java.lang.Runnable::run:2ms", NULL);
	struct matcher_tags known = {.count = 0}, tags = {.count = 0}, none = {.count = 1, .tag = {9999}};

	matcher_tag_supertype(&all.p, slice_of("java/lang/Runnable"), &known);
	matcher_tag_supertype(&all.p, slice_of("a/Store"), &known);
	assert_int_equal(known.count, 2);
	assert_false(decide_tagged(&part.p, &tags, "run").trace);
	matcher_tag_again(&part.p, &all.p, &none, &tags);
	assert_int_equal(tags.count, 0);
	matcher_tag_again(&part.p, &all.p, &known, &tags);
	assert_int_equal(tags.count, 1);
	assert_true(decide_tagged(&part.p, &tags, "run").trace);
	assert_false(decide_tagged(&part.p, &tags, "save").trace);
	assert_true(matcher_may_tag(&part.p, slice_of("run"), slice_of("()V")));
	assert_false(matcher_may_tag(&part.p, slice_of("save"), slice_of("()V")));
	free(all.program);
	free(part.program);
}

CASE(filters_may_have_one_threshold)
{
	static const struct {
		const char *filters;
		bool one;
		uint64_t ns;
	} lists[] = {{"+a.B::m:2ms;@a.C:2ms", true, 2000000},
		     {"+a.B::m;a.*", true, MATCHER_NO_THRESHOLD},
		     {"+a.B::m:2ms;+a.B::n", false, 0},
		     {"+a.B::m:2ms;+a.B::n:3ms", false, 0}};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct compiled c = compile(lists[i].filters, NULL);
		uint64_t ns;

		assert_int_equal(matcher_one_threshold(&c.p, &ns), lists[i].one);
		if (lists[i].one)
			assert_int_equal(ns, lists[i].ns);
		free(c.program);
	}
}

/* Set each byte of the program to 0, 1, 0xff: no access out of bounds (the sanitizers check), no endless loop. */
CASE(damaged_program_is_read_within_its_bounds)
{
	static const unsigned char values[] = {0, 1, 2, 0x80, 0xff};
	struct compiled c = compile("a.b.C::m;::n;E;F::g;+G::m;a.b.C::m()int[]", "D");
	unsigned char *copy = malloc(c.p.size);
	struct matcher p = {copy, c.p.size}, whole = c.p;
	struct matcher_tags tags = {.count = 0};

	for (size_t i = 0; i < c.p.size; i++) {
		for (size_t k = 0; k < sizeof(values); k++) {
			memcpy(copy, c.program, c.p.size);
			copy[i] = values[k];
			(void)selects(&p, "a/b/C", "m");
			(void)selects(&p, "F", "g");
			(void)asks(&p, "E");
			(void)matcher_may_tag(&p, slice_of("m"), slice_of("()V"));
			matcher_tag_again(&whole, &p, &(struct matcher_tags){.count = 2, .tag = {1, 3}}, &tags);
		}
	}
	free(copy);
	free(c.program);
}
