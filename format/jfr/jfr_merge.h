/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges several recordings of the same time into one: events in the order in which they ended, in chunks of a few
 * megabytes, on one clock.
 *
 * Concatenating the chunks would not do, even with distinct type ids and keys. The JDK's readers order events only
 * within a chunk (17) or within a million events (25), and treat two types with the same name as different.
 * Therefore each event is copied, which gives all of them one order and their contexts. An event that its own
 * recorder wrote late, in the following chunk, stays late.
 *
 * Each event keeps the time in nanoseconds that its own file gives it. It is converted to ticks of the base: the
 * recording with frtrace.Clock, or else the first one.
 *
 * Left out are settings of events that no file declares, and frtrace's description of the JVM if the JVM's own is there. So are
 * samples (jdk.ExecutionSample) of others if frtrace took some: both would count twice, and only its own lie in its calls.
 *
 * Memory holds one chunk of each file with the order of its events (16 bytes each), the chunk being built, and the
 * keys of threads.
 */
#ifndef FORMAT_JFR_JFR_MERGE_H
#define FORMAT_JFR_JFR_MERGE_H

#include "format/jfr/jfr_read.h"

struct jfr_merge_sink {
	/* Takes a complete chunk. Returns 0, or -errno to end the merge. */
	int (*put)(void *context, const void *chunk, size_t size);
	void *context;
	bool jdk_fields; /* leave out the fields that frtrace adds to events of the JDK */
	/* May be NULL. True: events of this type get the context around them as fields (jfr_merge_context.h). */
	bool (*with_context)(void *context, const char *event);
};

struct jfr_merged {
	uint64_t events, chunks, bytes;
	int64_t begin, end;	    /* nanoseconds since the epoch: start of the first chunk, end of the last event */
	bool laid;		    /* events got context after they were laid over the calls of another recording */
	int64_t shift, shift_error; /* of the chunk with the largest error, in ns (jfr_overlay.h) */
};

/*
 * Merge the files, or copy a single one; each is read from the start, three times. Returns 0; -ENOMEM; -EFBIG (an event
 * of hundreds of megabytes); -EOVERFLOW (no keys are left); -EINVAL (file->fault of one file explains it; if none does,
 * their types are incompatible); -ENODATA (no chunks); or the sink's error.
 */
int jfr_merge(struct jfr_file *const *files, size_t count, const struct jfr_merge_sink *sink,
	      struct jfr_merged *merged);

#endif
