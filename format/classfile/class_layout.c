// SPDX-License-Identifier: BSD-2-Clause
/*
 * The new place of each instruction, and the new code.
 *
 *     enter            push id; invokestatic enter; lstore start
 *   [ goto_w body; goto_w A; goto_w B; ... ]       only with far branches
 *   body:
 *     ...
 *     leave            lload start; push id; invokestatic leave
 *     areturn
 *     ...
 *   [ goto_w C; ... ]                              only with far branches
 *     thrown           lload start; push id; invokestatic thrown; athrow
 *   [ thrown once more: constructors have two handlers ]
 *
 * A branch to a return goes to the `leave` before it. A branch to offset 0 goes to the code after `enter`.
 *
 * Insertions move targets apart, and a branch reaches only 32767 bytes. A goto becomes a goto_w. A conditional
 * branch has no wide form. The usual inverted branch around a goto_w would need a frame after the goto_w, with
 * types that only a complete verifier knows. So the branch goes to a goto_w at the head of the code or after the
 * body instead, which continues to the target. The frame there is that of the target, which is in the table. Code
 * has at most 65535 bytes, so each half reaches one of the two ends.
 */
#include "format/classfile/class_edit_internal.h"
#include "format/classfile/class_op.h"

enum {
	REACH = 32767,
	HUGE = 8000, /* HotSpot's HugeMethodLimit: a longer method stays in the interpreter */
	CODE_MOST = 65535,
	GOTO_W_SIZE = 5,

	/* bytes at most, without captures */
	CALL_MOST = 10,	   /* of `enter` or `leave` */
	HANDLER_MOST = 12, /* a constructor has two */
	PADDING_MOST = 3,
	FAR_TIMES = 4, /* where jumps reach over more than 32 KB */
};

bool class_code_may_get_long(const uint8_t *code, uint32_t size)
{
	uint32_t growth = CALL_MOST + 2 * HANDLER_MOST;

	for (uint32_t i = 0; i < size; i++) {
		struct op o = {.op = code[i]};

		growth += op_is_return(&o) ? CALL_MOST : op_is_switch(&o) ? PADDING_MOST : 0;
	}
	return size > HUGE ? size + FAR_TIMES * growth > CODE_MOST : size + growth > HUGE;
}

bool class_code_may_have_jsr(const uint8_t *code, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		if (code[i] == OP_JSR || code[i] == OP_RET || code[i] == OP_JSR_W)
			return true;
	return false;
}

static uint32_t target_of(const struct op *o, uint32_t number)
{
	return o->at + (uint32_t)op_distance(o, number); /* code_scan() has checked the bounds */
}

static uint32_t switch_padding(uint32_t at)
{
	return 3 - (at & 3);
}

/* Size of an instruction at its new place, with the code inserted before it. `widest`: the maximum for any place. */
static uint32_t new_size(const struct code *k, const struct op *o, uint32_t at, bool widest)
{
	if (op_is_return(o))
		return k->leave.size + 1;
	if (o->op == OP_GOTO)
		return widest || (k->mark[o->at] & MARK_FAR) ? GOTO_W_SIZE : 3;
	if (op_is_switch(o))
		return o->length - switch_padding(o->at) + (widest ? 3 : switch_padding(at));
	return o->length;
}

/* Lay out the body from `at` on. Returns its end. */
static uint32_t lay_body(struct code *k, uint32_t at, bool widest)
{
	struct op o;
	uint32_t old, i;

	for (old = 0; old < k->length; old += o.length) {
		op_read(&o, k->bytes, k->length, old);
		for (i = 0; i < o.length; i++)
			k->moved[old + i] = at;
		at += new_size(k, &o, at, widest);
	}
	k->moved[k->length] = at;
	return at;
}

static void mark_late(struct code *k, uint32_t middle)
{
	uint32_t i;

	for (i = 0; i < k->length; i++)
		if (k->moved[i] > middle)
			k->mark[i] |= MARK_LATE;
}

/* With the body laid out at its widest, find the branches that may not reach their target. */
static void layout_mark_far(struct code *k)
{
	uint32_t old, target, from, to;
	struct op o;

	for (old = 0; old < k->length; old += o.length) {
		op_read(&o, k->bytes, k->length, old);
		if (o.op != OP_GOTO && !op_is_if(&o))
			continue;
		target = target_of(&o, 0);
		from = k->moved[old];
		to = k->moved[target];
		if ((to > from ? to - from : from - to) <= REACH)
			continue;
		k->mark[old] |= MARK_FAR;
		if (op_is_if(&o))
			k->mark[target] |= k->mark[old] & MARK_LATE ? MARK_TAIL : MARK_HEAD;
	}
}

/* Give each target with `mark` a goto_w, from `at` on. Returns their number. */
static uint32_t lay_gotos(const struct code *k, uint32_t *place, uint8_t mark, uint32_t at)
{
	uint32_t n = 0;
	uint32_t i;

	for (i = 0; i < k->length; i++)
		if (k->mark[i] & mark)
			place[i] = at + n++ * GOTO_W_SIZE;
	return n;
}

static enum edit_result lay_far(struct code *k, uint32_t end, struct arena *scratch)
{
	uint32_t at = k->enter.size;

