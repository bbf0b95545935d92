// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/merge_check.h"
#include "user/text/log.h"

#include <errno.h>
#include <stdlib.h>

#define UNKNOWN	    INT64_MIN
#define START_APART 10000     /* ms; other profilers record the start of the process, not of the JVM */
#define STEP_NANOS  500000000 /* ns; a JVM reads ticks and wall clock at slightly different times */
#define DRIFT	    2000      /* plus 1/2000 of the length: tolerated error of the tick rate */

static int64_t merge_check_number_of(struct jfr_chunk *chunk, const struct jfr_event *e, const char *name)
{
	struct jfr_value event = jfr_event_value(e), v = jfr_field(chunk, &event, name);

	return v.kind == VALUE_NUMBER ? v.number : UNKNOWN;
}

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

static void read_jvm(struct jfr_chunk *chunk, struct merge_facts *out)
{
	struct jfr_event e;

	if (out->pid != UNKNOWN || !find_event(chunk, "jdk.JVMInformation", &e))
		return;
	out->pid = merge_check_number_of(chunk, &e, "pid");
	out->start_ms = merge_check_number_of(chunk, &e, "jvmStartTime");
}

static void read_clock(struct jfr_chunk *chunk, const struct jfr_timebase *base, struct merge_facts *out)
{
	int64_t ticks = chunk->header.start_ticks, wall = chunk->header.start_nanos;
	struct jfr_event e;

	if (find_event(chunk, "frtrace.Clock", &e)) {
		ticks = merge_check_number_of(chunk, &e, "monotonic");
		wall = merge_check_number_of(chunk, &e, "realtime");
	}
	out->clock_step = (uint64_t)wall - (uint64_t)jfr_timebase_moment(base, ticks);
	out->length = (uint64_t)wall - (uint64_t)base->start_nanos;
}

void merge_facts_read(const struct jfr_file_map *m, struct merge_facts *out)
{
	struct jfr_timebase base = {0};
	struct jfr_chunk *chunk;
	struct jfr_file f;

	*out = (struct merge_facts){.pid = UNKNOWN, .start_ms = UNKNOWN};
	jfr_file_init(&f, m->data, m->size);
	f.forget = m->file.forget;
	while ((chunk = jfr_file_next(&f))) {
		if (!chunk->number)
			base = chunk->clock;
		read_jvm(chunk, out);
		read_clock(chunk, &base, out);
		jfr_chunk_put(chunk);
	}
	jfr_file_release(&f);
}

static uint64_t size_of(int64_t n)
{
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

static bool differ(int64_t a, int64_t b, uint64_t by)
{
	return a != UNKNOWN && b != UNKNOWN && size_of((uint64_t)a - (uint64_t)b) > by;
}

static int check_jvm(const char *a_path, const struct merge_facts *a, const char *b_path, const struct merge_facts *b,
		     struct diag *d)
{
	if (differ(a->pid, b->pid, 0))
		return diag_set(d, EINVAL,
				"cannot merge: '%s' is of process %ld, '%s' of process %ld: they have to be of one JVM",
				a_path, a->pid, b_path, b->pid);
	if (differ(a->start_ms, b->start_ms, START_APART))
		return diag_set(
			d, EINVAL,
			"cannot merge: '%s' and '%s' are of two JVMs that were process %ld one after the other: they have to be of one",
			a_path, b_path, a->pid);
	return 0;
}

static void report_step(const char *path, const struct merge_facts *facts)
{
	uint64_t step = size_of(facts->clock_step);

	if (step > STEP_NANOS + size_of(facts->length) / DRIFT)
		log_line(
			"'%s': the wall clock was set %s by %s meanwhile; its events may be that far from those of the others",
			path, facts->clock_step > 0 ? "forward" : "back", log_time(step));
}

int merge_check(const struct jfr_file_map *maps, size_t count, struct diag *d)
{
	struct merge_facts *facts = calloc(count, sizeof(*facts));
	int err = facts ? 0 : diag_errno(d, ENOMEM, "cannot merge");

	for (size_t i = 0; i < count && !err; i++) {
		merge_facts_read(&maps[i], &facts[i]);
		for (size_t j = 0; j < i && !err; j++)
			err = check_jvm(maps[j].path, &facts[j], maps[i].path, &facts[i], d);
	}
	for (size_t i = 0; i < count && !err; i++)
		report_step(maps[i].path, &facts[i]);
	free(facts);
	return err;
}
