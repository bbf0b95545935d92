// SPDX-License-Identifier: BSD-2-Clause
/*
 * The text form of an event:
 *
 *     jdk.MethodTrace {
 *       startTime = 20:08:35.749 (2026-11-20)
 *       duration = 20.5 ms
 *       method = live.Shop$Checkout.report(int)
 *       eventThread = "pool-1-thread-7" (javaThreadId = 21)
 *       stackTrace = [
 *         live.Shop$Checkout.answer(String, int) line: 33
 *         ...
 *       ]
 *     }
 */
#include "user/print/event_text.h"
#include "user/text/java_number.h"
#include "user/text/java_time.h"
#include "user/trace/jfr_names.h"
#include "user/print/old_object.h"
#include "user/print/value_text.h"

#include <math.h>

#define INDENT 2

/* Renderings of the same type in different places, see printer_put(). */
enum form { FORM_VALUE, FORM_METHOD, FORM_STACK, FORM_ELEMENT };

static printer_value event_text_put_value;

static void event_text_put_field(struct printer *p, const struct meta_field *f, struct jfr_value *v)
{
	put_spaces(&p->out, p->indent);
	put_shown_name(&p->out, f->name);
	put_text(&p->out, " = ");
	printer_put(p, v, f, FORM_VALUE, event_text_put_value);
}

static void close_brace(struct printer *p, const char *bracket)
{
	p->indent -= INDENT;
	put_spaces(&p->out, p->indent);
	put_text(&p->out, bracket);
}

static void event_text_put_struct(struct printer *p, const struct jfr_value *v)
{
	struct cursor c = jfr_enter(p->chunk, v);

	put_text(&p->out, "{\n");
	p->indent += INDENT;
	for (uint32_t i = 0; i < v->type->count; i++) {
		struct jfr_value field;

		jfr_take(&c, &v->type->fields[i], &field);
		event_text_put_field(p, &v->type->fields[i], &field);
	}
	printer_check(p, &c);
	close_brace(p, "}");
}

static void put_method_value(struct printer *p, const struct jfr_value *v, const struct meta_field *f)
{
	if (v->kind == VALUE_STRUCT)
		put_method(&p->out, p->chunk, v);
	else
		put_text(&p->out, "N/A");
}

/* "a.b.C.m(int) line: 12" */
static void event_text_put_frame(struct printer *p, const struct jfr_value *frame)
{
	struct cursor c = jfr_enter(p->chunk, frame);
	int64_t line = -1;

	for (uint32_t i = 0; i < frame->type->count; i++) {
		const struct meta_field *f = &frame->type->fields[i];
		struct jfr_value v;

		jfr_take(&c, f, &v);
		if (strcmp(f->name, "method") == 0)
			printer_put(p, &v, f, FORM_METHOD, put_method_value);
		else if (v.kind == VALUE_NUMBER && strcmp(f->name, "lineNumber") == 0)
			line = v.number;
	}
	if (p->chunk->mapping)
		line = frame_line(p->chunk, frame);
	if (line >= 0) {
		put_text(&p->out, " line: ");
		put_integer(&p->out, line);
	}
}

static bool is_hidden(struct printer *p, const struct jfr_value *frame)
{
	struct jfr_value method = jfr_field(p->chunk, frame, "method");
	struct jfr_value hidden = jfr_field(p->chunk, &method, "hidden");

	return hidden.kind == VALUE_BOOLEAN && hidden.number;
}

/* Print up to stack_depth visible frames; return how many frames were read. */
static uint64_t event_text_put_frames(struct printer *p, const struct jfr_value *frames)
{
	struct cursor c = jfr_enter(p->chunk, frames);
	unsigned int shown = 0;
	uint64_t i;

	for (i = 0; i < frames->place.count && shown < p->stack_depth; i++) {
		struct jfr_value frame;

		jfr_take_element(&c, frames, &frame);
		jfr_resolve(p->chunk, &frame);
		if (frame.kind != VALUE_STRUCT || is_hidden(p, &frame))
			continue;
		put_spaces(&p->out, p->indent);
		event_text_put_frame(p, &frame);
		bytes_put_u8(&p->out, '\n');
		shown++;
	}
	return i;
}

static void event_text_put_stack(struct printer *p, const struct jfr_value *stack, const struct meta_field *f)
{
	struct jfr_value frames, truncated;
	uint64_t seen = 0;

	if (stack->kind != VALUE_STRUCT)
		return;
	frames = jfr_field(p->chunk, stack, "frames");
	truncated = jfr_field(p->chunk, stack, "truncated");
	put_spaces(&p->out, p->indent);
	put_text(&p->out, "stackTrace = [\n");
	p->indent += INDENT;
	if (frames.kind == VALUE_ARRAY)
		seen = event_text_put_frames(p, &frames);
	if (truncated.kind != VALUE_BOOLEAN || truncated.number || seen == p->stack_depth) {
		put_spaces(&p->out, p->indent);
		put_text(&p->out, "...\n");
	}
	close_brace(p, "]\n");
}

