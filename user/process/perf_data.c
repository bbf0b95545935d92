// SPDX-License-Identifier: BSD-2-Clause
/*
 * Layout of the file; all numbers are in the JVM's byte order:
 *
 *	 0 u32 magic: bytes ca fe c0 c0        24 u32 entry_offset (first entry)
 *	 4 u8 byte order (1: little endian)    28 u32 num_entries
 *	 5 u8 major 2, 6 u8 minor 0            then the entries:
 *	 7 u8 accessible (1: complete)         +0 u32 entry_length, +4 u32 name_offset, +8 u32 vector_length,
 *	 8 u32 used, 12 u32 overflow           +12 u8 data_type ('J' long, 'B' byte), +13 u8 flags, +14 u8 units,
 *	16 u64 mod_time_stamp                  +15 u8 variability, +16 u32 data_offset
 *
 * Offsets in an entry are relative to the entry. A string is a vector of bytes.
 */
#include "user/process/perf_data.h"
#include "user/process/root_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PROLOGUE 32
#define ENTRY	 20
#define MAX_SIZE (8u << 20)

struct entry {
	const char *name;
	const uint8_t *data;
	size_t capacity; /* bytes from data to the end of the entry */
	uint32_t vector_length;
	char type;
};

static uint32_t get_u32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

bool perf_data_valid(const struct perf_data *p)
{
	static const uint8_t magic[] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2};

	return p->length >= PROLOGUE && memcmp(p->bytes, magic, sizeof(magic)) == 0 && p->bytes[7] == 1;
}

/* All zero, or complete except for the byte `accessible`. */
static bool is_unfinished(const struct perf_data *p)
{
	return p->length < PROLOGUE || p->bytes[7] == 0;
}

/* Read the entry at *offset and advance. Returns false at the end, or if something is out of bounds. */
static bool next_entry(const struct perf_data *p, size_t *offset, struct entry *e)
{
	const uint8_t *at = p->bytes + *offset;
	uint32_t length, name, data;

	if (*offset > p->length || p->length - *offset < ENTRY)
		return false;
	length = get_u32(at);
	name = get_u32(at + 4);
	data = get_u32(at + 16);
	if (length < ENTRY || length > p->length - *offset || name >= length || data > length ||
	    !memchr(at + name, 0, length - name))
		return false;
	e->name = (const char *)at + name;
	e->data = at + data;
	e->capacity = length - data;
	e->vector_length = get_u32(at + 8);
	e->type = at[12];
	*offset += length;
	return true;
}

static bool find_entry(const struct perf_data *p, const char *name, struct entry *e)
{
	size_t offset;
	uint32_t left;

	if (!perf_data_valid(p))
		return false;
	offset = get_u32(p->bytes + 24);
	for (left = get_u32(p->bytes + 28); left && next_entry(p, &offset, e); left--)
		if (strcmp(e->name, name) == 0)
			return true;
	return false;
}

/* The text of a string counter with its length, or NULL. */
static const char *find_string(const struct perf_data *p, const char *name, size_t *length)
{
	struct entry e;

	if (!find_entry(p, name, &e) || e.type != 'B' || !e.vector_length)
		return NULL;
	*length = strnlen((const char *)e.data, e.vector_length < e.capacity ? e.vector_length : e.capacity);
	return (const char *)e.data;
}

bool perf_data_string(const struct perf_data *p, const char *name, char *out, size_t size)
{
	size_t length;
	const char *s = find_string(p, name, &length);

	if (s)
		snprintf(out, size, "%.*s", (int)(length < size ? length : size), s);
	return s;
}

char *perf_data_strdup(const struct perf_data *p, const char *name)
{
	size_t length;
	const char *s = find_string(p, name, &length);

	return s ? strndup(s, length) : NULL;
}

bool perf_data_long(const struct perf_data *p, const char *name, int64_t *out)
{
	struct entry e;

	if (!find_entry(p, name, &e) || e.type != 'J' || e.vector_length || e.capacity < sizeof(*out))
		return false;
	memcpy(out, e.data, sizeof(*out));
	return true;
}

int perf_data_read(const struct target *t, struct perf_data *out)
{
	int fd, r = 0;

	*out = (struct perf_data){0};
	fd = root_path_open_perf_data(t);
	if (fd < 0)
		return fd;
	out->bytes = (uint8_t *)proc_read_fd(fd, MAX_SIZE, &out->length);
	if (!out->bytes)
		r = -errno;
	else if (!perf_data_valid(out))
		r = is_unfinished(out) ? -EAGAIN : -ENOENT;
	if (r)
		perf_data_release(out);
	close(fd);
	return r;
}

void perf_data_release(struct perf_data *p)
{
	free(p->bytes);
	*p = (struct perf_data){0};
}

