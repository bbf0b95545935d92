// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/wait.h"
#include "user/text/java_number.h"
#include "user/text/memory.h"
#include "user/trace/jfr_names.h"

#include <stdlib.h>
#include <string.h>

static const struct event_member wait_fields[] = {
#define VALUE(n, m) {n, EVENT_VALUE, offsetof(struct thread_wait, m), META_OTHER, META_NO_UNIT}
	VALUE("reason", reason),
	VALUE("what", reason),
	VALUE("syscall", syscall),
	VALUE("wakerThread", waker),
	VALUE("kernelStack", kernel_stack),
	VALUE("nativeStack", native_stack),
	VALUE("wakerStackTrace", waker_stack),
	VALUE("wakerKernelStack", waker_kernel_stack),
	VALUE("wokenBy", woken_by),
	VALUE("resource", resource),
	VALUE("service", service),
	VALUE("process", process),
	VALUE("container", container),
	{"wokenAfter", EVENT_NUMBER, offsetof(struct thread_wait, woken), META_OTHER, META_NANOSECONDS},
	{"ongoing", EVENT_BOOL, offsetof(struct thread_wait, ongoing), META_OTHER, META_NO_UNIT},
};

static const struct event_table wait_table = {wait_fields, sizeof(wait_fields) / sizeof(wait_fields[0]),
					      offsetof(struct thread_wait, thread),
					      offsetof(struct thread_wait, stack)};

void wait_read(struct event_reader *r, struct jfr_chunk *chunk, const struct jfr_event *e, struct thread_wait *w)
{
	struct jfr_span span = jfr_event_span(chunk, e);
	uint64_t seen;

	*w = (struct thread_wait){.chunk = chunk, .start = span.start, .duration = span.duration, .woken = INT64_MIN};
	event_members_read(r, &wait_table, chunk, e, w, &seen);
	w->woken = w->woken >= 0 && w->woken <= w->duration ? w->start + w->woken : INT64_MIN;
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
	size_t before = out->size;
	struct jfr_value name, id;

	jfr_resolve(chunk, &thread);
	name = jfr_field(chunk, &thread, "javaName");
	if (name.kind != VALUE_TEXT)
		name = jfr_field(chunk, &thread, "osName");
	if (name.kind == VALUE_TEXT)
		put_value_text(out, &name);
	if (out->size > before)
		return;
	id = jfr_field(chunk, &thread, "javaThreadId");
	if (id.kind != VALUE_NUMBER || id.number <= 0) {
		put_text(out, none);
		return;
	}
	put_text(out, "thread #");
	put_integer(out, id.number);
}

static bool wait_text_is(const struct jfr_value *v, const char *word)
{
	struct bytes text;
	bool is;

	bytes_init(&text);
	if (v->kind == VALUE_TEXT)
		put_value_text(&text, v);
	is = strcmp(bytes_text(&text), word) == 0;
	bytes_release(&text);
	return is;
}

char *thread_wait_reason(const struct thread_wait *wait)
{
	bool other = wait->syscall.kind == VALUE_TEXT && wait_text_is(&wait->reason, "other");
	struct bytes text;

	bytes_init(&text);
	put_value_text(&text, other ? &wait->syscall : &wait->reason);
	return memory_need(bytes_steal_text(&text));
}

bool thread_waits_are_alike(const struct thread_wait *a, const struct thread_wait *b)
{
	const struct jfr_value *x = &a->stack, *y = &b->stack;
	bool alike = a->chunk == b->chunk && x->kind == VALUE_KEY && y->kind == VALUE_KEY && x->key && x->key == y->key;
	char *reason = alike ? thread_wait_reason(a) : NULL, *other = alike ? thread_wait_reason(b) : NULL;

	alike = alike && strcmp(reason, other) == 0;
	free(reason);
	free(other);
	return alike;
}

bool thread_wait_by_interrupt(const struct thread_wait *wait)
{
	return wait_text_is(&wait->woken_by, "interrupt");
}

char *thread_wait_waker(const struct thread_wait *wait)
{
	struct bytes text;

	bytes_init(&text);
	if (wait->waker.kind == VALUE_KEY)
		put_thread_name(&text, wait->chunk, wait->waker, "");
	return memory_need(bytes_steal_text(&text));
}

bool thread_wait_put_resource(struct bytes *out, const struct thread_wait *wait)
{
	if (wait->resource.kind != VALUE_TEXT)
		return false;
	put_value_text(out, &wait->resource);
	return true;
}

char *thread_wait_resource(const struct thread_wait *wait)
{
	struct bytes text;

	bytes_init(&text);
	thread_wait_put_resource(&text, wait);
	return memory_need(bytes_steal_text(&text));
}

bool thread_wait_put_peer(struct bytes *out, const struct thread_wait *wait)
{
	char *service, *process, *container;

	if (!thread_wait_put_resource(out, wait))
		return false;
	service = thread_wait_service(wait);
	process = thread_wait_process(wait);
	container = thread_wait_container(wait);
	wait_put_peer_names(out, service, process, container);
	free(service);
	free(process);
	free(container);
	return true;
}

void wait_put_peer_names(struct bytes *out, const char *service, const char *process, const char *container)
{
	const char *before = " (";

	for (int i = 0; i < 2; i++) {
		const char *name = i ? process : service;

		if (!name[0])
			continue;
		put_text(out, before);
		put_text(out, name);
		before = ", ";
	}
	if (process[0] && container[0]) {
		put_text(out, " in ");
		put_text(out, container);
	}
	put_text(out, before[0] == ',' ? ")" : "");
}

char *thread_wait_peer(const struct thread_wait *wait)
{
	struct bytes text;

	bytes_init(&text);
	thread_wait_put_peer(&text, wait);
	return memory_need(bytes_steal_text(&text));
}

static char *wait_text(const struct jfr_value *value)
{
	struct bytes text;

	bytes_init(&text);
	if (value->kind == VALUE_TEXT)
		put_value_text(&text, value);
	return memory_need(bytes_steal_text(&text));
}

char *thread_wait_service(const struct thread_wait *wait)
{
	return wait_text(&wait->service);
}

char *thread_wait_process(const struct thread_wait *wait)
{
	return wait_text(&wait->process);
}

char *thread_wait_container(const struct thread_wait *wait)
{
	return wait_text(&wait->container);
}
