// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fail_nth.h"
#include "tests/lib/fake_classes.h"
#include "filters/filter_list.h"
#include "tests/lib/test.h"
#include "user/jvm/matches.h"

#define ACC_PUBLIC    0x0001
#define ACC_NATIVE    0x0100
#define ACC_INTERFACE 0x0200
#define ACC_ABSTRACT  0x0400
#define ACC_SYNTHETIC 0x1000
#define RETURN	      "\xb1"
#define MANY	      300 /* names of 64 KB: more than 16 MB */
#define FIRST	      16  /* their first constant */
#define METHOD	      160 /* bytes of a Method, and of a ConstMethod */

static struct fixture {
	struct fake_code f;
	uint64_t boot, app;
	uint64_t object, store;
	struct matches found;
	unsigned int jdk_version;
} jvm;

static int begin(void **state)
{
	jvm.jdk_version = 17;
	fake_classes_init(&jvm.f, FAKE_17);
	jvm.boot = fake_loader_add(&jvm.f, NULL, NULL);
	jvm.app = fake_loader_add(&jvm.f, "jdk/internal/loader/ClassLoaders$AppClassLoader", "app");
	jvm.object = fake_class_add(
		&jvm.f, &(struct fake_class){
				.name = "java/lang/Object",
				.loader = jvm.boot,
				.access = ACC_PUBLIC,
				.method = {{.name = "finalize", .descriptor = "()V", .code = RETURN, .code_size = 1},
					   {.name = "hashCode", .descriptor = "()I", .access = ACC_NATIVE}}});
	jvm.store = fake_class_add(
		&jvm.f,
		&(struct fake_class){.name = "a/Store",
				     .loader = jvm.app,
				     .super = jvm.object,
				     .access = ACC_INTERFACE | ACC_ABSTRACT,
				     .method = {{.name = "save", .descriptor = "()V", .access = ACC_ABSTRACT}}});
	return 0;
}

static int end(void **state)
{
	fake_code_release(&jvm.f);
	return 0;
}

static uint64_t add(struct fake_class c)
{
	c.loader = c.loader ? c.loader : jvm.app;
	c.super = c.super ? c.super : jvm.object;
	return fake_class_add(&jvm.f, &c);
}

/* The filters of -m. The caller frees them. */
static struct filter_list *list_of(const char *filters, bool lambda)
{
	struct filter_list *list = filter_list_new();
	struct diag d;

	assert_int_equal(filter_list_add(list, filters, FILTER_TRACE, &d), 0);
	filter_list_set_lambda(list, lambda);
	return list;
}

/* `lambda`: with lambda bodies */
static int find_with(const char *filters, bool lambda)
{
	struct filter_list *list = list_of(filters, lambda);
	struct diag d;
	int r = matches_find_by(
		&jvm.found,
		(struct matches_setup){.layout = &jvm.f.layout, .mem = &jvm.f.mem, .jdk_version = jvm.jdk_version},
		list, &d);

	filter_list_free(list);
	return r;
}

/* "a/Cart.add(I)V" for each match, with '-' before those without hooks. */
static const char *names(const char *filters)
{
	static char out[1024];

	out[0] = 0;
	assert_int_equal(find_with(filters, false), 0);
	for (uint32_t i = 0; i < jvm.found.count; i++) {
		const struct match *m = &jvm.found.match[i];
		size_t used = strlen(out);

		snprintf(out + used, sizeof(out) - used, "%s%s%s.%s%s", used ? " " : "", match_is_traced(m) ? "" : "-",
			 m->method->class_name, m->method->name, m->method->descriptor);
	}
	assert_int_equal(jvm.found.unread, 0);
	assert_false(jvm.found.incomplete);
	matches_release(&jvm.found);
	return out;
}

static struct match only(const char *filters)
{
	struct match m;

	assert_int_equal(find_with(filters, false), 0);
	assert_int_equal(jvm.found.count, 1);
	m = jvm.found.match[0];
	m.method = NULL; /* freed with its table */
	matches_release(&jvm.found);
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

CASE(methods_of_a_class_are_found_in_order, begin, end)
{
	add(cart);
	assert_string_equal(names("a.Cart"),
			    "a/Cart.<init>()V a/Cart.add(I)V a/Cart.add(La/Order;)V -a/Cart.rate()D a/Cart.sum()J");
	assert_string_equal(names("a.Cart::add(int)"), "a/Cart.add(I)V");
	assert_string_equal(names("a.*;!::add;!a.Store"), "a/Cart.<init>()V -a/Cart.rate()D a/Cart.sum()J");
	assert_string_equal(names("a.Nothing"), "");
	assert_int_equal(find_with("a.Cart", false), 0);
	assert_int_equal(jvm.found.classes, 3);
	assert_string_equal(jvm.found.match[0].method->loader_name, "app");
	assert_true(jvm.found.match[0].loader == jvm.app);
	assert_int_equal(matches_first(&jvm.found, "a/Cart", "<init>"), 0);
	assert_int_equal(matches_first(&jvm.found, "a/Cart", "add"), 1);
	assert_int_equal(matches_first(&jvm.found, "a/Cart", "sum"), 4);
	assert_int_equal(matches_first(&jvm.found, "a/Cart", "take"), 5);
	assert_int_equal(matches_first(&jvm.found, "a/Car", "add"), 5);
	matches_release(&jvm.found);
}

CASE(methods_without_hooks_have_a_reason, begin, end)
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
	uint64_t jfr;

