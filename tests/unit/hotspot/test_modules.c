// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fail_nth.h"
#include "tests/lib/fake_code.h"
#include "user/hotspot/modules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define KLASS_SIZE  464u
#define LOADER_SIZE 152u
#define ENTRY_SIZE  128u
#define PACKAGE_AT  216u /* in a Klass */
#define UNNAMED_AT  88u	 /* in a ClassLoaderData */

/* Where the parts of a PackageEntry and ModuleEntry are: up to JDK 18 both begin with a hash and a link. */
struct form {
	unsigned int package_name, package_module, flags;
	unsigned int name, loader, version, location, booleans;
};

static const struct form jdk_11 = {16, 24, 32, 16, 40, 56, 64, 72}, jdk_17 = {16, 24, 32, 16, 40, 56, 64, 76},
			 jdk_25 = {0, 8, 16, 16, 24, 40, 48, 60};
static const struct form *const forms[] = {&jdk_11, &jdk_17, &jdk_25};
#define EACH_FORM(i) (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)

struct image {
	struct fake_code f;
	const struct form *form;
	uint64_t boot, base, object, handle;
	struct method_table table;
	struct resolved_method out;
};

static void put(struct image *x, uint64_t at, uint64_t value)
{
	memcpy(fake_code_at(&x->f, at), &value, sizeof(value));
}

static uint64_t add_module(struct image *x, const char *name, uint64_t loader, const char *version,
			   const char *location)
{
	uint64_t module = fake_code_alloc(&x->f, ENTRY_SIZE);

	put(x, module, 0x6b76606995);
	put(x, module + x->form->loader, loader);
	if (name)
		put(x, module + x->form->name, fake_code_symbol(&x->f, name));
	if (version)
		put(x, module + x->form->version, fake_code_symbol(&x->f, version));
	if (location)
		put(x, module + x->form->location, fake_code_symbol(&x->f, location));
	return module;
}

static void set_open(struct image *x, uint64_t module)
{
	*(char *)fake_code_at(&x->f, module + x->form->booleans + 3) = 1;
}

static uint64_t add_package(struct image *x, const char *name, uint64_t module, uint64_t flags)
{
	uint64_t package = fake_code_alloc(&x->f, ENTRY_SIZE);

	put(x, package + x->form->package_name, fake_code_symbol(&x->f, name));
	put(x, package + x->form->package_module, module);
	put(x, package + x->form->flags, 0xffffull << 32 | flags);
	return package;
}

static uint64_t add_class(struct image *x, const char *name, uint64_t package)
{
	uint64_t klass = fake_code_class(&x->f, &(struct fake_code_class){.name = name});

	put(x, klass + x->f.layout.klass_loader_data, x->boot);
	put(x, klass + PACKAGE_AT, package);
	return klass;
}

static uint64_t add_pointer(struct image *x, uint64_t to)
{
	uint64_t at = fake_code_alloc(&x->f, 8);

	put(x, at, to);
	return at;
}

/* A JVM's java.base, with the two classes from which the search begins. */
static void image_init(struct image *x, const struct form *form)
{
	struct hotspot_layout *l = &x->f.layout;
	uint64_t unnamed;

	*x = (struct image){.form = form};
	fake_code_init(&x->f, FAKE_17);
	l->klass_size = KLASS_SIZE;
	l->loader_size = LOADER_SIZE;
	x->boot = fake_code_alloc(&x->f, LOADER_SIZE);
	unnamed = add_module(x, NULL, x->boot, NULL, NULL);
	*(char *)fake_code_at(&x->f, unnamed + form->booleans) = 1;
	set_open(x, unnamed);
	put(x, x->boot + UNNAMED_AT, unnamed);
	x->base = add_module(x, "java.base", x->boot, "17.0.15", "jrt:/java.base");
	x->object = add_class(x, "java/lang/Object", add_package(x, "java/lang", x->base, 1));
	x->handle = add_class(x, "java/lang/invoke/MethodHandle", add_package(x, "java/lang/invoke", x->base, 1));
	l->object_class = add_pointer(x, x->object);
	l->handle_class = add_pointer(x, x->handle);
}

static void image_release(struct image *x)
{
	method_table_release(&x->table);
	fake_code_release(&x->f);
}

static bool search(struct image *x)
{
	hotspot_find_modules(&x->f.layout, &x->f.mem);
	return x->f.layout.modules.known;
}

static const struct resolved_module *read_module(struct image *x, const char *name, uint64_t klass)
{
	x->out = (struct resolved_method){.class_name = name};
	assert_int_equal(module_read(&x->f.layout, &x->f.mem, klass, &x->table, &x->out), 0);
	return &x->out.module;
}

static const struct resolved_module *module_of(struct image *x, const char *name, uint64_t package)
{
	return read_module(x, name, add_class(x, name, package));
}

