// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the part of a constructor in which `this` is not yet initialised.
 *
 *    0: aload_0                    early
 *    1: new      java/util/ArrayList
 *    4: dup
 *    5: invokespecial ArrayList.<init>   not the call, even if the superclass is ArrayList
 *    8: invokespecial super.<init>       the call: `this` is initialised from here on
 *   11: return                         late
 *
 * The handler of the first part has uninitializedThis in its frame, that of the second must not have it (JVMS
 * 4.10.1.4). So each instruction must be classified as one or the other. The constant does not tell which <init>
 * is the call; the object under the arguments does. This code tracks it: the height of the stack, and the few
 * stack slots that hold uninitializedThis, from frame to frame of the StackMapTable. Every branch target has a
 * frame, so one pass over the code in order is enough.
 *
 * The call itself can be in neither part. HotSpot checks a covering handler twice, against the frame before the
 * call and the one after it, and no handler frame matches both:
 *
 *   VerifyError: Stack map does not match the one at exception handler 39
 *   Type 'T' (current frame, locals[0]) is not assignable to uninitializedThis
 *
 * (tried with 17 and 25; 8 and the current source do the same). So an exception out of super() calls neither
 * `leave` nor `thrown`. The counting code must detect that the activation is gone, as after a StackOverflowError
 * in a hook. Without frames, up to version 49, the call is covered.
 *
 * If `this` is copied to another local, or local 0 is overwritten before the call, the edit is refused
 * (EDIT_SHAPE). No compiler emits such code.
 */
#include "format/classfile/class_edit_internal.h"
#include "format/classfile/class_op.h"

enum { PLACES = 4 };

struct height {
	uint32_t depth; /* slots on the stack */
	bool early;	/* local 0 is uninitializedThis */
	uint32_t places;
	uint32_t place[PLACES]; /* stack slots that hold uninitializedThis */
};

static bool height_is_this(const struct height *h, uint32_t slot)
{
	uint32_t i;

	for (i = 0; i < h->places; i++)
		if (h->place[i] == slot)
			return true;
	return false;
}

static enum edit_result height_pop(struct height *h, uint32_t slots)
{
	uint32_t i, n = 0;

	if (slots > h->depth)
		return EDIT_MALFORMED;
	h->depth -= slots;
	for (i = 0; i < h->places; i++)
		if (h->place[i] < h->depth)
			h->place[n++] = h->place[i];
	h->places = n;
	return EDIT_DONE;
}

static enum edit_result height_push(struct height *h, bool is_this)
{
	if (is_this && h->places == PLACES)
		return EDIT_SHAPE;
	if (is_this)
		h->place[h->places++] = h->depth;
	h->depth++;
	return EDIT_DONE;
}

static enum edit_result height_of_frame(struct height *h, const struct frame *f)
{
	enum edit_result result = EDIT_DONE;
	uint32_t i;

	*h = (struct height){.early = f->local_count && f->locals[0].tag == VTYPE_UNINIT_THIS};
	if (f->this_count > h->early)
		return EDIT_SHAPE;
	for (i = 0; i < f->stack_count && !result; i++) {
		uint16_t tag = f->stack[i].tag;

		if (tag == VTYPE_UNINIT_THIS && !h->early)
			return EDIT_SHAPE;
		result = height_push(h, tag == VTYPE_UNINIT_THIS);
		h->depth += tag == VTYPE_LONG || tag == VTYPE_DOUBLE;
	}
	return result;
}

/* dup to swap: how many slots are popped, and which of them (1 was on top) are pushed, lowest first. */
static enum edit_result step_dup(struct height *h, uint8_t op)
{
	static const struct {
		uint8_t off;
		char on[7];
	} move[] = {{1, "11"}, {2, "121"}, {3, "1321"}, {2, "2121"}, {3, "21321"}, {4, "214321"}, {2, "12"}};
	const char *on = move[op - OP_DUP].on;
	uint32_t off = move[op - OP_DUP].off;
	bool is_this[5];
	enum edit_result result;
	uint32_t i;

	for (i = 1; i <= off; i++)
		is_this[i] = h->depth >= i && height_is_this(h, h->depth - i);
	for (result = height_pop(h, off); !result && *on; on++)
		result = height_push(h, is_this[*on - '0']);
	return result;
}

/* The local of a load or store in its short, long or wide form; `first` is its xxx_0 form. */
static uint32_t local_of(const struct op *o, uint8_t first)
{
	if (o->op == OP_WIDE)
		return get_u2(o->code + o->at + 2);
	return o->op >= first ? (uint32_t)(o->op - first) & 3 : o->code[o->at + 1];
}

static bool is_store(uint8_t op)
{
	return op >= OP_ISTORE && op <= OP_ASTORE_3;
}

static enum edit_result step_call(struct height *h, uint32_t pops)
{
	bool initialises = h->depth >= pops && pops && height_is_this(h, h->depth - pops);
	enum edit_result result = height_pop(h, pops);

	if (initialises) {
		h->early = false;
		h->places = 0;
	}
	return result;
}

static enum edit_result flow_step(const struct code *k, const struct op *o, struct height *h)
{
	uint8_t op = o->op == OP_WIDE ? o->code[o->at + 1] : o->op;
	enum edit_result result;
	uint32_t pops, pushes;

	if (op >= OP_DUP && op <= OP_SWAP)
		return step_dup(h, op);
	if (op == OP_ALOAD || (op >= OP_ALOAD_0 && op < OP_ALOAD_0 + 4))
		return height_push(h, h->early && local_of(o, OP_ALOAD_0) == 0);
	if (is_store(op) && h->early &&
	    (local_of(o, OP_ISTORE_0) == 0 || (h->depth && height_is_this(h, h->depth - 1))))
		return EDIT_SHAPE;
	if (!op_effect(o, k->c, &pops, &pushes))
		return EDIT_MALFORMED;
	result = op == OP_INVOKESPECIAL ? step_call(h, pops) : height_pop(h, pops);
	h->depth += pushes;
	return result;
}

/* Apply the frame at `o`, if there is one. Code after a goto or athrow must have one. */
static enum edit_result meet_frame(struct code *k, const struct op *o, struct height *h, bool live, int *more)
{
	struct frame *f = &k->reader.frame;
	uint32_t depth = h->depth;
	enum edit_result result;

	if (*more < 0 || (*more && f->at < o->at))
		return EDIT_MALFORMED;
	if (!*more || f->at > o->at)
		return live ? EDIT_DONE : EDIT_MALFORMED;
	result = height_of_frame(h, f);
	if (!result && live && h->depth != depth)
		return EDIT_MALFORMED;
	*more = frames_next(&k->reader);
	return result;
}

enum edit_result code_mark_early(struct code *k)
{
	enum edit_result result = EDIT_DONE;
	struct height h = {.early = k->initial.this_count};
	bool live = true, early;
	struct op o;
	uint32_t at;
	int more;

	frames_begin(&k->reader, k->frames, &k->initial, k->max_locals, k->max_stack);
	more = frames_next(&k->reader);
	for (at = 0; at < k->length; at += o.length) {
		op_read(&o, k->bytes, k->length, at);
		result = meet_frame(k, &o, &h, live, &more);
		early = h.early;
		if (!result)
			result = flow_step(k, &o, &h);
		if (early)
			k->mark[at] |= h.early ? MARK_EARLY : MARK_INIT;
		if (!result && h.depth > k->max_stack)
			result = EDIT_MALFORMED;
		if (result)
			return result;
		live = op_falls_through(&o);
	}
	return more ? EDIT_MALFORMED : EDIT_DONE;
}
