// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fail_nth.h"
#include "tests/lib/fake_modules.h"
#include "user/hotspot/modules.h"
#include "user/hotspot/packages.h"
#include "tests/lib/test.h"

#define APP "a/AppLoader"

static struct fixture {
	struct fake_modules vm;
	struct packages *packages;
	uint64_t app;
	struct resolved_module out;
} jvm;

static int begin(void **state)
{
	fake_modules_init(&jvm.vm, &fake_modules_forms[1]);
	hotspot_find_modules(&jvm.vm.f.layout, &jvm.vm.f.mem);
	assert_true(jvm.vm.f.layout.modules.known);
	jvm.app = fake_loader_add(&jvm.vm.f, APP, "app");
	jvm.packages = packages_new(&jvm.vm.f.layout, &jvm.vm.f.mem);
	assert_non_null(jvm.packages);
	return 0;
}

static int end(void **state)
{
	packages_free(jvm.packages);
	fake_modules_release(&jvm.vm);
	return 0;
}

static void add(const char *name, uint64_t loader, const char *package, const char *module)
{
	uint64_t in = fake_module_add(&jvm.vm, module, loader, NULL, NULL);

	fake_packaged_class_add(&jvm.vm, name, loader, fake_package_add(&jvm.vm, package, in, 0));
}

static bool find(const char *name, const char *loader_type, const char *loader_name)
{
	return packages_find(jvm.packages, &(struct class_name){name, loader_type, loader_name}, &jvm.out);
}

CASE(class_is_found_by_its_name_and_loader, begin, end)
{
	add("shop/Cart", jvm.app, "shop", "shop");
	add("plain/Main", jvm.app, "plain", NULL);
	assert_true(find("java/lang/String", NULL, NULL));
	assert_string_equal(jvm.out.name, "java.base");
	assert_true(jvm.out.exported);
	assert_true(find("shop/Cart", APP, "app"));
	assert_string_equal(jvm.out.name, "shop");
	assert_false(jvm.out.exported);
	assert_true(find("plain/Main", APP, "app"));
	assert_null(jvm.out.name);
	assert_false(find("shop/Cart", NULL, NULL));
	assert_false(find("shop/Cart", APP, NULL));
	assert_false(find("shop/Cart", "a/Other", "app"));
	assert_false(find("Main", APP, "app"));
}

CASE(known_package_costs_no_walk, begin, end)
{
	unsigned int reads;

	assert_true(find("java/lang/String", NULL, NULL));
	reads = jvm.vm.f.reads;
	assert_true(find("java/lang/Thread", NULL, ""));
	assert_false(find("Main", NULL, NULL));
	assert_int_equal(jvm.vm.f.reads, reads);
}

CASE(package_that_is_loaded_later_is_found, begin, end)
{
	assert_false(find("shop/Cart", APP, "app"));
	add("shop/Cart", jvm.app, "shop", "shop");
	assert_true(find("shop/Cart", APP, "app"));
}

CASE(loaders_that_look_alike_must_agree, begin, end)
{
	uint64_t other;

	other = fake_loader_add(&jvm.vm.f, APP, "app");
	add("shop/Cart", jvm.app, "shop", "shop");
	add("shop/Cart", other, "shop", "other");
	add("plain/Main", jvm.app, "plain", NULL);
	add("plain/Main", other, "plain", NULL);
	assert_false(find("shop/Cart", APP, "app"));
	assert_true(find("plain/Main", APP, "app"));
}

CASE(walks_are_limited, begin, end)
{
	unsigned int reads;

	for (unsigned int i = 0; i < PACKAGES_WALKS; i++) {
		reads = jvm.vm.f.reads;
		assert_false(find("a/B", NULL, NULL));
		assert_true(jvm.vm.f.reads > reads);
	}
	reads = jvm.vm.f.reads;
	assert_false(find("a/B", NULL, NULL));
	assert_int_equal(jvm.vm.f.reads, reads);
	assert_true(find("java/lang/String", NULL, NULL));
}

CASE(each_read_may_fail, begin, end)
{
	unsigned int reads;

	jvm.vm.f.reads = 0;
	find("shop/Cart", APP, "app");
	reads = jvm.vm.f.reads;
	for (unsigned int i = 1; i <= reads; i++) {
		packages_free(jvm.packages);
		jvm.packages = packages_new(&jvm.vm.f.layout, &jvm.vm.f.mem);
		jvm.vm.f.reads = 0;
		jvm.vm.f.fail_first = jvm.vm.f.fail_last = i;
		assert_false(find("shop/Cart", APP, "app"));
	}
}

CASE(each_allocation_may_fail)
{
	bool found = false, done = false;

	fail_nth_or_skip();
	begin(NULL);
	for (unsigned int n = 1; !done; n++) {
		struct packages *p;

		fail_nth(n);
		p = packages_new(&jvm.vm.f.layout, &jvm.vm.f.mem);
		if (p)
			found = packages_find(p, &(struct class_name){.name = "java/lang/String"}, &jvm.out);
		done = !fail_nth_end();
		if (found)
			assert_string_equal(jvm.out.name, "java.base");
		packages_free(p);
	}
	assert_true(found);
	end(NULL);
}
