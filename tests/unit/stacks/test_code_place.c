// SPDX-License-Identifier: BSD-2-Clause
/* Methods as HotSpot's compilers begin and end them (x86_64, MacroAssembler and C2 machine nodes). */
#include "tests/lib/test.h"
#include "user/stacks/code_place.h"

#include <string.h>

/* As C1 since JDK 16: mov [rsp - 0x14000], eax; push rbp; sub rsp, 0x30; ...; add rsp, 0x30; pop rbp; cmp rsp, [r15 + 0x340]; ja; ret */
static const uint8_t c1[] = {0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec,
			     0x30, 0x90, 0x90, 0x48, 0x83, 0xc4, 0x30, 0x5d, 0x49, 0x3b, 0xa7,
			     0x40, 0x03, 0x00, 0x00, 0x0f, 0x87, 0x01, 0x02, 0x03, 0x04, 0xc3};

/* As C2: sub rsp, 0x18; mov [rsp + 0x10], rbp; ...; add rsp, 0x10; pop rbp; ... */
static const uint8_t c2[] = {0x48, 0x81, 0xec, 0x18, 0x00, 0x00, 0x00, 0x48, 0x89, 0x6c, 0x24,
			     0x10, 0x90, 0x48, 0x83, 0xc4, 0x10, 0x5d, 0x49, 0x3b, 0xa7, 0x40,
			     0x03, 0x00, 0x00, 0x0f, 0x87, 0x01, 0x02, 0x03, 0x04, 0xc3};

/* As until JDK 9: ... pop rbp; test eax, [rip + x]; ret */
static const uint8_t old[] = {0x55, 0x48, 0x83, 0xec, 0x10, 0x90, 0x48, 0x83, 0xc4,
			      0x10, 0x5d, 0x85, 0x05, 0x01, 0x02, 0x03, 0x04, 0xc3};

static enum code_place place(const uint8_t *code, size_t size, size_t at, uint32_t frame)
{
	uint8_t begin[CODE_PLACE_BEGIN] = {0}, next[CODE_PLACE_NEXT] = {0};

	memcpy(begin, code, size);
	memcpy(next, code + at, size - at < sizeof(next) ? size - at : sizeof(next));
	return code_place(begin, sizeof(begin), at, next, frame);
}

CASE(a_frame_is_made_by_two_instructions_of_c1)
{
	assert_int_equal(place(c1, sizeof(c1), 0, 0x40), CODE_RETURN);
	assert_int_equal(place(c1, sizeof(c1), 7, 0x40), CODE_RETURN);
	assert_int_equal(place(c1, sizeof(c1), 8, 0x40), CODE_SAVED);
	assert_int_equal(place(c1, sizeof(c1), 12, 0x40), CODE_FRAME);
	assert_int_equal(place(c1, sizeof(c1), 14, 0x40), CODE_FRAME);
}

CASE(a_frame_is_given_back_before_the_poll)
{
	assert_int_equal(place(c1, sizeof(c1), 18, 0x40), CODE_SAVED);
	assert_int_equal(place(c1, sizeof(c1), 19, 0x40), CODE_RETURN);
	assert_int_equal(place(c1, sizeof(c1), 26, 0x40), CODE_RETURN);
	assert_int_equal(place(c1, sizeof(c1), 32, 0x40), CODE_RETURN);
	assert_int_equal(place(old, sizeof(old), 10, 0x20), CODE_SAVED);
	assert_int_equal(place(old, sizeof(old), 11, 0x20), CODE_RETURN);
}

CASE(a_frame_is_made_by_one_instruction_of_c2)
{
	assert_int_equal(place(c2, sizeof(c2), 0, 0x20), CODE_RETURN);
	assert_int_equal(place(c2, sizeof(c2), 7, 0x20), CODE_FRAME);
	assert_int_equal(place(c2, sizeof(c2), 12, 0x20), CODE_FRAME);
	assert_int_equal(place(c2, sizeof(c2), 17, 0x20), CODE_SAVED);
}

/* Another instruction that adjusts the stack is not the prologue. */
CASE(code_without_that_begin_has_its_frame)
{
	assert_int_equal(place(c1, sizeof(c1), 0, 0x100), CODE_FRAME);
	assert_int_equal(place(c2, sizeof(c2), 3, 0x100), CODE_FRAME);
}
