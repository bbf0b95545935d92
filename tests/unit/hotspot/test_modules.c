// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fail_nth.h"
#include "tests/lib/fake_modules.h"
#include "user/hotspot/modules.h"
#include "tests/lib/test.h"

#define JDK_17 (&fake_modules_forms[1])
#define JDK_25 (&fake_modules_forms[2])

struct image {
	struct fake_modules vm;
	struct method_table table;
	struct resolved_method out;
};

static void image_init(struct image *x, const struct fake_modules_form *form)
{
	*x = (struct image){.table.texts = 0};
	fake_modules_init(&x->vm, form);
}

static void image_release(struct image *x)
{
	method_table_release(&x->table);
	fake_modules_release(&x->vm);
}

static uint64_t add_module(struct image *x, const char *name, const char *location)
{
	return fake_module_add(&x->vm, name, 0, NULL, location);
}

static uint64_t add_package(struct image *x, const char *name, uint64_t module, uint64_t flags)
{
	return fake_package_add(&x->vm, name, module, flags);
}

static void put(struct image *x, uint64_t at, uint64_t value)
{
	fake_modules_put(&x->vm, at, value);
}

static bool search(struct image *x)
{
	hotspot_find_modules(&x->vm.f.layout, &x->vm.f.mem);
	return x->vm.f.layout.modules.known;
}

static const struct resolved_module *read_module(struct image *x, const char *name, uint64_t klass)
{
	x->out = (struct resolved_method){.class_name = name};
	assert_int_equal(module_read(&x->vm.f.layout, &x->vm.f.mem, klass, &x->table, &x->out), 0);
	return &x->out.module;
}

static const struct resolved_module *module_of(struct image *x, const char *name, uint64_t package)
{
	return read_module(x, name, fake_packaged_class_add(&x->vm, name, x->vm.boot, package));
}

CASE(entries_are_found_in_all_forms)
{
	for (size_t i = 0; i < FAKE_MODULES_FORMS; i++) {
		const struct fake_modules_form *f = &fake_modules_forms[i];
		const struct hotspot_modules *m;
		struct image x;

		image_init(&x, f);
		assert_true(search(&x));
		m = &x.vm.f.layout.modules;
		assert_int_equal(m->klass_package, FAKE_PACKAGE_AT);
		assert_int_equal(m->package_name, f->package_name);
		assert_int_equal(m->package_module, f->package_module);
		assert_int_equal(m->package_exports, f->flags);
		assert_int_equal(m->module_name, f->name);
		assert_int_equal(m->module_version, f->version);
		assert_int_equal(m->module_location, f->location);
		assert_int_equal(m->module_open, f->booleans + 3);
		image_release(&x);
	}
}

CASE(named_modules_have_name_version_and_location)
{
	for (size_t i = 0; i < FAKE_MODULES_FORMS; i++) {
		const struct resolved_module *m;
		struct image x;
		uint64_t shop;

		image_init(&x, &fake_modules_forms[i]);
		assert_true(search(&x));
		m = read_module(&x, "java/lang/Object", x.vm.object);
		assert_true(m->known && m->exported);
		assert_string_equal(m->name, "java.base");
		assert_string_equal(m->version, "17.0.15");
		assert_string_equal(m->location, "jrt:/java.base");
		shop = add_module(&x, "shop", "file:///shop/");
		m = module_of(&x, "shop/hidden/Till", add_package(&x, "shop/hidden", shop, 0));
		assert_true(m->known && !m->exported);
		assert_string_equal(m->name, "shop");
		assert_null(m->version);
		assert_string_equal(m->location, "file:///shop/");
		image_release(&x);
	}
}

CASE(unnamed_modules_have_no_name_and_export_everything)
{
	const struct resolved_module *m;
	struct image x;

	image_init(&x, JDK_25);
	assert_true(search(&x));
	m = module_of(&x, "a/B", add_package(&x, "a", add_module(&x, NULL, NULL), 0));
	assert_true(m->known && m->exported);
	assert_null(m->name);
	assert_null(m->version);
	assert_null(m->location);
	image_release(&x);
}

