// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_pool.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/test.h"

static uint64_t intern(struct jfr_pools *p, enum jfr_type type, const char *payload, uint64_t id, uint32_t ref)
{
	struct bytes b;
	struct jfr_constant c = {.id = {id}, .ref = {ref}, .payload = &b};
	uint64_t key;

	bytes_init(&b);
	bytes_put_text(&b, payload, 1000);
	key = jfr_pools_intern(p, type, &c);
	bytes_release(&b);
	return key;
}

static uint64_t numbered(struct jfr_pools *p, enum jfr_type type, unsigned int n)
{
	char text[32];

	snprintf(text, sizeof(text), "number %u", n);
	return intern(p, type, text, 0, 0);
}

static size_t written(struct jfr_pools *p, const char *text)
{
	struct jfr_schema s = {.users = 0};
	struct jfr_region region = {.locale = "en_US"};
	struct bytes out;
	size_t found;

	assert_int_equal(jfr_schema_init(&s, &region, JFR_KERNEL_NONE, false, 1), 0);
	bytes_init(&out);
	jfr_pools_write(p, &s, &out, 0, 0);
	found = out.size && memmem(out.data, out.size, text, strlen(text));
	bytes_release(&out);
	jfr_schema_release(&s);
	return found;
}

CASE(equal_constants_have_one_key)
{
	struct jfr_pools p;
	uint64_t a, b;

	jfr_pools_init(&p);
	a = intern(&p, JFR_SYMBOL, "a", 0, 0);
	b = intern(&p, JFR_SYMBOL, "b", 0, 0);
	assert_true(a == 1 && b == 2);
	assert_int_equal(intern(&p, JFR_SYMBOL, "a", 0, 0), a);
	assert_int_equal(intern(&p, JFR_SYMBOL, "b", 0, 0), b);
	assert_int_equal(intern(&p, JFR_THREAD_GROUP, "b", 0, 0), 1);
	jfr_pools_release(&p);
}

CASE(constants_with_equal_ids_are_equal)
{
	struct jfr_pools p;

	jfr_pools_init(&p);
	assert_int_equal(intern(&p, JFR_CLASS, "modifiers 1", 7, 0), 1);
	assert_int_equal(intern(&p, JFR_CLASS, "modifiers 33", 7, 0), 1);
	assert_int_equal(intern(&p, JFR_CLASS, "modifiers 1", 8, 0), 2);
	jfr_pools_release(&p);
}

CASE(many_constants_keep_their_keys)
{
	struct jfr_pools p;
	unsigned int i;

	jfr_pools_init(&p);
	for (i = 1; i <= 50000; i++)
		assert_int_equal(numbered(&p, JFR_SYMBOL, i), i);
	for (i = 1; i <= 50000; i++)
		assert_int_equal(numbered(&p, JFR_SYMBOL, i), i);
	jfr_pools_release(&p);
}

CASE(unassigned_keys_are_unknown)
{
	struct jfr_pools p;

	jfr_pools_init(&p);
	assert_false(jfr_pools_use(&p, JFR_SYMBOL, 1));
	assert_false(jfr_pools_use(&p, JFR_THREAD, 1));
	intern(&p, JFR_SYMBOL, "a", 0, 0);
	intern(&p, JFR_THREAD, "a", 0, 0);
	assert_true(jfr_pools_use(&p, JFR_SYMBOL, 1));
	assert_true(jfr_pools_use(&p, JFR_THREAD, 1));
	assert_false(jfr_pools_use(&p, JFR_SYMBOL, 2));
	assert_false(jfr_pools_use(&p, JFR_SYMBOL, 0));
	assert_false(jfr_pools_use(&p, JFR_SYMBOL, UINT64_MAX));
	assert_false(jfr_pools_use(&p, JFR_THREAD, 2));
	assert_false(jfr_pools_use(&p, JFR_THREAD, 0));
	assert_false(jfr_pools_use(&p, JFR_THREAD, (1ull << 32) + 1));
	jfr_pools_release(&p);
}

