// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/class_image.h"
#include "format/vec.h"
#include "format/classfile/class_file.h"
#include "user/hotspot/symbol.h"

#include <stdlib.h>

#define CONSTANT_UTF8  1 /* JVMS 4.4 */
#define CONSTANT_CLASS 7

#define MAX_METHODS	65535u
#define MAX_ANNOTATIONS (1u << 20)  /* bytes of the annotations of one method or class */
#define MAX_IMAGE	(16u << 20) /* bytes of the constants, and of the rest: symbols that overlap would make 4 GB */
#define MAX_SUPERS	65535u
#define ACC_WRITTEN	0xffffu
#define ACC_INTERFACE	0x0200u

struct reading {
	struct class_image *c;
	const struct hotspot_layout *l;
	const struct mem *m;
	uint64_t pool; /* ConstantPool */
};

void class_image_release(struct class_image *c)
{
	bytes_release(&c->file);
	bytes_release(&c->pool);
	bytes_release(&c->body);
	hash_release(&c->lookup);
	free(c->constant);
	free(c->method);
	*c = (struct class_image){.methods = 0};
}

static void clear(struct class_image *c)
{
	bytes_clear(&c->file);
	bytes_clear(&c->pool);
	bytes_clear(&c->body);
	hash_clear(&c->lookup);
	c->methods = c->constants = c->last = 0;
	c->annotations_name = c->code_name = 0;
}

static void put_be(unsigned char *to, int width, uint64_t value)
{
	while (width--) {
		to[width] = value;
		value >>= 8;
	}
}

/* ---- constants */

static int next_index(struct class_image *c, uint16_t *index)
{
	if (c->last == UINT16_MAX - 1)
		return -EBADMSG;
	*index = ++c->last;
	return 0;
}

static int image_put_utf8(struct class_image *c, const char *text, size_t length, uint16_t *index)
{
	if (c->pool.size > MAX_IMAGE - length)
		return -EFBIG;
	bytes_put_u8(&c->pool, CONSTANT_UTF8);
	bytes_put_be16(&c->pool, length);
	bytes_put(&c->pool, text, length);
	return next_index(c, index);
}

static int put_attribute_name(struct class_image *c, const char *name, uint16_t *index)
{
	int e = *index ? 0 : image_put_utf8(c, name, strlen(name), index);

	if (!e)
		bytes_put_be16(&c->body, *index);
	return e;
}

static int image_put_class(struct class_image *c, uint16_t name, uint16_t *index)
{
	bytes_put_u8(&c->pool, CONSTANT_CLASS);
	bytes_put_be16(&c->pool, name);
	return next_index(c, index);
}

struct key {
	const struct class_image *c;
	uint64_t symbol;
};

static bool image_same(const void *context, uint32_t row)
{
	const struct key *k = context;

	return k->c->constant[row - 1].symbol == k->symbol;
}

static int add_symbol(struct reading *r, uint64_t symbol, uint64_t hash, uint16_t *index)
{
	struct class_image *c = r->c;
	char text[SYMBOL_MAX + 1];
	int length = symbol_read(r->l, r->m, symbol, text), e;

	if (length < 0)
		return length;
	e = image_put_utf8(c, text, length, index);
	if (e)
		return e;
	if (vec_reserve(&c->constant, &c->constant_capacity, (size_t)c->constants + 1))
		return -ENOMEM;
	c->constant[c->constants++] = (struct class_image_constant){symbol, *index};
	return hash_add(&c->lookup, hash, c->constants);
}

/* The index of a symbol in the file's own pool. */
static int use_symbol(struct reading *r, uint64_t symbol, uint16_t *index)
{
	uint64_t hash = hash_mix(0, symbol);
	uint32_t row = hash_find(&r->c->lookup, hash, image_same, &(struct key){r->c, symbol});

	if (!row)
		return add_symbol(r, symbol, hash, index);
	*index = r->c->constant[row - 1].index;
	return 0;
}

