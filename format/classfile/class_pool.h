/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Appends constants to the pool of a class; constants that the class already has are reused. Index 0 means that
 * the pool is full.
 */
#ifndef FORMAT_CLASSFILE_CLASS_POOL_H
#define FORMAT_CLASSFILE_CLASS_POOL_H

#include "format/classfile/class_file_internal.h"

struct class_pool {
	const struct class_file *c;
	struct output added;   /* the appended constants in file format */
	uint32_t *added_at;    /* offset of each in `added` */
	uint32_t count, limit; /* number of constants, old and new; limit: capacity of `added_at` */
	uint16_t *table;       /* hash table of Utf8 and Class constant numbers */
	uint32_t mask;
	bool full;
};

/* Arena size for a class of `size` bytes and `edits` methods. */
size_t pool_memory(size_t size, uint32_t edits);
bool pool_init(struct class_pool *p, const struct class_file *c, uint32_t edits, struct arena *a);

uint16_t pool_utf8(struct class_pool *p, struct slice text);
uint16_t pool_class(struct class_pool *p, struct slice name);
uint16_t pool_integer(struct class_pool *p, uint32_t value);
uint16_t pool_methodref(struct class_pool *p, const char *owner, const char *name, const char *descriptor);

#endif
