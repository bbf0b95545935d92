/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Standard output, for what comes while it records: a reader that is slow, has
 * stopped or is gone must never hold up the recording. What cannot be written
 * at once waits, up to a limit, and what comes beyond it is refused.
 */
#ifndef USER_LIVE_STDOUT_QUEUE_H
#define USER_LIVE_STDOUT_QUEUE_H

#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct stdout_queue;

/* The descriptor stays the caller's. `shared`: others write there, too. 0 or -errno; then *out is NULL. */
int stdout_queue_open(struct stdout_queue **out, int fd, bool shared, struct diag *d);
void stdout_queue_close(struct stdout_queue *o);

/* All of it or nothing. False: refused, there is no room or nobody reads. */
bool stdout_queue_put(struct stdout_queue *o, const char *text, size_t size);

/*
 * The same, a frame of so many whole lines: it takes the place of the frame
 * before where that still stands there, on a terminal that can and is not shared. Refused while an earlier one waits.
 */
bool stdout_queue_frame(struct stdout_queue *o, const char *text, size_t size, unsigned int lines);

/* Does it take the place, and what room has it? 0 and 0: any. */
bool stdout_queue_is_in_place(const struct stdout_queue *o);
void stdout_queue_size(const struct stdout_queue *o, unsigned int *width, unsigned int *height);

/* Is it a terminal? */
bool stdout_queue_is_terminal(const struct stdout_queue *o);

/* Write what waits, as far as it goes at once. False: nobody reads any more. */
bool stdout_queue_flush(struct stdout_queue *o);

/* Write all that waits; false when the reader takes nothing for seconds. */
bool stdout_queue_finish(struct stdout_queue *o);

#endif
