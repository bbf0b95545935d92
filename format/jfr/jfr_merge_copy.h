/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies events of other files into a chunk with the types of a union, keys of its own and one clock. The chunk
 * contains the constants that its events use; each is copied when an event first uses its key.
 */
#ifndef FORMAT_JFR_JFR_MERGE_COPY_H
#define FORMAT_JFR_JFR_MERGE_COPY_H

#include "format/jfr/jfr_merge_ids.h"

/* The destination. */
struct jfr_merge_copy {
	const struct jfr_merge_types *types;
	const struct bytes *metadata; /* from jfr_merge_types_describe() */
	uint64_t metadata_id;
	struct jfr_timebase clock; /* nanoseconds */
	struct bytes chunk;	   /* header and events */
	struct bytes event;	   /* being built */
	struct copied_pool {
		struct bytes values; /* each after its key */
		uint64_t count;
	} *pools; /* by type of the union */
	struct key_table copied;
	struct wanted_constant {
		const struct meta_type *type;
		uint64_t key, new_key;
	} *wanted;
	size_t wanted_count, wanted_capacity;
	uint64_t events, constants; /* number of events; size of constants in bytes */
	int64_t start;
	bool open, failed;
	/* Appends the value of an added field (union_field.context - 1) of the event that is being copied. */
	void (*put_added)(const void *added, uint32_t n, struct bytes *out);
	const void *added;
};

/* The source. */
struct jfr_original {
	struct jfr_chunk *chunk;
	const struct union_map *types;
	const struct jfr_merge_id_map *keys;
};

/* `types` and `metadata` remain the caller's. Returns 0 or -ENOMEM; release it in either case. */
int jfr_merge_copy_init(struct jfr_merge_copy *c, const struct jfr_merge_types *types, const struct bytes *metadata,
			uint64_t metadata_id, const struct jfr_timebase *clock);
void jfr_merge_copy_release(struct jfr_merge_copy *c);

/* The end of an event, in ticks of the copy. */
int64_t jfr_merge_copy_end_of(const struct jfr_merge_copy *c, const struct jfr_original *from,
			      const struct jfr_event *e);

void jfr_merge_copy_begin(struct jfr_merge_copy *c, int64_t start_ticks);
size_t jfr_merge_copy_size(const struct jfr_merge_copy *c); /* approximate size of the chunk so far */

/* Copy an event of a known type, unless it is a setting of an undeclared one. Returns 0; -ENOMEM; -EINVAL with the cause in chunk->fault. */
int jfr_merge_copy_event(struct jfr_merge_copy *c, const struct jfr_original *from, const struct jfr_event *e);

/* Complete c->chunk. Returns 0, -ENOMEM or -EFBIG. */
int jfr_merge_copy_finish(struct jfr_merge_copy *c, int64_t end_ticks, bool last);

#endif
