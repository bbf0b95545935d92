// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/process/perf_data.h"

/* A file as the JVM writes it, with the layout of its perfMemory.hpp. */
struct builder {
	uint8_t bytes[8192];
	uint32_t length, count;
};

static void put_u32(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

static void begin(struct builder *b)
{
	static const uint8_t head[] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};

	memset(b, 0, sizeof(*b));
	memcpy(b->bytes, head, sizeof(head));
	b->length = 32;
	put_u32(b->bytes + 24, 32);
}

static uint8_t *add(struct builder *b, const char *name, char type, uint32_t vector, const void *data, uint32_t size)
{
	uint8_t *entry = b->bytes + b->length;
	uint32_t data_at = (20 + strlen(name) + 1 + 7) & ~7u, length = (data_at + size + 7) & ~7u;

	put_u32(entry, length);
	put_u32(entry + 4, 20);
	put_u32(entry + 8, vector);
	entry[12] = type;
	put_u32(entry + 16, data_at);
	strcpy((char *)entry + 20, name);
	memcpy(entry + data_at, data, size);
	b->length += length;
	put_u32(b->bytes + 28, ++b->count);
	return entry;
}

static void add_string(struct builder *b, const char *name, const char *value)
{
	add(b, name, 'B', strlen(value) + 1, value, strlen(value) + 1);
}

static void add_long(struct builder *b, const char *name, int64_t value)
{
	add(b, name, 'J', 0, &value, sizeof(value));
}

/* In memory of exactly this size, so that the sanitizer detects reads past the end. */
static struct perf_data copy_of(const struct builder *b, size_t length)
{
	struct perf_data p = {malloc(length ? length : 1), length};

	memcpy(p.bytes, b->bytes, length);
	return p;
}

static void build_usual(struct builder *b)
{
	begin(b);
	add_long(b, "sun.rt.safepointTime", 123456789);
	add_string(b, "sun.rt.javaCommand", "shop.jar --fast");
	add_string(b, "java.property.java.version", "17.0.15");
	add_long(b, "sun.os.hrt.frequency", 1000000000);
}

CASE(counters_are_found_by_name_and_kind)
{
	struct builder b;
	struct perf_data p;
	char text[64], *whole;
	int64_t n = 0;

	build_usual(&b);
	p = copy_of(&b, b.length);
	assert_true(perf_data_string(&p, "java.property.java.version", text, sizeof(text)));
	assert_string_equal(text, "17.0.15");
	assert_true(perf_data_string(&p, "sun.rt.javaCommand", text, 5));
	assert_string_equal(text, "shop");
	whole = perf_data_strdup(&p, "sun.rt.javaCommand");
	assert_string_equal(whole, "shop.jar --fast");
	assert_true(perf_data_long(&p, "sun.os.hrt.frequency", &n));
	assert_int_equal(n, 1000000000);
	assert_false(perf_data_long(&p, "sun.rt.javaCommand", &n));
	assert_false(perf_data_string(&p, "sun.os.hrt.frequency", text, sizeof(text)));
	assert_false(perf_data_string(&p, "sun.rt", text, sizeof(text)));
	free(whole);
	perf_data_release(&p);
}

CASE(a_file_that_is_not_finished_has_no_counters)
{
	struct builder b;
	struct perf_data p;
	int64_t n;

	build_usual(&b);
	b.bytes[7] = 0;
	p = copy_of(&b, b.length);
	assert_false(perf_data_valid(&p));
	assert_false(perf_data_long(&p, "sun.os.hrt.frequency", &n));
	perf_data_release(&p);
}

CASE(other_magic_byte_order_or_version_is_refused)
{
	static const int places[] = {0, 3, 4, 5};
	struct builder b;
	struct perf_data p;

	for (int i = 0; i < 4; i++) {
		build_usual(&b);
		b.bytes[places[i]] ^= 3;
		p = copy_of(&b, b.length);
		assert_false(perf_data_valid(&p));
		perf_data_release(&p);
	}
}

CASE(a_file_cut_anywhere_is_read_up_to_there)
{
	struct builder b;
	struct perf_data p;
	int64_t n;
	char text[64];

	build_usual(&b);
	for (uint32_t length = 0; length < b.length; length++) {
		p = copy_of(&b, length);
		assert_false(perf_data_long(&p, "sun.os.hrt.frequency", &n));
		perf_data_string(&p, "sun.rt.javaCommand", text, sizeof(text));
		perf_data_release(&p);
	}
}

