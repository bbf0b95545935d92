/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions of the Java virtual machine (JVMS 6.5): their length, their targets, and their effect on the height
 * of the stack.
 */
#ifndef FORMAT_CLASSFILE_CLASS_OP_H
#define FORMAT_CLASSFILE_CLASS_OP_H

#include "format/classfile/class_file_internal.h"

/* the opcodes that this code names */
enum {
	OP_ACONST_NULL = 1,
	OP_ICONST_0 = 3,
	OP_LCONST_0 = 9,
	OP_BIPUSH = 16,
	OP_SIPUSH = 17,
	OP_LDC = 18,
	OP_LDC_W = 19,
	OP_ILOAD = 21,
	OP_LLOAD = 22,
	OP_ALOAD = 25,
	OP_ILOAD_0 = 26,
	OP_LLOAD_0 = 30,
	OP_ALOAD_0 = 42,
	OP_ISTORE = 54,
	OP_LSTORE = 55,
	OP_ASTORE = 58,
	OP_ISTORE_0 = 59,
	OP_LSTORE_0 = 63,
	OP_ASTORE_3 = 78,
	OP_DUP = 89,
	OP_DUP2 = 92,
	OP_SWAP = 95,
	OP_IINC = 132,
	OP_IFEQ = 153,
	OP_GOTO = 167,
	OP_JSR = 168,
	OP_RET = 169,
	OP_TABLESWITCH = 170,
	OP_LOOKUPSWITCH = 171,
	OP_IRETURN = 172,
	OP_RETURN = 177,
	OP_GETSTATIC = 178,
	OP_PUTFIELD = 181,
	OP_INVOKEVIRTUAL = 182,
	OP_INVOKESPECIAL = 183,
	OP_INVOKESTATIC = 184,
	OP_INVOKEINTERFACE = 185,
	OP_INVOKEDYNAMIC = 186,
	OP_NEW = 187,
	OP_ATHROW = 191,
	OP_WIDE = 196,
	OP_MULTIANEWARRAY = 197,
	OP_IFNULL = 198,
	OP_IFNONNULL = 199,
	OP_GOTO_W = 200,
	OP_JSR_W = 201,
};

struct op {
	const uint8_t *code; /* of the method */
	uint32_t at, length; /* in bytes */
	uint8_t op;	     /* for `wide` itself: OP_WIDE */
};

/* Read the instruction at `at`, in `code_length` bytes of code. Returns false if it is invalid or runs past the end. */
bool op_read(struct op *o, const uint8_t *code, uint32_t code_length, uint32_t at);

static inline bool op_is_return(const struct op *o)
{
	return o->op >= OP_IRETURN && o->op <= OP_RETURN;
}

static inline bool op_is_switch(const struct op *o)
{
	return o->op == OP_TABLESWITCH || o->op == OP_LOOKUPSWITCH;
}

static inline bool op_is_goto(const struct op *o)
{
	return o->op == OP_GOTO || o->op == OP_GOTO_W;
}

/* True for a conditional branch. */
static inline bool op_is_if(const struct op *o)
{
	return (o->op >= OP_IFEQ && o->op < OP_GOTO) || o->op == OP_IFNULL || o->op == OP_IFNONNULL;
}

/* True for jsr, jsr_w, ret, wide ret: the instructions that frames cannot describe. */
bool op_is_subroutine(const struct op *o);

/* True if execution may continue with the next instruction. */
bool op_falls_through(const struct op *o);

/* The number of branch targets, and one target as a distance from `at`. For a switch, number 0 is the default. */
uint32_t op_targets(const struct op *o);
int32_t op_distance(const struct op *o, uint32_t number);

/* Offset of a switch's first operand, after the padding. */
static inline uint32_t op_switch_operands(const struct op *o)
{
	return (o->at & ~3u) + 4;
}

/*
 * Number of slots that it pops and pushes. Returns false for dup and its relatives, and if a constant is not of
 * the required kind.
 */
bool op_effect(const struct op *o, const struct class_file *c, uint32_t *pops, uint32_t *pushes);

#endif
