/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Caches the rendered text of constants: a stack, method or thread is printed many times but rendered once. Memory is
 * bounded; a full cache is emptied.
 */
#ifndef USER_PRINT_RENDER_CACHE_H
#define USER_PRINT_RENDER_CACHE_H

#include "format/bytes.h"
#include "format/hash.h"

struct render_cache_key {
	uint64_t key;
	uint32_t chunk, type; /* chunk and type of the constant */
	uint32_t form;	      /* form and indentation */
};

struct render_cache {
	struct rendered_text *texts;
	uint32_t count;
	size_t capacity;
	struct hash_index lookup; /* of the texts by key */
	struct bytes memory;
};

void render_cache_release(struct render_cache *r);

/* Append the cached text. False: not cached. */
bool render_cache_get(const struct render_cache *r, const struct render_cache_key *key, struct bytes *out);

/* Cache a text. Does nothing if the text is too large or memory has run out. */
void render_cache_put(struct render_cache *r, const struct render_cache_key *key, const void *text, size_t size);

#endif
