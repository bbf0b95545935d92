/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layout of the block that filter_list_compile() writes and pattern.c reads:
 *
 *   header | buckets (u32 each) | entries | names
 *
 * An entry stands for a class (no method), a method of a class, or a method
 * of any class (no class name). A bucket, and `next` of an entry, is the
 * number of an entry plus one, 0 for none; `next` is always a lower number
 * than the entry's own, so a chain ends in a damaged block, too. Offsets count
 * from the block's begin. Names are as class files have them: a/b/C$D.
 */
#ifndef FILTERS_BLOCK_H
#define FILTERS_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#define BLOCK_MAGIC   0x544c4654u /* "TFLT" */
#define BLOCK_VERSION 1u

#define BLOCK_ANY_CLASS 0x1u /* some filter selects a method of any class */

struct block_header {
	uint32_t magic, version;
	uint32_t size;
	uint32_t flags;
	uint32_t buckets; /* a power of two */
	uint32_t entries;
	uint32_t reserved[2];
};

#define BLOCK_SELECT  0x1u /* all methods of the class; the method */
#define BLOCK_EXCLUDE 0x2u
#define BLOCK_SOME    0x4u /* of a class: there are entries that select methods of it */

struct block_entry {
	uint32_t next, hash;
	uint32_t class_at, method_at;
	uint16_t class_length, method_length; /* 0: any class, the class itself */
	uint32_t flags;
};

_Static_assert(sizeof(struct block_header) == 32, "block layout");
_Static_assert(sizeof(struct block_entry) == 24, "block layout");

#define BLOCK_HASH_START 2166136261u

/* FNV-1a, to be continued: the hash of an entry is that of the class name, a zero byte and the method name. */
static inline uint32_t block_hash(uint32_t hash, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
	return hash;
}

static inline uint32_t block_hash_entry(const char *class_name, size_t class_length, const char *method,
					size_t method_length)
{
	uint32_t hash = block_hash(BLOCK_HASH_START, class_name, class_length);

	hash = block_hash(hash, "", 1);
	return block_hash(hash, method, method_length);
}

#endif
