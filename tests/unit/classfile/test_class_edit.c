// SPDX-License-Identifier: BSD-2-Clause
/*
 * Edited methods, compared byte by byte. test_class_verify.c asks JVMs to verify them; constructors are in
 * test_class_flow.c.
 */
#include "tests/lib/edited.h"
#include "tests/lib/test.h"

/* The body of static int run(int), and what becomes of it. Code is hexadecimal, see edited.h. */
struct row {
	const char *name;
	unsigned major, max_locals; /* 0: 52, 1 */
	const char *code, *exceptions;
	struct {
		const char *name, *before; /* NULL: only in the result */
		const char *after;	   /* NULL: not in the result; such a one stands last */
	} attributes[4];
	const char *edited, *handlers; /* NULL: not compared */
};

#define FRAMES(before, after) {"StackMapTable", before, after}

static const struct row rows[] = {
	{
		"enter_leave_and_thrown_are_inserted_in_the_right_places",
		.code = "1a 04 60 ac", /* iload_0 iconst_1 iadd ireturn */
		.edited = "04 b8???? 40  1a 04 60  1f 04 b8???? ac  1f 04 b8???? bf",
		.handlers = "0005 0008 000e 0000",
		/* the parameter replaces Top: {top, long} {Throwable} */
		.attributes = {FRAMES(NULL, "0001 ff 000e 0002 00 04 0001 07????")},
	},
	{
		"each_return_has_its_own_leave",
		/* ifeq 5; iconst_0 ireturn; 5: iconst_1 ireturn: a branch past a return */
		.code = "1a 990005 03 ac 04 ac",
		.edited = "04b8????40 1a 99000a 03 1f04b8????ac 04 1f04b8????ac 1f04b8????bf",
		.handlers = "0005 000a 0017 0000  0010 0011 0017 0000",
		.attributes = {FRAMES("0001 06", "0002 fc0010 04 ff0006 0002 0004 0001 07????")},
	},
	{
		"branch_to_a_return_goes_to_its_leave",
		.code = "1a 1a 990003 ac", /* iload_0 iload_0 ifeq 5: ireturn */
		.edited = "04b8????40 1a 1a 990003 1f04b8????ac 1f04b8????bf",
		/* same_locals_1 {int} at 5 */
		.attributes = {FRAMES("0001 45 01", "0002 ff000a 0002 01 04 0001 01 ff0005 0002 00 04 0001 07????")},
	},
	{
		"a_loop_to_the_first_instruction_does_not_enter_again",
		.code = "8400ff 1a 9dfffc 1a ac", /* 0: iinc 0 -1; iload_0; ifgt 0; iload_0; ireturn */
		.edited = "04b8????40 8400ff 1a 9dfffc 1a 1f04b8????ac 1f04b8????bf",
		.attributes = {FRAMES("0001 00", "0002 fc0005 04 ff000d 0002 0004 0001 07????")},
	},
	{
		"own_handlers_cover_the_return_but_not_the_leave",
		/* 0: iload_0 ireturn; 2: pop iconst_0 ireturn; handler 2 over 0..2 */
		.code = "1a ac 57 03 ac", .exceptions = "0000 0002 0002 0000",
		.edited = "04b8????40 1a 1f04b8????ac 57 03 1f04b8????ac 1f04b8????bf",
		.handlers = "0005 0006 000c 0000  000b 000c 000c 0000  0005 0006 0014 0000  000c 000e 0014 0000",
		.attributes = {FRAMES(
			"0001 42 07 0004",
			"0002 ff000c 0002 01 04 0001 07 0004 ff0007 0002 00 04 0001 07????")}, /* at 2, {Object} */
	},
	{
		"tableswitch_is_padded_anew",
		/* iload_0; tableswitch 0..1 default 24: ->24, ->26; 24: iconst_0 ireturn; 26: iconst_1 ireturn */
		.code = "1a aa0000 00000017 00000000 00000001 00000017 00000019 03 ac 04 ac",
		/* the switch at 6 has one byte of padding; targets 28 and 35 */
		.edited = "04b8????40 1a aa00 00000016 00000000 00000001 00000016 0000001d"
			  "03 1f04b8????ac 04 1f04b8????ac 1f04b8????bf",
		.attributes = {FRAMES("0002 18 01", "0003 fc001c 04 06 ff0006 0002 00 04 0001 07????")},
	},
	{
		"lookupswitch_is_padded_anew",
		.code = "1a ab0000 00000013 00000001 00000063 00000015 03 ac 04 ac",
		.edited = "04b8????40 1a ab00 00000012 00000001 00000063 00000019"
			  "03 1f04b8????ac 04 1f04b8????ac 1f04b8????bf",
		.attributes = {FRAMES("0002 14 01", "0003 fc0018 04 06 ff0006 0002 00 04 0001 07????")},
	},
	{
		"debug_tables_move_with_the_code",
		.max_locals = 2,
		.code = "1a 3c 1b ac", /* iload_0 istore_1 iload_1 ireturn */
		.edited = "04b8????41 1a 3c 1b 2004b8????ac 2004b8????bf",
		.attributes = {{"LineNumberTable", "0002 0000 0007 0002 0008", "0002 0000 0007 0007 0008"},
			       {"LocalVariableTable", "0002 0000 0004 0001 0001 0000  0002 0002 0001 0001 0001",
				"0002 0000 000e 0001 0001 0000  0007 0007 0001 0001 0001"},
			       {"LocalVariableTypeTable", "0001 0002 0001 0001 0001 0001",
				"0001 0007 0001 0001 0001 0001"},
			       FRAMES(NULL, "0001 ff000e 0003 00 00 04 0001 07????")},
	},
	{
		"type_annotations_move_with_the_code",
		/* 0: iload_0 ireturn; 2: pop iconst_0; 4: new 4 pop; 8: ireturn; two handlers, the first one is split */
		.code = "1a ac 57 bb0004 57 03 ac",
		.exceptions = "0000 0002 0002 0000  0000 0001 0002 0000",
		.handlers = "0005 0006 000c 0000  000b 000c 000c 0000  0005 0006 000c 0000"
			    "0005 0006 0018 0000  000c 0012 0018 0000",
		.attributes = {FRAMES("0001 42 07 0004",
				      "0002 ff000c 0002 01 04 0001 07 0004 ff000b 0002 00 04 0001 07????"),
			       {"RuntimeInvisibleTypeAnnotations",
				"0006  40 0001 0000 0002 0000  00 0001 0000"	 /* local variable from 0 */
				"41 0001 0002 0001 0000  02 0000 0301 0001 0000" /* resource, with a path */
				"42 0001  00 0001 0000"				 /* catch of the second handler */
				"44 0003  00 0001 0001 0001 73 0001"		 /* new, with one value */
				"47 0007 05  00 0001 0000"			 /* cast */
				"43 0008  00 0001 0000",			 /* instanceof, at a return */
				"0006  40 0001 0000 000c 0000  00 0001 0000  41 0001 000c 0001 0000"
				"02 0000 0301 0001 0000  42 0002  00 0001 0000  44 000d  00 0001 0001 0001 73 0001"
				"47 0011 05  00 0001 0000  43 0012  00 0001 0000"}},
	},
	{
		"unknown_attributes_are_dropped",
		.code = "1a ac",
		.attributes = {FRAMES(NULL, "0001 ff000c 0002 00 04 0001 07????"),
			       {"CharacterRangeTable", "0000", NULL}},
	},
	{"no_frames_are_added_before_version_50", .major = 49, .code = "1a 990005 03 ac 04 ac"},
	{"no_frames_are_added_to_a_method_of_version_50_without", .major = 50, .code = "1a 990005 03 ac 04 ac"},
};

