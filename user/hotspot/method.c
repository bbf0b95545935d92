// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/method.h"
#include "user/hotspot/loader.h"
#include "user/hotspot/modules.h"
#include "user/hotspot/symbol.h"

#define ACC_WRITTEN 0x7fffu /* the flags that a class file can have; the VM uses higher bits itself */
#define ACC_SUPER   0x0020u

#define INNER_CLASSES_MAX 65535u

size_t unsigned5_read(const unsigned char *from, size_t size, unsigned int bias, uint32_t *out)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < 5 && i < size; i++) {
		if (from[i] < bias)
			return 0;
		sum += (uint32_t)(from[i] - bias) << 6 * i;
		if (from[i] < 192 || i == 4) {
			*out = sum;
			return i + 1;
		}
	}
	return 0;
}

static int32_t signed5(uint32_t v)
{
	return (int32_t)(v >> 1 ^ -(v & 1));
}

/* Decode one step of a line table. Returns the bytes used; 0: the table ends, is cut, or is invalid. */
static size_t line_step(const unsigned char *from, size_t size, unsigned int bias, uint32_t *bci, uint32_t *line)
{
	uint32_t v[2];
	size_t n, more;

	if (!size || !from[0])
		return 0;
	if (from[0] != 0xff) {
		*bci += from[0] >> 3;
		*line += from[0] & 7;
		return 1;
	}
	n = unsigned5_read(from + 1, size - 1, bias, &v[0]);
	if (!n)
		return 0;
	more = unsigned5_read(from + 1 + n, size - 1 - n, bias, &v[1]);
	if (!more)
		return 0;
	*bci += signed5(v[0]);
	*line += signed5(v[1]);
	return 1 + n + more;
}

int32_t method_line(const unsigned char *lines, size_t size, unsigned int bias, int32_t bci)
{
	uint32_t start = 0, line = 0;
	int32_t best = 0, found = -1;
	size_t n;

	if (bci == -1)
		bci = 0;
	while ((n = line_step(lines, size, bias, &start, &line))) {
		lines += n;
		size -= n;
		if ((int32_t)start == bci)
			return line <= UINT16_MAX ? (int32_t)line : -1;
		if ((int32_t)start < bci && (int32_t)start >= best) {
			best = start;
			found = line <= UINT16_MAX ? (int32_t)line : -1;
		}
	}
	return found;
}

bool method_has_line(const unsigned char *lines, size_t size, unsigned int bias, int32_t line)
{
	uint32_t bci = 0, here = 0;
	bool any = false;
	size_t n;

	while ((n = line_step(lines, size, bias, &bci, &here))) {
		any = true;
		if ((int32_t)here == line)
			return true;
		lines += n;
		size -= n;
	}
	return !any;
}

/* The size of the line table at *from; SIZE_MAX: it does not end within `size`. */
static size_t lines_size(const unsigned char *from, size_t size, unsigned int bias)
{
	uint32_t bci = 0, line = 0;
	size_t at = 0, n;

	while ((n = line_step(from + at, size - at, bias, &bci, &line)))
		at += n;
	return at < size && !from[at] ? at + 1 : SIZE_MAX;
}

/* Append the line table at an address. Each read stays within a page. */
static int read_lines(const struct hotspot_layout *l, const struct mem *m, uint64_t address, struct method *out,
		      struct bytes *lines)
{
	size_t begin = lines->size, size = SIZE_MAX;
	int r = 0;

	for (size_t step = 256; size == SIZE_MAX && lines->size - begin < METHOD_LINES_MAX;) {
		size_t piece = step - (address + lines->size - begin) % step;
		unsigned char *to = bytes_reserve(lines, piece);

		r = to ? mem_read(m, address + lines->size - begin, to, piece) : -ENOMEM;
		if (r)
			break;
		lines->size += piece;
		size = lines_size(lines->data + begin, lines->size - begin, l->unsigned5_bias);
		step = step < 4096 ? 2 * step : step;
	}
	out->lines = begin;
	out->lines_size = size == SIZE_MAX ? 0 : size;
	lines->size = begin + out->lines_size;
	return r;
}

static int read_pool_text(const char **out, const struct hotspot_layout *l, const struct mem *m, uint64_t pool,
			  uint64_t index_at, bool (*plausible)(const char *text), struct method_table *t)
{
	uint64_t symbol;
	uint16_t index;
	int r = mem_u16(m, index_at, &index);

	r = r ?: symbol_in_pool(l, m, pool, index, &symbol);
	return r ? r : symbol_keep(out, l, m, symbol, plausible, t);
}

/* Read a flag word; 0 on JDKs without it. */
static int read_flags(const struct mem *m, uint64_t base, uint16_t offset, unsigned int width, uint64_t *flags)
{
	*flags = 0;
	return offset == FRT_NO_OFFSET ? 0 : mem_unsigned(m, base + offset, width, flags);
}

/* The flags of a nested class in its own InnerClasses attribute. */
static int read_inner_flags(const struct hotspot_layout *l, const struct mem *m, uint64_t klass, uint64_t pool,
			    uint64_t *flags)
{
	uint64_t array, name, symbol;
	uint32_t length, slot;
	uint16_t inner[4]; /* class, outer class, name, flags */
	int r = mem_u64(m, klass + l->klass_inner_classes, &array);

	if (r || !array)
		return r;
	r = mem_u32(m, array + l->array_length, &length);
	r = r ?: mem_u64(m, klass + l->walk.klass_name, &name);
	for (uint32_t i = 0; !r && i + 4 <= length && i < 4 * INNER_CLASSES_MAX; i += 4) {
		r = mem_read(m, array + l->array_u2 + 2 * i, inner, sizeof(inner));
		/* a class's slot is an int: the index of its name, and the index among the resolved classes */
		if (r || !inner[0] || mem_u32(m, pool + l->walk.pool_size + 8ULL * inner[0], &slot) ||
		    symbol_in_pool(l, m, pool, slot >> 16, &symbol) || symbol != name)
			continue;
		*flags = inner[3];
		break;
	}
	return r;
}

