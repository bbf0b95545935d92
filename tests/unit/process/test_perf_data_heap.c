// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/perf_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MB (1ll << 20)

/* A file of counters, in the layout that perf_data.c describes. */
struct counters {
	uint8_t bytes[8192];
	uint32_t length, count;
};

static void put_u32(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

static void put(struct counters *c, const char *name, char type, const void *value, uint32_t size)
{
	uint8_t *entry = c->bytes + c->length;
	uint32_t at = (20 + strlen(name) + 1 + 7) & ~7u, length = (at + size + 7) & ~7u;

	put_u32(entry, length);
	put_u32(entry + 4, 20);
	put_u32(entry + 8, type == 'B' ? size : 0);
	entry[12] = type;
	put_u32(entry + 16, at);
	strcpy((char *)entry + 20, name);
	memcpy(entry + at, value, size);
	c->length += length;
	put_u32(c->bytes + 28, ++c->count);
}

static void begin(struct counters *c, const char *policy)
{
	static const uint8_t head[] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};

	*c = (struct counters){.length = 32};
	memcpy(c->bytes, head, sizeof(head));
	put_u32(c->bytes + 24, 32);
	if (policy)
		put(c, "sun.gc.policy.name", 'B', policy, strlen(policy) + 1);
}

static void set(struct counters *c, const char *name, int64_t value)
{
	char whole[96];

	snprintf(whole, sizeof(whole), "sun.gc.%s", name);
	put(c, whole, 'J', &value, sizeof(value));
}

static void set_space(struct counters *c, const char *place, int64_t capacity, int64_t used)
{
	char name[96];

	snprintf(name, sizeof(name), "generation.%s.capacity", place);
	set(c, name, capacity);
	snprintf(name, sizeof(name), "generation.%s.used", place);
	set(c, name, used);
}

static void set_generation(struct counters *c, int generation, int64_t most, int64_t capacity)
{
	char name[96];

	snprintf(name, sizeof(name), "generation.%d.maxCapacity", generation);
	set(c, name, most);
	snprintf(name, sizeof(name), "generation.%d.capacity", generation);
	set(c, name, capacity);
}

static void set_exits(struct counters *c, int64_t young, int64_t full)
{
	set(c, "collector.0.lastExitTime", young);
	set(c, "collector.1.lastExitTime", full);
}

static bool is_full(const struct counters *c, int jdk, struct heap_room *room)
{
	struct perf_data p = {(uint8_t *)c->bytes, c->length};

	return perf_data_heap_is_full(&p, jdk, room);
}

/* 10 MB young, 22 MB old, all used but for `eden`, `survivor` and `old` bytes. */
static struct counters generations(const char *policy, int64_t eden, int64_t survivor, int64_t old)
{
	struct counters c;

	begin(&c, policy);
	set_generation(&c, 0, 10 * MB, 10 * MB);
	set_generation(&c, 1, 22 * MB, 22 * MB);
	set_space(&c, "0.space.0", 8 * MB, 8 * MB - eden);
	set_space(&c, "0.space.1", MB, MB - survivor);
	set_space(&c, "0.space.2", MB, 0);
	set_space(&c, "1.space.0", 22 * MB, 22 * MB - old);
	return c;
}

static void heap_is_full_when_no_generation_has_room_after_a_full_collection(void **state)
{
	struct counters c = generations("Copy:MSC", 24, 0, 4096);
	struct heap_room room;

	set_exits(&c, 5, 7);
	assert_true(is_full(&c, 17, &room));
	assert_int_equal(room.left, 24 + 4096);
	assert_int_equal(room.limit, 32 * MB);
}

static void eden_just_before_a_collection_is_no_full_heap(void **state)
{
	struct counters old_has_room = generations("Copy:MSC", 0, 0, MB),
			young_came_last = generations("ParScav:MSC", 0, MB, 0);
	struct heap_room room;

	set_exits(&old_has_room, 5, 7);
	assert_false(is_full(&old_has_room, 17, &room));
	set_exits(&young_came_last, 8, 7);
	assert_false(is_full(&young_came_last, 17, &room));
}

static void survivor_space_is_room_where_the_collector_uses_it(void **state)
{
	struct counters serial = generations("Copy:MSC", 0, MB, 0), parallel = generations("ParScav:MSC", 0, MB, 0);
	struct heap_room room;

	set_exits(&serial, 5, 7);
	set_exits(&parallel, 5, 7);
	assert_false(is_full(&serial, 21, &room));
	assert_true(is_full(&serial, 25, &room));
	assert_true(is_full(&parallel, 21, &room));
}

