/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * New keys for the constants of merged recordings. Readers keep a constant by type and key for the whole file, so
 * the keys of each recording move after those of the previous ones. A thread that occurs in two recordings gets
 * one key, because `jfr print` uses that key to find the context of an event. Frame types keep their keys, because
 * some readers go by the key alone; only a recording that gives one of these keys another meaning has them moved.
 */
#ifndef FORMAT_JFR_JFR_MERGE_IDS_H
#define FORMAT_JFR_JFR_MERGE_IDS_H

#include "format/hash.h"
#include "format/jfr/jfr_chunk.h"
#include "format/jfr/jfr_merge_types.h"

/* Maps two numbers to one. */
struct key_table {
	struct key_entry {
		uint64_t a, b, value;
	} *entries;
	uint32_t count;
	size_t capacity;
	struct hash_index lookup; /* of the entries by a and b */
};

/* Keys count up from 0; a few of HotSpot's count down from -1. Each end of the range is moved towards the middle. */
struct key_range {
	uint64_t low, high; /* number of keys after 0, and before 2^64 */
};

struct jfr_merge_ids {
	uint32_t types;		      /* of the union */
	struct key_range *used;	      /* by type: keys used by the recordings so far */
	struct key_table threads;     /* Java id and OS thread id to key */
	struct key_table frame_types; /* key and type to a hash of the text */
};

/* The map of one recording. */
struct jfr_merge_id_map {
	struct key_range *before, *own; /* by type of the union: keys of the other recordings, and of this one */
	bool *zero;			/* by type: a constant has key 0; otherwise 0 means none */
	struct key_table threads;	/* key to key, for threads known from another recording */
	struct key_table frame_types;	/* key and type to a hash of the text */
	bool moves_frame_types;		/* a key has two meanings */
};

int jfr_merge_ids_init(struct jfr_merge_ids *k, const struct jfr_merge_types *u);
void jfr_merge_ids_release(struct jfr_merge_ids *k);

/* Begin a recording, scan each of its chunks, end it. Returns 0; -ENOMEM; -EOVERFLOW: no keys are left. */
int jfr_merge_id_map_begin(struct jfr_merge_id_map *map, const struct jfr_merge_ids *k);
int jfr_merge_id_map_scan(struct jfr_merge_id_map *map, struct jfr_merge_ids *k, const struct union_map *types,
			  struct jfr_chunk *chunk);
int jfr_merge_id_map_end(struct jfr_merge_id_map *map, struct jfr_merge_ids *k);
void jfr_merge_id_map_release(struct jfr_merge_id_map *map);

/* The new key. `type` is a type of the union, `role` that of the key's own type. */
uint64_t jfr_merge_id_map(const struct jfr_merge_id_map *map, uint32_t type, enum meta_role role, uint64_t key);

/* The entry for a and b, or NULL. key_table_put() returns false without memory; an existing entry stays. */
const struct key_entry *key_table_find(const struct key_table *t, uint64_t a, uint64_t b);
bool key_table_put(struct key_table *t, uint64_t a, uint64_t b, uint64_t value);
void key_table_clear(struct key_table *t);
void key_table_release(struct key_table *t);

#endif
