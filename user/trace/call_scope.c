// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/call_scope.h"
#include "user/trace/call_fields.h"

#include <errno.h>
#include <stdlib.h>

struct scope_reader {
	struct call_filter *filter;
	enum call_scope scope;
	struct call_spans spans; /* of calls that pass */
	struct call_spans all;	 /* of SCOPE_REQUESTS: every call */
};

static int scope_on_call(const struct call *call, void *context)
{
	struct scope_reader *r = context;

	if (r->scope == SCOPE_WAITS ? call_filter_has_kind(r->filter, call) : value_filter_has(&r->filter->value, call))
		call_spans_add(&r->spans, call);
	if (r->scope == SCOPE_REQUESTS)
		call_spans_add(&r->all, call);
	return 0;
}

/* Of the outermost calls, keep those that have one of the spans in them. */
static void scope_keep_requests(struct call_spans *all, const struct call_spans *with_value)
{
	size_t kept = 0, n = 0;

	call_spans_sort(all);
	call_spans_keep_outermost(all);
	for (size_t i = 0; i < all->count; i++) {
		const struct call_spans_span *outer = &all->span[i];
		const struct call_spans_span *inner;

		while (n < with_value->count && call_spans_compare(&with_value->span[n], outer) < 0)
			n++;
		inner = n < with_value->count ? &with_value->span[n] : NULL;
		if (inner && inner->thread == outer->thread && span_contains(&outer->span, &inner->span))
			all->span[kept++] = *outer;
	}
	all->count = kept;
}

static int scope_check_field(const struct call_filter *f, const char *type, const struct jfr_file *file, struct diag *d)
{
	const char *field = f->value.field;
	struct bytes near;
	int err = 0;

	bytes_init(&near);
	if (field && !call_fields_have(file, type, field, &near))
		err = diag_set(d, ENOENT, type ? "%s has no field '%s'%s" : "%s has a field '%s'%s", type ?: "no call",
			       field, memory_text(&near));
	bytes_release(&near);
	return err;
}

int call_scope_prepare(struct call_filter *f, enum call_scope scope, const char *type, const struct jfr_file *file,
		       struct diag *d)
{
	static const struct trace_ops ops = {.call = scope_on_call};
	struct scope_reader r = {.filter = f, .scope = scope};
	bool wanted = f->value.field ? scope != SCOPE_CALL : f->program && scope == SCOPE_WAITS;
	uint64_t slower_ns = f->slower_ns;
	struct jfr_file again;
	int err = scope_check_field(f, type, file, d);

	if (err || !wanted)
		return err;
	f->slower_ns = 0; /* of waits, it is about them */
	jfr_file_again(&again, file);
	trace_read_all(&again, &(struct trace_reader){.ops = &ops, .context = &r}, 1);
	jfr_file_release(&again);
	f->slower_ns = slower_ns;
	f->decided.chunk = UINT32_MAX; /* forget decisions without it */
	call_spans_sort(&r.spans);
	if (scope == SCOPE_WAITS)
		call_spans_keep_outermost(&r.spans);
	if (scope == SCOPE_REQUESTS)
		scope_keep_requests(&r.all, &r.spans);
	call_spans_release(&f->spans); /* of a view before this one */
	f->spans = scope == SCOPE_REQUESTS ? r.all : r.spans;
	if (scope == SCOPE_REQUESTS)
		call_spans_release(&r.spans);
	f->scope = scope;
	return 0;
}
