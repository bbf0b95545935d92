// SPDX-License-Identifier: BSD-2-Clause
/* The records of native methods: of threads, of calls that have ended, and of those that are open. */
#include "user/capture/natives_internal.h"
#include "user/capture/native_probes.h"
#include "user/capture/roots.h"
#include "user/hotspot/threads.h"
#include "user/jvm/jvm_model.h"

#include "frtrace.skel.h"

#include <stdio.h>
#include <string.h>

/* What the JVM's memory, or else the dump that was taken before, says of the thread. */
static void name_thread(const struct natives *n, const struct frt_native_thread *r, struct thread_object *out)
{
	const struct jvm_model *model = native_places_model(n->places);
	const struct hotspot_layout *l = &model->layout;
	const struct mem *m = &model->remote.mem;
	const struct dump_thread *known;
	uint32_t tid;

	if (!thread_object_read(out, l, m, r->java_thread) && !hotspot_thread_tid(l, m, r->java_thread, &tid) &&
	    tid == r->tid)
		return;
	known = java_threads_find(&n->session->threads, r->tid);
	out->java_id = known ? known->java_id : 0;
	if (known)
		snprintf(out->name, sizeof(out->name), "%s", known->name);
	else
		snprintf(out->name, sizeof(out->name), "%.*s", (int)sizeof(r->name), r->name);
}

static bool natives_on_thread(struct natives *n, const struct frt_native_thread *r, size_t size)
{
	struct thread_object known;
	struct frt_thread *row;

	if (size < sizeof(*r) || !n->places)
		return false;
	n->session->bpf->data->target_process = r->process;
	row = native_rows_add_thread(&n->session->segment.natives, r->thread);
	if (!row)
		return true;
	row->tid = r->tid;
	row->jni_env = r->java_thread;
	name_thread(n, r, &known);
	row->java_id = known.java_id;
	native_rows_name_thread(row, known.name, n->session->target);
	return true;
}

/* The number + 1 of the method that the stack's innermost frame is of; 0: of none of the function's. */
static uint32_t method_of_stack(const struct natives *n, const struct function *f, uint32_t id)
{
	for (size_t i = 0; i < f->methods; i++)
		if (!id || copied_stacks_is_call_of(n->session->call_stacks, id, n->method[f->method[i]].id))
			return f->method[i] + 1;
	return 0;
}

static void take_frames(struct natives *n, const struct frt_native_stack *r, uint32_t function)
{
	struct frt_frame frame[FRT_NATIVE_FRAMES];
	uint32_t id = 0;

	if (n->session->call_stacks) {
		memcpy(frame, r->frame, sizeof(frame));
		id = copied_stacks_take_call(n->session->call_stacks, frame, r->call.frames, r->call.flags >> 8);
	}
	if (!id && n->function[function].methods > 1) /* there was no time: it is to be sent again */
		return;
	n->stack[recent_put(&n->stacks, r->call.stack)] = (struct known_stack){
		.id = id, .function = function, .method = method_of_stack(n, &n->function[function], id)};
}

/* NULL: it is forgotten. */
static const struct known_stack *known_stack_of(const struct natives *n, const struct frt_native_call *r)
{
	size_t at = recent_find(&n->stacks, r->stack);

	return at < RECENT_PLACES && n->stack[at].function == r->function ? &n->stack[at] : NULL;
}

/*
 * Whose call it was, and its stack. 0: of no method that is traced, which is counted. Without its stack, a call of a function
 * that several methods share may be any one's.
 */
static uint32_t natives_call_of(struct natives *n, const struct frt_native_call *r, uint32_t *stack)
{
	const struct known_stack *k = r->stack ? known_stack_of(n, r) : NULL;
	const struct function *f = &n->function[r->function];

	*stack = k ? k->id : 0;
	if (k || !r->stack || !f->methods) {
		uint32_t number = k ? k->method : f->methods ? f->method[0] + 1 : 0;

		n->counts.strange += !number;
		return number;
	}
	*stack = FRT_STACK_LOST;
	native_probes_forget_stack(n->probes, r->stack); /* have it sent again */
	if (f->methods == 1)
		return f->method[0] + 1;
	n->counts.lost++;
	return 0;
}