/*
 * HotSpot's counters of the heap: sun.gc.generation.G.space.S.{used,capacity}, generation.G.{capacity,maxCapacity} and
 * collector.C.lastExitTime (0: young, 1: full collections).
 *
 * Serial, Parallel	used is sampled 20 times a second. Nothing is left if the generations cannot grow, and eden and old are
 *			used up. Up to JDK 21 at least, Serial allocates in a survivor space in the end.
 * G1			used is of the last collection. What is allocated since then is unknown, as is what regions that are
 *			filled in part could still take. So some regions are as good as none.
 * ZGC			used is of the last pause, and no pause follows when a collection has freed its pages. So it is unknown.
 *
 * Spaces that are full just before a collection are normal. So with Serial and Parallel they count only after a full
 * collection without a young one since. G1 needs a full one only if nothing else helps.
 */
#define NO_SURVIVORS_SINCE 25	       /* Serial; 22 to 24 were not measured */
#define SHARED_SINCE	   28	       /* Parallel: the old generation may become the whole heap */
#define LEAST		   (32u << 10) /* an attach and a recording of some classes take less than 10 KB */
#define LEAST_REGIONS	   (4u << 20) /* of a collector that counts regions, 1/16 of a small heap, 1/256 of a large one */

static uint64_t heap_counter(const struct perf_data *p, const char *format, int generation, int space)
{
	char name[96];
	int64_t value;

	snprintf(name, sizeof(name), format, generation, space);
	return perf_data_long(p, name, &value) && value > 0 ? value : 0;
}

static uint64_t used_by(const struct perf_data *p, int generation, int space)
{
	return heap_counter(p, "sun.gc.generation.%d.space.%d.used", generation, space);
}

/* Bytes of a space that are free. */
static uint64_t left_in(const struct perf_data *p, int generation, int space)
{
	uint64_t size = heap_counter(p, "sun.gc.generation.%d.space.%d.capacity", generation, space),
		 used = used_by(p, generation, space);

	return used < size ? size - used : 0;
}

static uint64_t heap_most(const struct perf_data *p, int generation)
{
	return heap_counter(p, "sun.gc.generation.%d.maxCapacity", generation, 0);
}

static uint64_t heap_capacity(const struct perf_data *p, int generation)
{
	return heap_counter(p, "sun.gc.generation.%d.capacity", generation, 0);
}

static uint64_t last_young(const struct perf_data *p)
{
	return heap_counter(p, "sun.gc.collector.%d.lastExitTime", 0, 0);
}

static uint64_t last_full(const struct perf_data *p)
{
	return heap_counter(p, "sun.gc.collector.%d.lastExitTime", 1, 0);
}

/* Eden, two survivor spaces and the old generation. One survivor space is always empty, for the next collection. */
static bool generations_are_full(const struct perf_data *p, bool survivors, bool shared, struct heap_room *out)
{
	uint64_t first = left_in(p, 0, 1), second = left_in(p, 0, 2), young = heap_most(p, 0), old = heap_most(p, 1),
		 held = heap_capacity(p, 0) + heap_capacity(p, 1);

	out->limit = shared ? old : young + old;
	out->left = (held < out->limit ? out->limit - held : 0) + left_in(p, 0, 0) + left_in(p, 1, 0) +
		    (survivors ? first < second ? first : second : 0);
	out->least = LEAST;
	return out->limit && last_full(p) >= last_young(p) && last_full(p) && out->left < out->least;
}

/* Of the whole heap, some regions. */
static uint64_t least_regions(uint64_t limit)
{
	uint64_t some = limit / 16 < LEAST_REGIONS ? limit / 16 : LEAST_REGIONS;

	return limit / 256 > some ? limit / 256 : some;
}

static bool regions_are_full(const struct perf_data *p, struct heap_room *out)
{
	uint64_t used = 0;

	out->limit = heap_most(p, 1);
	for (int space = 0; space < 3; space++)
		used += used_by(p, 0, space);
	used += used_by(p, 1, 0);
	out->left = used < out->limit ? out->limit - used : 0;
	out->least = least_regions(out->limit);
	return used && out->left < out->least;
}

bool perf_data_heap_is_full(const struct perf_data *p, int jdk_version, struct heap_room *out)
{
	char policy[64] = "";

	*out = (struct heap_room){0};
	perf_data_string(p, "sun.gc.policy.name", policy, sizeof(policy));
	if (!strncmp(policy, "Copy:", 5))
		return generations_are_full(p, jdk_version < NO_SURVIVORS_SINCE, false, out);
	if (!strncmp(policy, "ParScav:", 8))
		return generations_are_full(p, false, jdk_version >= SHARED_SINCE, out);
	return !strcmp(policy, "GarbageFirst") && last_full(p) && regions_are_full(p, out);
}
