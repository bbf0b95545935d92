// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fail_nth.h"
#include "tests/lib/fake_classes.h"
#include "filters/filter_list.h"
#include "user/jvm/matches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define ACC_PUBLIC    0x0001
#define ACC_NATIVE    0x0100
#define ACC_INTERFACE 0x0200
#define ACC_ABSTRACT  0x0400
#define ACC_SYNTHETIC 0x1000
#define RETURN	      "\xb1"
#define MANY	      300 /* names of 64 KB: more than 16 MB */
#define FIRST	      16  /* their first constant */
#define METHOD	      160 /* bytes of a Method, and of a ConstMethod */

struct fixture {
	struct fake_code f;
	uint64_t boot, app;
	uint64_t object, store;
	struct matches found;
	unsigned int jdk_version;
};

static void fixture_init(struct fixture *x)
{
	x->jdk_version = 17;
	fake_classes_init(&x->f, FAKE_17);
	x->boot = fake_loader_add(&x->f, NULL, NULL);
	x->app = fake_loader_add(&x->f, "jdk/internal/loader/ClassLoaders$AppClassLoader", "app");
	x->object = fake_class_add(
		&x->f, &(struct fake_class){
			       .name = "java/lang/Object",
			       .loader = x->boot,
			       .access = ACC_PUBLIC,
			       .method = {{.name = "finalize", .descriptor = "()V", .code = RETURN, .code_size = 1},
					  {.name = "hashCode", .descriptor = "()I", .access = ACC_NATIVE}}});
	x->store = fake_class_add(
		&x->f, &(struct fake_class){.name = "a/Store",
					    .loader = x->app,
					    .super = x->object,
					    .access = ACC_INTERFACE | ACC_ABSTRACT,
					    .method = {{.name = "save", .descriptor = "()V", .access = ACC_ABSTRACT}}});
}

static void fixture_release(struct fixture *x)
{
	fake_code_release(&x->f);
}

static uint64_t add(struct fixture *x, struct fake_class c)
{
	c.loader = c.loader ? c.loader : x->app;
	c.super = c.super ? c.super : x->object;
	return fake_class_add(&x->f, &c);
}

/* pattern: filters of -m; `lambda`: with lambda bodies */
static int find_with(struct fixture *x, const char *filters, bool lambda)
{
	struct filter_list *list = filter_list_new();
	struct matcher p = {.size = 0};
	void *program = NULL;
	struct diag d;
	int r;

	assert_int_equal(filter_list_add(list, filters, FILTER_TRACE, &d), 0);
	filter_list_set_lambda(list, lambda);
	assert_int_equal(filter_list_compile(list, &program, &p.size, &d), 0);
	p.program = program;
	r = matches_find(&x->found, &(struct matches_setup){.layout = &x->f.layout,
							    .mem = &x->f.mem,
							    .pattern = &p,
							    .jdk_version = x->jdk_version});
	free(program);
	filter_list_free(list);
	return r;
}

/* "a/Cart.add(I)V" for each match, with '-' before those without hooks. */
static const char *names(struct fixture *x, const char *filters)
{
	static char out[1024];

	out[0] = 0;
	assert_int_equal(find_with(x, filters, false), 0);
	for (uint32_t i = 0; i < x->found.count; i++) {
		const struct match *m = &x->found.match[i];
		size_t used = strlen(out);

		snprintf(out + used, sizeof(out) - used, "%s%s%s.%s%s", used ? " " : "", match_is_traced(m) ? "" : "-",
			 m->method->class_name, m->method->name, m->method->descriptor);
	}
	assert_int_equal(x->found.unread, 0);
	assert_false(x->found.incomplete);
	matches_release(&x->found);
	return out;
}

static struct match only(struct fixture *x, const char *filters)
{
	struct match m;

	assert_int_equal(find_with(x, filters, false), 0);
	assert_int_equal(x->found.count, 1);
	m = x->found.match[0];
	m.method = NULL; /* freed with its table */
	matches_release(&x->found);
	return m;
}

