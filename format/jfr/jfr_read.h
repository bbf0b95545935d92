/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading of Flight Recorder files from any writer: frtrace, the JVM of JDK 11 and later, async-profiler. The
 * caller maps the file into memory. It is returned chunk by chunk, and only the positions of a chunk's constants
 * are kept.
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

#include "format/jfr/jfr_chunk.h"

struct jfr_file {
	const unsigned char *data;
	uint64_t size, next;
	uint32_t chunks;	       /* so far */
	struct jfr_metadata *metadata; /* of the last chunk; shared while it does not change */
	const unsigned char *metadata_bytes;
	uint64_t metadata_size;
	struct jfr_timebase clock; /* of the first chunk and those that continue it */
	/* seconds, of the first chunk: the JDK's tools show the local time of the place of recording */
	int64_t utc_offset;
	bool unfinished; /* the last chunk is still being written: only its finished part is read */
	bool cut_off;	 /* the last chunk extends past the data: a fault, unless the file is growing */
	struct jfr_fault fault;
	void (*forget)(const void *data, size_t size); /* called for a chunk without references; may be NULL */
};

void jfr_file_init(struct jfr_file *f, const void *data, size_t size);
void jfr_file_release(struct jfr_file *f);

/* The next chunk, or NULL. Release it with jfr_chunk_put() before the file. */
struct jfr_chunk *jfr_file_next(struct jfr_file *f);

#endif
