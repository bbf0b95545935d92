// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writing the tables of a Code attribute that contain offsets.
 *
 * Exception table. The new entries come last, so that the method's own handlers take precedence. They cover the
 * body except `leave` and the return after it, because an activation that has begun to leave must not be counted
 * as thrown, too. The method's own ranges keep all that they covered, including the return instructions (a return
 * with unbalanced monitors throws IllegalMonitorStateException, which a handler may catch). Only the inserted
 * `leave` is cut out of them; `enter` was never inside. These two calls can only throw a StackOverflowError. It
 * propagates as if the caller had met it at the call or directly after it, and no handler of the method sees it:
 * none runs before `enter` has completed, and none runs, or unlocks a second time, after everything that the
 * method itself does before its return.
 *
 * Line numbers. An entry for offset 0 stays there: `enter` has the line of the first instruction, `leave` that of
 * its return.
 *
 * Unknown attributes of Code are dropped. They may contain offsets (CharacterRangeTable does), and no table is
 * better than a wrong one. The JVM itself ignores them.
 */
#include "format/classfile/class_edit_internal.h"
#include "format/classfile/class_op.h"

static void put_range(struct output *out, uint32_t *count, uint32_t from, uint32_t to, uint32_t handler, uint32_t type)
{
	if (from >= to)
		return;
	output_u2(out, from);
	output_u2(out, to);
	output_u2(out, handler);
	output_u2(out, type);
	++*count;
}

