// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_code.h"

#include <assert.h>
#include <stdlib.h>

#define CODE_AT	  352 /* offset in an nmethod: after its header */
#define CODE_SIZE 256

static int fake_read(const struct mem *m, uint64_t address, void *to, size_t size)
{
	struct fake_code *f = (struct fake_code *)m;

	f->reads++;
	if (f->change_at && f->reads == f->change_at)
		f->change(f);
	if (f->fail_first && f->reads >= f->fail_first && f->reads <= f->fail_last)
		return -EFAULT;
	if (address < FAKE_BASE || address - FAKE_BASE > FAKE_SIZE || size > FAKE_SIZE - (address - FAKE_BASE))
		return -EFAULT;
	memcpy(to, f->data + (address - FAKE_BASE), size);
	return 0;
}

/*
 * The last memory that was released. Some tests make thousands of images, and a sanitizer takes milliseconds for large memory
 * that is new.
 */
static unsigned char *spare;

void fake_code_init(struct fake_code *f, enum fake_form form)
{
	*f = (struct fake_code){.mem.read = fake_read, .layout = fake_layout(form), .form = form, .used = 64};
	f->data = spare ?: malloc(FAKE_SIZE);
	assert(f->data);
	memset(f->data, 0, FAKE_SIZE);
	spare = NULL;
}

void fake_code_release(struct fake_code *f)
{
	free(spare);
	spare = f->data;
}

void *fake_code_at(struct fake_code *f, uint64_t address)
{
	assert(address >= FAKE_BASE && address < FAKE_BASE + FAKE_SIZE);
	return f->data + (address - FAKE_BASE);
}

uint64_t fake_code_alloc(struct fake_code *f, size_t size)
{
	size_t align = f->spread ? 4096 : 8, at = (f->used + align - 1) / align * align;

	f->used = at + size;
	assert(f->used <= FAKE_SIZE);
	return FAKE_BASE + at;
}

static void put(struct fake_code *f, uint64_t at, const void *what, size_t size)
{
	memcpy(fake_code_at(f, at), what, size);
}

static void put_u16(struct fake_code *f, uint64_t at, uint16_t v)
{
	put(f, at, &v, sizeof(v));
}

static void put_u32(struct fake_code *f, uint64_t at, uint32_t v)
{
	put(f, at, &v, sizeof(v));
}

static void put_u64(struct fake_code *f, uint64_t at, uint64_t v)
{
	put(f, at, &v, sizeof(v));
}

uint64_t fake_code_symbol(struct fake_code *f, const char *text)
{
	size_t length = strlen(text);
	uint64_t symbol = fake_code_alloc(f, f->layout.walk.symbol_body + length);

	put_u16(f, symbol + f->layout.walk.symbol_length, length);
	put(f, symbol + f->layout.walk.symbol_body, text, length);
	return symbol;
}

/* With these symbols in slots 1, 2, ...; HotSpot may set the lowest bit of a slot. */
static uint64_t fake_pool(struct fake_code *f, uint64_t holder, const uint64_t *symbol, uint32_t count)
{
	uint64_t pool = fake_code_alloc(f, f->layout.walk.pool_size + 8 * (count + 1));

	put_u64(f, pool + f->layout.walk.pool_holder, holder);
	put_u32(f, pool + f->layout.pool_length, count + 1);
	for (uint32_t i = 0; i < count; i++)
		put_u64(f, pool + f->layout.walk.pool_size + 8 * (i + 1), symbol[i] | 1);
	return pool;
}

static uint64_t fake_loader(struct fake_code *f, const struct fake_code_class *c)
{
	uint64_t loader = fake_code_alloc(f, 152), klass;

	if (!c->loader_type)
		return loader;
	klass = fake_code_alloc(f, 208);
	put_u64(f, klass + f->layout.walk.klass_name, fake_code_symbol(f, c->loader_type));
	put_u64(f, loader + f->layout.loader_oop, 0xdead0000);
	put_u64(f, loader + f->layout.loader_klass, klass);
	if (c->loader_name)
		put_u64(f, loader + f->layout.loader_name, fake_code_symbol(f, c->loader_name));
	return loader;
}

/*
 * In each method's pool, slots 1 and 2 are its name and descriptor, 3 the class's name, 4 the class, 5 another
 * class.
 */
