// SPDX-License-Identifier: BSD-2-Clause
/* Constructors, and where `this` is uninitialised in them; and code that cannot be followed. */
#include "tests/lib/edited.h"
#include "tests/lib/test.h"

/* A constructor of C, which extends C's parent "P"; constants: 2 is C, 4 is P. */
static struct edited edit_constructor(const char *code, const char *frames, unsigned init)
{
	struct class_builder b;
	struct code_spec s = {.max_stack = 4, .max_locals = 2};
	struct grow table = {0};

	builder_init(&b, 52, "C", "P");
	assert_int_equal(builder_member(&b, 10, init == 2 ? "C" : "P", "<init>", "()V"), 10);
	put_hex(&s.code, code);
	put_hex(&table, frames);
	if (*frames)
		code_attribute(&b, &s, "StackMapTable", table);
	builder_method(&b, 1, "<init>", "(I)V", &s);
	return edited_class(&b);
}

CASE(a_constructor_has_a_handler_on_each_side_of_its_super_call)
{
	/* aload_0; new P; dup; invokespecial P.<init>; pop; invokespecial P.<init>; iconst_0; pop; return */
	struct edited e = edit_constructor("2a bb0004 59 b7000a 57 b7000a 03 57 b1", "", 4);
	struct cursor frames;

	assert_int_equal(e.edit.result, EDIT_DONE);
	assert_hex(&e.code, "04b8????41 2a bb0004 59 b7000a 57 b7000a 03 57 2004b8????b1 2004b8????bf 2004b8????bf");
	/* the call, from 14 to 17, is in neither */
	assert_hex(&e.exceptions, "0005 000e 0019 0000  0011 0013 001f 0000");
	frames = edited_attribute(&e, "StackMapTable");
	assert_hex(&frames, "0002 ff0019 0003 06 00 04 0001 07????  ff0005 0003 00 00 04 0001 07????");
	edited_release(&e);
}

CASE(super_calls_on_two_branches_are_both_found)
{
	/* iload_1 ifeq 9: aload_0 P.<init> return; 9: aload_0 this() ... return */
	struct edited e = edit_constructor("1b 990008 2a b7000a b1 2a b7000a b1", "0001 09", 2);

	assert_int_equal(e.edit.result, EDIT_DONE);
	/* code 5: iload_1 ifeq; 9: aload_0; 10: call; 13: leave return; 19: aload_0; 20: call; 23: leave return; 29, 35 handlers */
	assert_hex(&e.exceptions, "0005 000a 001d 0000  0013 0014 001d 0000");
	edited_release(&e);
}

static const struct constructor {
	const char *name, *code, *frames;
	enum edit_result result;
} constructors[] = {
	/* they hide `this` */
	{"constructor_with_this_in_local_1_is_refused", "2a 4c 2b b7000a b1", "", EDIT_SHAPE},
	{"constructor_with_null_over_local_0_is_refused", "2a 01 4b b7000a b1", "", EDIT_SHAPE},
	{"constructor_with_a_wide_istore_0_is_refused", "2a c436 0000 2a b7000a b1", "", EDIT_SHAPE},
	{"constructor_with_more_copies_than_are_tracked_is_refused", "2a 59 59 59 59 57 57 57 57 b7000a b1", "",
	 EDIT_SHAPE},
	{"constructor_with_two_copies_in_a_frame_is_refused", "1b 990003 2a b7000a b1", "0001 ff0004 0002 06 06 0000",
	 EDIT_SHAPE},
	{"constructor_with_this_only_on_the_stack_is_refused", "1b 990003 2a b7000a b1",
	 "0001 ff0004 0002 00 01 0001 06", EDIT_SHAPE},
	/* they cannot be followed */
	{"constructor_that_pops_nothing_is_malformed", "57 2a b7000a b1", "", EDIT_MALFORMED},
	{"constructor_above_max_stack_is_malformed", "2a 03 03 03 03 57 57 57 57 b7000a b1", "", EDIT_MALFORMED},
	{"constructor_that_calls_no_method_is_malformed", "2a b70004 b1", "", EDIT_MALFORMED},
	{"constructor_with_a_frame_of_another_height_is_malformed", "1b 990003 2a b7000a b1", "0001 44 01",
	 EDIT_MALFORMED},
	{"constructor_with_code_after_a_return_without_a_frame_is_malformed", "b1 2a b7000a b1", "0001 02",
	 EDIT_MALFORMED},
};

