// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_read.h"

#include <errno.h>
#include <stdlib.h>

/*
 * If the start of a chunk is this far from what the clock of the previous chunk predicts, it comes from another
 * machine.
 */
#define CLOCK_GAP_NANOS 60000000000ull

void jfr_file_init(struct jfr_file *f, const void *data, size_t size)
{
	*f = (struct jfr_file){.data = data, .size = size};
}

void jfr_file_release(struct jfr_file *f)
{
	jfr_metadata_put(f->metadata);
	f->metadata = NULL;
}

/* No further chunk can be found. */
static bool file_end(struct jfr_file *f, const char *what, uint64_t at)
{
	jfr_fault_add(&f->fault, what, at);
	f->next = f->size;
	return false;
}

static bool cut_off(struct jfr_file *f, const char *what, uint64_t at)
{
	f->cut_off = true;
	return file_end(f, what, at);
}

/* Handle a chunk that is still being written: only its flushed part is readable, or nothing. */
static bool unfinished(struct jfr_file *f, const struct jfr_header *h, uint64_t start)
{
	bool flushed = h->metadata && h->size >= JFR_HEADER_SIZE && h->size <= f->size - start;

	if (!flushed && !f->chunks)
		return file_end(f, "a chunk without a finished part", start);
	f->unfinished = true;
	f->next = f->size;
	return flushed;
}

/* Read the header of the chunk at f->next, and advance f->next past that chunk. */
static bool next_header(struct jfr_file *f, struct jfr_header *h)
{
	uint64_t start = f->next, left = f->size - start;
	struct cursor c;

	cursor_init(&c, f->data, f->size);
	c.at = start;
	if (left < JFR_HEADER_SIZE)
		return cut_off(f, "a chunk that ends within its header", start);
	if (jfr_header_read(h, &c))
		return file_end(f, c.error, start);
	if (h->state)
		return unfinished(f, h, start);
	if (h->size > left)
		return cut_off(f, "a chunk that is cut off", start);
	if (h->size < JFR_HEADER_SIZE)
		return file_end(f, "a chunk that is smaller than its header", start);
	f->next += h->size;
	return true;
}

/* Move to the description of the types, after size, type, start, duration and id. */
static const char *seek_metadata(struct cursor *c, uint64_t at)
{
	uint64_t size;

	cursor_seek(c, at);
	size = cursor_leb(c);
	if (!cursor_ok(c) || !at || size > c->size - at)
		return "no description of its types";
	c->size = at + size;
	if (cursor_leb(c) != 0)
		return "no description of its types";
	for (int i = 0; i < 3; i++)
		cursor_leb(c);
	return c->error;
}

static bool same_metadata(const struct jfr_file *f, const struct cursor *c)
{
	uint64_t size = c->size - c->at;

	return f->metadata && f->metadata_size == size && !memcmp(f->metadata_bytes, c->data + c->at, size);
}

static bool jfr_read_metadata(struct jfr_file *f, struct jfr_chunk *chunk)
{
	const unsigned char *bytes;
	struct cursor c;
	const char *error;
	int err;

	cursor_init(&c, chunk->data, chunk->size);
	error = seek_metadata(&c, chunk->header.metadata);
	if (error) {
		jfr_fault_add(&f->fault, error, chunk->at);
		return false;
	}
	bytes = c.data + c.at;
	if (!same_metadata(f, &c)) {
		jfr_metadata_put(f->metadata);
		f->metadata_size = c.size - c.at;
		err = jfr_metadata_read(&f->metadata, &c);
		if (err)
			jfr_fault_add(&f->fault, err == -ENOMEM ? "no memory for its types" : c.error,
				      chunk->at + c.bad);
		if (err)
			return false;
		f->metadata_bytes = bytes;
	}
	chunk->metadata = jfr_metadata_get(f->metadata);
	return true;
}

static void read_set_clock(struct jfr_file *f, struct jfr_chunk *chunk)
{
	const struct jfr_header *h = &chunk->header;
	struct jfr_timebase own = {h->start_ticks, h->start_nanos, h->ticks_per_second / 1e9};
	uint64_t gap = (uint64_t)jfr_timebase_moment(&f->clock, h->start_ticks) - (uint64_t)h->start_nanos;

	if (!f->clock.ticks_per_nano)
		f->utc_offset = chunk->metadata->utc_offset;
	if (f->clock.ticks_per_nano != own.ticks_per_nano || gap + CLOCK_GAP_NANOS > 2 * CLOCK_GAP_NANOS)
		f->clock = own;
	chunk->clock = f->clock;
}

/* The next chunk whose types are readable. */
struct jfr_chunk *jfr_file_next(struct jfr_file *f)
{
	struct jfr_header h;

	while (f->next < f->size) {
		uint64_t start = f->next;
		struct jfr_chunk *chunk;

		if (!next_header(f, &h))
			return NULL;
		chunk = calloc(1, sizeof(*chunk));
		if (!chunk) {
			file_end(f, "no memory for a chunk", start);
			return NULL;
		}
		*chunk = (struct jfr_chunk){.data = f->data + start,
					    .size = h.size,
					    .at = start,
					    .header = h,
					    .number = f->chunks++,
					    .fault = &f->fault,
					    .references = 1};
		chunk->forget = f->forget;
		if (jfr_read_metadata(f, chunk)) {
			read_set_clock(f, chunk);
			return chunk;
		}
		jfr_chunk_put(chunk);
	}
	return NULL;
}
