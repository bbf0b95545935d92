// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the policy reads of a struct class_file: names, flags, the length of code, and annotations. A name is a Utf8 constant,
 * annotations are a table of attributes with one attribute. Both are in `bytes`, as a class file has them; the rest of the
 * file is not there. Constants keep the index that they have in the JVM's pool, because annotations refer to them by it.
 * Constant 0, which no class file has, is the name of the attribute.
 *
 *	bytes	NOTHING: an empty method_info, "RuntimeVisibleAnnotations", then constants and tables as they come
 */
#include "user/hotspot/class_image.h"
#include "format/vec.h"
#include "user/hotspot/symbol.h"

#include <stdlib.h>

#define CONSTANT_UTF8	1 /* JVMS 4.4 */
#define MAX_POOL	65535u
#define MAX_METHODS	65535u
#define MAX_ANNOTATIONS (1u << 20)  /* bytes of the annotations of one method or class */
#define MAX_IMAGE	(16u << 20) /* bytes: symbols that overlap would make 4 GB */
#define MAX_SUPERS	65535u
#define OLDEST_MAJOR	45u
#define ACC_WRITTEN	0xffffu
#define ACC_INTERFACE	0x0200u

/* A method_info without attributes: its flags and names are never read there. */
#define NOTHING	     0u
#define NOTHING_SIZE 8u
#define TABLE_AT     6u /* of the attributes in a method_info */

struct reading {
	struct class_image *c;
	const struct hotspot_layout *l;
	const struct mem *m;
	uint64_t pool; /* ConstantPool */
};

void class_image_release(struct class_image *c)
{
	bytes_release(&c->bytes);
	free(c->file.constant);
	free(c->file.method);
	free(c->method);
	*c = (struct class_image){.methods = 0};
}

/* ---- constants */

static int image_put_utf8(struct class_image *c, const char *text, size_t length, uint32_t *at)
{
	*at = c->bytes.size;
	if (c->bytes.size > MAX_IMAGE - length)
		return -EFBIG;
	bytes_put_u8(&c->bytes, CONSTANT_UTF8);
	bytes_put_be16(&c->bytes, length);
	bytes_put(&c->bytes, text, length);
	return 0;
}

/* A text that image_put_utf8() has put, once the bytes stay where they are. */
static struct slice image_text(const struct class_image *c, uint32_t at)
{
	const unsigned char *p = c->bytes.data + at + 1;

	return (struct slice){(const char *)p + 2, p[0] << 8 | p[1]};
}

/* Put a constant of the JVM's pool, unless it is there. */
static int use_constant(const struct reading *r, uint16_t index)
{
	char text[SYMBOL_MAX + 1];
	int length;

	if (!index || index >= r->c->file.constants)
		return -EBADMSG;
	if (r->c->file.constant[index])
		return 0;
	length = symbol_read_in_pool(r->l, r->m, r->pool, index, text);
	return length < 0 ? length : image_put_utf8(r->c, text, length, &r->c->file.constant[index]);
}

static int class_image_put_name(const struct reading *r, uint64_t klass, uint32_t *at)
{
	char text[SYMBOL_MAX + 1];
	int length = symbol_read_name(r->l, r->m, klass, text);

	return length < 0 ? length : image_put_utf8(r->c, text, length, at);
}

static int image_begin(const struct reading *r)
{
	struct class_image *c = r->c;
	uint32_t length;
	int e = mem_u32(r->m, r->pool + r->l->pool_length, &length);

	if (e || length > MAX_POOL)
		return e ? e : -EBADMSG;
	if (vec_reserve(&c->file.constant, &c->constant_capacity, length + 1))
		return -ENOMEM;
	memset(c->file.constant, 0, (length + 1) * sizeof(*c->file.constant));
	c->file.constants = length;
	for (unsigned int i = 0; i < NOTHING_SIZE; i++)
		bytes_put_u8(&c->bytes, 0);
	return image_put_utf8(c, "RuntimeVisibleAnnotations", strlen("RuntimeVisibleAnnotations"), c->file.constant);
}

/* ---- annotations: an Array<u1> with the content of a RuntimeVisibleAnnotations attribute, without its length */

struct types {
	const struct reading *r;
	int error;
};

static bool on_type(uint16_t index, void *context)
{
	struct types *t = context;

	t->error = use_constant(t->r, index);
	return !t->error;
}

static int put_annotations(const struct reading *r, const uint8_t *bytes, uint32_t size, uint32_t *at)
{
	struct bytes *to = &r->c->bytes;
	struct types t = {.r = r};

	if (!class_each_annotation_type(bytes, size, on_type, &t))
		return t.error ? t.error : -EBADMSG;
	*at = to->size;
	bytes_put_be16(to, 1);
	bytes_put_be16(to, 0);
	bytes_put_be32(to, size);
	bytes_put(to, bytes, size);
	return to->size > MAX_IMAGE ? -EFBIG : 0;
}

/* Sets *at to the place of the table of attributes. */
static int read_annotations(const struct reading *r, uint64_t array, uint32_t *at)
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
	e = e ?: put_annotations(r, bytes, size, at);
	free(bytes);
	return e;
}