CASES(method_is_edited, rows)
{
	struct method m = method_of(row->code);
	unsigned left = 0;
	struct edited e;

	m.b.major = row->major ?: 52;
	m.s.max_locals = row->max_locals ?: 1;
	put_hex(&m.s.exceptions, row->exceptions ?: "");
	for (size_t i = 0; i < 4 && row->attributes[i].name; i++)
		if (row->attributes[i].before)
			method_attach(&m, row->attributes[i].name, row->attributes[i].before);
	e = edited_method(&m);
	assert_int_equal(e.edit.result, EDIT_DONE);
	if (row->edited)
		assert_hex(&e.code, row->edited);
	if (row->handlers)
		assert_hex(&e.exceptions, row->handlers);
	for (size_t i = 0; i < 4 && row->attributes[i].after; i++, left++) {
		struct cursor c = edited_attribute(&e, row->attributes[i].name);

		assert_hex(&c, row->attributes[i].after);
	}
	assert_int_equal(e.attribute_count, left);
	edited_release(&e);
}

CASE(stack_and_locals_grow_by_what_the_hooks_need)
{
	struct method m = method_of("1a 04 60 ac");
	struct edited e = edited_method(&m);

	assert_int_equal(e.max_stack, 5);
	assert_int_equal(e.max_locals, 3);
	edited_release(&e);
}

