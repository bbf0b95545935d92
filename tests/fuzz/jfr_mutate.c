// SPDX-License-Identifier: BSD-2-Clause
#include "tests/fuzz/jfr_mutate.h"
#include "format/jfr/jfr_read.h"
#include "format/vec.h"

#include <stdlib.h>

#define SIZE_MOST  (1u << 20) /* of a changed file */
#define DEPTH_MOST 40
#define EDITS	   8

enum token_kind {
	TOKEN_TIME, /* start or duration of an event */
	TOKEN_KEY,
	TOKEN_COUNT, /* of an array, a pool, strings, attributes, children */
	TOKEN_TYPE,  /* id of a type: of an event, a pool, a field */
	TOKEN_NUMBER,
	TOKEN_INDEX, /* of a string in a description of types */
	TOKEN_BYTE,
	TOKEN_FIXED, /* 4 or 8 bytes */
	TOKEN_TEXT,
	TOKEN_KINDS
};

/* A value in the file. */
struct token {
	size_t at, size;
	enum token_kind kind;
};

struct mutated_event {
	size_t at, size; /* with the size in front */
	uint64_t type;
	size_t token, tokens;
};

struct mutated_chunk {
	struct jfr_header header;
	size_t at, event, events;
};

struct mutated_file {
	const unsigned char *data;
	size_t size;
	struct token *token;
	size_t tokens, token_capacity;
	struct mutated_event *event;
	size_t events, event_capacity;
	struct mutated_chunk *chunk;
	size_t chunks, chunk_capacity;
	size_t *of_kind[TOKEN_KINDS], kinds[TOKEN_KINDS]; /* the tokens by kind */
	size_t *rare;					  /* the events that are not like the one before */
	size_t rares;
	bool failed;
};

/* ---- taking apart */

static void add_token(struct mutated_file *f, size_t at, size_t end, enum token_kind kind)
{
	if (vec_reserve(&f->token, &f->token_capacity, f->tokens + 1))
		f->failed = true;
	else
		f->token[f->tokens++] = (struct token){at, end - at, kind};
}

static uint64_t scan_leb(struct mutated_file *f, struct cursor *c, enum token_kind kind)
{
	size_t at = c->at;
	uint64_t v = cursor_leb(c);

	if (cursor_ok(c))
		add_token(f, at, c->at, kind);
	return v;
}

static void scan_value(struct mutated_file *f, struct cursor *c, const struct meta_type *t, unsigned int depth);

static void scan_field(struct mutated_file *f, struct cursor *c, const struct meta_field *field, unsigned int depth)
{
	uint64_t count = field->array ? scan_leb(f, c, TOKEN_COUNT) : 1;

	for (uint64_t i = 0; i < count && cursor_ok(c) && c->at < c->size; i++) {
		if (field->constant)
			scan_leb(f, c, TOKEN_KEY);
		else
			scan_value(f, c, field->type, depth);
	}
}

static void scan_value(struct mutated_file *f, struct cursor *c, const struct meta_type *t, unsigned int depth)
{
	size_t at = c->at;

	switch (t->kind) {
	case META_STRUCT:
		for (uint32_t i = 0; i < t->count && cursor_ok(c) && depth < DEPTH_MOST; i++)
			scan_field(f, c, &t->fields[i], depth + 1);
		return;
	case META_BOOLEAN:
	case META_BYTE: cursor_u8(c); break;
	case META_FLOAT: cursor_be32(c); break;
	case META_DOUBLE: cursor_be64(c); break;
	case META_STRING: cursor_text(c); break;
	default: scan_leb(f, c, TOKEN_NUMBER); return;
	}
	if (cursor_ok(c))
		add_token(f, at, c->at,
			  t->kind == META_STRING ? TOKEN_TEXT
			  : t->kind < META_FLOAT ? TOKEN_BYTE
						 : TOKEN_FIXED);
}