	jfr = add((struct fake_class){.name = "jdk/jfr/Event", .loader = jvm.boot});
	add((struct fake_class){
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
	add((struct fake_class){.name = "java/util/concurrent/locks/Lock",
				.loader = jvm.boot,
				.method = {{.name = "lock", .descriptor = "()V", .code_size = 9}}});
	add((struct fake_class){
		.name = "a/Event", .super = jfr, .method = {{.name = "commit", .descriptor = "()V", .code_size = 9}}});
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct match m = only(known[i].filter);

		assert_int_equal(m.reason, known[i].reason);
		assert_false(match_is_traced(&m));
	}
}

CASE(indirect_supertypes_count, begin, end)
{
	uint64_t base, middle;

	base = add((struct fake_class){.name = "a/Base",
				       .interfaces = {jvm.store},
				       .method = {{.name = "save", .descriptor = "()V", .code_size = 9}}});
	middle = add((struct fake_class){.name = "a/Middle", .super = base, .interfaces = {jvm.store}});
	add((struct fake_class){.name = "a/Low",
				.super = middle,
				.interfaces = {jvm.store},
				.method = {{.name = "save", .descriptor = "()V", .code_size = 9}}});
	add(cart);
	assert_string_equal(names("+a.Store"), "a/Base.save()V a/Low.save()V -a/Store.save()V");
	assert_string_equal(names("+a.Base"), "a/Base.save()V a/Low.save()V");
	assert_string_equal(names("+a.Middle"), "a/Low.save()V");
	assert_string_equal(names("+a.Store;!+a.Middle;!a.Store"), "a/Base.save()V");
	assert_string_equal(names("+java.lang.Object::save"), "a/Base.save()V a/Low.save()V"); /* no interfaces */
}

CASE(annotations_of_class_and_method_count, begin, end)
{
	add((struct fake_class){.name = "a/Marked",
				.annotations = {"La/Other;", "La/Timed;"},
				.method = {{.name = "m", .descriptor = "()V", .code_size = 9}}});
	add((struct fake_class){
		.name = "a/Partly",
		.method = {{.name = "m", .descriptor = "()V", .code_size = 9, .annotations = {"La/Timed;"}},
			   {.name = "n", .descriptor = "()V", .code_size = 9, .annotations = {"La/Other;"}}}});
	assert_string_equal(names("@a.Timed"), "a/Marked.m()V a/Partly.m()V");
	assert_string_equal(names("@a.Other"), "a/Marked.m()V a/Partly.n()V");
	assert_string_equal(names("a.*;!@a.Timed;!a.Store"), "a/Partly.n()V");
}

/* Copy `size` bytes of the fake JVM to a new place. */
static uint64_t moved(uint64_t from, size_t size, size_t room)
{
	uint64_t to = fake_code_alloc(&jvm.f, room);

	memcpy(fake_code_at(&jvm.f, to), fake_code_at(&jvm.f, from), size);
	return to;
}

/* A class with MANY methods, copies of its only one, whose names of 64 KB overlap. */
static void forge_names(uint64_t klass)
{
	const struct hotspot_layout *l = &jvm.f.layout;
	uint64_t array = fake_code_alloc(&jvm.f, l->array_pointers + 8 * MANY);
	uint64_t names = fake_code_alloc(&jvm.f, 0x10000 + 8 * MANY + 64);
	uint64_t method = fake_get(&jvm.f, fake_get(&jvm.f, klass + l->klass_methods) + l->array_pointers);
	uint64_t own = fake_get(&jvm.f, method + l->walk.method_const);
	uint64_t pool = moved(fake_get(&jvm.f, klass + l->klass_pool), l->walk.pool_size + 8 * FIRST,
			      l->walk.pool_size + 8 * (FIRST + MANY));

	memset(fake_code_at(&jvm.f, names), 0xff, 0x10000 + 8 * MANY + 64);
	fake_set(&jvm.f, klass + l->klass_pool, pool, 8);
	fake_set(&jvm.f, pool + l->pool_length, FIRST + MANY, 4);
	fake_set(&jvm.f, klass + l->klass_methods, array, 8);
	fake_set(&jvm.f, array + l->array_length, MANY, 4);
	for (int i = 0; i < MANY; i++) {
		uint64_t copy = moved(method, METHOD, METHOD), constants = moved(own, METHOD, METHOD);

		fake_set(&jvm.f, array + l->array_pointers + 8 * i, copy, 8);
		fake_set(&jvm.f, copy + l->walk.method_const, constants, 8);
		fake_set(&jvm.f, constants + l->walk.const_pool, pool, 8);
		fake_set(&jvm.f, constants + l->walk.const_name, FIRST + i, 2);
		fake_set(&jvm.f, pool + l->walk.pool_size + 8 * (FIRST + i), (names + 8 * i) | 1, 8);
	}
}

CASE(a_class_of_endless_names_is_not_read, begin, end)
{
	forge_names(add((struct fake_class){.name = "a/Forged",
					    .method = {{.name = "m", .descriptor = "()V", .code_size = 9}}}));
	add(cart);
	assert_int_equal(find_with("a.Forged;a.Cart::sum", false), 0);
	assert_int_equal(jvm.found.unread, 1);
	assert_int_equal(jvm.found.count, 1);
	matches_release(&jvm.found);
}

CASE(older_of_two_classes_with_one_name_counts, begin, end)
{
	uint64_t other;

	add((struct fake_class){.name = "a/Twice", .method = {{.name = "now", .descriptor = "()V", .code_size = 9}}});
	add((struct fake_class){.name = "a/Twice",
				.method = {{.name = "before", .descriptor = "()V", .code_size = 9}}});
	assert_string_equal(names("a.Twice"), "a/Twice.now()V");
	other = fake_loader_add(&jvm.f, "a/Loader", NULL);
	add((struct fake_class){
		.name = "a/Twice", .loader = other, .method = {{.name = "now", .descriptor = "()V", .code_size = 9}}});
	assert_string_equal(names("a.Twice"), "a/Twice.now()V a/Twice.now()V");
}

CASE(hidden_classes_and_overpass_methods_do_not_match, begin, end)
{
	add((struct fake_class){.name = "a/C$$Lambda+0x0000000098041000",
				.method = {{.name = "get", .descriptor = "()V", .code_size = 9}}});
	add((struct fake_class){.name = "a/C$$Lambda$1/12345",
				.method = {{.name = "get", .descriptor = "()V", .code_size = 9}}});
	add((struct fake_class){.name = "a/Conflict",
				.method = {{.name = "get", .descriptor = "()V", .code_size = 9, .flags = 0x40},
					   {.name = "put", .descriptor = "()V", .code_size = 9}}});
	assert_string_equal(names("::get;::put"), "a/Conflict.put()V");
}

static uint32_t flags_of(const char *filter)
{
	struct match m = only(filter);

	assert_int_equal(m.reason, 0);
	return m.flags;
}

CASE(doubtful_methods_are_marked, begin, end)
{
	static uint8_t returns[7000], plain[7900], old[40] = {168};

	memset(returns, 0xac, sizeof(returns));
	add((struct fake_class){
		.name = "a/New", .state = 1, .method = {{.name = "m", .descriptor = "()V", .code_size = 9}}});
	add((struct fake_class){
		.name = "a/Bad", .state = 5, .method = {{.name = "m", .descriptor = "()V", .code_size = 9}}});
	add((struct fake_class){
		.name = "a/Long",
		.method = {{.name = "returns", .descriptor = "()V", .code_size = sizeof(returns), .code = returns},
			   {.name = "plain", .descriptor = "()V", .code_size = sizeof(plain), .code = plain}}});
	add((struct fake_class){.name = "a/Old",
				.major = 48,
				.method = {{.name = "jsr", .descriptor = "()V", .code_size = sizeof(old), .code = old},
					   {.name = "plain", .descriptor = "()V", .code_size = 40, .code = plain}}});
	assert_int_equal(flags_of("a.New"), MATCH_UNLINKED);
	assert_int_equal(flags_of("a.Bad"), MATCH_FAILED);
	assert_int_equal(flags_of("a.Long::returns"), MATCH_LONG);
	assert_int_equal(flags_of("a.Long::plain"), 0);
	assert_int_equal(flags_of("a.Old::jsr"), MATCH_OLD);
	assert_int_equal(flags_of("a.Old::plain"), 0);
}

CASE(intrinsics_are_lower_bounds, begin, end)
{
	add((struct fake_class){.name = "java/lang/Math",
				.loader = jvm.boot,
				.method = {{.name = "max",
					    .descriptor = "(II)I",
					    .code_size = 9,
					    .annotations = {"Ljdk/internal/vm/annotation/IntrinsicCandidate;"}},
					   {.name = "min", .descriptor = "(II)I", .code_size = 9}}});
	assert_int_equal(flags_of("java.lang.Math::max"), MATCH_LOWER_BOUND);
	assert_int_equal(flags_of("java.lang.Math::min"), 0);
	jvm.jdk_version = 8; /* by name */
	assert_int_equal(flags_of("java.lang.Math::min"), MATCH_LOWER_BOUND);
}

CASE(thresholds_and_lambdas_follow_the_filters, begin, end)
{
	add((struct fake_class){
		.name = "a/L",
		.method = {{.name = "m", .descriptor = "()V", .code_size = 9},
			   {.name = "lambda$m$0", .descriptor = "()V", .code_size = 9, .access = ACC_SYNTHETIC}}});
	assert_true(only("a.L::m:10ms").verdict.threshold_ns == 10000000);
	assert_true(only("a.L::m").verdict.threshold_ns == MATCHER_NO_THRESHOLD);
	assert_int_equal(find_with("a.L::m", true), 0);
	assert_int_equal(jvm.found.count, 2);
	assert_true(match_is_traced(&jvm.found.match[0]) && match_is_traced(&jvm.found.match[1]));
	matches_release(&jvm.found);
}

/* ---- a JVM that continues to run */

CASE(permanent_circle_is_reported, begin, end)
{
	add(cart);
	fake_set(&jvm.f, jvm.store + jvm.f.layout.klass_next, jvm.store, 8);
	assert_int_equal(find_with("a.Cart", false), 0);
	assert_true(jvm.found.incomplete);
	assert_int_equal(jvm.found.count, 5);
	matches_release(&jvm.found);
}

CASE(unreadable_class_is_counted, begin, end)
{
	uint64_t klass;

	add(cart);
	klass = add(
		(struct fake_class){.name = "a/Torn", .method = {{.name = "m", .descriptor = "()V", .code_size = 9}}});
	fake_set(&jvm.f, klass + jvm.f.layout.klass_pool, fake_get(&jvm.f, jvm.store + jvm.f.layout.klass_pool), 8);
	assert_int_equal(find_with("a.*", false), 0);
	assert_int_equal(jvm.found.unread, 1);
	assert_int_equal(jvm.found.count, 6);
	matches_release(&jvm.found);
}

static void unload(struct fake_code *f)
{
	fake_set(f, jvm.app + f->layout.loader_klasses, 0, 8);
	fake_set(f, jvm.store + f->layout.klass_loader_data, 0, 8);
	fake_set(f, jvm.store + f->layout.klass_pool, 0, 8);
}

CASE(class_that_is_unloaded_meanwhile_does_not_count)
{
	bool seen = false;

	for (unsigned int at = 1; at < 200; at++) {

		begin(NULL);
		jvm.f.spread = true;
		jvm.f.change = unload;
		jvm.f.reads = 0;
		jvm.f.change_at = at;
		assert_int_equal(find_with("a.Store", false), 0);
		assert_int_equal(jvm.found.unread, 0);
		assert_in_range(jvm.found.count, 0, 1);
		seen |= jvm.found.count;
		matches_release(&jvm.found);
		end(NULL);
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

CASE(names_are_offered_on_request, begin, end)
{
	struct filter_list *list = list_of("a.Store::load", false);
	struct offered o = {""};
	struct diag d;

	assert_int_equal(
		matches_find_by(&jvm.found,
				(struct matches_setup){
					.layout = &jvm.f.layout, .mem = &jvm.f.mem, .near = offer, .context = &o},
				list, &d),
		0);
	assert_int_equal(jvm.found.count, 0);
	assert_string_equal(o.names, "a/Store java/lang/Object a/Store.save ");
	matches_release(&jvm.found);
	filter_list_free(list);
}

CASE(missing_memory_is_reported, begin, end)
{
	struct filter_list *list = list_of("@a.B;+a.Store;a.Cart", false);
	struct diag d;
	bool happened = true;

	fail_nth_or_skip();
	add(cart);
	for (unsigned int n = 1; happened; n++) {
		int r;

		fail_nth(n);
		r = matches_find_by(&jvm.found, (struct matches_setup){.layout = &jvm.f.layout, .mem = &jvm.f.mem},
				    list, &d);
		happened = fail_nth_end();
		/* a loader's name, or whether a method is long, may stay unknown */
		assert_true(r == -ENOMEM || (!r && (happened || jvm.found.count == 6)));
		matches_release(&jvm.found);
	}
	filter_list_free(list);
}