static const struct fake_class cart = {
	.name = "a/Cart",
	.access = ACC_PUBLIC,
	.method = {{.name = "sum", .descriptor = "()J", .code_size = 40},
		   {.name = "add", .descriptor = "(La/Order;)V", .code_size = 40},
		   {.name = "add", .descriptor = "(I)V", .code_size = 40},
		   {.name = "<init>", .descriptor = "()V", .code_size = 5},
		   {.name = "rate", .descriptor = "()D", .access = ACC_NATIVE}},
};

static void methods_of_a_class_are_found_in_order(void **state)
{
	struct fixture x;

	fixture_init(&x);
	add(&x, cart);
	assert_string_equal(names(&x, "a.Cart"),
			    "a/Cart.<init>()V a/Cart.add(I)V a/Cart.add(La/Order;)V -a/Cart.rate()D a/Cart.sum()J");
	assert_string_equal(names(&x, "a.Cart::add(int)"), "a/Cart.add(I)V");
	assert_string_equal(names(&x, "a.*;!::add;!a.Store"), "a/Cart.<init>()V -a/Cart.rate()D a/Cart.sum()J");
	assert_string_equal(names(&x, "a.Nothing"), "");
	assert_int_equal(find_with(&x, "a.Cart", false), 0);
	assert_int_equal(x.found.classes, 3);
	assert_string_equal(x.found.match[0].method->loader_name, "app");
	assert_true(x.found.match[0].loader == x.app);
	assert_int_equal(matches_first(&x.found, "a/Cart", "<init>"), 0);
	assert_int_equal(matches_first(&x.found, "a/Cart", "add"), 1);
	assert_int_equal(matches_first(&x.found, "a/Cart", "sum"), 4);
	assert_int_equal(matches_first(&x.found, "a/Cart", "take"), 5);
	assert_int_equal(matches_first(&x.found, "a/Car", "add"), 5);
	matches_release(&x.found);
	fixture_release(&x);
}

static void methods_without_hooks_have_a_reason(void **state)
{
	static const struct {
		const char *filter;
		enum frt_skip_reason reason;
	} known[] = {
		{"java.lang.Object::finalize", FRT_SKIP_FINALIZER},
		{"java.lang.Object::hashCode", FRT_SKIP_NATIVE},
		{"a.Store::save", FRT_SKIP_ABSTRACT},
		{"a.Odd::bridge", FRT_SKIP_SYNTHETIC},
		{"a.Odd::reserved", FRT_SKIP_RESERVED_STACK},
		{"a.Odd::mount", FRT_SKIP_CONTINUATION},
		{"java.util.concurrent.locks.Lock::lock", FRT_SKIP_LOCKS},
		{"a.Event::commit", FRT_SKIP_JFR},
	};
	struct fixture x;
	uint64_t jfr;

	fixture_init(&x);
	jfr = add(&x, (struct fake_class){.name = "jdk/jfr/Event", .loader = x.boot});
	add(&x, (struct fake_class){
			.name = "a/Odd",
			.method = {{.name = "bridge", .descriptor = "()V", .access = ACC_SYNTHETIC, .code_size = 9},
				   {.name = "reserved",
				    .descriptor = "()V",
				    .code_size = 9,
				    .annotations = {"La/Other;", "Ljdk/internal/vm/annotation/ReservedStackAccess;"}},
				   {.name = "mount",
				    .descriptor = "()V",
				    .code_size = 9,
				    .annotations = {"Ljdk/internal/vm/annotation/JvmtiMountTransition;"}}}});
	add(&x, (struct fake_class){.name = "java/util/concurrent/locks/Lock",
				    .loader = x.boot,
				    .method = {{.name = "lock", .descriptor = "()V", .code_size = 9}}});
	add(&x, (struct fake_class){.name = "a/Event",
				    .super = jfr,
				    .method = {{.name = "commit", .descriptor = "()V", .code_size = 9}}});
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct match m = only(&x, known[i].filter);

		assert_int_equal(m.reason, known[i].reason);
		assert_false(match_is_traced(&m));
	}
	fixture_release(&x);
}

