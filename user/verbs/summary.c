// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "format/vec.h"
#include "user/trace/jfr_files.h"
#include "user/trace/jfr_names.h"
#include "user/trace/progress.h"
#include "user/trace/sum.h"
#include "user/text/json.h"
#include "user/text/java_number.h"
#include "user/text/java_time.h"
#include "user/text/term.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Count and size of the events of one type, or of several with one name: a merged file may have two. */
struct tally {
	uint64_t id, count, bytes; /* id: of the first of them */
	uint64_t hash;		   /* of the name */
	char *name;
};

/* The first two tallies have the ids of their types. */
enum { METADATA = 0, CHECKPOINT = 1 };

struct summary {
	struct tally *tallies;
	size_t count, capacity;
	struct jfr_header first;
	int64_t nanos;
	size_t *by_type;	       /* index of the tally + 1, for the types of `metadata` */
	struct jfr_metadata *metadata; /* a reference: another one may come at its address */
	size_t undeclared;	       /* tallies of types that no metadata has */
};

#define UNDECLARED_MOST 1000 /* more such types share a tally: a damaged file may have millions */

static void summary_release(struct summary *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->tallies[i].name);
	free(s->tallies);
	free(s->by_type);
	jfr_metadata_put(s->metadata);
}

/* Find or add the tally of a type. Returns its index or -ENOMEM. */
static ssize_t tally_index(struct summary *s, uint64_t id, const char *name)
{
	uint64_t hash = hash_data(name, strlen(name));
	size_t i;

	for (i = 0; i < s->count; i++)
		if (s->tallies[i].hash == hash && strcmp(s->tallies[i].name, name) == 0)
			return i;
	if (vec_reserve(&s->tallies, &s->capacity, s->count + 1))
		return -ENOMEM;
	s->tallies[i] = (struct tally){.id = id, .hash = hash, .name = strdup(name)};
	s->count += s->tallies[i].name != NULL;
	return s->tallies[i].name ? (ssize_t)i : -ENOMEM;
}

static int use_types(struct summary *s, struct jfr_metadata *m)
{
	if (s->metadata == m)
		return 0;
	jfr_metadata_put(s->metadata);
	s->metadata = jfr_metadata_get(m);
	free(s->by_type);
	s->by_type = calloc(m->count + 1, sizeof(*s->by_type));
	if (!s->by_type)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->count; i++) {
		ssize_t index = m->types[i].event ? tally_index(s, m->types[i].id, m->types[i].name) : -1;

		if (m->types[i].event && index < 0)
			return -ENOMEM;
		s->by_type[i] = index + 1;
	}
	return 0;
}

static ssize_t index_of_event(struct summary *s, const struct jfr_event *e)
{
	char name[64];
	size_t before = s->count;
	ssize_t index;

	if (e->type)
		return s->by_type[e->type->index] - 1;
	if (e->type_id <= CHECKPOINT)
		return e->type_id;
	if (s->undeclared < UNDECLARED_MOST)
		snprintf(name, sizeof(name), "%" PRIu64 " (missing event metadata)", e->type_id);
	else
		snprintf(name, sizeof(name), "others (missing event metadata)");
	index = tally_index(s, e->type_id, name);
	s->undeclared += s->count - before;
	return index;
}

static int count_chunk(struct summary *s, struct jfr_chunk *chunk)
{
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;
	int err = use_types(s, chunk->metadata);

	if (!chunk->number)
		s->first = chunk->header;
	sum_add(&s->nanos, chunk->header.duration_nanos);
	while (!err && jfr_chunk_next(chunk, &position, &e)) {
		ssize_t i = index_of_event(s, &e);

		if (i < 0)
			return -ENOMEM;
		s->tallies[i].count++;
		s->tallies[i].bytes += e.size;
	}
	return err;
}

static int count_file(struct summary *s, struct jfr_file *file)
{
	struct jfr_chunk *chunk;
	int err = 0;

	if (tally_index(s, METADATA, "jdk.Metadata") < 0 || tally_index(s, CHECKPOINT, "jdk.Checkpoint") < 0)
		return -ENOMEM;
	while (!err && (chunk = jfr_file_next(file))) {
		err = count_chunk(s, chunk);
		jfr_chunk_put(chunk);
	}
	return err;
}

