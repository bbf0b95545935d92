/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading a Flight Recorder file, whoever wrote it: frtrace, the JVM of JDK 11
 * and later, async-profiler. The file lies in memory (mapped by the caller) and
 * is handed out a chunk at a time; what is kept of a chunk is where its
 * constants lie, nothing else.
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
 * A fault ends the chunk that has it, and the first one is kept; a chunk behind it is
 * read as long as its place is known..
 */
#ifndef FORMAT_JFR_JFR_READ_H
#define FORMAT_JFR_JFR_READ_H

#include "format/jfr/jfr_chunk.h"

struct jfr_file {
	const unsigned char *data;
	uint64_t size, next;
	uint32_t chunks;	       /* so far */
	struct jfr_metadata *metadata; /* of the last chunk: the same again when nothing has changed */
	const unsigned char *metadata_bytes;
	uint64_t metadata_size;
	struct jfr_timebase clock; /* of the first chunk, and of those that continue it */
	int64_t utc_offset;	   /* seconds, of the first chunk: the tools of the JDK show local time of where it was
				      recorded */
	bool unfinished;	   /* the last chunk was still being written: only its finished part is read */
	bool cut_off;		   /* the last chunk ends behind the data: the fault, unless the file grows meanwhile */
	struct jfr_fault fault;
	void (*forget)(const void *data,
		       size_t size); /* called for a chunk that nobody holds any more; NULL: nothing is */
};

void jfr_file_init(struct jfr_file *f, const void *data, size_t size);
void jfr_file_release(struct jfr_file *f);

/* The next chunk, to be dropped with jfr_chunk_put() before the file is released; NULL: no more. */
struct jfr_chunk *jfr_file_next(struct jfr_file *f);

#endif
