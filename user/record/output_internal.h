/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions shared by the forms of an output, for user/record/output*.c only. */
#ifndef USER_RECORD_OUTPUT_INTERNAL_H
#define USER_RECORD_OUTPUT_INTERNAL_H

#include "user/text/new_file.h"
#include "user/record/output.h"

struct output_guard;
struct output_thread;

struct output_chunk {
	uint64_t size;
	int64_t end_ns;	      /* when it was appended, CLOCK_MONOTONIC */
	char name[32];	      /* in a directory */
	uint64_t at;	      /* in memory: number of bytes appended before it */
	unsigned char *bytes; /* of a stream */
};

/* The thread owns all of it while it appends a chunk, except for the fields marked "for both". */
struct output {
	const struct output_form *form; /* for both, unchanged */
	struct output_thread *thread;	/* the recorder's; NULL: chunks are appended at once */
	char *path;			/* for both; changed only while the thread has no chunk */
	struct new_file file;		/* has its name from the first chunk on; unused for a directory */
	/* the directory, its parent, and its name in the parent; -1 for a file; fd: of a stream, the caller's */
	int fd, parent;
	char name[NAME_MAX + 1];
	unsigned char *memory;	     /* limits.size bytes; NULL: not in memory */
	uint64_t stream;	     /* bytes appended; in memory those of dropped chunks, too */
	struct output_chunk sending; /* of a stream: `sent` bytes of it are sent */
	uint64_t sent;
	bool saved;   /* from memory to the path; the recorder's, as the next one */
	bool removed; /* when output_was_removed() looked last */
	struct output_limits limits;
	_Atomic uint64_t size, dropped; /* for both: the thread writes them */
	_Atomic int64_t since_ns;	/* the same; the chunks have everything from this moment on, CLOCK_MONOTONIC */
	struct output_chunk *chunk;	/* oldest first */
	size_t chunks, capacity;
	struct output_guard *guard;
	/* directory only: the second in the last chunk's name, and the number of chunks of that second */
	char second[24];
	unsigned int of_second;
};

struct output_form {
	bool is_directory, in_memory, is_stream;
	/* Excess allowed before chunks are dropped, in quarters of the limits; then as much again is dropped. */
	unsigned int spare;
	int (*open)(struct output *o, struct diag *d); /* also starts the guard; may be NULL */
	/* Append the chunk completely or not at all. In a directory this also sets the chunk's name. */
	int (*append)(struct output *o, struct output_chunk *c, const void *bytes, size_t size, struct diag *d);
	/* Drop the oldest `drop` chunks, which are still in the table. NULL: they are overwritten later. */
	int (*drop)(struct output *o, size_t drop, struct diag *d);
	/* Copy the chunks from number `first` on, in order, to an empty file. NULL: of a stream. */
	int (*copy)(const struct output *o, size_t first, int to, struct diag *d);
	/* Under its path; requires at least one chunk. NULL: it has none. */
	bool (*is_there)(const struct output *o);
	void (*close)(struct output *o); /* leaves nothing behind when there is no chunk */
};

extern const struct output_form output_file, output_directory, output_memory, output_stream;

/* output_finish() of a stream. */
int output_stream_finish(struct output *o, struct diag *d);

/* Is the thread appending a chunk? `wait`: until it is not, and the output is the caller's. */
bool output_is_busy(const struct output *o, bool wait);

/* Append what has been put, then end the thread. */
void output_thread_end(struct output *o);

/* Returns `err`, with the message. */
int output_write_failed(int err, const char *path, struct diag *d);

/*
 * A process beside the recorder that outlives it. It syncs finished chunks to the disk (fdatasync), so that the
 * recorder never waits for the disk. If the recorder is killed, it cuts off the chunk that was being appended and
 * removes a scratch file that was not renamed yet (user/text/new_file.h).
 *
 * Start the guard, before any thread exists. Names are relative to `directory`; `scratch` is copied. NULL: it could
 * not be started (see errno); the calls below then do nothing.
 */
struct output_guard *output_guard_start(int directory, const char *scratch);

/* Watch the regular file `name` with these numbers, whose first `size` bytes are finished. */
void output_guard_watch(struct output_guard *g, const char *name, uint64_t device, uint64_t inode, uint64_t size);

/* Wait until everything is on the disk, then end the guard. */
void output_guard_end(struct output_guard *g);

#endif
