// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/jfr_dissect_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dissect_fault(struct dissect *d, size_t at, const char *format, ...)
{
	int n = d->error[0] ? -1 : snprintf(d->error, sizeof(d->error), "at %zu: ", at);
	va_list args;

	if (n < 0)
		return;
	va_start(args, format);
	vsnprintf(d->error + n, sizeof(d->error) - n, format, args);
	va_end(args);
}

bool dissect_sound(const struct dissect *d)
{
	return !d->error[0];
}

unsigned int read_byte(struct reader *r)
{
	if (!dissect_sound(r->d) || r->at >= r->end) {
		dissect_fault(r->d, r->at, "ends early");
		return 0;
	}
	return r->d->data[r->at++];
}

uint64_t read_leb(struct reader *r)
{
	uint64_t v = 0;
	unsigned int i, b;

	for (i = 0; i < 9; i++) {
		b = read_byte(r);
		v |= (uint64_t)(i < 8 ? b & 0x7f : b) << (7 * i);
		if (b < 0x80)
			break;
	}
	return v;
}

static uint64_t big(struct reader *r, unsigned int bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | read_byte(r);
	return v;
}

/* The writer uses three encodings. */
char *read_string(struct reader *r)
{
	size_t start = r->at, n;
	unsigned int encoding = read_byte(r);
	char *text;

	if (encoding == 0)
		return NULL;
	n = encoding == 1 ? 0 : read_leb(r);
	if (encoding != 1 && encoding != 3)
		dissect_fault(r->d, start, "string of encoding %u", encoding);
	if (!dissect_sound(r->d) || n > r->end - r->at) {
		dissect_fault(r->d, start, "string of %zu bytes", n);
		n = 0;
	}
	text = strndup((const char *)r->d->data + r->at, n);
	r->at += n;
	return text;
}

void *array_more(void *array, size_t count, size_t size)
{
	if (count & (count - 1) && count)
		return array;
	return realloc(array, (count ? count * 2 : 1) * size);
}

const struct dissect_type *type_by_id(const struct dissect *d, uint64_t id)
{
	unsigned int i;

	for (i = 0; i < d->private->types; i++)
		if (d->private->type[i].id == id)
			return &d->private->type[i];
	return NULL;
}

const struct dissect_type *type_by_name(const struct dissect *d, const char *name)
{
	unsigned int i;

	for (i = 0; i < d->private->types; i++)
		if (!strcmp(d->private->type[i].name, name))
			return &d->private->type[i];
	return NULL;
}

/* Metadata with the same id must be equal; frtrace's never changes within a file. */
static void read_metadata(struct dissect *d, struct dissect_chunk *c, unsigned int index)
{
	struct reader r = {d, c->at + c->metadata, c->at + c->size};
	size_t start = r.at, size = read_leb(&r);
	const struct dissect_chunk *first = d->chunk;

	r.end = size < r.end - start ? start + size : r.end;
	if (read_leb(&r) != 0)
		dissect_fault(d, start, "metadata expected");
	read_leb(&r);
	read_leb(&r);
	c->metadata_id = read_leb(&r);
	if (c->metadata_id >> 62 || c->metadata_id < 1000000)
		dissect_fault(d, start, "metadata id %" PRIu64 " looks like a counter", c->metadata_id);
	if (index && c->metadata_id != first->metadata_id)
		dissect_fault(d, start, "metadata differ from the first chunk's");
	if (!dissect_sound(d) || index)
		return;
	read_types(&r);
	if (dissect_sound(d) && r.at != start + size)
		dissect_fault(d, r.at, "metadata of %zu bytes end here", size);
}

/* Values */

