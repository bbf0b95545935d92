/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded queue in front of standard output. A slow, stopped or closed reader must never block the recording: output
 * that cannot be written at once is queued, and output beyond the limit is refused.
 */
#ifndef USER_SHOW_STDOUT_QUEUE_H
#define USER_SHOW_STDOUT_QUEUE_H

#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct stdout_queue;

/* `fd` remains the caller's. `shared`: others write to it, too. 0 or -errno; then *out is NULL. */
int stdout_queue_open(struct stdout_queue **out, int fd, bool shared, struct diag *d);
void stdout_queue_close(struct stdout_queue *o);

/* Queue all of the text or nothing. False: refused, the queue is full or the reader is gone. */
bool stdout_queue_put(struct stdout_queue *o, const char *text, size_t size);

/*
 * Queue a frame of `lines` whole lines. On a capable, unshared terminal it replaces the previous frame if that is still
 * directly above the cursor. False: refused, also while earlier output is queued.
 */
bool stdout_queue_frame(struct stdout_queue *o, const char *text, size_t size, unsigned int lines);

/* is_in_place(): frames replace each other. size(): columns and lines of the terminal, 0 and 0 if it is none. */
bool stdout_queue_is_in_place(const struct stdout_queue *o);
void stdout_queue_size(const struct stdout_queue *o, unsigned int *width, unsigned int *height);

bool stdout_queue_is_terminal(const struct stdout_queue *o);

/* Write as much of the queue as possible without waiting. False: the reader is gone. */
bool stdout_queue_flush(struct stdout_queue *o);

/* Write the whole queue. False: the reader accepted nothing for 3 seconds. */
bool stdout_queue_finish(struct stdout_queue *o);

#endif