static void scan_element(struct mutated_file *f, struct cursor *c, unsigned int depth)
{
	uint64_t count;

	scan_leb(f, c, TOKEN_INDEX);
	count = scan_leb(f, c, TOKEN_COUNT);
	for (uint64_t i = 0; i < 2 * count && cursor_ok(c); i++)
		scan_leb(f, c, TOKEN_INDEX);
	count = scan_leb(f, c, TOKEN_COUNT);
	for (uint64_t i = 0; i < count && cursor_ok(c) && depth < DEPTH_MOST; i++)
		scan_element(f, c, depth + 1);
}

static void scan_metadata(struct mutated_file *f, struct cursor *c)
{
	uint64_t count;

	for (int i = 0; i < 3; i++)
		scan_leb(f, c, TOKEN_NUMBER);
	count = scan_leb(f, c, TOKEN_COUNT);
	for (uint64_t i = 0; i < count && cursor_ok(c); i++) {
		size_t at = c->at;

		cursor_text(c);
		if (cursor_ok(c))
			add_token(f, at, c->at, TOKEN_TEXT);
	}
	scan_element(f, c, 0);
}

static void scan_checkpoint(struct mutated_file *f, struct cursor *c, const struct jfr_metadata *m)
{
	uint64_t pools;

	for (int i = 0; i < 4; i++) /* the third is the way to the previous one, which is set right */
		scan_leb(f, c, i < 2 ? TOKEN_TIME : TOKEN_NUMBER);
	pools = scan_leb(f, c, TOKEN_COUNT);
	while (pools-- && cursor_ok(c)) {
		const struct meta_type *t = jfr_metadata_type(m, scan_leb(f, c, TOKEN_TYPE));
		uint64_t count = scan_leb(f, c, TOKEN_COUNT);

		while (t && count-- && cursor_ok(c)) {
			scan_leb(f, c, TOKEN_KEY);
			scan_value(f, c, t, 0);
		}
		if (!t)
			return;
	}
}

static void scan_event(struct mutated_file *f, struct jfr_chunk *chunk, const struct jfr_event *e, size_t base)
{
	struct mutated_event event = {base + e->at, e->size, e->type_id, f->tokens, 0};
	struct cursor c;

	cursor_init(&c, f->data, base + e->at + e->size);
	c.at = event.at;
	cursor_leb(&c);
	scan_leb(f, &c, TOKEN_TYPE);
	if (e->type_id == 0)
		scan_metadata(f, &c);
	else if (e->type_id == 1)
		scan_checkpoint(f, &c, chunk->metadata);
	else
		for (uint32_t i = 0; e->type && i < e->type->count; i++) {
			bool time = i == 0 || (int)i == e->type->duration;

			if (time)
				scan_leb(f, &c, TOKEN_TIME);
			else
				scan_field(f, &c, &e->type->fields[i], 0);
		}
	event.tokens = f->tokens - event.token;
	if (vec_reserve(&f->event, &f->event_capacity, f->events + 1))
		f->failed = true;
	else
		f->event[f->events++] = event;
}

static void scan_chunk(struct mutated_file *f, struct jfr_chunk *chunk)
{
	struct mutated_chunk *to;
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;

	if (vec_reserve(&f->chunk, &f->chunk_capacity, f->chunks + 1)) {
		f->failed = true;
		return;
	}
	to = &f->chunk[f->chunks++];
	*to = (struct mutated_chunk){chunk->header, chunk->at, f->events, 0};
	while (jfr_chunk_next(chunk, &position, &e) && !f->failed)
		scan_event(f, chunk, &e, chunk->at);
	to->events = f->events - to->event;
}

/* So that a value of each kind, and an event of each type, is as likely to be changed as any other. */
static void sort_by_kind(struct mutated_file *f)
{
	for (int kind = 0; kind < TOKEN_KINDS; kind++) {
		f->of_kind[kind] = calloc(f->tokens + 1, sizeof(size_t));
		for (size_t i = 0; f->of_kind[kind] && i < f->tokens; i++)
			if (f->token[i].kind == (enum token_kind)kind)
				f->of_kind[kind][f->kinds[kind]++] = i;
		f->failed |= !f->of_kind[kind];
	}
	f->rare = calloc(f->events + 1, sizeof(size_t));
	f->failed |= !f->rare;
	for (size_t i = 0; f->rare && i < f->events; i++)
		if (!i || f->event[i].type != f->event[i - 1].type)
			f->rare[f->rares++] = i;
}