static void entries_are_found_in_all_forms(void **state)
{
	for
		EACH_FORM(i)
		{
			const struct form *f = forms[i];
			const struct hotspot_modules *m;
			struct image x;

			image_init(&x, f);
			assert_true(search(&x));
			m = &x.f.layout.modules;
			assert_int_equal(m->klass_package, PACKAGE_AT);
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

static void named_modules_have_name_version_and_location(void **state)
{
	for
		EACH_FORM(i)
		{
			const struct resolved_module *m;
			struct image x;
			uint64_t shop;

			image_init(&x, forms[i]);
			assert_true(search(&x));
			m = read_module(&x, "java/lang/Object", x.object);
			assert_true(m->known && m->exported);
			assert_string_equal(m->name, "java.base");
			assert_string_equal(m->version, "17.0.15");
			assert_string_equal(m->location, "jrt:/java.base");
			shop = add_module(&x, "shop", 0, NULL, "file:///shop/");
			m = module_of(&x, "shop/hidden/Till", add_package(&x, "shop/hidden", shop, 0));
			assert_true(m->known && !m->exported);
			assert_string_equal(m->name, "shop");
			assert_null(m->version);
			assert_string_equal(m->location, "file:///shop/");
			image_release(&x);
		}
}

static void unnamed_modules_have_no_name_and_export_everything(void **state)
{
	const struct resolved_module *m;
	struct image x;

	image_init(&x, &jdk_25);
	assert_true(search(&x));
	m = module_of(&x, "a/B", add_package(&x, "a", add_module(&x, NULL, 0, NULL, NULL), 0));
	assert_true(m->known && m->exported);
	assert_null(m->name);
	assert_null(m->version);
	assert_null(m->location);
	image_release(&x);
}

static void packages_may_be_exported_to_some_or_be_open(void **state)
{
	for
		EACH_FORM(i)
		{
			struct image x;
			uint64_t shop, open, friend;

			image_init(&x, forms[i]);
			assert_true(search(&x));
			shop = add_module(&x, "shop", 0, NULL, NULL);
			open = add_module(&x, "stock", 0, NULL, NULL);
			set_open(&x, open);
			friend = add_package(&x, "f", shop, 0);
			assert_false(module_of(&x, "f/C", friend)->exported);
			put(&x, friend + forms[i]->flags + 8, 0x7f1234567890);
			assert_true(module_of(&x, "f/C", friend)->exported);
			assert_true(module_of(&x, "u/C", add_package(&x, "u", shop, 2))->exported);
			assert_true(module_of(&x, "s/C", add_package(&x, "s", open, 0))->exported);
			image_release(&x);
		}
}

static void module_of_a_hidden_class_is_that_of_its_package(void **state)
{
	struct image x;

	image_init(&x, &jdk_17);
	assert_true(search(&x));
	assert_string_equal(module_of(&x, "b/C$$Lambda+0x0000000098041000", add_package(&x, "b", x.base, 1))->name,
			    "java.base");
	image_release(&x);
}

static void class_in_no_package_has_no_module(void **state)
{
	struct image x;

	image_init(&x, &jdk_17);
	assert_true(search(&x));
	assert_false(module_of(&x, "Main", 0)->known);
	assert_false(module_of(&x, "a/Main", 0)->known);
	image_release(&x);
}

static void package_of_another_name_is_not_believed(void **state)
{
	struct image x;

	image_init(&x, &jdk_17);
	assert_true(search(&x));
	assert_false(module_of(&x, "a/b/C", add_package(&x, "a", x.base, 1))->known);
	assert_false(module_of(&x, "a/C", add_package(&x, "a/b", x.base, 1))->known);
	assert_false(module_of(&x, "a/C", add_package(&x, "b", x.base, 1))->known);
	assert_false(module_of(&x, "a/C", add_package(&x, "a", 0, 1))->known);
	assert_false(module_of(&x, "a/C", add_package(&x, "a", 0xdead0000, 1))->known);
	assert_false(module_of(&x, "a/C", add_package(&x, "a", x.base, 4))->known);
	assert_true(module_of(&x, "a/C", add_package(&x, "a", x.base, 1))->known);
	image_release(&x);
}

/* ---- images in which the entries are not found */

static void jvm_without_modules_has_none(void **state)
{
	struct image x;

	image_init(&x, &jdk_17);
	put(&x, x.object + PACKAGE_AT, 0);
	put(&x, x.handle + PACKAGE_AT, 0);
	assert_false(search(&x));
	assert_false(read_module(&x, "java/lang/Object", x.object)->known);
	image_release(&x);
}

static void jvm_whose_tables_lack_the_classes_has_no_modules(void **state)
{
	struct image x;

	image_init(&x, &jdk_17);
	x.f.layout.handle_class = 0;
	assert_false(search(&x));
	image_release(&x);
	image_init(&x, &jdk_17);
	x.f.layout.klass_size = FRT_NO_OFFSET;
	assert_false(search(&x));
	image_release(&x);
}

/* java.base exports its packages late in the JVM's startup. */
static void nothing_is_found_while_the_jvm_starts(void **state)
{
	struct image x;
	uint64_t package;

	image_init(&x, &jdk_25);
	assert_true(search(&x));
	memcpy(&package, fake_code_at(&x.f, x.handle + PACKAGE_AT), 8);
	put(&x, package + jdk_25.flags, 0);
	assert_false(search(&x));
	image_release(&x);
}

static void two_possible_places_are_none(void **state)
{
	struct image x;
	uint64_t package;

	image_init(&x, &jdk_17);
	memcpy(&package, fake_code_at(&x.f, x.object + PACKAGE_AT), 8);
	put(&x, x.object + PACKAGE_AT + 8, package);
	assert_false(search(&x));
	image_release(&x);
}

static void classes_that_disagree_are_not_believed(void **state)
{
	struct image x;
	uint64_t other;

	image_init(&x, &jdk_17);
	other = add_module(&x, "java.other", x.boot, "17", "jrt:/java.other");
	put(&x, x.handle + PACKAGE_AT, add_package(&x, "java/lang/invoke", other, 1));
	assert_false(search(&x));
	put(&x, x.handle + PACKAGE_AT, add_package(&x, "java/lang", x.base, 1));
	assert_false(search(&x));
	image_release(&x);
}

static void what_is_not_found_for_sure_is_missing(void **state)
{
	struct image x;

	image_init(&x, &jdk_17);
	put(&x, x.base + jdk_17.version, fake_code_symbol(&x.f, "mine"));
	assert_true(search(&x));
	assert_null(read_module(&x, "java/lang/Object", x.object)->version);
	assert_non_null(x.out.module.location);
	put(&x, x.base + jdk_17.location, fake_code_symbol(&x.f, "file:///java.base"));
	assert_true(search(&x));
	assert_null(read_module(&x, "java/lang/Object", x.object)->location);
	assert_string_equal(x.out.module.name, "java.base");
	image_release(&x);
	image_init(&x, &jdk_17);
	put(&x, x.boot + UNNAMED_AT + 8, add_module(&x, NULL, x.boot, NULL, NULL));
	assert_true(search(&x));
	assert_int_equal(x.f.layout.modules.module_open, 0);
	image_release(&x);
}

/* ---- hostile memory */

static void each_read_may_fail(void **state)
{
	struct image x;
	unsigned int reads;

	image_init(&x, &jdk_25);
	assert_true(search(&x));
	read_module(&x, "java/lang/Object", x.object);
	reads = x.f.reads;
	for (unsigned int i = 1; i <= reads; i++) {
		x.f.reads = 0;
		x.f.fail_first = i;
		x.f.fail_last = UINT32_MAX;
		search(&x);
		assert_false(read_module(&x, "java/lang/Object", x.object)->known);
	}
	image_release(&x);
}

static void each_allocation_may_fail(void **state)
{
	struct resolved_method out = {.class_name = "java/lang/Object"};
	struct image x;
	int e = -ENOMEM;

	image_init(&x, &jdk_25);
	assert_true(search(&x));
	for (unsigned int n = 1; e; n++) {
		struct method_table table = {.texts = 0};

		fail_nth(n);
		e = module_read(&x.f.layout, &x.f.mem, x.object, &table, &out);
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
		uint64_t at = FAKE_BASE + next_random(seed) % (x->f.used / 8) * 8, value = next_random(seed);

		put(x, at, value % 3 ? FAKE_BASE + value % (x->f.used + 64) : value % 7 ? value : 0);
	}
}

static void garbled_memory_gives_a_module_or_none(void **state)
{
	uint64_t seed = 0x9e3779b97f4a7c15;
	unsigned int known = 0, unknown = 0;

	for (int round = 0; round < 20000; round++) {
		const struct resolved_module *m;
		struct image x;

		image_init(&x, forms[round % 3]);
		garble(&x, &seed);
		if (round % 2)
			search(&x);
		else if (search(&x))
			garble(&x, &seed);
		m = read_module(&x, "java/lang/Object", x.object);
		known += m->known;
		unknown += !m->known;
		assert_true(m->known || (!m->exported && !m->name && !m->version && !m->location));
		assert_true(m->name || (!m->version && !m->location));
		image_release(&x);
	}
	assert_true(known > 1000 && unknown > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_found_in_all_forms),
		cmocka_unit_test(named_modules_have_name_version_and_location),
		cmocka_unit_test(unnamed_modules_have_no_name_and_export_everything),
		cmocka_unit_test(packages_may_be_exported_to_some_or_be_open),
		cmocka_unit_test(module_of_a_hidden_class_is_that_of_its_package),
		cmocka_unit_test(class_in_no_package_has_no_module),
		cmocka_unit_test(package_of_another_name_is_not_believed),
		cmocka_unit_test(jvm_without_modules_has_none),
		cmocka_unit_test(jvm_whose_tables_lack_the_classes_has_no_modules),
		cmocka_unit_test(nothing_is_found_while_the_jvm_starts),
		cmocka_unit_test(two_possible_places_are_none),
		cmocka_unit_test(classes_that_disagree_are_not_believed),
		cmocka_unit_test(what_is_not_found_for_sure_is_missing),
		cmocka_unit_test(each_read_may_fail),
		cmocka_unit_test(each_allocation_may_fail),
		cmocka_unit_test(garbled_memory_gives_a_module_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