CASE(only_used_constants_and_their_references_are_written)
{
	struct jfr_pools p;
	uint64_t class;

	jfr_pools_init(&p);
	intern(&p, JFR_SYMBOL, "class name", 0, 0);
	intern(&p, JFR_SYMBOL, "other name", 0, 0);
	class = intern(&p, JFR_CLASS, "class", 1, 1);
	intern(&p, JFR_METHOD, "method", 1, class);
	assert_false(written(&p, "method"));
	assert_true(jfr_pools_use(&p, JFR_METHOD, 1));
	assert_true(written(&p, "method"));
	assert_true(written(&p, "class"));
	assert_true(written(&p, "class name"));
	assert_false(written(&p, "other name"));
	jfr_pools_next(&p);
	assert_false(written(&p, "method"));
	assert_false(written(&p, "class name"));
	jfr_pools_release(&p);
}

CASE(chunk_without_constants_has_an_empty_checkpoint)
{
	struct jfr_schema s = {0};
	struct jfr_pools p;
	struct bytes out;

	jfr_pools_init(&p);
	bytes_init(&out);
	intern(&p, JFR_SYMBOL, "a", 0, 0);
	bytes_put_u8(&out, 0); /* so that position 0 is not the answer */
	assert_int_equal(jfr_pools_write(&p, &s, &out, 0, 0), 1);
	assert_int_equal(out.data[out.size - 1], 0); /* no pools */
	jfr_pools_release(&p);
	bytes_release(&out);
}

CASE(threads_are_forgotten_after_two_chunks_without_them)
{
	struct jfr_pools p;
	uint64_t a, b;

	jfr_pools_init(&p);
	a = intern(&p, JFR_THREAD, "a", 0, 0);
	b = intern(&p, JFR_THREAD, "b", 0, 0);
	jfr_pools_use(&p, JFR_THREAD, a);
	jfr_pools_use(&p, JFR_THREAD, b);
	jfr_pools_next(&p);
	jfr_pools_use(&p, JFR_THREAD, b);
	jfr_pools_next(&p);
	assert_true(jfr_pools_use(&p, JFR_THREAD, b));
	assert_int_equal(intern(&p, JFR_THREAD, "a", 0, 0), a);
	jfr_pools_next(&p);
	assert_false(jfr_pools_use(&p, JFR_THREAD, a));
	assert_true(jfr_pools_use(&p, JFR_THREAD, b));
	assert_int_equal(intern(&p, JFR_THREAD, "b", 0, 0), b);
	assert_int_equal(intern(&p, JFR_THREAD, "a", 0, 0), 3); /* a key is not reused */
	jfr_pools_release(&p);
}

CASE(few_methods_are_kept_for_ever)
{
	struct jfr_pools p;
	unsigned int i;

	jfr_pools_init(&p);
	intern(&p, JFR_METHOD, "m", 1, 0);
	for (i = 0; i < 100; i++)
		jfr_pools_next(&p);
	assert_int_equal(intern(&p, JFR_METHOD, "m", 1, 0), 1);
	assert_true(jfr_pools_use(&p, JFR_METHOD, 1));
	jfr_pools_release(&p);
}

/* 100 chunks of 10,000 new threads each, one old thread in between. */
CASE(memory_is_bounded_with_a_million_threads)
{
	const struct jfr_pool *pool;
	struct jfr_pools p;
	uint64_t old, key = 0;
	unsigned int i;

	jfr_pools_init(&p);
	pool = &p.pool[JFR_THREAD - JFR_FIRST_POOL];
	old = intern(&p, JFR_THREAD, "old", 0, 0);
	for (i = 0; i < 1000000; i++) {
		key = numbered(&p, JFR_THREAD, i);
		assert_true(jfr_pools_use(&p, JFR_THREAD, key));
		if (i % 10000 == 9999) {
			assert_true(jfr_pools_use(&p, JFR_THREAD, old));
			jfr_pools_next(&p);
		}
	}
	assert_int_equal(key, 1000001);
	assert_int_equal(intern(&p, JFR_THREAD, "old", 0, 0), old);
	assert_true(pool->count <= 20001 && pool->capacity <= 65536 && pool->payload.capacity <= 1 << 20);
	jfr_pools_release(&p);
}