static void indirect_supertypes_count(void **state)
{
	struct fixture x;
	uint64_t base, middle;

	fixture_init(&x);
	base = add(&x, (struct fake_class){.name = "a/Base",
					   .interfaces = {x.store},
					   .method = {{.name = "save", .descriptor = "()V", .code_size = 9}}});
	middle = add(&x, (struct fake_class){.name = "a/Middle", .super = base, .interfaces = {x.store}});
	add(&x, (struct fake_class){.name = "a/Low",
				    .super = middle,
				    .interfaces = {x.store},
				    .method = {{.name = "save", .descriptor = "()V", .code_size = 9}}});
	add(&x, cart);
	assert_string_equal(names(&x, "+a.Store"), "a/Base.save()V a/Low.save()V -a/Store.save()V");
	assert_string_equal(names(&x, "+a.Base"), "a/Base.save()V a/Low.save()V");
	assert_string_equal(names(&x, "+a.Middle"), "a/Low.save()V");
	assert_string_equal(names(&x, "+a.Store;!+a.Middle;!a.Store"), "a/Base.save()V");
	assert_string_equal(names(&x, "+java.lang.Object::save"), "a/Base.save()V a/Low.save()V"); /* no interfaces */
	fixture_release(&x);
}

static void annotations_of_class_and_method_count(void **state)
{
	struct fixture x;

	fixture_init(&x);
	add(&x, (struct fake_class){.name = "a/Marked",
				    .annotations = {"La/Other;", "La/Timed;"},
				    .method = {{.name = "m", .descriptor = "()V", .code_size = 9}}});
	add(&x, (struct fake_class){
			.name = "a/Partly",
			.method = {{.name = "m", .descriptor = "()V", .code_size = 9, .annotations = {"La/Timed;"}},
				   {.name = "n", .descriptor = "()V", .code_size = 9, .annotations = {"La/Other;"}}}});
	assert_string_equal(names(&x, "@a.Timed"), "a/Marked.m()V a/Partly.m()V");
	assert_string_equal(names(&x, "@a.Other"), "a/Marked.m()V a/Partly.n()V");
	assert_string_equal(names(&x, "a.*;!@a.Timed;!a.Store"), "a/Partly.n()V");
	fixture_release(&x);
}

/* Copy `size` bytes of the fake JVM to a new place. */
static uint64_t moved(struct fixture *x, uint64_t from, size_t size, size_t room)
{
	uint64_t to = fake_code_alloc(&x->f, room);

	memcpy(fake_code_at(&x->f, to), fake_code_at(&x->f, from), size);
	return to;
}

/* A class with MANY methods, copies of its only one, whose names of 64 KB overlap. */
static void forge_names(struct fixture *x, uint64_t klass)
{
	const struct hotspot_layout *l = &x->f.layout;
	uint64_t array = fake_code_alloc(&x->f, l->array_pointers + 8 * MANY);
	uint64_t names = fake_code_alloc(&x->f, 0x10000 + 8 * MANY + 64);
	uint64_t method = fake_get(&x->f, fake_get(&x->f, klass + l->klass_methods) + l->array_pointers);
	uint64_t own = fake_get(&x->f, method + l->walk.method_const);
	uint64_t pool = moved(x, fake_get(&x->f, klass + l->klass_pool), l->walk.pool_size + 8 * FIRST,
			      l->walk.pool_size + 8 * (FIRST + MANY));

	memset(fake_code_at(&x->f, names), 0xff, 0x10000 + 8 * MANY + 64);
	fake_set(&x->f, klass + l->klass_pool, pool, 8);
	fake_set(&x->f, pool + l->pool_length, FIRST + MANY, 4);
	fake_set(&x->f, klass + l->klass_methods, array, 8);
	fake_set(&x->f, array + l->array_length, MANY, 4);
	for (int i = 0; i < MANY; i++) {
		uint64_t copy = moved(x, method, METHOD, METHOD), constants = moved(x, own, METHOD, METHOD);

		fake_set(&x->f, array + l->array_pointers + 8 * i, copy, 8);
		fake_set(&x->f, copy + l->walk.method_const, constants, 8);
		fake_set(&x->f, constants + l->walk.const_pool, pool, 8);
		fake_set(&x->f, constants + l->walk.const_name, FIRST + i, 2);
		fake_set(&x->f, pool + l->walk.pool_size + 8 * (FIRST + i), (names + 8 * i) | 1, 8);
	}
}