/* The index of a constant, given its index in the JVM's pool. */
static int use_constant(struct reading *r, uint16_t number, uint16_t *index)
{
	uint64_t symbol;
	int e = symbol_in_pool(r->l, r->m, r->pool, number, &symbol);

	return e ? e : use_symbol(r, symbol, index);
}

static int use_class(struct reading *r, uint64_t klass, uint16_t *index)
{
	uint64_t symbol;
	uint16_t name;
	int e = mem_u64(r->m, klass + r->l->walk.klass_name, &symbol);

	if (!e)
		e = use_symbol(r, symbol, &name);
	return e ? e : image_put_class(r->c, name, index);
}

/* ---- annotations: an Array<u1> with the content of a RuntimeVisibleAnnotations attribute, without its length */

struct types {
	struct reading *r;
	uint16_t count;
	int error;
};

static bool image_put_type(uint16_t number, void *context)
{
	struct types *t = context;
	struct bytes *body = &t->r->c->body;
	uint16_t type;

	t->error = use_constant(t->r, number, &type);
	if (t->error)
		return false;
	bytes_put_be16(body, type);
	bytes_put_be16(body, 0); /* its content does not matter */
	t->count++;
	return true;
}

static int put_annotations(struct reading *r, const uint8_t *bytes, uint32_t size)
{
	struct bytes *body = &r->c->body;
	struct types t = {.r = r};
	size_t at;
	int e = put_attribute_name(r->c, "RuntimeVisibleAnnotations", &r->c->annotations_name);

	if (e)
		return e;
	at = body->size;
	bytes_put_be32(body, 0);
	bytes_put_be16(body, 0);
	if (!class_each_annotation_type(bytes, size, image_put_type, &t))
		return t.error ? t.error : -EBADMSG;
	if (!body->failed) {
		put_be(body->data + at, 4, body->size - at - 4);
		put_be(body->data + at + 4, 2, t.count);
	}
	return 0;
}

static int read_annotations(struct reading *r, uint64_t array)
{
	uint32_t size;
	uint8_t *bytes;
	int e = mem_u32(r->m, array + r->l->array_length, &size);

	if (e || size > MAX_ANNOTATIONS)
		return e ? e : -EBADMSG;
	bytes = malloc(size + 1);
	if (!bytes)
		return -ENOMEM;
	e = mem_read(r->m, array + r->l->array_u1, bytes, size);
	if (!e)
		e = put_annotations(r, bytes, size);
	free(bytes);
	return e;
}

/* The attributes of the class: only annotations. */
static int put_class_attributes(struct reading *r, uint64_t klass)
{
	uint64_t annotations, array = 0;
	int e = mem_u64(r->m, klass + r->l->klass_annotations, &annotations);

	if (!e && annotations)
		e = mem_u64(r->m, annotations, &array);
	if (e)
		return e;
	bytes_put_be16(&r->c->body, !!array);
	return array ? read_annotations(r, array) : 0;
}

/* ---- methods */

struct method_parts {
	uint64_t constants; /* ConstMethod */
	uint64_t access;
	uint16_t flags, name, descriptor, code_size;
};

static int read_parts(const struct reading *r, uint64_t method, struct method_parts *p)
{
	const struct hotspot_layout *l = r->l;
	const struct mem *m = r->m;
	uint64_t pool;
	int e = mem_u64(m, method + l->walk.method_const, &p->constants);

	e = e ?: mem_unsigned(m, method + l->method_access, l->method_access_width, &p->access);
	e = e ?: mem_u64(m, p->constants + l->walk.const_pool, &pool);
	e = e ?: mem_u16(m, p->constants + l->walk.const_flags, &p->flags);
	e = e ?: mem_u16(m, p->constants + l->walk.const_name, &p->name);
	e = e ?: mem_u16(m, p->constants + l->walk.const_signature, &p->descriptor);
	e = e ?: mem_u16(m, p->constants + l->walk.const_code_size, &p->code_size);
	return e ?: (pool == r->pool ? 0 : -EBADMSG);
}

