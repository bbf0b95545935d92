/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A timeline of one thread: intervals in order and without overlap, with running sums, so that the sum between two
 * moments takes two searches. Old intervals are coalesced: those between two moments at which a query may begin
 * become one, and those before all such moments are dropped. A query that cuts through a coalesced interval, or
 * begins in the dropped part, has no answer.
 */
#ifndef USER_RECORD_WAIT_TIMELINE_H
#define USER_RECORD_WAIT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAIT_TIMELINE_CLASSES 16u

struct wait_timeline_sums {
	uint64_t first[WAIT_TIMELINE_CLASSES]; /* ns, by class of the interval; or what moments add */
	uint64_t second;		       /* ns */
	uint64_t count;			       /* of intervals */
};

/* Two parts, [begin, middle) and [middle, end), ns; each may be empty. */
struct wait_timeline_interval {
	int64_t begin, middle, end;
	uint32_t class, reserved;
	int64_t longest;		/* end - begin, of a coalesced interval the longest one's */
	struct wait_timeline_sums sums; /* up to and including this one */
};

struct wait_timeline {
	struct wait_timeline_interval *interval;
	char *payload; /* the owner's data: payload_size bytes per interval */
	size_t payload_size;
	size_t count, capacity;
	int64_t known_from;		   /* what ended earlier has been dropped */
	struct wait_timeline_sums dropped; /* sums of what has been dropped */
};

void wait_timeline_release(struct wait_timeline *t);

/* Reserve space for `capacity` intervals in all. False: no memory. */
bool wait_timeline_reserve(struct wait_timeline *t, size_t capacity);

/*
 * Append an interval, for which space must be reserved. An overlap with the last one is cut off. Returns its payload,
 * which the caller fills.
 */
void *wait_timeline_append(struct wait_timeline *t, unsigned int class, int64_t begin, int64_t middle, int64_t end);

/*
 * Have interval i, which is not coalesced, last until `end`, and drop those behind it. Its second part is as long as all
 * their second parts and [middle, end) together. `ended`: false for one that goes on in its first part, so that it has none.
 */
void wait_timeline_extend(struct wait_timeline *t, size_t i, int64_t middle, int64_t end, bool ended);

/*
 * Append a moment, an interval without duration; `what` is added to the running sums. The payload, if there is one,
 * stays unused.
 */
void wait_timeline_append_moment(struct wait_timeline *t, int64_t at, const uint64_t what[WAIT_TIMELINE_CLASSES]);

/* Move an interval that is not coalesced to another class. */
void wait_timeline_reclass(struct wait_timeline *t, size_t i, unsigned int class);

static inline void *wait_timeline_payload(const struct wait_timeline *t, size_t i)
{
	return t->payload + i * t->payload_size;
}

static inline uint64_t wait_timeline_count_before(const struct wait_timeline *t, size_t i)
{
	return i ? t->interval[i - 1].sums.count : t->dropped.count;
}

static inline bool wait_timeline_is_coalesced(const struct wait_timeline *t, size_t i)
{
	return t->interval[i].sums.count - wait_timeline_count_before(t, i) > 1;
}

/* Index of the first interval that ends after `at`, and of the first that begins at or after `at`. t->count: none. */
size_t wait_timeline_find_end(const struct wait_timeline *t, int64_t at);
size_t wait_timeline_find_begin(const struct wait_timeline *t, int64_t at);

/* Nothing is known to have happened after this moment. */
static inline int64_t wait_timeline_quiet_from(const struct wait_timeline *t)
{
	int64_t end = t->count ? t->interval[t->count - 1].end : INT64_MIN;

	return end > t->known_from ? end : t->known_from;
}

/*
 * Sum over [from, to): durations clipped to the range, moments, and the number of intervals that are at least partly
 * within it. False: unknown.
 */
bool wait_timeline_sum(const struct wait_timeline *t, int64_t from, int64_t to, struct wait_timeline_sums *out);

/*
 * Coalesce all but the last `keep` intervals. `open` holds the moments at which queries may still begin, ascending. A
 * coalesced interval keeps the payload of its first one. Returns how many of the older intervals are left.
 */
size_t wait_timeline_coalesce(struct wait_timeline *t, size_t keep, const int64_t *open, size_t moments);

#endif