CASE(packages_may_be_exported_to_some_or_be_open)
{
	for (size_t i = 0; i < FAKE_MODULES_FORMS; i++) {
		struct image x;
		uint64_t shop, open, friend;

		image_init(&x, &fake_modules_forms[i]);
		assert_true(search(&x));
		shop = add_module(&x, "shop", NULL);
		open = add_module(&x, "stock", NULL);
		fake_module_open(&x.vm, open);
		friend = add_package(&x, "f", shop, 0);
		assert_false(module_of(&x, "f/C", friend)->exported);
		put(&x, friend + fake_modules_forms[i].flags + 8, 0x7f1234567890);
		assert_true(module_of(&x, "f/C", friend)->exported);
		assert_true(module_of(&x, "u/C", add_package(&x, "u", shop, 2))->exported);
		assert_true(module_of(&x, "s/C", add_package(&x, "s", open, 0))->exported);
		image_release(&x);
	}
}

CASE(module_of_a_hidden_class_is_that_of_its_package)
{
	struct image x;

	image_init(&x, JDK_17);
	assert_true(search(&x));
	assert_string_equal(module_of(&x, "b/C$$Lambda+0x0000000098041000", add_package(&x, "b", x.vm.base, 1))->name,
			    "java.base");
	image_release(&x);
}

CASE(class_in_no_package_has_no_module)
{
	struct image x;

	image_init(&x, JDK_17);
	assert_true(search(&x));
	assert_false(module_of(&x, "Main", 0)->known);
	assert_false(module_of(&x, "a/Main", 0)->known);
	image_release(&x);
}

CASE(package_of_another_name_is_not_believed)
{
	struct image x;

	image_init(&x, JDK_17);
	assert_true(search(&x));
	assert_false(module_of(&x, "a/b/C", add_package(&x, "a", x.vm.base, 1))->known);
	assert_false(module_of(&x, "a/C", add_package(&x, "a/b", x.vm.base, 1))->known);
	assert_false(module_of(&x, "a/C", add_package(&x, "b", x.vm.base, 1))->known);
	assert_false(module_of(&x, "a/C", add_package(&x, "a", 0, 1))->known);
	assert_false(module_of(&x, "a/C", add_package(&x, "a", 0xdead0000, 1))->known);
	assert_false(module_of(&x, "a/C", add_package(&x, "a", x.vm.base, 4))->known);
	assert_true(module_of(&x, "a/C", add_package(&x, "a", x.vm.base, 1))->known);
	image_release(&x);
}

/* ---- images in which the entries are not found */

CASE(jvm_without_modules_has_none)
{
	struct image x;

	image_init(&x, JDK_17);
	put(&x, x.vm.object + FAKE_PACKAGE_AT, 0);
	put(&x, x.vm.handle + FAKE_PACKAGE_AT, 0);
	assert_false(search(&x));
	assert_false(read_module(&x, "java/lang/Object", x.vm.object)->known);
	image_release(&x);
}

CASE(jvm_whose_tables_lack_the_classes_has_no_modules)
{
	struct image x;

	image_init(&x, JDK_17);
	x.vm.f.layout.handle_class = 0;
	assert_false(search(&x));
	image_release(&x);
	image_init(&x, JDK_17);
	x.vm.f.layout.klass_size = FRT_NO_OFFSET;
	assert_false(search(&x));
	image_release(&x);
}

/* java.base exports its packages late in the JVM's startup. */
CASE(nothing_is_found_while_the_jvm_starts)
{
	struct image x;
	uint64_t package;

	image_init(&x, JDK_25);
	assert_true(search(&x));
	package = fake_modules_get(&x.vm, x.vm.handle + FAKE_PACKAGE_AT);
	put(&x, package + JDK_25->flags, 0);
	assert_false(search(&x));
	image_release(&x);
}

CASE(two_possible_places_are_none)
{
	struct image x;

	image_init(&x, JDK_17);
	put(&x, x.vm.object + FAKE_PACKAGE_AT + 8, fake_modules_get(&x.vm, x.vm.object + FAKE_PACKAGE_AT));
	put(&x, x.vm.handle + FAKE_PACKAGE_AT + 8, fake_modules_get(&x.vm, x.vm.handle + FAKE_PACKAGE_AT));
	assert_false(search(&x));
	image_release(&x);
}

