/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lays the events of one recording over the calls of another one, whose clock is a little ahead or behind.
 *
 * An event that a thread records inside of a call begins and ends in it; one from outside lies beside it. So of all shifts
 * the right one lets most events begin inside of calls, and none reach over the end of a call. Without the second rule a park
 * right behind a call weighs as much inside of it as a read that is lost for it. It only takes most of the weight: JDK 11
 * writes the duration of a thread's first file read with all its later ones.
 *
 * All times are nanoseconds and within +-TICKS_MOST, so that their differences fit.
 */
#ifndef FORMAT_JFR_JFR_OVERLAY_H
#define FORMAT_JFR_JFR_OVERLAY_H

#include "format/bytes.h"

/* A moment of the shift from which on the weight is another one. */
struct overlay_change {
	int64_t window; /* of the event */
	int64_t at;
	int32_t weight; /* is added */
};

/* Zeros are an empty one. */
struct jfr_overlay {
	struct overlay_change *change;
	size_t changes, capacity;
};

struct overlay_event {
	int64_t window; /* a part of the time, with a shift of its own */
	int64_t start, end;
};

struct overlay_shift {
	int64_t window;
	int64_t shift; /* is added to times of events */
	int64_t error; /* as many events lie as well with shifts that differ by this much at most */
};

void jfr_overlay_release(struct jfr_overlay *o);

/* Note a call of the event's thread. 0 or -ENOMEM. */
int jfr_overlay_note(struct jfr_overlay *o, const struct overlay_event *e, int64_t start, int64_t end);

/*
 * The best shift of all events, at most `most` from `near`; of equally good ones the nearest, but not at the edge of what is
 * possible.
 */
struct overlay_shift jfr_overlay_whole(struct jfr_overlay *o, int64_t near, int64_t most);

/*
 * Those of the windows, one after the other: begin with *at = 0. False: there is none left. A window has few events, and one
 * that was late may fit better elsewhere, so `near` is kept unless a sixteenth of the weight is gained.
 */
bool jfr_overlay_next(struct jfr_overlay *o, size_t *at, int64_t near, int64_t most, struct overlay_shift *out);

#endif
