// SPDX-License-Identifier: BSD-2-Clause
/*
 * Matching with a compiled block. Runs in the traced JVM too, where the block
 * lies in shared memory: every value is copied out before it is checked and
 * used, so that a block that changes under us can give a wrong answer only.
 * The builtin memcpy is expanded in place, in a freestanding build, too.
 */
#include "filters/pattern.h"
#include "filters/block.h"

#include <string.h> /* memcmp, which the agent brings itself */

static bool in_block(const struct pattern *p, uint64_t at, uint64_t length)
{
	return at <= p->size && length <= p->size - at;
}

static bool header_read(const struct pattern *p, struct block_header *h)
{
	if (!p->block || p->size < sizeof(*h))
		return false;
	__builtin_memcpy(h, p->block, sizeof(*h));
	if (h->magic != BLOCK_MAGIC || h->version != BLOCK_VERSION || h->size != p->size)
		return false;
	if (h->buckets == 0 || (h->buckets & (h->buckets - 1)))
		return false;
	return in_block(p, sizeof(*h),
			(uint64_t)h->buckets * sizeof(uint32_t) + (uint64_t)h->entries * sizeof(struct block_entry));
}

static uint32_t bucket_read(const struct pattern *p, const struct block_header *h, uint32_t hash)
{
	uint32_t number;

	__builtin_memcpy(&number,
			 (const char *)p->block + sizeof(*h) + (size_t)(hash & (h->buckets - 1)) * sizeof(number),
			 sizeof(number));
	return number;
}

static void entry_read(const struct pattern *p, const struct block_header *h, uint32_t number, struct block_entry *e)
{
	size_t at = sizeof(*h) + (size_t)h->buckets * sizeof(uint32_t) + (size_t)(number - 1) * sizeof(*e);

	__builtin_memcpy(e, (const char *)p->block + at, sizeof(*e));
}

static bool name_equal(const struct pattern *p, uint32_t at, size_t stored_length, const char *name, size_t length)
{
	if (stored_length != length)
		return false;
	if (length == 0)
		return true;
	return in_block(p, at, length) && memcmp((const char *)p->block + at, name, length) == 0;
}

/* The flags of the entry for this class and method (either may be empty), 0 when there is none. */
static uint32_t find(const struct pattern *p, const struct block_header *h, const char *class_name, size_t class_length,
		     const char *method, size_t method_length)
{
	uint32_t hash = block_hash_entry(class_name, class_length, method, method_length);
	uint32_t limit = h->entries;
	uint32_t number = bucket_read(p, h, hash);
	struct block_entry e;

	while (number != 0 && number <= limit) {
		entry_read(p, h, number, &e);
		if (e.hash == hash && name_equal(p, e.class_at, e.class_length, class_name, class_length) &&
		    name_equal(p, e.method_at, e.method_length, method, method_length))
			return e.flags;
		limit = number - 1;
		number = e.next;
	}
	return 0;
}

bool pattern_valid(const struct pattern *p)
{
	struct block_header h;

	return header_read(p, &h);
}

bool pattern_any_class(const struct pattern *p)
{
	struct block_header h;

	return header_read(p, &h) && (h.flags & BLOCK_ANY_CLASS);
}

enum pattern_answer pattern_class(const struct pattern *p, const char *name, size_t length)
{
	struct block_header h;
	uint32_t flags;

	if (length == 0 || !header_read(p, &h))
		return PATTERN_NO;
	flags = find(p, &h, name, length, "", 0);
	if (flags & BLOCK_EXCLUDE)
		return PATTERN_NO;
	if (flags & (BLOCK_SELECT | BLOCK_SOME))
		return PATTERN_METHODS;
	return h.flags & BLOCK_ANY_CLASS ? PATTERN_METHODS : PATTERN_NO;
}

bool pattern_method(const struct pattern *p, const char *class_name, size_t class_length, const char *method,
		    size_t method_length, const char *descriptor, size_t descriptor_length)
{
	struct block_header h;
	uint32_t flags;

	if (class_length == 0 || method_length == 0 || !header_read(p, &h))
		return false;
	flags = find(p, &h, class_name, class_length, "", 0);
	flags |= find(p, &h, class_name, class_length, method, method_length);
	flags |= find(p, &h, "", 0, method, method_length);
	return (flags & BLOCK_SELECT) && !(flags & BLOCK_EXCLUDE);
}
