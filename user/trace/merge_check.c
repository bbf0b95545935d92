// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/merge_check.h"
#include "user/text/log.h"
#include "user/trace/origin.h"

#define STEP_NANOS 500000000 /* ns; a JVM reads ticks and wall clock at slightly different times */
#define DRIFT	   2000	     /* plus 1/2000 of the length: tolerated error of the tick rate */

/* Find the chunk's first event of a type. */
static bool find_event(struct jfr_chunk *chunk, const char *type, struct jfr_event *e)
{
	const struct meta_type *t = jfr_metadata_find(chunk->metadata, type);
	uint64_t position = JFR_HEADER_SIZE;

	while (t && jfr_chunk_next(chunk, &position, e))
		if (e->type == t)
			return true;
	return false;
}

static void read_clock(struct jfr_chunk *chunk, const struct jfr_timebase *base, struct merge_clock *out)
{
	int64_t ticks = chunk->header.start_ticks, wall = chunk->header.start_nanos;
	struct jfr_event e;

	if (find_event(chunk, "frtrace.Clock", &e)) {
		ticks = origin_number(chunk, &e, "monotonic");
		wall = origin_number(chunk, &e, "realtime");
	}
	out->step = (uint64_t)wall - (uint64_t)jfr_timebase_moment(base, ticks);
	out->length = (uint64_t)wall - (uint64_t)base->start_nanos;
}

void merge_clock_read(const struct jfr_file *file, struct merge_clock *out)
{
	struct jfr_timebase base = {0};
	struct jfr_chunk *chunk;
	struct jfr_file f;

	*out = (struct merge_clock){INT64_MIN, INT64_MIN};
	jfr_file_again(&f, file);
	while ((chunk = jfr_file_next(&f))) {
		if (!chunk->number)
			base = chunk->clock;
		read_clock(chunk, &base, out);
		jfr_chunk_put(chunk);
	}
	jfr_file_release(&f);
}

static uint64_t size_of(int64_t n)
{
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

void merge_check(const char *path, const struct jfr_file *file)
{
	struct merge_clock clock;
	uint64_t step;

	merge_clock_read(file, &clock);
	step = size_of(clock.step);
	if (clock.step != INT64_MIN && step > STEP_NANOS + size_of(clock.length) / DRIFT)
		log_line(
			"'%s': the wall clock was set %s by %s meanwhile; its events may be that far from those of the others",
			path, clock.step > 0 ? "forward" : "back", log_time(step));
}

/* The ends of a recording, in ns since the epoch. False: it has no chunk. */
static bool merge_ends(const struct jfr_file *file, int64_t *start, int64_t *end)
{
	struct jfr_chunk *chunk;
	struct jfr_file f;
	bool any = false;

	jfr_file_again(&f, file);
	while ((chunk = jfr_file_next(&f))) {
		if (!any)
			*start = chunk->header.start_nanos;
		*end = (uint64_t)chunk->header.start_nanos + (uint64_t)chunk->header.duration_nanos;
		any = true;
		jfr_chunk_put(chunk);
	}
	jfr_file_release(&f);
	return any;
}

/* A recording that is around another one begins before it and ends after it. One that has lost a part does neither. */
int64_t merge_clock_ahead(const struct jfr_file *around, const struct jfr_file *file)
{
	int64_t start = 0, end = 0, around_start = 0, around_end = 0, first, last;

	if (!merge_ends(file, &start, &end) || !merge_ends(around, &around_start, &around_end))
		return 0;
	first = (uint64_t)around_start - (uint64_t)start;
	last = (uint64_t)around_end - (uint64_t)end;
	if (last < first - STEP_NANOS)
		return 0;
	return first > STEP_NANOS ? first : last < -STEP_NANOS ? last : 0;
}
