// SPDX-License-Identifier: BSD-2-Clause
#include "user/page/page_data.h"
#include "user/text/html.h"
#include "user/text/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME_MOST 300 /* bytes; a table has the whole name */

#define HEAT_BUDGET    450000 /* bytes, which become a third more in base64 */
#define CALLS_BUDGET   450000
#define WAITS_BUDGET   250000
#define SAMPLES_BUDGET 250000

/* A name for a chart, cut between two characters. */
static void data_put_name(struct json *j, const char *key, const char *text)
{
	char name[NAME_MOST + 4];
	size_t n = strlen(text);

	if (n > NAME_MOST)
		for (n = NAME_MOST; n > 0 && (text[n] & 0xc0) == 0x80;)
			n--;
	memcpy(name, text, n);
	strcpy(name + n, text[n] ? "\xe2\x80\xa6" : "");
	json_string(j, key, name);
}

/* An array; INT64_MIN is an unknown number. */
static void data_put_numbers(struct json *j, const char *key, const int64_t *n, size_t count)
{
	json_array(j, key);
	for (size_t i = 0; i < count; i++) {
		if (n[i] == INT64_MIN)
			json_null(j, NULL);
		else
			json_signed(j, NULL, n[i]);
	}
	json_end(j);
}

#define NUMBERS(...) (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)

static void data_put_grid(struct json *j, const struct digest *d)
{
	json_object(j, "grid");
	json_signed(j, "first", d->first / 1000000); /* ms: as many digits as a script's numbers have */
	json_signed(j, "width", d->grid.width);
	json_unsigned(j, "columns", GRID_COLUMNS);
	json_unsigned(j, "bits", CELL_BITS);
	json_signed(j, "offset", d->utc_offset);
	json_end(j);
}

static void data_put_split(struct json *j, const char *key, const struct digest_split *s)
{
	data_put_numbers(j, key,
			 NUMBERS(s->calls, s->thrown, s->time, s->known, s->cpu, s->run_queue, s->pause, s->faults,
				 s->least, s->most));
}

static void data_put_methods(struct json *j, const struct digest *d)
{
	json_array(j, "methods");
	for (uint32_t rank = 0; rank < d->charted; rank++) {
		const struct digest_method *m = digest_ranked(d, rank);

		json_object(j, NULL);
		json_unsigned(j, "name", m->name);
		data_put_split(j, "all", &m->all);
		json_array(j, "bands");
		for (int band = 0; band < DIGEST_BANDS; band++)
			data_put_split(j, NULL, &m->band[band]);
		json_end(j);
		json_signed(j, "slowFrom", m->slow_from);
		json_end(j);
	}
	json_end(j);
}

static void data_put_band_waits(struct json *j, const struct digest *d)
{
	json_array(j, "bandWaits");
	for (size_t i = 0; i < d->band_waits.count; i++) {
		json_unsigned(j, NULL, d->band_waits.group[i].first);
		json_unsigned(j, NULL, d->band_waits.group[i].second);
		json_signed(j, NULL, d->band_waits.group[i].total);
	}
	json_end(j);
}

static void data_put_kinds(struct json *j, const struct digest *d)
{
	json_array(j, "waitTexts");
	for (size_t i = 0; i < d->kinds.text.count; i++)
		data_put_name(j, NULL, d->kinds.text.text[i]);
	json_end(j);
	json_array(j, "kinds");
	for (size_t i = 0; i < d->kinds.count; i++) {
		json_unsigned(j, NULL, d->kinds.kind[i].reason);
		json_unsigned(j, NULL, d->kinds.kind[i].place);
		json_unsigned(j, NULL, d->kinds.kind[i].waker);
		json_unsigned(j, NULL, d->kinds.kind[i].lock);
	}
	json_end(j);
}

static void data_put_tree(struct json *j, const struct digest *d)
{
	json_array(j, "tree");
	for (uint32_t i = 0; i < d->tree.count; i++) {
		json_unsigned(j, NULL, d->tree.node[i].parent);
		json_unsigned(j, NULL, d->tree.node[i].name);
	}
	json_end(j);
}

