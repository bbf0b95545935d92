// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/call_filter.h"
#include "filters/glob.h"
#include "user/trace/jfr_names.h"

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
	if (!err && o->where)
		err = value_filter_parse(&f->value, o->where, d);
	return err;
}

void call_filter_release(struct call_filter *f)
{
	free(f->program);
	free(f->least);
	value_filter_release(&f->value);
	call_spans_release(&f->spans);
	chunk_map_release(&f->decided);
	chunk_map_release(&f->threads);
	*f = (struct call_filter){0};
}

bool call_filter_is_empty(const struct call_filter *f)
{
	return !f->program && !f->thread && !f->slower_ns && !f->has_from && !f->has_to && !f->value.field;
}

/* The least duration of a call of the method; UINT64_MAX: it does not pass. */
static uint64_t decide(const struct call_filter *f, struct jfr_chunk *chunk, struct jfr_value method)
{
	struct matcher_decision decision;
	struct method_parts parts;

	jfr_resolve(chunk, &method);
	method_parts_take(&parts, chunk, &method, -1);
	/* async-profiler writes dots, and so do mappings; filters have the form of class files */
	for (size_t i = 0; i < parts.class_name.size; i++)
		parts.class_name.data[i] = parts.class_name.data[i] == '.' ? '/' : parts.class_name.data[i];
	decision = matcher_decide(&f->methods,
				  &(struct matcher_method){.class_name = slice_of(memory_text(&parts.class_name)),
							   .name = slice_of(memory_text(&parts.name)),
							   .descriptor = slice_of(memory_text(&parts.descriptor))});
	method_parts_release(&parts);
	if (!decision.trace)
		return UINT64_MAX;
	return decision.threshold_ns != MATCHER_NO_THRESHOLD ? decision.threshold_ns : f->slower_ns;
}

/* The same from the cache. */
static uint64_t least_duration(struct call_filter *f, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	uint32_t *number;

	if (!f->program)
		return f->slower_ns;
	if (f->decided.chunk != chunk->number)
		f->leasts = 0;
	number = chunk_map_at(&f->decided, chunk, method, 0);
	if (!*number) {
		memory_reserve(&f->least, &f->least_capacity, f->leasts + 1);
		f->least[f->leasts++] = decide(f, chunk, *method);
		*number = f->leasts;
	}
	return f->least[*number - 1];
}

bool call_filter_has_method(struct call_filter *f, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	return least_duration(f, chunk, method) != UINT64_MAX;
}

static bool call_filter_has_thread(struct call_filter *f, struct jfr_chunk *chunk, const struct jfr_value *thread)
{
	enum { NOT_ASKED, REFUSED, PASSED };
	uint32_t *known;
	struct bytes name;

	if (!f->thread)
		return true;
	known = chunk_map_at(&f->threads, chunk, thread, 0);
	if (*known == NOT_ASKED) {
		bytes_init(&name);
		put_thread_name(&name, chunk, *thread, "");
		*known = glob_matches(GLOB_TEXT, slice_of(f->thread), slice_of(memory_text(&name))) ? PASSED : REFUSED;
		bytes_release(&name);
	}
	return *known == PASSED;
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

static bool call_filter_has_span(struct call_filter *f, struct jfr_chunk *chunk, const struct jfr_value *thread,
				 int64_t start, int64_t duration, uint64_t least, int64_t utc_offset)
{
	if (least == UINT64_MAX || (least && (duration < 0 || (uint64_t)duration < least)))
		return false;
	return has_moment(f, start, utc_offset) && call_filter_has_thread(f, chunk, thread);
}

static bool call_filter_has_value(struct call_filter *f, const struct call *call)
{
	if (!f->value.field)
		return true;
	switch (f->scope) {
	case SCOPE_REQUEST: return call_spans_are_in(&f->spans, call);
	case SCOPE_REQUESTS: return call_spans_have_call(&f->spans, call);
	default: return value_filter_has(&f->value, call);
	}
}

bool call_filter_has(struct call_filter *f, const struct call *call, int64_t utc_offset)
{
	return call_filter_is_empty(f) ||
	       (call_filter_has_span(f, call->chunk, &call->thread, call->start, call_longest(call),
				     least_duration(f, call->chunk, &call->method), utc_offset) &&
		call_filter_has_value(f, call));
}

bool call_filter_has_kind(struct call_filter *f, const struct call *call)
{
	uint64_t least = least_duration(f, call->chunk, &call->method);

	return least != UINT64_MAX && (!least || (uint64_t)call_longest(call) >= least) &&
	       value_filter_has(&f->value, call);
}

bool call_filter_has_wait(struct call_filter *f, const struct thread_wait *wait, int64_t utc_offset)
{
	bool by_call = f->scope == SCOPE_WAITS || f->scope == SCOPE_REQUESTS;

	if (call_filter_is_empty(f))
		return true;
	return call_filter_has_span(f, wait->chunk, &wait->thread, wait->start, wait->duration, f->slower_ns,
				    utc_offset) &&
	       (!by_call || call_spans_have(&f->spans, thread_number(wait->chunk, wait->thread), wait_middle(wait)));
}

bool call_filter_has_moment(const struct call_filter *f, uint64_t thread, int64_t moment)
{
	return f->scope != SCOPE_REQUESTS || call_spans_have(&f->spans, thread, moment);
}