static void a_class_of_endless_names_is_not_read(void **state)
{
	struct fixture x;

	fixture_init(&x);
	forge_names(&x, add(&x, (struct fake_class){.name = "a/Forged",
						    .method = {{.name = "m", .descriptor = "()V", .code_size = 9}}}));
	add(&x, cart);
	assert_int_equal(find_with(&x, "a.Forged;a.Cart::sum", false), 0);
	assert_int_equal(x.found.unread, 1);
	assert_int_equal(x.found.count, 1);
	matches_release(&x.found);
	fixture_release(&x);
}

static void older_of_two_classes_with_one_name_counts(void **state)
{
	struct fixture x;
	uint64_t other;

	fixture_init(&x);
	add(&x,
	    (struct fake_class){.name = "a/Twice", .method = {{.name = "now", .descriptor = "()V", .code_size = 9}}});
	add(&x, (struct fake_class){.name = "a/Twice",
				    .method = {{.name = "before", .descriptor = "()V", .code_size = 9}}});
	assert_string_equal(names(&x, "a.Twice"), "a/Twice.now()V");
	other = fake_loader_add(&x.f, "a/Loader", NULL);
	add(&x, (struct fake_class){.name = "a/Twice",
				    .loader = other,
				    .method = {{.name = "now", .descriptor = "()V", .code_size = 9}}});
	assert_string_equal(names(&x, "a.Twice"), "a/Twice.now()V a/Twice.now()V");
	fixture_release(&x);
}

static void hidden_classes_and_overpass_methods_do_not_match(void **state)
{
	struct fixture x;

	fixture_init(&x);
	add(&x, (struct fake_class){.name = "a/C$$Lambda+0x0000000098041000",
				    .method = {{.name = "get", .descriptor = "()V", .code_size = 9}}});
	add(&x, (struct fake_class){.name = "a/C$$Lambda$1/12345",
				    .method = {{.name = "get", .descriptor = "()V", .code_size = 9}}});
	add(&x, (struct fake_class){.name = "a/Conflict",
				    .method = {{.name = "get", .descriptor = "()V", .code_size = 9, .flags = 0x40},
					       {.name = "put", .descriptor = "()V", .code_size = 9}}});
	assert_string_equal(names(&x, "::get;::put"), "a/Conflict.put()V");
	fixture_release(&x);
}

static uint32_t flags_of(struct fixture *x, const char *filter)
{
	struct match m = only(x, filter);

	assert_int_equal(m.reason, 0);
	return m.flags;
}

static void doubtful_methods_are_marked(void **state)
{
	static uint8_t returns[7000], plain[7900], old[40] = {168};
	struct fixture x;

	memset(returns, 0xac, sizeof(returns));
	fixture_init(&x);
	add(&x, (struct fake_class){
			.name = "a/New", .state = 1, .method = {{.name = "m", .descriptor = "()V", .code_size = 9}}});
	add(&x, (struct fake_class){
			.name = "a/Bad", .state = 5, .method = {{.name = "m", .descriptor = "()V", .code_size = 9}}});
	add(&x,
	    (struct fake_class){
		    .name = "a/Long",
		    .method = {{.name = "returns", .descriptor = "()V", .code_size = sizeof(returns), .code = returns},
			       {.name = "plain", .descriptor = "()V", .code_size = sizeof(plain), .code = plain}}});
	add(&x,
	    (struct fake_class){.name = "a/Old",
				.major = 48,
				.method = {{.name = "jsr", .descriptor = "()V", .code_size = sizeof(old), .code = old},
					   {.name = "plain", .descriptor = "()V", .code_size = 40, .code = plain}}});
	assert_int_equal(flags_of(&x, "a.New"), MATCH_UNLINKED);
	assert_int_equal(flags_of(&x, "a.Bad"), MATCH_FAILED);
	assert_int_equal(flags_of(&x, "a.Long::returns"), MATCH_LONG);
	assert_int_equal(flags_of(&x, "a.Long::plain"), 0);
	assert_int_equal(flags_of(&x, "a.Old::jsr"), MATCH_OLD);
	assert_int_equal(flags_of(&x, "a.Old::plain"), 0);
	fixture_release(&x);
}