static const struct refused {
	const char *name, *code;
	unsigned major, max_locals, max_stack; /* 0: 52, 1, 2 */
	enum edit_result result;
} refused[] = {
	{"method_with_jsr_and_ret_is_not_edited", "a80005 03 ac 4b a900", 46, 0, 0, EDIT_JSR},
	{"method_with_jsr_w_is_not_edited", "c900000007 03 ac 4b a900", 46, 0, 0, EDIT_JSR},
	{"method_with_a_wide_ret_is_not_edited", "03 ac c4a90000", 46, 0, 0, EDIT_JSR},
	{"method_whose_locals_would_be_too_many_is_not_edited", "1a ac", 0, 65534, 0, EDIT_TOO_LARGE},
	{"method_whose_stack_would_be_too_high_is_not_edited", "1a ac", 0, 0, 65533, EDIT_TOO_LARGE},
};

CASES(method_is_refused, refused)
{
	struct method m = method_of(row->code);
	struct edited e;

	m.b.major = row->major ?: 52;
	m.s.max_locals = row->max_locals ?: 1;
	m.s.max_stack = row->max_stack ?: 2;
	e = edited_method(&m);
	assert_unchanged(&e, row->result);
}

CASE(locals_may_fill_their_range)
{
	struct method m = method_of("1a ac");
	struct edited e;

	m.s.max_locals = 65533;
	e = edited_method(&m);
	assert_int_equal(e.edit.result, EDIT_DONE);
	assert_int_equal(e.max_locals, 65535);
	edited_release(&e);
}

CASE(empty_method_has_only_enter_and_leave)
{
	struct method m = method_of("b1");
	struct edited e;

	m.s.max_stack = 0;
	builder_method(&m.b, 9, "run", "(I)V", &m.s);
	e = edited_class(&m.b);
	assert_hex(&e.code, "04 b8???? 40 1f 04 b8???? b1");
	assert_hex(&e.exceptions, "");
	assert_int_equal(e.attribute_count, 0);
	assert_int_equal(e.max_stack, 4);
	edited_release(&e);
}

static const struct pushed {
	const char *name;
	uint32_t id;
	const char *push;
} pushed[] = {
	{"id_0_is_pushed_by_iconst", 0, "03"},	       {"id_5_is_pushed_by_iconst", 5, "08"},
	{"id_6_is_pushed_by_bipush", 6, "1006"},       {"id_127_is_pushed_by_bipush", 127, "107f"},
	{"id_128_is_pushed_by_sipush", 128, "110080"}, {"id_32767_is_pushed_by_sipush", 32767, "117fff"},
	{"id_32768_is_a_constant", 32768, "12??"},     {"largest_id_is_a_constant", 0xffffffff, "12??"},
};

CASES(an_id_is_pushed_by_the_shortest_instruction, pushed)
{
	struct method m = method_of("b1");
	struct edited e;
	char text[128];

	builder_method(&m.b, 9, "run", "(I)V", &m.s);
	e = edited_by(&m.b, row->id);
	snprintf(text, sizeof(text), "%s b8???? 40 1f %s b8???? b1", row->push, row->push);
	assert_hex(&e.code, text);
	if (row->id > 32767) {
		const uint8_t *p = class_constant(&e.c, e.code.data[e.code.at + 1], CONSTANT_INTEGER);

		assert_non_null(p);
		assert_true(get_u4(p) == row->id);
	}
	edited_release(&e);
}

