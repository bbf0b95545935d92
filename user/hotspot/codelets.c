// SPDX-License-Identifier: BSD-2-Clause
/*
 * A StubQueue has its codelets in one buffer, from _queue_begin on; it never wraps, because it is filled once. Each begins
 * with its header: the address of its description, a text in libjvm, and its size, header included. JDK 17:
 *
 *	0	480	slow signature handler
 *	480	96	error exits
 *	...
 *	9376	3200	exception handling
 *	12576	1088	throw exception entrypoints
 */
#include "user/hotspot/codelets.h"

#define CODELETS_MOST	  4096u /* JDK 25 has 278 */
#define CODELET_TEXT	  64u
#define CODELET_SIZE_MOST 65536u

struct codelets {
	const struct mem *m;
	uint64_t size_at, description_at; /* in a codelet */
	uint64_t at, end;		  /* of the next one, and of the queue */
};

static bool codelets_begin(struct codelets *c, const struct vmstructs *v, uint64_t queue)
{
	uint64_t buffer_at, begin_at, end_at;
	uint32_t begin, end;

	if (!vmstructs_offset(v, "StubQueue._stub_buffer", &buffer_at) ||
	    !vmstructs_offset(v, "StubQueue._queue_begin", &begin_at) ||
	    !vmstructs_offset(v, "StubQueue._queue_end", &end_at) ||
	    !vmstructs_offset(v, "InterpreterCodelet._size", &c->size_at) ||
	    !vmstructs_offset(v, "InterpreterCodelet._description", &c->description_at))
		return false;
	if (mem_u64(c->m, queue + buffer_at, &c->at) || mem_u32(c->m, queue + begin_at, &begin) ||
	    mem_u32(c->m, queue + end_at, &end))
		return false;
	c->end = c->at + end;
	c->at += begin;
	return true;
}

static bool codelet_is(const struct codelets *c, const char *description)
{
	char text[CODELET_TEXT];
	uint64_t address;

	return !mem_u64(c->m, c->at + c->description_at, &address) && !mem_text(c->m, address, text, sizeof(text)) &&
	       !strcmp(text, description);
}

bool codelets_find(const struct vmstructs *v, const struct mem *m, uint64_t queue, const char *description,
		   uint64_t *begin, uint64_t *end)
{
	struct codelets c = {.m = m};
	uint32_t size;

	*begin = *end = 0;
	if (!codelets_begin(&c, v, queue))
		return false;
	for (uint32_t i = 0; i < CODELETS_MOST && c.at < c.end; i++, c.at += size) {
		if (mem_u32(m, c.at + c.size_at, &size) || !size || size > CODELET_SIZE_MOST)
			return false;
		if (!codelet_is(&c, description))
			continue;
		*begin = c.at;
		*end = c.at + size;
		return true;
	}
	return false;
}
