// SPDX-License-Identifier: BSD-2-Clause
#include "user/print/render_cache.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/test.h"

#define TEXTS 4000u

static struct render_cache_key key_of(uint32_t i)
{
	return (struct render_cache_key){.key = i % 20, .chunk = i / 20 % 10, .type = i / 200 % 5, .form = i / 1000};
}

static void put(struct render_cache *r, uint32_t i)
{
	struct render_cache_key key = key_of(i);
	char text[16];
	int size = snprintf(text, sizeof(text), "text %u", i);

	render_cache_put(r, &key, text, size);
}

static bool has(const struct render_cache *r, uint32_t i)
{
	struct render_cache_key key = key_of(i);
	struct bytes out;
	char text[16];
	bool known;

	bytes_init(&out);
	snprintf(text, sizeof(text), "text %u", i);
	known = render_cache_get(r, &key, &out);
	bytes_put_u8(&out, 0);
	assert_string_equal((char *)out.data, known ? text : "");
	bytes_release(&out);
	return known;
}

CASE(texts_differ_by_each_part_of_the_key)
{
	struct render_cache r = {0};

	for (uint32_t i = 0; i < TEXTS; i++) {
		assert_false(has(&r, i));
		put(&r, i);
	}
	for (uint32_t i = 0; i < TEXTS; i++)
		assert_true(has(&r, i));
	render_cache_release(&r);
	assert_false(has(&r, 0));
}

CASE(memory_is_bounded)
{
	static char large[(64 << 10) + 1];
	struct render_cache r = {0};
	struct render_cache_key key = {0};
	struct bytes out;

	bytes_init(&out);
	for (key.key = 1; key.key <= 2000; key.key++) {
		render_cache_put(&r, &key, large, sizeof(large) - 1);
		assert_true(render_cache_get(&r, &key, &out));
		assert_int_equal(out.size, sizeof(large) - 1);
		assert_true(r.memory.size <= 48 << 20);
		bytes_clear(&out);
	}
	key.key = 1;
	assert_false(render_cache_get(&r, &key, &out));
	render_cache_put(&r, &key, large, sizeof(large));
	assert_false(render_cache_get(&r, &key, &out));
	bytes_release(&out);
	render_cache_release(&r);
}

CASE(text_without_memory_is_not_known)
{
	struct render_cache r = {0};
	unsigned int refused = 0;

	fail_nth_or_skip();
	for (uint32_t i = 0; i < TEXTS; i++) {
		bool known;

		fail_nth(1);
		put(&r, i);
		fail_nth(0);
		known = has(&r, i);
		refused += !known;
		if (!known)
			put(&r, i);
		assert_true(has(&r, i));
	}
	assert_in_range(refused, 4, TEXTS / 2);
	render_cache_release(&r);
}
