// SPDX-License-Identifier: BSD-2-Clause
/* What exports say about the planted recording of test_views_agree.c: the same calls, waits and sums. */
#include "tests/unit/verbs/agree.h"
#include "format/proto.h"

#include <math.h>
#include <zlib.h>

/* What exports say differently today, as in test_views_agree.c. */
static const struct known_difference known[] = {
	{NULL, NULL},
};

/* ---- the truth */

/* A wait is in its innermost call. */
static void true_waits(void)
{
	for (size_t i = 0; i < planted_wait_count; i++) {
		const struct planted_wait *w = &planted_waits[i];

		for (int round = 0; w->in && round < PLANTED_ROUNDS; round++) {
			claim_add(&truth, "%s in %s, ended by %s", w->reason, w->in, w->waker ?: "?");
			claim_add(&truth, "%s is for %s", w->reason, w->stack ? "?" : PLANTED_RESOURCE);
		}
	}
}

/* What the waker had done, and who held the lock. */
static void true_waker_calls(void)
{
	for (size_t i = 0; i < planted_wait_count; i++) {
		const struct planted_wait *w = &planted_waits[i];

		for (int round = 0; w->call && round < PLANTED_ROUNDS; round++)
			claim_add(&truth, "%s in %s: %s", w->reason, w->in, w->call);
		for (int round = 0; w->holder && round < PLANTED_ROUNDS; round++)
			claim_add(&truth, "%s in %s: %s held it in %s", w->reason, w->in, w->holder, w->held_in);
	}
}

/* The calls, which nest: one that ends after the call around it is cut. */
static void true_nested_sums(void)
{
	for (size_t i = 0; i < planted_call_count; i++) {
		const struct planted_call *c = &planted_calls[i], *around = planted_around(c);
		int64_t end = c->start + c->duration, most = around ? around->start + around->duration : end;

		sum_calls(&true_sums, c->method, PLANTED_ROUNDS, PLANTED_ROUNDS * c->thrown,
			  PLANTED_ROUNDS * ((end < most ? end : most) - c->start));
		sum_parts(&true_sums, c->method, PLANTED_ROUNDS * planted_cpu(c), PLANTED_ROUNDS * planted_run_queue(c),
			  PLANTED_ROUNDS * c->blocked);
	}
	planted_nesting(&truth);
}

/* Self times: of the duration, the time on a CPU, and the blocked time. */
static void true_self_sums(bool parts)
{
	for (size_t i = 0; i < planted_call_count; i++) {
		const struct planted_call *c = &planted_calls[i];
		int64_t self = c->duration, cpu = planted_cpu(c), blocked = c->blocked;

		for (size_t k = 0; k < planted_call_count; k++) {
			const struct planted_call *inner = &planted_calls[k];

			if (planted_around(inner) != c)
				continue;
			self -= inner->duration;
			cpu -= inner->blocked == PLANTED_UNKNOWN ? 0 : planted_cpu(inner);
			blocked -= inner->blocked == PLANTED_UNKNOWN ? 0 : inner->blocked;
		}
		sum_calls(&true_sums, c->method, 0, 0, PLANTED_ROUNDS * self);
		if (!parts)
			continue;
		sum_calls(&true_sums, c->method, PLANTED_ROUNDS, 0, 0);
		sum_parts(&true_sums, c->method, PLANTED_ROUNDS * cpu, 0, PLANTED_ROUNDS * blocked);
	}
}

/* ---- lines of text */

static void csv_row(char *line)
{
	enum { DURATION = 1, METHOD, THROWN, CPU = 8, RUN_QUEUE, BLOCKED, CELLS };
	const char *method;
	char *cell[CELLS];

	for (int i = 0; i < CELLS; i++)
		assert_non_null(cell[i] = strsep(&line, ","));
	method = planted_name(cell[METHOD]);
	claim_add(&said, "%s at %lld", method, strtoll(cell[0], NULL, 10) - PLANTED_START);
	sum_calls(&sums, method, 1, atoi(cell[THROWN]), strtoll(cell[DURATION], NULL, 10));
	sum_parts(&sums, method, strtoll(cell[CPU], NULL, 10), strtoll(cell[RUN_QUEUE], NULL, 10),
		  strtoll(cell[BLOCKED], NULL, 10));
}

AGREE(csv_has_all_calls)
{
	char *text = RUN("export", "--csv", "F"), *line;

	strsep(&text, "\n");
	while ((line = strsep(&text, "\n")) && *line)
		csv_row(line);
	planted_sums(&true_sums);
	for (int round = 0; round < PLANTED_ROUNDS; round++)
		for (size_t i = 0; i < planted_call_count; i++)
			claim_add(&truth, "%s at %" PRId64, planted_calls[i].method,
				  planted_base(round) + planted_calls[i].start);
	assert_same(known, "csv");
}