CASE(classes_that_disagree_are_not_believed)
{
	struct image x;
	uint64_t other;

	image_init(&x, JDK_17);
	other = add_module(&x, "java.other", "jrt:/java.other");
	put(&x, x.vm.handle + FAKE_PACKAGE_AT, add_package(&x, "java/lang/invoke", other, 1));
	assert_false(search(&x));
	put(&x, x.vm.handle + FAKE_PACKAGE_AT, add_package(&x, "java/lang", x.vm.base, 1));
	assert_false(search(&x));
	image_release(&x);
}

CASE(what_is_not_found_for_sure_is_missing)
{
	struct image x;

	image_init(&x, JDK_17);
	put(&x, x.vm.base + JDK_17->version, fake_code_symbol(&x.vm.f, "mine"));
	assert_true(search(&x));
	assert_null(read_module(&x, "java/lang/Object", x.vm.object)->version);
	assert_non_null(x.out.module.location);
	put(&x, x.vm.base + JDK_17->location, fake_code_symbol(&x.vm.f, "file:///java.base"));
	assert_true(search(&x));
	assert_null(read_module(&x, "java/lang/Object", x.vm.object)->location);
	assert_string_equal(x.out.module.name, "java.base");
	image_release(&x);
	image_init(&x, JDK_17);
	put(&x, x.vm.boot + FAKE_UNNAMED_AT + 8, fake_module_add(&x.vm, NULL, x.vm.boot, NULL, NULL));
	assert_true(search(&x));
	assert_int_equal(x.vm.f.layout.modules.module_open, 0);
	image_release(&x);
	image_init(&x, JDK_17);
	fake_set(&x.vm.f, fake_modules_get(&x.vm, x.vm.boot + FAKE_UNNAMED_AT) + JDK_17->booleans + 3, 0, 1);
	assert_true(search(&x));
	assert_int_equal(x.vm.f.layout.modules.module_open, 0);
	image_release(&x);
}

/* ---- hostile memory */

CASE(each_read_may_fail)
{
	struct image x;
	unsigned int reads;

	image_init(&x, JDK_25);
	assert_true(search(&x));
	read_module(&x, "java/lang/Object", x.vm.object);
	reads = x.vm.f.reads;
	for (unsigned int i = 1; i <= reads; i++) {
		x.vm.f.reads = 0;
		x.vm.f.fail_first = i;
		x.vm.f.fail_last = UINT32_MAX;
		search(&x);
		assert_false(read_module(&x, "java/lang/Object", x.vm.object)->known);
	}
	image_release(&x);
}

CASE(each_allocation_may_fail)
{
	struct resolved_method out = {.class_name = "java/lang/Object"};
	struct image x;
	int e = -ENOMEM;

	fail_nth_or_skip();
	image_init(&x, JDK_25);
	assert_true(search(&x));
	for (unsigned int n = 1; e; n++) {
		struct method_table table = {.texts = 0};

		fail_nth(n);
		e = module_read(&x.vm.f.layout, &x.vm.f.mem, x.vm.object, &table, &out);
		fail_nth(0);
		assert_true(e == 0 || e == -ENOMEM);
		assert_int_equal(out.module.known, !e);
		out.module = (struct resolved_module){.known = false};
		method_table_release(&table);
	}
	image_release(&x);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Addresses of the image itself in wrong places lead further than other numbers. */
static void garble(struct image *x, uint64_t *seed)
{
	for (uint64_t n = 1 + next_random(seed) % 8; n; n--) {
		uint64_t at = FAKE_BASE + next_random(seed) % (x->vm.f.used / 8) * 8, value = next_random(seed);

		put(x, at, value % 3 ? FAKE_BASE + value % (x->vm.f.used + 64) : value % 7 ? value : 0);
	}
}

CASE(garbled_memory_gives_a_module_or_none)
{
	uint64_t seed = 0x9e3779b97f4a7c15;
	unsigned int known = 0, unknown = 0;

	for (int round = 0; round < 20000; round++) {
		const struct resolved_module *m;
		struct image x;

		image_init(&x, &fake_modules_forms[round % FAKE_MODULES_FORMS]);
		garble(&x, &seed);
		if (round % 2)
			search(&x);
		else if (search(&x))
			garble(&x, &seed);
		m = read_module(&x, "java/lang/Object", x.vm.object);
		known += m->known;
		unknown += !m->known;
		assert_true(m->known || (!m->exported && !m->name && !m->version && !m->location));
		assert_true(m->name || (!m->version && !m->location));
		image_release(&x);
	}
	assert_true(known > 1000 && unknown > 1000);
}
