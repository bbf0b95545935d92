// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/origin.h"

#include <errno.h>

#define START_APART 10000 /* ms; other profilers record the start of the process, not of the JVM */

int64_t origin_number(struct jfr_chunk *chunk, const struct jfr_event *e, const char *name)
{
	struct jfr_value event = jfr_event_value(e), v = jfr_field(chunk, &event, name);

	return v.kind == VALUE_NUMBER ? v.number : ORIGIN_UNKNOWN;
}

/* The events are near the start of a chunk of frtrace, anywhere in one of a JVM. */
static void origin_scan(struct jfr_chunk *chunk, struct origin *out)
{
	const struct meta_type *jvm = jfr_metadata_find(chunk->metadata, "jdk.JVMInformation");
	const struct meta_type *recording = jfr_metadata_find(chunk->metadata, "jdk.ActiveRecording");
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;

	if (chunk->number)
		recording = NULL;
	while ((jvm || recording) && jfr_chunk_next(chunk, &position, &e)) {
		if (e.type && e.type == jvm) {
			out->pid = origin_number(chunk, &e, "pid");
			out->start_ms = origin_number(chunk, &e, "jvmStartTime");
			jvm = NULL;
		} else if (e.type && e.type == recording) {
			out->recording_start_ms = origin_number(chunk, &e, "recordingStart");
			recording = NULL;
		}
	}
}

void origin_read(struct jfr_file *file, struct origin *out)
{
	struct jfr_chunk *chunk;

	*out = (struct origin){ORIGIN_UNKNOWN, ORIGIN_UNKNOWN, ORIGIN_UNKNOWN, 0};
	while (out->pid == ORIGIN_UNKNOWN && (chunk = jfr_file_next(file))) {
		if (!chunk->number)
			out->types = hash_data(file->metadata_bytes.data, file->metadata_bytes.size);
		origin_scan(chunk, out);
		jfr_chunk_put(chunk);
	}
}

bool origin_is_same_recording(const struct origin *a, const struct origin *b)
{
	return a->recording_start_ms != ORIGIN_UNKNOWN && a->recording_start_ms == b->recording_start_ms &&
	       a->types == b->types;
}

static bool origins_differ(int64_t a, int64_t b, uint64_t by)
{
	uint64_t apart = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;

	return a != ORIGIN_UNKNOWN && b != ORIGIN_UNKNOWN && apart > by;
}

int origin_check_jvm(const char *a_path, const struct origin *a, const char *b_path, const struct origin *b,
		     const char *task, struct diag *d)
{
	if (origins_differ(a->pid, b->pid, 0))
		return diag_set(d, EINVAL,
				"%s: '%s' is of process %ld, '%s' of process %ld: they have to be of one JVM", task,
				a_path, a->pid, b_path, b->pid);
	if (origins_differ(a->start_ms, b->start_ms, START_APART))
		return diag_set(
			d, EINVAL,
			"%s: '%s' and '%s' are of two JVMs that were process %ld one after the other: they have to be of one",
			task, a_path, b_path, a->pid);
	return 0;
}
