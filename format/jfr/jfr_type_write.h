/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a chunk's description of its types: the tree that jfr_type_tree.h reads. An element is its head, its
 * attributes, the number of its children, and the children. The caller passes both numbers and must keep to them.
 */
#ifndef FORMAT_JFR_JFR_TYPE_WRITE_H
#define FORMAT_JFR_JFR_TYPE_WRITE_H

#include "format/bytes.h"
#include "format/hash.h"

struct jfr_type_writer {
	struct bytes elements;
	struct bytes strings; /* each with its NUL, in order of their indices */
	size_t *at;	      /* of each string, in `strings` */
	uint32_t count;
	size_t capacity;
	struct hash_index lookup; /* of the strings by their text */
	bool failed;		  /* out of memory */
};

void jfr_type_writer_init(struct jfr_type_writer *t);
void jfr_type_writer_release(struct jfr_type_writer *t);

void jfr_type_write_element(struct jfr_type_writer *t, const char *name, uint32_t attributes);
void jfr_type_write_attribute(struct jfr_type_writer *t, const char *name, const char *value);
void jfr_type_write_number(struct jfr_type_writer *t, const char *name, int64_t value);
void jfr_type_write_children(struct jfr_type_writer *t, uint32_t count);

/*
 * Append the body of a metadata event, from its string table on; *id becomes a hash of it. Returns false without
 * memory.
 */
bool jfr_type_writer_write(const struct jfr_type_writer *t, struct bytes *body, uint64_t *id);

/* Append the metadata event. */
void jfr_metadata_write(struct bytes *out, const struct bytes *body, uint64_t id, int64_t start_ticks);

#endif
