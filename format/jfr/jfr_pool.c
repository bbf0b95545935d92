// SPDX-License-Identifier: BSD-2-Clause
/*
 * The constant pools of a writer. A checkpoint event contains constants:
 *
 *     size  type 1  start  duration  delta  mask  pools
 *         type id  count  (key  payload)*
 *         ...
 *
 * `delta` leads from this checkpoint to the previous one: a negative number, 0 for the first. The chunk's header
 * points to the last checkpoint. A pool without constants crashes the JDK's reader. Sizes and counts use the
 * padded form of 4 bytes and are filled in last.
 */
#include "format/jfr/jfr_pool.h"
#include "format/vec.h"

#include <stdlib.h>

/*
 * A checkpoint ends once it exceeds this size. None may reach LEB_PADDED_LIMIT, and a constant is smaller than a
 * megabyte.
 */
#define CHECKPOINT_SIZE (4u << 20)
#define FORGET_AFTER	2	    /* chunks */
#define PLENTY		(16u << 20) /* bytes of methods and what they refer to: above this, they are forgotten, too */

struct pooled {
	uint64_t id[2];
	uint32_t ref[JFR_REFS];
	uint32_t hash;
	uint32_t size;
	uint32_t asked; /* number of the last chunk in which it was interned; its user may need it soon */
	size_t offset;	/* in the pool's payload */
};

/* The types of the keys in a constant's `ref`. */
static const enum jfr_type ref_type[JFR_POOLS][JFR_REFS] = {
	[JFR_THREAD - JFR_FIRST_POOL] = {JFR_THREAD_GROUP},
	[JFR_CLASS - JFR_FIRST_POOL] = {JFR_SYMBOL, JFR_CLASS_LOADER, JFR_PACKAGE},
	[JFR_CLASS_LOADER - JFR_FIRST_POOL] = {JFR_CLASS, JFR_SYMBOL},
	[JFR_METHOD - JFR_FIRST_POOL] = {JFR_CLASS, JFR_SYMBOL, JFR_SYMBOL},
	[JFR_PACKAGE - JFR_FIRST_POOL] = {JFR_SYMBOL, JFR_MODULE},
	[JFR_MODULE - JFR_FIRST_POOL] = {JFR_SYMBOL, JFR_SYMBOL, JFR_SYMBOL, JFR_CLASS_LOADER},
};

void jfr_pools_init(struct jfr_pools *p)
{
	memset(p, 0, sizeof(*p));
	p->chunk = 1 + FORGET_AFTER; /* so that `used` 0 is long ago */
}

void jfr_pools_release(struct jfr_pools *p)
{
	unsigned int i;

	for (i = 0; i < JFR_POOLS; i++) {
		free(p->pool[i].constant);
		free(p->pool[i].key);
		free(p->pool[i].used);
		free(p->pool[i].by_content);
		free(p->pool[i].by_key);
		bytes_release(&p->pool[i].payload);
	}
	jfr_pools_init(p);
}

static bool forgets(enum jfr_type type)
{
	return type == JFR_THREAD || type == JFR_STACK_TRACE;
}

/* The types of methods and of everything they refer to, in any order. */
static const enum jfr_type method_types[] = {JFR_METHOD,  JFR_CLASS,  JFR_CLASS_LOADER,
					     JFR_PACKAGE, JFR_MODULE, JFR_SYMBOL};
#define METHOD_TYPES (sizeof(method_types) / sizeof(method_types[0]))

static bool has_id(const struct jfr_constant *c)
{
	return c->id[0] != 0;
}

static uint32_t content_hash(const struct jfr_constant *c)
{
	uint64_t h = 0xcbf29ce484222325 ^ (c->id[0] * 0x9e3779b97f4a7c15);
	size_t i;

	h = (h ^ h >> 32 ^ c->id[1]) * 0x9e3779b97f4a7c15;
	for (i = 0; !has_id(c) && i < c->payload->size; i++)
		h = (h ^ c->payload->data[i]) * 0x100000001b3;
	return (h ^ h >> 32) * 0x9e3779b97f4a7c15 >> 32;
}

static uint32_t key_slot(const struct jfr_pool *pool, uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15 >> 32) & (pool->slots - 1);
}

static bool pool_is_same(const struct jfr_pool *pool, const struct pooled *have, const struct jfr_constant *want)
{
	if (have->id[0] != want->id[0] || have->id[1] != want->id[1])
		return false;
	return has_id(want) || (have->size == want->payload->size &&
				!memcmp(pool->payload.data + have->offset, want->payload->data, have->size));
}

