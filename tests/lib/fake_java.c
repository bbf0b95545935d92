// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_java.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { METHOD_AT = -4, BCP_AT = -6, SENDER_SP_AT = -3, WRAPPER_AT = -5 }; /* in words from fp */

#define IN_BLOB(field) (offsetof(struct fake_blob, field) - offsetof(struct fake_blob, nothing))

static void describe(struct fake_java *j)
{
	struct frt_layout *l = &j->layout;

	*l = (struct frt_layout){
		.jdk_version = 99,
		.heaps = 1,
		.heap[0] = {(uint64_t)j->heap, (uint64_t)j->heap + FAKE_HEAP, (uint64_t)&j->committed,
			    (uint64_t)j->segmap},
		.interpreter = FAKE_INTERPRETER,
		.interpreter_end = FAKE_INTERPRETER_END,
		.call_stub_return = FAKE_CALL_STUB,
		.segment_log2 = 8,
		.thread_anchor = offsetof(struct fake_thread, anchor),
		.thread_env = offsetof(struct fake_thread, env),
		.anchor_sp = offsetof(struct fake_anchor, sp),
		.anchor_pc = offsetof(struct fake_anchor, pc),
		.anchor_fp = offsetof(struct fake_anchor, fp),
		.wrapper_anchor = 24,
		.call_wrapper = WRAPPER_AT,
		.interpreter_method = METHOD_AT,
		.interpreter_bcp = BCP_AT,
		.interpreter_sender_sp = SENDER_SP_AT,
		.block_size = offsetof(struct fake_blob, nothing),
		.block_used = 5,
		.blob_name = IN_BLOB(name),
		.blob_size = IN_BLOB(size),
		.blob_frame_size = IN_BLOB(words),
		.upcall_frame_data = IN_BLOB(frame_data),
		.nmethod_compile_id = IN_BLOB(compile_id),
		.nmethod_orig_pc = IN_BLOB(orig_pc),
		.nmethod_deopt = {IN_BLOB(handler[0]), IN_BLOB(handler[1])},
		.method_const = offsetof(struct fake_method, constants),
		.const_pool = offsetof(struct fake_constants, pool),
		.const_flags = offsetof(struct fake_constants, flags),
		.const_code_size = offsetof(struct fake_constants, code_size),
		.const_name = offsetof(struct fake_constants, name),
		.const_signature = offsetof(struct fake_constants, signature),
		.const_size = offsetof(struct fake_constants, code),
		.const_has_lines = 4,
		.pool_holder = 8,
		.pool_size = 16,
		.klass_name = 24,
		.symbol_length = offsetof(struct fake_symbol, refcount),
		.symbol_length_shift = 16,
		.symbol_body = offsetof(struct fake_symbol, body),
	};
}

struct fake_java *fake_java_new(void)
{
	struct fake_java *j = calloc(1, sizeof(*j));

