/* SPDX-License-Identifier: BSD-2-Clause */
/* One chunk of a recording in memory: its header, and its events in file order. jfr_read.h creates chunks. */
#ifndef FORMAT_JFR_JFR_CHUNK_H
#define FORMAT_JFR_JFR_CHUNK_H

#include "format/jfr/jfr_read_pools.h"
#include "format/jfr/jfr_value.h"

#define JFR_HEADER_SIZE 68

/* The numbers of the header. Positions are offsets in the chunk. */
struct jfr_header {
	uint16_t major, minor;
	uint64_t size, constants, metadata;
	int64_t start_nanos, duration_nanos, start_ticks, ticks_per_second;
	uint8_t state; /* 0: finished */
	uint16_t flags;
};
enum { JFR_FLAG_COMPRESSED = 1, JFR_FLAG_LAST = 2 };

/* Converts ticks to nanoseconds since the epoch, as the JDK does. */
struct jfr_timebase {
	int64_t start_ticks, start_nanos;
	double ticks_per_nano;
};

/*
 * Moments that events are given for arithmetic lie between 1970 and 2116, and so do their ends: differences of any two, and
 * twice such a difference, fit into 64 bits. A file may claim any time.
 */
#define JFR_LATEST (INT64_MAX / 2)

int64_t jfr_timebase_moment(const struct jfr_timebase *clock, int64_t ticks);
int64_t jfr_timebase_span(const struct jfr_timebase *clock, int64_t ticks);

/* What is wrong with a file, and where. */
struct jfr_fault {
	const char *what; /* NULL: no fault */
	uint64_t at;
	unsigned int more; /* further faults, not reported */
};

void jfr_fault_add(struct jfr_fault *f, const char *what, uint64_t at);

struct jfr_chunk {
	const unsigned char *data;
	uint64_t size;		       /* readable size: at most what the file has */
	uint64_t at;		       /* in the file, or in all files together */
	uint64_t held;		       /* size of what forget() takes */
	uint32_t number;	       /* the first one is 0 */
	bool mixed;		       /* the file's */
	const struct mapping *mapping; /* the file's (filters/mapping.h), for those who show names; may be NULL */
	struct jfr_header header;
	struct jfr_metadata *metadata;
	struct jfr_timebase clock;
	bool has_constants;
	struct jfr_read_pools constants; /* filled when the first constant is requested */
	struct jfr_fault *fault;	 /* the file's */
	const struct meta_type *last;	 /* of the previous event: the next one often has the same type */
	uint64_t last_id;
	void (*forget)(const void *data, size_t size); /* the file's; may be NULL */
	unsigned int references;
};

/* Returns 0, or -EINVAL with the cause in the cursor if there is no chunk header. */
int jfr_header_read(struct jfr_header *h, struct cursor *c);

/* Write the JFR_HEADER_SIZE bytes of a header. */
void jfr_header_write(unsigned char *out, const struct jfr_header *h);

struct jfr_chunk *jfr_chunk_get(struct jfr_chunk *c); /* take another reference */
void jfr_chunk_put(struct jfr_chunk *c);

/*
 * The offset of a constant's value in the chunk; 0: none. The first call reads the keys of the pools; errors there
 * go to chunk->fault.
 */
uint64_t jfr_chunk_constant(struct jfr_chunk *c, const struct meta_type *t, uint64_t key);

struct jfr_event {
	uint64_t at, size;	      /* in the chunk */
	uint64_t type_id;	      /* 0: metadata, 1: checkpoint */
	const struct meta_type *type; /* NULL: not an event, or of an undeclared type */
	uint64_t body;		      /* offset of its fields */
};

/*
 * Read the event at *position (start with JFR_HEADER_SIZE) and advance to the next one. Returns false at the end
 * or on a fault (chunk->fault).
 */
bool jfr_chunk_next(struct jfr_chunk *c, uint64_t *position, struct jfr_event *e);

/*
 * Read again the event that jfr_chunk_next() found at `at`; its type is known. Returns false if the file has
 * changed meanwhile (chunk->fault): a second read need not return the same.
 */
bool jfr_chunk_event(struct jfr_chunk *c, uint64_t at, struct jfr_event *e);

/* The event as a struct, for jfr_enter(). Its type must be known. */
struct jfr_value jfr_event_value(const struct jfr_event *e);

/* Start and duration (0 if it has none) in ticks. */
struct jfr_times {
	int64_t start, duration;
};
struct jfr_times jfr_event_times(const struct jfr_chunk *c, const struct jfr_event *e);

/* The same in nanoseconds since the epoch, cut: 0 <= start, 0 <= duration, start + duration <= JFR_LATEST. */
struct jfr_span {
	int64_t start, duration;
};
struct jfr_span jfr_event_span(const struct jfr_chunk *c, const struct jfr_event *e);

/* A field of an event, by its index, not resolved. VALUE_NULL if that is -1. */
struct jfr_value jfr_event_field(const struct jfr_chunk *chunk, const struct jfr_event *e, int index);

/* A cursor at the first field of a struct, or the first element of an array. */
struct cursor jfr_enter(const struct jfr_chunk *chunk, const struct jfr_value *v);

/*
 * Replace a VALUE_KEY by its constant: VALUE_NULL if there is none or it cannot be read (chunk->fault). Other
 * values are unchanged.
 */
void jfr_resolve(struct jfr_chunk *chunk, struct jfr_value *v);

/* The resolved value of a struct's field. VALUE_NULL if there is no such field or `v` is no struct. */
struct jfr_value jfr_field(struct jfr_chunk *chunk, const struct jfr_value *v, const char *name);

#endif
