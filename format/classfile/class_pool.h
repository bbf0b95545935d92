/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants that are appended to a class's pool; those that it has already are found. Index 0 means that the pool is full. */
#ifndef FORMAT_CLASSFILE_CLASS_POOL_H
#define FORMAT_CLASSFILE_CLASS_POOL_H

#include "format/classfile/class_file_internal.h"

struct class_pool {
	const struct class_file *c;
	struct output added;   /* the appended constants, as they stand in the file */
	uint32_t *added_at;    /* offset of each in `added` */
	uint32_t count, limit; /* constants of the class and ours; limit: of `added_at` */
	uint16_t *table;       /* hashed numbers of Utf8 and Class constants */
	uint32_t mask;
	bool full;
};

/* Bytes of arena for a class of `size` bytes and `edits` methods. */
size_t pool_memory(size_t size, uint32_t edits);
bool pool_init(struct class_pool *p, const struct class_file *c, uint32_t edits, struct arena *a);

uint16_t pool_utf8(struct class_pool *p, struct class_text text);
uint16_t pool_class(struct class_pool *p, struct class_text name);
uint16_t pool_integer(struct class_pool *p, uint32_t value);
uint16_t pool_methodref(struct class_pool *p, const char *owner, const char *name, const char *descriptor);

struct class_text class_text_of(const char *text);

#endif
