/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several recordings of one time as one: events in the order in which they
 * ended, in chunks of a few megabytes, on one clock.
 *
 * Chunks are not simply put side by side, though type ids and keys could be
 * kept apart: the JDK's readers order events within a chunk (17) or a million
 * events (25), and take two types of one name for two. So every event is copied
 * anew, which gives order and contexts to all of them. An event that its own
 * recorder wrote late, in the chunk behind, stays late.
 *
 * Each event keeps the time that its own file gives it, in nanoseconds. They
 * become ticks of the base: the recording that has frtrace.Clock, or the first.
 *
 * In memory are a chunk of each file with the order of its events (16 bytes
 * each), the chunk that is made, and the keys of threads.
 */
#ifndef FORMAT_JFR_JFR_MERGE_H
#define FORMAT_JFR_JFR_MERGE_H

#include "format/jfr/jfr_read.h"

struct jfr_merge_sink {
	/* A chunk is complete. 0 or -errno, which ends the merge. */
	int (*put)(void *context, const void *chunk, size_t size);
	void *context;
};

struct jfr_merged {
	uint64_t events, chunks, bytes;
	int64_t begin, end; /* nanoseconds since the epoch: from the first chunk's start to the last event */
};

/*
 * Read each file from its start, three times. -ENOMEM, -EFBIG (an event of hundreds of megabytes), -EOVERFLOW (no keys
 * are left), -EINVAL (file->fault of one of them says what is wrong; or, if none does, their types do not go
 * together), -ENODATA: there is no chunk in them; or what the sink said.
 */
int jfr_merge(struct jfr_file *const *files, size_t count, const struct jfr_merge_sink *sink,
	      struct jfr_merged *merged);

#endif
