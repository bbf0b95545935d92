// SPDX-License-Identifier: BSD-2-Clause
#include "user/print/render_cache.h"
#include "format/vec.h"

#include <stdlib.h>

#define MAX_TEXT   (64u << 10)
#define MAX_MEMORY (48u << 20)
#define MAX_TEXTS  (1u << 19)

struct rendered_text {
	struct render_cache_key key;
	uint32_t size;
	size_t at; /* in `memory` */
};

void render_cache_release(struct render_cache *r)
{
	free(r->texts);
	hash_release(&r->lookup);
	bytes_release(&r->memory);
	*r = (struct render_cache){0};
}

struct text_wanted {
	const struct render_cache *cache;
	const struct render_cache_key *key;
};

static bool text_has_key(const void *context, uint32_t row)
{
	const struct text_wanted *w = context;
	const struct render_cache_key *a = &w->cache->texts[row - 1].key, *b = w->key;

	return a->key == b->key && a->chunk == b->chunk && a->type == b->type && a->form == b->form;
}

static uint64_t render_cache_hash(const struct render_cache_key *key)
{
	uint64_t seed = hash_seed(), hash = hash_number(seed, key->key);

	hash = hash_number(seed, hash ^ (uint64_t)key->chunk << 32 ^ key->type);
	return hash_number(seed, hash ^ key->form);
}

bool render_cache_get(const struct render_cache *r, const struct render_cache_key *key, struct bytes *out)
{
	uint32_t row = hash_find(&r->lookup, render_cache_hash(key), text_has_key, &(struct text_wanted){r, key});
	const struct rendered_text *t = row ? &r->texts[row - 1] : NULL;

	if (!t)
		return false;
	bytes_put(out, r->memory.data + t->at, t->size);
	return true;
}

static void render_cache_forget(struct render_cache *r)
{
	hash_clear(&r->lookup);
	r->count = 0;
	bytes_clear(&r->memory);
}

void render_cache_put(struct render_cache *r, const struct render_cache_key *key, const void *text, size_t size)
{
	if (size > MAX_TEXT)
		return;
	if (r->count >= MAX_TEXTS || r->memory.size + size > MAX_MEMORY)
		render_cache_forget(r);
	if (vec_reserve(&r->texts, &r->capacity, (size_t)r->count + 1) ||
	    hash_add(&r->lookup, render_cache_hash(key), r->count + 1))
		return;
	r->texts[r->count++] = (struct rendered_text){.key = *key, .size = size, .at = r->memory.size};
	bytes_put(&r->memory, text, size);
	if (r->memory.failed)
		render_cache_forget(r);
}