/* The name of the class or of the method in the Methodref whose index stands at code[at]. */
static struct slice called(const struct edited *e, uint32_t at, bool owner)
{
	const uint8_t *code = e->code.data + e->code.at;
	const uint8_t *method = class_constant(&e->c, get_u2(code + at), CONSTANT_METHODREF);
	const uint8_t *named;
	struct slice text;

	assert_non_null(method);
	named = class_constant(&e->c, get_u2(method + (owner ? 0 : 2)),
			       owner ? CONSTANT_CLASS : CONSTANT_NAME_AND_TYPE);
	assert_non_null(named);
	assert_true(class_utf8(&e->c, get_u2(named), &text));
	return text;
}

static struct edited with_call(const char *code, unsigned access, const char *name, uint32_t id)
{
	struct method m = method_of(code);

	m.s.max_locals = 2;
	method_attach(&m, "StackMapTable", "0001 05");
	builder_method(&m.b, access, name, "(I)V", &m.s);
	return edited_with(&m.b, (struct method_edit){.id = id, .call = "mounts"});
}

/* iload_1 ifeq 5; return; 5: return */
#define TWO_RETURNS "1b 990004 b1 b1"

CASE(a_first_call_may_be_the_only_one)
{
	struct edited e = with_call(TWO_RETURNS, 1, "run", 0);
	struct cursor frames = edited_attribute(&e, "StackMapTable");

	assert_int_equal(e.edit.result, EDIT_DONE);
	assert_hex(&e.code, "2a b6???? b8???? 09 41  1b 990004 b1 b1");
	assert_true(slice_is(called(&e, 2, true), "java/lang/Thread"));
	assert_true(slice_is(called(&e, 2, false), "threadId"));
	assert_true(slice_is(called(&e, 5, true), "Hook"));
	assert_true(slice_is(called(&e, 5, false), "mounts"));
	assert_hex(&e.exceptions, "");
	assert_hex(&frames, "0001 fc000e 04");
	edited_release(&e);
}

CASE(a_first_call_may_precede_the_others)
{
	struct edited e = with_call(TWO_RETURNS, 1, "run", ID);

	assert_hex(&e.code, "2a b6???? b8???? 04 b8???? 41  1b 990009 2004b8????b1 2004b8????b1 2004b8????bf");
	edited_release(&e);
}

static struct edited with_count(unsigned access, const char *descriptor, unsigned local)
{
	struct method m = method_of(TWO_RETURNS);

	m.s.max_locals = 2;
	method_attach(&m, "StackMapTable", "0001 05");
	builder_method(&m.b, access, "poll", descriptor, &m.s);
	return edited_with(&m.b, (struct method_edit){.id = ID, .form = EDIT_COUNTS, .object = local});
}

/* iload_1 or iload_0, the number, the call of (II)J, lstore_2 */
CASE(the_first_parameter_can_be_given_to_the_entry)
{
	struct edited e = with_count(1, "(I)V", 1);

	assert_int_equal(e.edit.result, EDIT_DONE);
	assert_hex(&e.code, "1b 04 b8???? 41  1b 990009 2004b8????b1 2004b8????b1 2004b8????bf");
	edited_release(&e);
	e = with_count(9, "(II)V", 0);
	assert_int_equal(e.edit.result, EDIT_DONE);
	assert_hex(&e.code, "1a 04 b8???? 41  1b 990009 2004b8????b1 2004b8????b1 2004b8????bf");
	edited_release(&e);
	e = with_count(9, "(II)V", 1);
	assert_unchanged(&e, EDIT_SHAPE);
	e = with_count(9, "(Ljava/lang/Object;I)V", 0);
	assert_unchanged(&e, EDIT_SHAPE);
}