static void fake_inner_classes(struct fake_code *f, uint64_t klass, uint16_t flags)
{
	uint64_t array = fake_code_alloc(f, 4 + sizeof(uint16_t[12]));
	uint16_t rows[12] = {0, 0, 0, 0x7777, 5, 0, 0, 0x7777, 4, 0, 0, flags};

	put_u32(f, array + f->layout.array_length, 12);
	put(f, array + f->layout.array_u2, rows, sizeof(rows));
	put_u64(f, klass + f->layout.klass_inner_classes, array);
}

uint64_t fake_code_class(struct fake_code *f, const struct fake_code_class *c)
{
	uint64_t klass = fake_code_alloc(f, 464);

	put_u64(f, klass + f->layout.walk.klass_name, fake_code_symbol(f, c->name));
	put_u32(f, klass + f->layout.klass_access, c->access);
	if (f->layout.klass_modifiers != FRT_NO_OFFSET)
		put_u32(f, klass + f->layout.klass_modifiers, c->modifiers);
	put_u64(f, klass + f->layout.klass_loader_data, fake_loader(f, c));
	if (c->inner_flags)
		fake_inner_classes(f, klass, c->inner_flags);
	return klass;
}

uint64_t fake_code_method(struct fake_code *f, const struct fake_code_method *m)
{
	const struct frt_layout *l = &f->layout.walk;
	uint64_t method = fake_code_alloc(f, 88),
		 constants = fake_code_alloc(f, l->const_size + m->code_size + m->lines_size), pool;
	uint64_t symbol[5] = {fake_code_symbol(f, m->name), fake_code_symbol(f, m->descriptor)};

	memcpy(&symbol[2], fake_code_at(f, m->klass + l->klass_name), 8);
	pool = fake_pool(f, m->klass, symbol, 5);
	put_u32(f, pool + l->pool_size + 8 * 4, 3 << 16 | 0xffff);
	put_u32(f, pool + l->pool_size + 8 * 5, 1 << 16 | 0xffff);
	put_u64(f, method + l->method_const, constants);
	put_u32(f, method + f->layout.method_access, m->access);
	put_u16(f, method + f->layout.method_flags, m->hidden ? f->layout.method_hidden : 0);
	put_u64(f, constants + l->const_pool, pool);
	put_u16(f, constants + l->const_flags, m->lines ? 1 : 0);
	put_u16(f, constants + l->const_code_size, m->code_size);
	put_u16(f, constants + l->const_name, 1);
	put_u16(f, constants + l->const_signature, 2);
	if (m->lines)
		put(f, constants + l->const_size + m->code_size, m->lines, m->lines_size);
	return method;
}

size_t fake_code_unsigned5(unsigned char *to, unsigned int bias, uint32_t v)
{
	size_t n = 0;

	while (n < 4 && v >= 192 - bias) {
		v -= 192 - bias;
		to[n++] = 192 + v % 64;
		v /= 64;
	}
	to[n++] = v + bias;
	return n;
}

/* The tables of an nmethod, each at its own address. */
struct tables {
	uint64_t metadata, metadata_end, scopes, scopes_end, pcs, pcs_end;
};

static void put_scopes(struct fake_code *f, const struct fake_code_nmethod *n, struct tables *t, uint32_t *offset)
{
	unsigned int bias = f->layout.unsigned5_bias;
	unsigned char *to = fake_code_at(f, t->scopes);
	size_t at = 0;

	to[at++] = 0xff; /* no scope may be at offset 0 */
	for (size_t i = 0; i < n->scopes; i++) {
		const struct fake_code_scope *s = &n->scope[i];

		offset[i] = at;
		at += fake_code_unsigned5(to + at, bias, s->caller < 0 ? 0 : offset[s->caller]);
		at += fake_code_unsigned5(to + at, bias, s->method);
		at += fake_code_unsigned5(to + at, bias, s->bci + 1);
	}
	t->scopes_end = t->scopes + (at + 7) / 8 * 8;
}

static void put_pc(struct fake_code *f, struct tables *t, int pc, uint32_t scope)
{
	put_u32(f, t->pcs_end + f->layout.pc_desc_pc, pc);
	put_u32(f, t->pcs_end + f->layout.pc_desc_scope, scope);
	t->pcs_end += f->layout.pc_desc_size;
}