/* Per mille of each column, part after part. */
static void data_put_activity(struct json *j, const struct digest *d)
{
	int64_t width = d->grid.width << ACTIVITY_SHIFT;

	json_array(j, "activity");
	for (size_t i = 0; i < d->activity.count; i++) {
		const struct activity_thread *t = &d->activity.thread[i];

		json_object(j, NULL);
		json_unsigned(j, "thread", t->number);
		json_signed(j, "time", d->threads.thread[t->number - 1].time);
		json_array(j, "parts");
		for (int p = 0; p < ACTIVITY_PARTS; p++)
			for (int c = 0; c < ACTIVITY_COLUMNS; c++)
				json_signed(j, NULL, fmin(1000.0 * t->column[c][p] / width, 1e9));
		json_end(j);
		json_end(j);
	}
	json_end(j);
}

static void data_put_part(struct json *j, const struct story *story, const struct story_part *p, enum story_kind kind)
{
	int64_t start = p->span.start - story->place.span.start, duration = p->span.duration;

	if (kind == STORY_CALL)
		data_put_numbers(j, NULL, NUMBERS(start, duration, p->what, p->thrown));
	else if (kind == STORY_WAIT)
		data_put_numbers(j, NULL,
				 NUMBERS(start, duration, p->what, p->waker, p->stack, p->kernel_stack, p->holder,
					 p->held_in, p->call.how, p->call.method, p->call.duration, p->resource));
	else if (kind == STORY_TASK)
		data_put_numbers(
			j, NULL,
			NUMBERS(start, duration, p->what, p->queued, p->thread, p->call.method, p->call.duration));
	else
		data_put_numbers(j, NULL, NUMBERS(start, duration));
}

static void data_put_parts(struct json *j, const struct story *story, enum story_kind kind, const char *key)
{
	const struct story_parts *parts = &story->kind[kind];

	json_array(j, key);
	json_unsigned(j, NULL, parts->all);
	json_signed(j, NULL, parts->total);
	for (unsigned int i = 0; i < parts->count; i++)
		data_put_part(j, story, &parts->part[i], kind);
	json_end(j);
}

/* "131 samples: 61 % com.acme.Shop.discount(int), ..."; "": there are none. */
static void data_put_samples(struct json *j, const struct digest *d, const struct story *s)
{
	struct call_samples samples = s->samples;
	struct bytes text;

	bytes_init(&text);
	call_samples_put(&text, &samples, &d->names, SIZE_MAX, 0);
	text.size -= text.size > 0; /* the end of the line */
	data_put_name(j, "samples", memory_text(&text));
	bytes_release(&text);
}

static void data_put_story(struct json *j, const struct digest *d, const struct story *s)
{
	json_object(j, NULL);
	json_signed(j, "start", s->place.span.start - d->first); /* the grid's first moment */
	json_signed(j, "time", s->place.span.duration);
	json_unsigned(j, "method", s->method);
	json_unsigned(j, "thread", s->place.thread);
	json_unsigned(j, "caller", s->caller);
	json_signed(j, "line", s->line);
	json_bool(j, "thrown", s->thrown);
	json_signed(j, "values", s->values); /* number of a text; -1: none */
	data_put_numbers(j, "split",
			 NUMBERS(s->known ? s->cpu : INT64_MIN, s->known ? s->run_queue : INT64_MIN, s->pause));
	data_put_numbers(j, "usage", NUMBERS(s->system_calls, s->system_call_time, s->faults));
	data_put_parts(j, s, STORY_CALL, "calls");
	data_put_parts(j, s, STORY_WAIT, "waits");
	data_put_parts(j, s, STORY_RUN_QUEUE, "runQueue");
	data_put_parts(j, s, STORY_TASK, "tasks");
	data_put_samples(j, d, s);
	json_end(j);
}

static void data_put_stories(struct json *j, const struct digest *d, const struct stories *s)
{
	json_array(j, "stories");
	for (size_t i = 0; i < s->count; i++)
		if (s->story[i].found)
			data_put_story(j, d, &s->story[i]);
	json_end(j);
	json_array(j, "texts");
	for (size_t i = 0; i < s->text.count; i++)
		data_put_name(j, NULL, s->text.text[i]);
	json_end(j);
	json_array(j, "stacks");
	for (size_t i = 0; i < s->stacks; i++) {
		json_array(j, NULL);
		for (unsigned int n = 0; n < s->stack[i].count; n++)
			json_unsigned(j, NULL, s->stack[i].frame[n]);
		json_end(j);
	}
	json_end(j);
}

/* Names by number that something refers to. */
struct data_used {
	bool *method, *thread;
};

