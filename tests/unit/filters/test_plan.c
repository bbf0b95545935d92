// SPDX-License-Identifier: BSD-2-Clause
/* Plans of events as the agent gets them: what is valid, and what filters and types mean for classes that are loaded later. */
#include "filters/filter_list.h"
#include "filters/plan.h"
#include "tests/lib/test.h"

static struct filter_list *list(const char *filters)
{
	struct filter_list *l = filter_list_new();
	struct diag d;

	assert_int_equal(filter_list_add(l, filters, FILTER_TRACE, &d), 0);
	return l;
}

static struct matcher compile(const char *filters)
{
	struct filter_list *l = list(filters);
	struct matcher m;
	struct diag d;
	void *program;

	assert_int_equal(filter_list_compile(l, &program, &m.size, &d), 0);
	m.program = program;
	filter_list_free(l);
	return m;
}

static bool takes(const char *filters, const char *class_name, const char *method, uint16_t access)
{
	struct matcher m = compile(filters);
	bool yes = plan_filter_takes(&m, slice_of(class_name), slice_of(method), slice_of("()V"), access, NULL);

	free((void *)m.program);
	return yes;
}

CASE(a_filter_takes_methods_by_their_names)
{
	struct matcher m = compile("a.B::run:20ms");
	uint64_t threshold;

	assert_true(plan_filter_takes(&m, slice_of("a/B"), slice_of("run"), slice_of("()V"), 0, &threshold));
	assert_int_equal(threshold, 20000000);
	free((void *)m.program);
	assert_false(takes("a.B::run", "a/B", "ran", 0));
	assert_true(takes("a.*::run", "a/C", "run", 0));
	assert_false(takes("+a.B::run", "a/B", "run", 0));
}

static bool meet(const char *a, const char *b)
{
	struct filter_list *one = list(a), *two = list(b);
	bool yes = filter_lists_meet(one, two);

	filter_list_free(one);
	filter_list_free(two);
	return yes;
}

CASE(filters_meet_unless_their_names_tell_otherwise)
{
	assert_true(meet("a.B::run", "a.B"));
	assert_true(meet("a.B::run", "a.*::run"));
	assert_true(meet("a.B::run", "c.D::run;::run"));
	assert_true(meet("*.B::r*", "a.*::*n"));
	assert_false(meet("a.*::run", "b.*::run"));
	assert_false(meet("a.B::run", "a.*::read*"));
	assert_false(meet("a.*::read*", "a.B::run"));
	assert_true(meet("a.B::run", "+c.D::run"));
	assert_false(meet("a.B::run", "a.B::ran"));
	assert_false(meet("a.B::run", "a.C::run"));
	assert_false(meet("a.B::run", "+c.D::ran"));
}

CASE(types_have_kinds)
{
	static const struct {
		const char *type;
		enum plan_kind kind;
	} want[] = {{"Z", PLAN_BOOLEAN},
		    {"C", PLAN_CHAR},
		    {"D", PLAN_DOUBLE},
		    {"Ljava/lang/Integer;", PLAN_INT},
		    {"Ljava/lang/Integers;", PLAN_TEXT},
		    {"Ljava/lang/Class;", PLAN_CLASS},
		    {"[I", PLAN_TEXT},
		    {"", PLAN_TEXT}};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(plan_kind_of(slice_of(want[i].type)), want[i].kind);
	assert_int_equal(plan_argument_number(slice_of("arg12")), 12);
	assert_int_equal(plan_argument_number(slice_of("arg")), -1);
	assert_int_equal(plan_argument_number(slice_of("arg1x")), -1);
	assert_int_equal(plan_argument_number(slice_of("arg1000")), -1);
	assert_true(plan_has_length(slice_of("[I")) && plan_has_length(slice_of("Ljava/lang/String;")));
	assert_false(plan_has_length(slice_of("Ljava/lang/Strings;")));
}

/* A plan of one field for classes that are loaded later. */
struct small {
	struct plan_header header;
	struct plan_field field;
	struct plan_step step;
	char texts[512];
};

static struct plan make(struct small *s)
{
	struct matcher m = compile("a.B::run");
	struct plan_text none = {offsetof(struct small, texts), 0}, filter = {none.at + 1, m.size};

	*s = (struct small){.header = {.magic = PLAN_MAGIC, .size = sizeof(*s), .fields = 1, .steps = 1},
			    .field = {none, none, none, filter, none, .steps = 1, .kind = PLAN_KINDS},
			    .step = {none, none, none, PLAN_FIND, 0}};
	assert_true(m.size < sizeof(s->texts) - 2);
	memcpy(s->texts + 1, m.program, m.size);
	free((void *)m.program);
	return (struct plan){s, sizeof(*s)};
}

CASE(a_field_for_later_classes_has_a_filter_and_a_kind)
{
	struct small s;
	struct plan p = make(&s);

	assert_true(plan_valid(&p));
	s.field.kind_at = 1;
	assert_false(plan_valid(&p));
	make(&s);
	s.field.filter.length--;
	assert_false(plan_valid(&p));
	make(&s);
	s.field.filter.length = 0; /* of a method, whose kind is known */
	assert_false(plan_valid(&p));
	make(&s);
	s.field.filter.at = s.header.size;
	assert_false(plan_valid(&p));
	make(&s);
	s.step.kind = PLAN_NOTHING + 1;
	assert_false(plan_valid(&p));
}
