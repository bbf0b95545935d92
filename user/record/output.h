/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The destination of a recording: a file to which finished chunks are appended, or a directory with one file per
 * chunk, like the JVM's own repository. Beyond the limits the oldest chunks are dropped. The output is a complete
 * recording at every moment, and a chunk never changes:
 *
 * - A file gets its name with its first chunk (user/text/new_file.h); until then an existing file of that name
 *   stays. The state of a chunk (byte 64 of its header) says "being written" until the chunk is complete; the JDK's
 *   readers wait for that. If the recorder is killed meanwhile, the output guard cuts off the incomplete chunk.
 *   Dropping chunks from a file creates a new file that replaces it.
 * - In a directory a chunk gets its name when it is complete.
 * - To a stream, such as a pipe, chunks go as fast as it takes them. The others wait, at most limits.size bytes of them.
 * - In memory nothing touches the disk before output_save() or output_finish(), and a killed recorder leaves nothing.
 *
 * Writing to the disk starts as soon as a chunk is finished and has ended when output_close() returns: a power
 * failure costs only the last chunks.
 */
#ifndef USER_RECORD_OUTPUT_H
#define USER_RECORD_OUTPUT_H

#include "format/bytes.h"
#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output;

struct output_limits {
	uint64_t size; /* bytes */
	/*
	 * Maximum time since a chunk's end, except for the youngest; 0: unlimited. A file may keep a quarter more,
	 * because dropping chunks copies it.
	 */
	uint64_t age_ns;
};

/*
 * Create an output. A file has mode 0600, is owned by the user behind sudo, and replaces `path` with the first chunk;
 * its errors are those of new_file_open(). A path that ends with a slash is a directory, which is created if missing,
 * together with its parent. Returns 0 or -errno with the message; -ENOSPC: less than 1 GB and less than 5 % of the
 * disk is free.
 */
int output_open(struct output **out, const char *path, const struct output_limits *limits, struct diag *d);

/*
 * Create an output in memory: limits->size bytes, which are taken from the machine now. `path` is the file for
 * output_finish(), as for output_name(); NULL: none. Returns 0 or -errno with the message; -ENOMEM: the machine has
 * too little available memory.
 */
int output_open_memory(struct output **out, const char *path, const struct output_limits *limits, struct diag *d);

/* Create an output that writes to `fd`, which remains the caller's. SIGPIPE must be ignored. 0 or -errno with the message. */
int output_open_stream(struct output **out, int fd, const struct output_limits *limits, struct diag *d);

/* Send what a stream takes without waiting. 0, or -errno with the message; -EPIPE: its reader is gone. */
int output_pump(struct output *o, struct diag *d);

/* The descriptor that must become writable before output_pump() can send more; -1: nothing waits. */
int output_pending_fd(const struct output *o);

/*
 * Name the file that output_finish() will write; it is tried now. Returns 0, or -errno with the message and the name
 * unchanged. -EEXIST: this output is not in memory, and has its file.
 */
int output_name(struct output *o, const char *path, struct diag *d);

/*
 * Call after the last chunk: write what is in memory to the named file, if there is one. From then on the output is
 * in that file. Send what waits to a stream; -ETIMEDOUT: its reader takes nothing. Returns 0 or -errno with the message.
 */
int output_finish(struct output *o, struct diag *d);

/* Close the output. Without any chunk nothing is left behind, and `path` is unchanged. NULL is allowed. */
void output_close(struct output *o);

/*
 * Append one finished chunk now, before there is a thread; made by format/jfr/jfr_write.h. Returns 0, or -errno with the message and the output
 * unchanged. -EBUSY: the path refers to another file now, which is not replaced.
 */
int output_append(struct output *o, const void *chunk, size_t size, struct diag *d);

/*
 * From now on a thread appends what is put, until output_close(). Another process must not be forked for the output any
 * more. Without memory or rights, and for a stream, which does not wait for the disk, there is no such thread.
 */
void output_thread_begin(struct output *o);

/*
 * Append a finished chunk as output_append() does. With a thread it only begins: it takes the chunk's memory and returns
 * that of the chunk before, which it waits for. Returns 0 or -errno with the message; with a thread that of the chunk
 * before, and this one is not appended.
 */
int output_put(struct output *o, struct bytes *chunk, struct diag *d);

/*
 * What became of the last chunk that was put. 0: it is appended, or its failure has been reported; -EINPROGRESS: it is not
 * yet, and `wait` is false; or -errno with the message, once.
 */
int output_result(struct output *o, bool wait, struct diag *d);

/*
 * Copy the chunks that ended in the last `last_ns` (0: all), at least the youngest, to another file. It is created
 * like a file of output_open() and gets its name when it is complete; *size is its size. Returns 0 or -errno with the
 * message; -ENODATA: there is no chunk yet.
 */
int output_save(const struct output *o, const char *path, uint64_t last_ns, uint64_t *size, struct diag *d);

/* Has the output been removed, renamed or replaced? While a chunk is being appended: as of the last look. */
bool output_was_removed(struct output *o);

bool output_is_directory(const struct output *o);
bool output_is_stream(const struct output *o);
bool output_in_memory(const struct output *o);	 /* and not in a file yet */
const char *output_path(const struct output *o); /* of a recording in memory: the file at its end, or NULL */
int64_t output_since(const struct output *o);	 /* it has everything from this moment on, CLOCK_MONOTONIC ns */
uint64_t output_size(const struct output *o);	 /* of a stream: all that was appended and not dropped */
uint64_t output_dropped(const struct output *o); /* number of dropped chunks */

#endif
