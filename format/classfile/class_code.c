// SPDX-License-Identifier: BSD-2-Clause
/*
 * Editing a Code attribute (JVMS 4.7.3): it is parsed, checked and written anew.
 *
 *   name length | max_stack max_locals | code_length code
 *   | exception_table | attributes: StackMapTable, LineNumberTable, ...
 *
 * The steps: code_open() finds the parts, code_scan() the instructions and their targets, code_mark_early() the
 * two halves of a constructor, code_layout() the new offsets; then everything is written. The first two steps
 * check all offsets that the later ones use.
 *
 * Frames. Since class file version 51 the JVM requires a StackMapTable. For version 50 it uses an existing one and
 * otherwise falls back to type inference. So frames are written if the method has some, or needs none because
 * nothing branches. Up to version 49, and for a method of version 50 without the table, the old verifier infers
 * the types of the inserted code. It merges the types that meet at a handler, so one handler covers a whole
 * constructor there.
 */
#include "format/classfile/class_edit_internal.h"
#include "format/classfile/class_op.h"

static enum edit_result open_attributes(struct code *k)
{
	struct cursor in = k->attributes;
	uint32_t i;

	for (i = 0; i < k->attribute_count; i++) {
		struct slice name;
		uint32_t length;

		if (!class_utf8(k->c, cursor_be16(&in), &name))
			return EDIT_MALFORMED;
		length = cursor_be32(&in);
		if (!cursor_has(&in, length))
			return EDIT_MALFORMED;
		if (slice_is(name, "StackMapTable")) {
			if (k->frames.data)
				return EDIT_MALFORMED;
			k->frames = cursor_at(in.data, in.at, in.at + length);
		}
		cursor_take(&in, length);
	}
	return in.at == in.size ? EDIT_DONE : EDIT_MALFORMED;
}

static enum edit_result code_open(struct code *k)
{
	struct cursor in = cursor_at(k->c->bytes, k->m->code_offset + 2, k->m->offset + k->m->size);
	uint32_t length = cursor_be32(&in);

	if (!cursor_has(&in, length))
		return EDIT_MALFORMED;
	in.size = in.at + length;
	k->max_stack = cursor_be16(&in);
	k->max_locals = cursor_be16(&in);
	k->length = cursor_be32(&in);
	k->bytes = in.data + in.at;
	cursor_take(&in, k->length);
	k->exception_count = cursor_be16(&in);
	k->exceptions = in;
	cursor_take(&in, k->exception_count * 8);
	k->attribute_count = cursor_be16(&in);
	k->attributes = in;
	if (!cursor_ok(&in) || !k->length || k->length > 65535)
		return EDIT_MALFORMED;
	return open_attributes(k);
}

static bool is_start(const struct code *k, uint32_t at)
{
	return at < k->length && (k->mark[at] & MARK_START);
}

/* Mark the start of each instruction and record the returns. */
static enum edit_result scan_starts(struct code *k)
{
	bool subroutine = false;
	struct op o = {.op = OP_GOTO};
	uint32_t at;

	for (at = 0; at < k->length; at += o.length) {
		if (!op_read(&o, k->bytes, k->length, at))
			return EDIT_MALFORMED;
		k->mark[at] = MARK_START;
		subroutine |= op_is_subroutine(&o);
		if (op_is_return(&o))
			k->returns[k->return_count++] = at;
	}
	if (subroutine)
		return EDIT_JSR;
	/* the inserted code follows the last instruction, which must not fall through into it */
	return op_falls_through(&o) ? EDIT_MALFORMED : EDIT_DONE;
}

static enum edit_result scan_targets(struct code *k)
{
	uint32_t at, n, i;
	struct op o;

	for (at = 0; at < k->length; at += o.length) {
		op_read(&o, k->bytes, k->length, at);
		n = op_targets(&o);
		for (i = 0; i < n; i++)
			if (!is_start(k, at + (uint32_t)op_distance(&o, i)))
				return EDIT_MALFORMED;
		k->branches |= n > 0;
	}
	return EDIT_DONE;
}

static enum edit_result scan_exceptions(struct code *k)
{
	const uint8_t *entry = k->exceptions.data + k->exceptions.at;
	uint32_t i;

	for (i = 0; i < k->exception_count; i++, entry += 8) {
		uint32_t start = get_u2(entry), end = get_u2(entry + 2);

		if (start >= end || !is_start(k, start) || !is_start(k, get_u2(entry + 4)))
			return EDIT_MALFORMED;
		if (end != k->length && !is_start(k, end))
			return EDIT_MALFORMED;
		k->branches = true;
	}
	return EDIT_DONE;
}