/* Index of the first return at or after `at`. */
static uint32_t first_return(const struct code *k, uint32_t at)
{
	uint32_t low = 0, high = k->return_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (k->returns[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Write one of the method's own entries, split at each inserted `leave`. */
static void put_own_range(const struct code *k, struct output *out, uint32_t *count, const uint8_t *entry)
{
	uint32_t end = get_u2(entry + 2), handler = k->moved[get_u2(entry + 4)], type = get_u2(entry + 6);
	uint32_t from = k->moved[get_u2(entry)];
	uint32_t i;

	for (i = first_return(k, get_u2(entry)); i < k->return_count && k->returns[i] < end && !out->full; i++) {
		put_range(out, count, from, k->moved[k->returns[i]], handler, type);
		from = k->moved[k->returns[i]] + k->leave.size;
	}
	put_range(out, count, from, k->moved[end], handler, type);
}

/* The number of the inserted handler that covers the instruction; 0: none. */
static uint32_t handler_of(const struct code *k, const struct op *o)
{
	if (op_is_return(o) || (k->mark[o->at] & MARK_INIT) || !k->thrown.size)
		return 0;
	return k->mark[o->at] & MARK_EARLY ? k->early_handler : k->late_handler;
}

static void put_our_ranges(const struct code *k, struct output *out, uint32_t *count)
{
	uint32_t handler = 0, from = 0, at, next;
	struct op o;

	for (at = 0; at < k->length; at += o.length) {
		op_read(&o, k->bytes, k->length, at);
		next = handler_of(k, &o);
		if (next == handler)
			continue;
		if (handler)
			put_range(out, count, from, k->moved[at], handler, 0);
		handler = next;
		from = k->moved[at];
	}
	if (handler)
		put_range(out, count, from, k->body_end, handler, 0);
}

enum edit_result code_write_exceptions(struct code *k, struct output *out)
{
	uint8_t *number = output_reserve(out, 2);
	uint32_t count = 0;
	uint32_t i;

	for (i = 0; i < k->exception_count && !out->full && count <= 65535; i++) {
		k->first_entry[i] = (uint16_t)count;
		put_own_range(k, out, &count, k->exceptions.data + k->exceptions.at + i * 8);
	}
	put_our_ranges(k, out, &count);
	if (out->full || !number || count > 65535)
		return EDIT_TOO_LARGE;
	put_u2(number, count);
	return EDIT_DONE;
}

/* Name the classes of the parameters, which a full frame requires. */
static bool name_initial_locals(struct code *k)
{
	struct slice left = k->m->descriptor, type;
	struct frame *f = &k->initial;
	uint32_t i = 0;

	if (!(k->m->access & 0x0008) && f->locals[i++].tag == VTYPE_OBJECT)
		f->locals[0].data = get_u2(k->c->bytes + k->c->pool_end + 2);
	left.at++;
	left.length--;
	for (; i < f->local_count && class_descriptor_next(&left, &type); i++) {
		if (f->locals[i].tag != VTYPE_OBJECT)
			continue;
		if (type.at[0] == 'L') /* a class is named without L and ;, an array unchanged */
			type = (struct slice){type.at + 1, type.length - 2};
		f->locals[i].data = pool_class(k->pool, type);
		if (!f->locals[i].data)
			return false;
	}
	return true;
}

static void frames_restart(struct code *k)
{
	frames_begin(&k->reader, k->frames, &k->initial, k->max_locals, k->max_stack);
}

/*
 * Write the frames of the goto_w to far targets; each equals its target's frame. Returns their number, or -1 for a
 * malformed table.
 */
static int32_t put_goto_frames(struct code *k, struct frame_writer *w, const uint32_t *place, uint8_t mark)
{
	int32_t n = 0;
	int more;

	frames_restart(k);
	w->stale = true;
	while ((more = frames_next(&k->reader)) > 0 && !w->out->full) {
		const struct frame *f = &k->reader.frame;

		if (f->at >= k->length || !(k->mark[f->at] & mark))
			continue;
		frame_put(w, f, place[f->at]);
		n++;
	}
	return more < 0 ? -1 : n;
}

static bool put_head_frames(struct code *k, struct frame_writer *w)
{
	if (put_goto_frames(k, w, k->head, MARK_HEAD) != (int32_t)k->heads)
		return false;
	/* the body begins after the gotos, with a frame of its own or with this one */
	frames_restart(k);
	if (frames_next(&k->reader) > 0 && k->reader.frame.at == 0)
		return true;
	frame_put(w, &k->initial, k->moved[0]);
	w->stale = false;
	return true;
}

static bool put_body_frames(struct code *k, struct frame_writer *w)
{
	int more;

	frames_restart(k);
	while ((more = frames_next(&k->reader)) > 0 && !w->out->full) {
		const struct frame *f = &k->reader.frame;

		if (f->at >= k->length || !(k->mark[f->at] & MARK_START))
			return false;
		frame_put(w, f, k->moved[f->at]);
		w->stale = false;
	}
	return more >= 0;
}

static void put_handler_frame(struct code *k, struct frame_writer *w, bool early)
{
	struct vtype self = {.tag = VTYPE_UNINIT_THIS};
	struct vtype thrown = {.tag = VTYPE_OBJECT, .data = k->hook.throwable};
	struct frame f = {
		.locals = &self, .local_count = early, .local_slots = early, .stack = &thrown, .stack_count = 1};

	frame_put(w, &f, early ? k->early_handler : k->late_handler);
}

/* Write the StackMapTable and count it, unless it would be empty. */
static enum edit_result tables_put_frames(struct code *k, struct output *out, uint32_t *count)
{
	struct frame_writer w = {.out = out,
				 .code = k->bytes,
				 .code_length = k->length,
				 .moved = k->moved,
				 .max_locals = k->max_locals,
				 .extra = k->extra,
				 .extras = k->extras};
	uint8_t *header = output_reserve(out, 8);
	bool whole = true;

	if (k->frames.data && !name_initial_locals(k))
		return EDIT_TOO_LARGE; /* the pool is full, so the whole class is abandoned */
	if (k->heads)
		whole = put_head_frames(k, &w);
	whole = whole && put_body_frames(k, &w);
	if (whole && k->tails)
		whole = put_goto_frames(k, &w, k->tail, MARK_TAIL) == (int32_t)k->tails;
	if (out->full || !header || w.count > 65533)
		return EDIT_TOO_LARGE;
	if (!whole || w.bad)
		return EDIT_MALFORMED;
	if (k->has_early)
		put_handler_frame(k, &w, true);
	if (k->has_late)
		put_handler_frame(k, &w, false);
	if (out->full)
		return EDIT_TOO_LARGE;
	if (!w.count) { /* only returns: nothing to cover */
		out->at -= 8;
		return EDIT_DONE;
	}
	++*count;
	put_u2(header, k->hook.stack_map);
	put_u4(header + 2, (uint32_t)(out->bytes + out->at - header) - 6);
	put_u2(header + 6, w.count);
	return EDIT_DONE;
}

/* New offset of a range that began at `at`. A range that began with the method still does. */
static uint32_t moved_start(const struct code *k, uint32_t at)
{
	return at ? k->moved[at] : 0;
}

/* Relocate {start_pc, length}. */
static bool move_range(const struct code *k, const uint8_t *old, uint8_t *new)
{
	uint32_t at = get_u2(old), end = at + get_u2(old + 2);

	if (at > k->length || end > k->length)
		return false;
	put_u2(new, moved_start(k, at));
	put_u2(new + 2, k->moved[end] - moved_start(k, at));
	return true;
}

static bool move_offset(const struct code *k, const uint8_t *old, uint8_t *new)
{
	uint32_t at = get_u2(old);

	if (at >= k->length)
		return false;
	put_u2(new, moved_start(k, at));
	return true;
}

/* LineNumberTable (entries of 4 bytes, each with an offset), LocalVariable(Type)Table (of 10, each with a range). */
static bool move_entries(const struct code *k, struct cursor in, uint8_t *new, uint32_t entry)
{
	uint32_t begin = in.at, n = cursor_be16(&in);
	bool good = true;

	while (n-- && good) {
		const uint8_t *old = in.data + in.at;

		if (!cursor_has(&in, entry))
			return false;
		if (entry == 4)
			good = move_offset(k, old, new + (in.at - begin));
		else
			good = move_range(k, old, new + (in.at - begin));
		cursor_take(&in, entry);
	}
	return good && in.at == in.size;
}

/* Relocate target_info of a localvar_target: a table of ranges. */
static bool move_variable_target(const struct code *k, struct cursor *in, uint8_t *new, uint32_t begin)
{
	uint32_t n = cursor_be16(in);

	while (n--) {
		if (!cursor_has(in, 6) || !move_range(k, in->data + in->at, new + (in->at - begin)))
			return false;
		cursor_take(in, 6);
	}
	return true;
}

static bool move_catch_target(const struct code *k, struct cursor *in, uint8_t *new, uint32_t begin)
{
	uint32_t index = cursor_be16(in);

	if (!cursor_ok(in) || index >= k->exception_count)
		return false;
	put_u2(new + (in->at - 2 - begin), k->first_entry[index]);
	return true;
}

static bool move_offset_target(const struct code *k, struct cursor *in, uint8_t *new, uint32_t begin)
{
	cursor_take(in, 2);
	return cursor_ok(in) && move_offset(k, in->data + in->at - 2, new + (in->at - 2 - begin));
}

/* Relocate target_type and target_info (JVMS 4.7.20.1), in all forms allowed in Code. */
static bool move_target(const struct code *k, struct cursor *in, uint8_t *new, uint32_t begin)
{
	uint8_t type = cursor_u8(in);

	if (type == 0x40 || type == 0x41)
		return move_variable_target(k, in, new, begin);
	if (type == 0x42)
		return move_catch_target(k, in, new, begin);
	if (type < 0x43 || type > 0x4b || !move_offset_target(k, in, new, begin))
		return false;
	if (type >= 0x47)
		cursor_take(in, 1); /* type_argument_index */
	return true;
}

static bool move_type_annotations(const struct code *k, struct cursor in, uint8_t *new)
{
	uint32_t begin = in.at, n = cursor_be16(&in);

	while (n--) {
		if (!move_target(k, &in, new, begin))
			return false;
		cursor_take(&in, cursor_u8(&in) * 2u); /* type_path */
		cursor_take(&in, 2);		       /* type_index */
		class_skip_annotation(&in);
		if (!cursor_ok(&in))
			return false;
	}
	return in.at == in.size;
}

enum attribute_kind { UNKNOWN, FRAMES, LINES, VARIABLES, TYPE_ANNOTATIONS };

static enum attribute_kind attribute_kind(struct slice name)
{
	if (slice_is(name, "StackMapTable"))
		return FRAMES;
	if (slice_is(name, "LineNumberTable"))
		return LINES;
	if (slice_is(name, "LocalVariableTable") || slice_is(name, "LocalVariableTypeTable"))
		return VARIABLES;
	if (slice_is(name, "RuntimeVisibleTypeAnnotations") || slice_is(name, "RuntimeInvisibleTypeAnnotations"))
		return TYPE_ANNOTATIONS;
	return UNKNOWN;
}

/* Copy one attribute, then change the offsets in the copy. None of these tables changes its size. */
static enum edit_result move_attribute(const struct code *k, struct output *out, struct cursor in,
				       enum attribute_kind kind)
{
	uint32_t size = in.size - in.at;
	uint8_t *copy = output_reserve(out, size);
	struct cursor content = cursor_at(in.data, in.at + 6, in.size);
	bool good;

	if (!copy)
		return EDIT_TOO_LARGE;
	memcpy(copy, in.data + in.at, size);
	if (kind == TYPE_ANNOTATIONS)
		good = move_type_annotations(k, content, copy + 6);
	else
		good = move_entries(k, content, copy + 6, kind == LINES ? 4 : 10);
	return good ? EDIT_DONE : EDIT_MALFORMED;
}

enum edit_result code_write_attributes(struct code *k, struct output *out)
{
	uint8_t *number = output_reserve(out, 2);
	struct cursor in = k->attributes;
	enum edit_result result = EDIT_DONE;
	uint32_t count = 0;
	uint32_t i;

	if (k->framed)
		result = tables_put_frames(k, out, &count);
	for (i = 0; i < k->attribute_count && !result; i++) {
		uint32_t at = in.at;
		enum attribute_kind kind;
		struct slice name;

		if (!class_utf8(k->c, cursor_be16(&in), &name))
			return EDIT_MALFORMED;
		cursor_take(&in, cursor_be32(&in));
		kind = attribute_kind(name);
		if (!cursor_ok(&in) || kind == UNKNOWN || kind == FRAMES)
			continue;
		result = move_attribute(k, out, cursor_at(in.data, at, in.at), kind);
		count++;
	}
	if (!result && number)
		put_u2(number, count);
	return cursor_ok(&in) ? result : EDIT_MALFORMED;
}
