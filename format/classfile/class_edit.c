// SPDX-License-Identifier: BSD-2-Clause
/*
 * Assembling the new class file from
 *
 *   everything before the end of the pool | new constants | the rest, in which
 *   each edited method_info has a new Code attribute
 *
 * Appended constants do not renumber existing ones, so nothing else in the class changes. The number of constants
 * is known only at the end. So the rest is written after a gap that is large enough for all possible constants,
 * and then moved.
 */
#include "format/classfile/class_edit_internal.h"

enum { OUTPUT_EXTRA = 256 * 1024 };

/*
 * Size limit of the new class file. Code grows a little; frames may grow a lot (a `same` frame of one byte may
 * become a full frame with 300 locals). A method that would exceed the limit is too large.
 */
static size_t output_limit(size_t size)
{
	return size * 40 + OUTPUT_EXTRA;
}

size_t class_edit_memory(size_t size)
{
	size_t parse = size * (sizeof(uint32_t) + sizeof(struct class_method) / 8) + 64;
	size_t edits = size / 8 + 1; /* a method_info has at least 8 bytes */

	return parse + pool_memory(size, (uint32_t)edits) + code_scratch(size) + output_limit(size) + 1024;
}

static void make_three(struct class_pool *p, const struct class_hooks *h, enum edit_form form, struct hook_constants *k)
{
	static const char *const enter[] = {[EDIT_NUMBER] = "(I)J",
					    [EDIT_TELLS] = "(Ljava/lang/Object;I)V",
					    [EDIT_ENCLOSES] = "(Ljava/lang/Object;I)J",
					    [EDIT_HANDS] = "(I)J",
					    [EDIT_COUNTS] = "(II)J"};

	k->enter = pool_methodref(p, h->owner, h->enter, enter[form]);
	if (form == EDIT_TELLS)
		return;
	k->leave = pool_methodref(p, h->owner, h->leave, form == EDIT_HANDS ? "(Ljava/lang/Object;I)V" : "(JI)V");
	k->thrown = pool_methodref(p, h->owner, h->thrown, "(JI)V");
}

static bool make_hooks(struct class_pool *p, const struct class_hooks *h, struct hook_constants *k)
{
	make_three(p, h, EDIT_NUMBER, k);
	k->throwable = pool_class(p, slice_of("java/lang/Throwable"));
	k->stack_map = pool_utf8(p, slice_of("StackMapTable"));
	return !p->full;
}

/* A scratch arena for the largest method, reused for each one. */
static bool make_scratch(const struct class_file *c, const struct method_edit *edits, uint32_t count, struct arena *a,
			 struct arena *scratch)
{
	uint32_t largest = 0;
	uint32_t i;

	for (i = 0; i < count; i++)
		if (edits[i].method < c->methods && c->method[edits[i].method].size > largest)
			largest = c->method[edits[i].method].size;
	scratch->left = code_scratch(largest);
	if (a->left < scratch->left)
		return false;
	scratch->at = a->at;
	a->at += scratch->left;
	a->left -= scratch->left;
	return true;
}

struct class_edit {
	const struct class_file *c;
	const struct class_hooks *hooks;
	struct class_pool pool;
	struct hook_constants hook;
	uint16_t left, threw;
	struct arena scratch;
	struct output out;
	uint32_t limit; /* of the whole output */
	bool edited;
};

/* The methods that take the values of a method with captures. */
static void make_puts(struct class_edit *e, const struct capture *capture, uint32_t captures, struct hook_constants *k)
{
	static const char *const names[] = {"i", "j", "f", "d", "l"};
	static const char *const types[] = {"(III)V", "(JII)V", "(FII)V", "(DII)V", "(Ljava/lang/Object;II)V"};

	if (!e->hook.put[0]) {
		for (uint32_t i = 0; i < 5; i++)
			e->hook.put[i] = pool_methodref(&e->pool, e->hooks->owner, names[i], types[i]);
		e->hook.object = pool_class(&e->pool, slice_of("java/lang/Object"));
		e->left = pool_methodref(&e->pool, e->hooks->owner, e->hooks->left, "(JI)I");
		e->threw = pool_methodref(&e->pool, e->hooks->owner, e->hooks->threw, "(JI)I");
	}
	for (uint32_t i = 0; i < captures && !e->hook.begun; i++)
		if (capture[i].begins)
			e->hook.begun = pool_methodref(&e->pool, e->hooks->owner, "b",
						       "(Ljava/lang/Object;I)Ljava/lang/Object;");
	memcpy(k->put, e->hook.put, sizeof(k->put));
	k->begun = e->hook.begun;
	k->object = e->hook.object;
	if (captures_ask(capture, captures, false))
		k->leave = e->left;
	if (captures_ask(capture, captures, true))
		k->thrown = e->threw;
}

/* A static method (ACC_STATIC) has no `this`, and a constructor must not use it. */
static bool make_call(struct class_edit *e, const struct class_method *m, const char *call, struct hook_constants *k)
{
	if (!call)
		return true;
	if (m->access & 0x0008 || slice_begins(m->name, "<"))
		return false;
	k->thread_id = pool_methodref(&e->pool, "java/lang/Thread", "threadId", "()J");
	k->call = pool_methodref(&e->pool, e->hooks->owner, call, "(J)V");
	return true;
}

/* Does the method return an object? */
static bool returns_object(struct slice descriptor)
{
	size_t at = descriptor.length;

	while (at && descriptor.at[at - 1] != ')')
		at--;
	return at && at < descriptor.length && (descriptor.at[at] == 'L' || descriptor.at[at] == '[');
}

