// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_classes.h"

#include <assert.h>
#include <stdlib.h>

#define CONSTANTS 128

/* A class under construction. */
struct building {
	struct fake_code *f;
	const struct hotspot_layout *l;
	uint64_t klass, pool;
	uint32_t constants;
};

uint64_t fake_get(struct fake_code *f, uint64_t address)
{
	uint64_t v;

	memcpy(&v, fake_code_at(f, address), sizeof(v));
	return v;
}

void fake_set(struct fake_code *f, uint64_t address, uint64_t value, unsigned int width)
{
	memcpy(fake_code_at(f, address), &value, width);
}

void fake_classes_init(struct fake_code *f, enum fake_form form)
{
	fake_code_init(f, form);
	f->layout.loaders = fake_code_alloc(f, 8);
}

uint64_t fake_loader_add(struct fake_code *f, const char *type, const char *name)
{
	const struct hotspot_layout *l = &f->layout;
	uint64_t loader = fake_code_alloc(f, 152), klass;

	fake_set(f, loader + l->loader_next, fake_get(f, l->loaders), 8);
	fake_set(f, l->loaders, loader, 8);
	if (!type)
		return loader;
	klass = fake_code_alloc(f, 208);
	fake_set(f, klass + l->walk.klass_name, fake_code_symbol(f, type), 8);
	fake_set(f, loader + l->loader_oop, 0xdead0000, 8);
	fake_set(f, loader + l->loader_klass, klass, 8);
	if (name)
		fake_set(f, loader + l->loader_name, fake_code_symbol(f, name), 8);
	return loader;
}

static void link_class(struct fake_code *f, uint64_t klass, uint64_t loader)
{
	const struct hotspot_layout *l = &f->layout;

	fake_set(f, klass + l->klass_loader_data, loader, 8);
	fake_set(f, klass + l->klass_next, fake_get(f, loader + l->loader_klasses), 8);
	fake_set(f, loader + l->loader_klasses, klass, 8);
}

uint64_t fake_array_add(struct fake_code *f, uint64_t loader)
{
	uint64_t klass = fake_code_alloc(f, 464);

	fake_set(f, klass + f->layout.klass_shape, -0x3ffffffe, 4);
	link_class(f, klass, loader);
	return klass;
}

static uint16_t constant(struct building *b, const char *text)
{
	assert(b->constants < CONSTANTS);
	fake_set(b->f, b->pool + b->l->walk.pool_size + 8 * b->constants, fake_code_symbol(b->f, text) | 1, 8);
	return b->constants++;
}

static void put_be16(unsigned char **to, uint16_t v)
{
	*(*to)++ = v >> 8;
	*(*to)++ = v;
}

/* Each annotation has one element, value = "x". */
static uint64_t annotations(struct building *b, const char *const *names)
{
	unsigned char bytes[256], *to = bytes + 2;
	uint16_t count = 0;
	uint64_t array;

	for (; names[count]; count++) {
		put_be16(&to, constant(b, names[count]));
		put_be16(&to, 1);
		put_be16(&to, constant(b, "value"));
		*to++ = 's';
		put_be16(&to, constant(b, "x"));
	}
	if (!count)
		return 0;
	bytes[0] = 0;
	bytes[1] = count;
	array = fake_code_alloc(b->f, b->l->array_u1 + (to - bytes));
	fake_set(b->f, array + b->l->array_length, to - bytes, 4);
	memcpy(fake_code_at(b->f, array + b->l->array_u1), bytes, to - bytes);
	return array;
}

static uint64_t pointers(struct building *b, const uint64_t *list, uint32_t count)
{
	uint64_t array = fake_code_alloc(b->f, b->l->array_pointers + 8 * count);

	fake_set(b->f, array + b->l->array_length, count, 4);
	for (uint32_t i = 0; i < count; i++)
		fake_set(b->f, array + b->l->array_pointers + 8 * i, list[i], 8);
	return array;
}

static uint64_t add_method(struct building *b, const struct fake_class_method *m)
{
	const struct frt_layout *w = &b->l->walk;
	uint64_t method = fake_code_alloc(b->f, 88), noted = annotations(b, m->annotations);
	uint32_t words = (w->const_size + m->code_size + 7) / 8 + 1;
	uint64_t constants = fake_code_alloc(b->f, 8 * words);

	fake_set(b->f, method + w->method_const, constants, 8);
	fake_set(b->f, method + b->l->method_access, m->access, 4);
	fake_set(b->f, constants + w->const_pool, b->pool, 8);
	fake_set(b->f, constants + b->l->const_words, words, 4);
	fake_set(b->f, constants + w->const_flags, m->flags | (noted ? b->l->const_has_annotations : 0), 2);
	fake_set(b->f, constants + w->const_code_size, m->code_size, 2);
	fake_set(b->f, constants + w->const_name, constant(b, m->name), 2);
	fake_set(b->f, constants + w->const_signature, constant(b, m->descriptor), 2);
	if (m->code)
		memcpy(fake_code_at(b->f, constants + w->const_size), m->code, m->code_size);
	if (noted)
		fake_set(b->f, constants + 8 * words - 8, noted, 8);
	return method;
}

static void add_methods(struct building *b, const struct fake_class *c)
{
	uint64_t method[FAKE_LIST];
	uint32_t count = 0;

	for (; c->method[count].name; count++)
		method[count] = add_method(b, &c->method[count]);
	fake_set(b->f, b->klass + b->l->klass_methods, pointers(b, method, count), 8);
}

static void add_types(struct building *b, const struct fake_class *c)
{
	uint32_t count = 0;

	while (c->interfaces[count])
		count++;
	fake_set(b->f, b->klass + b->l->klass_super, c->super, 8);
	fake_set(b->f, b->klass + b->l->klass_interfaces, pointers(b, c->interfaces, count), 8);
}

static void add_class_annotations(struct building *b, const struct fake_class *c)
{
	uint64_t array = annotations(b, c->annotations), holder;

	if (!array)
		return;
	holder = fake_code_alloc(b->f, 32);
	fake_set(b->f, holder, array, 8);
	fake_set(b->f, b->klass + b->l->klass_annotations, holder, 8);
}

uint64_t fake_class_add(struct fake_code *f, const struct fake_class *c)
{
	struct building b = {.f = f, .l = &f->layout, .constants = 1};

	b.klass = fake_code_alloc(f, 464);
	b.pool = fake_code_alloc(f, b.l->walk.pool_size + 8 * CONSTANTS);
	fake_set(f, b.pool + b.l->walk.pool_holder, b.klass, 8);
	fake_set(f, b.pool + b.l->pool_length, CONSTANTS, 4);
	fake_set(f, b.pool + b.l->pool_major, c->major ? c->major : 52, 2);
	fake_set(f, b.klass + b.l->klass_pool, b.pool, 8);
	fake_set(f, b.klass + b.l->walk.klass_name, fake_code_symbol(f, c->name), 8);
	fake_set(f, b.klass + b.l->klass_access, c->access, 4);
	fake_set(f, b.klass + b.l->klass_shape, 16, 4);
	fake_set(f, b.klass + b.l->klass_state, c->state ? c->state : 4, 1);
	add_types(&b, c);
	add_methods(&b, c);
	add_class_annotations(&b, c);
	link_class(f, b.klass, c->loader);
	return b.klass;
}