static uint32_t find_content(const struct jfr_pool *pool, const struct jfr_constant *c, uint32_t hash)
{
	uint32_t slot = hash, index;

	for (; pool->slots; slot++) {
		index = pool->by_content[slot & (pool->slots - 1)];
		if (!index)
			break;
		if (pool->constant[index - 1].hash == hash && pool_is_same(pool, &pool->constant[index - 1], c))
			return index - 1;
	}
	return JFR_UNKNOWN;
}

uint32_t jfr_pool_find_key(const struct jfr_pool *pool, uint64_t key)
{
	uint64_t guess = key - (pool->count ? pool->key[0] : 0); /* right if none behind the first was forgotten */
	uint32_t slot = key_slot(pool, key), index;

	if (guess < pool->count && pool->key[guess] == key)
		return guess;
	for (; (index = pool->by_key[slot]); slot = (slot + 1) & (pool->slots - 1))
		if (pool->key[index - 1] == key)
			return index - 1;
	return JFR_UNKNOWN;
}

static void pool_slot_take(uint32_t *table, uint32_t slots, uint32_t slot, uint32_t index)
{
	while (table[slot & (slots - 1)])
		slot++;
	table[slot & (slots - 1)] = index + 1;
}

static void pool_index_add(struct jfr_pool *pool, uint32_t index)
{
	pool_slot_take(pool->by_content, pool->slots, pool->constant[index].hash, index);
	if (pool->by_key)
		pool_slot_take(pool->by_key, pool->slots, key_slot(pool, pool->key[index]), index);
}

static void index_rebuild(struct jfr_pool *pool)
{
	uint32_t i;

	memset(pool->by_content, 0, pool->slots * sizeof(*pool->by_content));
	if (pool->by_key)
		memset(pool->by_key, 0, pool->slots * sizeof(*pool->by_key));
	for (i = 0; i < pool->count; i++)
		pool_index_add(pool, i);
}

/* Grow to at least twice as many slots as constants. */
static bool index_grow(struct jfr_pool *pool, uint32_t slots, bool by_key)
{
	uint32_t *content = calloc(slots, sizeof(*content));
	uint32_t *key = by_key ? calloc(slots, sizeof(*key)) : NULL;

	if (!content || (by_key && !key)) {
		free(content);
		free(key);
		return false;
	}
	free(pool->by_content);
	free(pool->by_key);
	pool->by_content = content;
	pool->by_key = key;
	pool->slots = slots;
	index_rebuild(pool);
	return true;
}

static bool jfr_pool_grow(struct jfr_pool *pool, bool by_key)
{
	size_t capacity = pool->capacity ? 2 * pool->capacity : 16, keys = pool->capacity, uses = keys,
	       constants = keys;

	if (pool->count < pool->capacity)
		return true;
	if (capacity > UINT32_MAX / 4 || vec_reserve(&pool->constant, &constants, capacity) ||
	    vec_reserve(&pool->key, &keys, capacity) || vec_reserve(&pool->used, &uses, capacity) ||
	    !index_grow(pool, capacity * 2, by_key))
		return false;
	pool->capacity = capacity;
	return true;
}

static uint64_t jfr_pool_add(struct jfr_pool *pool, const struct jfr_constant *c, uint32_t hash, uint32_t chunk)
{
	struct pooled *add = &pool->constant[pool->count];

	*add = (struct pooled){.hash = hash, .asked = chunk, .size = c->payload->size, .offset = pool->payload.size};
	memcpy(add->id, c->id, sizeof(add->id));
	memcpy(add->ref, c->ref, sizeof(add->ref));
	bytes_put(&pool->payload, c->payload->data, c->payload->size);
	if (pool->payload.failed) {
		pool->payload.failed = false;
		return 0;
	}
	pool->key[pool->count] = ++pool->last_key;
	pool->used[pool->count] = 0;
	pool_index_add(pool, pool->count++);
	return pool->last_key;
}

uint64_t jfr_pools_intern(struct jfr_pools *p, enum jfr_type type, const struct jfr_constant *c)
{
	struct jfr_pool *pool = &p->pool[type - JFR_FIRST_POOL];
	uint32_t hash, index;
	uint64_t key = 0;

	if (!c->payload->failed) {
		hash = content_hash(c);
		index = find_content(pool, c, hash);
		if (index != JFR_UNKNOWN) {
			pool->constant[index].asked = p->chunk;
			return pool->key[index];
		}
		if (jfr_pool_grow(pool, forgets(type) || pool->by_key))
			key = jfr_pool_add(pool, c, hash, p->chunk);
	}
	p->failed |= !key;
	return key;
}