static void put_tables(struct fake_code *f, const struct fake_code_nmethod *n, struct tables *t)
{
	uint32_t offset[64];

	assert(n->scopes <= 64);
	for (size_t i = 0; i < n->metadata_count; i++)
		put_u64(f, t->metadata + 8 * i, n->metadata[i]);
	t->metadata_end = t->metadata + 8 * n->metadata_count;
	t->scopes = f->form < FAKE_23 ? t->metadata_end : t->scopes;
	put_scopes(f, n, t, offset);
	t->pcs_end = t->pcs = f->form < FAKE_23 ? t->scopes_end : t->pcs;
	put_pc(f, t, -1, 0);
	for (size_t i = 0; i < n->pcs; i++)
		put_pc(f, t, n->pc[i][0], n->pc[i][1] < 0 ? 0 : offset[n->pc[i][1]]);
	put_pc(f, t, CODE_SIZE + 1, 0);
}

/* All tables follow the code. */
static void fake_inside(struct fake_code *f, uint64_t nmethod, const struct fake_code_nmethod *n)
{
	struct tables t = {.metadata = nmethod + CODE_AT + CODE_SIZE};

	put_tables(f, n, &t);
	put_u32(f, nmethod + f->layout.nmethod_metadata, t.metadata - nmethod);
	if (f->form == FAKE_17)
		put_u64(f, nmethod + f->layout.nmethod_scopes_data, t.scopes);
	else
		put_u32(f, nmethod + f->layout.nmethod_scopes_data, t.scopes - nmethod);
	put_u32(f, nmethod + f->layout.nmethod_scopes_pcs, t.pcs - nmethod);
	put_u32(f, nmethod + f->layout.nmethod_scopes_pcs_end, t.pcs_end - nmethod);
}

/* Program counters, then scopes, in memory of their own; the metadata follows the code or is elsewhere. */
static void fake_outside(struct fake_code *f, uint64_t nmethod, const struct fake_code_nmethod *n)
{
	uint64_t immutable = fake_code_alloc(f, 1024), mutable = fake_code_alloc(f, 512);
	struct tables t = {.metadata = f->form == FAKE_23 ? nmethod + CODE_AT + CODE_SIZE + 16 : mutable + 32,
			   .pcs = immutable + 8,
			   .scopes = immutable + 8 + 16 * (n->pcs + 2)};

	put_tables(f, n, &t);
	put_u64(f, nmethod + f->layout.nmethod_immutable, immutable);
	put_u32(f, nmethod + f->layout.nmethod_immutable_size, t.scopes_end - immutable);
	put_u32(f, nmethod + f->layout.nmethod_scopes_pcs, t.pcs - immutable);
	put_u32(f, nmethod + f->layout.nmethod_scopes_pcs_end, t.pcs_end - immutable);
	put_u32(f, nmethod + f->layout.nmethod_scopes_data, t.scopes - immutable);
	if (f->form == FAKE_23) {
		put_u32(f, nmethod + f->layout.blob_data, CODE_AT + CODE_SIZE);
		put_u16(f, nmethod + f->layout.nmethod_metadata, 16);
		return;
	}
	put_u64(f, nmethod + f->layout.blob_mutable, mutable);
	put_u32(f, nmethod + f->layout.blob_mutable_size, t.metadata_end - mutable);
	put_u32(f, nmethod + f->layout.blob_relocation_size, t.metadata - mutable);
}

uint64_t fake_code_nmethod(struct fake_code *f, const struct fake_code_nmethod *n)
{
	const struct frt_layout *l = &f->layout.walk;
	size_t size = CODE_AT + CODE_SIZE + 1024;
	uint64_t block = fake_code_alloc(f, l->block_size + size), nmethod = block + l->block_size;

	put(f, block + l->block_used, &(uint8_t){1}, 1);
	put_u32(f, nmethod + l->blob_size, size);
	put_u32(f, nmethod + l->nmethod_compile_id, n->compile_id);
	put_u64(f, nmethod + f->layout.nmethod_method, n->metadata[0]);
	if (f->form == FAKE_17)
		put_u64(f, nmethod + f->layout.blob_code, nmethod + CODE_AT);
	else
		put_u32(f, nmethod + f->layout.blob_code, CODE_AT);
	if (f->form < FAKE_23)
		fake_inside(f, nmethod, n);
	else
		fake_outside(f, nmethod, n);
	return nmethod;
}

uint64_t fake_code_pc(struct fake_code *f, uint64_t nmethod, int offset)
{
	return nmethod + CODE_AT + offset;
}
