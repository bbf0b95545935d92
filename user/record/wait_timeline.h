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

#define TRACK_CLASSES 8u

struct track_sums {
	uint64_t first[TRACK_CLASSES], second; /* ns; the former by the class of the interval, or what moments have */
	uint64_t count;			       /* of intervals */
};

/* Two stretches, [begin, middle) and [middle, end), ns; each may be empty. */
struct track_interval {
	int64_t begin, middle, end;
	uint32_t class, reserved;
	struct track_sums sums; /* of this one and all before */
};

struct track {
	struct track_interval *interval;
	char *payload; /* of its owner: payload_size bytes for each interval */
	size_t payload_size;
	size_t count, capacity;
	int64_t known_from;	/* what ended before that is forgotten */
	struct track_sums gone; /* the sums of what is forgotten */
};

void track_release(struct track *t);

/* Room for that many; false: no memory. */
bool track_reserve(struct track *t, size_t capacity);

/* Append one, for which there is room: its payload, which the caller fills. What overlaps the last one is cut off. */
void *track_append(struct track *t, unsigned int class, int64_t begin, int64_t middle, int64_t end);

/* Something that has no duration, of which sums are kept as of times; its payload, if there is one, is not to be filled. */
void track_append_moment(struct track *t, int64_t at, const uint64_t what[TRACK_CLASSES]);

static inline void *track_payload(const struct track *t, size_t i)
{
	return t->payload + i * t->payload_size;
}

static inline uint64_t track_count_before(const struct track *t, size_t i)
{
	return i ? t->interval[i - 1].sums.count : t->gone.count;
}

static inline bool track_is_folded(const struct track *t, size_t i)
{
	return t->interval[i].sums.count - track_count_before(t, i) > 1;
}

/* The first that ends after `at`; of those, the first that begins at or after `at`. t->count: none. */
size_t track_find_end(const struct track *t, int64_t at);
size_t track_find_begin(const struct track *t, int64_t at);

/*
 * What lies in [from, to): times cut at both ends, moments, the count of intervals that are in it at least partly.
 * False: not known.
 */
bool track_sum(const struct track *t, int64_t from, int64_t to, struct track_sums *out);

/*
 * Fold the older ones, all but the last `keep`; `open`: the moments at which questions may still begin, ascending.
 * The payload of a folded one is that of the first in it. Returns how many are left of those that were looked at.
 */
size_t track_fold(struct track *t, size_t keep, const int64_t *open, size_t moments);

#endif
