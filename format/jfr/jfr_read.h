/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading of Flight Recorder files from any writer: frtrace, the JVM of JDK 11 and later, async-profiler. The
 * caller maps the file into memory. It is returned chunk by chunk, and only the positions of a chunk's constants
 * are kept. Several files are read as one: the caller gives their chunks, in the order in which they are read.
 *
 *     jfr_file_init(&file, data, size);
 *     while ((chunk = jfr_file_next(&file))) {
 *             position = JFR_HEADER_SIZE;
 *             while (jfr_chunk_next(chunk, &position, &event))
 *                     ...
 *             jfr_chunk_put(chunk);
 *     }
 *     jfr_file_release(&file);   -- look at file.fault and file.unfinished before
 *
 * A fault ends its chunk, and the first fault is kept. The next chunk is read if its position is known.
 */
#ifndef FORMAT_JFR_JFR_READ_H
#define FORMAT_JFR_JFR_READ_H

#include "format/bytes.h"
#include "format/jfr/jfr_chunk.h"

/* A piece of a file that holds one chunk. */
struct jfr_piece {
	const unsigned char *data;
	uint64_t size;
	uint64_t at; /* in all files together */
};

/* The chunks of several files. */
struct jfr_pieces {
	/* Get piece `n`. False: it is left out. */
	bool (*open)(void *context, size_t n, struct jfr_piece *out);
	/* Called once for each piece, when neither the file nor its chunk needs it any more. */
	void (*close)(const void *data, size_t size);
	void *context;
	size_t count;
	bool mixed; /* of several recordings: equal keys may stand for different constants */
};

struct jfr_file {
	const unsigned char *data; /* of several files: the current piece */
	uint64_t size, next;
	uint64_t base;			 /* position of `data` in all files together */
	const struct jfr_pieces *pieces; /* NULL: one file */
	size_t piece;			 /* the next one */
	bool mixed;			 /* see jfr_pieces */
	const struct mapping *mapping;	 /* of the names that readers show; borrowed; NULL: as they are */
	uint32_t chunks;		 /* so far */
	struct jfr_metadata *metadata;	 /* of the last chunk; shared while it does not change */
	struct bytes metadata_bytes;	 /* what it was read from */
	struct jfr_timebase clock;	 /* of the first chunk and those that continue it */
	/* seconds, of the first chunk: the JDK's tools show the local time of the place of recording */
	int64_t utc_offset;
	bool unfinished; /* the last chunk is still being written: only its finished part is read */
	bool cut_off;	 /* the last chunk extends past the data: a fault, unless the file is growing */
	uint64_t tail;	 /* position of the chunk that is unfinished or cut off */
	struct jfr_fault fault;
	/* Called for a chunk without references; may be NULL. Not for pieces, which have close(). */
	void (*forget)(const void *data, size_t size);
	void (*progress)(uint64_t at); /* called for each chunk with its position; may be NULL */
};

void jfr_file_init(struct jfr_file *f, const void *data, size_t size);
void jfr_file_init_pieces(struct jfr_file *f, const struct jfr_pieces *pieces); /* which must outlive it */
void jfr_file_release(struct jfr_file *f);

/* Prepare *again to read from the start what `f` reads, which stays where it is. Release it, too. */
void jfr_file_again(struct jfr_file *again, const struct jfr_file *f);

/* Go back to the start. Faults stay. */
void jfr_file_rewind(struct jfr_file *f);

/* The next chunk, or NULL. Release it with jfr_chunk_put() before the file. */
struct jfr_chunk *jfr_file_next(struct jfr_file *f);

#endif