	if (!j)
		abort();
	j->heap = mmap(NULL, FAKE_HEAP, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (j->heap == MAP_FAILED || mprotect(j->heap, FAKE_COMMITTED, PROT_READ | PROT_WRITE | PROT_EXEC))
		abort();
	j->committed = (uint64_t)j->heap + FAKE_COMMITTED;
	memset(j->segmap, 0xff, sizeof(j->segmap));
	describe(j);
	return j;
}

void fake_java_free(struct fake_java *j)
{
	if (!j)
		return;
	munmap(j->heap, FAKE_HEAP);
	free(j);
}

struct fake_blob *fake_blob_new(struct fake_java *j, uint32_t segment, uint32_t segments, const char *name,
				uint32_t words, uint32_t compile_id)
{
	struct fake_blob *b = (struct fake_blob *)(j->heap + segment * FAKE_SEGMENT);

	for (uint32_t i = 0; i < segments; i++)
		j->segmap[segment + i] = i < 5 ? i : 5 - i % 2; /* not always the shortest path back */
	b->block[5] = 1;
	b->name = (uint64_t)name;
	b->size = segments * FAKE_SEGMENT - sizeof(b->block);
	b->words = words;
	b->compile_id = compile_id;
	b->orig_pc = 16;
	b->frame_data = 24;
	for (int i = 0; i < 2; i++) {
		b->handler[i] = fake_pc(b, 80 + 8 * i);
		b->handler_offset[i] = IN_BLOB(code) + 80 + 8 * i;
	}
	return b;
}

void fake_blob_free(struct fake_java *j, struct fake_blob *b)
{
	uint32_t segment = ((unsigned char *)b - j->heap) / FAKE_SEGMENT;

	memset(j->segmap + segment, 0xff, (b->size + sizeof(b->block)) / FAKE_SEGMENT);
	b->block[5] = 0;
}

static uint64_t symbol(struct fake_symbol *s, const char *text)
{
	memset(s, 0x77, sizeof(*s));
	s->length = strlen(text);
	memcpy(s->body, text, s->length);
	return (uint64_t)s;
}

uint64_t fake_java_method(struct fake_java *j, uint32_t i, const char *klass, const char *name, const char *descriptor)
{
	struct fake_method *m = &j->method[i];
	struct fake_constants *c = &m->its_constants;

	m->constants = (uint64_t)c;
	c->pool = (uint64_t)m->pool;
	c->name = 1;
	c->signature = 2;
	c->flags = 4;
	c->code_size = 8;
	memcpy(c->lines, "\x11\x22\x33", 4);
	m->pool[1] = (uint64_t)m->klass;
	m->klass[3] = symbol(&m->symbol[0], klass);
	m->pool[2 + 1] = symbol(&m->symbol[1], name);
	m->pool[2 + 2] = symbol(&m->symbol[2], descriptor) | 1; /* slot of a pseudo string */
	return (uint64_t)m;
}

struct frames lay_begin(uint64_t *end)
{
	return (struct frames){.sp = end};
}

static void push(struct frames *f, uint64_t word)
{
	*--f->sp = word;
}

/* Push an anchor that says where the Java frames continue, or that there are none. */
static uint64_t push_anchor(struct frames *f)
{
	struct frames from = *f;
	bool none = !from.pc;

	push(f, none ? 0 : (uint64_t)from.sp);
	push(f, from.pc);
	push(f, from.fp);
	return (uint64_t)f->sp;
}

void lay_call_stub(struct frames *f)
{
	uint64_t wrapper = push_anchor(f) - 24, fp;

	for (int i = 0; i < 9; i++)
		push(f, 0xc0c0c0c0c0c0 + i);
	push(f, 0xcccccc); /* return address into C */
	push(f, 0xcccccd);
	fp = (uint64_t)f->sp;
	for (int i = 0; i < 12; i++)
		push(f, 0xdd00 + i);
	((uint64_t *)fp)[WRAPPER_AT] = wrapper;
	f->pc = FAKE_CALL_STUB;
	f->fp = fp;
}

void lay_interpreted(struct frames *f, uint64_t method, uint64_t bcp)
{
	uint64_t sender_sp = (uint64_t)f->sp, *fp;

	push(f, f->pc);
	push(f, f->fp);
	fp = f->sp;
	for (int i = 0; i < 10; i++)
		push(f, 0xee00 + i);
	fp[METHOD_AT] = method;
	fp[BCP_AT] = bcp;
	fp[SENDER_SP_AT] = sender_sp;
	f->fp = (uint64_t)fp;
	f->pc = FAKE_INTERPRETER + 0x777;
}

void lay_fixed(struct frames *f, const struct fake_blob *b, uint64_t pc)
{
	push(f, f->pc);
	push(f, f->fp);
	for (uint32_t i = 2; i < b->words; i++)
		push(f, 0xff00 + i);
	f->fp = 0x1234567; /* compiled code uses rbp for other values */
	f->pc = pc;
}

void lay_upcall(struct frames *f, const struct fake_blob *b)
{
	push_anchor(f);
	for (uint32_t i = 0; i < b->frame_data / 8; i++)
		push(f, 0xaa00 + i);
	f->fp = 0x7654321;
	f->pc = fake_pc(b, 33);
}

void lay_leave(const struct frames *f, struct fake_thread *t)
{
	t->anchor = (struct fake_anchor){.sp = (uint64_t)f->sp, .pc = f->pc, .fp = f->fp};
}
