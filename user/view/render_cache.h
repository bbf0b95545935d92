/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What constants look like: each stack, method and thread of a recording is
 * printed many times, and made once. Memory is bounded; when it is used up all
 * is forgotten.
 */
#ifndef USER_VIEW_RENDER_CACHE_H
#define USER_VIEW_RENDER_CACHE_H

#include "format/bytes.h"

struct render_cache_key {
	uint64_t key;
	uint32_t chunk, type; /* of the constant */
	uint32_t form;	      /* in which of its forms, how far indented */
};

struct render_cache {
	struct rendered_text *texts; /* a hash table */
	size_t count, capacity;
	struct bytes memory;
};

void render_cache_release(struct render_cache *r);

/* Append what is known for the key; false: nothing is. */
bool render_cache_get(const struct render_cache *r, const struct render_cache_key *key, struct bytes *out);

/* Remember a text; too large ones, and without memory, none. */
void render_cache_put(struct render_cache *r, const struct render_cache_key *key, const void *text, size_t size);

#endif