/* Lines "shop.Main.run();shop.Plain.inner() N" */
static void read_collapsed(char *text, void (*take)(const char *method, int64_t n))
{
	char *line;

	while ((line = strsep(&text, "\n")) && *line) {
		char *n = strrchr(line, ' '), *method = strrchr(line, ';');

		assert_true(n && method && !strncmp(line, "shop.Main.run();", 16));
		take(planted_name(method + 1), strtoll(n, NULL, 10));
	}
}

static void take_calls(const char *method, int64_t n)
{
	sum_calls(&sums, method, n, 0, 0);
}

static void take_time(const char *method, int64_t n)
{
	sum_calls(&sums, method, 0, 0, n);
}

AGREE(collapsed_has_the_calls)
{
	read_collapsed(RUN("export", "--collapsed", "F"), take_calls);
	for (size_t i = 0; i < planted_call_count; i++)
		sum_calls(&true_sums, planted_calls[i].method, PLANTED_ROUNDS, 0, 0);
	assert_same(known, "collapsed");
}

AGREE(collapsed_has_the_self_times)
{
	read_collapsed(RUN("export", "--collapsed", "--weight=time", "F"), take_time);
	true_self_sums(false);
	assert_same(known, "collapsed, time");
}

/* ---- pprof */

#define STRINGS 1000

static struct cursor cursor_of(const struct proto_field *f)
{
	return cursor_at(f->data.at, 0, f->data.length);
}

/* The first field of that number in a message. */
static struct proto_field find_field(const struct proto_field *message, uint32_t number)
{
	struct cursor c = cursor_of(message);
	struct proto_field f;

	while (proto_next(&c, &f))
		if (f.number == number)
			return f;
	return (struct proto_field){0};
}

static uint64_t read_varint(const unsigned char **at)
{
	uint64_t value = 0;

	for (int shift = 0;; shift += 7) {
		value |= (uint64_t)(**at & 0x7f) << shift;
		if (*(*at)++ < 0x80)
			return value;
	}
}

static const char *text_of(const struct proto_field *f)
{
	static char text[200];

	snprintf(text, sizeof(text), "%.*s", (int)f->data.length, f->data.at);
	return planted_name(text);
}

struct pprof_profile {
	char string[STRINGS][200];
	size_t strings;
	uint64_t name[STRINGS], function[STRINGS]; /* of functions and of locations, by id */
};

/* Functions, locations and strings come behind the samples. */
static void pprof_read_names(const struct proto_field *profile, struct pprof_profile *p)
{
	enum { LOCATION = 4, FUNCTION = 5, STRING = 6 };
	struct cursor c = cursor_of(profile);
	struct proto_field f, line;

	while (proto_next(&c, &f)) {
		if (f.number == STRING) {
			strcpy(p->string[p->strings++], text_of(&f));
		} else if (f.number == FUNCTION) {
			p->name[find_field(&f, 1).integer] = find_field(&f, 2).integer;
		} else if (f.number == LOCATION) {
			line = find_field(&f, 4);
			p->function[find_field(&f, 1).integer] = find_field(&line, 1).integer;
		}
	}
}

static void pprof_read_sample(const struct proto_field *sample, const struct pprof_profile *p)
{
	const unsigned char *locations = (const unsigned char *)find_field(sample, 1).data.at;
	const unsigned char *values = (const unsigned char *)find_field(sample, 2).data.at;
	const char *method = p->string[p->name[p->function[read_varint(&locations)]]];
	int64_t value[4];

	for (int i = 0; i < 4; i++)
		value[i] = read_varint(&values);
	sum_calls(&sums, method, value[0], 0, value[1]);
	sum_parts(&sums, method, value[2], 0, value[3]);
}

AGREE(pprof_has_the_self_times)
{
	static char data[1 << 20];
	struct proto_field profile = {.data = {.at = data}}, f;
	static struct pprof_profile p;
	struct cursor c;
	gzFile from;

	RUN("export", "--pprof", "F");
	from = gzopen("stdout", "rb");
	profile.data.length = gzread(from, data, sizeof(data));
	gzclose(from);
	pprof_read_names(&profile, &p);
	c = cursor_of(&profile);
	while (proto_next(&c, &f))
		if (f.number == 2)
			pprof_read_sample(&f, &p);
	true_self_sums(true);
	assert_same(known, "pprof");
}

/* ---- Perfetto */

#define TRACKS 64
#define DEPTH  16