struct mutated_file *mutated_open(const void *data, size_t size)
{
	struct mutated_file *f = calloc(1, sizeof(*f));
	struct jfr_chunk *chunk;
	struct jfr_file file;

	if (!f)
		return NULL;
	f->data = data;
	f->size = size;
	jfr_file_init(&file, data, size);
	while ((chunk = jfr_file_next(&file))) {
		scan_chunk(f, chunk);
		jfr_chunk_put(chunk);
	}
	jfr_file_release(&file);
	sort_by_kind(f);
	if (!f->failed && f->events)
		return f;
	mutated_close(f);
	return NULL;
}

void mutated_close(struct mutated_file *f)
{
	if (!f)
		return;
	for (int kind = 0; kind < TOKEN_KINDS; kind++)
		free(f->of_kind[kind]);
	free(f->rare);
	free(f->token);
	free(f->event);
	free(f->chunk);
	free(f);
}

/* ---- changing */

struct edit {
	size_t at, size; /* what is replaced */
	struct bytes with;
};

/* What becomes of an event. */
enum fate { FATE_DROP, FATE_TWICE, FATE_MANY, FATE_ELSEWHERE, FATE_CUT, FATE_WRONG_SIZE, FATES };

struct mutation {
	const struct mutated_file *f;
	uint64_t state;
	struct edit edit[EDITS];
	unsigned int edits;
	size_t fated; /* event; SIZE_MAX: none */
	enum fate fate;
	bool careless; /* leave positions and sizes as they were */
};

static uint64_t any(struct mutation *m)
{
	m->state ^= m->state << 13;
	m->state ^= m->state >> 7;
	m->state ^= m->state << 17;
	return m->state;
}

static uint64_t below(struct mutation *m, uint64_t limit)
{
	return limit ? (any(m) >> 11) % limit : 0;
}

static bool one_in(struct mutation *m, uint64_t n)
{
	return !below(m, n);
}

static uint64_t leb_at(const struct mutated_file *f, const struct token *t)
{
	struct cursor c;

	cursor_init(&c, f->data, t->at + t->size);
	c.at = t->at;
	return cursor_leb(&c);
}

static uint64_t strange_number(struct mutation *m, uint64_t old)
{
	static const int64_t numbers[] = {0,	      1,
					  2,	      3,
					  -1,	      -2,
					  127,	      128,
					  255,	      256,
					  16383,      16384,
					  32767,      65535,
					  65536,      1000000,
					  INT32_MAX,  INT32_MIN,
					  1ll << 31,  1ll << 32,
					  1ll << 53,  1ll << 56,
					  1ll << 61,  1ll << 62,
					  INT64_MAX,  INT64_MAX - 1,
					  INT64_MIN,  INT64_MIN + 1,
					  1000000000, 1700000000000000000ll};
	const struct mutated_file *f = m->f;
	enum token_kind kind;

	switch (below(m, 8)) {
	case 0: return old + 1;
	case 1: return old - 1;
	case 2: return old ^ 1ull << below(m, 64);
	case 3: return old * 2;
	case 4: return below(m, 64);
	case 5: return any(m) >> below(m, 64);
	case 6: /* one that is elsewhere */
		kind = below(m, TOKEN_INDEX + 1);
		if (f->kinds[kind])
			return leb_at(f, &f->token[f->of_kind[kind][below(m, f->kinds[kind])]]);
		/* fall through */
	default: return numbers[below(m, sizeof(numbers) / sizeof(numbers[0]))];
	}
}