CASE(an_entry_that_points_outside_ends_the_search)
{
	static const struct {
		int at;
		uint32_t value;
	} lies[] = {{0, 0}, {0, 19}, {0, 0xffffffff}, {4, 0xfffffff0}, {4, 200}, {16, 0xffffffff}, {16, 200}};
	struct builder b;
	struct perf_data p;
	uint8_t *entry;
	int64_t n;

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		begin(&b);
		entry = add(&b, "first", 'J', 0, &n, sizeof(n));
		add_long(&b, "second", 2);
		put_u32(entry + lies[i].at, lies[i].value);
		p = copy_of(&b, b.length);
		assert_false(perf_data_long(&p, "second", &n));
		perf_data_release(&p);
	}
}

CASE(a_string_ends_with_its_entry_whatever_its_length_says)
{
	struct builder b;
	struct perf_data p;
	char text[64];

	begin(&b);
	add(&b, "long", 'B', 0xffffffff, "abcdefgh", 8);
	p = copy_of(&b, b.length);
	assert_true(perf_data_string(&p, "long", text, sizeof(text)));
	assert_string_equal(text, "abcdefgh");
	perf_data_release(&p);
}

CASE(unterminated_name_and_truncated_number_are_refused)
{
	struct builder b;
	struct perf_data p;
	uint8_t *entry;
	int64_t n;

	begin(&b);
	entry = add(&b, "first", 'J', 0, "\1\1\1\1\1\1\1\1", 8);
	put_u32(entry + 4, b.length - 32 - 3);
	p = copy_of(&b, b.length);
	assert_false(perf_data_long(&p, "\1\1\1\1", &n));
	perf_data_release(&p);
	begin(&b);
	entry = add(&b, "first", 'J', 0, "\1\1\1\1\1\1\1\1", 8);
	put_u32(entry + 16, b.length - 32 - 4);
	p = copy_of(&b, b.length);
	assert_false(perf_data_long(&p, "first", &n));
	perf_data_release(&p);
}

CASE(a_first_entry_far_outside_is_no_entry)
{
	struct builder b;
	struct perf_data p;
	int64_t n;

	build_usual(&b);
	put_u32(b.bytes + 24, 0xfffffff0);
	p = copy_of(&b, b.length);
	assert_false(perf_data_long(&p, "sun.os.hrt.frequency", &n));
	perf_data_release(&p);
}

CASE(random_damage_is_harmless)
{
	struct builder b;
	struct perf_data p;
	char text[64], *whole;
	int64_t n;

	srand(1);
	for (int round = 0; round < 20000; round++) {
		build_usual(&b);
		for (int i = rand() % 8; i >= 0; i--)
			b.bytes[8 + rand() % (b.length - 8)] = rand();
		p = copy_of(&b, b.length);
		perf_data_long(&p, "sun.os.hrt.frequency", &n);
		perf_data_string(&p, "java.property.java.version", text, sizeof(text));
		whole = perf_data_strdup(&p, "sun.rt.javaCommand");
		free(whole);
		perf_data_release(&p);
	}
}

/* ---- the Java heap */

#define MB (1ll << 20)

static void set(struct builder *c, const char *name, int64_t value)
{
	char whole[96];

	snprintf(whole, sizeof(whole), "sun.gc.%s", name);
	add_long(c, whole, value);
}

static void set_space(struct builder *c, const char *place, int64_t capacity, int64_t used)
{
	char name[96];

	snprintf(name, sizeof(name), "generation.%s.capacity", place);
	set(c, name, capacity);
	snprintf(name, sizeof(name), "generation.%s.used", place);
	set(c, name, used);
}

static void set_generation(struct builder *c, int generation, int64_t most, int64_t capacity)
{
	char name[96];

	snprintf(name, sizeof(name), "generation.%d.maxCapacity", generation);
	set(c, name, most);
	snprintf(name, sizeof(name), "generation.%d.capacity", generation);
	set(c, name, capacity);
}

static void set_exits(struct builder *c, int64_t young, int64_t full)
{
	set(c, "collector.0.lastExitTime", young);
	set(c, "collector.1.lastExitTime", full);
}

static bool is_full(const struct builder *c, int jdk, struct heap_room *room)
{
	struct perf_data p = {(uint8_t *)c->bytes, c->length};

	return perf_data_heap_is_full(&p, jdk, room);
}

/* 10 MB young, 22 MB old, all used but for `eden`, `survivor` and `old` bytes. */
static struct builder generations(const char *policy, int64_t eden, int64_t survivor, int64_t old)
{
	struct builder c;

