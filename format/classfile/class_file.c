// SPDX-License-Identifier: BSD-2-Clause
/*
 * Parser for the structure of a class file (JVMS 4.1); all numbers are big-endian:
 *
 *   cafebabe minor major | constant_pool_count cp_info... | access this super
 *   | interfaces | fields | methods | attributes
 *
 * There is no index: to find a method, a parser walks over everything before it. A constant is a tag and its
 * fields. Long and Double take two numbers; the second is unusable. `javac A.java; xxd A.class` begins
 *
 *   cafe babe 0000 0041 000d | 0a 0002 0003 (Methodref) 07 0004 (Class) ...
 */
#include "format/classfile/class_file.h"

#include "format/classfile/class_bytes.h"
#include "format/classfile/class_file_internal.h"

enum {
	MAGIC = 0xcafebabe,
	SIZE_MAX_CLASS = 0x3fffffff, /* offsets have 32 bits; the largest class file is far smaller */
};

void *arena_alloc(struct arena *a, size_t size)
{
	size_t pad = -(uintptr_t)a->at & 7;
	unsigned char *p = a->at + pad;

	if (a->left < pad || a->left - pad < size)
		return NULL;
	a->at = p + size;
	a->left -= pad + size;
	memset(p, 0, size);
	return p;
}

/* Number of bytes after the tag; 0 for an unknown tag. Utf8 (1) begins with its length. */
static uint32_t constant_size(uint8_t tag)
{
	static const uint8_t size[] = {
		[CONSTANT_UTF8] = 2,	       [CONSTANT_INTEGER] = 4,
		[4] = 4 /* Float */,	       [CONSTANT_LONG] = 8,
		[CONSTANT_DOUBLE] = 8,	       [CONSTANT_CLASS] = 2,
		[8] = 2 /* String */,	       [CONSTANT_FIELDREF] = 4,
		[CONSTANT_METHODREF] = 4,      [CONSTANT_INTERFACE_METHODREF] = 4,
		[CONSTANT_NAME_AND_TYPE] = 4,  [15] = 3 /* MethodHandle */,
		[16] = 2 /* MethodType */,     [CONSTANT_DYNAMIC] = 4,
		[CONSTANT_INVOKE_DYNAMIC] = 4, [19] = 2 /* Module */,
		[20] = 2 /* Package */,
	};

	return tag < sizeof(size) ? size[tag] : 0;
}

static enum class_status parse_pool(struct class_file *c, struct cursor *in, struct arena *a)
{
	uint32_t i;

	c->constants = cursor_be16(in);
	if (!cursor_ok(in) || !c->constants)
		return CLASS_MALFORMED;
	c->constant = arena_alloc(a, c->constants * sizeof(*c->constant));
	if (!c->constant)
		return CLASS_NO_MEMORY;
	for (i = 1; i < c->constants; i++) {
		uint32_t at = in->at;
		uint8_t tag = cursor_u8(in);
		uint32_t size = constant_size(tag);

		if (cursor_ok(in) && !size)
			return CLASS_UNSUPPORTED;
		c->constant[i] = at;
		if (tag == CONSTANT_UTF8)
			cursor_take(in, cursor_be16(in));
		else
			cursor_take(in, size);
		if (tag == CONSTANT_LONG || tag == CONSTANT_DOUBLE)
			i++;
		if (!cursor_ok(in))
			return CLASS_MALFORMED;
	}
	c->pool_end = in->at;
	return CLASS_OK;
}

const uint8_t *class_constant(const struct class_file *c, uint32_t index, uint8_t tag)
{
	const uint8_t *p;

	if (index >= c->constants || !c->constant[index])
		return NULL;
	p = c->bytes + c->constant[index];
	return *p == tag ? p + 1 : NULL;
}

bool class_utf8(const struct class_file *c, uint32_t index, struct slice *t)
{
	const uint8_t *p = class_constant(c, index, CONSTANT_UTF8);

	if (!p)
		return false;
	t->length = get_u2(p);
	t->at = (const char *)p + 2;
	return true;
}

bool class_name(const struct class_file *c, uint32_t index, struct slice *t)
{
	const uint8_t *p = class_constant(c, index, CONSTANT_CLASS);

	return p && class_utf8(c, get_u2(p), t);
}

static bool file_is_primitive(char c)
{
	return c == 'B' || c == 'C' || c == 'D' || c == 'F' || c == 'I' || c == 'J' || c == 'S' || c == 'Z';
}

bool class_descriptor_next(struct slice *left, struct slice *type)
{
	uint32_t n = 0;

	while (n < left->length && left->at[n] == '[')
		n++;
	if (n < left->length && left->at[n] == 'L')
		while (n < left->length && left->at[n] != ';')
			n++;
	else if (n < left->length && !file_is_primitive(left->at[n]))
		return false;
	if (n >= left->length)
		return false;
	*type = (struct slice){left->at, n + 1};
	left->at += n + 1;
	left->length -= n + 1;
	return true;
}

