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

struct outlet;

/* The descriptor stays the caller's. `shared`: others write there, too. NULL: it is not open, or no memory. */
struct outlet *outlet_open(int fd, bool shared, struct diag *d);
void outlet_close(struct outlet *o);

/* All of it or nothing. False: refused, there is no room or nobody reads. */
bool outlet_put(struct outlet *o, const char *text, size_t size);

/*
 * The same, a frame of so many whole lines: it takes the place of the frame
 * before where that still stands there, on a terminal that can and is not shared. Refused while an earlier one waits.
 */
bool outlet_frame(struct outlet *o, const char *text, size_t size, unsigned int lines);

/* Does it take the place, and what room has it? 0 and 0: any. */
bool outlet_is_in_place(const struct outlet *o);
void outlet_size(const struct outlet *o, unsigned int *width, unsigned int *height);

/* Is it a terminal? */
bool outlet_is_terminal(const struct outlet *o);

/* Write what waits, as far as it goes at once. False: nobody reads any more. */
bool outlet_flush(struct outlet *o);

/* Write all that waits; false when the reader takes nothing for seconds. */
bool outlet_finish(struct outlet *o);

#endif
