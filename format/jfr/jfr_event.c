// SPDX-License-Identifier: BSD-2-Clause
/* Encoders of the events that accompany the calls, a few per chunk. The fields are in the order of jfr_schema.c. */
#include "format/jfr/jfr_write_internal.h"

#define TEXT_LIMIT (1u << 20)

void jfr_method_timing(struct jfr_writer *w, const struct jfr_method_timing *e)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_METHOD_TIMING, e->start, &at);

	if (!b)
		return;
	bytes_put_leb(b, jfr_key_use(w, JFR_METHOD, e->method, ORPHAN_METHOD));
	bytes_put_leb(b, e->invocations);
	bytes_put_leb(b, e->minimum);
	bytes_put_leb(b, e->average);
	bytes_put_leb(b, e->maximum);
	bytes_put_leb(b, e->p50);
	bytes_put_leb(b, e->p90);
	bytes_put_leb(b, e->p99);
	bytes_put_leb(b, e->thrown);
	jfr_event_end(w, at);
}

void jfr_open_call(struct jfr_writer *w, const struct jfr_open_call *e)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_OPEN_CALL, e->start, &at);

	if (!b)
		return;
	bytes_put_leb(b, e->duration);
	bytes_put_leb(b, jfr_key_use(w, JFR_THREAD, e->thread, ORPHAN_THREAD));
	bytes_put_leb(b, jfr_key_use(w, JFR_STACK_TRACE, e->stack, ORPHAN_STACK));
	bytes_put_leb(b, jfr_key_use(w, JFR_METHOD, e->method, ORPHAN_METHOD));
	bytes_put_text(b, e->remark, TEXT_LIMIT);
	jfr_event_end(w, at);
}

void jfr_thread_wait(struct jfr_writer *w, const struct jfr_thread_wait *e)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_THREAD_WAIT, e->start, &at);

	if (!b)
		return;
	bytes_put_leb(b, e->duration);
	bytes_put_leb(b, jfr_key_use(w, JFR_THREAD, e->thread, ORPHAN_THREAD));
	bytes_put_leb(b, jfr_key_use(w, JFR_STACK_TRACE, e->stack, ORPHAN_STACK));
	bytes_put_text(b, e->reason, TEXT_LIMIT);
	bytes_put_text(b, e->system_call, TEXT_LIMIT);
	bytes_put_leb(b, jfr_key_use(w, JFR_THREAD, e->waker, ORPHAN_THREAD));
	bytes_put_leb(b, jfr_key_use(w, JFR_STACK_TRACE, e->kernel_stack, ORPHAN_STACK));
	bytes_put_u8(b, e->ongoing);
	jfr_event_end(w, at);
}

void jfr_run_queue(struct jfr_writer *w, int64_t start, int64_t duration, uint64_t thread)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_RUN_QUEUE, start, &at);

	if (!b)
		return;
	bytes_put_leb(b, duration);
	bytes_put_leb(b, jfr_key_use(w, JFR_THREAD, thread, ORPHAN_THREAD));
	jfr_event_end(w, at);
}

void jfr_vm_pause(struct jfr_writer *w, const struct jfr_vm_pause *e)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_VM_PAUSE, e->start, &at);

	if (!b)
		return;
	bytes_put_leb(b, e->duration);
	bytes_put_text(b, e->what, TEXT_LIMIT);
	bytes_put_text(b, e->name, TEXT_LIMIT);
	jfr_event_end(w, at);
}

void jfr_active_recording(struct jfr_writer *w, const struct jfr_active_recording *e)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_ACTIVE_RECORDING, e->start, &at);

	if (!b)
		return;
	bytes_put_leb(b, e->id);
	bytes_put_text(b, e->name, TEXT_LIMIT);
	bytes_put_text(b, e->destination, TEXT_LIMIT);
	bytes_put_u8(b, true); /* disk */
	bytes_put_leb(b, e->max_age_ms);
	bytes_put_leb(b, e->flush_interval_ms);
	bytes_put_leb(b, e->max_size);
	bytes_put_leb(b, e->recording_start_ms);
	bytes_put_leb(b, e->recording_duration_ms);
	jfr_event_end(w, at);
}

