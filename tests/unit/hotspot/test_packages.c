// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fail_nth.h"
#include "tests/lib/fake_modules.h"
#include "user/hotspot/modules.h"
#include "user/hotspot/packages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define APP "a/AppLoader"

struct fixture {
	struct fake_modules vm;
	struct packages *packages;
	uint64_t app;
	struct resolved_module out;
};

static void fixture_init(struct fixture *x)
{
	fake_modules_init(&x->vm, &fake_modules_forms[1]);
	hotspot_find_modules(&x->vm.f.layout, &x->vm.f.mem);
	assert_true(x->vm.f.layout.modules.known);
	x->app = fake_loader_add(&x->vm.f, APP, "app");
	x->packages = packages_new(&x->vm.f.layout, &x->vm.f.mem);
	assert_non_null(x->packages);
}

static void fixture_release(struct fixture *x)
{
	packages_free(x->packages);
	fake_modules_release(&x->vm);
}

static void add(struct fixture *x, const char *name, uint64_t loader, const char *package, const char *module)
{
	uint64_t in = fake_module_add(&x->vm, module, loader, NULL, NULL);

	fake_packaged_class_add(&x->vm, name, loader, fake_package_add(&x->vm, package, in, 0));
}

static bool find(struct fixture *x, const char *name, const char *loader_type, const char *loader_name)
{
	return packages_find(x->packages, &(struct class_name){name, loader_type, loader_name}, &x->out);
}

static void class_is_found_by_its_name_and_loader(void **state)
{
	struct fixture x;

	fixture_init(&x);
	add(&x, "shop/Cart", x.app, "shop", "shop");
	add(&x, "plain/Main", x.app, "plain", NULL);
	assert_true(find(&x, "java/lang/String", NULL, NULL));
	assert_string_equal(x.out.name, "java.base");
	assert_true(x.out.exported);
	assert_true(find(&x, "shop/Cart", APP, "app"));
	assert_string_equal(x.out.name, "shop");
	assert_false(x.out.exported);
	assert_true(find(&x, "plain/Main", APP, "app"));
	assert_null(x.out.name);
	assert_false(find(&x, "shop/Cart", NULL, NULL));
	assert_false(find(&x, "shop/Cart", APP, NULL));
	assert_false(find(&x, "shop/Cart", "a/Other", "app"));
	assert_false(find(&x, "Main", APP, "app"));
	fixture_release(&x);
}

static void known_package_costs_no_walk(void **state)
{
	struct fixture x;
	unsigned int reads;

	fixture_init(&x);
	assert_true(find(&x, "java/lang/String", NULL, NULL));
	reads = x.vm.f.reads;
	assert_true(find(&x, "java/lang/Thread", NULL, ""));
	assert_false(find(&x, "Main", NULL, NULL));
	assert_int_equal(x.vm.f.reads, reads);
	fixture_release(&x);
}

static void package_that_is_loaded_later_is_found(void **state)
{
	struct fixture x;

	fixture_init(&x);
	assert_false(find(&x, "shop/Cart", APP, "app"));
	add(&x, "shop/Cart", x.app, "shop", "shop");
	assert_true(find(&x, "shop/Cart", APP, "app"));
	fixture_release(&x);
}

static void loaders_that_look_alike_must_agree(void **state)
{
	struct fixture x;
	uint64_t other;

	fixture_init(&x);
	other = fake_loader_add(&x.vm.f, APP, "app");
	add(&x, "shop/Cart", x.app, "shop", "shop");
	add(&x, "shop/Cart", other, "shop", "other");
	add(&x, "plain/Main", x.app, "plain", NULL);
	add(&x, "plain/Main", other, "plain", NULL);
	assert_false(find(&x, "shop/Cart", APP, "app"));
	assert_true(find(&x, "plain/Main", APP, "app"));
	fixture_release(&x);
}

static void walks_are_limited(void **state)
{
	struct fixture x;
	unsigned int reads;

	fixture_init(&x);
	for (unsigned int i = 0; i < PACKAGES_WALKS; i++) {
		reads = x.vm.f.reads;
		assert_false(find(&x, "a/B", NULL, NULL));
		assert_true(x.vm.f.reads > reads);
	}
	reads = x.vm.f.reads;
	assert_false(find(&x, "a/B", NULL, NULL));
	assert_int_equal(x.vm.f.reads, reads);
	assert_true(find(&x, "java/lang/String", NULL, NULL));
	fixture_release(&x);
}

static void each_read_may_fail(void **state)
{
	struct fixture x;
	unsigned int reads;

	fixture_init(&x);
	x.vm.f.reads = 0;
	find(&x, "shop/Cart", APP, "app");
	reads = x.vm.f.reads;
	for (unsigned int i = 1; i <= reads; i++) {
		packages_free(x.packages);
		x.packages = packages_new(&x.vm.f.layout, &x.vm.f.mem);
		x.vm.f.reads = 0;
		x.vm.f.fail_first = x.vm.f.fail_last = i;
		assert_false(find(&x, "shop/Cart", APP, "app"));
	}
	fixture_release(&x);
}

static void each_allocation_may_fail(void **state)
{
	bool found = false, done = false;
	struct fixture x;

	if (!fail_nth_works())
		skip();
	fixture_init(&x);
	for (unsigned int n = 1; !done; n++) {
		struct packages *p;

		fail_nth(n);
		p = packages_new(&x.vm.f.layout, &x.vm.f.mem);
		if (p)
			found = packages_find(p, &(struct class_name){.name = "java/lang/String"}, &x.out);
		done = !fail_nth_happened();
		fail_nth(0);
		if (found)
			assert_string_equal(x.out.name, "java.base");
		packages_free(p);
	}
	assert_true(found);
	fixture_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(class_is_found_by_its_name_and_loader),
		cmocka_unit_test(known_package_costs_no_walk),
		cmocka_unit_test(package_that_is_loaded_later_is_found),
		cmocka_unit_test(loaders_that_look_alike_must_agree),
		cmocka_unit_test(walks_are_limited),
		cmocka_unit_test(each_read_may_fail),
		cmocka_unit_test(each_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