/* Mark the constants that a stack refers to: up to 2048 methods, in its payload as jfr_stack() wrote it. */
static void stack_mark(struct jfr_pools *p, const unsigned char *payload, size_t size)
{
	struct cursor c;
	uint64_t frames;

	cursor_init(&c, payload, size);
	cursor_u8(&c); /* truncated */
	for (frames = cursor_leb(&c); frames && cursor_ok(&c); frames--) {
		jfr_pools_use(p, JFR_METHOD, cursor_leb(&c));
		cursor_leb(&c); /* line */
		cursor_leb(&c); /* bytecode index */
		p->frame_types |= 1u << cursor_leb(&c) % JFR_FRAME_TYPES;
	}
}

void jfr_pools_mark(struct jfr_pools *p, enum jfr_type type, uint32_t index)
{
	struct jfr_pool *pool = &p->pool[type - JFR_FIRST_POOL];
	const struct pooled *c = &pool->constant[index];
	unsigned int i;

	pool->used[index] = p->chunk;
	p->used_bytes += c->size + leb_size(pool->key[index]);
	for (i = 0; i < JFR_REFS; i++)
		if (c->ref[i])
			jfr_pools_use(p, ref_type[type - JFR_FIRST_POOL][i], c->ref[i]);
	if (type == JFR_STACK_TRACE)
		stack_mark(p, pool->payload.data + c->offset, c->size);
}

/* The checkpoint being written, and its current pool. */
struct checkpoint {
	struct bytes *out;
	size_t base;
	int64_t start_ticks;
	size_t start;		 /* of the open checkpoint, or of the last one; 0: none so far */
	size_t pools, constants; /* positions of their numbers */
	uint32_t pool_count, constant_count;
	bool open;
};

static void checkpoint_begin(struct checkpoint *c)
{
	size_t last = c->start;

	c->start = c->out->size;
	c->open = true;
	c->pool_count = 0;
	bytes_put_be32(c->out, 0); /* size */
	bytes_put_leb(c->out, 1);  /* type: checkpoint */
	bytes_put_leb(c->out, c->start_ticks);
	bytes_put_leb(c->out, 0); /* duration */
	bytes_put_leb(c->out, last ? (uint64_t)last - c->start : 0);
	bytes_put_u8(c->out, 0); /* mask: nothing special */
	c->pools = c->out->size;
	bytes_put_u8(c->out, 0);
}

static void pool_begin(struct checkpoint *c, uint64_t type_id)
{
	if (!c->open)
		checkpoint_begin(c);
	bytes_put_leb(c->out, type_id);
	c->pool_count++;
	c->constant_count = 0;
	c->constants = c->out->size;
	bytes_put_be32(c->out, 0);
}

static void pool_end(struct checkpoint *c)
{
	if (c->constant_count)
		bytes_patch_leb(c->out, c->constants, c->constant_count);
	c->constant_count = 0;
}

static void checkpoint_end(struct checkpoint *c)
{
	pool_end(c);
	if (!c->open || c->out->failed)
		return;
	c->out->data[c->pools] = c->pool_count; /* below 128: one byte */
	bytes_patch_leb(c->out, c->start, c->out->size - c->start);
	c->open = false;
}

static void pool_write(const struct jfr_pool *pool, uint32_t chunk, uint64_t type_id, struct checkpoint *c)
{
	uint32_t i;

	for (i = 0; i < pool->count; i++) {
		if (pool->used[i] != chunk)
			continue;
		if (c->open && c->out->size - c->start > CHECKPOINT_SIZE)
			checkpoint_end(c);
		if (!c->constant_count)
			pool_begin(c, type_id);
		c->constant_count++;
		bytes_put_leb(c->out, pool->key[i]);
		bytes_put(c->out, pool->payload.data + pool->constant[i].offset, pool->constant[i].size);
	}
	pool_end(c);
}

/*
 * Write the frame types in use, with HotSpot's keys. If a chunk has the kernel's, jfrconv takes native methods for
 * functions of C; so they are not all written.
 */
