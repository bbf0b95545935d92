// SPDX-License-Identifier: BSD-2-Clause
/* Events as users write them, and names that are redacted. */
#include "filters/event_list.h"
#include "filters/plan.h"
#include "filters/redact.h"
#include "tests/lib/test.h"

CASE(an_event_has_a_name_a_filter_and_fields)
{
	struct event_list l = {.count = 0};
	struct diag d = {0};
	const struct event_spec *e;

	assert_int_equal(
		event_list_add(&l,
			       " shop.Checkout  com.acme.Shop::add(int, String):20ms a=cart.id size:bytes=x.length "
			       "@who=this.name ",
			       &d),
		0);
	e = &l.event[0];
	assert_string_equal(e->name, "shop.Checkout");
	assert_string_equal(e->text, "com.acme.Shop::add(int, String):20ms");
	assert_int_equal(e->fields, 3);
	assert_string_equal(e->field[0].expression, "cart.id");
	assert_string_equal(e->field[1].name, "size");
	assert_int_equal(e->field[1].unit, EVENT_BYTES);
	assert_true(e->field[2].contextual);
	assert_int_equal(filter_list_threshold(e->filters, 0), 20000000);
	event_list_release(&l);
}

CASE(a_value_may_have_alternatives)
{
	struct event_list l = {.count = 0};
	struct diag d = {0};
	const struct event_field *f;

	assert_int_equal(event_list_add(&l, "a.B T::m sql=this.a.b|arg0", &d), 0);
	f = &l.event[0].field[0];
	assert_string_equal(f->expression, "this.a.b|arg0");
	assert_int_equal(f->alternatives, 2);
	assert_string_equal(f->alternative[0], "this.a.b");
	assert_string_equal(f->alternative[1], "arg0");
	assert_true(redact_matches(NULL, "a.b|password.x"));
	event_list_release(&l);
}

CASE(a_value_may_be_read_at_the_begin)
{
	struct event_list l = {.count = 0};
	struct diag d = {0};
	const struct event_field *f;

	assert_int_equal(event_list_add(&l, "a.B T::m @uri@begin=this.a size:bytes@begin=arg0.b id=arg1", &d), 0);
	f = l.event[0].field;
	assert_int_equal(l.event[0].fields, 3);
	assert_string_equal(f[0].name, "uri");
	assert_true(f[0].contextual && f[0].at_begin);
	assert_true(f[1].unit == EVENT_BYTES && f[1].at_begin);
	assert_string_equal(f[1].expression, "arg0.b");
	assert_false(f[2].at_begin);
	event_list_release(&l);
}

CASE(a_value_may_be_a_difference)
{
	struct event_list l = {.count = 0};
	struct diag d = {0};
	const struct event_field *f;

	assert_int_equal(event_list_add(&l, "a.B T::m late:ns=this.fire-arg0.sched n=arg0", &d), 0);
	f = l.event[0].field;
	assert_true(f->difference);
	assert_int_equal(f->alternatives, 2);
	assert_string_equal(f->alternative[0], "this.fire");
	assert_string_equal(f->alternative[1], "arg0.sched");
	assert_false(f[1].difference);
	assert_true(redact_matches("pin", "a-pin"));
	assert_true(event_list_add(&l, "a.B T::m late=a-b-c", &d) < 0);
	assert_true(event_list_add(&l, "a.B T::m late=a-b|c", &d) < 0);
	assert_true(event_list_add(&l, "a.B T::m late=a|c-b", &d) < 0);
	assert_true(event_list_add(&l, "a.B T::m late=a-", &d) < 0);
	event_list_release(&l);
}

