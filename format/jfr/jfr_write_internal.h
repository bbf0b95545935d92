/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of the writer. jfr_write.c has the chunks, jfr_write_constant.c the constants, jfr_event.c the rarer
 * events.
 */
#ifndef FORMAT_JFR_JFR_WRITE_INTERNAL_H
#define FORMAT_JFR_JFR_WRITE_INTERNAL_H

#include "format/jfr/jfr_pool.h"
#include "format/jfr/jfr_write.h"

/* Values that could not be written as requested. A frtrace.Message in the chunk reports their number. */
enum orphan { ORPHAN_THREAD, ORPHAN_STACK, ORPHAN_METHOD, ORPHAN_OUTSIDE, ORPHAN_FULL, ORPHANS };

struct jfr_writer {
	struct bytes chunk;
	struct jfr_pools pools;
	struct jfr_schema schema;
	struct jfr_origin origin;
	int64_t start_ticks, start_nanos; /* of the recording */
	int64_t chunk_ticks;		  /* start of the open chunk, or of the last one */
	uint64_t chunks, events;
	uint64_t orphans[ORPHANS];
	size_t events_limit;  /* size limit for events in the open chunk */
	struct bytes scratch; /* payload of the constant being interned */
	bool open;
	uint64_t unknown_method; /* key; 0 before the first stack */
};

/*
 * Begin an event of any size. Returns the buffer for its fields after startTime, or NULL if the event must not be
 * written. `at` is for jfr_event_end().
 */
struct bytes *jfr_event_begin(struct jfr_writer *w, enum jfr_type type, int64_t start, size_t *at);
struct bytes *jfr_event_begin_id(struct jfr_writer *w, uint64_t id, int64_t start, size_t *at);
void jfr_event_end(struct jfr_writer *w, size_t at);

/* Mark the key as used and return it. Returns 0, and counts it, if the key is unknown. */
static inline uint64_t jfr_key_use(struct jfr_writer *w, enum jfr_type type, uint64_t key, enum orphan orphan)
{
	if (__builtin_expect(key && jfr_pools_use(&w->pools, type, key), 1))
		return key;
	w->orphans[orphan] += key != 0;
	return 0;
}

#endif
