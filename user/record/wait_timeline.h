/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intervals of time that one thread goes through one after the other, in order and without overlap, with running sums:
 * what of them lies between two moments is found by two searches. Old ones are folded: those between two moments at
 * which a question may begin become one, those before all such moments are forgotten. A question that cuts
 * through a folded one, or begins in what is forgotten, has no answer.
 */
#ifndef USER_RECORD_WAIT_TIMELINE_H
#define USER_RECORD_WAIT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAIT_TIMELINE_CLASSES 8u

struct wait_timeline_sums {
	uint64_t first[WAIT_TIMELINE_CLASSES],
		second; /* ns; the former by the class of the interval, or what moments have */
	uint64_t count; /* of intervals */
};

/* Two stretches, [begin, middle) and [middle, end), ns; each may be empty. */
struct wait_timeline_interval {
	int64_t begin, middle, end;
	uint32_t class, reserved;
	struct wait_timeline_sums sums; /* of this one and all before */
};

struct wait_timeline {
	struct wait_timeline_interval *interval;
	char *payload; /* of its owner: payload_size bytes for each interval */
	size_t payload_size;
	size_t count, capacity;
	int64_t known_from;		/* what ended before that is forgotten */
	struct wait_timeline_sums gone; /* the sums of what is forgotten */
};

void wait_timeline_release(struct wait_timeline *t);

/* Room for that many; false: no memory. */
bool wait_timeline_reserve(struct wait_timeline *t, size_t capacity);

/* Append one, for which there is room: its payload, which the caller fills. What overlaps the last one is cut off. */
void *wait_timeline_append(struct wait_timeline *t, unsigned int class, int64_t begin, int64_t middle, int64_t end);

/* Something that has no duration, of which sums are kept as of times; its payload, if there is one, is not to be filled. */
void wait_timeline_append_moment(struct wait_timeline *t, int64_t at, const uint64_t what[WAIT_TIMELINE_CLASSES]);

static inline void *wait_timeline_payload(const struct wait_timeline *t, size_t i)
{
	return t->payload + i * t->payload_size;
}

static inline uint64_t wait_timeline_count_before(const struct wait_timeline *t, size_t i)
{
	return i ? t->interval[i - 1].sums.count : t->gone.count;
}

static inline bool wait_timeline_is_coalesced(const struct wait_timeline *t, size_t i)
{
	return t->interval[i].sums.count - wait_timeline_count_before(t, i) > 1;
}

/* The first that ends after `at`; of those, the first that begins at or after `at`. t->count: none. */
size_t wait_timeline_find_end(const struct wait_timeline *t, int64_t at);
size_t wait_timeline_find_begin(const struct wait_timeline *t, int64_t at);

/*
 * What lies in [from, to): times cut at both ends, moments, the count of intervals that are in it at least partly.
 * False: not known.
 */
bool wait_timeline_sum(const struct wait_timeline *t, int64_t from, int64_t to, struct wait_timeline_sums *out);

/*
 * Fold the older ones, all but the last `keep`; `open`: the moments at which questions may still begin, ascending.
 * The payload of a folded one is that of the first in it. Returns how many are left of those that were looked at.
 */
size_t wait_timeline_coalesce(struct wait_timeline *t, size_t keep, const int64_t *open, size_t moments);

#endif