static void put_string(struct bytes *out, const char *text, size_t size, uint8_t encoding)
{
	bytes_put_u8(out, encoding);
	bytes_put_leb(out, size);
	bytes_put(out, text, size);
}

/* Names that mean something to readers are among them: a field or a type becomes another one. */
/* clang-format off */
static const char *const strange_texts[] = {
	"", "a", "a\n9 forged rows", "\t=1+1", "=cmd|' /C calc'!A0", "<script>", "\xff\xfe", "\x1b[2J", "%s%n%s", "+0x1",
	"((((", "[[[[[[[[[[", "Ljava/lang/", "(Ljava/lang/String;[[IJ)V", ";;;;", "[L;", "\xed\xa0\x80", "\xe2\x80\xae",
	"startTime", "duration", "eventThread", "stackTrace", "method", "thrown", "thrownClass", "frames", "type", "name",
	"descriptor", "lineNumber", "bytecodeIndex", "javaName", "osName", "javaThreadId", "osThreadId", "virtual", "group",
	"cpuTime", "runQueueTime", "blockedTime", "pauseTime", "syscalls", "syscallTime", "majorFaults", "minorFaults",
	"allocated", "traceIdHi", "traceIdLo", "spanId", "reason", "what", "syscall", "wakerThread", "kernelStack", "nativeStack",
	"wakerStackTrace", "wokenBy", "wokenAfter", "ongoing", "resource", "invocations", "minimum", "average", "maximum", "p50", "p99", "total",
	"truncated", "hidden", "string", "value", "key", "jdk.MethodTrace", "jdk.MethodTiming", "frtrace.ThreadWait",
	"frtrace.RunQueue", "frtrace.VMPause", "frtrace.OpenCall", "frtrace.Clock", "frtrace.Message", "jdk.DataLoss",
	"jdk.ActiveSetting", "jdk.ActiveRecording", "jdk.JVMInformation", "java.lang.Thread", "java.lang.Class",
	"java.lang.String", "jdk.types.Method", "jdk.types.StackTrace", "jdk.types.StackFrame", "jdk.types.ClassLoader",
	"long", "int", "byte", "boolean", "char", "short", "float", "double", "true", "false", "superType", "jdk.jfr.Event",
	"constantPool", "dimension", "simpleType", "class", "field", "annotation", "setting", "region", "gmtOffset", "id",
	"jdk.jfr.Timestamp", "jdk.jfr.Timespan", "jdk.jfr.Unsigned", "jdk.jfr.DataAmount", "jdk.jfr.Percentage", "TICKS",
	"NANOSECONDS", "SECONDS", "MILLISECONDS_SINCE_EPOCH", "NANOSECONDS_SINCE_EPOCH", "BYTES", "-1", "0", "1", "2",
	"9223372036854775807", "-9223372036854775808", "4294967296", "GC", "futex", "parked", "interrupt", "other"
};
/* clang-format on */

static void put_strange_text(struct mutation *m, struct bytes *out)
{
	const struct mutated_file *f = m->f;
	const char *text = strange_texts[below(m, sizeof(strange_texts) / sizeof(strange_texts[0]))];
	static char long_text[5000];

	switch (below(m, 16)) {
	case 0: bytes_put_u8(out, below(m, 8)); break; /* an encoding without a text */
	case 1:					       /* one that is elsewhere */
		if (f->kinds[TOKEN_TEXT]) {
			const struct token *t = &f->token[f->of_kind[TOKEN_TEXT][below(m, f->kinds[TOKEN_TEXT])]];

			bytes_put(out, f->data + t->at, t->size);
			break;
		}
		/* fall through */
	case 2: bytes_put_u8(out, TEXT_CONSTANT), bytes_put_leb(out, strange_number(m, 0)); break;
	case 3:
		memset(long_text, "x(;[/."[below(m, 6)], sizeof(long_text));
		put_string(out, long_text, below(m, sizeof(long_text)), TEXT_UTF8);
		break;
	case 4:
		bytes_put_u8(out, TEXT_UTF16);
		bytes_put_leb(out, 4);
		for (int i = 0; i < 4; i++)
			bytes_put_leb(out, strange_number(m, 0xd800));
		break;
	case 5: put_string(out, text, strlen(text), TEXT_LATIN1); break;
	default: put_string(out, text, strlen(text), TEXT_UTF8);
	}
}