CASE(a_value_may_be_a_number_a_statement_or_a_url_and_never_there)
{
	struct event_list l = {.count = 0};
	const struct event_field *f;
	struct diag d;

	assert_int_equal(
		event_list_add(&l, "a.B T::m n:number=arg0.a|arg1.b sql:sql=arg0 url:url@begin=arg1 none=null", &d), 0);
	f = l.event[0].field;
	assert_true(f[0].unit == EVENT_WHOLE && event_field_is_computed(&f[0]) && f[0].alternatives == 2);
	assert_true(f[1].unit == EVENT_SQL && !event_field_is_computed(&f[1]) && !event_field_is_null(&f[1]));
	assert_true(f[2].unit == EVENT_URL && f[2].at_begin);
	assert_true(f[3].unit == EVENT_NO_UNIT && event_field_is_null(&f[3]));
	assert_null(l.event[0].preset);
	event_list_release(&l);
}

CASE(only_the_outermost_calls_may_be_events)
{
	struct event_list l = {.count = 0};
	struct diag d = {0};

	assert_int_equal(event_list_add(&l, "a.B  outermost  +java.sql.Statement::execute*:1ms sql=arg0", &d), 0);
	assert_int_equal(event_list_add(&l, "a.C outermost sql=arg0", &d), 0); /* a class of that name */
	assert_int_equal(event_list_add(&l, "a.D outermost", &d), 0);
	assert_true(l.event[0].outermost);
	assert_string_equal(l.event[0].text, "+java.sql.Statement::execute*:1ms");
	assert_int_equal(l.event[0].fields, 1);
	for (int i = 1; i < 3; i++) {
		assert_false(l.event[i].outermost);
		assert_string_equal(l.event[i].text, "outermost");
	}
	event_list_release(&l);
}

CASE(a_value_may_be_one_of_an_earlier_call_with_the_same_object)
{
	struct event_list l = {.count = 0};
	const struct event_field *f;
	struct diag d = {0};

	assert_int_equal(
		event_list_add(&l, "db.Prepare C::prepare*;D::prep\\~1:1ms~return.in who=this sql:sql=arg0", &d), 0);
	assert_string_equal(l.event[0].text, "C::prepare*;D::prep\\~1:1ms");
	assert_string_equal(l.event[0].key, "return.in");
	assert_int_equal(event_list_add(&l, "db.Run S::run sql=arg0.text|db.Prepare[this.s].sql n=arg1", &d), 0);
	assert_null(l.event[1].key);
	f = l.event[1].field;
	assert_string_equal(f->expression, "arg0.text|db.Prepare[this.s].sql");
	assert_string_equal(f->alternative[0], "arg0.text");
	assert_string_equal(f->alternative[1], "this.s");
	assert_false(f->recall[0].is);
	assert_true(f->recall[1].is && f->recall[1].event == 0 && f->recall[1].field == 1);
	assert_int_equal(f->unit, EVENT_SQL); /* a masked text does not become whole again */
	assert_true(event_field_is_recalled(f));
	assert_false(event_field_is_recalled(f + 1));
	assert_false(l.event[0].field[0].kept);
	assert_true(l.event[0].field[1].kept);
	assert_int_equal(event_list_add(&l, "db.Prepare E::prepare~return who=this sql:sql=arg1", &d), 0);
	assert_true(l.event[2].field[1].kept);
	assert_int_not_equal(event_list_add(&l, "db.Prepare E::ready who=this sql:sql=arg1", &d), 0);
	assert_non_null(strstr(d.text, "an object both or none"));
	event_list_release(&l);
}

CASE(an_event_may_last_from_one_call_to_another)
{
	struct event_list l = {.count = 0};
	const struct event_spec *e;
	struct diag d = {0};

	assert_int_equal(event_list_add(&l, "redis.Ask C::send~arg0.ask => D::done:2ms~this peer=arg0.peer", &d), 0);
	e = &l.event[0];
	assert_string_equal(e->text, "D::done:2ms");
	assert_null(e->key);
	assert_true(e->from->begins && !e->begins);
	assert_string_equal(e->from->name, "redis.Ask");
	assert_string_equal(e->from->text, "C::send");
	assert_string_equal(e->from->key, "arg0.ask");
	assert_int_equal(filter_list_count(e->from->filters, FILTER_TRACE), 1);
	assert_int_equal(e->fields, 2);
	assert_string_equal(e->field[0].name, "beginThread");
	assert_string_equal(e->field[0].expression, "this");
	assert_true(e->field[0].since && !e->field[1].since);
	assert_int_equal(event_list_add(&l, "redis.Ask E::send~return=>F::done~arg0 peer=arg1", &d), 0);
	assert_int_not_equal(event_list_add(&l, "redis.Ask F::done beginThread=arg0 peer=arg1", &d), 0);
	assert_non_null(strstr(d.text, "is given twice with different fields"));
	event_list_release(&l);
}

