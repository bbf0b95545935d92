// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reading checkpoints: size, type 1, start, duration, delta, mask (one byte), number of pools. A pool: type,
 * count, and `count` times key and value. Delta leads to the previous checkpoint; 0 ends the chain:
 *
 *     56 01 80..80 00 A0..FF 08 01   19 02   05 03 04 6D 61 69 6E   06 ...
 *                                    type 25, 2 constants: key 5, "main"; key 6 ...
 */
#include "format/jfr/jfr_read_pools.h"
#include "format/jfr/jfr_value.h"
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>

#define CHECKPOINT 1

struct place_wanted {
	const struct constant_pool *pool;
	uint64_t key;
};

static bool place_has_key(const void *context, uint32_t row)
{
	const struct place_wanted *w = context;

	return w->pool->places[row - 1].key == w->key;
}

static struct constant_place *pool_find(const struct constant_pool *p, uint64_t key)
{
	uint32_t row =
		hash_find(&p->lookup, hash_number(hash_seed(), key), place_has_key, &(struct place_wanted){p, key});

	return row ? &p->places[row - 1] : NULL;
}

static bool pool_put(struct constant_pool *p, uint64_t key, uint64_t at)
{
	struct constant_place *place = pool_find(p, key);

	if (place) {
		place->at = at;
		return true;
	}
	if (vec_reserve(&p->places, &p->capacity, (size_t)p->count + 1) ||
	    hash_add(&p->lookup, hash_number(hash_seed(), key), p->count + 1))
		return false;
	p->places[p->count++] = (struct constant_place){key, at};
	return true;
}

static bool read_pool(struct jfr_read_pools *k, const struct jfr_metadata *m, struct cursor *c)
{
	size_t start = c->at;
	const struct meta_type *t = jfr_metadata_type(m, cursor_leb(c));
	uint64_t count = cursor_leb(c), key;

	if (!t || (t->kind == META_STRUCT && !t->count))
		cursor_fail(c, start, "constants of an unknown type");
	while (count-- && cursor_ok(c)) {
		key = cursor_leb(c);
		start = c->at;
		jfr_skip(c, t);
		if (cursor_ok(c) && !pool_put(&k->pools[t->index], key, start))
			return false;
	}
	return true;
}

/* *last becomes the previous checkpoint. */
static int read_checkpoint(struct jfr_read_pools *k, const struct jfr_metadata *m, struct cursor *c, uint64_t *last)
{
	uint64_t size, delta, pools;
	size_t limit = c->size;

	cursor_seek(c, *last);
	size = cursor_leb(c);
	if (size > limit - *last)
		cursor_fail(c, *last, "a checkpoint that is larger than its chunk");
	c->size = cursor_ok(c) ? *last + size : limit;
	if (cursor_leb(c) != CHECKPOINT)
		cursor_fail(c, *last, "no checkpoint where one should be");
	cursor_leb(c);
	cursor_leb(c);
	delta = cursor_leb(c);
	if (delta && *last + delta >= *last)
		cursor_fail(c, *last, "checkpoints that do not lead backwards");
	cursor_u8(c);
	pools = cursor_leb(c);
	while (pools-- && cursor_ok(c))
		if (!read_pool(k, m, c))
			return -ENOMEM;
	c->size = limit;
	*last = delta ? *last + delta : 0;
	return cursor_ok(c) ? 0 : -EINVAL;
}

int jfr_read_pools_read(struct jfr_read_pools *k, const struct jfr_metadata *m, struct cursor *c, uint64_t last)
{
	int err = 0;

	*k = (struct jfr_read_pools){.pools = calloc(m->count + 1, sizeof(*k->pools)), .types = m->count};
	if (!k->pools)
		return -ENOMEM;
	if (last > c->size)
		cursor_fail(c, c->size, "a checkpoint past the end");
	while (!err && last && cursor_ok(c))
		err = read_checkpoint(k, m, c, &last);
	return err ? err : cursor_ok(c) ? 0 : -EINVAL;
}

void jfr_read_pools_release(struct jfr_read_pools *k)
{
	for (uint32_t i = 0; k->pools && i < k->types; i++) {
		free(k->pools[i].places);
		hash_release(&k->pools[i].lookup);
	}
	free(k->pools);
	*k = (struct jfr_read_pools){0};
}

uint64_t jfr_read_pools_find(const struct jfr_read_pools *k, const struct meta_type *t, uint64_t key)
{
	const struct constant_place *place = pool_find(&k->pools[t->index], key);

	return place ? place->at : 0;
}
