// SPDX-License-Identifier: BSD-2-Clause
/* What expressions mean in classes that are loaded later, as far as the text tells. */
#include "tests/lib/test.h"
#include "user/jvm/event_value.h"

static uint32_t ways_of(const char *expression, struct event_way ways[EVENT_WAYS], bool loaded)
{
	bool found = !loaded;
	uint32_t n = event_value_ways(expression, ways, &found);

	assert_int_equal(found, loaded);
	return n;
}

CASE(the_first_word_says_where_a_value_begins)
{
	struct event_way w[EVENT_WAYS];

	(void)state;
	assert_int_equal(ways_of("arg1", w, false), 2);
	assert_int_equal(w[0].source, PLAN_PARAMETER);
	assert_string_equal(w[0].steps, "");
	assert_int_equal(w[1].source, PLAN_STATIC); /* nothing */
	assert_int_equal(ways_of("this.a.b", w, false), 2);
	assert_int_equal(w[0].source, PLAN_THIS);
	assert_string_equal(w[0].steps, "a.b");
	assert_int_equal(ways_of("return.length", w, false), 2);
	assert_int_equal(w[0].source, PLAN_RETURN);
	assert_int_equal(ways_of("exception.code", w, false), 2);
	assert_int_equal(w[0].source, PLAN_EXCEPTION);
}

CASE(a_word_is_a_parameter_or_else_a_field)
{
	struct event_way w[EVENT_WAYS];

	(void)state;
	assert_int_equal(ways_of("name", w, false), 3);
	assert_int_equal(w[0].source, PLAN_PARAMETER);
	assert_int_equal(w[0].length, 4);
	assert_int_equal(w[1].source, PLAN_THIS);
	assert_string_equal(w[1].steps, "name");
	assert_int_equal(w[2].source, PLAN_STATIC);
}

CASE(what_may_be_a_class_is_a_parameter_or_a_field_until_one_is_loaded)
{
	struct event_way w[EVENT_WAYS];

	(void)state;
	assert_int_equal(ways_of("cart.id", w, false), 3);
	assert_int_equal(w[0].source, PLAN_PARAMETER);
	assert_int_equal(w[0].length, 4);
	assert_string_equal(w[0].steps, "id");
	assert_int_equal(w[1].source, PLAN_THIS);
	assert_string_equal(w[1].steps, "cart.id");
	assert_int_equal(w[2].source, PLAN_STATIC);
	assert_int_equal(ways_of("com.acme.Shop.COUNT", w, true), 3);
}

/* The object's own class may hide what the class above it has. */
CASE(a_field_of_the_class_above_needs_a_loaded_class)
{
	struct event_way w[EVENT_WAYS];

	(void)state;
	assert_int_equal(ways_of("super.name", w, true), 2);
	assert_int_equal(w[0].source, PLAN_PARAMETER); /* no parameter has that name */
	assert_int_equal(w[1].source, PLAN_STATIC);
}

CASE(objects_tell_what_their_fields_are)
{
	struct event_way w[EVENT_WAYS];

	(void)state;
	assert_int_equal(ways_of("this.name", w, false), 2);
	assert_int_equal(ways_of("this.name.length", w, false), 2);
	assert_int_equal(ways_of("this.name.size", w, false), 2);
	assert_int_equal(ways_of("arg0.length", w, false), 2);
	assert_int_equal(ways_of("arg0.size", w, false), 2);
}
