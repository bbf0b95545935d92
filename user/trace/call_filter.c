// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/call_filter.h"
#include "user/text/glob.h"
#include "user/trace/jfr_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define SECOND 1000000000ll
#define DAY    (24 * 3600 * SECOND)

/* Parse "21:31", "21:31:53" or "21:31:53.333". Returns false if it is no time of day. */
static bool read_time_of_day(const char *text, int64_t *ns)
{
	unsigned int hours, minutes, seconds = 0;
	int64_t fraction = 0, unit = SECOND / 10;
	int end = 0, read;

	if (strspn(text, "0123456789:.") != strlen(text))
		return false;
	read = sscanf(text, "%2u:%2u%n:%2u%n", &hours, &minutes, &end, &seconds, &end);
	if (read < 2)
		return false;
	text += end;
	if (*text == '.' && read == 3)
		for (text++; *text >= '0' && *text <= '9'; text++, unit /= 10)
			fraction += (*text - '0') * unit;
	if (*text || hours > 23 || minutes > 59 || seconds > 59)
		return false;
	*ns = (hours * 3600 + minutes * 60 + seconds) * SECOND + fraction;
	return true;
}

static int take_time(const char *option, const char *text, bool *given, int64_t *ns, struct diag *d)
{
	*given = text != NULL;
	if (text && !read_time_of_day(text, ns))
		return diag_usage(d, "wrong %s '%s': it has to be a time of day, as in 21:31 or 21:31:53.333", option,
				  text);
	return 0;
}

static int compile_methods(struct call_filter *f, struct filter_list *l, struct diag *d)
{
	size_t size;
	int err = filter_list_size(l) ? 0 : filter_list_add(l, "*", FILTER_TRACE, d);

	if (!err)
		err = filter_list_compile(l, &f->program, &size, d);
	if (err)
		return err;
	f->methods = (struct matcher){f->program, size};
	if (matcher_has_supertypes(&f->methods) || matcher_has_annotations(&f->methods))
		return diag_usage(
			d, "wrong filter: '+' and '@' do not work here, as a recording has neither supertypes nor "
			   "annotations; name classes, '*' stands for any characters");
	return 0;
}

int call_filter_init(struct call_filter *f, const struct call_filter_options *o, struct diag *d)
{
	int err;

	*f = (struct call_filter){.thread = o->thread, .slower_ns = o->slower_ns};
	err = take_time("--from", o->from, &f->has_from, &f->from, d);
	if (!err)
		err = take_time("--to", o->to, &f->has_to, &f->to, d);
	if (!err && o->methods)
		err = compile_methods(f, o->methods, d);
	return err;
}

void call_filter_release(struct call_filter *f)
{
	free(f->program);
	aggregate_release(&f->decided);
	aggregate_release(&f->threads);
	*f = (struct call_filter){0};
}

bool call_filter_is_empty(const struct call_filter *f)
{
	return !f->program && !f->thread && !f->slower_ns && !f->has_from && !f->has_to;
}

static bool put_terminated(struct bytes *out, const struct jfr_value *text)
{
	if (text->kind == VALUE_TEXT)
		bytes_put_decoded(out, &text->text);
	bytes_put_u8(out, 0);
	return !out->failed;
}

