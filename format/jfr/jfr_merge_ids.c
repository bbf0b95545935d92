// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_merge_ids.h"
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>

struct key_wanted {
	const struct key_table *table;
	uint64_t a, b;
};

static bool key_entry_is(const void *context, uint32_t row)
{
	const struct key_wanted *w = context;
	const struct key_entry *e = &w->table->entries[row - 1];

	return e->a == w->a && e->b == w->b;
}

static uint64_t key_entry_hash(uint64_t a, uint64_t b)
{
	uint64_t seed = hash_seed();

	return hash_number(seed, hash_number(seed, a) ^ b);
}

const struct key_entry *key_table_find(const struct key_table *t, uint64_t a, uint64_t b)
{
	uint32_t row = hash_find(&t->lookup, key_entry_hash(a, b), key_entry_is, &(struct key_wanted){t, a, b});

	return row ? &t->entries[row - 1] : NULL;
}

bool key_table_put(struct key_table *t, uint64_t a, uint64_t b, uint64_t value)
{
	if (key_table_find(t, a, b))
		return true;
	if (vec_reserve(&t->entries, &t->capacity, (size_t)t->count + 1) ||
	    hash_add(&t->lookup, key_entry_hash(a, b), t->count + 1))
		return false;
	t->entries[t->count++] = (struct key_entry){a, b, value};
	return true;
}

void key_table_clear(struct key_table *t)
{
	if (t->count)
		hash_clear(&t->lookup);
	t->count = 0;
}

void key_table_release(struct key_table *t)
{
	free(t->entries);
	hash_release(&t->lookup);
	*t = (struct key_table){0};
}

int jfr_merge_ids_init(struct jfr_merge_ids *k, const struct jfr_merge_types *u)
{
	*k = (struct jfr_merge_ids){.types = u->count, .used = calloc(u->count + 1, sizeof(*k->used))};
	return k->used ? 0 : -ENOMEM;
}

void jfr_merge_ids_release(struct jfr_merge_ids *k)
{
	free(k->used);
	key_table_release(&k->threads);
	key_table_release(&k->frame_types);
	*k = (struct jfr_merge_ids){0};
}

int jfr_merge_id_map_begin(struct jfr_merge_id_map *map, const struct jfr_merge_ids *k)
{
	*map = (struct jfr_merge_id_map){.before = calloc(k->types + 1, sizeof(*map->before)),
					 .own = calloc(k->types + 1, sizeof(*map->own)),
					 .zero = calloc(k->types + 1, sizeof(*map->zero))};
	if (!map->before || !map->own || !map->zero)
		return -ENOMEM;
	memcpy(map->before, k->used, k->types * sizeof(*map->before));
	return 0;
}

void jfr_merge_id_map_release(struct jfr_merge_id_map *map)
{
	free(map->before);
	free(map->own);
	free(map->zero);
	key_table_release(&map->threads);
	key_table_release(&map->frame_types);
	*map = (struct jfr_merge_id_map){0};
}

static bool is_high(uint64_t key)
{
	return key >> 63;
}

static uint64_t moved(const struct jfr_merge_id_map *map, uint32_t type, uint64_t key)
{
	return is_high(key) ? key - map->before[type].high : key + map->before[type].low;
}

static void note_key(struct key_range *r, uint64_t key)
{
	uint64_t *end = is_high(key) ? &r->high : &r->low, n = is_high(key) ? -key : key + 1;

	if (n > *end)
		*end = n;
}

static uint64_t number(struct jfr_chunk *chunk, const struct jfr_value *thread, const char *name)
{
	struct jfr_value v = jfr_field(chunk, thread, name);

	return v.kind == VALUE_NUMBER ? v.number : 0;
}

static bool is_own(const struct jfr_merge_id_map *map, uint32_t type, uint64_t new_key)
{
	return is_high(new_key) ? -new_key > map->before[type].high : new_key >= map->before[type].low;
}

/* A thread has the same two ids in all recordings of its JVM. All of them use the key that it got first. */
static int know_thread(struct jfr_merge_id_map *map, struct jfr_merge_ids *k, uint32_t type, const struct meta_type *t,
		       struct jfr_chunk *chunk, uint64_t key)
{
	struct jfr_value thread = {.kind = VALUE_KEY, .type = t, .key = key};
	const struct key_entry *known;
	uint64_t java, os;