/* max_stack, max_locals, the single bytecode, no handlers, no attributes */
static int put_short_code(struct reading *r, uint64_t code)
{
	uint8_t op;
	int e = mem_u8(r->m, code, &op);

	if (!e)
		e = put_attribute_name(r->c, "Code", &r->c->code_name);
	if (e)
		return e;
	bytes_put_be32(&r->c->body, 13);
	bytes_put_be16(&r->c->body, 0);
	bytes_put_be16(&r->c->body, 1);
	bytes_put_be32(&r->c->body, 1);
	bytes_put_u8(&r->c->body, op);
	bytes_put_be32(&r->c->body, 0);
	return 0;
}

/* The address of the annotations is in the last word of the ConstMethod. */
static int put_method_annotations(struct reading *r, const struct method_parts *p)
{
	uint64_t array;
	uint32_t words;
	int e = mem_u32(r->m, p->constants + r->l->const_words, &words);

	if (e || words < 1 || words > 1u << 20)
		return e ? e : -EBADMSG;
	e = mem_u64(r->m, p->constants + 8ULL * words - 8, &array);
	return e ? e : read_annotations(r, array);
}

static int image_put_method(struct reading *r, uint64_t method, const struct method_parts *p)
{
	bool annotated = p->flags & r->l->const_has_annotations, is_short = p->code_size == 1;
	struct class_image *c = r->c;
	uint16_t name, descriptor;
	int e = use_constant(r, p->name, &name);

	e = e ?: use_constant(r, p->descriptor, &descriptor);
	if (!e && vec_reserve(&c->method, &c->method_capacity, (size_t)c->methods + 1))
		e = -ENOMEM;
	if (e)
		return e;
	c->method[c->methods++] =
		(struct class_image_method){method, p->constants + r->l->walk.const_size, p->code_size};
	bytes_put_be16(&c->body, p->access & ACC_WRITTEN);
	bytes_put_be16(&c->body, name);
	bytes_put_be16(&c->body, descriptor);
	bytes_put_be16(&c->body, annotated + is_short);
	if (is_short)
		e = put_short_code(r, p->constants + r->l->walk.const_size);
	return e || !annotated ? e : put_method_annotations(r, p);
}

/* Overpass methods, which the JVM creates for conflicting defaults, are in no class file. */
static int image_add_method(struct reading *r, uint64_t method)
{
	struct method_parts p;
	int e = read_parts(r, method, &p);

	return e || p.flags & r->l->const_overpass ? e : image_put_method(r, method, &p);
}

static int image_put_methods(struct reading *r, uint64_t klass)
{
	size_t count_at = r->c->body.size;
	uint64_t array, method;
	uint32_t count;
	int e = mem_u64(r->m, klass + r->l->klass_methods, &array);

	e = e ?: mem_u32(r->m, array + r->l->array_length, &count);
	if (!e && count > MAX_METHODS)
		e = -EBADMSG;
	bytes_put_be16(&r->c->body, 0);
	for (uint32_t i = 0; !e && i < count; i++) {
		e = mem_u64(r->m, array + r->l->array_pointers + 8ULL * i, &method);
		e = e ?: image_add_method(r, method);
		if (!e && r->c->body.size > MAX_IMAGE)
			e = -EFBIG;
	}
	if (!e && !r->c->body.failed)
		put_be(r->c->body.data + count_at, 2, r->c->methods);
	return e;
}

/* ---- the file */

static int read_major(const struct reading *r, uint64_t klass, uint16_t *major)
{
	*major = 52;
	if (r->l->pool_major != FRT_NO_OFFSET)
		return mem_u16(r->m, r->pool + r->l->pool_major, major);
	return r->l->klass_major == FRT_NO_OFFSET ? 0 : mem_u16(r->m, klass + r->l->klass_major, major);
}