static void heap_that_can_grow_is_not_full(void **state)
{
	struct counters c;
	struct heap_room room;

	begin(&c, "Copy:MSC");
	set_generation(&c, 0, 10 * MB, 10 * MB);
	set_generation(&c, 1, 64 * MB, 22 * MB);
	set_space(&c, "1.space.0", 22 * MB, 22 * MB);
	set_exits(&c, 5, 7);
	assert_false(is_full(&c, 17, &room));
	assert_int_equal(room.left, 42 * MB);
}

/* JDK 28: the generations share the heap. */
static void old_generation_may_be_the_whole_heap(void **state)
{
	struct counters c;
	struct heap_room room;

	begin(&c, "ParScav:MSC");
	set_generation(&c, 0, 10 * MB, 0);
	set_generation(&c, 1, 32 * MB, 32 * MB);
	set_space(&c, "1.space.0", 32 * MB, 32 * MB - 16);
	set_exits(&c, 5, 7);
	assert_false(is_full(&c, 27, &room));
	assert_true(is_full(&c, 28, &room));
	assert_int_equal(room.limit, 32 * MB);
}

static struct counters regions(int64_t limit, int64_t used)
{
	struct counters c;

	begin(&c, "GarbageFirst");
	set_generation(&c, 0, limit, 0);
	set_generation(&c, 1, limit, limit);
	set_space(&c, "0.space.0", 4 * MB, MB);
	set_space(&c, "1.space.0", limit, used - MB);
	return c;
}

static void g1_is_full_with_a_few_regions_left_after_a_full_collection(void **state)
{
	struct counters full = regions(64 * MB, 62 * MB), room_left = regions(64 * MB, 59 * MB),
			large = regions(32768 * MB, 32700 * MB), small = regions(16 * MB, 14 * MB);
	struct heap_room room;

	assert_false(is_full(&full, 17, &room));
	set_exits(&full, 5, 7);
	set_exits(&room_left, 5, 7);
	set_exits(&large, 5, 7);
	assert_true(is_full(&full, 17, &room));
	assert_int_equal(room.left, 2 * MB);
	assert_false(is_full(&room_left, 17, &room));
	assert_true(is_full(&large, 17, &room));
	set_exits(&small, 5, 7);
	assert_false(is_full(&small, 17, &room));
}

/* What the last pause has counted may have been freed since then. */
static void zgc_is_not_full_with_its_pages_used_up_at_the_last_pause(void **state)
{
	struct counters c;
	struct heap_room room;

	begin(&c, NULL);
	put(&c, "sun.gc.collector.2.name", 'B', "ZGC major collection pauses", 28);
	set_generation(&c, 1, 64 * MB, 64 * MB);
	set_space(&c, "1.space.0", 64 * MB, 64 * MB);
	set_exits(&c, 5, 7);
	assert_false(is_full(&c, 25, &room));
}

static void heap_is_not_full_where_nothing_is_known(void **state)
{
	struct counters c;
	struct heap_room room;

	begin(&c, NULL);
	assert_false(is_full(&c, 17, &room));
	begin(&c, "Copy:MSC");
	assert_false(is_full(&c, 17, &room));
	set_exits(&c, -1, INT64_MAX);
	set_generation(&c, 0, INT64_MIN, INT64_MAX);
	assert_false(is_full(&c, 17, &room));
	begin(&c, "GarbageFirst");
	set_exits(&c, 5, 7);
	assert_false(is_full(&c, 17, &room));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_is_full_when_no_generation_has_room_after_a_full_collection),
		cmocka_unit_test(eden_just_before_a_collection_is_no_full_heap),
		cmocka_unit_test(survivor_space_is_room_where_the_collector_uses_it),
		cmocka_unit_test(heap_that_can_grow_is_not_full),
		cmocka_unit_test(old_generation_may_be_the_whole_heap),
		cmocka_unit_test(g1_is_full_with_a_few_regions_left_after_a_full_collection),
		cmocka_unit_test(zgc_is_not_full_with_its_pages_used_up_at_the_last_pause),
		cmocka_unit_test(heap_is_not_full_where_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
