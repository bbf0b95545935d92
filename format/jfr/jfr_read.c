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

void jfr_file_init_pieces(struct jfr_file *f, const struct jfr_pieces *pieces)
{
	*f = (struct jfr_file){.pieces = pieces, .mixed = pieces->mixed};
}

/* Give back a piece that has become no chunk. */
static void piece_drop(struct jfr_file *f)
{
	if (f->pieces && f->data)
		f->pieces->close(f->data, f->size);
	if (f->pieces)
		f->data = NULL;
}

void jfr_file_release(struct jfr_file *f)
{
	piece_drop(f);
	jfr_metadata_put(f->metadata);
	f->metadata = NULL;
	bytes_release(&f->metadata_bytes);
}

void jfr_file_again(struct jfr_file *again, const struct jfr_file *f)
{
	if (f->pieces)
		jfr_file_init_pieces(again, f->pieces);
	else
		jfr_file_init(again, f->data, f->size);
	again->forget = f->forget;
	again->progress = f->progress;
	again->mapping = f->mapping;
}

void jfr_file_rewind(struct jfr_file *f)
{
	piece_drop(f);
	if (f->pieces)
		f->size = 0;
	f->next = 0;
	f->piece = 0;
	f->chunks = 0;
	f->clock = (struct jfr_timebase){0};
}

/* Advance to the next piece if the current one has been read. */
static bool piece_next(struct jfr_file *f)
{
	struct jfr_piece p;

	while (f->next >= f->size) {
		piece_drop(f);
		if (!f->pieces || f->piece >= f->pieces->count)
			return false;
		if (!f->pieces->open(f->pieces->context, f->piece++, &p))
			continue;
		f->data = p.data;
		f->size = p.size;
		f->base = p.at;
		f->next = 0;
	}
	return true;
}

/* No further chunk can be found. */
static bool file_end(struct jfr_file *f, const char *what, uint64_t at)
{
	jfr_fault_add(&f->fault, what, f->base + at);
	f->next = f->size;
	return false;
}

static bool cut_off(struct jfr_file *f, const char *what, uint64_t at)
{
	f->cut_off = true;
	f->tail = f->base + at;
	return file_end(f, what, at);
}

/* Handle a chunk that is still being written: only its flushed part is readable, or nothing. */
static bool unfinished(struct jfr_file *f, const struct jfr_header *h, uint64_t start)
{
	bool flushed = h->metadata && h->size >= JFR_HEADER_SIZE && h->size <= f->size - start;

	if (!flushed && !f->chunks)
		return file_end(f, "a chunk without a finished part", start);
	f->unfinished = true;
	f->tail = f->base + start;
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

	return f->metadata && f->metadata_bytes.size == size && !memcmp(f->metadata_bytes.data, c->data + c->at, size);
}

/* Keep a copy: the chunk's bytes may go before the next chunk comes. */
static bool keep_metadata_bytes(struct jfr_file *f, const void *data, size_t size)
{
	bytes_clear(&f->metadata_bytes);
	bytes_put(&f->metadata_bytes, data, size);
	return !f->metadata_bytes.failed;
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
		uint64_t size = c.size - c.at;

		jfr_metadata_put(f->metadata);
		f->metadata = NULL;
		err = jfr_metadata_read(&f->metadata, &c);
		if (!err && !keep_metadata_bytes(f, bytes, size))
			err = -ENOMEM;
		if (err)
			jfr_fault_add(&f->fault, err == -ENOMEM ? "no memory for its types" : c.error,
				      chunk->at + c.bad);
		if (err)
			return false;
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

/* Make the chunk at `start`. That of a piece owns the piece. */
static struct jfr_chunk *chunk_new(struct jfr_file *f, const struct jfr_header *h, uint64_t start)
{
	struct jfr_chunk *chunk = calloc(1, sizeof(*chunk));

	if (!chunk) {
		file_end(f, "no memory for a chunk", start);
		return NULL;
	}
	*chunk = (struct jfr_chunk){.data = f->data + start,
				    .size = h->size,
				    .at = f->base + start,
				    .held = f->pieces ? f->size : h->size,
				    .header = *h,
				    .number = f->chunks++,
				    .mixed = f->mixed,
				    .mapping = f->mapping,
				    .fault = &f->fault,
				    .forget = f->pieces ? f->pieces->close : f->forget,
				    .references = 1};
	if (f->pieces) {
		f->data = NULL;
		f->next = f->size;
	}
	return chunk;
}

/* The next chunk whose types are readable. */
struct jfr_chunk *jfr_file_next(struct jfr_file *f)
{
	struct jfr_header h;

	while (piece_next(f)) {
		uint64_t start = f->next;
		struct jfr_chunk *chunk;

		if (f->progress)
			f->progress(f->base + start);
		if (!next_header(f, &h))
			continue;
		chunk = chunk_new(f, &h, start);
		if (!chunk)
			return NULL;
		if (jfr_read_metadata(f, chunk)) {
			read_set_clock(f, chunk);
			return chunk;
		}
		jfr_chunk_put(chunk);
	}
	return NULL;
}