static void edit_token(struct mutation *m, const struct token *t)
{
	const struct mutated_file *f = m->f;
	struct edit *e = &m->edit[m->edits++];
	static const double reals[] = {0, -1, 1e300, -1e300, 1e19, 0.0 / 0.0, 1 / 0.0};
	double real = reals[below(m, sizeof(reals) / sizeof(reals[0]))];
	uint64_t bits;

	*e = (struct edit){.at = t->at, .size = t->size};
	bytes_init(&e->with);
	switch (t->kind) {
	case TOKEN_TEXT: put_strange_text(m, &e->with); break;
	case TOKEN_BYTE: bytes_put_u8(&e->with, any(m)); break;
	case TOKEN_FIXED:
		memcpy(&bits, &real, sizeof(bits));
		if (t->size == 8)
			bytes_put_be64(&e->with, bits);
		else
			bytes_put_be32(&e->with, any(m));
		break;
	default: bytes_put_leb(&e->with, strange_number(m, leb_at(f, t)));
	}
}

static void choose_edits(struct mutation *m)
{
	const struct mutated_file *f = m->f;
	unsigned int wanted = 1 + below(m, one_in(m, 3) ? EDITS : 2);

	while (m->edits < wanted) {
		enum token_kind kind = below(m, TOKEN_KINDS);
		size_t event = one_in(m, 2) ? f->rare[below(m, f->rares)] : below(m, f->events), n;

		if (one_in(m, 2) && f->event[event].tokens)
			n = f->event[event].token + below(m, f->event[event].tokens);
		else if (f->kinds[kind])
			n = f->of_kind[kind][below(m, f->kinds[kind])];
		else
			continue;
		edit_token(m, &f->token[n]);
	}
	m->fated = one_in(m, 4) ? below(m, f->events) : SIZE_MAX;
	m->fate = below(m, FATES);
}

/* Append the bytes from `at` to `end` with the edits that lie in them. */
static void put_edited(const struct mutation *m, struct bytes *out, size_t at, size_t end)
{
	while (at < end) {
		const struct edit *next = NULL;

		for (unsigned int i = 0; i < m->edits; i++)
			if (m->edit[i].at >= at && m->edit[i].at + m->edit[i].size <= end &&
			    (!next || m->edit[i].at < next->at))
				next = &m->edit[i];
		bytes_put(out, m->f->data + at, (next ? next->at : end) - at);
		at = next ? next->at + next->size : end;
		if (next)
			bytes_put(out, next->with.data, next->with.size);
	}
}

static size_t event_body(const struct mutated_file *f, const struct mutated_event *e)
{
	struct cursor c;

	cursor_init(&c, f->data, e->at + e->size);
	c.at = e->at;
	cursor_leb(&c);
	return c.at;
}

/* A checkpoint: type, start, duration, then the way to the previous one, which is set right. */
static void put_checkpoint(struct mutation *m, struct bytes *out, const struct mutated_event *e, int64_t back)
{
	const struct token *t = &m->f->token[e->token];

	if (e->tokens < 5 || m->careless) {
		put_edited(m, out, event_body(m->f, e), e->at + e->size);
		return;
	}
	put_edited(m, out, t[0].at, t[3].at);
	bytes_put_leb(out, back);
	put_edited(m, out, t[3].at + t[3].size, e->at + e->size);
}

