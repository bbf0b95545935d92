// SPDX-License-Identifier: BSD-2-Clause
/* Call frame information as compilers write it, and as nobody but an attacker does. */
#include "tests/lib/test.h"
#include "uprobes/dwarf/cfi_check.h"

static unsigned char section[1 << 18];
static size_t size;

static void put(const void *bytes, size_t n)
{
	memcpy(section + size, bytes, n);
	size += n;
}

static void put_u32(uint32_t v)
{
	put(&v, 4);
}

#define CIE "\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1\0\0" /* pcrel, 4 bytes; CFA = rsp + 8, return address at -8 */

static void put_cie(const char *text, size_t n)
{
	put_u32(n + 4);
	put_u32(0);
	put(text, n);
}

/* An FDE of the CIE at the section's begin, with this program. */
static void put_fde(const void *program, size_t n)
{
	put_u32(n + 13);
	put_u32(size);
	put_u32(0x1000);
	put_u32(0x10);
	put("", 1);
	put(program, n);
}

static bool holds(const void *program, size_t n)
{
	size = 0;
	put_cie(CIE, sizeof(CIE) - 1);
	put_fde(program, n);
	return cfi_check(section, size, true);
}

#define HOLDS(program) holds(program, sizeof(program) - 1)

CASE(programs_of_compilers_are_fine)
{
	assert_true(HOLDS("\x41\x0e\x10\x86\2\x43\x0d\6\2\x10\x0c\7\x08"));
	assert_true(HOLDS("\x0a\xc6\x0e\x08\x0b\0\0\0"));
	assert_true(HOLDS("\x0f\x0b\x77\x08\x80\0\x3f\x1a\x3b\x2a\x33\x24\x22")); /* the procedure linkage table */
	assert_true(HOLDS("\x10\6\2\x76\0\x16\7\2\x77\x08"));
	assert_true(HOLDS("\x2e\x10\5\x11\x7f\x12\7\x78\x13\x7f\x14\3\1\x15\3\x7f"));
}

CASE(an_end_between_two_parts_is_fine)
{
	HOLDS("\0");
	put_u32(0);
	assert_true(cfi_check(section, size, true));
	assert_true(cfi_check(section, 0, true));
}

CASE(registers_that_take_memory_are_refused)
{
	assert_false(HOLDS("\5\x80\x01\1"));
	assert_false(HOLDS("\7\x80\x80\x80\x80\x01"));
	assert_false(HOLDS("\x0d\xff\xff\xff\x7f"));
	assert_false(HOLDS("\x09\1\x80\x80\x80\x01"));
	assert_false(HOLDS("\x10\x80\x01\1\x30"));
	assert_true(HOLDS("\5\x7f\1"));
}

CASE(states_without_end_are_refused)
{
	char many[CFI_REMEMBERED_MOST + 1];

	memset(many, 0x0a, sizeof(many));
	assert_true(holds(many, CFI_REMEMBERED_MOST));
	assert_false(holds(many, CFI_REMEMBERED_MOST + 1));
	assert_false(HOLDS("\x0b"));
	assert_false(HOLDS("\x0a\x0b\x0b"));
}

CASE(long_expressions_are_refused)
{
	char block[3 + CFI_BLOCK_MOST + 1] = "\x0f\x80\1";

	assert_true(holds(block, 3 + CFI_BLOCK_MOST));
	block[1] = '\x81';
	assert_false(holds(block, 3 + CFI_BLOCK_MOST + 1));
	assert_false(HOLDS("\x0f\x20\x30"));
}

CASE(what_ends_early_is_refused)
{
	assert_false(HOLDS("\5"));
	assert_false(HOLDS("\x0e\x80"));
	assert_false(HOLDS("\4\1\2\3"));
	assert_false(HOLDS("\x0e\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"));
	assert_false(HOLDS("\x1f"));
	assert_true(HOLDS("\0"));
	for (size_t i = 1; i < size; i++)
		if (i != sizeof(CIE) + 7)
			assert_false(cfi_check(section, i, true));
}

CASE(an_entry_of_no_cie_is_refused)
{
	HOLDS("\0");
	section[sizeof(CIE) - 1 + 8 + 4]++; /* the way to its CIE */
	assert_false(cfi_check(section, size, true));
	size = 0;
	put_u32(16);
	put_u32(4711);
	put("\0\0\0\0\0\0\0\0\0\0\0", 12);
	assert_false(cfi_check(section, size, true));
	size = 0;
	put_cie(CIE, sizeof(CIE) - 1);
	section[0] = 0xff;
	assert_false(cfi_check(section, size, true));
}

CASE(unknown_augmentations_are_refused)
{
	static const char *const texts[] = {"\1zX\0\1\x78\x10\1\x1b\0\0", "\1eh\0\1\x78\x10\1\x1b\0\0",
					    "\2zR\0\1\x78\x10\1\x1b\0\0", "\1zR\0\1\x78\x10\x7f\x1b\0\0",
					    "\1zP\0\1\x78\x10\1\x0f\0\0"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size = 0;
		put_cie(texts[i], 11);
		assert_false(cfi_check(section, size, true));
	}
	size = 0;
	put_cie("\1zPLR\0\1\x78\x10\7\x9b\1\2\3\4\x1b\x1b\0\0\0", 20);
	assert_true(cfi_check(section, size, true));
}
