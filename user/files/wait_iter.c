// SPDX-License-Identifier: BSD-2-Clause
#include "user/files/wait_iter.h"
#include "user/files/event_iter.h"
#include "user/text/java_number.h"
#include "user/files/jfr_names.h"

#include <string.h>

static void take_field(struct thread_wait *w, const char *name, const struct jfr_value *v)
{
	if (strcmp(name, "eventThread") == 0)
		w->thread = *v;
	else if (strcmp(name, "stackTrace") == 0)
		w->stack = *v;
	else if (strcmp(name, "reason") == 0 || strcmp(name, "what") == 0)
		w->reason = *v;
	else if (strcmp(name, "syscall") == 0)
		w->call = *v;
	else if (strcmp(name, "wakerThread") == 0)
		w->waker = *v;
	else if (strcmp(name, "kernelStack") == 0)
		w->kernel_stack = *v;
	else if (strcmp(name, "nativeStack") == 0)
		w->native_stack = *v;
	else if (strcmp(name, "wakerStackTrace") == 0)
		w->waker_stack = *v;
	else if (strcmp(name, "wakerKernelStack") == 0)
		w->waker_kernel_stack = *v;
	else if (strcmp(name, "wokenBy") == 0)
		w->woken_by = *v;
	else if (strcmp(name, "ongoing") == 0)
		w->ongoing = v->kind == VALUE_BOOLEAN && v->number;
}

static void read_wait(struct jfr_chunk *chunk, const struct jfr_event *e, struct thread_wait *w)
{
	struct jfr_span span = jfr_event_span(chunk, e);
	struct jfr_value event = jfr_event_value(e), v;
	struct cursor c = jfr_enter(chunk, &event);

	*w = (struct thread_wait){.chunk = chunk, .start = span.start, .duration = span.duration};
	for (uint32_t i = 0; i < e->type->count; i++) {
		jfr_take(&c, &e->type->fields[i], &v);
		take_field(w, e->type->fields[i].name, &v);
	}
	if (!cursor_ok(&c))
		jfr_fault_add(chunk->fault, c.error, chunk->at + c.bad);
}

struct visitor {
	thread_wait_visit *visit;
	void *context;
};

static int wait_iter_on_event(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	const struct visitor *v = context;
	struct thread_wait wait;

	read_wait(chunk, e, &wait);
	return v->visit(&wait, v->context);
}

int wait_iter_each(struct jfr_file *file, const char *type, thread_wait_visit *visit, void *context)
{
	struct visitor v = {visit, context};

	return event_iter_each(file, type, wait_iter_on_event, &v);
}

int wait_iter_chunk(struct jfr_chunk *chunk, const char *type, thread_wait_visit *visit, void *context)
{
	struct visitor v = {visit, context};

	return event_iter_chunk(chunk, type, wait_iter_on_event, &v);
}

uint64_t thread_number(struct jfr_chunk *chunk, struct jfr_value thread)
{
	struct jfr_value id;

	jfr_resolve(chunk, &thread);
	id = jfr_field(chunk, &thread, "javaThreadId");
	if (id.kind == VALUE_NUMBER && id.number > 0)
		return id.number;
	id = jfr_field(chunk, &thread, "osThreadId");
	return id.kind == VALUE_NUMBER && id.number > 0 ? (uint64_t)id.number | 1ull << 63 : 0;
}

void put_thread_name(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value thread, const char *none)
{
	struct jfr_value name;

	jfr_resolve(chunk, &thread);
	name = jfr_field(chunk, &thread, "javaName");
	if (name.kind != VALUE_TEXT)
		name = jfr_field(chunk, &thread, "osName");
	if (name.kind == VALUE_TEXT)
		put_value_text(out, &name);
	else
		put_text(out, none);
}

void put_waker_name(struct bytes *out, const struct thread_wait *wait, const char *none)
{
	struct jfr_value thread = wait->waker, id;
	size_t before = out->size;

	put_thread_name(out, wait->chunk, thread, none);
	if (out->size > before || thread.kind != VALUE_KEY)
		return;
	jfr_resolve(wait->chunk, &thread);
	id = jfr_field(wait->chunk, &thread, "javaThreadId");
	if (id.kind != VALUE_NUMBER)
		return;
	put_text(out, "thread #");
	put_integer(out, id.number);
}

char *thread_wait_reason(const struct thread_wait *wait)
{
	struct bytes text;

	bytes_init(&text);
	put_value_text(&text, &wait->reason);
	if (text.size == strlen("other") && !memcmp(text.data, "other", text.size) && wait->call.kind == VALUE_TEXT) {
		bytes_clear(&text);
		put_value_text(&text, &wait->call);
	}
	bytes_put_u8(&text, 0);
	if (text.failed)
		bytes_release(&text);
	return (char *)text.data;
}

bool thread_wait_by_interrupt(const struct thread_wait *wait)
{
	struct bytes text;
	bool is;

	bytes_init(&text);
	if (wait->woken_by.kind == VALUE_TEXT)
		put_value_text(&text, &wait->woken_by);
	is = text.size == strlen("interrupt") && !memcmp(text.data, "interrupt", text.size);
	bytes_release(&text);
	return is;
}

char *thread_wait_waker(const struct thread_wait *wait)
{
	struct bytes text;

	bytes_init(&text);
	if (wait->waker.kind == VALUE_KEY)
		put_waker_name(&text, wait, "");
	bytes_put_u8(&text, 0);
	if (text.failed)
		bytes_release(&text);
	return (char *)text.data;
}
