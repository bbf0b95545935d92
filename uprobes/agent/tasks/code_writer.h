/* SPDX-License-Identifier: BSD-2-Clause */
/* Class files of version 49, which need no frames for a verifier, with members in bytecode (JVMS 4, 6.5). */
#ifndef AGENT_CODE_WRITER_H
#define AGENT_CODE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OP_ACONST_NULL = 1,
	OP_ICONST_M1 = 2,
	OP_ICONST_0,
	OP_ICONST_1,
	OP_LCONST_0 = 9,
	OP_LCONST_1,
	OP_BIPUSH = 16,
	OP_SIPUSH,
	OP_ILOAD = 21,
	OP_LLOAD,
	OP_ILOAD_0 = 26,
	OP_ILOAD_1,
	OP_ILOAD_2,
	OP_ILOAD_3,
	OP_LLOAD_0 = 30,
	OP_LLOAD_2 = 32,
	OP_LLOAD_3 = 33,
	OP_ALOAD_0 = 42,
	OP_ALOAD_2 = 44,
	OP_LALOAD = 47,
	OP_AALOAD = 50,
	OP_ISTORE = 54,
	OP_LSTORE,
	OP_ISTORE_1 = 60,
	OP_ISTORE_2,
	OP_ISTORE_3,
	OP_LSTORE_2 = 65,
	OP_LSTORE_3,
	OP_ASTORE_0 = 75,
	OP_ASTORE_2 = 77,
	OP_AASTORE = 83,
	OP_POP2 = 88,
	OP_IAND = 126,
	OP_IINC = 132,
	OP_L2I = 136,
	OP_LCMP = 148,
	OP_IFEQ = 153,
	OP_IFNE = 154,
	OP_IFLT = 155,
	OP_IFGE = 156,
	OP_IF_ICMPEQ = 159,
	OP_IF_ICMPNE,
	OP_IF_ACMPNE = 166,
	OP_GOTO,
	OP_IRETURN = 172,
	OP_LRETURN,
	OP_RETURN = 177,
	OP_GETSTATIC = 178,
	OP_INVOKEVIRTUAL = 182,
	OP_INVOKESTATIC = 184,
	OP_INSTANCEOF = 193,
	OP_IFNULL = 198,
};

/* All zero at first. `full`: something did not fit, and nothing that was written is of use. */
struct code_writer {
	unsigned char pool[3072], body[3072];
	size_t pool_size, size, code; /* code: where that of the method begins */
	uint16_t constants, this_class, code_name;
	bool full;
};

/* Append to the members. */
void code_put1(struct code_writer *w, unsigned int v);
void code_put2(struct code_writer *w, unsigned int v);

/* The same, for several bytes. */
#define code_put(w, ...) \
	code_put_bytes(w, (const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__}))
void code_put_bytes(struct code_writer *w, const unsigned char *bytes, size_t count);

/* Constants; each returns its number. `tag` of a member: 9 for a field, 10 for a method of a class. */
uint16_t code_utf8(struct code_writer *w, const char *text);
uint16_t code_class(struct code_writer *w, const char *name);
uint16_t code_member(struct code_writer *w, unsigned int tag, uint16_t class, const char *name, const char *type);

/* Static members of the class. The instructions of a method stand between its begin and its end. */
void code_put_field(struct code_writer *w, const char *name, const char *type);
void code_put_native(struct code_writer *w, const char *name, const char *type);
void code_begin_method(struct code_writer *w, const char *name, const char *type, unsigned int locals);
void code_end_method(struct code_writer *w);

/* An instruction with the number of a constant, or any that takes two bytes. */
void code_put_member(struct code_writer *w, unsigned int op, uint16_t member);

/* A branch forwards, which code_branch_here() completes; one back to where the body had the size `to`. */
size_t code_branch(struct code_writer *w, unsigned int op);
void code_branch_here(struct code_writer *w, size_t from);
void code_branch_back(struct code_writer *w, unsigned int op, size_t to);

/* Store the class. Returns its size, or 0 if it does not fit. */
size_t code_finish(const struct code_writer *w, unsigned char *to, size_t room);

#endif