static int read_class_modifiers(const struct hotspot_layout *l, const struct mem *m, uint64_t klass, uint64_t pool,
				struct resolved_method *out)
{
	uint64_t flags = 0;
	int r;

	if (l->klass_modifiers != FRT_NO_OFFSET) {
		r = mem_unsigned(m, klass + l->klass_modifiers, 4, &flags);
	} else {
		r = read_flags(m, klass, l->klass_access, l->klass_access_width, &flags);
		if (!r && l->klass_inner_classes != FRT_NO_OFFSET)
			r = read_inner_flags(l, m, klass, pool, &flags);
	}
	out->class_modifiers = flags & ACC_WRITTEN & ~ACC_SUPER;
	return r;
}

static int read_loader(const struct hotspot_layout *l, const struct mem *m, uint64_t klass, struct method_table *t,
		       struct resolved_method *out)
{
	uint64_t loader, oop;
	int r;

	if (l->klass_loader_data == FRT_NO_OFFSET || l->loader_oop == FRT_NO_OFFSET)
		return 0;
	r = mem_u64(m, klass + l->klass_loader_data, &loader);
	r = r ?: mem_u64(m, loader + l->loader_oop, &oop);
	if (r || !oop)
		return r;
	out->loader = loader;
	return loader_read(l, m, loader, t, out);
}

static int method_read_class(const struct hotspot_layout *l, const struct mem *m, uint64_t pool, struct method_table *t,
			     struct resolved_method *out)
{
	uint64_t klass, symbol, flags;
	int r = mem_u64(m, pool + l->walk.pool_holder, &klass);

	r = r ?: mem_u64(m, klass + l->walk.klass_name, &symbol);
	r = r ?: symbol_keep(&out->class_name, l, m, symbol, symbol_names_class, t);
	r = r ?: read_class_modifiers(l, m, klass, pool, out);
	r = r ?: read_flags(m, klass, l->klass_flags, l->klass_flags_width, &flags);
	if (r)
		return r;
	out->class_hidden = flags & l->klass_hidden;
	r = read_loader(l, m, klass, t, out);
	return r ? r : module_read(l, m, klass, t, out);
}

static int read_modifiers(const struct hotspot_layout *l, const struct mem *m, uint64_t address, uint64_t constants,
			  struct resolved_method *out)
{
	uint64_t access, flags;
	int r = read_flags(m, address, l->method_access, l->method_access_width, &access);

	if (!r)
		r = read_flags(m, l->method_flags_in_const ? constants : address, l->method_flags,
			       l->method_flags_width, &flags);
	if (r)
		return r;
	out->modifiers = access & ACC_WRITTEN;
	out->hidden = flags & l->method_hidden;
	return 0;
}

/* Read the place and size of the code, and the line table after it. */
static int read_code(const struct hotspot_layout *l, const struct mem *m, uint64_t constants, struct method *out,
		     struct bytes *lines)
{
	uint16_t size, flags;
	int r = mem_u16(m, constants + l->walk.const_code_size, &size);

	r = r ?: mem_u16(m, constants + l->walk.const_flags, &flags);
	if (r)
		return r;
	out->code = constants + l->walk.const_size;
	out->code_size = size;
	if (flags & l->walk.const_has_lines)
		r = read_lines(l, m, out->code + size, out, lines);
	return r;
}

int method_read(struct method *out, const struct hotspot_layout *l, const struct mem *m, uint64_t address,
		struct method_table *t, struct bytes *lines)
{
	struct resolved_method found = {.number = 0};
	uint64_t constants, pool;
	int r = mem_u64(m, address + l->walk.method_const, &constants);

	*out = (struct method){.resolved = NULL};
	r = r ?: mem_u64(m, constants + l->walk.const_pool, &pool);
	r = r ?: read_pool_text(&found.name, l, m, pool, constants + l->walk.const_name, symbol_names_method, t);
	if (!r)
		r = read_pool_text(&found.descriptor, l, m, pool, constants + l->walk.const_signature,
				   symbol_is_descriptor, t);
	r = r ?: method_read_class(l, m, pool, t, &found);
	r = r ?: read_modifiers(l, m, address, constants, &found);
	r = r ?: read_code(l, m, constants, out, lines);
	if (r)
		return r;
	out->resolved = method_table_add(t, &found);
	return out->resolved ? 0 : -ENOMEM;
}

int method_native_code(const struct hotspot_layout *l, const struct mem *m, uint64_t address, uint64_t *code)
{
	return l->method_size == FRT_NO_OFFSET ? -ENOTSUP : mem_u64(m, address + l->method_size, code);
}

/* ---- names of parameters */

/*
 * A ConstMethod ends with optional parts, each with its length behind it. From the end backwards (constMethod.hpp, the
 * same from JDK 8 to 28):
 *
 *     ... local variables | exception table | checked exceptions | parameters | generic signature | annotations
 *
 * All are u2, except the annotations, which are up to four addresses. The flags say which parts there are.
 */

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
	int e;

	if (!index) /* MethodParameters may leave a name out */
		return 0;
	e = symbol_read_in_pool(t->l, t->m, t->pool, index, text);
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
