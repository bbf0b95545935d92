/* SPDX-License-Identifier: BSD-2-Clause */
/* The live view on standard output: a table per interval (-i), a line (--lines) or a span (--otlp) per call. */
#ifndef USER_SHOW_LIVE_H
#define USER_SHOW_LIVE_H

#include "user/record/recording.h"

struct live;

/*
 * Fail if the live view needs standard output and it is closed. Call before opening any file, which would get its
 * descriptor.
 */
int live_check(const struct settings *s, struct diag *d);

/* Listens to the recorder until live_free(). The recording is borrowed. 0 or -errno. *out is NULL if no live view is wanted. */
int live_new(struct live **out, const struct recording *r, struct diag *d);
void live_free(struct live *l);

/*
 * Call about twenty times a second, after a sweep that began at `now` (CLOCK_MONOTONIC, ns). `lost` counts spans lost
 * since the start. False: the reader of standard output is gone.
 */
bool live_tick(struct live *l, int64_t now, uint64_t lost);

/* Poll this descriptor for keys, and then serve them: they sort and scroll. -1: none are read. NULL is fine. */
int live_fd(const struct live *l);
bool live_serve_keys(struct live *l, uint64_t lost); /* false: a key ends the recording */

/* Call after recorder_forget_methods(). NULL is fine. */
void live_forget_callers(struct live *l);

/* True if the view owns a terminal, so that others should not write there. NULL is fine. */
bool live_has_terminal(const struct live *l);

/* Print the rest at the end of the recording. Waits for the reader, but not forever. NULL is fine. */
void live_finish(struct live *l, uint64_t lost);

#endif
