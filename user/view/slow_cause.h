/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_VIEW_SLOW_CAUSE_H
#define USER_VIEW_SLOW_CAUSE_H

#include "user/view/slow_call.h"

/*
 * What slow calls have in common, in a sentence: the statement, or the call of a service, that most of their time went into,
 * with the calls in which that was more than half of it. If their titles differ by numbers in the path only, these are `*`.
 *
 *     83 % of the time of these 20 calls went into 24 of "select pg_sleep(?)", most of it in GET /checkout/17.
 *
 * A zeroed one is empty.
 */
struct slow_cause {
	struct texts titles;
	struct cause_part {
		struct span span;
		uint32_t title, slow; /* the index of the slow call */
	} *part;
	size_t parts, capacity;
};

void slow_cause_release(struct slow_cause *c);

/* Add a call that is inside the slow call of that index. Only calls that ask another service count (user_values_asks()). */
void slow_cause_add(struct slow_cause *c, const struct call *inside, size_t index);

/* Append the sentence; nothing if no title stands out. Of calls inside each other the outer one counts. */
void slow_cause_put(struct bytes *out, struct slow_cause *c, const struct slow_call *slow, size_t count);

#endif
