/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph of loaded classes of a fake JVM, in the memory of tests/lib/fake_code. */
#ifndef TESTS_LIB_FAKE_CLASSES_H
#define TESTS_LIB_FAKE_CLASSES_H

#include "tests/lib/fake_code.h"

#define FAKE_LIST 8 /* elements of a list, including the final NULL or 0 */

struct fake_class_method {
	const char *name, *descriptor;
	uint32_t access;
	uint16_t flags; /* of the ConstMethod, without that for annotations */
	const void *code;
	uint16_t code_size;
	const char *annotations[FAKE_LIST]; /* La/b/Anno; */
};

struct fake_class {
	const char *name;
	uint64_t loader; /* returned by fake_loader_add() */
	uint64_t super, interfaces[FAKE_LIST];
	uint32_t access;
	uint16_t major; /* 0 means 52 */
	uint8_t state;	/* 0 means initialized */
	const char *annotations[FAKE_LIST];
	struct fake_class_method method[FAKE_LIST];
};

/* Set hotspot_layout.loaders to the address of the pointer to the first loader. */
void fake_classes_init(struct fake_code *f, enum fake_form form);

/* Add a loader before the existing ones, as HotSpot does. type NULL: the boot loader. Returns its address. */
uint64_t fake_loader_add(struct fake_code *f, const char *type, const char *name);
uint64_t fake_class_add(struct fake_code *f, const struct fake_class *c);

/* The Klass of an array has a negative shape. */
uint64_t fake_array_add(struct fake_code *f, uint64_t loader);

uint64_t fake_get(struct fake_code *f, uint64_t address);
void fake_set(struct fake_code *f, uint64_t address, uint64_t value, unsigned int width);

#endif