static void intrinsics_are_lower_bounds(void **state)
{
	struct fixture x;

	fixture_init(&x);
	add(&x, (struct fake_class){.name = "java/lang/Math",
				    .loader = x.boot,
				    .method = {{.name = "max",
						.descriptor = "(II)I",
						.code_size = 9,
						.annotations = {"Ljdk/internal/vm/annotation/IntrinsicCandidate;"}},
					       {.name = "min", .descriptor = "(II)I", .code_size = 9}}});
	assert_int_equal(flags_of(&x, "java.lang.Math::max"), MATCH_LOWER_BOUND);
	assert_int_equal(flags_of(&x, "java.lang.Math::min"), 0);
	x.jdk_version = 8; /* by name */
	assert_int_equal(flags_of(&x, "java.lang.Math::min"), MATCH_LOWER_BOUND);
	fixture_release(&x);
}

static void thresholds_and_lambdas_follow_the_filters(void **state)
{
	struct fixture x;

	fixture_init(&x);
	add(&x,
	    (struct fake_class){
		    .name = "a/L",
		    .method = {{.name = "m", .descriptor = "()V", .code_size = 9},
			       {.name = "lambda$m$0", .descriptor = "()V", .code_size = 9, .access = ACC_SYNTHETIC}}});
	assert_true(only(&x, "a.L::m:10ms").verdict.threshold_ns == 10000000);
	assert_true(only(&x, "a.L::m").verdict.threshold_ns == MATCHER_NO_THRESHOLD);
	assert_int_equal(find_with(&x, "a.L::m", true), 0);
	assert_int_equal(x.found.count, 2);
	assert_true(match_is_traced(&x.found.match[0]) && match_is_traced(&x.found.match[1]));
	matches_release(&x.found);
	fixture_release(&x);
}

/* ---- a JVM that continues to run */

static void permanent_circle_is_reported(void **state)
{
	struct fixture x;

	fixture_init(&x);
	add(&x, cart);
	fake_set(&x.f, x.store + x.f.layout.klass_next, x.store, 8);
	assert_int_equal(find_with(&x, "a.Cart", false), 0);
	assert_true(x.found.incomplete);
	assert_int_equal(x.found.count, 5);
	matches_release(&x.found);
	fixture_release(&x);
}

static void unreadable_class_is_counted(void **state)
{
	struct fixture x;
	uint64_t klass;

	fixture_init(&x);
	add(&x, cart);
	klass = add(&x, (struct fake_class){.name = "a/Torn",
					    .method = {{.name = "m", .descriptor = "()V", .code_size = 9}}});
	fake_set(&x.f, klass + x.f.layout.klass_pool, fake_get(&x.f, x.store + x.f.layout.klass_pool), 8);
	assert_int_equal(find_with(&x, "a.*", false), 0);
	assert_int_equal(x.found.unread, 1);
	assert_int_equal(x.found.count, 6);
	matches_release(&x.found);
	fixture_release(&x);
}

static void unload(struct fake_code *f)
{
	struct fixture *x = f->context;

	fake_set(f, x->app + f->layout.loader_klasses, 0, 8);
	fake_set(f, x->store + f->layout.klass_loader_data, 0, 8);
	fake_set(f, x->store + f->layout.klass_pool, 0, 8);
}