void jfr_active_setting(struct jfr_writer *w, int64_t start, const char *event, const char *name, const char *value)
{
	enum jfr_type type = jfr_schema_event(&w->schema, event);
	struct bytes *b;
	size_t at;

	if (type == JFR_TYPES) /* JMC fails on an id that is not in the metadata */
		return;
	b = jfr_event_begin(w, JFR_ACTIVE_SETTING, start, &at);
	if (!b)
		return;
	bytes_put_leb(b, jfr_schema_type_id(&w->schema, type));
	bytes_put_text(b, name, TEXT_LIMIT);
	bytes_put_text(b, value, TEXT_LIMIT);
	jfr_event_end(w, at);
}

void jfr_jvm_information(struct jfr_writer *w, const struct jfr_jvm_information *e)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_JVM_INFORMATION, e->start, &at);

	if (!b)
		return;
	bytes_put_text(b, e->jvm_name, TEXT_LIMIT);
	bytes_put_text(b, e->jvm_version, TEXT_LIMIT);
	bytes_put_text(b, e->jvm_arguments, TEXT_LIMIT);
	bytes_put_text(b, e->jvm_flags, TEXT_LIMIT);
	bytes_put_text(b, e->java_arguments, TEXT_LIMIT);
	bytes_put_leb(b, e->jvm_start_ms);
	bytes_put_leb(b, e->pid);
	jfr_event_end(w, at);
}

void jfr_os_information(struct jfr_writer *w, int64_t start, const char *version)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_OS_INFORMATION, start, &at);

	if (!b)
		return;
	bytes_put_text(b, version, TEXT_LIMIT);
	jfr_event_end(w, at);
}

void jfr_cpu_information(struct jfr_writer *w, const struct jfr_cpu_information *e)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_CPU_INFORMATION, e->start, &at);

	if (!b)
		return;
	bytes_put_text(b, e->cpu, TEXT_LIMIT);
	bytes_put_text(b, e->description, TEXT_LIMIT);
	bytes_put_leb(b, e->sockets);
	bytes_put_leb(b, e->cores);
	bytes_put_leb(b, e->hw_threads);
	jfr_event_end(w, at);
}

void jfr_clock(struct jfr_writer *w, const struct jfr_clock *e)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_CLOCK, e->start, &at);

	if (!b)
		return;
	bytes_put_leb(b, e->tsc);
	bytes_put_leb(b, e->monotonic);
	bytes_put_leb(b, e->realtime);
	bytes_put_leb(b, e->error);
	jfr_event_end(w, at);
}

void jfr_data_loss(struct jfr_writer *w, int64_t start, uint64_t amount, uint64_t total)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_DATA_LOSS, start, &at);

	if (!b)
		return;
	bytes_put_leb(b, amount);
	bytes_put_leb(b, total);
	jfr_event_end(w, at);
}

void jfr_shutdown(struct jfr_writer *w, int64_t start, const char *reason)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_SHUTDOWN, start, &at);

	if (!b)
		return;
	bytes_put_leb(b, 0); /* eventThread */
	bytes_put_leb(b, 0); /* stackTrace */
	bytes_put_text(b, reason, TEXT_LIMIT);
	jfr_event_end(w, at);
}

void jfr_message(struct jfr_writer *w, int64_t start, const char *kind, const char *text)
{
	size_t at;
	struct bytes *b = jfr_event_begin(w, JFR_MESSAGE, start, &at);

	if (!b)
		return;
	bytes_put_text(b, kind, TEXT_LIMIT);
	bytes_put_text(b, text, TEXT_LIMIT);
	jfr_event_end(w, at);
}
