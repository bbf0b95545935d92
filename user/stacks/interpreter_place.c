// SPDX-License-Identifier: BSD-2-Clause
#include "user/stacks/interpreter_place.h"
#include "user/stacks/machine/machine.h"

#include <string.h>

#define WORDS_MOST 128u /* of a method's expressions, between its frame and the stack pointer */

bool is_in_code_cache(const struct frt_layout *l, uint64_t pc)
{
	for (uint32_t i = 0; i < l->heaps && i < FRT_CODE_HEAPS; i++)
		if (pc - l->heap[i].low < l->heap[i].high - l->heap[i].low)
			return true;
	return false;
}

static bool copied_word(const struct interpreter_thread *t, uint64_t address, uint64_t *to)
{
	uint64_t at = address - t->at->sp;

	if (at % 8 || t->size < 8 || at > t->size - 8)
		return false;
	memcpy(to, t->stack + at, sizeof(*to));
	return true;
}

/* Where a Method's bytecode begins. *size: 0 for a native one. */
static bool bytecode_of(const struct interpreter_thread *t, uint64_t method, uint64_t *begin, uint16_t *size)
{
	const struct frt_layout *l = t->layout;
	uint64_t constants;

	if (!method || mem_u64(t->mem, method + l->method_const, &constants) ||
	    mem_u16(t->mem, constants + l->const_code_size, size))
		return false;
	*begin = constants + l->const_size;
	return true;
}

static uint64_t slot_of(const struct interpreter_thread *t, int slot)
{
	return t->at->fp + 8 * (int64_t)slot;
}

/* The frame pointer has been set, and what lies at the stack pointer is not yet the bytecode pointer. */
static enum interpreter_place place_in_building(const struct interpreter_thread *t, struct interpreted *out)
{
	const struct frt_registers *r = t->at;
	uint64_t method = method_of(r);
	uint16_t size;

	if (r->sp <= slot_of(t, t->layout->interpreter_method))
		copied_word(t, slot_of(t, t->layout->interpreter_method), &method);
	out->sp = r->saved[FRT_SAVED_BYTECODE]; /* until that is pushed, it has the caller's stack pointer */
	if (r->sp <= slot_of(t, t->layout->interpreter_sender_sp))
		copied_word(t, slot_of(t, t->layout->interpreter_sender_sp), &out->sp);
	if (!bytecode_of(t, method, &out->bytecode, &size) || !copied_word(t, r->fp, &out->fp) ||
	    !copied_word(t, r->fp + 8, &out->pc) || out->sp <= r->fp)
		return INTERPRETER_UNKNOWN;
	out->method = method;
	return INTERPRETER_BUILDS;
}

/*
 * The thread is between two methods, or in one that has no frame. Is the frame at the frame pointer that of the caller? Then there is no
 * other one below it: no address of code, except the one to which the thread is about to return.
 */
static bool is_callers_frame(const struct interpreter_thread *t)
{
	const struct frt_registers *r = t->at;
	uint64_t from = r->sp, end = slot_of(t, t->layout->interpreter_bcp), word;

	if (end < from || end - from > 8 * WORDS_MOST || !copied_word(t, from, &word))
		return false;
	if (word == r->fp && CODE_CALLED == CODE_RETURN) /* the next instruction sets the frame pointer */
		from += 8;
	if (CODE_CALLED == CODE_RETURN && copied_word(t, from, &word) &&
	    word - t->layout->interpreter < t->layout->interpreter_end - t->layout->interpreter)
		from += 8;
	for (; from < end; from += 8)
		if (!copied_word(t, from, &word) || is_in_code_cache(t->layout, word))
			return false;
	return true;
}

enum interpreter_place interpreter_place(const struct interpreter_thread *t, struct interpreted *out)
{
	const struct frt_registers *r = t->at;
	uint64_t method, begin, end = slot_of(t, t->layout->interpreter_bcp);
	uint16_t size;

	*out = (struct interpreted){0};
	if (r->fp >= r->sp && r->sp > end)
		return place_in_building(t, out);
	if (!copied_word(t, slot_of(t, t->layout->interpreter_method), &method) ||
	    !bytecode_of(t, method, &begin, &size))
		return INTERPRETER_UNKNOWN;
	out->bytecode = r->saved[FRT_SAVED_BYTECODE];
	if (out->bytecode - begin <= (size ? size - 1u : 0u))
		return INTERPRETER_RUNS;
	out->bytecode = 0;
	return is_callers_frame(t) ? INTERPRETER_CALLS : INTERPRETER_UNKNOWN;
}