static void class_that_is_unloaded_meanwhile_does_not_count(void **state)
{
	bool seen = false;

	for (unsigned int at = 1; at < 200; at++) {
		struct fixture x;

		fixture_init(&x);
		x.f.spread = true;
		x.f.change = unload;
		x.f.context = &x;
		x.f.reads = 0;
		x.f.change_at = at;
		assert_int_equal(find_with(&x, "a.Store", false), 0);
		assert_int_equal(x.found.unread, 0);
		assert_in_range(x.found.count, 0, 1);
		seen |= x.found.count;
		matches_release(&x.found);
		fixture_release(&x);
	}
	assert_true(seen);
}

struct offered {
	char names[256];
};

static void offer(const char *class_name, const char *method, void *context)
{
	struct offered *o = context;
	size_t used = strlen(o->names);

	snprintf(o->names + used, sizeof(o->names) - used, "%s%s%s ", class_name, method ? "." : "",
		 method ? method : "");
}

static void names_are_offered_on_request(void **state)
{
	struct offered o = {""};
	struct filter_list *list = filter_list_new();
	struct matcher p = {.size = 0};
	void *program = NULL;
	struct fixture x;
	struct diag d;

	fixture_init(&x);
	assert_int_equal(filter_list_add(list, "a.Store::load", FILTER_TRACE, &d), 0);
	assert_int_equal(filter_list_compile(list, &program, &p.size, &d), 0);
	p.program = program;
	assert_int_equal(matches_find(&x.found, &(struct matches_setup){.layout = &x.f.layout,
									.mem = &x.f.mem,
									.pattern = &p,
									.near = offer,
									.context = &o}),
			 0);
	assert_int_equal(x.found.count, 0);
	assert_string_equal(o.names, "a/Store java/lang/Object a/Store.save ");
	matches_release(&x.found);
	free(program);
	filter_list_free(list);
	fixture_release(&x);
}

static void missing_memory_is_reported(void **state)
{
	struct fixture x;
	struct filter_list *list = filter_list_new();
	struct matcher p = {.size = 0};
	void *program = NULL;
	struct diag d;
	int r;

	if (!fail_nth_works())
		skip();
	fixture_init(&x);
	add(&x, cart);
	assert_int_equal(filter_list_add(list, "@a.B;+a.Store;a.Cart", FILTER_TRACE, &d), 0);
	assert_int_equal(filter_list_compile(list, &program, &p.size, &d), 0);
	p.program = program;
	for (unsigned int n = 1;; n++) {
		bool happened;

		fail_nth(n);
		r = matches_find(&x.found,
				 &(struct matches_setup){.layout = &x.f.layout, .mem = &x.f.mem, .pattern = &p});
		happened = fail_nth_happened();
		fail_nth(0);
		/* a loader's name, or whether a method is long, may stay unknown */
		assert_true(r == -ENOMEM || (!r && (happened || x.found.count == 6)));
		matches_release(&x.found);
		if (!happened)
			break;
	}
	free(program);
	filter_list_free(list);
	fixture_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(methods_of_a_class_are_found_in_order),
		cmocka_unit_test(methods_without_hooks_have_a_reason),
		cmocka_unit_test(indirect_supertypes_count),
		cmocka_unit_test(annotations_of_class_and_method_count),
		cmocka_unit_test(a_class_of_endless_names_is_not_read),
		cmocka_unit_test(older_of_two_classes_with_one_name_counts),
		cmocka_unit_test(hidden_classes_and_overpass_methods_do_not_match),
		cmocka_unit_test(doubtful_methods_are_marked),
		cmocka_unit_test(intrinsics_are_lower_bounds),
		cmocka_unit_test(thresholds_and_lambdas_follow_the_filters),
		cmocka_unit_test(permanent_circle_is_reported),
		cmocka_unit_test(unreadable_class_is_counted),
		cmocka_unit_test(class_that_is_unloaded_meanwhile_does_not_count),
		cmocka_unit_test(names_are_offered_on_request),
		cmocka_unit_test(missing_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