static void data_find_used(struct data_used *u, const struct digest *d, const struct stories *s)
{
	for (uint32_t rank = 0; rank < d->charted; rank++)
		u->method[digest_ranked(d, rank)->name] = true;
	for (uint32_t i = 0; i < d->tree.count; i++)
		u->method[d->tree.node[i].name] = true;
	for (size_t i = 0; i < d->activity.count; i++)
		u->thread[d->activity.thread[i].number] = true;
	for (size_t i = 0; i < s->count; i++) {
		const struct story *story = &s->story[i];

		u->method[story->method] = u->method[story->caller] = u->thread[story->place.thread] = true;
		for (unsigned int n = 0; n < story->kind[STORY_CALL].count; n++)
			u->method[story->kind[STORY_CALL].part[n].what] = true;
		for (unsigned int n = 0; n < story->kind[STORY_TASK].count; n++)
			u->method[story->kind[STORY_TASK].part[n].call.method] = true;
		for (unsigned int n = 0; n < story->kind[STORY_WAIT].count; n++) {
			const struct story_part *p = &story->kind[STORY_WAIT].part[n];

			u->thread[p->waker] = u->thread[p->holder] = true;
			u->method[p->held_in] = u->method[p->call.method] = true;
		}
	}
}

/* Objects with the number as key: most numbers are not used. */
static void data_put_names(struct json *j, const struct digest *d, const struct stories *s)
{
	struct data_used u = {memory_need(calloc(d->names.count + 1, sizeof(bool))),
			      memory_need(calloc(d->threads.count + 1, sizeof(bool)))};
	char key[24];

	data_find_used(&u, d, s);
	json_object(j, "names");
	for (size_t i = 1; i <= d->names.count; i++) {
		snprintf(key, sizeof(key), "%zu", i);
		if (u.method[i])
			data_put_name(j, key, method_names_text(&d->names, i));
	}
	json_end(j);
	json_object(j, "threads");
	for (size_t i = 1; i <= d->threads.count; i++) {
		snprintf(key, sizeof(key), "%zu", i);
		if (u.thread[i])
			data_put_name(j, key, d->threads.thread[i - 1].name);
	}
	json_end(j);
	free(u.method);
	free(u.thread);
}

static void data_put_verdicts(struct json *j, const struct verdict *v, size_t count)
{
	json_array(j, "verdicts"); /* rank, and from which duration on */
	for (size_t i = 0; i < count; i++) {
		json_unsigned(j, NULL, v[i].method->rank);
		json_signed(j, NULL, v[i].method->slow_from);
	}
	json_end(j);
}

void page_data_put(struct bytes *out, const struct digest *d, const struct stories *s, const struct verdict *v,
		   size_t verdicts)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = memory_need(open_memstream(&text, &size));
	struct json j;

	json_init(&j, to);
	json_object(&j, NULL);
	data_put_grid(&j, d);
	json_bool(&j, "hasWaits", d->has_waits);
	json_bool(&j, "hasPauses", d->has_pauses);
	json_bool(&j, "hasFaults", d->has_faults);
	data_put_methods(&j, d);
	data_put_band_waits(&j, d);
	data_put_kinds(&j, d);
	data_put_tree(&j, d);
	data_put_numbers(&j, "pauses", d->pause, GRID_COLUMNS);
	data_put_numbers(&j, "collections", d->gc, GRID_COLUMNS);
	data_put_activity(&j, d);
	data_put_stories(&j, d, s);
	data_put_names(&j, d, s);
	data_put_verdicts(&j, v, verdicts);
	json_end(&j);
	if (fclose(to))
		memory_exhausted();
	html_put_json(out, text, size);
	free(text);
}

static void data_put_base64(struct bytes *out, const unsigned char *data, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		uint32_t three =
			data[i] << 16 | (i + 1 < size ? data[i + 1] << 8 : 0) | (i + 2 < size ? data[i + 2] : 0);

		for (int n = 0; n < 4; n++)
			bytes_put_u8(out, i + n > size ? '=' : digits[three >> (18 - 6 * n) & 63]);
	}
}

void page_cells_put(struct bytes *out, struct digest *d)
{
	struct bytes cells;

	bytes_init(&cells);
	cells_encode(&d->heat, HEAT_BUDGET, &cells);
	cells_encode(&d->calls, CALLS_BUDGET, &cells);
	cells_encode(&d->blocked, WAITS_BUDGET, &cells);
	cells_encode(&d->sampled, SAMPLES_BUDGET, &cells);
	memory_text(&cells);
	data_put_base64(out, cells.data, cells.size);
	bytes_release(&cells);
}