enum { TASK_SLICE = 1, CALL_SLICE, WAIT_SLICE, RUNNABLE_SLICE }; /* numbers of their categories */

struct perfetto_trace {
	char name[STRINGS][200], argument[100][200]; /* interned */
	int64_t now;
	struct track {
		uint64_t uuid;
		struct slice_open {
			uint64_t category;
			int64_t start;
			char name[200];
		} open[DEPTH];
		int depth;
	} track[TRACKS];
};

static void perfetto_names(const struct proto_field *interned, struct perfetto_trace *t)
{
	enum { NAMES = 2, ARGUMENTS = 3 };
	struct cursor c = cursor_of(interned);
	struct proto_field f, text;

	while (proto_next(&c, &f)) {
		text = find_field(&f, 2);
		if (f.number == NAMES)
			strcpy(t->name[find_field(&f, 1).integer], text_of(&text));
		else if (f.number == ARGUMENTS)
			strcpy(t->argument[find_field(&f, 1).integer], text_of(&text));
	}
}

static struct track *perfetto_track_of(struct perfetto_trace *t, uint64_t uuid)
{
	struct track *track = t->track;

	while (track->uuid && track->uuid != uuid)
		track++;
	assert_true(track < t->track + TRACKS);
	track->uuid = uuid;
	return track;
}

/* The argument of a slice; an empty field if it is missing. */
static struct proto_field perfetto_argument_of(struct perfetto_trace *t, const struct proto_field *event,
					       const char *name)
{
	enum { ARGUMENT = 4, NUMBER = 4, TEXT = 6 };
	struct cursor c = cursor_of(event);
	struct proto_field f, value;

	while (proto_next(&c, &f)) {
		if (f.number != ARGUMENT || strcmp(t->argument[find_field(&f, 1).integer], name) != 0)
			continue;
		value = find_field(&f, TEXT);
		return value.number ? value : find_field(&f, NUMBER);
	}
	return (struct proto_field){0};
}

/* "after shop.Task.render() 20.0 ms", "held by \"owner\": shop.Task.render() 20.0 ms" */
static void perfetto_claim_call(struct perfetto_trace *t, const struct proto_field *event, const char *reason,
				const char *method)
{
	struct proto_field call = perfetto_argument_of(t, event, "wakerCall");
	struct proto_field held = perfetto_argument_of(t, event, "heldBy");
	char text[200], thread[100], where[100];

	snprintf(text, sizeof(text), "%.*s", (int)call.data.length, call.data.at ?: "");
	if (sscanf(text, "%99s %99s", thread, where) == 2)
		claim_add(&said, "%s in %s: %s %s", reason, method, thread, planted_name(where));
	snprintf(text, sizeof(text), "%.*s", (int)held.data.length, held.data.at ?: "");
	if (sscanf(text, "held by \"%99[^\"]\": %99s", thread, where) == 2)
		claim_add(&said, "%s in %s: %s held it in %s", reason, method, thread, planted_name(where));
}

static void perfetto_begin_slice(struct perfetto_trace *t, const struct proto_field *event, struct track *track)
{
	struct slice_open *around = track->depth ? &track->open[track->depth - 1] : NULL;
	struct slice_open *s = &track->open[track->depth++];
	struct proto_field waker = perfetto_argument_of(t, event, "wokenBy");
	struct proto_field resource = perfetto_argument_of(t, event, "resource");

	assert_true(track->depth < DEPTH);
	s->category = find_field(event, 3).integer;
	s->start = t->now;
	strcpy(s->name, t->name[find_field(event, 10).integer]);
	if (s->category == CALL_SLICE) {
		claim_nesting(&said, around ? around->name : NULL, s->name);
		sum_calls(&sums, s->name, 1, perfetto_argument_of(t, event, "thrown").integer, 0);
		sum_parts(&sums, s->name, perfetto_argument_of(t, event, "cpuNs").integer,
			  perfetto_argument_of(t, event, "runQueueNs").integer,
			  perfetto_argument_of(t, event, "blockedNs").integer);
	} else if (s->category == WAIT_SLICE && around) {
		claim_add(&said, "%s in %s, ended by %s", s->name, around->name, waker.number ? text_of(&waker) : "?");
		claim_add(&said, "%s is for %s", s->name, resource.number ? text_of(&resource) : "?");
		perfetto_claim_call(t, event, s->name, around->name);
	}
}

static void perfetto_end_slice(struct perfetto_trace *t, struct track *track)
{
	struct slice_open *s = &track->open[--track->depth];

	assert_true(track->depth >= 0);
	if (s->category == CALL_SLICE)
		sum_calls(&sums, s->name, 0, 0, t->now - s->start);
}

