/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of constants when several recordings become one: readers keep a constant
 * by type and key for the whole file, so those of each recording move behind the
 * ones of the recordings before it. A thread that two of them know gets one key,
 * as it is by that key that `jfr print` knows which context an event is in.
 */
#ifndef FORMAT_JFR_JFR_MERGE_IDS_H
#define FORMAT_JFR_JFR_MERGE_IDS_H

#include "format/jfr/jfr_chunk.h"
#include "format/jfr/jfr_merge_types.h"

/* Two numbers to one; open addressing. */
struct key_table {
	struct key_entry {
		uint64_t a, b, value;
		bool used;
	} *entries;
	size_t count, capacity;
	uint64_t multiplier;
};

/* Keys count up from 0, a few of HotSpot's down from -1: each end of the range is moved towards the middle. */
struct key_range {
	uint64_t low, high; /* how many are behind 0, and before 2^64 */
};

struct jfr_merge_ids {
	uint32_t types;		  /* of the union */
	struct key_range *used;	  /* by type: by the recordings so far */
	struct key_table threads; /* Java id and system's id to key */
};

/* Those of one recording. */
struct jfr_merge_id_map {
	struct key_range *before, *own; /* by type of the union: of the other recordings, and of this one */
	bool *zero;			/* by type: it has a constant whose key is 0; else that means none */
	struct key_table threads;	/* key to key, of those that another recording knows */
};

int jfr_merge_ids_init(struct jfr_merge_ids *k, const struct jfr_merge_types *u);
void jfr_merge_ids_release(struct jfr_merge_ids *k);

/* Begin a recording, look at each of its chunks, end it. -ENOMEM; -EOVERFLOW: there are no keys left. */
int jfr_merge_id_map_begin(struct jfr_merge_id_map *map, const struct jfr_merge_ids *k);
int jfr_merge_id_map_scan(struct jfr_merge_id_map *map, struct jfr_merge_ids *k, const struct union_map *types,
			  struct jfr_chunk *chunk);
int jfr_merge_id_map_end(struct jfr_merge_id_map *map, struct jfr_merge_ids *k);
void jfr_merge_id_map_release(struct jfr_merge_id_map *map);

/* `type` is one of the union, `role` that of the key's own type. */
uint64_t jfr_merge_id_map(const struct jfr_merge_id_map *map, uint32_t type, enum meta_role role, uint64_t key);

/* The entry of a and b; NULL: none. Put: false without memory, an entry that is there stays. */
const struct key_entry *key_table_find(const struct key_table *t, uint64_t a, uint64_t b);
bool key_table_put(struct key_table *t, uint64_t a, uint64_t b, uint64_t value);
void key_table_clear(struct key_table *t);
void key_table_release(struct key_table *t);

#endif
