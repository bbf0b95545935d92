// SPDX-License-Identifier: BSD-2-Clause
/* The places of arguments, as compilers for aarch64 write them into USDT notes. Reading them needs no such machine. */
#include "tests/lib/test.h"
#include "user/capture/machine/machine.h"
#include "user/capture/usdt_cookie.h"

#ifndef __aarch64__
#define register_word register_word_aarch64
#define place_parse   place_parse_aarch64
#include "user/capture/machine/aarch64.h"
#endif

#define NONE (-1)

static int word_of(const char *text, bool memory, long offset)
{
	struct usdt_place place;

	if (!place_parse(text, text + strlen(text), &place))
		return NONE;
	assert_int_equal(place.memory, memory);
	assert_int_equal(place.offset, offset);
	return place.word;
}

/* Those of libjvm.so in Debian's OpenJDK 21, and others. */
CASE(registers_and_words_in_memory_are_known)
{
	assert_int_equal(word_of("x0", false, 0), 0);
	assert_int_equal(word_of("x26", false, 0), 26);
	assert_int_equal(word_of("x30", false, 0), 30);
	assert_int_equal(word_of("sp", false, 0), 31);
	assert_int_equal(word_of("[sp]", true, 0), 31);
	assert_int_equal(word_of("[sp, 88]", true, 88), 31);
	assert_int_equal(word_of("[x29,-16]", true, -16), 29);
}

CASE(anything_else_is_unknown)
{
	static const char *const texts[] = {"w0",    "x31",	"x00",	  "x",	      "xzr",  "5",	 "[sp",	  "[]",
					    "[x0,]", "[x0, y]", "[x0, 8", "[x0, 8]]", "[,8]", "[w0, 8]", "x1,x2", "-8"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(word_of(texts[i], texts[i][0] == '[', 0), NONE);
}

#ifdef __aarch64__
/* There is a space within one. */
CASE(arguments_are_told_apart)
{
	uint64_t cookie = usdt_cookie(FRT_SITE_OPERATION_BEGIN, "8@[sp, 16] 8@x1 -4@w0");

	assert_int_equal(cookie >> FRT_SITE_BITS & 0xffffff,
			 FRT_ARGUMENT_KNOWN | FRT_ARGUMENT_MEMORY | 31 * FRT_ARGUMENT_REGISTER_1 | 16);
	assert_int_equal(cookie >> (FRT_SITE_BITS + FRT_ARGUMENT_BITS) & 0xffffff,
			 FRT_ARGUMENT_KNOWN | FRT_ARGUMENT_REGISTER_1);
	assert_int_equal(usdt_register_cookie(FRT_SITE_METHOD_ENTRY, "-8@x6 8@x0 -4@x1 8@x2 -4@x3 8@x4 -4@x5") >>
				 FRT_SITE_BITS,
			 0x06040200);
}
#endif