CASE(a_value_of_an_earlier_call_that_cannot_be_is_refused)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"b.B T::m x=b.Prepare[this].sql", "no -e before it has the event 'b.Prepare'"},
		{"b.B T::m x=a.None[this].n", "names no object behind its filter"},
		{"b.B T::m x=a.Key[this].none", "has no field 'none'"},
		{"b.B T::m x=a.Key[this].number", "computed after the call"},
		{"b.B T::m x=a.Key[this]", "is EVENT[OBJECT].FIELD"},
		{"b.B T::m x=a.Key[].n", "is EVENT[OBJECT].FIELD"},
		{"b.B T::m x=a.Key[this.n", "is EVENT[OBJECT].FIELD"},
		{"b.B T::m x=a.Key[this].n-arg0", "not computed with"},
		{"b.B T::m x:ms=a.Key[this].size", "another unit"},
		{"b.B T::m x=a.Later[this].n", "itself one of an earlier call"},
		{"b.B T::m~exception x=arg0", "keeps nothing for others"},
		{"b.B T::m~ x=arg0", "wrong expression"},
	};
	struct event_list l = {.count = 0};
	struct diag d = {0};

	assert_int_equal(event_list_add(&l, "a.None T::m n=arg0", &d), 0);
	assert_int_equal(event_list_add(&l, "a.Key T::m~this n=arg0 size:bytes=arg1 number:number=arg2", &d), 0);
	assert_int_equal(event_list_add(&l, "a.Later T::m~this n=a.Key[arg0].n", &d), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		d = (struct diag){0};
		assert_int_not_equal(event_list_add(&l, rows[i].text, &d), 0);
		if (!strstr(d.text, rows[i].says))
			fail_msg("'%s': %s", rows[i].text, d.text);
		assert_int_equal(l.count, 3);
	}
	event_list_release(&l);
}

/* The events are good one after the other, but for the last one. */
static void last_is_refused(const char *const event[4], const char *says)
{
	struct event_list l = {.count = 0};
	struct diag d = {0};
	size_t i = 0;

	for (; event[i + 1]; i++)
		assert_int_equal(event_list_add(&l, event[i], &d), 0);
	assert_int_not_equal(event_list_add(&l, event[i], &d), 0);
	if (!strstr(d.text, says))
		fail_msg("'%s': %s", event[i], d.text);
	event_list_release(&l);
}

CASE(a_kept_value_is_masked_by_its_own_dialect_only)
{
	static const char a[] = "a.Prepare A::m~return q:sql=arg0", b[] = "b.Prepare B::m~return q:mysql=arg0";

	last_is_refused((const char *[4]){a, b, "c.Run C::m q=a.Prepare[this].q|b.Prepare[this].q"}, "another unit");
	last_is_refused((const char *[4]){b, "c.Run C::m q:sql=b.Prepare[this].q"}, "another unit");
	last_is_refused((const char *[4]){a, "a.Prepare B::m~return q:mysql=arg0", "c.Run C::m q=a.Prepare[this].q"},
			"in different ways");
	last_is_refused((const char *[4]){a, "c.Run C::m q=a.Prepare[this].q", "a.Prepare B::m~return q:mysql=arg0"},
			"a.Prepare");
}

CASE(all_events_of_a_name_keep_a_value_of_their_own)
{
	last_is_refused((const char *[4]){"a.Make A::m~return q=arg0", "a.Make B::wrap~return q=a.Make[arg0].q"},
			"a.Make");
}