static void put_event(struct mutation *m, struct bytes *out, const struct mutated_event *e, size_t chunk, size_t *last)
{
	size_t at = out->size, end = e->at + e->size;
	uint64_t size;

	bytes_put(out, "\x80\x80\x80", 4); /* the size, with its fourth byte */
	if (m->fated < m->f->events && &m->f->event[m->fated] == e && m->fate == FATE_CUT)
		end = event_body(m->f, e) + below(m, end - event_body(m->f, e));
	if (e->type == 1 && end == e->at + e->size) {
		put_checkpoint(m, out, e, *last ? (int64_t)*last - (int64_t)(at - chunk) : 0);
		*last = at - chunk;
	} else {
		put_edited(m, out, event_body(m->f, e), end);
	}
	size = out->size - at;
	if (m->fated < m->f->events && &m->f->event[m->fated] == e && m->fate == FATE_WRONG_SIZE)
		size = strange_number(m, size);
	if (!out->failed)
		bytes_patch_leb(out, at, size & (LEB_PADDED_LIMIT - 1));
}

static unsigned int event_copies(struct mutation *m, size_t event)
{
	if (event != m->fated || m->f->event[event].type < 2)
		return 1;
	return m->fate == FATE_DROP ? 0 : m->fate == FATE_TWICE ? 2 : m->fate == FATE_MANY ? 1 + below(m, 300) : 1;
}

static void strange_header(struct mutation *m, struct jfr_header *h)
{
	switch (below(m, 9)) {
	case 0: h->size = strange_number(m, h->size); break;
	case 1: h->constants = strange_number(m, h->constants); break;
	case 2: h->metadata = strange_number(m, h->metadata); break;
	case 3: h->start_nanos = strange_number(m, h->start_nanos); break;
	case 4: h->duration_nanos = strange_number(m, h->duration_nanos); break;
	case 5: h->start_ticks = strange_number(m, h->start_ticks); break;
	case 6: h->ticks_per_second = strange_number(m, h->ticks_per_second); break;
	case 7: h->state = any(m); break;
	default: h->flags = any(m);
	}
}

static void put_chunk(struct mutation *m, struct bytes *out, const struct mutated_chunk *chunk)
{
	const struct mutated_file *f = m->f;
	struct jfr_header h = chunk->header;
	size_t start = out->size, last = 0, metadata = 0;
	unsigned char *header = bytes_reserve(out, JFR_HEADER_SIZE);

	if (!header)
		return;
	out->size += JFR_HEADER_SIZE;
	for (size_t i = 0; i < chunk->events; i++) {
		size_t n = chunk->event + i;

		if (n == m->fated && m->fate == FATE_ELSEWHERE)
			n = chunk->event + below(m, chunk->events);
		for (unsigned int copies = event_copies(m, n); copies && out->size < SIZE_MOST; copies--) {
			if (f->event[n].type == 0)
				metadata = out->size - start;
			put_event(m, out, &f->event[n], start, &last);
		}
	}
	if (!m->careless) {
		h.size = out->size - start;
		h.constants = last;
		h.metadata = metadata;
	}
	if (one_in(m, 12))
		strange_header(m, &h);
	if (!out->failed)
		jfr_header_write(out->data + start, &h);
}

/* Bytes as they come, and ends where nothing ends. */
static void spoil(struct mutation *m, struct bytes *out)
{
	if (out->size && one_in(m, 16))
		for (uint64_t i = 1 + below(m, 8); i; i--)
			out->data[below(m, out->size)] ^= 1 << below(m, 8);
	if (one_in(m, 24))
		out->size = below(m, out->size + 1);
}

void mutated_write(const struct mutated_file *f, uint64_t seed, struct bytes *out)
{
	struct mutation m = {.f = f, .state = (seed + 1) * 0x9e3779b97f4a7c15};

	for (int i = 0; i < 4; i++)
		any(&m);
	bytes_clear(out);
	m.careless = one_in(&m, 20);
	choose_edits(&m);
	for (size_t i = 0; i < f->chunks; i++)
		for (int copies = one_in(&m, 20) ? 2 : 1; copies && out->size < SIZE_MOST; copies--)
			put_chunk(&m, out, &f->chunk[i]);
	if (!out->failed)
		spoil(&m, out);
	for (unsigned int i = 0; i < m.edits; i++)
		bytes_release(&m.edit[i].with);
}