/* Walk over attributes. *code is the offset of the Code attribute, 0: none; a second one is an error. */
static void skip_attributes(const struct class_file *c, struct cursor *in, uint32_t *code)
{
	uint32_t n = cursor_be16(in);

	while (n-- && cursor_ok(in)) {
		uint32_t at = in->at;
		struct slice name;

		if (!class_utf8(c, cursor_be16(in), &name))
			cursor_fail(in, in->at, "attribute without a name");
		cursor_take(in, cursor_be32(in));
		if (!cursor_ok(in) || !code || !slice_is(name, "Code"))
			continue;
		if (*code)
			cursor_fail(in, in->at, "second Code attribute");
		*code = at;
	}
}

static void parse_code(struct class_method *m, const struct cursor *in)
{
	struct cursor code = cursor_at(in->data, m->code_offset + 2, in->size);

	uint32_t length = cursor_be32(&code);

	code.size = code.at + length; /* skip_attributes() has checked the bounds */
	cursor_take(&code, 4);	      /* max_stack, max_locals */
	m->code_length = cursor_be32(&code);
	cursor_take(&code, m->code_length);
	if (!cursor_ok(&code) || !m->code_length || m->code_length > 65535)
		m->code_length = 0;
}

static enum class_status file_parse_method(struct class_file *c, struct class_method *m, struct cursor *in)
{
	m->offset = in->at;
	m->access = cursor_be16(in);
	if (!class_utf8(c, cursor_be16(in), &m->name) || !class_utf8(c, cursor_be16(in), &m->descriptor))
		return CLASS_MALFORMED;
	skip_attributes(c, in, &m->code_offset);
	if (!cursor_ok(in))
		return CLASS_MALFORMED;
	m->size = in->at - m->offset;
	if (!m->code_offset)
		return CLASS_OK;
	parse_code(m, in);
	return m->code_length ? CLASS_OK : CLASS_MALFORMED;
}

static enum class_status parse_methods(struct class_file *c, struct cursor *in, struct arena *a)
{
	enum class_status status;
	uint32_t i;

	c->methods_offset = in->at;
	c->methods = cursor_be16(in);
	/* a method_info has at least 8 bytes, so an impossible count allocates nothing */
	if (!cursor_ok(in) || (in->size - in->at) / 8 < c->methods)
		return CLASS_MALFORMED;
	c->method = arena_alloc(a, c->methods * sizeof(*c->method));
	if (!c->method)
		return CLASS_NO_MEMORY;
	for (i = 0; i < c->methods; i++) {
		status = file_parse_method(c, &c->method[i], in);
		if (status)
			return status;
	}
	return CLASS_OK;
}

static void skip_fields(const struct class_file *c, struct cursor *in)
{
	uint32_t n = cursor_be16(in);

	while (n-- && cursor_ok(in)) {
		cursor_take(in, 6);
		skip_attributes(c, in, NULL);
	}
}

static enum class_status parse_names(struct class_file *c, struct cursor *in)
{
	uint16_t this_class, super_class;

	c->access = cursor_be16(in);
	this_class = cursor_be16(in);
	super_class = cursor_be16(in);
	if (!cursor_ok(in) || !class_name(c, this_class, &c->name))
		return CLASS_MALFORMED;
	if (super_class && !class_name(c, super_class, &c->super))
		return CLASS_MALFORMED;
	c->interfaces_offset = in->at;
	cursor_take(in, cursor_be16(in) * 2u);
	return cursor_ok(in) ? CLASS_OK : CLASS_MALFORMED;
}

enum class_status class_parse(struct class_file *c, const void *bytes, size_t size, struct arena *a)
{
	struct cursor in = cursor_at(bytes, 0, size > SIZE_MAX_CLASS ? 0 : (uint32_t)size);
	enum class_status status;

	*c = (struct class_file){.bytes = bytes, .size = size};
	if (cursor_be32(&in) != MAGIC)
		return CLASS_MALFORMED;
	c->minor = cursor_be16(&in);
	c->major = cursor_be16(&in);
	/* before version 45.3 the Code attribute had another format, written only by an "oak" javac */
	if (cursor_ok(&in) && (c->major < 45 || (c->major == 45 && c->minor < 3)))
		return CLASS_UNSUPPORTED;
	status = parse_pool(c, &in, a);
	if (!status)
		status = parse_names(c, &in);
	if (status)
		return status;
	skip_fields(c, &in);
	status = parse_methods(c, &in, a);
	if (status)
		return status;
	c->attributes_offset = in.at;
	skip_attributes(c, &in, NULL);
	return !cursor_ok(&in) || in.at != in.size ? CLASS_MALFORMED : CLASS_OK;
}

/*
 * Element values nest (arrays of annotations of arrays). A small stack holds the number of remaining values per
 * level. javac and kotlinc use fewer than 5 levels.
 */
enum { ANNOTATION_DEPTH = 32 };

struct annotation_level {
	uint16_t left; /* remaining values */
	bool named;    /* each value is preceded by a name: pairs of an annotation, not elements of an array */
};