static int image_put_head(struct reading *r, uint64_t klass)
{
	uint64_t access, super;
	uint16_t this_class, super_class = 0;
	int e = mem_unsigned(r->m, klass + r->l->klass_access, r->l->klass_access_width, &access);

	e = e ?: mem_u64(r->m, klass + r->l->klass_super, &super);
	e = e ?: use_class(r, klass, &this_class);
	if (!e && super)
		e = use_class(r, super, &super_class);
	bytes_put_be16(&r->c->body, access & ACC_WRITTEN);
	bytes_put_be16(&r->c->body, this_class);
	bytes_put_be16(&r->c->body, super_class);
	bytes_put_be32(&r->c->body, 0); /* neither interfaces nor fields */
	return e;
}

static int image_join(struct class_image *c, uint16_t major)
{
	bytes_put_be32(&c->file, 0xcafebabe);
	bytes_put_be16(&c->file, major == 45 ? 3 : 0);
	bytes_put_be16(&c->file, major);
	bytes_put_be16(&c->file, c->last + 1);
	bytes_put(&c->file, c->pool.data, c->pool.size);
	bytes_put(&c->file, c->body.data, c->body.size);
	return c->file.failed || c->pool.failed || c->body.failed ? -ENOMEM : 0;
}

int class_image_read(struct class_image *c, const struct hotspot_layout *l, const struct mem *m, uint64_t klass)
{
	struct reading r = {.c = c, .l = l, .m = m};
	uint64_t holder;
	uint16_t major;
	int e = mem_u64(m, klass + l->klass_pool, &r.pool);

	clear(c);
	e = e ?: mem_u64(m, r.pool + l->walk.pool_holder, &holder);
	if (!e && holder != klass)
		e = -EBADMSG;
	e = e ?: read_major(&r, klass, &major);
	e = e ?: image_put_head(&r, klass);
	e = e ?: image_put_methods(&r, klass);
	e = e ?: put_class_attributes(&r, klass);
	return e ?: image_join(c, major);
}

/* ---- supertypes */

struct above {
	const struct hotspot_layout *l;
	const struct mem *m;
	void (*visit)(const char *name, size_t length, void *context);
	void *context;
};

static int show_name(const struct above *a, uint64_t klass)
{
	char name[SYMBOL_MAX + 1];
	uint64_t symbol;
	int length = mem_u64(a->m, klass + a->l->walk.klass_name, &symbol);

	if (!length)
		length = symbol_read(a->l, a->m, symbol, name);
	if (length > 0)
		a->visit(name, length, a->context);
	return length < 0 ? length : 0;
}

static int each_interface(const struct above *a, uint64_t klass)
{
	uint64_t array, type;
	uint32_t count;
	int e = mem_u64(a->m, klass + a->l->klass_interfaces, &array);

	e = e ?: mem_u32(a->m, array + a->l->array_length, &count);
	if (!e && count > MAX_SUPERS)
		e = -EBADMSG;
	for (uint32_t i = 0; !e && i < count; i++) {
		e = mem_u64(a->m, array + a->l->array_pointers + 8ULL * i, &type);
		e = e ?: show_name(a, type);
	}
	return e;
}

int class_each_above(const struct hotspot_layout *l, const struct mem *m, uint64_t klass,
		     void (*visit)(const char *name, size_t length, void *context), void *context)
{
	const struct above a = {l, m, visit, context};
	uint64_t access;
	int e = each_interface(&a, klass);

	e = e ?: mem_unsigned(m, klass + l->klass_access, l->klass_access_width, &access);
	e = e ?: show_name(&a, klass);
	for (uint32_t n = 0; !e && !(access & ACC_INTERFACE); n++) {
		e = n < MAX_SUPERS ? mem_u64(m, klass + l->klass_super, &klass) : -EBADMSG;
		if (e || !klass)
			break;
		e = show_name(&a, klass);
	}
	return e;
}
