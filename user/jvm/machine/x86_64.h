/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef USER_JVM_MACHINE_X86_64_H
#define USER_JVM_MACHINE_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Encodings: Intel SDM volume 2, chapter 2 (REX, ModRM) and the pages of MOV, XOR, TEST, PUSH. */

#define MOST_INSTRUCTIONS 4

#define STACK_POINTER  4 /* rsp */
#define FIRST_ARGUMENT 7 /* rdi */

static inline bool is_push(const uint8_t *code, size_t size)
{
	if (size > 1 && code[0] == 0x41)
		code++;
	return size && (code[0] & 0xf8) == 0x50;
}

/* A register, with its highest bit from the prefix. */
static inline unsigned int native_entry_register(unsigned int bits, unsigned int rex, unsigned int rex_bit)
{
	return (bits & 7) | (rex & rex_bit ? 8 : 0);
}

/* The length of a harmless instruction; 0: it may do harm, or is none of those known here. */
static inline size_t harmless(const uint8_t *code, size_t size)
{
	unsigned int rex = size && (code[0] & 0xf0) == 0x40 ? code[0] : 0, mode, written;
	size_t at = rex ? 1 : 0, length = at + 2;

	if (size < at + 6)
		return 0;
	mode = code[at + 1] >> 6;
	switch (code[at]) {
	case 0x85: /* test r, r */ return mode == 3 ? length : 0;
	case 0x31: /* xor r, r */
	case 0x89: /* mov r, r */
		if (mode != 3)
			return 0;
		written = native_entry_register(code[at + 1], rex, 1);
		break;
	case 0x8b: /* mov r, r; mov r, address(%rip) */
		if (mode == 0 && (code[at + 1] & 7) == 5)
			length += 4;
		else if (mode != 3)
			return 0;
		written = native_entry_register(code[at + 1] >> 3, rex, 4);
		break;
	default:
		if ((code[at] & 0xf8) != 0xb8 || rex & 8) /* mov r, 32 bits */
			return 0;
		length = at + 5;
		written = native_entry_register(code[at], rex, 1);
	}
	return written == STACK_POINTER || written == FIRST_ARGUMENT ? 0 : length;
}

static inline size_t entry_skip(const uint8_t *code, size_t size)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t begin = size > sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)) ? sizeof(endbr64) : 0;
	size_t at = begin, length;

	for (int i = 0; i < MOST_INSTRUCTIONS && !is_push(code + at, size - at); i++) {
		length = harmless(code + at, size - at);
		if (!length)
			return begin;
		at += length;
	}
	return is_push(code + at, size - at) ? at : begin;
}

#endif