/* Skip one element_value without its contents. Returns true if it opens a new level. */
static bool skip_value(struct cursor *in, struct annotation_level *inner)
{
	switch (cursor_u8(in)) {
	case 'e': cursor_take(in, 4); return false;
	case '@':
		cursor_take(in, 2);
		*inner = (struct annotation_level){cursor_be16(in), true};
		return true;
	case '[': *inner = (struct annotation_level){cursor_be16(in), false}; return true;
	case 'B':
	case 'C':
	case 'D':
	case 'F':
	case 'I':
	case 'J':
	case 'S':
	case 'Z':
	case 's':
	case 'c': cursor_take(in, 2); return false;
	default: cursor_fail(in, in->at, "unknown kind of value"); return false;
	}
}

void class_skip_annotation(struct cursor *in)
{
	struct annotation_level level[ANNOTATION_DEPTH];
	uint32_t depth = 0;

	level[0] = (struct annotation_level){cursor_be16(in), true};
	while (cursor_ok(in)) {
		while (!level[depth].left) {
			if (!depth)
				return;
			depth--;
		}
		level[depth].left--;
		if (level[depth].named)
			cursor_take(in, 2);
		if (depth + 1 == ANNOTATION_DEPTH)
			cursor_fail(in, in->at, "values nest too deep");
		else if (skip_value(in, &level[depth + 1]))
			depth++;
	}
}

bool class_each_annotation_type(const void *bytes, size_t size, bool (*visit)(uint16_t type, void *context),
				void *context)
{
	struct cursor in = cursor_at(bytes, 0, size > SIZE_MAX_CLASS ? 0 : (uint32_t)size);
	uint32_t n = cursor_be16(&in);

	while (n-- && cursor_ok(&in)) {
		uint16_t type = cursor_be16(&in);

		if (!cursor_ok(&in) || !visit(type, context))
			return false;
		class_skip_annotation(&in);
	}
	return cursor_ok(&in);
}

struct typed {
	const struct class_file *c;
	class_visit visit;
	void *context;
};

static bool file_on_annotation_type(uint16_t type, void *context)
{
	const struct typed *t = context;
	struct slice name;

	return class_utf8(t->c, type, &name) && t->visit(name, t->context);
}

static void visit_annotations(const struct class_file *c, struct cursor in, class_visit visit, void *context)
{
	uint32_t n = cursor_be16(&in);

	while (n-- && cursor_ok(&in)) {
		struct slice name;
		uint32_t length;

		if (!class_utf8(c, cursor_be16(&in), &name))
			return;
		length = cursor_be32(&in);
		if (!cursor_has(&in, length))
			return;
		if (slice_is(name, "RuntimeVisibleAnnotations")) {
			class_each_annotation_type(in.data + in.at, length, file_on_annotation_type,
						   &(struct typed){c, visit, context});
			return;
		}
		cursor_take(&in, length);
	}
}

void class_each_annotation(const struct class_file *c, const struct class_method *m, class_visit visit, void *context)
{
	uint32_t from = m ? m->offset + 6 : c->attributes_offset;
	uint32_t to = m ? m->offset + m->size : (uint32_t)c->size;

	visit_annotations(c, cursor_at(c->bytes, from, to), visit, context);
}

struct wanted {
	const char *text;
	bool found;
};

static bool file_is_wanted(struct slice t, void *context)
{
	struct wanted *w = context;

	w->found = slice_is(t, w->text);
	return !w->found;
}

bool class_has_annotation(const struct class_file *c, const char *descriptor)
{
	struct wanted w = {descriptor, false};

	class_each_annotation(c, NULL, file_is_wanted, &w);
	return w.found;
}

bool class_method_has_annotation(const struct class_file *c, const struct class_method *m, const char *descriptor)
{
	struct wanted w = {descriptor, false};

	class_each_annotation(c, m, file_is_wanted, &w);
	return w.found;
}

void class_each_interface(const struct class_file *c, class_visit visit, void *context)
{
	struct cursor in = cursor_at(c->bytes, c->interfaces_offset, (uint32_t)c->size);
	uint32_t n = cursor_be16(&in);
	struct slice name;

	while (n-- && cursor_ok(&in))
		if (class_name(c, cursor_be16(&in), &name) && !visit(name, context))
			return;
}

void class_each_utf8(const void *pool, size_t size, uint16_t count, class_visit visit, void *context)
{
	struct cursor in = cursor_at(pool, 0, size > SIZE_MAX_CLASS ? 0 : (uint32_t)size);

	for (uint32_t i = 1; i < count && cursor_ok(&in); i++) {
		uint8_t tag = cursor_u8(&in);
		struct slice t;

		if (!cursor_ok(&in) || !constant_size(tag))
			return;
		if (tag != CONSTANT_UTF8) {
			cursor_take(&in, constant_size(tag));
			i += tag == CONSTANT_LONG || tag == CONSTANT_DOUBLE;
			continue;
		}
		t.length = cursor_be16(&in);
		t.at = (const char *)in.data + in.at;
		cursor_take(&in, t.length);
		if (!cursor_ok(&in) || !visit(t, context))
			return;
	}
}

bool class_method_is_empty_finalizer(const struct class_file *c, const struct class_method *m)
{
	return slice_is(m->name, "finalize") && slice_is(m->descriptor, "()V") && m->code_length == 1;
}