/* Is the local 0 an object: `this`, or the first parameter of a static method? */
static bool begins_with_object(const struct class_method *m)
{
	if (slice_begins(m->name, "<"))
		return false;
	return !(m->access & 0x0008) || slice_begins(m->descriptor, "(L") || slice_begins(m->descriptor, "([");
}

/*
 * Is there an object? Before its super() call a constructor has no `this`. Which parameter is in a local the caller knows: one
 * that is no object the verifier refuses.
 */
static bool form_fits(const struct class_method *m, const struct method_edit *edit)
{
	switch (edit->form) {
	case EDIT_NUMBER: return true;
	case EDIT_HANDS: return returns_object(m->descriptor);
	case EDIT_COUNTS: return edit->object == !(m->access & 0x0008) && slice_begins(m->descriptor, "(I");
	default: return edit->object || begins_with_object(m);
	}
}

static enum edit_result edit_method(struct class_edit *e, const struct class_method *m, const struct method_edit *edit)
{
	const struct class_file *c = e->c;
	struct code_job job = {.c = c,
			       .m = m,
			       .pool = &e->pool,
			       .hook = e->hook,
			       .id = edit->id,
			       .capture = edit->capture,
			       .captures = edit->captures,
			       .form = edit->form,
			       .object = edit->object};
	uint32_t code_end = m->code_offset + 6 + get_u4(c->bytes + m->code_offset + 2);
	enum edit_result result;

	if (!form_fits(m, edit))
		return EDIT_SHAPE;
	if (edit->hooks)
		make_three(&e->pool, edit->hooks, edit->form, &job.hook);
	if (edit->captures)
		make_puts(e, edit->capture, edit->captures, &job.hook);
	if (!make_call(e, m, edit->call, &job.hook))
		return EDIT_SHAPE;
	output_copy(&e->out, c->bytes + m->offset, m->code_offset - m->offset);
	result = code_edit(&job, e->scratch, &e->out);
	output_copy(&e->out, c->bytes + code_end, m->offset + m->size - code_end);
	return !result && e->out.full ? EDIT_TOO_LARGE : result;
}

/* Write one method, edited if possible. There is always enough space for what follows. */
static void write_method(struct class_edit *e, const struct class_method *m, struct method_edit *edit)
{
	uint32_t at = e->out.at;

	if (edit && !m->code_offset)
		edit->result = EDIT_NO_CODE;
	if (edit && m->code_offset) {
		e->out.end = e->limit - (uint32_t)(e->c->size - m->offset - m->size);
		edit->result = edit_method(e, m, edit);
		e->out.end = e->limit;
		e->out.full = false;
		if (!edit->result) {
			e->edited = true;
			return;
		}
		e->out.at = at;
	}
	output_copy(&e->out, e->c->bytes + m->offset, m->size);
}

static void write_methods(struct class_edit *e, struct method_edit *edits, uint32_t count)
{
	const struct class_file *c = e->c;
	uint32_t next = 0;
	uint32_t i;

	for (i = 0; i < c->methods; i++) {
		struct method_edit *edit = NULL;

		if (next < count && edits[next].method == i)
			edit = &edits[next++];
		write_method(e, &c->method[i], edit);
		while (next < count && edits[next].method <= i)
			next++; /* a duplicate or out of order: stays EDIT_MALFORMED */
	}
}

/* Close the gap after the old constants. */
static void join_pool(struct class_edit *e)
{
	uint32_t pool_end = e->c->pool_end, gap = e->pool.added.end, used = e->pool.added.at;
	uint8_t *b = e->out.bytes;

	memcpy(b + pool_end, e->pool.added.bytes, used);
	memmove(b + pool_end + used, b + pool_end + gap, e->out.at - pool_end - gap);
	e->out.at -= gap - used;
	put_u2(b + 8, e->pool.count);
}

static enum class_status edit_write_class(struct class_edit *e, struct method_edit *edits, uint32_t count)
{
	const struct class_file *c = e->c;
	uint32_t methods = c->methods_offset + 2;

	output_copy(&e->out, c->bytes, c->pool_end);
	output_reserve(&e->out, e->pool.added.end);
	output_copy(&e->out, c->bytes + c->pool_end, methods - c->pool_end);
	write_methods(e, edits, count);
	output_copy(&e->out, c->bytes + c->attributes_offset, (uint32_t)c->size - c->attributes_offset);
	if (e->pool.full)
		return CLASS_MALFORMED;
	if (e->edited)
		join_pool(e);
	return CLASS_OK;
}

enum class_status class_edit(const struct class_file *c, const struct class_hooks *hooks, struct method_edit *edits,
			     uint32_t count, struct arena *a, const uint8_t **out, size_t *out_size)
{
	struct class_edit e = {.c = c, .hooks = hooks};
	size_t limit = output_limit(c->size);
	enum class_status status;
	uint32_t i;

	*out = c->bytes;
	*out_size = c->size;
	for (i = 0; i < count; i++)
		edits[i].result = EDIT_MALFORMED;
	if (!pool_init(&e.pool, c, count, a) || !make_scratch(c, edits, count, a, &e.scratch) || a->left < limit)
		return CLASS_NO_MEMORY;
	if (limit > UINT32_MAX || !make_hooks(&e.pool, hooks, &e.hook))
		return CLASS_MALFORMED;
	e.limit = (uint32_t)limit;
	e.out = (struct output){.bytes = a->at, .end = e.limit};
	status = edit_write_class(&e, edits, count);
	if (status || !e.edited)
		return status;
	a->at += e.out.at;
	a->left -= e.out.at;
	*out = e.out.bytes;
	*out_size = e.out.at;
	return CLASS_OK;
}
