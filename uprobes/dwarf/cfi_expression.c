// SPDX-License-Identifier: BSD-2-Clause
/*
 * What compilers and libc write: a register plus an offset, for frames whose stack pointer was aligned; the same
 * behind a pointer, in the frame of a signal handler; and in the procedure linkage table
 *
 *    breg7 8, breg16 0, lit15, and, lit11, ge, lit3, shl, plus
 *
 * There are no jumps among these, so an expression takes no longer than its length.
 */
#include "uprobes/dwarf/cfi_expression.h"

#include <dwarf.h>
#include <errno.h>

#define DEPTH 16u

struct operands {
	const struct cfi_expression *x;
	uint64_t value[DEPTH];
	unsigned int count;
	int err;
};

static void push(struct operands *o, uint64_t value)
{
	if (o->count < DEPTH)
		o->value[o->count++] = value;
	else
		o->err = -EBADMSG;
}

static uint64_t pop(struct operands *o)
{
	if (o->count)
		return o->value[--o->count];
	o->err = -EBADMSG;
	return 0;
}

static uint64_t register_value(struct operands *o, uint64_t r)
{
	if (r < CFI_REGISTERS && o->x->frame->known & 1u << r)
		return o->x->frame->reg[r];
	o->err = o->err ?: r < CFI_REGISTERS ? -EFAULT : -EBADMSG;
	return 0;
}

static uint64_t stored_value(struct operands *o, uint64_t address)
{
	uint64_t value = 0;

	if (!o->err && !o->x->read(o->x->context, address, &value))
		o->err = -EFAULT;
	return value;
}

static void push_binary(struct operands *o, uint8_t atom)
{
	uint64_t b = pop(o), a = pop(o);

	switch (atom) {
	case DW_OP_plus: push(o, a + b); break;
	case DW_OP_minus: push(o, a - b); break;
	case DW_OP_and: push(o, a & b); break;
	case DW_OP_shl: push(o, b < 64 ? a << b : 0); break;
	case DW_OP_ge: push(o, (int64_t)a >= (int64_t)b); break;
	default: o->err = -EBADMSG;
	}
}

static void step(struct operands *o, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		push(o, register_value(o, op->atom - DW_OP_breg0) + op->number);
		return;
	}
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		push(o, op->atom - DW_OP_lit0);
		return;
	}
	switch (op->atom) {
	case DW_OP_bregx: push(o, register_value(o, op->number) + op->number2); break;
	case DW_OP_call_frame_cfa: push(o, o->x->cfa); break;
	case DW_OP_plus_uconst: push(o, pop(o) + op->number); break;
	case DW_OP_deref: push(o, stored_value(o, pop(o))); break;
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_constu:
	case DW_OP_consts: push(o, op->number); break;
	default: push_binary(o, op->atom);
	}
}

int cfi_value(const struct cfi_expression *x, const Dwarf_Op *ops, size_t count, uint64_t *out)
{
	struct operands o = {.x = x};

	for (size_t i = 0; i < count && !o.err; i++)
		step(&o, &ops[i]);
	*out = pop(&o);
	return o.err;
}

int cfi_location(const struct cfi_expression *x, const Dwarf_Op *ops, size_t count, uint64_t *out)
{
	struct operands o = {.x = x};
	int err;

	if (count == 1 && ops[0].atom == DW_OP_regx) {
		*out = register_value(&o, ops[0].number);
		return o.err;
	}
	if (ops[count - 1].atom == DW_OP_stack_value)
		return cfi_value(x, ops, count - 1, out);
	err = cfi_value(x, ops, count, out);
	o.err = err;
	*out = stored_value(&o, *out);
	return o.err;
}