CASES(constructor_is_not_edited, constructors)
{
	struct edited e = edit_constructor(row->code, row->frames, 4);

	assert_unchanged(&e, row->result);
}

static const struct malformed_code {
	const char *name, *code;
} malformed_code[] = {
	{"code_that_falls_off_its_end_is_malformed", "1a"},
	{"code_with_no_instruction_is_malformed", "1a fe ac"},
	{"code_that_ends_inside_an_instruction_is_malformed", "11 00"},
	{"branch_to_before_the_code_is_malformed", "a7ffff ac"},
	{"branch_past_its_end_is_malformed", "a70004 ac"},
	{"branch_into_an_instruction_is_malformed", "1a 990004 1100 ac"},
	{"switch_that_ends_early_is_malformed", "1a aa0000 00000000"},
	{"tableswitch_with_high_below_low_is_malformed", "1a aa0000 00000000 7fffffff 80000000 ac"},
	{"tableswitch_with_2_to_the_32_targets_is_malformed", "1a aa0000 00000000 80000000 7fffffff ac"},
	{"lookupswitch_with_too_many_pairs_is_malformed", "1a ab0000 00000000 7fffffff ac"},
	{"lookupswitch_with_minus_one_pairs_is_malformed", "1a ab0000 00000000 ffffffff ac"},
	{"wide_without_an_instruction_is_malformed", "c4"},
	{"wide_iinc_that_ends_early_is_malformed", "c484 0000 00"},
};

CASES(malformed_code_is_not_edited, malformed_code)
{
	struct method m = method_of(row->code);
	struct edited e = edited_method(&m);

	assert_unchanged(&e, EDIT_MALFORMED);
}

#define FRAMES "StackMapTable"
#define TYPES  "RuntimeVisibleTypeAnnotations"

static const struct malformed_table {
	const char *name, *exceptions, *attribute, *content;
} malformed_tables[] = {
	{"handler_that_ends_past_the_code_is_malformed", "0000 0009 0000 0000", "X", ""},
	{"handler_of_an_empty_range_is_malformed", "0002 0002 0000 0000", "X", ""},
	{"handler_inside_an_instruction_is_malformed", "0000 0002 0003 0000", "X", ""},
	{"frames_without_a_count_are_malformed", "", FRAMES, ""},
	{"frames_that_end_early_are_malformed", "", FRAMES, "0001"},
	{"frame_of_a_reserved_type_is_malformed", "", FRAMES, "0001 80"},
	{"frame_inside_an_instruction_is_malformed", "", FRAMES, "0001 03"},
	{"frame_with_no_such_verification_type_is_malformed", "", FRAMES, "0001 40 09"},
	{"frame_with_an_uninitialised_of_no_new_is_malformed", "", FRAMES, "0001 40 08 0000"},
	{"frame_with_more_locals_than_max_locals_is_malformed", "", FRAMES, "0001 fd0000 01 01"},
	{"frame_that_chops_more_than_there_is_is_malformed", "", FRAMES, "0001 f80000"},
	{"frame_with_more_than_max_stack_is_malformed", "", FRAMES, "0001 ff0000 0000 0003 01 01 01"},
	{"frame_past_the_code_is_malformed", "", FRAMES, "0002 3f 00"},
	{"line_past_the_code_is_malformed", "", "LineNumberTable", "0001 0006 0001"},
	{"lines_that_end_early_are_malformed", "", "LineNumberTable", "0002 0000 0001"},
	{"variable_past_the_code_is_malformed", "", "LocalVariableTable", "0001 0000 0007 0001 0001 0000"},
	{"annotation_of_no_handler_is_malformed", "", TYPES, "0001 42 0000 00 0001 0000"},
	{"annotation_that_is_not_for_code_is_malformed", "", TYPES, "0001 10 0000 00 0001 0000"},
	{"annotation_with_no_such_value_is_malformed", "", TYPES, "0001 43 0000 00 0001 0001 0001 3f 0000"},
};

CASES(methods_with_malformed_tables_are_not_edited, malformed_tables)
{
	struct method m = method_of("1a 57 110001 ac"); /* iload_0 pop sipush 1 ireturn */
	struct edited e;

	put_hex(&m.s.exceptions, row->exceptions);
	method_attach(&m, row->attribute, row->content);
	if (*row->exceptions)
		method_attach(&m, FRAMES, "0001 40 07 0004");
	e = edited_method(&m);
	assert_unchanged(&e, EDIT_MALFORMED);
}
