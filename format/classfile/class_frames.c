// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reading and writing the StackMapTable, which describes the locals and the stack at branch targets. Each frame is
 * a change to the previous one; the first one changes the initial frame, which the descriptor determines:
 *
 *   0-63 same | 64-127 same locals, one on the stack | 247 the same, far
 *   248-250 chop 1-3 locals | 251 same, far | 252-254 append 1-3 | 255 full
 *
 * Offsets are relative: offset = last + delta + 1; for the first frame, delta alone. javap -v shows
 *
 *   StackMapTable: number_of_entries = 2
 *     frame_type = 252 (append)  offset_delta = 4  locals = [ int ]
 *     frame_type = 250 (chop)    offset_delta = 18
 *
 * The new local is at slot max_locals, after all others, so that no frame of the method can chop it off or overlay
 * it. A `same` frame stays valid if both frames have the new local. The other forms change locals before it and
 * become full frames, with Top for the slots in between. The initial frame lacks the new local. So the first frame
 * is also written as full, or as an append if at most two slots lie between.
 */
#include "format/classfile/class_frames.h"

#include "format/classfile/class_op.h"

void frames_begin(struct frame_reader *r, struct cursor table, const struct frame *initial, uint32_t max_locals,
		  uint32_t max_stack)
{
	r->in = table;
	r->left = table.data ? cursor_be16(&r->in) : 0;
	r->local_limit = max_locals;
	r->stack_limit = max_stack;
	r->begun = false;
	r->frame.at = 0;
	r->frame.local_count = initial->local_count;
	r->frame.local_slots = initial->local_slots;
	r->frame.this_count = initial->this_count;
	r->frame.stack_count = 0;
	r->frame.same_locals = true;
	memcpy(r->frame.locals, initial->locals, initial->local_count * sizeof(struct vtype));
}

static bool read_vtype(struct frame_reader *r, struct vtype *v, uint32_t *slots)
{
	v->tag = cursor_u8(&r->in);
	v->data = 0;
	if (v->tag == VTYPE_OBJECT || v->tag == VTYPE_UNINIT)
		v->data = cursor_be16(&r->in);
	else if (v->tag > VTYPE_UNINIT_THIS)
		return false;
	*slots += v->tag == VTYPE_LONG || v->tag == VTYPE_DOUBLE ? 2 : 1;
	return cursor_ok(&r->in);
}

static bool read_stack(struct frame_reader *r, uint32_t count)
{
	struct frame *f = &r->frame;
	uint32_t slots = 0;

	if (count > r->capacity)
		return false;
	for (f->stack_count = 0; f->stack_count < count; f->stack_count++)
		if (!read_vtype(r, &f->stack[f->stack_count], &slots))
			return false;
	return slots <= r->stack_limit;
}

static bool append_locals(struct frame_reader *r, uint32_t count)
{
	struct frame *f = &r->frame;

	f->same_locals = false;
	if (count > r->capacity - f->local_count)
		return false;
	while (count--) {
		struct vtype *v = &f->locals[f->local_count];

		if (!read_vtype(r, v, &f->local_slots))
			return false;
		f->this_count += v->tag == VTYPE_UNINIT_THIS;
		f->local_count++;
	}
	return f->local_slots <= r->local_limit;
}

static bool chop_locals(struct frame_reader *r, uint32_t count)
{
	struct frame *f = &r->frame;

	f->same_locals = false;
	while (count--) {
		uint16_t tag;

		if (!f->local_count)
			return false;
		tag = f->locals[--f->local_count].tag;
		f->local_slots -= 1u + (tag == VTYPE_LONG || tag == VTYPE_DOUBLE);
		f->this_count -= tag == VTYPE_UNINIT_THIS;
	}
	return true;
}

static bool read_full(struct frame_reader *r)
{
	r->frame.local_count = 0;
	r->frame.local_slots = 0;
	r->frame.this_count = 0;
	return append_locals(r, cursor_be16(&r->in)) && read_stack(r, cursor_be16(&r->in));
}

static bool read_body(struct frame_reader *r, uint8_t type)
{
	if (type < 64 || type == 251)
		return true;
	if (type < 128 || type == 247)
		return read_stack(r, 1);
	if (type >= 248 && type <= 250)
		return chop_locals(r, 251u - type);
	if (type >= 252 && type <= 254)
		return append_locals(r, type - 251u);
	return type == 255 && read_full(r);
}