static enum edit_result code_scan(struct code *k)
{
	enum edit_result result = scan_starts(k);

	if (!result)
		result = scan_targets(k);
	if (!result)
		result = scan_exceptions(k);
	k->framed = k->c->major >= 50 && (k->frames.data || !k->branches);
	return result;
}

static enum edit_result code_allocate(struct code *k, struct arena *scratch)
{
	/* no frame has more entries than the parameters and the table can describe */
	uint32_t capacity = 256 + (k->frames.size - k->frames.at);

	k->mark = arena_alloc(scratch, k->length);
	k->moved = arena_alloc(scratch, (k->length + 1) * sizeof(*k->moved));
	k->returns = arena_alloc(scratch, k->length * sizeof(*k->returns));
	k->first_entry = arena_alloc(scratch, k->exception_count * sizeof(*k->first_entry));
	k->initial.locals = arena_alloc(scratch, 256 * sizeof(struct vtype));
	k->reader.frame.locals = arena_alloc(scratch, capacity * sizeof(struct vtype));
	k->reader.frame.stack = arena_alloc(scratch, capacity * sizeof(struct vtype));
	k->reader.capacity = capacity;
	k->extra = arena_alloc(scratch, (k->captures + 1) * sizeof(*k->extra));
	k->enter.bytes = arena_alloc(scratch, 24 + k->captures * SNIPPET_CAPTURE);
	k->leave.bytes = arena_alloc(scratch, 24 + k->captures * SNIPPET_CAPTURE);
	k->thrown.bytes = arena_alloc(scratch, 24 + k->captures * SNIPPET_CAPTURE);
	if (!k->extra || !k->enter.bytes || !k->leave.bytes || !k->thrown.bytes)
		return EDIT_TOO_LARGE;
	if (!k->mark || !k->moved || !k->returns || !k->first_entry || !k->initial.locals || !k->reader.frame.locals ||
	    !k->reader.frame.stack)
		return EDIT_TOO_LARGE; /* unreachable: code_scratch() requested enough */
	if (!frame_initial(&k->initial, k->c, k->m, k->max_locals))
		return EDIT_MALFORMED;
	return EDIT_DONE;
}

/* The order of types in the instructions for locals. */
static uint8_t capture_type(char type)
{
	switch (type) {
	case 'J': return 1;
	case 'F': return 2;
	case 'D': return 3;
	case 'L': return 4;
	default: return 0;
	}
}

static uint32_t capture_slots(char type)
{
	return type == 'J' || type == 'D' ? 2 : 1;
}

static void snip_u1(struct snippet *s, uint32_t byte)
{
	s->bytes[s->size++] = (uint8_t)byte;
}

static void snip_u2(struct snippet *s, uint32_t v)
{
	snip_u1(s, v >> 8);
	snip_u1(s, v & 255);
}

/* Append an lload or lstore of `local`. */
static void snip_local(struct snippet *s, uint8_t op, uint8_t short_op, uint32_t local)
{
	if (local < 4) {
		snip_u1(s, short_op + local);
	} else if (local < 256) {
		snip_u1(s, op);
		snip_u1(s, local);
	} else {
		snip_u1(s, OP_WIDE);
		snip_u1(s, op);
		snip_u2(s, local);
	}
}

/* Push `id`, from an Integer constant if no instruction can hold it. */
static void snip_id(struct snippet *s, uint32_t id, uint16_t constant)
{
	if (id <= 5) {
		snip_u1(s, OP_ICONST_0 + id);
	} else if (id <= 127) {
		snip_u1(s, OP_BIPUSH);
		snip_u1(s, id);
	} else if (id <= 32767) {
		snip_u1(s, OP_SIPUSH);
		snip_u2(s, id);
	} else if (constant < 256) {
		snip_u1(s, OP_LDC);
		snip_u1(s, constant);
	} else {
		snip_u1(s, OP_LDC_W);
		snip_u2(s, constant);
	}
}

static void snip_call(struct snippet *s, uint16_t method)
{
	snip_u1(s, OP_INVOKESTATIC);
	snip_u2(s, method);
}

/* Append a load or store of `local`; `op` is the instruction for ints, and its forms follow in the order of types. */
static void snip_typed(struct snippet *s, uint8_t op, char type, uint32_t local)
{
	uint8_t n = capture_type(type);

	snip_local(s, op + n, op == OP_ISTORE ? OP_ISTORE_0 + 4 * n : OP_ILOAD_0 + 4 * n, local);
}

