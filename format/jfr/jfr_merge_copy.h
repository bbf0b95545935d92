/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of other files, copied into a chunk with the types of a union, keys of
 * its own and times of one clock. The chunk has the constants that its events
 * use: they are copied the first time that one of its events has their key.
 */
#ifndef FORMAT_JFR_JFR_MERGE_COPY_H
#define FORMAT_JFR_JFR_MERGE_COPY_H

#include "format/jfr/jfr_merge_ids.h"

/* Where to. */
struct jfr_merge_copy {
	const struct jfr_merge_types *types;
	const struct bytes *metadata; /* as jfr_merge_types_describe() made it */
	uint64_t metadata_id;
	struct jfr_timebase clock; /* nanoseconds */
	struct bytes chunk;	   /* header and events */
	struct bytes event;	   /* under construction */
	struct copied_pool {
		struct bytes values; /* each behind its key */
		uint64_t count;
	} *pools; /* by type of the union */
	struct key_table copied;
	struct wanted_constant {
		const struct meta_type *type;
		uint64_t key, new_key;
	} *wanted;
	size_t wanted_count, wanted_capacity;
	uint64_t events, constants; /* the latter in bytes */
	int64_t start;
	bool open, failed;
};

/* Where from. */
struct jfr_original {
	struct jfr_chunk *chunk;
	const struct union_map *types;
	const struct jfr_merge_id_map *keys;
};

/* `types` and `metadata` stay the caller's. -ENOMEM; release it in every case. */
int jfr_merge_copy_init(struct jfr_merge_copy *c, const struct jfr_merge_types *types, const struct bytes *metadata,
			uint64_t metadata_id, const struct jfr_timebase *clock);
void jfr_merge_copy_release(struct jfr_merge_copy *c);

/* The tick of the copy at which an event of the chunk ended. */
int64_t jfr_merge_copy_end_of(const struct jfr_merge_copy *c, const struct jfr_original *from,
			      const struct jfr_event *e);

void jfr_merge_copy_begin(struct jfr_merge_copy *c, int64_t start_ticks);
size_t jfr_merge_copy_size(const struct jfr_merge_copy *c); /* of the chunk so far, about */

/* An event of a known type. -ENOMEM; -EINVAL: what is wrong stands in chunk->fault. */
int jfr_merge_copy_event(struct jfr_merge_copy *c, const struct jfr_original *from, const struct jfr_event *e);

/* c->chunk is whole then. -ENOMEM; -EFBIG. */
int jfr_merge_copy_finish(struct jfr_merge_copy *c, int64_t end_ticks, bool last);

#endif