static void note_java_id(struct natives *n, const struct frt_native_call *r)
{
	struct native_rows *rows = &n->session->segment.natives;
	struct frt_thread *row = r->java_id && r->thread & FRT_NATIVE_KEY && rows->thread_capacity
					 ? &rows->thread[r->thread % rows->thread_capacity]
					 : NULL;

	if (row && row->serial == r->thread && !row->carrier)
		row->java_id = r->java_id;
}

/* The call's span belongs to the virtual thread `on` if that is not NULL, else to the thread itself. */
static struct frt_span natives_span(const struct natives *n, const struct frt_native_call *r, uint32_t number,
				    uint32_t stack, const struct stream_vthread *on)
{
	uint64_t start = clock_tsc(n->session->clock, r->start);

	return (struct frt_span){.start = start,
				 .duration = clock_tsc(n->session->clock, r->end) - start,
				 .method = n->method[number - 1].id,
				 .stack = stack,
				 .thread = r->thread,
				 .kind = FRT_SPAN,
				 .flags = FRT_SPAN_NATIVE | (on ? FRT_SPAN_VIRTUAL : 0) |
					  (r->flags & FRT_NATIVE_THROWN ? FRT_SPAN_THROWN : 0)};
}

static bool natives_on_call(struct natives *n, const struct frt_native_call *r, size_t size)
{
	const struct stream_vthread v = {.java_id = r->java_id}, *on;
	const struct stream_sink *to = &n->session->sink;
	uint32_t stack, number;
	struct frt_thread row;
	struct frt_span span;
	bool named, carrier;

	if (size < sizeof(*r) || r->function >= n->functions || r->frames > FRT_NATIVE_FRAMES || r->end < r->start)
		return false;
	if (r->frames && size >= sizeof(struct frt_native_stack))
		take_frames(n, (const struct frt_native_stack *)r, r->function);
	number = natives_call_of(n, r, &stack);
	if (!number)
		return true;
	note_java_id(n, r);
	named = segment_thread(&n->session->segment, r->thread, &row);
	n->counts.unnamed += r->thread & FRT_NATIVE_KEY && !named;
	carrier = named && row.carrier;
	on = carrier && r->java_id && row.java_id != r->java_id ? &v : NULL;
	span = natives_span(n, r, number, stack, on);
	if (n->session->rates)
		call_rates_add(n->session->rates, span.method, span.thread);
	if (n->roots) {
		/* up to JDK 23, only calls of other methods in the root tell which virtual thread a carrier runs */
		roots_take_native(n->roots, r->root, carrier && !r->java_id ? 0 : r->root_due, &span, on);
		return true;
	}
	to->cover(to->context, span.start + span.duration);
	to->spans(to->context, &span, 1, on);
	return true;
}

/* The thread has gone on if it is in no method of the innermost call's function. */
static uint32_t natives_open_stack(const struct natives *n, const struct frt_native_open *r, uint32_t *innermost)
{
	struct copied_stacks *stacks = n->session->call_stacks;
	const struct function *f = &n->function[r->function[r->count - 1]];
	uint32_t call = 0, id = stacks ? copied_stacks_take_open(stacks, r->java_thread, &call) : 0;
	uint32_t number = id ? method_of_stack(n, f, call) : 0;

	*innermost = number ? number - 1 : f->method[0];
	return number ? id : 0;
}

static bool natives_on_open(struct natives *n, const struct frt_native_open *r, size_t size)
{
	uint32_t innermost, stack;

	if (size < sizeof(*r) || !r->count || r->count > FRT_OPEN_NATIVES)
		return false;
	for (uint32_t i = 0; i < r->count; i++)
		if (r->function[i] >= n->functions || !n->function[r->function[i]].methods)
			return false;
	stack = natives_open_stack(n, r, &innermost);
	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t number = i + 1 < r->count ? n->function[r->function[i]].method[0] : innermost;

		if (!r->start[i])
			continue;
		native_rows_add_open(&n->session->segment.natives,
				     &(struct native_open){.start = clock_tsc(n->session->clock, r->start[i]),
							   .method = n->method[number].id,
							   .thread = r->thread,
							   .stack = stack});
	}
	return true;
}

bool natives_take(struct session *s, const void *record, size_t size)
{
	switch (*(const uint32_t *)record) {
	case FRT_NATIVE_THREAD: return natives_on_thread(s->natives, record, size);
	case FRT_NATIVE_CALL: return natives_on_call(s->natives, record, size);
	case FRT_NATIVE_OPEN: return natives_on_open(s->natives, record, size);
	default: return false;
	}
}