/* Append the value of a capture. False: there is none at such an exit. */
static bool snip_value(struct snippet *s, const struct capture *c, uint32_t copy, bool thrown)
{
	switch (c->source) {
	case CAPTURE_LOCAL: snip_typed(s, OP_ILOAD, c->type, copy); break;
	case CAPTURE_THIS: snip_u1(s, thrown ? OP_ACONST_NULL : OP_ALOAD_0); break;
	case CAPTURE_RETURN:
		if (thrown)
			return false;
		snip_u1(s, c->type == 'J' || c->type == 'D' ? OP_DUP2 : OP_DUP);
		break;
	case CAPTURE_THROWN:
		if (!thrown)
			return false;
		snip_u1(s, OP_DUP);
		break;
	case CAPTURE_NOTHING: snip_u1(s, OP_ACONST_NULL); break;
	}
	return true;
}

static bool has_value(const struct capture *c, bool thrown)
{
	return c->source != (thrown ? CAPTURE_RETURN : CAPTURE_THROWN);
}

/* Does the hook of such an exit tell whether values are wanted? Values of exceptions leave the other exits as they are. */
bool captures_ask(const struct capture *capture, uint32_t captures, bool thrown)
{
	for (uint32_t i = 0; i < captures; i++)
		if (!capture[i].always && (thrown || capture[i].source != CAPTURE_THROWN))
			return true;
	return false;
}

static uint32_t last_value(const struct code *k, bool thrown)
{
	uint32_t last = k->captures;

	for (uint32_t i = 0; i < k->captures; i++)
		if (!k->capture[i].always && has_value(&k->capture[i], thrown))
			last = i;
	return last;
}

/* The slot of the set; the copies follow. */
static uint32_t set_local(const struct code *k)
{
	return k->max_locals + 2;
}

/* Keep the set, and hand over all values. */
static void snip_captures(const struct code *k, struct snippet *s, bool thrown)
{
	uint32_t copy = set_local(k) + 1, last = last_value(k, thrown);

	if (captures_ask(k->capture, k->captures, thrown))
		snip_typed(s, OP_ISTORE, 'I', set_local(k));
	for (uint32_t i = 0; i < k->captures; i++) {
		const struct capture *c = &k->capture[i];

		if (!(c->always && thrown) && snip_value(s, c, copy, thrown)) {
			if (c->always)
				snip_id(s, c->always, 0);
			else
				snip_typed(s, OP_ILOAD, 'I', set_local(k));
			snip_id(s, c->number + (i == last ? CAPTURE_LAST : 0), 0);
			snip_call(s,
				  k->hook.put[capture_type(
					  c->source == CAPTURE_LOCAL || c->source == CAPTURE_RETURN ? c->type : 'L')]);
		}
		if (c->source == CAPTURE_LOCAL)
			copy += capture_slots(c->type);
	}
}

/* At the entry. */
static void snip_copies(const struct code *k, struct snippet *s)
{
	uint32_t copy = set_local(k) + 1;

	for (uint32_t i = 0; i < k->captures; i++) {
		const struct capture *c = &k->capture[i];

		if (c->source != CAPTURE_LOCAL)
			continue;
		snip_typed(s, OP_ILOAD, c->type, c->local);
		if (c->begins) {
			snip_id(s, c->number, 0);
			snip_call(s, k->hook.begun);
		}
		snip_typed(s, OP_ISTORE, c->type, copy);
		copy += capture_slots(c->type);
	}
}

/* The types of the new locals, for frames. */
static void list_extras(struct code *k)
{
	static const uint8_t tags[] = {VTYPE_INTEGER, VTYPE_LONG, VTYPE_FLOAT, VTYPE_DOUBLE, VTYPE_OBJECT};

	if (!k->captures)
		return;
	k->extra[k->extras++] = (struct vtype){.tag = VTYPE_TOP};
	k->extra_slots = 1;
	for (uint32_t i = 0; i < k->captures; i++) {
		const struct capture *c = &k->capture[i];

		if (c->source != CAPTURE_LOCAL)
			continue;
		k->extra[k->extras++] = (struct vtype){.tag = tags[capture_type(c->type)], .data = k->hook.object};
		k->extra_slots += capture_slots(c->type);
	}
}

/* Parameters must be where the captures say: the descriptor has checked their types. */
static bool captures_fit(const struct code *k)
{
	for (uint32_t i = 0; i < k->captures; i++) {
		const struct capture *c = &k->capture[i];

		if (c->source == CAPTURE_LOCAL && c->local + capture_slots(c->type) > k->max_locals)
			return false;
	}
	return k->captures <= CAPTURES_MAX;
}