	k->head = arena_alloc(scratch, k->length * sizeof(*k->head));
	k->tail = arena_alloc(scratch, k->length * sizeof(*k->tail));
	if (!k->head || !k->tail)
		return EDIT_TOO_LARGE;
	mark_late(k, end / 2);
	lay_body(k, at, true);
	layout_mark_far(k);
	k->heads = lay_gotos(k, k->head, MARK_HEAD, at + GOTO_W_SIZE);
	if (k->heads)
		at += (k->heads + 1) * GOTO_W_SIZE;
	k->body_end = lay_body(k, at, false);
	k->tails = lay_gotos(k, k->tail, MARK_TAIL, k->body_end);
	return EDIT_DONE;
}

static void find_parts(struct code *k)
{
	uint32_t i;

	for (i = 0; i < k->length; i++) {
		if (!(k->mark[i] & MARK_START) || (k->bytes[i] >= OP_IRETURN && k->bytes[i] <= OP_RETURN))
			continue;
		if (k->mark[i] & MARK_EARLY)
			k->has_early = true;
		else if (!(k->mark[i] & MARK_INIT))
			k->has_late = true;
	}
}

enum edit_result code_layout(struct code *k, struct arena *scratch)
{
	enum edit_result result = EDIT_DONE;
	uint32_t end;

	k->body_end = lay_body(k, k->enter.size, false);
	if (k->body_end > REACH)
		result = lay_far(k, k->body_end, scratch);
	if (result)
		return result;
	if (k->thrown.size)
		find_parts(k);
	end = k->body_end + k->tails * GOTO_W_SIZE;
	k->early_handler = end;
	end += k->has_early ? k->thrown.size : 0;
	k->late_handler = end;
	end += k->has_late ? k->thrown.size : 0;
	k->new_length = end;
	if (end > 65535)
		return EDIT_TOO_LARGE;
	return k->length <= HUGE && end > HUGE ? EDIT_HUGE : EDIT_DONE;
}

static void put_goto_w(struct output *out, uint32_t from, uint32_t to)
{
	output_u1(out, OP_GOTO_W);
	output_u4(out, to - from);
}

/* Where a conditional branch goes: to its target, or to a goto_w that leads there. */
static uint32_t if_target(const struct code *k, const struct op *o)
{
	uint32_t target = target_of(o, 0);

	if (!(k->mark[o->at] & MARK_FAR))
		return k->moved[target];
	return k->mark[o->at] & MARK_LATE ? k->tail[target] : k->head[target];
}

static bool put_branch(const struct code *k, const struct op *o, struct output *out, uint32_t at)
{
	uint32_t to = op_is_if(o) ? if_target(k, o) : k->moved[target_of(o, 0)];
	int32_t distance = (int32_t)(to - at);

	if (o->op == OP_GOTO_W || (o->op == OP_GOTO && (k->mark[o->at] & MARK_FAR))) {
		put_goto_w(out, at, to);
		return true;
	}
	output_u1(out, o->op);
	output_u2(out, (uint32_t)distance);
	return distance >= -REACH - 1 && distance <= REACH;
}

static void put_switch(const struct code *k, const struct op *o, struct output *out, uint32_t at)
{
	const uint8_t *operands = o->code + op_switch_operands(o);
	uint32_t targets = op_targets(o);
	uint32_t padding = switch_padding(at);
	bool lookup = o->op == OP_LOOKUPSWITCH;
	uint32_t i;

	output_u1(out, o->op);
	while (padding--)
		output_u1(out, 0);
	output_u4(out, k->moved[target_of(o, 0)] - at);
	output_copy(out, operands + 4, lookup ? 4 : 8);
	for (i = 1; i < targets; i++) {
		if (lookup)
			output_copy(out, operands + 8 + (i - 1) * 8, 4);
		output_u4(out, k->moved[target_of(o, i)] - at);
	}
}

static bool put_op(const struct code *k, const struct op *o, struct output *out)
{
	uint32_t at = k->moved[o->at];

	if (op_is_return(o))
		output_copy(out, k->leave.bytes, k->leave.size);
	if (op_is_switch(o))
		put_switch(k, o, out, at);
	else if (op_is_if(o) || op_is_goto(o))
		return put_branch(k, o, out, at);
	else
		output_copy(out, o->code + o->at, o->length);
	return true;
}

static void put_gotos(const struct code *k, struct output *out, const uint32_t *place, uint8_t mark)
{
	uint32_t i;

	for (i = 0; i < k->length; i++)
		if (k->mark[i] & mark)
			put_goto_w(out, place[i], k->moved[i]);
}

enum edit_result code_write_bytes(struct code *k, struct output *out)
{
	bool reached = true;
	struct op o;
	uint32_t at;

	output_copy(out, k->enter.bytes, k->enter.size);
	if (k->heads) {
		put_goto_w(out, k->enter.size, k->moved[0]);
		put_gotos(k, out, k->head, MARK_HEAD);
	}
	for (at = 0; at < k->length && !out->full; at += o.length) {
		op_read(&o, k->bytes, k->length, at);
		reached &= put_op(k, &o, out);
	}
	if (k->tails)
		put_gotos(k, out, k->tail, MARK_TAIL);
	if (k->has_early)
		output_copy(out, k->thrown.bytes, k->thrown.size);
	if (k->has_late)
		output_copy(out, k->thrown.bytes, k->thrown.size);
	return reached && !out->full ? EDIT_DONE : EDIT_TOO_LARGE;
}