	begin(&c);
	add_string(&c, "sun.gc.policy.name", policy);
	set_generation(&c, 0, 10 * MB, 10 * MB);
	set_generation(&c, 1, 22 * MB, 22 * MB);
	set_space(&c, "0.space.0", 8 * MB, 8 * MB - eden);
	set_space(&c, "0.space.1", MB, MB - survivor);
	set_space(&c, "0.space.2", MB, 0);
	set_space(&c, "1.space.0", 22 * MB, 22 * MB - old);
	return c;
}

CASE(heap_is_full_when_no_generation_has_room_after_a_full_collection)
{
	struct builder c = generations("Copy:MSC", 24, 0, 4096);
	struct heap_room room;

	set_exits(&c, 5, 7);
	assert_true(is_full(&c, 17, &room));
	assert_int_equal(room.left, 24 + 4096);
	assert_int_equal(room.limit, 32 * MB);
}

CASE(eden_just_before_a_collection_is_no_full_heap)
{
	struct builder old_has_room = generations("Copy:MSC", 0, 0, MB),
		       young_came_last = generations("ParScav:MSC", 0, MB, 0);
	struct heap_room room;

	set_exits(&old_has_room, 5, 7);
	assert_false(is_full(&old_has_room, 17, &room));
	set_exits(&young_came_last, 8, 7);
	assert_false(is_full(&young_came_last, 17, &room));
}

CASE(survivor_space_is_room_where_the_collector_uses_it)
{
	struct builder serial = generations("Copy:MSC", 0, MB, 0), parallel = generations("ParScav:MSC", 0, MB, 0);
	struct heap_room room;

	set_exits(&serial, 5, 7);
	set_exits(&parallel, 5, 7);
	assert_false(is_full(&serial, 21, &room));
	assert_true(is_full(&serial, 25, &room));
	assert_true(is_full(&parallel, 21, &room));
}

CASE(heap_that_can_grow_is_not_full)
{
	struct builder c;
	struct heap_room room;

	begin(&c);
	add_string(&c, "sun.gc.policy.name", "Copy:MSC");
	set_generation(&c, 0, 10 * MB, 10 * MB);
	set_generation(&c, 1, 64 * MB, 22 * MB);
	set_space(&c, "1.space.0", 22 * MB, 22 * MB);
	set_exits(&c, 5, 7);
	assert_false(is_full(&c, 17, &room));
	assert_int_equal(room.left, 42 * MB);
}

/* JDK 28: the generations share the heap. */
CASE(old_generation_may_be_the_whole_heap)
{
	struct builder c;
	struct heap_room room;

	begin(&c);
	add_string(&c, "sun.gc.policy.name", "ParScav:MSC");
	set_generation(&c, 0, 10 * MB, 0);
	set_generation(&c, 1, 32 * MB, 32 * MB);
	set_space(&c, "1.space.0", 32 * MB, 32 * MB - 16);
	set_exits(&c, 5, 7);
	assert_false(is_full(&c, 27, &room));
	assert_true(is_full(&c, 28, &room));
	assert_int_equal(room.limit, 32 * MB);
}

static struct builder regions(int64_t limit, int64_t used)
{
	struct builder c;

	begin(&c);
	add_string(&c, "sun.gc.policy.name", "GarbageFirst");
	set_generation(&c, 0, limit, 0);
	set_generation(&c, 1, limit, limit);
	set_space(&c, "0.space.0", 4 * MB, MB);
	set_space(&c, "1.space.0", limit, used - MB);
	return c;
}

CASE(g1_is_full_with_a_few_regions_left_after_a_full_collection)
{
	struct builder full = regions(64 * MB, 62 * MB), room_left = regions(64 * MB, 59 * MB),
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
CASE(zgc_is_not_full_with_its_pages_used_up_at_the_last_pause)
{
	struct builder c;
	struct heap_room room;

	begin(&c);
	add_string(&c, "sun.gc.collector.2.name", "ZGC major collection pauses");
	set_generation(&c, 1, 64 * MB, 64 * MB);
	set_space(&c, "1.space.0", 64 * MB, 64 * MB);
	set_exits(&c, 5, 7);
	assert_false(is_full(&c, 25, &room));
}

CASE(heap_is_not_full_where_nothing_is_known)
{
	struct builder c;
	struct heap_room room;

	begin(&c);
	assert_false(is_full(&c, 17, &room));
	begin(&c);
	add_string(&c, "sun.gc.policy.name", "Copy:MSC");
	assert_false(is_full(&c, 17, &room));
	set_exits(&c, -1, INT64_MAX);
	set_generation(&c, 0, INT64_MIN, INT64_MAX);
	assert_false(is_full(&c, 17, &room));
	begin(&c);
	add_string(&c, "sun.gc.policy.name", "GarbageFirst");
	set_exits(&c, 5, 7);
	assert_false(is_full(&c, 17, &room));
}