/*
 * 300 chunks of 1,000 classes that are never used again, each with a name of 900 letters, and one class that is
 * always used.
 */
CASE(memory_is_bounded_with_endless_classes)
{
	const struct jfr_pool *symbols;
	struct jfr_pools p;
	uint64_t old_name, old, name, made = 0;
	char text[1000];

	jfr_pools_init(&p);
	symbols = &p.pool[JFR_SYMBOL - JFR_FIRST_POOL];
	old_name = intern(&p, JFR_SYMBOL, "old", 0, 0);
	old = intern(&p, JFR_CLASS, "", 1, old_name);
	for (unsigned int i = 0; i < 60000; i++) {
		snprintf(text, sizeof(text), "%0900u", i);
		name = intern(&p, JFR_SYMBOL, text, 0, 0);
		made = intern(&p, JFR_CLASS, "", 2 + i, name);
		assert_true(name && made);
		if (i % 3) /* one is on a stack that is in no event yet */
			assert_true(jfr_pools_use(&p, JFR_CLASS, made));
		if (i % 1000 == 999) {
			assert_true(jfr_pools_use(&p, JFR_CLASS, old));
			jfr_pools_next(&p);
			assert_int_not_equal(jfr_pool_find(&p.pool[JFR_CLASS - JFR_FIRST_POOL], made), JFR_UNKNOWN);
			assert_int_not_equal(jfr_pool_find(symbols, name), JFR_UNKNOWN);
		}
	}
	assert_int_equal(intern(&p, JFR_CLASS, "", 1, old_name), old);
	assert_int_equal(intern(&p, JFR_SYMBOL, "old", 0, 0), old_name);
	assert_false(jfr_pools_use(&p, JFR_CLASS, old + 1));
	assert_true(jfr_pools_use(&p, JFR_CLASS, made)); /* with what it refers to */
	assert_true(written(&p, "0059999"));
	assert_in_range(symbols->payload.size, 1, 20 << 20);
	jfr_pools_release(&p);
}

/* After a chunk in which every second thread was idle for long, each key still leads to its own thread. */
CASE(keys_lead_to_their_threads_after_forgetting)
{
	struct jfr_pools p;
	unsigned int i, round;

	jfr_pools_init(&p);
	for (i = 1; i <= 5000; i++)
		jfr_pools_use(&p, JFR_THREAD, numbered(&p, JFR_THREAD, i));
	for (round = 0; round < 3; round++) {
		for (i = 1; i <= 5000; i += 2)
			assert_true(jfr_pools_use(&p, JFR_THREAD, i));
		jfr_pools_next(&p);
	}
	for (i = 1; i <= 5000; i++) {
		assert_int_equal(jfr_pools_use(&p, JFR_THREAD, i), i % 2);
		if (i % 2)
			assert_int_equal(numbered(&p, JFR_THREAD, i), i);
	}
	assert_true(written(&p, "number 4999"));
	assert_false(written(&p, "number 4998"));
	jfr_pools_release(&p);
}

CASE(failed_allocation_gives_no_key_and_harms_nothing)
{
	struct jfr_pools p;
	unsigned int n, i;
	bool happened = true;

	fail_nth_or_skip();
	for (n = 1; happened; n++) {
		jfr_pools_init(&p);
		fail_nth(n);
		for (i = 0; i < 100; i++)
			numbered(&p, JFR_THREAD, i);
		happened = fail_nth_end();
		for (i = 0; i < 100; i++) {
			uint64_t key = numbered(&p, JFR_THREAD, i);

			assert_true(key && jfr_pools_use(&p, JFR_THREAD, key));
			assert_int_equal(numbered(&p, JFR_THREAD, i), key);
		}
		assert_int_equal(p.failed, happened);
		jfr_pools_release(&p);
	}
	assert_true(n > 20);
}
