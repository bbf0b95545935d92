// SPDX-License-Identifier: BSD-2-Clause
/*
 * Until JDK 20 the fields are an Array<u2> with six elements each:
 *
 *     flags | name | descriptor | constant value | offset, two halves
 *
 * Since JDK 21 they are an Array<u1> of compressed numbers (UNSIGNED5). It begins with the number of fields that the class
 * file has, and of those that the JVM has added, which come last. Each field is
 *
 *     name | descriptor | offset | flags | the JVM's flags [| constant value] [| generic signature] [| group]
 *
 * where the JVM's flags say which of the last three there are. JDK 28 has three more flags, below the others, which are
 * about fields of value classes.
 */
#include "user/hotspot/fields.h"
#include "user/hotspot/method.h"
#include "user/hotspot/symbol.h"

#include <stdlib.h>

#define FIELDS_MAX  65535u
#define STREAM_MAX  (4u << 20)
#define OFFSET_TAG  2 /* bits below the offset */
#define INITIALIZED 0x1u
#define GENERIC	    0x4u
#define CONTENDED   0x10u

struct fields {
	const struct hotspot_layout *l;
	const struct mem *m;
	uint64_t pool;
	void (*visit)(const struct declared_field *f, void *context);
	void *context;
};

static int field_visit(const struct fields *f, uint32_t access, uint32_t name, uint32_t descriptor, uint32_t offset)
{
	char *text = malloc(2 * (SYMBOL_MAX + 1));
	struct declared_field found = {
		.name = text, .descriptor = text + SYMBOL_MAX + 1, .access = access, .offset = offset};
	int e = text ? symbol_read_in_pool(f->l, f->m, f->pool, name, text) : -ENOMEM;

	if (e > 0)
		e = symbol_read_in_pool(f->l, f->m, f->pool, descriptor, text + SYMBOL_MAX + 1);
	if (e > 0)
		f->visit(&found, f->context);
	free(text);
	return e < 0 ? e : 0;
}

static int each_of_array(const struct fields *f, uint64_t klass)
{
	uint16_t count, row[6];
	uint64_t array;
	int e = mem_u64(f->m, klass + f->l->klass_fields, &array);

	e = e ?: mem_u16(f->m, klass + f->l->klass_field_count, &count);
	for (uint16_t i = 0; !e && i < count; i++) {
		e = mem_read(f->m, array + f->l->array_u2 + sizeof(row) * i, row, sizeof(row));
		e = e ?: field_visit(f, row[0], row[1], row[2], (row[4] | (uint32_t)row[5] << 16) >> OFFSET_TAG);
	}
	return e;
}

struct numbers {
	const unsigned char *at;
	size_t left;
	unsigned int bias;
	bool bad;
};

static uint32_t next_number(struct numbers *n)
{
	uint32_t v = 0;
	size_t used = n->bad ? 0 : unsigned5_read(n->at, n->left, n->bias, &v);

	n->bad |= !used;
	n->at += used;
	n->left -= used;
	return v;
}

static int read_declared_fields(const struct fields *f, struct numbers *n)
{
	uint32_t count = next_number(n);
	int e = 0;

	next_number(n);
	for (uint32_t i = 0; !e && !n->bad && i < count && i < FIELDS_MAX; i++) {
		uint32_t name = next_number(n), descriptor = next_number(n), offset = next_number(n), access, flags;

		access = next_number(n);
		flags = next_number(n) >> f->l->field_flag_shift;
		for (uint32_t more = flags & (INITIALIZED | GENERIC | CONTENDED); more; more &= more - 1)
			next_number(n);
		if (!n->bad)
			e = field_visit(f, access, name, descriptor, offset);
	}
	return e ?: n->bad ? -EBADMSG : 0;
}

static int each_of_stream(const struct fields *f, uint64_t klass)
{
	struct numbers n = {.bias = f->l->unsigned5_bias};
	unsigned char *bytes;
	uint64_t array;
	uint32_t size;
	int e = mem_u64(f->m, klass + f->l->klass_field_stream, &array);

	e = e ?: mem_u32(f->m, array + f->l->array_length, &size);
	if (e || size > STREAM_MAX)
		return e ? e : -EBADMSG;
	bytes = malloc(size + 1);
	if (!bytes)
		return -ENOMEM;
	e = mem_read(f->m, array + f->l->array_u1, bytes, size);
	n.at = bytes;
	n.left = size;
	e = e ?: read_declared_fields(f, &n);
	free(bytes);
	return e;
}

int klass_each_field(const struct hotspot_layout *l, const struct mem *m, uint64_t klass,
		     void (*visit)(const struct declared_field *f, void *context), void *context)
{
	struct fields f = {.l = l, .m = m, .visit = visit, .context = context};
	int e = mem_u64(m, klass + l->klass_pool, &f.pool);

	if (e)
		return e;
	if (l->klass_field_stream != FRT_NO_OFFSET)
		return each_of_stream(&f, klass);
	if (l->klass_fields == FRT_NO_OFFSET || l->klass_field_count == FRT_NO_OFFSET)
		return -ENOTSUP;
	return each_of_array(&f, klass);
}
