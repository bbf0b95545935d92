// SPDX-License-Identifier: BSD-2-Clause
/* Constructors, and where `this` is uninitialised in them; and code that cannot be followed. */
#include "tests/lib/edited.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

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

static void a_constructor_has_a_handler_on_each_side_of_its_super_call(void **state)
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

static void super_calls_on_two_branches_are_both_found(void **state)
{
	/* iload_1 ifeq 9: aload_0 P.<init> return; 9: aload_0 this() ... return */
	struct edited e = edit_constructor("1b 990008 2a b7000a b1 2a b7000a b1", "0001 09", 2);

	assert_int_equal(e.edit.result, EDIT_DONE);
	/* code 5: iload_1 ifeq; 9: aload_0; 10: call; 13: leave return; 19: aload_0; 20: call; 23: leave return; 29, 35 handlers */
	assert_hex(&e.exceptions, "0005 000a 001d 0000  0013 0014 001d 0000");
	edited_release(&e);
}

static void constructors_that_hide_this_are_refused(void **state)
{
	static const struct {
		const char *code, *frames;
	} rows[] = {
		{"2a 4c 2b b7000a b1", ""},				      /* this in local 1 */
		{"2a 01 4b b7000a b1", ""},				      /* null over local 0 */
		{"2a c436 0000 2a b7000a b1", ""},			      /* wide istore 0 */
		{"2a 59 59 59 59 57 57 57 57 b7000a b1", ""},		      /* more copies than are tracked */
		{"1b 990003 2a b7000a b1", "0001 ff0004 0002 06 06 0000"},    /* a frame with two copies */
		{"1b 990003 2a b7000a b1", "0001 ff0004 0002 00 01 0001 06"}, /* only on the stack */
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct edited e = edit_constructor(rows[i].code, rows[i].frames, 4);

		print_message("row %zu: %s\n", i, rows[i].code);
		assert_unchanged(&e, EDIT_SHAPE);
	}
}

static void constructors_that_cannot_be_followed_are_malformed(void **state)
{
	static const struct {
		const char *code, *frames;
	} rows[] = {
		{"57 2a b7000a b1", ""},		      /* pop of nothing */
		{"2a 03 03 03 03 57 57 57 57 b7000a b1", ""}, /* above max_stack */
		{"2a b70004 b1", ""},			      /* not a method */
		{"1b 990003 2a b7000a b1", "0001 44 01"},     /* a frame of another height */
		{"b1 2a b7000a b1", "0001 02"},		      /* code after a return, without a frame */
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct edited e = edit_constructor(rows[i].code, rows[i].frames, 4);

		print_message("row %zu: %s\n", i, rows[i].code);
		assert_unchanged(&e, EDIT_MALFORMED);
	}
}

static void malformed_code_is_not_edited(void **state)
{
	static const char *const code[] = {
		"1a",					   /* falls off its end */
		"1a fe ac",				   /* no instruction */
		"11 00",				   /* ends inside an instruction */
		"a7ffff ac",				   /* a branch to before the code */
		"a70004 ac",				   /* past its end */
		"1a 990004 1100 ac",			   /* into an instruction */
		"1a aa0000 00000000",			   /* a switch that ends early */
		"1a aa0000 00000000 7fffffff 80000000 ac", /* high below low */
		"1a aa0000 00000000 80000000 7fffffff ac", /* 2^32 targets */
		"1a ab0000 00000000 7fffffff ac",
		"1a ab0000 00000000 ffffffff ac",
		"c4",
		"c484 0000 00",
	};
	size_t i;

	for (i = 0; i < sizeof(code) / sizeof(code[0]); i++) {
		struct method m = method_of(code[i]);
		struct edited e = edited_method(&m);

		assert_unchanged(&e, EDIT_MALFORMED);
	}
}

static void methods_with_malformed_tables_are_not_edited(void **state)
{
	static const struct {
		const char *exceptions, *name, *content;
	} rows[] = {
		{"0000 0009 0000 0000", "X", ""}, /* ends past the code */
		{"0002 0002 0000 0000", "X", ""}, /* empty */
		{"0000 0002 0003 0000", "X", ""}, /* handler inside an instruction */
		{"", "StackMapTable", ""},
		{"", "StackMapTable", "0001"},
		{"", "StackMapTable", "0001 80"},			 /* a type that is reserved */
		{"", "StackMapTable", "0001 03"},			 /* inside an instruction */
		{"", "StackMapTable", "0001 40 09"},			 /* no such verification type */
		{"", "StackMapTable", "0001 40 08 0000"},		 /* uninitialised by no `new` */
		{"", "StackMapTable", "0001 fd0000 01 01"},		 /* more locals than max_locals */
		{"", "StackMapTable", "0001 f80000"},			 /* chops more than there is */
		{"", "StackMapTable", "0001 ff0000 0000 0003 01 01 01"}, /* more than max_stack */
		{"", "StackMapTable", "0002 3f 00"},
		{"", "LineNumberTable", "0001 0006 0001"},
		{"", "LineNumberTable", "0002 0000 0001"},
		{"", "LocalVariableTable", "0001 0000 0007 0001 0001 0000"},
		{"", "RuntimeVisibleTypeAnnotations", "0001 42 0000 00 0001 0000"}, /* no handler 0 */
		{"", "RuntimeVisibleTypeAnnotations", "0001 10 0000 00 0001 0000"}, /* not in Code */
		{"", "RuntimeVisibleTypeAnnotations", "0001 43 0000 00 0001 0001 0001 3f 0000"},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct method m = method_of("1a 57 110001 ac"); /* iload_0 pop sipush 1 ireturn */
		struct edited e;

		put_hex(&m.s.exceptions, rows[i].exceptions);
		method_attach(&m, rows[i].name, rows[i].content);
		if (*rows[i].exceptions)
			method_attach(&m, "StackMapTable", "0001 40 07 0004");
		e = edited_method(&m);
		print_message("row %zu: %s %s\n", i, rows[i].name, rows[i].content);
		assert_unchanged(&e, EDIT_MALFORMED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_constructor_has_a_handler_on_each_side_of_its_super_call),
		cmocka_unit_test(super_calls_on_two_branches_are_both_found),
		cmocka_unit_test(constructors_that_hide_this_are_refused),
		cmocka_unit_test(constructors_that_cannot_be_followed_are_malformed),
		cmocka_unit_test(malformed_code_is_not_edited),
		cmocka_unit_test(methods_with_malformed_tables_are_not_edited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
