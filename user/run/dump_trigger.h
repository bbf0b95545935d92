/* SPDX-License-Identifier: BSD-2-Clause */
/* Watches the calls of a recording in the background, and says when one fulfils a condition of --dump-when. */
#ifndef USER_RUN_DUMP_TRIGGER_H
#define USER_RUN_DUMP_TRIGGER_H

#include "user/capture/clock.h"
#include "user/capture/stream.h"
#include "user/options/dump_conditions.h"

struct segment;
struct dump_trigger;

#define DUMP_TRIGGER_PAUSE 60000000000LL /* ns between two dumps, at least */
#define DUMP_TRIGGER_MOST  20u		 /* dumps of a recording: they are never deleted */

/* All arguments are borrowed. NULL: no memory. */
struct dump_trigger *dump_trigger_new(const struct dump_conditions *conditions, const struct segment *s,
				      struct clock *clock);
void dump_trigger_free(struct dump_trigger *t);

/* A sink that watches spans and passes them on to `next`, which is copied. */
struct stream_sink dump_trigger_sink(struct dump_trigger *t, const struct stream_sink *next);

/*
 * Call some times a second, with CLOCK_MONOTONIC in ns. Returns what has happened since the last dump, as in
 * "Cart::pay >1s: com.acme.Cart.pay(Order) took 1.4 s", once for each dump to write; NULL: nothing, or a dump would be
 * too early.
 */
const char *dump_trigger_due(struct dump_trigger *t, int64_t now);

#endif