static void snip_first_call(struct snippet *s, const struct hook_constants *h)
{
	snip_u1(s, OP_ALOAD_0);
	snip_u1(s, OP_INVOKEVIRTUAL);
	snip_u2(s, h->thread_id);
	snip_call(s, h->call);
}

/* The entry has the only hook. */
static void snip_no_start(struct code *k)
{
	snip_u1(&k->enter, OP_LCONST_0);
	snip_local(&k->enter, OP_LSTORE, OP_LSTORE_0, k->max_locals);
}

static bool make_snippets(struct code *k, uint32_t id)
{
	uint16_t constant = id > 32767 ? pool_integer(k->pool, id) : 0;

	if (k->hook.call)
		snip_first_call(&k->enter, &k->hook);
	if (k->hook.call && !id) {
		snip_no_start(k);
		return true;
	}
	if (k->form == EDIT_TELLS || k->form == EDIT_ENCLOSES)
		snip_local(&k->enter, OP_ALOAD, OP_ALOAD_0, k->object);
	if (k->form == EDIT_COUNTS)
		snip_typed(&k->enter, OP_ILOAD, 'I', k->object);
	snip_id(&k->enter, id, constant);
	snip_call(&k->enter, k->hook.enter);
	if (k->form == EDIT_TELLS) {
		snip_no_start(k);
		return id <= 32767 || constant;
	}
	snip_local(&k->enter, OP_LSTORE, OP_LSTORE_0, k->max_locals);
	snip_local(&k->thrown, OP_LLOAD, OP_LLOAD_0, k->max_locals);
	snip_id(&k->thrown, id, constant);
	if (k->form == EDIT_HANDS)
		snip_u1(&k->leave, OP_DUP);
	else
		snip_local(&k->leave, OP_LLOAD, OP_LLOAD_0, k->max_locals);
	snip_id(&k->leave, id, constant);
	snip_call(&k->leave, k->hook.leave);
	snip_call(&k->thrown, k->hook.thrown);
	if (k->captures) {
		snip_copies(k, &k->enter);
		snip_captures(k, &k->leave, false);
		snip_captures(k, &k->thrown, true);
	}
	snip_u1(&k->thrown, OP_ATHROW);
	return id <= 32767 || constant;
}

static uint32_t new_max_stack(const struct code *k)
{
	/* on top of the return value, or of the exception: start and id, or a value, the set and a number */
	return (k->max_stack ? k->max_stack : 1) + (k->captures ? 4 : 3);
}

static enum edit_result code_write(struct code *k, struct output *out)
{
	uint8_t *header = output_reserve(out, 14);
	enum edit_result result = code_write_bytes(k, out);

	if (!result)
		result = code_write_exceptions(k, out);
	if (!result)
		result = code_write_attributes(k, out);
	if (out->full || !header)
		return result ? result : EDIT_TOO_LARGE;
	memcpy(header, k->c->bytes + k->m->code_offset, 2);
	put_u4(header + 2, (uint32_t)(out->bytes + out->at - header) - 6);
	put_u2(header + 6, new_max_stack(k));
	put_u2(header + 8, k->max_locals + 2 + k->extra_slots);
	put_u4(header + 10, k->new_length);
	return result;
}

enum edit_result code_edit(const struct code_job *job, struct arena scratch, struct output *out)
{
	struct code k = {.c = job->c,
			 .m = job->m,
			 .pool = job->pool,
			 .hook = job->hook,
			 .capture = job->capture,
			 .captures = job->captures,
			 .form = job->form,
			 .object = job->object};
	enum edit_result result = code_open(&k);

	if (!result)
		result = code_allocate(&k, &scratch);
	if (!result)
		result = code_scan(&k);
	if (!result && (!captures_fit(&k) || k.object >= (k.max_locals ?: 1)))
		result = EDIT_MALFORMED;
	if (!result)
		list_extras(&k);
	if (!result && (k.max_locals + 2 + k.extra_slots > 65535 || new_max_stack(&k) > 65535))
		result = EDIT_TOO_LARGE;
	if (!result && k.framed && k.initial.this_count)
		result = code_mark_early(&k);
	if (!result && !make_snippets(&k, job->id))
		result = EDIT_TOO_LARGE; /* the pool is full, so the whole class is abandoned */
	if (!result)
		result = code_layout(&k, &scratch);
	return result ? result : code_write(&k, out);
}