int frames_next(struct frame_reader *r)
{
	uint32_t delta;
	uint8_t type;

	if (!r->left)
		return !cursor_ok(&r->in) || r->in.at != r->in.size ? -1 : 0;
	r->left--;
	type = cursor_u8(&r->in);
	delta = type < 128 ? type & 63 : cursor_be16(&r->in);
	r->frame.at += delta + r->begun;
	r->frame.stack_count = 0;
	r->frame.same_locals = true;
	r->begun = true;
	return read_body(r, type) && cursor_ok(&r->in) ? 1 : -1;
}

static struct vtype vtype_of(struct slice type)
{
	switch (type.at[0]) {
	case 'J': return (struct vtype){.tag = VTYPE_LONG};
	case 'D': return (struct vtype){.tag = VTYPE_DOUBLE};
	case 'F': return (struct vtype){.tag = VTYPE_FLOAT};
	case 'L':
	case '[': return (struct vtype){.tag = VTYPE_OBJECT};
	default: return (struct vtype){.tag = VTYPE_INTEGER};
	}
}

bool frame_initial(struct frame *f, const struct class_file *c, const struct class_method *m, uint32_t max_locals)
{
	struct slice left = m->descriptor, type;
	bool uninit = slice_is(m->name, "<init>") && c->super.length;

	*f = (struct frame){.locals = f->locals, .stack = f->stack, .same_locals = true};
	if (!(m->access & 0x0008)) { /* ACC_STATIC */
		f->locals[f->local_count++] = (struct vtype){.tag = uninit ? VTYPE_UNINIT_THIS : VTYPE_OBJECT};
		f->local_slots++;
		f->this_count = uninit;
	}
	if (!left.length || left.at[0] != '(')
		return false;
	left.at++;
	left.length--;
	while (left.length && left.at[0] != ')') {
		/* JVMS 4.3.3: at most 255 slots of parameters */
		if (f->local_slots >= 255 || !class_descriptor_next(&left, &type))
			return false;
		f->locals[f->local_count] = vtype_of(type);
		f->local_slots += 1u + (type.at[0] == 'J' || type.at[0] == 'D');
		f->local_count++;
	}
	return left.length && f->local_slots <= max_locals;
}

static void put_vtype(struct frame_writer *w, struct vtype v)
{
	output_u1(w->out, v.tag);
	if (v.tag == VTYPE_OBJECT)
		output_u2(w->out, v.data);
	else if (v.tag == VTYPE_UNINIT && v.data < w->code_length && w->code[v.data] == OP_NEW)
		output_u2(w->out, w->moved[v.data]);
	else if (v.tag == VTYPE_UNINIT)
		w->bad = true;
}

static void put_new_locals(struct frame_writer *w, uint32_t tops)
{
	while (tops--)
		output_u1(w->out, VTYPE_TOP);
	output_u1(w->out, VTYPE_LONG);
	for (uint32_t i = 0; i < w->extras; i++)
		put_vtype(w, w->extra[i]);
}

static void put_full(struct frame_writer *w, const struct frame *f, uint32_t delta)
{
	uint32_t tops = w->max_locals - f->local_slots;
	uint32_t i;

	output_u1(w->out, 255);
	output_u2(w->out, delta);
	output_u2(w->out, f->local_count + tops + 1 + w->extras);
	for (i = 0; i < f->local_count && !w->out->full; i++)
		put_vtype(w, f->locals[i]);
	if (w->out->full || w->out->end - w->out->at < tops)
		w->out->full = true;
	else
		put_new_locals(w, tops);
	output_u2(w->out, f->stack_count);
	for (i = 0; i < f->stack_count; i++)
		put_vtype(w, f->stack[i]);
}

/* Write a form that does not mention the locals. */
static void put_same(struct frame_writer *w, const struct frame *f, uint32_t delta)
{
	uint32_t base = f->stack_count ? 64 : 0;

	if (delta < 64) {
		output_u1(w->out, base + delta);
	} else {
		output_u1(w->out, f->stack_count ? 247 : 251);
		output_u2(w->out, delta);
	}
	if (f->stack_count)
		put_vtype(w, f->stack[0]);
}

void frame_put(struct frame_writer *w, const struct frame *f, uint32_t at)
{
	uint32_t delta = w->count ? at - w->last - 1 : at;
	uint32_t tops = w->max_locals - f->local_slots;

	if (!w->count && !w->stale && f->same_locals && !f->stack_count && !w->extras && tops <= 2) {
		output_u1(w->out, 252 + tops);
		output_u2(w->out, delta);
		put_new_locals(w, tops);
	} else if (w->count && !w->stale && f->same_locals && f->stack_count <= 1) {
		put_same(w, f, delta);
	} else {
		put_full(w, f, delta);
	}
	w->count++;
	w->last = at;
}
