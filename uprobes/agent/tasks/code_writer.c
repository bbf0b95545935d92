// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/tasks/code_writer.h"
#include "uprobes/agent/sys.h"

static void code_pool1(struct code_writer *w, unsigned int v)
{
	if (w->pool_size < sizeof(w->pool))
		w->pool[w->pool_size++] = v;
	else
		w->full = true;
}

static void code_pool2(struct code_writer *w, unsigned int v)
{
	code_pool1(w, v >> 8);
	code_pool1(w, v & 255);
}

void code_put1(struct code_writer *w, unsigned int v)
{
	if (w->size < sizeof(w->body))
		w->body[w->size++] = v;
	else
		w->full = true;
}

void code_put_bytes(struct code_writer *w, const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		code_put1(w, bytes[i]);
}

void code_put2(struct code_writer *w, unsigned int v)
{
	code_put1(w, v >> 8);
	code_put1(w, v & 255);
}

static void code_patch2(struct code_writer *w, size_t at, unsigned int v)
{
	if (w->full)
		return;
	w->body[at] = v >> 8;
	w->body[at + 1] = v & 255;
}

uint16_t code_utf8(struct code_writer *w, const char *text)
{
	code_pool1(w, 1);
	code_pool2(w, strlen(text));
	while (*text)
		code_pool1(w, *text++);
	return ++w->constants;
}

/* A Class, or NameAndType, Fieldref, Methodref. */
static uint16_t code_constant(struct code_writer *w, unsigned int tag, uint16_t first, uint16_t second)
{
	code_pool1(w, tag);
	code_pool2(w, first);
	if (tag != 7)
		code_pool2(w, second);
	return ++w->constants;
}

uint16_t code_class(struct code_writer *w, const char *name)
{
	return code_constant(w, 7, code_utf8(w, name), 0);
}

uint16_t code_member(struct code_writer *w, unsigned int tag, uint16_t class, const char *name, const char *type)
{
	uint16_t name_at = code_utf8(w, name), type_at = code_utf8(w, type);

	return code_constant(w, tag, class, code_constant(w, 12, name_at, type_at));
}

void code_put_field(struct code_writer *w, const char *name, const char *type)
{
	code_put2(w, 0x0008); /* static */
	code_put2(w, code_utf8(w, name));
	code_put2(w, code_utf8(w, type));
	code_put2(w, 0);
}

void code_put_native(struct code_writer *w, const char *name, const char *type)
{
	code_put2(w, 0x0108); /* static native */
	code_put2(w, code_utf8(w, name));
	code_put2(w, code_utf8(w, type));
	code_put2(w, 0);
}

void code_begin_method(struct code_writer *w, const char *name, const char *type, unsigned int locals)
{
	code_put2(w, 0x0009); /* public static */
	code_put2(w, code_utf8(w, name));
	code_put2(w, code_utf8(w, type));
	code_put2(w, 1);
	code_put2(w, w->code_name);
	code_put2(w, 0), code_put2(w, 0); /* the length of the attribute */
	code_put2(w, 6);		  /* stack */
	code_put2(w, locals);
	code_put2(w, 0), code_put2(w, 0); /* the length of the code */
	w->code = w->size;
}

void code_end_method(struct code_writer *w)
{
	size_t length = w->size - w->code;

	code_patch2(w, w->code - 2, length);
	code_patch2(w, w->code - 10, length + 12);
	code_put2(w, 0);
	code_put2(w, 0);
}

void code_put_member(struct code_writer *w, unsigned int op, uint16_t member)
{
	code_put1(w, op);
	code_put2(w, member);
}

size_t code_branch(struct code_writer *w, unsigned int op)
{
	code_put1(w, op);
	code_put2(w, 0);
	return w->size - 3;
}

void code_branch_here(struct code_writer *w, size_t from)
{
	code_patch2(w, from + 1, w->size - from);
}

void code_branch_back(struct code_writer *w, unsigned int op, size_t to)
{
	size_t from = w->size;

	code_put1(w, op);
	code_put2(w, to - from);
}

size_t code_finish(const struct code_writer *w, unsigned char *to, size_t room)
{
	unsigned char head[10] = {0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 49};

	head[8] = (w->constants + 1) >> 8;
	head[9] = (w->constants + 1) & 255;
	if (w->full || sizeof(head) + w->pool_size + w->size > room)
		return 0;
	memcpy(to, head, sizeof(head));
	memcpy(to + sizeof(head), w->pool, w->pool_size);
	memcpy(to + sizeof(head) + w->pool_size, w->body, w->size);
	return sizeof(head) + w->pool_size + w->size;
}