static void put_element(struct printer *p, const struct jfr_value *v, const struct meta_field *f)
{
	if (v->kind == VALUE_STRUCT && v->type->role == META_STACK_FRAME)
		event_text_put_frame(p, v);
	else
		event_text_put_value(p, v, f);
}

static void event_text_put_array(struct printer *p, const struct jfr_value *v, const struct meta_field *f)
{
	struct cursor c = jfr_enter(p->chunk, v);

	put_text(&p->out, "[\n");
	p->indent += INDENT;
	for (uint64_t i = 0; i < v->place.count; i++) {
		struct jfr_value element;

		put_spaces(&p->out, p->indent);
		jfr_take_element(&c, v, &element);
		printer_put(p, &element, f, FORM_ELEMENT, put_element);
		if (v->type->role == META_STACK_FRAME && i + 1 < v->place.count)
			put_text(&p->out, ", ");
	}
	close_brace(p, "]");
}

static void put_loader(struct printer *p, const struct jfr_value *v)
{
	struct jfr_value type = jfr_field(p->chunk, v, "type"), name = jfr_field(p->chunk, &type, "name");
	uint64_t key = p->depth ? p->path[p->depth - 1].key : 0;
	const char *text;
	size_t size;

	if (type.kind == VALUE_NULL) {
		put_text(&p->out, "null");
		return;
	}
	text = printer_text(p, &name, &size);
	put_class_name(&p->out, p->chunk, text, "");
	put_text(&p->out, " (id = ");
	put_integer(&p->out, key);
	bytes_put_u8(&p->out, ')');
}

static void put_known(struct printer *p, const struct jfr_value *v)
{
	switch (v->type->role) {
	case META_THREAD: put_thread(&p->out, p->chunk, v); break;
	case META_CLASS: put_class(&p->out, p->chunk, v); break;
	case META_CLASS_LOADER: put_loader(p, v); break;
	case META_METHOD: put_method(&p->out, p->chunk, v); break;
	case META_OLD_OBJECT: old_object_put(p, v); break;
	default: event_text_put_struct(p, v);
	}
}

/* Print a value and a newline. */
static void event_text_put_value(struct printer *p, const struct jfr_value *v, const struct meta_field *f)
{
	if (v->kind == VALUE_STRUCT)
		put_known(p, v);
	else if (v->kind == VALUE_ARRAY)
		event_text_put_array(p, v, f);
	else
		value_text_put(p, v, f);
	bytes_put_u8(&p->out, '\n');
}

static void put_context(struct printer *p, const struct event_context *context)
{
	const struct meta_type *t = context->event.type;
	struct jfr_value event = jfr_event_value(&context->event), v;
	struct cursor c = jfr_enter(context->chunk, &event);
	const char *dot = strrchr(t->name, '.');

	p->chunk = context->chunk;
	for (uint32_t i = 0; i < t->count; i++) {
		jfr_take(&c, &t->fields[i], &v);
		if (!t->fields[i].contextual)
			continue;
		put_spaces(&p->out, p->indent);
		put_text(&p->out, "Context: ");
		put_shown_name(&p->out, dot ? dot + 1 : t->name);
		bytes_put_u8(&p->out, '.');
		put_shown_name(&p->out, t->fields[i].name);
		put_text(&p->out, " = ");
		printer_put(p, &v, &t->fields[i], FORM_VALUE, event_text_put_value);
	}
}

/* Thread and stack are printed last, whatever their position in the type. */
static bool is_late(const struct meta_field *f)
{
	return strcmp(f->name, "eventThread") == 0 || strcmp(f->name, "stackTrace") == 0;
}

static void put_fields(struct printer *p, const struct jfr_event *e)
{
	struct jfr_value event = jfr_event_value(e), thread = {.kind = VALUE_NULL}, stack = thread, v;
	struct cursor c = jfr_enter(p->chunk, &event);
	const struct meta_type *t = e->type;

	for (int i = 0; i < (int)t->count; i++) {
		const struct meta_field *f = &t->fields[i];

		jfr_take(&c, f, &v);
		if (i == t->thread)
			thread = v;
		else if (i == t->stack)
			stack = v;
		else if (!is_late(f) && !(i == t->duration && v.number == 0))
			event_text_put_field(p, f, &v);
	}
	printer_check(p, &c);
	if (thread.kind == VALUE_KEY && jfr_chunk_constant(p->chunk, thread.type, thread.key))
		event_text_put_field(p, &t->fields[t->thread], &thread);
	if (stack.kind == VALUE_KEY)
		printer_put(p, &stack, NULL, FORM_STACK, event_text_put_stack);
}

void event_text_put(struct printer *p, struct jfr_chunk *chunk, const struct jfr_event *e,
		    const struct event_context *contexts, size_t count)
{
	printer_begin(p, chunk, e);
	put_shown_name(&p->out, e->type->name);
	put_text(&p->out, " {\n");
	p->indent = INDENT;
	for (size_t i = 0; i < count; i++)
		put_context(p, &contexts[i]);
	p->chunk = chunk;
	put_fields(p, e);
	p->indent = 0;
	put_text(&p->out, "}\n\n");
}