static int read_class_annotations(const struct reading *r, uint64_t klass)
{
	uint64_t annotations, array = 0;
	int e = mem_u64(r->m, klass + r->l->klass_annotations, &annotations);

	if (!e && annotations)
		e = mem_u64(r->m, annotations, &array);
	r->c->file.attributes_offset = NOTHING + TABLE_AT;
	return e || !array ? e : read_annotations(r, array, &r->c->file.attributes_offset);
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

/* The address of the annotations is in the last word of the ConstMethod. */
static int read_method_annotations(const struct reading *r, const struct method_parts *p, struct class_method *out)
{
	uint64_t array;
	uint32_t words, at;
	int e = mem_u32(r->m, p->constants + r->l->const_words, &words);

	if (e || words < 1 || words > 1u << 20)
		return e ? e : -EBADMSG;
	e = mem_u64(r->m, p->constants + 8ULL * words - 8, &array);
	e = e ?: read_annotations(r, array, &at);
	if (e)
		return e;
	out->offset = at - TABLE_AT;
	out->size = r->c->bytes.size - out->offset;
	return 0;
}

/* Overpass methods, which the JVM creates for conflicting defaults, are in no class file. */
static int image_add_method(const struct reading *r, uint64_t method)
{
	struct class_image *c = r->c;
	struct class_method new = {.offset = NOTHING, .size = NOTHING_SIZE};
	struct method_parts p;
	int e = read_parts(r, method, &p);

	if (e || p.flags & r->l->const_overpass)
		return e;
	e = use_constant(r, p.name) ?: use_constant(r, p.descriptor);
	if (!e && (vec_reserve(&c->method, &c->method_capacity, (size_t)c->methods + 1) ||
		   vec_reserve(&c->file.method, &c->file_capacity, (size_t)c->methods + 1)))
		e = -ENOMEM;
	if (!e && p.flags & r->l->const_has_annotations)
		e = read_method_annotations(r, &p, &new);
	if (e)
		return e;
	new.access = p.access & ACC_WRITTEN;
	new.code_length = p.code_size;
	c->file.method[c->methods] = new;
	c->method[c->methods++] =
		(struct class_image_method){method, p.constants + r->l->walk.const_size, p.name, p.descriptor};
	return 0;
}

static int image_add_methods(const struct reading *r, uint64_t klass)
{
	uint64_t array, method;
	uint32_t count;
	int e = mem_u64(r->m, klass + r->l->klass_methods, &array);

	e = e ?: mem_u32(r->m, array + r->l->array_length, &count);
	if (!e && count > MAX_METHODS)
		e = -EBADMSG;
	for (uint32_t i = 0; !e && i < count; i++) {
		e = mem_u64(r->m, array + r->l->array_pointers + 8ULL * i, &method);
		e = e ?: image_add_method(r, method);
	}
	return e;
}

/* ---- the class */

static int read_major(const struct reading *r, uint64_t klass, uint16_t *major)
{
	*major = 52;
	if (r->l->pool_major != FRT_NO_OFFSET)
		return mem_u16(r->m, r->pool + r->l->pool_major, major);
	return r->l->klass_major == FRT_NO_OFFSET ? 0 : mem_u16(r->m, klass + r->l->klass_major, major);
}

/* Names are texts of the bytes, which have moved while they grew. */
static int image_finish(struct class_image *c, uint32_t name, uint32_t super)
{
	struct class_file *f = &c->file;

	if (c->bytes.failed)
		return -ENOMEM;
	f->bytes = c->bytes.data;
	f->size = c->bytes.size;
	f->name = image_text(c, name);
	f->super = super ? image_text(c, super) : (struct slice){NULL, 0};
	f->interfaces_offset = NOTHING + TABLE_AT;
	f->methods = c->methods;
	for (uint32_t i = 0; i < c->methods; i++) {
		f->method[i].name = image_text(c, f->constant[c->method[i].name]);
		f->method[i].descriptor = image_text(c, f->constant[c->method[i].descriptor]);
	}
	return f->major < OLDEST_MAJOR ? -EBADMSG : 0;
}

int class_image_read(struct class_image *c, const struct hotspot_layout *l, const struct mem *m, uint64_t klass)
{
	struct reading r = {.c = c, .l = l, .m = m};
	uint32_t name_at, super_at = 0;
	uint64_t holder, access, super;
	int e = mem_u64(m, klass + l->klass_pool, &r.pool);

	bytes_clear(&c->bytes);
	c->methods = 0;
	e = e ?: mem_u64(m, r.pool + l->walk.pool_holder, &holder);
	if (!e && holder != klass)
		e = -EBADMSG;
	e = e ?: image_begin(&r);
	e = e ?: read_major(&r, klass, &c->file.major);
	e = e ?: mem_unsigned(m, klass + l->klass_access, l->klass_access_width, &access);
	e = e ?: mem_u64(m, klass + l->klass_super, &super);
	e = e ?: class_image_put_name(&r, klass, &name_at);
	if (!e && super)
		e = class_image_put_name(&r, super, &super_at);
	e = e ?: image_add_methods(&r, klass);
	e = e ?: read_class_annotations(&r, klass);
	if (e)
		return e;
	c->file.access = access & ACC_WRITTEN;
	return image_finish(c, name_at, super_at);
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
	int length = symbol_read_name(a->l, a->m, klass, name);

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