/* Largest count first, then by name. */
static int summary_compare(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->name, y->name);
}

static const char *start_text(const struct summary *s, struct bytes *b)
{
	put_date_time(b, s->first.start_nanos / 1000000000);
	bytes_put_u8(b, 0);
	return b->failed ? "" : (char *)b->data;
}

static void show_row(FILE *to, const struct tally *t, int width)
{
	struct bytes name;

	bytes_init(&name);
	put_shown_name(&name, t->name);
	bytes_put_u8(&name, 0);
	fprintf(to, " %-*s%10" PRIu64 "  %12" PRIu64 "\n", width, name.failed ? "?" : (char *)name.data, t->count,
		t->bytes);
	bytes_release(&name);
}

static void show_text(FILE *to, const struct summary *s, uint32_t chunks, const char *start)
{
	int width = sizeof(" Event Type") - 1;

	for (size_t i = 0; i < s->count; i++)
		if (s->tallies[i].id > 1 && strchr(s->tallies[i].name, ' ') == NULL &&
		    (int)strlen(s->tallies[i].name) > width)
			width = strlen(s->tallies[i].name);
	fprintf(to, "\n Version: %u.%u\n Chunks: %u\n Start: %s (UTC)\n Duration: %" PRId64 " s\n\n", s->first.major,
		s->first.minor, chunks, start, s->nanos / 1000000000 + (s->nanos % 1000000000 >= 500000000));
	fprintf(to, "%-*s      Count  Size (bytes) \n", width, " Event Type");
	for (int i = 0; i < width + 26; i++)
		fputc('=', to);
	fputc('\n', to);
	for (size_t i = 0; i < s->count; i++)
		show_row(to, &s->tallies[i], width);
}

static void show_json(FILE *to, const struct summary *s, uint32_t chunks, const char *start)
{
	struct json j;

	json_init(&j, to);
	json_object(&j, NULL);
	json_unsigned(&j, "major", s->first.major);
	json_unsigned(&j, "minor", s->first.minor);
	json_unsigned(&j, "chunks", chunks);
	json_string(&j, "start", start);
	json_signed(&j, "startNs", s->first.start_nanos);
	json_signed(&j, "durationNs", s->nanos);
	json_array(&j, "events");
	for (size_t i = 0; i < s->count; i++) {
		json_object(&j, NULL);
		json_string(&j, "type", s->tallies[i].name);
		json_unsigned(&j, "count", s->tallies[i].count);
		json_unsigned(&j, "bytes", s->tallies[i].bytes);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
}

static int show(const struct summary *s, bool json, uint32_t chunks, const char *start, struct diag *d)
{
	FILE *to;
	int error, err = text_open_output(&to, d);

	if (err)
		return err;
	(json ? show_json : show_text)(to, s, chunks, start);
	error = text_close_output(to);
	return error && error != EPIPE ? diag_errno(d, error, "cannot write to standard output") : 0;
}

static int summarize(struct jfr_files *f, bool json, struct diag *d)
{
	struct summary s = {0};
	struct bytes start;
	int err = count_file(&s, f->file);

	progress_end();
	bytes_init(&start);
	if (err) {
		diag_set(d, -err, "no memory for the event types of '%s'", f->name);
	} else {
		err = jfr_files_verdict(f, d);
		qsort(s.tallies, s.count, sizeof(*s.tallies), summary_compare);
		if (f->file->chunks)
			err = show(&s, json, f->file->chunks, start_text(&s, &start), d) ?: err;
	}
	bytes_release(&start);
	summary_release(&s);
	return err;
}

int cmd_summary(const struct verb_args *a, struct diag *d)
{
	struct jfr_files f;
	int err;

	if (!a->operands)
		return diag_usage(d, "no file: 'frtrace summary FILE'");
	err = jfr_files_open(&f, a->operand, a->operands, "cannot count together", d);
	if (err)
		return err;
	progress_begin(f.name, f.size, false);
	err = summarize(&f, a->json, d);
	jfr_files_close(&f);
	return err;
}
