/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Durations of recorded events for --metrics, by a value of theirs: requests by URL, statements by text. The first METRICS_VALUES
 * values of an event have a series each; all later ones share one, "(others)".
 */
#ifndef USER_SHOW_METRICS_VALUES_H
#define USER_SHOW_METRICS_VALUES_H

#include "filters/event_list.h"
#include "user/record/span_events.h"

#include <stdio.h>

#define METRICS_VALUES 100u

struct metrics_values;

/* Is there an event that is summed up (user_values_groups)? */
bool metrics_values_are_in(const struct event_list *l);

/* Returns NULL without memory. `common` is the label that all series have; it is borrowed. */
struct metrics_values *metrics_values_new(const char *common);
void metrics_values_free(struct metrics_values *m);

/* A recorded_seen; the context is a struct metrics_values. */
void metrics_values_on_call(void *context, const struct recorded_call *call);

/* Count an event of a group, by its number; ns. Without memory it is one of the others. */
void metrics_values_count(struct metrics_values *m, size_t group, const char *value, int64_t duration);

/* Write the family. */
void metrics_values_put(const struct metrics_values *m, FILE *to);

#endif