static void frame_types_write(uint32_t used, uint64_t type_id, struct checkpoint *c)
{
	static const char *const description[JFR_FRAME_TYPES] = {
		[JFR_FRAME_INTERPRETED] = "Interpreted", [JFR_FRAME_JIT] = "JIT compiled",
		[JFR_FRAME_INLINED] = "Inlined",	 [JFR_FRAME_NATIVE] = "Native",
		[JFR_FRAME_UNKNOWN] = "Unknown",	 [JFR_FRAME_KERNEL] = "Kernel",
	};

	pool_begin(c, type_id);
	for (uint64_t key = 0; key < JFR_FRAME_TYPES; key++) {
		if (!(used >> key & 1))
			continue;
		bytes_put_leb(c->out, key);
		bytes_put_text(c->out, description[key], strlen(description[key]));
		c->constant_count++;
	}
	pool_end(c);
}

static void thread_states_write(uint64_t type_id, struct checkpoint *c)
{
	static const char runnable[] = "STATE_RUNNABLE";

	pool_begin(c, type_id);
	bytes_put_leb(c->out, JFR_STATE_RUNNABLE);
	bytes_put_text(c->out, runnable, strlen(runnable));
	c->constant_count++;
	pool_end(c);
}

uint64_t jfr_pools_write(const struct jfr_pools *p, const struct jfr_schema *s, struct bytes *out, size_t base,
			 int64_t start_ticks)
{
	struct checkpoint c = {.out = out, .base = base, .start_ticks = start_ticks};
	unsigned int i;

	for (i = 0; i < JFR_POOLS; i++)
		pool_write(&p->pool[i], p->chunk, jfr_schema_type_id(s, JFR_FIRST_POOL + i), &c);
	if (p->frame_types)
		frame_types_write(p->frame_types, jfr_schema_type_id(s, JFR_FRAME_TYPE), &c);
	if (s->samples)
		thread_states_write(jfr_schema_type_id(s, JFR_THREAD_STATE), &c);
	if (!c.start)
		checkpoint_begin(&c); /* readers treat position 0 of a later chunk as an offset, not as "none" */
	checkpoint_end(&c);
	return c.start - base;
}

/* Remove forgotten constants from all arrays. `asked`: keep recently interned constants even if they are unused. */
static void pool_forget(struct jfr_pool *pool, uint32_t chunk, bool asked)
{
	uint32_t i, kept = 0;
	size_t end = 0;

	for (i = 0; i < pool->count; i++) {
		struct pooled *c = &pool->constant[i];

		if (pool->used[i] + FORGET_AFTER <= chunk && !(asked && c->asked + FORGET_AFTER > chunk))
			continue;
		if (kept != i) {
			memmove(pool->payload.data + end, pool->payload.data + c->offset, c->size);
			c->offset = end;
			pool->constant[kept] = *c;
			pool->key[kept] = pool->key[i];
			pool->used[kept] = pool->used[i];
		}
		end += c->size;
		kept++;
	}
	if (kept == pool->count)
		return;
	pool->count = kept;
	pool->payload.size = end;
	index_rebuild(pool);
}

static size_t bytes_of_methods(const struct jfr_pools *p)
{
	size_t bytes = 0;

	for (size_t i = 0; i < METHOD_TYPES; i++) {
		const struct jfr_pool *pool = &p->pool[method_types[i] - JFR_FIRST_POOL];

		bytes += pool->payload.size + pool->count * sizeof(struct pooled);
	}
	return bytes;
}

/*
 * Forget methods. A constant counts as used if a user of it is, and it was interned before its users; so nothing
 * that is still referred to is forgotten. From now on keys differ from the numbers of their constants.
 */
static void pool_forget_methods(struct jfr_pools *p)
{
	for (size_t i = 0; i < METHOD_TYPES; i++) {
		struct jfr_pool *pool = &p->pool[method_types[i] - JFR_FIRST_POOL];

		if (pool->count && (pool->by_key || index_grow(pool, pool->slots, true)))
			pool_forget(pool, p->chunk, true);
	}
}

void jfr_pools_next(struct jfr_pools *p)
{
	unsigned int i;

	for (i = 0; i < JFR_POOLS; i++)
		if (forgets(JFR_FIRST_POOL + i))
			pool_forget(&p->pool[i], p->chunk, false);
	if (bytes_of_methods(p) > PLENTY)
		pool_forget_methods(p);
	p->chunk++;
	p->used_bytes = 0;
	p->frame_types = 0;
	p->failed = false;
}
