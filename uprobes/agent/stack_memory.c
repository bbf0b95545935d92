// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/stack_memory.h"
#include "uprobes/agent/own_memory.h"
#include "uprobes/agent/sys.h"

/*
 * The thread's control block lies at the upper end of its stack if the C library allocated the stack (glibc and
 * musl do so), and no Java frame lies above it. The first thread of a process has a different stack, which ends
 * with its mapping.
 */
struct stack_search {
	uint64_t inside, end;
};

static bool ends_stack(uint64_t start, uint64_t end, const char permissions[4], void *context)
{
	struct stack_search *s = context;

	if (s->inside - start < end - start)
		s->end = end;
	return !s->end;
}

uint64_t stack_memory_end(uint64_t sp)
{
	struct stack_search s = {.inside = sp};
	uint64_t block = sys_thread_pointer();

	if (block > sp && own_memory_readable(sp, block))
		return block;
	return sys_each_mapping(ends_stack, &s) && s.end && own_memory_readable(sp, s.end) ? s.end : 0;
}

/* True if [low, high) is mapped without holes, executable or not yet in use. */
struct heap_search {
	uint64_t at, high;
	bool code;
};

static bool covers_heap(uint64_t start, uint64_t end, const char permissions[4], void *context)
{
	struct heap_search *s = context;

	if (s->at - start >= end - start)
		return s->at >= end;
	s->code = !memcmp(permissions, "rwx", 3) || (s->code && !memcmp(permissions, "---", 3));
	s->at = end;
	return s->code && end < s->high;
}

static bool heap_is_code(const struct frt_code_heap *h)
{
	struct heap_search s = {.at = h->low, .high = h->high};

	return h->low < h->high && sys_each_mapping(covers_heap, &s) && s.code && s.at >= s.high;
}

/* The anchor must lie in the JavaThread, near the JNIEnv. No offset may point far away from its structure. */
bool stack_memory_fits(const struct frt_layout *l)
{
	bool sane = l->jdk_version && l->heaps && l->heaps <= FRT_CODE_HEAPS && l->segment_log2 < 32 &&
		    l->thread_env > l->thread_anchor && l->thread_env - l->thread_anchor <= 256 && l->anchor_sp < 64 &&
		    l->anchor_pc < 64 && l->anchor_fp < 64 && l->nmethod_compile_id < 4096;

	for (uint32_t i = 0; sane && i < l->heaps; i++)
		sane = heap_is_code(&l->heap[i]);
	return sane;
}
