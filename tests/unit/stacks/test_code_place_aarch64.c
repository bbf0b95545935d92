// SPDX-License-Identifier: BSD-2-Clause
/*
 * Methods as HotSpot's compilers begin and end them on aarch64 (MacroAssembler::build_frame() and remove_frame()), assembled
 * by GNU as. Decoding needs no such machine.
 */
#include "tests/lib/test.h"
#include "user/stacks/machine/machine.h"

#ifndef __aarch64__
#undef CODE_CALLED
#define link_of	      link_of_aarch64
#define method_of     method_of_aarch64
#define place_in_code place_in_code_aarch64
#define find_prologue find_prologue_aarch64
#undef FRT_SAVED
#define FRT_SAVED 5 /* of this machine's struct */
#include "user/stacks/machine/aarch64.h"
#endif

/* sub sp, sp, 0x40; stp x29, x30, [sp, 0x30]; nop; ldp x29, x30, [sp, 0x30]; add sp, sp, 0x40; ldr x8, [x28, 0x458]; cmp sp, x8; b.hi; ret */
static const uint32_t small[] = {0xd10103ff, 0xa9037bfd, 0xd503201f, 0xa9437bfd, 0x910103ff,
				 0xf9422f88, 0xeb2863ff, 0x540000a8, 0xd65f03c0};

/* The same of JDK 11, with ldr x8, [x28, 0xf8]; ldr wzr, [x8]; ret */
static const uint32_t old[] = {0xd10103ff, 0xa9037bfd, 0xd503201f, 0xa9437bfd,
			       0x910103ff, 0xf9407f88, 0xb940011f, 0xd65f03c0};

/* stp x29, x30, [sp, -16]!; sub sp, sp, 0x250; nop; add sp, sp, 0x250; ldp x29, x30, [sp], 16; paciaz's partner; ret */
static const uint32_t large[] = {0xa9bf7bfd, 0xd10943ff, 0xd503201f, 0x910943ff, 0xa8c17bfd, 0xd503239f, 0xd65f03c0};

static enum code_place place_of(const uint32_t *code, size_t count, size_t n, uint32_t frame)
{
	uint8_t begin[CODE_PLACE_BEGIN] = {0}, next[CODE_PLACE_NEXT] = {0};
	size_t left = 4 * (count - n);

	memcpy(begin, code, 4 * count);
	memcpy(next, code + n, left < sizeof(next) ? left : sizeof(next));
	return place_in_code(begin, sizeof(begin), 4 * n, next, frame);
}

#define COUNT(code) (sizeof(code) / sizeof((code)[0]))

static void assert_places(const uint32_t *code, size_t count, uint32_t frame, const enum code_place *expected)
{
	for (size_t n = 0; n < count; n++)
		assert_int_equal(place_of(code, count, n, frame), expected[n]);
}

CASE(small_frame)
{
	static const enum code_place expected[] = {CODE_LINK, CODE_EMPTY, CODE_FRAME, CODE_FRAME, CODE_EMPTY,
						   CODE_LINK, CODE_LINK,  CODE_LINK,  CODE_LINK};

	assert_places(small, COUNT(small), 0x40, expected);
	assert_places(old, COUNT(old), 0x40, expected);
}

CASE(large_frame)
{
	static const enum code_place expected[] = {CODE_LINK,  CODE_SAVED, CODE_FRAME, CODE_FRAME,
						   CODE_SAVED, CODE_LINK,  CODE_LINK};

	assert_places(large, COUNT(large), 0x260, expected);
}

CASE(code_before_the_frame_has_none)
{
	/* sub x9, sp, 0x14000; str xzr, [x9] */
	uint32_t code[2 + COUNT(small)] = {0xd14053e9, 0xf900013f};

	memcpy(code + 2, small, sizeof(small));
	assert_int_equal(place_of(code, COUNT(code), 0, 0x40), CODE_LINK);
	assert_int_equal(place_of(code, COUNT(code), 1, 0x40), CODE_LINK);
	assert_int_equal(place_of(code, COUNT(code), 3, 0x40), CODE_EMPTY);
	assert_int_equal(place_of(code, COUNT(code), 4, 0x40), CODE_FRAME);
}

/* A poll in a loop: no return follows. */
CASE(a_poll_within_a_method_is_in_its_frame)
{
	static const uint32_t code[] = {0xd10103ff, 0xa9037bfd, 0xf9407f88, 0xb940011f, 0x17fffffe};

	assert_int_equal(place_of(code, COUNT(code), 2, 0x40), CODE_FRAME);
	assert_int_equal(place_of(code, COUNT(code), 3, 0x40), CODE_FRAME);
}
