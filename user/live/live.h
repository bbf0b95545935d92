/* SPDX-License-Identifier: BSD-2-Clause */
/* What is seen on standard output while it records: a table each interval (-i), or a line for each call (--lines). */
#ifndef USER_LIVE_LIVE_H
#define USER_LIVE_LIVE_H

#include "user/capture/clock.h"
#include "user/record/recorder.h"
#include "user/capture/segment.h"
#include "user/options/settings.h"

struct live;

struct live_setup {
	const struct settings *settings;
	const struct target *target;
	const struct segment *segment;
	struct clock *clock;
	struct recorder *recorder;
};

/* Is there a standard output where one is needed? To be asked before a file is opened: it would get its number. */
int live_check(const struct settings *s, struct diag *d);

/* All are borrowed. *out is NULL when nothing is to be seen. */
int live_new(struct live **out, const struct live_setup *setup, struct diag *d);
void live_free(struct live *l);

/* What feeds the recorder, and shows it on the way. */
struct stream_sink live_sink(struct live *l);

/*
 * To be called some twenty times a second, after a sweep that began at `now`
 * (CLOCK_MONOTONIC, ns); `lost` are the spans lost since the start. False: nobody reads any more.
 */
bool live_tick(struct live *l, int64_t now, uint64_t lost);

/* After recorder_forget_methods(). NULL is none. */
void live_forget_callers(struct live *l);

/* Is it a terminal, on which others should not write meanwhile? NULL is none. */
bool live_has_terminal(const struct live *l);

/* What has come since the last tick; everything has. Waits for the reader, but not for ever. */
void live_finish(struct live *l, uint64_t lost);

#endif
