/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules and packages of a fake JVM, added to the classes of tests/lib/fake_classes. */
#ifndef TESTS_LIB_FAKE_MODULES_H
#define TESTS_LIB_FAKE_MODULES_H

#include "tests/lib/fake_classes.h"

#define FAKE_PACKAGE_AT 216u /* in a Klass */
#define FAKE_UNNAMED_AT 88u  /* in a ClassLoaderData */

/* Where the parts of a PackageEntry and a ModuleEntry are: as in JDK 11, 17 and 25. */
struct fake_modules_form {
	unsigned int package_name, package_module, flags;
	unsigned int name, loader, version, location, booleans;
};
#define FAKE_MODULES_FORMS 3
extern const struct fake_modules_form fake_modules_forms[FAKE_MODULES_FORMS];

struct fake_modules {
	struct fake_code f;
	const struct fake_modules_form *form;
	uint64_t boot, base;	 /* the boot loader; java.base */
	uint64_t object, handle; /* the two classes from which the search begins, in exported packages */
};

void fake_modules_init(struct fake_modules *x, const struct fake_modules_form *form);
void fake_modules_release(struct fake_modules *x);

void fake_modules_put(struct fake_modules *x, uint64_t at, uint64_t value);
uint64_t fake_modules_get(struct fake_modules *x, uint64_t at);

/* name NULL: an unnamed module; version, location NULL: none. Return addresses. */
uint64_t fake_module_add(struct fake_modules *x, const char *name, uint64_t loader, const char *version,
			 const char *location);
void fake_module_open(struct fake_modules *x, uint64_t module);
uint64_t fake_package_add(struct fake_modules *x, const char *name, uint64_t module, uint64_t flags);
uint64_t fake_packaged_class_add(struct fake_modules *x, const char *name, uint64_t loader, uint64_t package);

#endif