/* The least duration of a call of the method; UINT64_MAX: it does not pass. Returns 0 or -ENOMEM. */
static int decide(struct call_filter *f, struct jfr_chunk *chunk, struct jfr_value method, uint64_t *least)
{
	struct jfr_value class, part[3];
	struct slice text[3];
	struct matcher_decision decision;
	struct bytes memory;
	size_t at[3];
	bool good = true;

	jfr_resolve(chunk, &method);
	class = jfr_field(chunk, &method, "type");
	part[0] = jfr_field(chunk, &class, "name");
	part[1] = jfr_field(chunk, &method, "name");
	part[2] = jfr_field(chunk, &method, "descriptor");
	bytes_init(&memory);
	for (int i = 0; i < 3; i++) {
		at[i] = memory.size;
		good = good && put_terminated(&memory, &part[i]);
	}
	for (int i = 0; good && i < 3; i++)
		text[i] = slice_of((char *)memory.data + at[i]);
	if (good) {
		/* async-profiler writes dots; filters have the form of class files */
		for (size_t i = 0; i < text[0].length; i++)
			memory.data[i] = memory.data[i] == '.' ? '/' : memory.data[i];
		decision = matcher_decide(
			&f->methods,
			&(struct matcher_method){.class_name = text[0], .name = text[1], .descriptor = text[2]});
		*least = decision.threshold_ns != MATCHER_NO_THRESHOLD ? decision.threshold_ns : f->slower_ns;
		*least = decision.trace ? *least : UINT64_MAX;
	}
	bytes_release(&memory);
	return good ? 0 : -ENOMEM;
}

static uint64_t call_filter_key(const struct jfr_value *v)
{
	return v->kind == VALUE_KEY ? v->key : 0;
}

/* The same from the cache. */
static int least_duration(struct call_filter *f, struct jfr_chunk *chunk, const struct jfr_value *method,
			  uint64_t *least)
{
	struct group *g;

	*least = f->slower_ns;
	if (!f->program)
		return 0;
	g = aggregate_of_key(&f->decided, call_filter_key(method), chunk->number);
	if (!g)
		return -ENOMEM;
	if (!g->count && decide(f, chunk, *method, &g->mark))
		return -ENOMEM;
	g->count = 1;
	*least = g->mark;
	return 0;
}

int call_filter_has_method(struct call_filter *f, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	uint64_t least;

	return least_duration(f, chunk, method, &least) ? -ENOMEM : least != UINT64_MAX;
}

static int call_filter_has_thread(struct call_filter *f, struct jfr_chunk *chunk, const struct jfr_value *thread)
{
	struct bytes name;
	struct group *g;

	if (!f->thread)
		return 1;
	g = aggregate_of_key(&f->threads, call_filter_key(thread), chunk->number);
	if (!g)
		return -ENOMEM;
	if (g->count)
		return g->mark;
	bytes_init(&name);
	put_thread_name(&name, chunk, *thread, "");
	bytes_put_u8(&name, 0);
	if (name.failed)
		return -ENOMEM;
	g->mark = glob_matches(f->thread, strlen(f->thread), (char *)name.data);
	g->count = 1;
	bytes_release(&name);
	return g->mark;
}

/* From 23:00 to 1:00 is a range, too. */
static bool has_moment(const struct call_filter *f, int64_t moment, int64_t utc_offset)
{
	int64_t of_day = (moment + utc_offset * SECOND) % DAY;
	bool after, before;

	of_day += of_day < 0 ? DAY : 0;
	after = !f->has_from || of_day >= f->from;
	before = !f->has_to || of_day < f->to;
	return f->has_from && f->has_to && f->from > f->to ? after || before : after && before;
}

static int call_filter_has_span(struct call_filter *f, struct jfr_chunk *chunk, const struct jfr_value *thread,
				int64_t start, int64_t duration, uint64_t least, int64_t utc_offset)
{
	if (least == UINT64_MAX || (least && (duration < 0 || (uint64_t)duration < least)))
		return 0;
	return has_moment(f, start, utc_offset) ? call_filter_has_thread(f, chunk, thread) : 0;
}

int call_filter_has(struct call_filter *f, const struct call *call, int64_t utc_offset)
{
	uint64_t least;

	if (least_duration(f, call->chunk, &call->method, &least))
		return -ENOMEM;
	return call_filter_has_span(f, call->chunk, &call->thread, call->start, call->duration, least, utc_offset);
}

int call_filter_has_wait(struct call_filter *f, const struct thread_wait *wait, int64_t utc_offset)
{
	return call_filter_has_span(f, wait->chunk, &wait->thread, wait->start, wait->duration, f->slower_ns,
				    utc_offset);
}
