/* SPDX-License-Identifier: BSD-2-Clause */
/* A map from keys of constants. They are those of one chunk: a key of another chunk empties it. */
#ifndef USER_TRACE_CHUNK_MAP_H
#define USER_TRACE_CHUNK_MAP_H

#include "format/jfr/jfr_chunk.h"
#include "user/text/memory.h"

struct chunk_map {
	struct map map;
	uint32_t chunk;
	/* The last one: many events in a row are of one thread. NULL: there is none. */
	uint32_t *last;
	uint64_t last_key, last_other;
};

/* The key of a value; 0 if it is none. */
static inline uint64_t chunk_map_key(const struct jfr_value *v)
{
	return v->kind == VALUE_KEY ? v->key : 0;
}

/* map_at() for a value of the chunk and something else. */
static inline uint32_t *chunk_map_at(struct chunk_map *m, const struct jfr_chunk *chunk, const struct jfr_value *v,
				     uint64_t other)
{
	uint64_t key = chunk_map_key(v);

	if (m->last && m->chunk == chunk->number && m->last_key == key && m->last_other == other)
		return m->last;
	if (m->chunk != chunk->number)
		map_clear(&m->map);
	m->chunk = chunk->number;
	m->last_key = key;
	m->last_other = other;
	return m->last = memory_map_at(&m->map, key, other);
}

static inline void chunk_map_release(struct chunk_map *m)
{
	map_release(&m->map);
	*m = (struct chunk_map){0};
}

#endif