	jfr_resolve(chunk, &thread);
	java = number(chunk, &thread, "javaThreadId");
	os = number(chunk, &thread, "osThreadId");
	if (thread.kind != VALUE_STRUCT || !java)
		return 0;
	known = key_table_find(&k->threads, java, os);
	if (!known)
		return key_table_put(&k->threads, java, os, moved(map, type, key)) ? 0 : -ENOMEM;
	if (is_own(map, type, known->value))
		return 0; /* already its own: a renamed thread keeps both keys */
	return key_table_put(&map->threads, key, 0, known->value) ? 0 : -ENOMEM;
}

/* False if the key has another text already. */
static bool frame_type_agrees(const struct key_table *known, const struct key_entry *e)
{
	const struct key_entry *k = key_table_find(known, e->a, e->b);

	return !k || k->value == e->value;
}

static int know_frame_type(struct jfr_merge_id_map *map, uint32_t type, const struct meta_type *t,
			   struct jfr_chunk *chunk, uint64_t key)
{
	struct jfr_value v = {.kind = VALUE_KEY, .type = t, .key = key};
	struct key_entry e = {key, type, 0};

	jfr_resolve(chunk, &v);
	if (v.kind == VALUE_TEXT)
		e.value = hash_data(v.text.data, v.text.size);
	map->moves_frame_types |= v.kind != VALUE_TEXT || !frame_type_agrees(&map->frame_types, &e);
	return key_table_put(&map->frame_types, e.a, e.b, e.value) ? 0 : -ENOMEM;
}

static int scan_pool(struct jfr_merge_id_map *map, struct jfr_merge_ids *k, uint32_t type, const struct meta_type *t,
		     struct jfr_chunk *chunk)
{
	const struct constant_pool *p = &chunk->constants.pools[t->index];

	for (uint32_t i = 0; i < p->count; i++) {
		note_key(&map->own[type], p->places[i].key);
		map->zero[type] |= p->places[i].key == 0;
	}
	for (uint32_t i = 0; i < p->count && t->role == META_THREAD; i++)
		if (p->places[i].key && know_thread(map, k, type, t, chunk, p->places[i].key))
			return -ENOMEM;
	for (uint32_t i = 0; i < p->count && t->role == META_FRAME_TYPE; i++)
		if (know_frame_type(map, type, t, chunk, p->places[i].key))
			return -ENOMEM;
	return 0;
}

int jfr_merge_id_map_scan(struct jfr_merge_id_map *map, struct jfr_merge_ids *k, const struct union_map *types,
			  struct jfr_chunk *chunk)
{
	int err = 0;

	jfr_chunk_constant(chunk, chunk->metadata->types, 0); /* reads the keys of the pools */
	for (uint32_t i = 0; chunk->constants.pools && i < chunk->metadata->count && !err; i++)
		err = scan_pool(map, k, types->plan[i].type, &chunk->metadata->types[i], chunk);
	return err;
}

static bool merge_ids_add(uint64_t *used, uint64_t own)
{
	*used += own;
	return *used < 1ull << 62;
}

/*
 * All frame types of the recording keep their keys, or all are moved. A moved key is larger than all before, whether
 * those were moved or not, so it cannot meet one of them.
 */
static int settle_frame_types(struct jfr_merge_id_map *map, struct jfr_merge_ids *k)
{
	const struct key_table *own = &map->frame_types;

	for (uint32_t i = 0; i < own->count; i++)
		map->moves_frame_types |= !frame_type_agrees(&k->frame_types, &own->entries[i]);
	for (uint32_t i = 0; i < own->count; i++) {
		const struct key_entry *e = &own->entries[i];
		uint64_t key = map->moves_frame_types ? moved(map, e->b, e->a) : e->a;

		if (!key_table_put(&k->frame_types, key, e->b, e->value))
			return -ENOMEM;
	}
	return 0;
}

int jfr_merge_id_map_end(struct jfr_merge_id_map *map, struct jfr_merge_ids *k)
{
	for (uint32_t i = 0; i < k->types; i++)
		if (!merge_ids_add(&k->used[i].low, map->own[i].low) ||
		    !merge_ids_add(&k->used[i].high, map->own[i].high))
			return -EOVERFLOW;
	return settle_frame_types(map, k);
}

uint64_t jfr_merge_id_map(const struct jfr_merge_id_map *map, uint32_t type, enum meta_role role, uint64_t key)
{
	const struct key_entry *thread;

	if (!key && !map->zero[type])
		return 0;
	if (role == META_FRAME_TYPE && !map->moves_frame_types)
		return key;
	thread = role == META_THREAD ? key_table_find(&map->threads, key, 0) : NULL;
	return thread ? thread->value : moved(map, type, key);
}
