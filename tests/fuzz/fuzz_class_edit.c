// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a class file: read it, edit every method, read the result. No byte outside the buffers is touched (the
 * sanitizer would see it), the announced memory is enough, the edited class is readable, and its methods can be edited
 * once more.
 */
#include "format/classfile/class_edit.h"
#include "tests/fuzz/fuzz.h"

static const struct class_hooks hooks = {"java/lang/Hook", "enter", "leave", "thrown", "left", "threw"};

struct round {
	void *memory;
	struct class_file c;
	enum class_status status;
	struct method_edit *edits;
	const uint8_t *out;
	size_t out_size;
};

static void round_release(struct round *r)
{
	free(r->edits);
	free(r->memory);
}

static void ask_annotations(const struct class_file *c)
{
	uint32_t i;

	class_has_annotation(c, "LA;");
	for (i = 0; i < c->methods; i++) {
		class_method_has_annotation(c, &c->method[i], "LA;");
		class_method_is_empty_finalizer(c, &c->method[i]);
	}
}

static void round_run(struct round *r, const uint8_t *data, size_t size, uint32_t first_id)
{
	struct arena a = {.left = class_edit_memory(size)};
	uint32_t i;

	*r = (struct round){.memory = malloc(a.left), .out = data, .out_size = size};
	a.at = r->memory;
	r->status = class_parse(&r->c, data, size, &a);
	if (r->status == CLASS_NO_MEMORY)
		abort();
	if (r->status)
		return;
	ask_annotations(&r->c);
	r->edits = calloc(r->c.methods + 1u, sizeof(*r->edits));
	for (i = 0; i < r->c.methods; i++)
		r->edits[i] = (struct method_edit){.method = (uint16_t)i, .id = first_id + i};
	r->status = class_edit(&r->c, &hooks, r->edits, r->c.methods, &a, &r->out, &r->out_size);
	if (r->status == CLASS_NO_MEMORY)
		abort();
}

/* The result must be a class with the same methods; methods that were not edited are equal byte for byte. */
static void compare(const struct round *r, const struct round *again)
{
	uint32_t i;

	if (again->status == CLASS_MALFORMED && again->out == r->out && again->c.methods == r->c.methods)
		return; /* its constant pool is full now */
	if (again->status || again->c.methods != r->c.methods)
		abort();
	for (i = 0; i < r->c.methods; i++) {
		const struct class_method *m = &r->c.method[i], *n = &again->c.method[i];

		if (r->edits[i].result != EDIT_DONE &&
		    (m->size != n->size || memcmp(r->c.bytes + m->offset, again->c.bytes + n->offset, m->size)))
			abort();
		/* the code that we wrote is well-formed; it may only have become too large */
		if (r->edits[i].result == EDIT_DONE && again->edits[i].result != EDIT_DONE &&
		    again->edits[i].result != EDIT_TOO_LARGE && again->edits[i].result != EDIT_HUGE)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t first_id = size ? data[size / 2] * 1000u : 0;
	struct round r, again;

	round_run(&r, data, size, first_id);
	if (!r.status && r.out != data) {
		round_run(&again, r.out, r.out_size, first_id);
		compare(&r, &again);
		round_release(&again);
	} else if (!r.status && r.out_size != size) {
		abort();
	}
	round_release(&r);
	return 0;
}
