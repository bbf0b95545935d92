// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_modules.h"

#define KLASS_SIZE  464u
#define LOADER_SIZE 152u
#define ENTRY_SIZE  128u

/* Up to JDK 18 both begin with a hash and a link. */
const struct fake_modules_form fake_modules_forms[FAKE_MODULES_FORMS] = {
	{16, 24, 32, 16, 40, 56, 64, 72},
	{16, 24, 32, 16, 40, 56, 64, 76},
	{0, 8, 16, 16, 24, 40, 48, 60},
};

void fake_modules_put(struct fake_modules *x, uint64_t at, uint64_t value)
{
	fake_set(&x->f, at, value, sizeof(value));
}

uint64_t fake_modules_get(struct fake_modules *x, uint64_t at)
{
	return fake_get(&x->f, at);
}

uint64_t fake_module_add(struct fake_modules *x, const char *name, uint64_t loader, const char *version,
			 const char *location)
{
	uint64_t module = fake_code_alloc(&x->f, ENTRY_SIZE);

	fake_modules_put(x, module, 0x6b76606995);
	fake_modules_put(x, module + x->form->loader, loader);
	if (name)
		fake_modules_put(x, module + x->form->name, fake_code_symbol(&x->f, name));
	if (version)
		fake_modules_put(x, module + x->form->version, fake_code_symbol(&x->f, version));
	if (location)
		fake_modules_put(x, module + x->form->location, fake_code_symbol(&x->f, location));
	return module;
}

void fake_module_open(struct fake_modules *x, uint64_t module)
{
	fake_set(&x->f, module + x->form->booleans + 3, 1, 1);
}

uint64_t fake_package_add(struct fake_modules *x, const char *name, uint64_t module, uint64_t flags)
{
	uint64_t package = fake_code_alloc(&x->f, ENTRY_SIZE);

	fake_modules_put(x, package + x->form->package_name, fake_code_symbol(&x->f, name));
	fake_modules_put(x, package + x->form->package_module, module);
	fake_modules_put(x, package + x->form->flags, 0xffffULL << 32 | flags);
	return package;
}

uint64_t fake_packaged_class_add(struct fake_modules *x, const char *name, uint64_t loader, uint64_t package)
{
	uint64_t klass = fake_class_add(&x->f, &(struct fake_class){.name = name, .loader = loader});

	fake_modules_put(x, klass + FAKE_PACKAGE_AT, package);
	return klass;
}

static uint64_t pointer_add(struct fake_modules *x, uint64_t to)
{
	uint64_t at = fake_code_alloc(&x->f, 8);

	fake_modules_put(x, at, to);
	return at;
}

void fake_modules_init(struct fake_modules *x, const struct fake_modules_form *form)
{
	struct hotspot_layout *l = &x->f.layout;
	uint64_t unnamed;

	*x = (struct fake_modules){.form = form};
	fake_classes_init(&x->f, FAKE_17);
	l->klass_size = KLASS_SIZE;
	l->loader_size = LOADER_SIZE;
	x->boot = fake_loader_add(&x->f, NULL, NULL);
	unnamed = fake_module_add(x, NULL, x->boot, NULL, NULL);
	fake_set(&x->f, unnamed + form->booleans, 1, 1);
	fake_module_open(x, unnamed);
	fake_modules_put(x, x->boot + FAKE_UNNAMED_AT, unnamed);
	x->base = fake_module_add(x, "java.base", x->boot, "17.0.15", "jrt:/java.base");
	x->object =
		fake_packaged_class_add(x, "java/lang/Object", x->boot, fake_package_add(x, "java/lang", x->base, 1));
	x->handle = fake_packaged_class_add(x, "java/lang/invoke/MethodHandle", x->boot,
					    fake_package_add(x, "java/lang/invoke", x->base, 1));
	l->object_class = pointer_add(x, x->object);
	l->handle_class = pointer_add(x, x->handle);
}

void fake_modules_release(struct fake_modules *x)
{
	fake_code_release(&x->f);
}