static int constant_compare(const void *a, const void *b)
{
	const struct constant *x = a, *y = b;

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static const struct constant *constant_find(const struct dissect *d, unsigned int chunk, uint64_t type, uint64_t key)
{
	const struct dissect_private *p = d->private;
	struct constant want = {.type = type, .key = key};
	size_t first = 0;
	unsigned int i;

	if (!d->chunk[chunk].constant_count)
		return NULL;
	for (i = 0; i < chunk; i++)
		first += d->chunk[i].constant_count;
	return bsearch(&want, p->constant + first, d->chunk[chunk].constant_count, sizeof(want), constant_compare);
}

static void skip_struct(struct reader *r, const struct dissect_type *t, int chunk);

/* Key 0 means none, but HotSpot counts frame types from 0. */
static bool may_be_zero(const struct dissect_type *t)
{
	return !strcmp(t->name, "jdk.types.FrameType");
}

/* Skip a value; with chunk >= 0 check that the constants it refers to exist. */
static void skip_value(struct reader *r, uint64_t class, bool constant, int chunk)
{
	const struct dissect_type *t = type_by_id(r->d, class);
	uint64_t key;

	if (constant) {
		key = read_leb(r);
		if (chunk >= 0 && (key || may_be_zero(t)) && !constant_find(r->d, chunk, class, key))
			dissect_fault(r->d, r->at, "constant %" PRIu64 " of '%s' is not in the chunk", key, t->name);
	} else if (t->fields) {
		skip_struct(r, t, chunk);
	} else if (!strcmp(t->name, "boolean")) {
		if (read_byte(r) > 1)
			dissect_fault(r->d, r->at, "boolean of more than 1");
	} else if (!strcmp(t->name, "java.lang.String")) {
		free(read_string(r));
	} else {
		read_leb(r);
	}
}

static void skip_field(struct reader *r, const struct field *f, int chunk)
{
	uint64_t i, n = f->array ? read_leb(r) : 1;

	for (i = 0; i < n && dissect_sound(r->d); i++)
		skip_value(r, f->class, f->constant, chunk);
}

static void skip_struct(struct reader *r, const struct dissect_type *t, int chunk)
{
	unsigned int i;

	for (i = 0; i < t->fields && dissect_sound(r->d); i++)
		skip_field(r, &t->field[i], chunk);
}

static void read_pool(struct reader *r, struct dissect_chunk *c, unsigned int index)
{
	struct dissect_private *p = r->d->private;
	uint64_t i, id = read_leb(r), n = read_leb(r);
	const struct dissect_type *t = type_by_id(r->d, id);

	if (!t || !n)
		dissect_fault(r->d, r->at, "pool of type %" PRIu64 " has %" PRIu64 " constants", id, n);
	for (i = 0; i < n && dissect_sound(r->d); i++) {
		struct constant one = {.chunk = index, .type = id, .key = read_leb(r), .at = r->at};

		if (t && !one.key && !may_be_zero(t))
			dissect_fault(r->d, r->at, "constant 0 of '%s'", t->name);
		skip_struct(r, t, -1);
		one.end = r->at;
		p->constant = array_more(p->constant, p->constants, sizeof(one));
		p->constant[p->constants++] = one;
		c->constant_count++;
	}
}

/* Read from the position in the header backwards along the deltas. */
static void read_checkpoints(struct dissect *d, struct dissect_chunk *c, unsigned int index)
{
	uint64_t position = c->constants, i, n;
	int64_t delta = -1;

	for (; position && delta && dissect_sound(d); position += delta) {
		struct reader r = {d, c->at + position, c->at + c->size};
		size_t start = r.at, size = read_leb(&r);

		r.end = size < r.end - start ? start + size : r.end;
		if (read_leb(&r) != 1)
			dissect_fault(d, start, "checkpoint expected");
		read_leb(&r);
		read_leb(&r);
		delta = read_leb(&r);
		if (delta > 0 || -delta >= (int64_t)position)
			dissect_fault(d, start, "delta %" PRId64, delta);
		read_byte(&r);
		n = read_leb(&r);
		for (i = 0; i < n && dissect_sound(d); i++)
			read_pool(&r, c, index);
		if (dissect_sound(d) && r.at != start + size)
			dissect_fault(d, r.at, "checkpoint of %zu bytes ends here", size);
		c->checkpoints++;
	}
}

/* A constant that occurred in this file under the same key must have been equal. */
static void check_constants(struct dissect *d, unsigned int index)
{
	struct dissect_private *p = d->private;
	size_t i, size;

	if (p->first == p->constants)
		return;
	qsort(p->constant + p->first, p->constants - p->first, sizeof(*p->constant), constant_compare);
	for (i = p->first; i < p->constants && dissect_sound(d); i++) {
		const struct constant *c = &p->constant[i], *before;
		struct reader r = {d, c->at, c->end};
		unsigned int chunk;

		if (i > p->first && !constant_compare(c - 1, c))
			dissect_fault(d, c->at, "constant %" PRIu64 " stands twice", c->key);
		skip_struct(&r, type_by_id(d, c->type), index);
		for (chunk = 0; chunk < index; chunk++) {
			before = constant_find(d, chunk, c->type, c->key);
			size = c->end - c->at;
			if (before &&
			    (before->end - before->at != size || memcmp(d->data + before->at, d->data + c->at, size)))
				dissect_fault(d, c->at, "constant %" PRIu64 " was another in chunk %u", c->key, chunk);
		}
	}
	p->first = p->constants;
}

/* JMC cuts the package and one more byte off the name of a class. */
static void check_packages(struct dissect *d, unsigned int index)
{
	const struct dissect_type *class = type_by_name(d, "java.lang.Class");
	size_t i, first = d->private->constants - d->chunk[index].constant_count;

	for (i = first; i < d->private->constants && dissect_sound(d); i++) {
		const struct constant *c = &d->private->constant[i];
		struct dissect_event fake = {index, class, c->at, c->end};
		const char *name, *package;

		if (c->type != class->id)
			continue;
		name = dissect_text(d, &fake, "name");
		package = dissect_text(d, &fake, "package.name");
		if (!name || (package && (strncmp(name, package, strlen(package)) || name[strlen(package)] != '/')))
			dissect_fault(d, c->at, "class '%s' in package '%s'", name ? name : "", package ? package : "");
	}
}

static void read_event(struct dissect *d, unsigned int chunk, size_t start, size_t size, uint64_t id, size_t at)
{
	struct reader r = {d, at, start + size};
	struct dissect_event e = {chunk, type_by_id(d, id), at, r.end};

	if (!e.type) {
		dissect_fault(d, start, "event of unknown type %" PRIu64, id);
		return;
	}
	skip_struct(&r, e.type, chunk);
	if (dissect_sound(d) && r.at != r.end)
		dissect_fault(d, start, "'%s' of %zu bytes has %zu more", e.type->name, size, r.end - r.at);
	d->event = array_more(d->event, d->events, sizeof(e));
	d->event[d->events++] = e;
}

/* Events, checkpoints and metadata follow each other without gaps from the header to the end. */
static void read_events(struct dissect *d, const struct dissect_chunk *c, unsigned int index)
{
	struct reader r = {d, c->at + 68, c->at + c->size};
	unsigned int checkpoints = 0, metadata = 0;

	while (dissect_sound(d) && r.at < r.end) {
		size_t start = r.at, size = read_leb(&r);
		uint64_t id = read_leb(&r);

		if (size < 3 || size > r.end - start) {
			dissect_fault(d, start, "event of %zu bytes", size);
			break;
		}
		checkpoints += id == 1;
		metadata += id == 0;
		if (id == 0 && start != c->at + c->metadata)
			dissect_fault(d, start, "the header has the metadata elsewhere");
		if (id > 1)
			read_event(d, index, start, size, id, r.at);
		r.at = start + size;
	}
	if (dissect_sound(d) && (metadata != 1 || checkpoints != c->checkpoints))
		dissect_fault(d, c->at, "%u metadata, %u checkpoints, %u in their chain", metadata, checkpoints,
			      c->checkpoints);
}

static void read_header(struct dissect *d, struct dissect_chunk *c, size_t at)
{
	struct reader r = {d, at, d->size};

	c->at = at;
	if (big(&r, 4) != 0x464c5200 || big(&r, 2) != 2 || big(&r, 2) != 1)
		dissect_fault(d, at, "magic or version");
	c->size = big(&r, 8);
	c->constants = big(&r, 8);
	c->metadata = big(&r, 8);
	c->start_nanos = big(&r, 8);
	c->duration = big(&r, 8);
	c->start_ticks = big(&r, 8);
	c->ticks_per_second = big(&r, 8);
	c->state = big(&r, 1);
	if (big(&r, 1))
		dissect_fault(d, at, "padding");
	c->flags = big(&r, 2);
	if (c->size < 68 || c->size > d->size - at || c->size > INT32_MAX)
		dissect_fault(d, at, "chunk of %" PRIu64 " bytes", c->size);
	if (c->constants >= c->size || c->metadata >= c->size || c->metadata < 68)
		dissect_fault(d, at, "position in the header");
	if (c->state || !(c->flags & 1) || c->flags & ~3 || c->duration < 0)
		dissect_fault(d, at, "state %u, flags %u, duration %" PRId64, c->state, c->flags, c->duration);
}

/* All chunks have one tick base, each starts after the previous one, and only the last may be flagged as last. */
static void check_order(struct dissect *d, const struct dissect_chunk *c)
{
	const struct dissect_chunk *before = c - 1;

	if (c->ticks_per_second != 1000000000)
		dissect_fault(d, c->at, "ticks per second");
	if (c == d->chunk)
		return;
	if (c->start_nanos <= before->start_nanos ||
	    c->start_nanos - before->start_nanos != c->start_ticks - before->start_ticks)
		dissect_fault(d, c->at, "start of the chunk");
	if (before->flags & 2)
		dissect_fault(d, c->at, "a chunk after the last");
}

static void read_chunk(struct dissect *d, size_t at)
{
	struct dissect_chunk *c;
	unsigned int index = d->chunks;

	d->chunk = array_more(d->chunk, d->chunks, sizeof(*d->chunk));
	c = &d->chunk[d->chunks++];
	memset(c, 0, sizeof(*c));
	read_header(d, c, at);
	if (!dissect_sound(d))
		return;
	check_order(d, c);
	read_metadata(d, c, index);
	read_checkpoints(d, c, index);
	if (dissect_sound(d))
		check_constants(d, index);
	if (dissect_sound(d))
		check_packages(d, index);
	read_events(d, c, index);
}

struct dissect *dissect_new(const void *data, size_t size)
{
	struct dissect *d = calloc(1, sizeof(*d));
	size_t at = 0;

	d->data = data;
	d->size = size;
	d->private = calloc(1, sizeof(*d->private));
	while (dissect_sound(d) && at < size) {
		read_chunk(d, at);
		at += d->chunk[d->chunks - 1].size;
	}
	return d;
}

void dissect_free(struct dissect *d)
{
	size_t i;

	if (!d)
		return;
	for (i = 0; i < d->private->strings; i++)
		free(d->private->string[i]);
	for (i = 0; i < 8; i++)
		free(d->private->text[i]);
	free(d->private->string);
	free(d->private->constant);
	free(d->private);
	free(d->chunk);
	free(d->event);
	free(d);
}

const char *dissect_type_name(const struct dissect_type *type)
{
	return type->name;
}

const struct dissect_event *dissect_find(const struct dissect *d, const char *type, size_t n)
{
	size_t i;

	for (i = 0; i < d->events; i++)
		if (!strcmp(d->event[i].type->name, type) && !n--)
			return &d->event[i];
	return NULL;
}

size_t dissect_count(const struct dissect *d, const char *type)
{
	size_t i, n = 0;

	for (i = 0; i < d->events; i++)
		n += !strcmp(d->event[i].type->name, type);
	return n;
}

static const struct dissect_type *walk(struct reader *r, unsigned int chunk, const struct dissect_type *t,
				       const char *path);

/* Step into a field; the path continues after its name. */
static const struct dissect_type *walk_field(struct reader *r, unsigned int chunk, const struct field *f,
					     const char *path)
{
	const struct dissect_type *class = type_by_id(r->d, f->class);
	const struct constant *c;

	if (f->constant) {
		c = constant_find(r->d, chunk, f->class, read_leb(r));
		if (!c)
			return NULL;
		*r = (struct reader){r->d, c->at, c->end};
	}
	return class->fields ? walk(r, chunk, class, path) : class;
}

/* Step into the array element whose index follows in the path; without an index, to the length. */
static const struct dissect_type *walk_array(struct reader *r, unsigned int chunk, const struct field *f,
					     const char *path)
{
	char *end;
	uint64_t i, index = strtoull(path, &end, 10);

	if (end == path)
		return type_by_name(r->d, "long");
	if (read_leb(r) <= index)
		return NULL;
	for (i = 0; i < index; i++)
		skip_value(r, f->class, f->constant, -1);
	return walk_field(r, chunk, f, end + (*end == '.'));
}

/* Move the reader to the value at the end of the path. Returns its type, or NULL. */
static const struct dissect_type *walk(struct reader *r, unsigned int chunk, const struct dissect_type *t,
				       const char *path)
{
	const struct field *f;

	for (f = t->field; f < t->field + t->fields; f++) {
		size_t n = strlen(f->name);

		if (!t->simple && (strncmp(path, f->name, n) || (path[n] && path[n] != '.'))) {
			skip_field(r, f, -1);
			continue;
		}
		path += t->simple ? 0 : n + (path[n] == '.');
		return f->array ? walk_array(r, chunk, f, path) : walk_field(r, chunk, f, path);
	}
	return NULL;
}

bool dissect_number(struct dissect *d, const struct dissect_event *e, const char *path, int64_t *value)
{
	struct reader r = {d, e->at, e->end};
	const struct dissect_type *t = walk(&r, e->chunk, e->type, path);

	if (!t || !strcmp(t->name, "java.lang.String"))
		return false;
	*value = strcmp(t->name, "boolean") ? read_leb(&r) : read_byte(&r);
	if (!strcmp(t->name, "int"))
		*value = (int32_t)*value;
	return true;
}

const char *dissect_text(struct dissect *d, const struct dissect_event *e, const char *path)
{
	struct dissect_private *p = d->private;
	struct reader r = {d, e->at, e->end};
	const struct dissect_type *t = walk(&r, e->chunk, e->type, path);
	char **slot = &p->text[p->next_text++ % 8];

	free(*slot);
	*slot = t && !strcmp(t->name, "java.lang.String") ? read_string(&r) : NULL;
	return *slot;
}

size_t dissect_constants(const struct dissect *d, unsigned int chunk, const char *type)
{
	const struct dissect_type *t = type_by_name(d, type);
	size_t i, n = 0;

	for (i = 0; t && i < d->private->constants; i++)
		n += d->private->constant[i].chunk == chunk && d->private->constant[i].type == t->id;
	return n;
}
