// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_code.h"
#include "tests/lib/test.h"
#include "user/hotspot/page_cache.h"
#include "user/hotspot/symbol.h"

static char text[SYMBOL_MAX + 1];

CASE(symbol_gives_its_text)
{
	struct fake_code f;

	fake_code_init(&f, FAKE_17);
	assert_int_equal(symbol_read(&f.layout, &f.mem, fake_code_symbol(&f, "java/lang/Object"), text), 16);
	assert_string_equal(text, "java/lang/Object");
	fake_code_release(&f);
}

CASE(symbol_length_may_be_the_upper_half_of_an_int)
{
	struct fake_code f;
	uint64_t symbol;

	fake_code_init(&f, FAKE_17);
	f.layout.walk.symbol_length = 0;
	f.layout.walk.symbol_length_shift = 16;
	f.layout.walk.symbol_body = 8;
	symbol = fake_code_symbol(&f, "ab");
	memcpy(fake_code_at(&f, symbol), &(uint32_t){2 << 16 | 0xfffe}, 4);
	assert_int_equal(symbol_read(&f.layout, &f.mem, symbol, text), 2);
	assert_string_equal(text, "ab");
	fake_code_release(&f);
}

CASE(symbol_of_full_length_is_read)
{
	struct fake_code f;
	uint64_t symbol;
	char *body;

	fake_code_init(&f, FAKE_17);
	symbol = fake_code_symbol(&f, "x");
	body = fake_code_at(&f, symbol + f.layout.walk.symbol_body);
	memset(body, 'x', SYMBOL_MAX);
	memset(fake_code_at(&f, symbol + f.layout.walk.symbol_length), 0xff, 2);
	assert_int_equal(symbol_read(&f.layout, &f.mem, symbol, text), SYMBOL_MAX);
	assert_int_equal(strlen(text), SYMBOL_MAX);
	fake_code_release(&f);
}

CASE(invalid_symbol_is_refused)
{
	struct fake_code f;
	uint64_t symbol;

	fake_code_init(&f, FAKE_17);
	assert_int_equal(symbol_read(&f.layout, &f.mem, fake_code_symbol(&f, ""), text), -EBADMSG);
	symbol = fake_code_symbol(&f, "abc");
	*(char *)fake_code_at(&f, symbol + f.layout.walk.symbol_body + 1) = 0;
	assert_int_equal(symbol_read(&f.layout, &f.mem, symbol, text), -EBADMSG);
	assert_int_equal(symbol_read(&f.layout, &f.mem, 0x10, text), -EFAULT);
	assert_int_equal(symbol_read(&f.layout, &f.mem, FAKE_BASE + FAKE_SIZE - 5, text), -EFAULT);
	fake_code_release(&f);
}

CASE(pool_slots_are_checked_and_lose_their_tag)
{
	struct fake_code f;
	uint64_t pool = FAKE_BASE + 4096, slot = 0x1235, symbol;

	fake_code_init(&f, FAKE_17);
	memcpy(fake_code_at(&f, pool + f.layout.pool_length), &(uint32_t){3}, 4);
	memcpy(fake_code_at(&f, pool + f.layout.walk.pool_size + 8), &slot, 8);
	assert_int_equal(symbol_in_pool(&f.layout, &f.mem, pool, 1, &symbol), 0);
	assert_int_equal(symbol, 0x1234);
	assert_int_equal(symbol_in_pool(&f.layout, &f.mem, pool, 0, &symbol), -EBADMSG);
	assert_int_equal(symbol_in_pool(&f.layout, &f.mem, pool, 2, &symbol), -EBADMSG); /* holds 0 */
	assert_int_equal(symbol_in_pool(&f.layout, &f.mem, pool, 3, &symbol), -EBADMSG);
	fake_code_release(&f);
}

CASE(names_are_distinguished_from_garbage)
{
	assert_true(symbol_names_class("a/B$$Lambda+0x0000000098041000"));
	assert_false(symbol_names_class("a.B"));
	assert_false(symbol_names_class("[I"));
	assert_true(symbol_names_method("<init>"));
	assert_true(symbol_names_method("adds two (numbers)"));
	assert_false(symbol_names_method("a/b"));
	assert_true(symbol_is_descriptor("(I[La/B;)V"));
	assert_false(symbol_is_descriptor("I"));
	assert_false(symbol_is_descriptor("(I"));
	assert_false(symbol_is_descriptor("()"));
}

CASE(page_cache_reads_a_page_once_until_it_is_cleared)
{
	static struct page_cache s;
	struct fake_code f;
	uint32_t v;

	fake_code_init(&f, FAKE_17);
	page_cache_init(&s, &f.mem);
	for (uint64_t at = FAKE_BASE; at < FAKE_BASE + 8192; at += 4)
		assert_int_equal(mem_u32(&s.mem, at, &v), 0);
	assert_int_equal(f.reads, 2);
	memset(fake_code_at(&f, FAKE_BASE + 4094), 0x11, 4);
	assert_int_equal(mem_u32(&s.mem, FAKE_BASE + 4094, &v), 0);
	assert_int_equal(v, 0);
	page_cache_clear(&s);
	assert_int_equal(mem_u32(&s.mem, FAKE_BASE + 4094, &v), 0);
	assert_int_equal(v, 0x11111111);
	assert_int_equal(f.reads, 4);
	fake_code_release(&f);
}

/* Like the pages of a code cache and of metaspace. */
CASE(page_cache_keeps_pages_that_are_far_apart)
{
	static struct page_cache s;
	struct fake_code f;
	uint64_t v;

	fake_code_init(&f, FAKE_17);
	page_cache_init(&s, &f.mem);
	for (int round = 0; round < 2; round++)
		for (uint64_t page = 0; page < FAKE_SIZE / PAGE_CACHE_PAGE; page += 4)
			assert_int_equal(mem_u64(&s.mem, FAKE_BASE + page * PAGE_CACHE_PAGE, &v), 0);
	assert_int_equal(f.reads, (FAKE_SIZE / PAGE_CACHE_PAGE + 3) / 4);
	fake_code_release(&f);
}

CASE(page_cache_separates_pages_and_returns_errors)
{
	static struct page_cache s;
	struct fake_code f;
	uint64_t v;

	fake_code_init(&f, FAKE_17);
	page_cache_init(&s, &f.mem);
	for (uint64_t page = 0; page < FAKE_SIZE / PAGE_CACHE_PAGE; page++)
		memcpy(fake_code_at(&f, FAKE_BASE + page * PAGE_CACHE_PAGE), &page, 8);
	for (uint64_t page = 0; page < FAKE_SIZE / PAGE_CACHE_PAGE; page++) {
		assert_int_equal(mem_u64(&s.mem, FAKE_BASE + page * PAGE_CACHE_PAGE, &v), 0);
		assert_int_equal(v, page);
	}
	assert_int_equal(mem_u64(&s.mem, FAKE_BASE + FAKE_SIZE - 4, &v), -EFAULT);
	assert_int_equal(mem_u64(&s.mem, FAKE_BASE - 8, &v), -EFAULT);
	assert_int_equal(mem_u64(&s.mem, UINT64_MAX - 3, &v), -EFAULT);
	fake_code_release(&f);
}