CASE(an_event_needs_no_fields)
{
	struct event_list l = {.count = 0};
	struct diag d = {0};

	assert_int_equal(event_list_add(&l, "a.B T::is it ok?", &d), 0);
	assert_int_equal(l.event[0].fields, 0);
	assert_string_equal(l.event[0].text, "T::is it ok?");
	event_list_release(&l);
}

CASE(wrong_events_are_refused_with_the_reason)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"", "begins with the event's name"},
		{"a..B T::m", "begins with the event's name"},
		{"1a T::m", "begins with the event's name"},
		{"jdk.GC T::m", "belong to others"},
		{"a.B", "needs a filter"},
		{"a.B x=y", "needs a filter"},
		{"a.B T::m x=", "wrong expression"},
		{"a.B T::m x=.y", "wrong expression"},
		{"a.B T::m x=y.", "wrong expression"},
		{"a.B T::m x=y..z", "wrong expression"},
		{"a.B T::m x=y|", "wrong expression"},
		{"a.B T::m x=|y", "wrong expression"},
		{"a.B T::m x=a|b|c|d|e", "more than 4 alternatives"},
		{"a.B T::m x@begin=a|return.b", "is known when the call ends"},
		{"a.B T::m => T::n~this", "the object behind both filters"},
		{"a.B T::m~this => T::n", "the object behind both filters"},
		{"a.B T::m~this =>", "the object behind both filters"},
		{"a.B => T::n~this", "the object behind both filters"},
		{"a.B T::m:1ms~this => T::n~this", "a threshold stands behind the second filter"},
		{"a.B outermost T::m~this => T::n~this", "cannot be 'outermost'"},
		{"a.B T::m~this => T::n~exception", "keeps nothing for others"},
		{"a.B T::m~this => T::n~this beginThread=arg0", "two fields 'beginThread'"},
		{"a.B T::m x:mb=y", "wrong unit 'mb'"},
		{"a.B T::m duration=y", "every event has one"},
		{"a.B T::m thrown=y", "every event has one"},
		{"a.B T::m x=y x=z", "two fields 'x'"},
		{"a.B T::m( x=y", "wrong filter"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event_list l = {.count = 0};
		struct diag d = {0};

		assert_int_not_equal(event_list_add(&l, rows[i].text, &d), 0);
		if (!strstr(d.text, rows[i].says))
			fail_msg("'%s': %s", rows[i].text, d.text);
		assert_int_equal(l.count, 0);
		event_list_release(&l);
	}
}

CASE(names_may_have_any_letters_and_events_several_lines)
{
	struct event_list l = {.count = 0};
	struct diag d = {0};

	assert_int_equal(event_list_add(&l,
					"lager.Ware\n\t\xc3\x9c"
					"ber::gr\xc3\xb6\xc3\x9f"
					"er:1ms\r\n  gr\xc3\xb6\xc3\x9f"
					"e=ma\xc3\x9f\n\xe5\x90\x8d=this.\xe5\x90\x8d\n",
					&d),
			 0);
	assert_string_equal(l.event[0].name, "lager.Ware");
	assert_string_equal(l.event[0].text, "\xc3\x9c"
					     "ber::gr\xc3\xb6\xc3\x9f"
					     "er:1ms");
	assert_int_equal(l.event[0].fields, 2);
	assert_string_equal(l.event[0].field[0].name, "gr\xc3\xb6\xc3\x9f"
						      "e");
	assert_string_equal(l.event[0].field[1].expression, "this.\xe5\x90\x8d");
	assert_int_equal(event_list_add(&l, "\xe5\xba\x97.\xe5\x93\x81 T::m", &d), 0);
	event_list_release(&l);
}

