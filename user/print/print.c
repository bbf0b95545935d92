// SPDX-License-Identifier: BSD-2-Clause
/*
 * Text output sorts the events of the whole file by end time, within a window (sorter.h). A contextual event enters the
 * sorter up to three times: for printing, at its start and at its end, to enclose the events in between. JSON output
 * sorts each chunk separately, as `jfr` does.
 */
#include "user/print/print.h"
#include "user/print/context.h"
#include "user/print/event_json.h"
#include "user/print/event_text.h"
#include "user/trace/sorter.h"
#include "user/trace/wait.h"

#include <stdlib.h>

#define WINDOW_CHUNKS 1000 /* as many stay mapped, at most, while the window has events of them */

struct print {
	struct printer *printer;
	struct select *select;
	struct sorter sorter;
	struct contexts contexts;
	bool first;
};

static bool is_contextual(const struct meta_type *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (t->fields[i].contextual)
			return true;
	return false;
}

/* Set *key to the event's thread. False: no thread. */
static bool print_thread_of(struct jfr_chunk *chunk, const struct jfr_event *e, uint64_t *key)
{
	/* a sample is written by a thread of the JVM's own: it is about another one */
	int thread = e->type->thread >= 0 ? e->type->thread : meta_type_field(e->type, "sampledThread");
	struct jfr_value event = jfr_event_value(e), v = {.kind = VALUE_NULL};
	struct cursor c = jfr_enter(chunk, &event);

	for (int i = 0; i <= thread; i++)
		jfr_take(&c, &e->type->fields[i], &v);
	if (thread < 0 || v.kind != VALUE_KEY || !jfr_chunk_constant(chunk, v.type, v.key))
		return false;
	*key = chunk->mixed ? thread_number(chunk, v) : v.key;
	return *key || !chunk->mixed;
}

static void put_text_event(struct print *p, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	const struct thread_contexts *around = NULL;
	uint64_t thread;

	if (p->contexts.capacity && !is_contextual(e->type) && print_thread_of(chunk, e, &thread))
		around = contexts_of(&p->contexts, thread);
	event_text_put(p->printer, chunk, e, around ? around->context : NULL, around ? around->count : 0);
}

static void change_context(struct print *p, const struct sorter_entry *entry, const struct jfr_event *e)
{
	uint64_t thread;

	if (!print_thread_of(entry->chunk, e, &thread))
		return;
	if (entry->tie)
		contexts_leave(&p->contexts, thread, entry->chunk, e);
	else
		contexts_enter(&p->contexts, thread, entry->chunk, e);
}

static void print_until(struct print *p, size_t left)
{
	struct sorter_entry entry;

	while (p->sorter.count > left && !printer_stopped(p->printer)) {
		struct jfr_event e;

		sorter_take(&p->sorter, &entry);
		if (!jfr_chunk_event(entry.chunk, entry.at, &e))
			; /* the file changed meanwhile; jfr_file_verdict() reports it */
		else if (entry.context)
			change_context(p, &entry, &e);
		else
			put_text_event(p, entry.chunk, &e);
		jfr_chunk_put(entry.chunk);
	}
}

static void print_add(struct print *p, struct sorter_entry entry, int64_t time, bool end, bool context)
{
	entry.time = time;
	entry.tie = end;
	entry.context = context;
	sorter_add(&p->sorter, &entry);
}

static void add_event(struct print *p, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct jfr_times times = jfr_event_times(chunk, e);
	int64_t end = jfr_timebase_moment(&chunk->clock, (uint64_t)times.start + (uint64_t)times.duration);
	struct sorter_entry entry = {.at = e->at, .chunk = chunk};

	if (is_contextual(e->type)) {
		print_add(p, entry, jfr_timebase_moment(&chunk->clock, times.start), false, true);
		print_add(p, entry, end, true, true);
	}
	if (select_has(p->select, e))
		print_add(p, entry, end, true, false);
	print_until(p, SORTER_WINDOW);
}

/* A directory may have a hundred thousand chunks of a few events. */
static void print_chunks_until(struct print *p, uint32_t number)
{
	while (p->sorter.count && p->sorter.heap[0].chunk->number + WINDOW_CHUNKS < number &&
	       !printer_stopped(p->printer))
		print_until(p, p->sorter.count - 1);
}

static void print_add_chunk(struct print *p, struct jfr_chunk *chunk)
{
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;

	select_types(p->select, chunk);
	while (!printer_stopped(p->printer) && jfr_chunk_next(chunk, &position, &e))
		if (e.type)
			add_event(p, chunk, &e);
}

static void print_release(struct print *p)
{
	sorter_release(&p->sorter);
	contexts_release(&p->contexts);
}

void print_text(struct jfr_file *file, struct select *select, struct printer *printer)
{
	struct print p = {.printer = printer, .select = select};
	struct jfr_chunk *chunk;

	while (!printer_stopped(printer) && (chunk = jfr_file_next(file))) {
		printer->utc_offset = file->utc_offset;
		if (file->pieces)
			print_chunks_until(&p, chunk->number);
		print_add_chunk(&p, chunk);
		jfr_chunk_put(chunk);
	}
	print_until(&p, 0);
	printer_flush(printer, true);
	print_release(&p);
}

static void json_until(struct print *p, size_t left)
{
	struct sorter_entry entry;

	while (p->sorter.count > left && !printer_stopped(p->printer)) {
		struct jfr_event e;

		sorter_take(&p->sorter, &entry);
		if (jfr_chunk_event(entry.chunk, entry.at, &e)) {
			event_json_put(p->printer, entry.chunk, &e, p->first);
			p->first = false;
		}
		jfr_chunk_put(entry.chunk);
	}
}

static void json_chunk(struct print *p, struct jfr_chunk *chunk)
{
	struct sorter_entry entry = {.chunk = chunk};
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;

	select_types(p->select, chunk);
	while (!printer_stopped(p->printer) && jfr_chunk_next(chunk, &position, &e)) {
		struct jfr_times times;

		if (!select_has(p->select, &e))
			continue;
		times = jfr_event_times(chunk, &e);
		entry.time = (uint64_t)times.start + (uint64_t)times.duration;
		entry.at = e.at;
		entry.tie++;
		sorter_add(&p->sorter, &entry);
		json_until(p, SORTER_WINDOW);
	}
	json_until(p, 0);
}

void print_json(struct jfr_file *file, struct select *select, struct printer *printer)
{
	struct print p = {.printer = printer, .select = select, .first = true};
	struct jfr_chunk *chunk;

	event_json_begin(printer);
	while (!printer_stopped(printer) && (chunk = jfr_file_next(file))) {
		printer->utc_offset = file->utc_offset;
		json_chunk(&p, chunk);
		jfr_chunk_put(chunk);
	}
	event_json_end(printer);
	printer_flush(printer, true);
	print_release(&p);
}