CASE(a_first_call_needs_an_object)
{
	struct edited e = with_call(TWO_RETURNS, 9, "run", 0);

	assert_unchanged(&e, EDIT_SHAPE);
	e = with_call(TWO_RETURNS, 1, "<init>", 0);
	assert_unchanged(&e, EDIT_SHAPE);
}

CASE(a_method_may_have_hooks_of_its_own)
{
	static const struct class_hooks own = {"Hook", "waits", "waited", "threw", NULL, NULL};
	struct method m = method_of("03 b1");
	struct edited e;

	builder_method(&m.b, 9, "run", "(I)V", &m.s);
	e = edited_with(&m.b, (struct method_edit){.id = ID, .hooks = &own});
	assert_hex(&e.code, "04 b8???? 40 03 1f 04 b8???? b1 1f 04 b8???? bf");
	assert_true(slice_is(called(&e, 2, false), "waits"));
	assert_true(slice_is(called(&e, 9, false), "waited"));
	assert_true(slice_is(called(&e, 15, false), "threw"));
	edited_release(&e);
}

/* The set is the constant 16, where the call returns only, and the hooks are those of a method without captures. */
CASE(a_value_may_be_handed_over_whatever_the_hook_says)
{
	struct capture c[2] = {{.source = CAPTURE_LOCAL, .type = 'I', .number = 6},
			       {.source = CAPTURE_LOCAL, .type = 'I', .number = 7, .always = CAPTURE_ALWAYS}};
	struct method m = method_of("03 b1");
	struct edited e;

	builder_method(&m.b, 9, "run", "(I)V", &m.s);
	e = edited_with(&m.b, (struct method_edit){.id = ID, .capture = c + 1, .captures = 1});
	assert_hex(&e.code, "04 b8???? 40 1a 3604  03 1f 04 b8???? 1504 1010 1007 b8???? b1  1f 04 b8???? bf");
	assert_true(slice_is(called(&e, 12, false), "leave"));
	assert_true(slice_is(called(&e, 21, false), "i"));
	assert_true(slice_is(called(&e, 27, false), "thrown"));
	edited_release(&e);
	m = method_of("03 b1");
	builder_method(&m.b, 9, "run", "(I)V", &m.s);
	e = edited_with(&m.b, (struct method_edit){.id = ID, .capture = c, .captures = 2});
	assert_hex(&e.code,
		   "04 b8???? 40 1a 3604 1a 3605  03 1f 04 b8???? 3e 1504 1d 114006 b8???? 1505 1010 1007 b8???? b1"
		   " 1f 04 b8???? 3e 1504 1d 114006 b8???? bf");
	assert_true(slice_is(called(&e, 15, false), "left"));
	edited_release(&e);
}

CASE(constants_and_locals_with_wide_indices_are_used)
{
	struct method m = method_of("b1");
	struct edited e;
	int i;

	for (i = 0; i < 300; i++)
		builder_integer(&m.b, 0);
	m.s.max_locals = 300;
	builder_method(&m.b, 9, "run", "(I)V", &m.s);
	e = edited_by(&m.b, 70000);
	assert_hex(&e.code, "13???? b8???? c437012c c416012c 13???? b8???? b1");
	edited_release(&e);
}

static struct edited edit_of_size(unsigned size)
{
	struct method m = method_of("");
	unsigned i;

	for (i = 0; i < size - 2; i++)
		grow_u1(&m.s.code, 0);
	put_hex(&m.s.code, "1a ac");
	return edited_method(&m);
}

CASE(method_does_not_grow_beyond_the_compile_limit)
{
	/* enter 5, leave 5, thrown 6 bytes */
	struct edited e = edit_of_size(8000 - 16);

	assert_int_equal(e.edit.result, EDIT_DONE);
	assert_int_equal(e.code.size - e.code.at, 8000);
	edited_release(&e);
	e = edit_of_size(8000 - 15);
	assert_unchanged(&e, EDIT_HUGE);
	e = edit_of_size(8000);
	assert_unchanged(&e, EDIT_HUGE);
	e = edit_of_size(8001);
	assert_int_equal(e.edit.result, EDIT_DONE);
	edited_release(&e);
}

