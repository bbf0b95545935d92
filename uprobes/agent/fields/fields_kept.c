// SPDX-License-Identifier: BSD-2-Clause
/*
 * What calls keep for later ones with the same object. A call that returns first hands over the object, which opens a row, and
 * then the values; the last one shows the row to others. Between them no Java code runs, and each such call begins with the
 * object, so that what an exception has cut short is never completed by another call.
 */
#include "uprobes/agent/fields/fields_internal.h"
#include "uprobes/agent/ring.h"

#define VALUES_MOST 8u /* that a row has room for, of those of one event */

/* The most values that an event keeps. Behind its keys, the alternatives of each value stand together. */
static uint32_t values_kept(const struct live_plan *p)
{
	const struct plan_field *before = NULL;
	uint32_t most = 0, n = 0;

	for (uint32_t i = 0; i < plan_fields(&p->plan); i++) {
		const struct plan_field *f = plan_field(&p->plan, i);

		if (f->role == PLAN_KEY)
			n = 0;
		else if (f->role == PLAN_KEPT)
			n += !before || before->role != PLAN_KEPT || before->value != f->value;
		most = n > most ? n : most;
		before = f;
	}
	return most > VALUES_MOST ? VALUES_MOST : most;
}

bool fields_kept_begin(struct live_plan *p)
{
	uint32_t text = ((const struct plan_header *)p->plan.bytes)->text, n = values_kept(p), per_text;

	text = text < FRT_FIELD_TEXT_MAX ? text : FRT_FIELD_TEXT_MAX;
	per_text = (sizeof(uint32_t) + text * sizeof(jchar)) / sizeof(((struct frt_field *)NULL)->data) + 1;
	if (n || fields_have_from(p))
		p->kept = kept_new(n * per_text);
	return p->kept || !(n || fields_have_from(p));
}

void fields_kept_end(JNIEnv *env, struct live_plan *p)
{
	kept_free(env, p->kept);
}

/* The records of a value in a row, up to the last one; 0: there are none. */
static uint32_t find_value(const struct kept_row *row, uint32_t value, uint32_t *first)
{
	uint32_t n = 0;

	*first = 0;
	while (*first < row->records && row->record[*first].number != value)
		++*first;
	while (*first + n < row->records && row->record[*first + n].number == value)
		n++;
	return n;
}

/* Of several alternatives the first one that has a value counts. */
static void keep_value(JNIEnv *env, struct frt_slot *s, struct live_plan *p, const struct plan_field *f,
		       const struct field_value *v, struct kept_row *row)
{
	struct kept_sink *sink = &kept_sinks[s - control_slot(0)];
	uint32_t before = row->records, first;

	if (find_value(row, f->value, &first))
		return;
	*sink = (struct kept_sink){.table = p->kept, .row = row};
	field_text_put(env, s, f->value, 0, fields_kind(&p->plan, f), ((const struct plan_header *)p->plan.bytes)->text,
		       v);
	if (sink->full || (row->records > before &&
			   (row->record[before].form == FRT_FORM_NULL || row->record[before].form == FRT_FORM_ABSENT)))
		row->records = before;
	sink->table = NULL;
}

void fields_keep(JNIEnv *env, struct frt_slot *s, struct live_plan *p, const struct plan_field *f,
		 const struct field_value *v, bool last)
{
	struct kept_row **row = p->kept ? kept_own(p->kept, s - control_slot(0)) : NULL;

	if (!row)
		return;
	if (f->role == PLAN_KEY) {
		if (*row)
			kept_drop(env, *row);
		*row = v->form == FIELD_OBJECT && v->object ? kept_open(env, p->kept, v->object, f->kept_event) : NULL;
	} else if (*row) {
		keep_value(env, s, p, f, v, *row);
	}
	if (last && *row) {
		kept_publish(env, p->kept, *row);
		*row = NULL;
	}
}

/* The row that an event of the slot's thread has asked last. */
static struct recalled {
	uint64_t row;	      /* see kept_row_number() */
	uint32_t after, hash; /* after: the number of the value + 1; 0: no event has asked */
	uint16_t event, kept_event;
} recalled[FRT_MAX_SLOTS];

/*
 * Another thread may keep other values of the object between two values of an event, which come in the order of their numbers.
 * False if an earlier value of this event is of another row of this object.
 */
static bool is_same_row(struct recalled *last, const struct kept_row *row, uint32_t number, uint16_t event)
{
	struct recalled now = {kept_row_number(row), number + 1, row->hash, event, row->event};
	bool is_first = number < last->after || !last->after || now.event != last->event;

	if (!is_first && now.kept_event == last->kept_event && now.hash == last->hash && now.row != last->row)
		return false;
	*last = now;
	return true;
}

void fields_recall(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, struct live_plan *p,
		   const struct plan_field *f, const struct field_value *v)
{
	struct kept_row *row = v->form == FIELD_OBJECT && v->object && p->kept
				       ? kept_find(env, p->kept, v->object, f->kept_event)
				       : NULL;
	struct recalled *last = &recalled[s - control_slot(0)];
	uint32_t first,
		n = row && is_same_row(last, row, number, f->event) ? find_value(row, f->kept_value, &first) : 0;

	if (flags & FRT_FIELD_LAST)
		last->after = 0;
	if (!n)
		field_put_null(s, number, flags);
	for (uint32_t i = 0; i < n; i++) {
		struct frt_field r = row->record[first + i];
		uint64_t words[4];

		r.number = number;
		r.flags = i + 1 < n ? FRT_FIELD_MORE : flags;
		memcpy(words, &r, sizeof(words));
		if (ring_put(s, words))
			ring_drain(s, sys_tsc());
	}
	if (row)
		kept_done(env, row);
}