CASE(one_name_has_one_set_of_fields)
{
	struct event_list l = {.count = 0};
	struct diag d = {0};

	assert_int_equal(event_list_add(&l, "a.B T::m x=arg0 y=arg1", &d), 0);
	assert_int_equal(event_list_add(&l, "a.B T::n x=arg1 y=this", &d), 0);
	assert_int_not_equal(event_list_add(&l, "a.B T::o y=arg1 x=arg0", &d), 0);
	assert_int_not_equal(event_list_add(&l, "a.B T::o x=arg0", &d), 0);
	assert_contains(d.text, "given twice with different fields");
	assert_int_equal(l.count, 2);
	event_list_release(&l);
}

CASE(names_of_secrets_are_redacted)
{
	assert_true(redact_matches(NULL, "userPassword"));
	assert_true(redact_matches(NULL, "ACCESS_TOKEN"));
	assert_true(redact_matches(NULL, "request.apiSecretKey"));
	assert_true(redact_matches(NULL, "this.authorization.value"));
	assert_false(redact_matches(NULL, "cart.items.length"));
	assert_false(redact_matches(NULL, "api.key")); /* each word is a name of its own */
	assert_true(redact_matches(NULL, "api_key"));
	assert_false(redact_matches("none", "password"));
	assert_true(redact_matches("+iban;p?n", "Iban"));
	assert_true(redact_matches("+iban;p?n", "pin"));
	assert_true(redact_matches("+iban", "password"));
	assert_false(redact_matches("iban", "password"));
}

CASE(wrong_globs_are_refused)
{
	struct diag d = {0};

	assert_int_equal(redact_check("none", &d), 0);
	assert_int_equal(redact_check("+*a*;b", &d), 0);
	assert_int_not_equal(redact_check("", &d), 0);
	assert_int_not_equal(redact_check("+", &d), 0);
	assert_int_not_equal(redact_check("@keys.txt", &d), 0);
}

/* A plan of one field with one step. */
struct small_plan {
	struct plan_header h;
	struct plan_field f;
	struct plan_step s;
	char texts[8];
};

static struct small_plan small_plan(void)
{
	struct small_plan p = {.h = {PLAN_MAGIC, sizeof(p), 1, 1, 128, 0}, .texts = "a\0b\0c"};
	uint32_t at = offsetof(struct small_plan, texts);

	p.f = (struct plan_field){.class_name = {at, 1},
				  .method = {at + 2, 1},
				  .descriptor = {at + 4, 1},
				  .filter = {at + 1, 0},
				  .word = {at + 1, 0},
				  .steps = 1};
	p.s = (struct plan_step){.class_name = {at, 1}, .name = {at + 2, 1}, .descriptor = {at + 4, 1}};
	return p;
}

static bool is_valid(const struct small_plan *p)
{
	return plan_valid(&(struct plan){p, sizeof(*p)});
}

CASE(a_plan_with_wrong_offsets_is_refused)
{
	struct small_plan p = small_plan();

	assert_true(is_valid(&p));
	assert_true(plan_is_of(&(struct plan){&p, sizeof(p)}, &p.f, slice_of("a"), slice_of("b"), slice_of("c")));
	assert_false(plan_is_of(&(struct plan){&p, sizeof(p)}, &p.f, slice_of("a"), slice_of("c"), slice_of("c")));
	p.f.class_name.at = sizeof(p);
	assert_false(is_valid(&p));
	p = small_plan();
	p.f.method.length = 2; /* no 0 behind it */
	assert_false(is_valid(&p));
	p = small_plan();
	p.f.first = 1;
	assert_false(is_valid(&p));
	p = small_plan();
	p.f.kind = PLAN_KINDS;
	assert_false(is_valid(&p));
	p = small_plan();
	p.f.role = PLAN_ROLES;
	assert_false(is_valid(&p));
	p = small_plan();
	p.s.kind = PLAN_NOTHING + 1;
	assert_false(is_valid(&p));
	p = small_plan();
	p.h.fields = PLAN_FIELDS;
	assert_false(is_valid(&p));
	p = small_plan();
	p.h.size--;
	assert_false(is_valid(&p));
}
