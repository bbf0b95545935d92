// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/span.h"
#include "uprobes/agent/allocated.h"

#define VALUES 2u /* that every call may have */

/* Returns the number of values. */
static uint32_t read_call_values(const struct frt_slot *s, uint64_t start, uint64_t flags,
				 struct frt_field value[VALUES])
{
	uint32_t n = 0;
	uint64_t bytes;

	if (s->flags & FRT_SLOT_ALLOCATED && allocated_take(s, start, flags, &bytes)) {
		value[n] = (struct frt_field){
			.number = FRT_FIELD_ALLOCATED, .size = 8, .form = FRT_FORM_INTEGER, .kind = FRT_FIELD};
		memcpy(value[n++].data, &bytes, sizeof(bytes));
	}
	if (trace_context_is_published() && trace_context_read(s, flags, &value[n]))
		n++;
	return n;
}

void span_append_with_values(struct frt_slot *s, uint64_t start, uint64_t now, uint32_t method, uint64_t stack,
			     uint64_t flags)
{
	union {
		struct frt_field field[VALUES];
		uint64_t words[VALUES][FRT_RECORD_SIZE / 8];
	} r;
	uint32_t values = read_call_values(s, start, flags, r.field);

	span_append(s, start, now, method, stack, values ? flags | FRT_SPAN_FIELDS : flags);
	for (uint32_t i = 0; i < values; i++) {
		r.field[i].flags = i + 1 < values || flags & FRT_SPAN_FIELDS ? 0 : FRT_FIELD_LAST;
		ring_append(s, r.words[i], now);
	}
}

static const struct frt_span *record_before(const struct frt_slot *s, uint64_t distance)
{
	return (const struct frt_span *)(ring_at(s) + ((s->head - distance) & (ring_size(s) - 1)));
}

static bool is_value_of_call(const struct frt_span *r)
{
	uint16_t number = ((const struct frt_field *)r)->number;

	return r->kind == FRT_FIELD && (number == FRT_FIELD_TRACE || number == FRT_FIELD_ALLOCATED);
}

const struct frt_span *span_last(const struct frt_slot *s, uint64_t start)
{
	const struct frt_span *last;
	uint64_t distance = FRT_RECORD_SIZE;

	if (!s->ring || !s->head)
		return NULL;
	last = record_before(s, distance);
	while (is_value_of_call(last) && distance <= VALUES * FRT_RECORD_SIZE)
		last = record_before(s, distance += FRT_RECORD_SIZE);
	return last->kind == FRT_SPAN && last->start == start && last->flags & FRT_SPAN_FIELDS ? last : NULL;
}