static void perfetto_event(struct perfetto_trace *t, const struct proto_field *event)
{
	enum { BEGIN = 1, END = 2 };
	struct track *track = perfetto_track_of(t, find_field(event, 11).integer);
	uint64_t type = find_field(event, 9).integer;

	if (type == BEGIN)
		perfetto_begin_slice(t, event, track);
	else if (type == END)
		perfetto_end_slice(t, track);
}

AGREE(perfetto_nests_calls_and_waits)
{
	enum { TIMESTAMP = 8, EVENT = 11, INTERNED = 12, CLOCK = 58 };
	static struct perfetto_trace t;
	struct proto_field packet, interned, event;
	struct cursor c;

	RUN("export", "--perfetto", "F");
	c = cursor_at(output, 0, output_size);
	while (proto_next(&c, &packet)) {
		interned = find_field(&packet, INTERNED);
		event = find_field(&packet, EVENT);
		if (interned.number)
			perfetto_names(&interned, &t);
		if (!event.number || find_field(&packet, CLOCK).number) /* counters have another clock */
			continue;
		t.now += find_field(&packet, TIMESTAMP).integer;
		perfetto_event(&t, &event);
	}
	true_nested_sums();
	true_waits();
	true_waker_calls();
	assert_same(known, "perfetto");
}

/* ---- OpenTelemetry */

static struct otlp_seen {
	char id[20], method[200], parent[20];
} spans[1000];
static size_t span_count;

/* The value of an attribute, as a text; "" if it is missing. */
static const char *attribute(const char *of, const char *key)
{
	for (const char *a = json_first(json_at(of, "attributes")); a; a = json_next(a))
		if (!strcmp(json_text(a, "key"), key))
			return json_text(a, json_at(a, "value.intValue") ? "value.intValue" : "value.stringValue");
	return "";
}

static int64_t attribute_number(const char *of, const char *key)
{
	return strtoll(attribute(of, key), NULL, 10);
}

static int64_t text_number(const char *of, const char *key)
{
	return strtoll(json_text(of, key), NULL, 10);
}

static void otlp_wait(const char *event, const char *method)
{
	char reason[200];

	strcpy(reason, attribute(event, "frtrace.reason"));
	sum_wait(&sums, reason, method, attribute_number(event, "frtrace.duration_ns"));
	claim_add(&said, "%s in %s, ended by %s", reason, method,
		  *attribute(event, "frtrace.waker") ? attribute(event, "frtrace.waker") : "?");
	claim_add(&said, "%s is for %s", reason,
		  *attribute(event, "frtrace.resource") ? attribute(event, "frtrace.resource") : "?");
}

static void otlp_read_span(const char *span)
{
	struct otlp_seen *s = &spans[span_count++];

	assert_true(span_count < sizeof(spans) / sizeof(spans[0]));
	strcpy(s->id, json_text(span, "spanId"));
	strcpy(s->method, json_text(span, "name"));
	strcpy(s->parent, json_at(span, "parentSpanId") ? json_text(span, "parentSpanId") : "");
	sum_calls(&sums, s->method, 1, !!json_at(span, "status"),
		  text_number(span, "endTimeUnixNano") - text_number(span, "startTimeUnixNano"));
	sum_parts(&sums, s->method, attribute_number(span, "frtrace.cpu_ns"),
		  attribute_number(span, "frtrace.run_queue_ns"), attribute_number(span, "frtrace.blocked_ns"));
	for (const char *e = json_first(json_at(span, "events")); e; e = json_next(e))
		otlp_wait(e, s->method);
}

static const char *otlp_method_of(const char *id)
{
	for (size_t i = 0; *id && i < span_count; i++)
		if (!strcmp(spans[i].id, id))
			return spans[i].method;
	return NULL;
}

AGREE(otlp_nests_calls_and_waits)
{
	char *text = RUN("export", "--otlp", "F"), *line;

	while ((line = strsep(&text, "\n")) && *line) {
		const char *scope = json_first(json_at(json_first(json_at(line, "resourceSpans")), "scopeSpans"));

		for (const char *span = json_first(json_at(scope, "spans")); span; span = json_next(span))
			otlp_read_span(span);
	}
	for (size_t i = 0; i < span_count; i++)
		claim_nesting(&said, otlp_method_of(spans[i].parent), spans[i].method);
	true_nested_sums();
	true_waits();
	for (size_t i = 0; i < planted_wait_count; i++)
		if (planted_waits[i].in)
			sum_wait(&true_sums, planted_waits[i].reason, planted_waits[i].in,
				 PLANTED_ROUNDS * planted_waits[i].duration);
	assert_same(known, "otlp");
}
