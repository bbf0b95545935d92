/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a fake JVM with classes, methods and compiled code, for tests of user/hotspot. Reads are counted.
 * One of them can fail, and the "JVM" can change something before one of them.
 */
#ifndef TESTS_LIB_FAKE_CODE_H
#define TESTS_LIB_FAKE_CODE_H

#include "tests/lib/fake_layout.h"

#include <stdbool.h>

#define FAKE_BASE 0x7f0000000000ULL
#define FAKE_SIZE (1u << 20)

struct fake_code {
	struct mem mem;
	struct hotspot_layout layout;
	enum fake_form form;
	unsigned char *data; /* the memory at FAKE_BASE */
	size_t used;
	bool spread; /* put each object on pages of its own */
	unsigned int reads;
	unsigned int fail_first, fail_last; /* these reads fail, counted from 1; 0: none */
	unsigned int change_at;		    /* `change` is called before this read */
	void (*change)(struct fake_code *f);
	void *context;
};

struct fake_code_class {
	const char *name;
	uint32_t access, modifiers;
	const char *loader_type, *loader_name; /* type NULL: the boot loader */
	uint16_t inner_flags; /* not 0: its InnerClasses attribute has these flags for the class itself */
};

struct fake_code_method {
	uint64_t klass; /* returned by fake_code_class() */
	const char *name, *descriptor;
	uint32_t access;
	bool hidden;
	uint16_t code_size;
	const void *lines; /* in memory format, with the final 0; NULL: none */
	size_t lines_size;
};

struct fake_code_scope {
	int caller; /* index of an earlier scope, -1: none */
	uint32_t method;
	int bci; /* method: index in the metadata, from 1 */
};

struct fake_code_nmethod {
	uint32_t compile_id;
	const uint64_t *metadata; /* Methods; the first one is the nmethod's own */
	size_t metadata_count;
	const struct fake_code_scope *scope;
	size_t scopes;
	const int (*pc)[2]; /* ascending: offset in the code, index of the scope (-1: no scope) */
	size_t pcs;
};

void fake_code_init(struct fake_code *f, enum fake_form form);
void fake_code_release(struct fake_code *f);

/* The test's own pointer for an address, to read or overwrite. */
void *fake_code_at(struct fake_code *f, uint64_t address);

/* Allocate zeroed memory and return its address. */
uint64_t fake_code_alloc(struct fake_code *f, size_t size);

uint64_t fake_code_symbol(struct fake_code *f, const char *text);
uint64_t fake_code_class(struct fake_code *f, const struct fake_code_class *c);
uint64_t fake_code_method(struct fake_code *f, const struct fake_code_method *m);
uint64_t fake_code_nmethod(struct fake_code *f, const struct fake_code_nmethod *n);

/* The address of the code at an offset, as in the return addresses of its frames. */
uint64_t fake_code_pc(struct fake_code *f, uint64_t nmethod, int offset);

/* Write HotSpot's compressed number. Returns its length. */
size_t fake_code_unsigned5(unsigned char *to, unsigned int bias, uint32_t v);

#endif
