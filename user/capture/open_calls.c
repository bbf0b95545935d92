// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/open_calls.h"

#include <stdlib.h>
#include <string.h>

/* Number of outermost calls that two copies of a slot have in common. */
static uint32_t common(const struct frt_slot *a, const struct frt_slot *b)
{
	uint32_t n = 0, limit = a->depth < b->depth ? a->depth : b->depth;

	if (a->thread != b->thread)
		return 0;
	while (n < limit && n < FRT_OPEN_CALLS && a->open[n].start == b->open[n].start &&
	       a->open[n].method == b->open[n].method)
		n++;
	return n;
}

/* Copy the slot. Returns the number of its open calls. */
static uint32_t copy_slot(const struct frt_slot *from, struct frt_slot *to)
{
	struct frt_slot first;

	memcpy(&first, from, sizeof(first));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	memcpy(to, from, sizeof(*to));
	return common(&first, to);
}

static void find_stack(const struct segment *segment, const struct frt_slot *s, uint32_t i, struct open_call *c)
{
	if (!segment_has_dump(segment, s->open_dump_epoch))
		c->remark = "no stack: the thread was not looked at";
	else if (i >= s->open_dump_open || c->start > s->open_dump_at)
		c->remark = "no stack: it began while stacks were taken";
	else
		c->stack = s->open_dump_stack;
}

struct walk {
	const struct segment *segment;
	const char *no_stacks;
	void (*visit)(void *context, const struct open_call *call);
	void *context;
	uint64_t shown;
};

static void open_calls_show(struct walk *w, const struct open_call *c)
{
	w->visit(w->context, c);
	w->shown++;
}

static void show_slot(struct walk *w, const struct frt_slot *slot)
{
	const struct frt_header *h = segment_header(w->segment);
	struct frt_slot copy;
	uint32_t open = slot->epoch == h->epoch && slot->depth ? copy_slot(slot, &copy) : 0;

	for (uint32_t i = 0; i < open; i++) {
		struct open_call c = {.start = copy.open[i].start,
				      .method = copy.open[i].method,
				      .thread = copy.thread,
				      .remark = w->no_stacks};

		if (!segment_has_call(w->segment, c.method, c.start))
			continue;
		if (!w->no_stacks && segment_has_dump(w->segment, copy.open_dump_epoch) && copy.open_dump_dead >> i & 1)
			continue;
		if (!w->no_stacks)
			find_stack(w->segment, &copy, i, &c);
		open_calls_show(w, &c);
	}
}

/* Their stacks do not come from the agent, so there are some without an open-call dump. */
static void show_native(struct walk *w, const struct native_open *call)
{
	struct open_call c = {.start = call->start,
			      .method = call->method,
			      .thread = call->thread,
			      .stack = call->stack,
			      .native = true};

	if (!segment_has_call(w->segment, c.method, c.start))
		return;
	if (!c.stack)
		c.remark = "no stack: the thread has gone on, or its stack cannot be read";
	open_calls_show(w, &c);
}

/* A call with the same start before and after the copy is the same call. */
static bool copy_virtual(const struct frt_virtual_call *from, struct frt_virtual_call *to)
{
	uint64_t start = __atomic_load_n(&from->start, __ATOMIC_ACQUIRE);

	if (start <= 1)
		return false;
	memcpy(to, from, sizeof(*to));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return to->start == start && __atomic_load_n(&from->start, __ATOMIC_RELAXED) == start;
}

/* A carrier that runs code of its own has its own Java id. */
static bool is_carriers_own(const struct walk *w, const struct frt_virtual_call *call)
{
	struct frt_thread row;

	return segment_thread(w->segment, call->carrier, &row) && row.java_id == call->java_id;
}

static void name_virtual(const struct walk *w, uint32_t i, struct stream_vthread *v)
{
	const struct frt_virtual_name *name = segment_virtual_name(w->segment, i);
	size_t length = __atomic_load_n(&name->length, __ATOMIC_RELAXED);

	if (length > sizeof(name->name))
		length = sizeof(name->name);
	memcpy(v->name, name->name, length);
	v->name[length] = 0;
}

static void show_virtual(struct walk *w, uint32_t i, const struct frt_virtual_call *row)
{
	struct frt_virtual_call call;
	struct open_call c = {.remark = w->no_stacks};

	if (!copy_virtual(row, &call) || !segment_has_call(w->segment, call.method, call.start))
		return;
	c.start = call.start;
	c.method = call.method;
	if (is_carriers_own(w, &call))
		c.thread = call.carrier;
	else
		c.vthread.java_id = call.java_id;
	if (call.open_dump)
		name_virtual(w, i, &c.vthread);
	if (!w->no_stacks && call.open_dump && segment_has_dump(w->segment, call.open_dump))
		c.stack = call.stack;
	else if (!w->no_stacks)
		c.remark = "no stack: the virtual thread was not found, or not in this call";
	open_calls_show(w, &c);
}

uint64_t open_calls_each(const struct segment *s, const char *no_stacks,
			 void (*visit)(void *context, const struct open_call *call), void *context)
{
	struct walk w = {.segment = s, .no_stacks = no_stacks, .visit = visit, .context = context};
	const struct frt_virtual_call *row;
	const struct frt_slot *slot;

	for (uint32_t i = 0; (slot = segment_slot(s, i)); i++)
		show_slot(&w, slot);
	for (size_t i = 0; i < s->natives.opens; i++)
		show_native(&w, &s->natives.open[i]);
	for (uint32_t i = 0; (row = segment_virtual_call(s, i)); i++)
		show_virtual(&w, i, row);
	return w.shown;
}

size_t open_calls_of(const struct segment *s, uint32_t thread, uint64_t starts[FRT_OPEN_CALLS])
{
	const struct frt_slot *slot;
	struct frt_slot copy;
	size_t open, ours = 0;

	for (uint32_t i = 0; (slot = segment_slot(s, i)); i++)
		if (slot->thread == thread && !(slot->flags & FRT_SLOT_CARRIER))
			break;
	open = slot ? copy_slot(slot, &copy) : 0;
	if (open && copy.thread != thread)
		return 0;
	for (size_t i = 0; i < open; i++)
		if (segment_has_call(s, copy.open[i].method, copy.open[i].start))
			starts[ours++] = copy.open[i].start;
	return ours;
}

static int compare_stamps(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

size_t open_calls_of_virtual(const struct segment *s, uint32_t key, uint64_t starts[FRT_OPEN_CALLS])
{
	const struct frt_virtual_call *row;
	struct frt_virtual_call call;
	size_t open = 0;

	for (uint32_t i = 0; (row = segment_virtual_call(s, i)) && open < FRT_OPEN_CALLS; i++)
		if (copy_virtual(row, &call) && frt_virtual_key(call.java_id) == key &&
		    segment_has_call(s, call.method, call.start))
			starts[open++] = call.start;
	qsort(starts, open, sizeof(starts[0]), compare_stamps);
	return open;
}