CASE(a_method_stays_below_64_kib)
{
	struct edited e = edit_of_size(65535 - 16);

	assert_int_equal(e.edit.result, EDIT_DONE);
	assert_int_equal(e.code.size - e.code.at, 65535);
	edited_release(&e);
	e = edit_of_size(65535 - 15);
	assert_unchanged(&e, EDIT_TOO_LARGE);
}

CASE(method_without_code_is_reported)
{
	struct class_builder b;
	struct edited e;

	builder_init(&b, 52, "C", NULL);
	builder_method(&b, 0x401, "run", "()V", NULL);
	e = edited_class(&b);
	assert_unchanged(&e, EDIT_NO_CODE);
}

CASE(a_full_pool_leaves_the_class_as_it_is)
{
	struct method m = method_of("1a ac");
	struct edited e;

	while (m.b.constants < 65535 - 10)
		builder_integer(&m.b, 0);
	e = edited_method(&m);
	assert_int_equal(e.status, CLASS_MALFORMED);
	assert_ptr_equal(e.out, e.bytes);
	edited_release(&e);
}

CASE(unedited_parts_are_unchanged)
{
	struct code_spec good = {.max_stack = 1, .max_locals = 1}, bad = {.max_stack = 1, .max_locals = 1};
	struct method_edit edits[] = {
		{.method = 1, .id = 1}, {.method = 1, .id = 2}, {.method = 2, .id = 3}, {.method = 9, .id = 4}};
	struct class_file c, d;
	struct class_builder b;
	struct arena a;
	const uint8_t *out;
	uint8_t *bytes;
	void *memory;
	size_t size, out_size;

	builder_init(&b, 52, "C", NULL);
	put_hex(&good.code, "1a ac");
	put_hex(&bad.code, "1a");
	builder_method(&b, 9, "first", "(I)I", &bad);
	builder_method(&b, 9, "second", "(I)I", &good);
	put_hex(&bad.code, "1a");
	builder_method(&b, 9, "third", "(I)I", &bad);
	bytes = builder_finish(&b, &size);
	a.left = class_edit_memory(size) * 2;
	memory = a.at = malloc(a.left);
	assert_int_equal(class_parse(&c, bytes, size, &a), CLASS_OK);
	assert_int_equal(class_edit(&c, &edited_hooks, edits, 4, &a, &out, &out_size), CLASS_OK);
	assert_int_equal(edits[0].result, EDIT_DONE);
	assert_int_equal(edits[1].result, EDIT_MALFORMED); /* named twice */
	assert_int_equal(edits[2].result, EDIT_MALFORMED);
	assert_int_equal(edits[3].result, EDIT_MALFORMED); /* no such method */
	assert_int_equal(class_parse(&d, out, out_size, &a), CLASS_OK);
	assert_memory_equal(out + 10, bytes + 10, c.pool_end - 10);
	assert_memory_equal(out + d.method[0].offset, bytes + c.method[0].offset, c.method[0].size);
	assert_memory_equal(out + d.method[2].offset, bytes + c.method[2].offset, c.method[2].size);
	assert_int_equal(d.method[2].size, c.method[2].size);
	free(memory);
	free(bytes);
}

CASE(exhausted_arena_is_reported)
{
	struct method m = method_of("1a ac");
	size_t size, capacity;
	uint8_t *bytes;

	builder_method(&m.b, 9, "run", "(I)I", &m.s);
	bytes = builder_finish(&m.b, &size);
	for (capacity = 256; capacity < class_edit_memory(size); capacity += 1 + capacity / 256) {
		unsigned char *memory = malloc(capacity);
		struct arena a = {memory, capacity};
		struct method_edit e = {.method = 0};
		struct class_file c;
		const uint8_t *out;
		size_t out_size;

		if (!class_parse(&c, bytes, size, &a) && class_edit(&c, &edited_hooks, &e, 1, &a, &out, &out_size))
			assert_ptr_equal(out, bytes);
		free(memory);
	}
	free(bytes);
}
