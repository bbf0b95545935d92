// SPDX-License-Identifier: BSD-2-Clause
/* The code cache, the interpreter and the stubs of a JVM, which may be starting. */
#include "user/hotspot/codelets.h"
#include "user/hotspot/layout_internal.h"

/* The contents of a VirtualSpace. */
struct space {
	uint64_t low, high, committed; /* address of the pointer to the end of the committed part */
};

static int read_space(const struct layout_reading *r, uint64_t space, struct space *out)
{
	static const char *const names[] = {"VirtualSpace._low_boundary", "VirtualSpace._high_boundary",
					    "VirtualSpace._high"};
	uint64_t *const to[] = {&out->low, &out->high, &out->committed};

	for (int i = 0; i < 3; i++)
		if (!vmstructs_offset(r->v, names[i], to[i]) || *to[i] > FRT_NO_OFFSET)
			return diag_set(r->d, EBADMSG, "the JVM's tables have no %s", names[i]);
	out->committed += space;
	return mem_u64(r->m, space + out->low, &out->low) ?: mem_u64(r->m, space + out->high, &out->high);
}

#define MAX_CODE (2ULL << 30) /* the maximum of -XX:ReservedCodeCacheSize */

static int check_heap(const struct layout_reading *r, const struct frt_code_heap *h, const struct space *map,
		      uint32_t log2)
{
	uint64_t end;
	uint8_t tag;
	int e = mem_u64(r->m, h->committed, &end);

	if (e)
		return e;
	if (log2 < 4 || log2 > 12 || h->low >= h->high || h->high - h->low > MAX_CODE || end < h->low || end > h->high)
		return -EBADMSG;
	if (map->low >= map->high || (map->high - map->low) < (h->high - h->low) >> log2)
		return -EBADMSG;
	if (end == h->low)
		return 0;
	return mem_u8(r->m, map->low, &tag) ?: mem_u8(r->m, map->low + ((end - 1 - h->low) >> log2), &tag);
}

static int read_heap(struct layout_reading *r, uint64_t heap)
{
	struct frt_layout *w = &r->l->walk;
	struct frt_code_heap *h = &w->heap[w->heaps];
	uint64_t memory, segmap, log2;
	struct space code, map;
	uint32_t bits;
	int e;

	if (!vmstructs_offset(r->v, "CodeHeap._memory", &memory) ||
	    !vmstructs_offset(r->v, "CodeHeap._segmap", &segmap) ||
	    !vmstructs_offset(r->v, "CodeHeap._log2_segment_size", &log2))
		return diag_set(r->d, EBADMSG, "the JVM's tables do not describe CodeHeap");
	e = read_space(r, heap + memory, &code) ?: read_space(r, heap + segmap, &map) ?: mem_u32(r->m, heap + log2, &bits);
	if (e)
		return e;
	*h = (struct frt_code_heap){code.low, code.high, code.committed, map.low};
	e = check_heap(r, h, &map, bits);
	if (e == -EBADMSG || (w->heaps && bits != w->segment_log2))
		return diag_set(r->d, EBADMSG, "part %u of the JVM's code cache is implausible", w->heaps);
	w->segment_log2 = bits;
	w->heaps += !e;
	return e;
}

/* JDK 8 has one heap, later JDKs a GrowableArray of heaps. */
static int read_heaps(struct layout_reading *r)
{
	uint64_t heaps, heap, length_at, data_at;
	uint32_t length;
	int e = layout_read_static(r, "CodeCache._heap", &heap);

	if (e || heap)
		return e ?: read_heap(r, heap);
	e = layout_read_static(r, "CodeCache._heaps", &heaps);
	if (e || !heaps)
		return e ?: diag_set(r->d, EAGAIN, "the JVM has no code cache yet");
	if ((!vmstructs_offset(r->v, "GrowableArrayBase._len", &length_at) &&
	     !vmstructs_offset(r->v, "GenericGrowableArray._len", &length_at)) ||
	    !vmstructs_offset(r->v, "GrowableArray<int>._data", &data_at))
		return diag_set(r->d, EBADMSG, "the JVM's tables do not describe GrowableArray");
	e = mem_u32(r->m, heaps + length_at, &length) ?: mem_u64(r->m, heaps + data_at, &data_at);
	if (e)
		return e;
	if (!length)
		return diag_set(r->d, EAGAIN, "the JVM has no code cache yet");
	if (length > FRT_CODE_HEAPS)
		return diag_set(r->d, EBADMSG, "the JVM's code cache has %u parts", length);
	for (uint32_t i = 0; !e && i < length; i++)
		e = mem_u64(r->m, data_at + 8ULL * i, &heap) ?: read_heap(r, heap);
	return e;
}

static bool in_code(const struct frt_layout *w, uint64_t address)
{
	for (uint32_t i = 0; i < w->heaps; i++)
		if (address >= w->heap[i].low && address < w->heap[i].high)
			return true;
	return false;
}

static int read_interpreter(struct layout_reading *r)
{
	struct frt_layout *w = &r->l->walk;
	uint64_t queue, buffer_at, limit_at;
	uint32_t limit;
	int e = layout_read_static(r, "AbstractInterpreter._code", &queue);

	if (e || !queue)
		return e ?: diag_set(r->d, EAGAIN, "the JVM has no interpreter yet");
	if (!vmstructs_offset(r->v, "StubQueue._stub_buffer", &buffer_at) ||
	    !vmstructs_offset(r->v, "StubQueue._buffer_limit", &limit_at))
		return diag_set(r->d, EBADMSG, "the JVM's tables do not describe StubQueue");
	e = mem_u64(r->m, queue + buffer_at, &w->interpreter) ?: mem_u32(r->m, queue + limit_at, &limit);
	if (e)
		return e;
	w->interpreter_end = w->interpreter + limit;
	codelets_find(r->v, r->m, queue, CODELET_EXCEPTIONS, &r->l->exceptions, &r->l->exceptions_end);
	return 0;
}

static int read_stubs(struct layout_reading *r)
{
	struct frt_layout *w = &r->l->walk;
	int e = layout_read_static(r, "StubRoutines._call_stub_return_address", &w->call_stub_return) ?:
		layout_read_static(r, "ContinuationEntry._return_pc", &w->continuation_return) ?:
		layout_read_static(r, "StubRoutines._cont_returnBarrier", &w->return_barrier);

	if (!e && !w->call_stub_return)
		return diag_set(r->d, EAGAIN, "the JVM has no call stub yet");
	return e;
}

static int check_code(struct layout_reading *r)
{
	const struct frt_layout *w = &r->l->walk;

	if (w->interpreter == w->interpreter_end || !in_code(w, w->interpreter) || !in_code(w, w->interpreter_end - 1))
		return diag_set(r->d, EBADMSG, "the JVM's interpreter is not in its code cache");
	if (!in_code(w, w->call_stub_return) || (w->continuation_return && !in_code(w, w->continuation_return)) ||
	    (w->return_barrier && !in_code(w, w->return_barrier)))
		return diag_set(r->d, EBADMSG, "the JVM's stubs are not in its code cache");
	return 0;
}

/*
 * A JVM that starts publishes its code heaps before it reserves their memory, then generates stubs, then the
 * interpreter, all on one thread. So what comes last is read first: once it is there, the heaps are whole.
 */
int layout_read_code(struct layout_reading *r)
{
	int e = read_interpreter(r) ?: read_stubs(r) ?: read_heaps(r) ?: check_code(r);

	if (e && !r->d->text[0])
		diag_errno(r->d, -e, "cannot read the JVM's code cache");
	return e;
}
