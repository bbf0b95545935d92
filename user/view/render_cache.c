// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/render_cache.h"

#include <stdlib.h>

#define MAX_TEXT   (64u << 10)
#define MAX_MEMORY (48u << 20)
#define MAX_TEXTS  (1u << 19)

struct rendered_text {
	struct render_cache_key key;
	uint32_t size; /* of the text + 1; 0 marks a free slot */
	size_t at;
};

void render_cache_release(struct render_cache *r)
{
	free(r->texts);
	bytes_release(&r->memory);
	*r = (struct render_cache){0};
}

static bool render_cache_same(const struct render_cache_key *a, const struct render_cache_key *b)
{
	return a->key == b->key && a->chunk == b->chunk && a->type == b->type && a->form == b->form;
}

static struct rendered_text *render_cache_place_of(const struct render_cache *r, const struct render_cache_key *key)
{
	uint64_t h =
		(key->key ^ ((uint64_t)key->type << 40) ^ ((uint64_t)key->form << 52) ^ key->chunk * 0x85ebca6bull) *
		0x9e3779b97f4a7c15;
	size_t i = (h >> 32) & (r->capacity - 1);

	while (r->texts[i].size && !render_cache_same(&r->texts[i].key, key))
		i = (i + 1) & (r->capacity - 1);
	return &r->texts[i];
}

bool render_cache_get(const struct render_cache *r, const struct render_cache_key *key, struct bytes *out)
{
	const struct rendered_text *t = r->capacity ? render_cache_place_of(r, key) : NULL;

	if (!t || !t->size)
		return false;
	bytes_put(out, r->memory.data + t->at, t->size - 1);
	return true;
}

static bool render_cache_grow(struct render_cache *r)
{
	struct render_cache larger = *r;

	larger.capacity = r->capacity ? 2 * r->capacity : 1024;
	larger.texts = calloc(larger.capacity, sizeof(*larger.texts));
	if (!larger.texts)
		return false;
	for (size_t i = 0; i < r->capacity; i++)
		if (r->texts[i].size)
			*render_cache_place_of(&larger, &r->texts[i].key) = r->texts[i];
	free(r->texts);
	*r = larger;
	return true;
}

static void render_cache_forget(struct render_cache *r)
{
	memset(r->texts, 0, r->capacity * sizeof(*r->texts));
	r->count = 0;
	bytes_clear(&r->memory);
}

void render_cache_put(struct render_cache *r, const struct render_cache_key *key, const void *text, size_t size)
{
	if (size > MAX_TEXT)
		return;
	if (r->count >= MAX_TEXTS || r->memory.size + size > MAX_MEMORY)
		render_cache_forget(r);
	if (r->count >= r->capacity / 2 && !render_cache_grow(r))
		return;
	*render_cache_place_of(r, key) = (struct rendered_text){.key = *key, .size = size + 1, .at = r->memory.size};
	bytes_put(&r->memory, text, size);
	r->count++;
	if (r->memory.failed)
		render_cache_forget(r);
}
