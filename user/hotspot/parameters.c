// SPDX-License-Identifier: BSD-2-Clause
/*
 * A ConstMethod ends with optional parts, each with its length behind it. From the end backwards (constMethod.hpp, the
 * same from JDK 8 to 28):
 *
 *     ... local variables | exception table | checked exceptions | parameters | generic signature | annotations
 *
 * All are u2, except the annotations, which are up to four addresses. The flags say which parts there are.
 */
#include "user/hotspot/parameters.h"
#include "user/hotspot/symbol.h"

enum {
	HAS_CHECKED = 0x2,
	HAS_LOCALS = 0x4,
	HAS_EXCEPTIONS = 0x8,
	HAS_SIGNATURE = 0x10,
	HAS_PARAMETERS = 0x20,
	ANNOTATIONS = 0x80, /* this flag and the next three */
};

struct tables {
	const struct hotspot_layout *l;
	const struct mem *m;
	uint64_t begin, at; /* of the ConstMethod; the last length that has not been read */
	uint64_t pool;
	struct parameter_names *names;
};

/* Go back over a table whose length is at t->at. Sets its address and length. */
static int table_back(struct tables *t, unsigned int size, uint64_t *table, uint16_t *count)
{
	int e = mem_u16(t->m, t->at, count);

	if (e)
		return e;
	*table = t->at - (uint64_t)*count * size;
	t->at = *table - 2;
	return t->at < t->begin ? -EBADMSG : 0;
}

static int visit_name(struct tables *t, uint16_t index, int slot, int number)
{
	char text[SYMBOL_MAX + 1];
	uint64_t symbol;
	int e;

	if (!index) /* MethodParameters may leave a name out */
		return 0;
	e = symbol_in_pool(t->l, t->m, t->pool, index, &symbol);
	e = e ?: symbol_read(t->l, t->m, symbol, text);
	if (e < 0)
		return e;
	t->names->known = true;
	t->names->visit(text, slot, number, t->names->context);
	return 0;
}

static int visit_parameters(struct tables *t)
{
	uint64_t table;
	uint16_t count, index;
	int e = table_back(t, 4, &table, &count);

	for (uint16_t i = 0; !e && i < count; i++) {
		e = mem_u16(t->m, table + 4ULL * i, &index);
		e = e ?: visit_name(t, index, -1, i);
	}
	return e;
}

/* Parameters are the variables that are there from the first bytecode on. */
static int visit_locals(struct tables *t)
{
	uint16_t count, row[6]; /* start, length, name, descriptor, signature, slot */
	uint64_t table;
	int e = table_back(t, sizeof(row), &table, &count);

	for (uint16_t i = 0; !e && i < count; i++) {
		e = mem_read(t->m, table + sizeof(row) * i, row, sizeof(row));
		if (!e && !row[0])
			e = visit_name(t, row[2], row[5], -1);
	}
	return e;
}

static int skip_table(struct tables *t, unsigned int size)
{
	uint64_t table;
	uint16_t count;

	return table_back(t, size, &table, &count);
}

int method_parameter_names(const struct hotspot_layout *l, const struct mem *m, uint64_t method,
			   struct parameter_names *names)
{
	struct tables t = {.l = l, .m = m, .names = names};
	uint16_t flags;
	uint32_t words;
	int e = mem_u64(m, method + l->walk.method_const, &t.begin);

	names->known = false;
	e = e ?: mem_u64(m, t.begin + l->walk.const_pool, &t.pool);
	e = e ?: mem_u16(m, t.begin + l->walk.const_flags, &flags);
	e = e ?: mem_u32(m, t.begin + l->const_words, &words);
	if (e || words > 1u << 20)
		return e ? e : -EBADMSG;
	t.at = t.begin + 8ULL * words - 2;
	for (int i = 0; i < 4; i++)
		t.at -= flags & ANNOTATIONS << i ? 8 : 0;
	t.at -= flags & HAS_SIGNATURE ? 2 : 0;
	if (flags & HAS_PARAMETERS)
		e = visit_parameters(&t);
	if (!e && flags & HAS_CHECKED)
		e = skip_table(&t, 2);
	if (!e && flags & HAS_EXCEPTIONS)
		e = skip_table(&t, 8);
	return e || !(flags & HAS_LOCALS) ? e : visit_locals(&t);
}
