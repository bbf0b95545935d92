// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a hostile target can write: any bytes in the control segment, any batches in the queue. The input is copied over
 * a zeroed segment between two inaccessible pages. Everything that the readers return is read completely.
 *
 * The input is a list of pieces: {place, index (2 bytes), size} and the bytes.
 */
#include "bpf/frtrace.h"
#include "user/capture/open_calls.h"
#include "user/capture/stream.h"
#include "user/segment/segment.h"
#include "user/stacks/agent_stacks.h"
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>

#define GUARD 4096u

static struct segment segment;
static volatile uint64_t read_so_far; /* keeps the compiler from removing reads */

static void make_segment(void)
{
	char *at = mmap(NULL, FRT_SEGMENT_SIZE + 2 * GUARD, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED || mprotect(at, GUARD, PROT_NONE) ||
	    mprotect(at + GUARD + FRT_SEGMENT_SIZE, GUARD, PROT_NONE))
		abort();
	segment = (struct segment){.fd = -1, .base = at + GUARD};
}

static void read_bytes(const void *at, size_t size)
{
	const unsigned char *bytes = at;

	while (size--)
		read_so_far += *bytes++;
}

static void read_string(uint32_t number)
{
	static const size_t sizes[] = {1, 2, 70000};
	static char out[70000];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t length = segment_string(&segment, number, out, sizes[i]);

		if (length >= sizes[i] || out[length])
			abort();
		read_bytes(out, length);
	}
}

static void read_thread(uint32_t serial)
{
	struct frt_thread row;

	if (!segment_thread(&segment, serial, &row))
		return;
	read_bytes(row.name, row.name_length);
	read_bytes(row.group, row.group_length);
	if (row.name_length > sizeof(row.name) || row.group_length > sizeof(row.group))
		abort();
}

static void read_method(uint32_t id)
{
	const struct frt_method *m = segment_method(&segment, id);
	const struct frt_class *c = m ? segment_class(&segment, m->class_id) : NULL;
	const struct frt_loader *l = c ? segment_loader(&segment, c->loader) : NULL;

	if (m) {
		read_string(m->name);
		read_string(m->descriptor);
	}
	if (c)
		read_string(c->name);
	if (l) {
		read_string(l->type);
		read_string(l->name);
	}
}

static void on_span(void *context, const struct frt_span *s, const struct stream_vthread *v)
{
	unsigned int *spans = context;

	read_bytes(s, sizeof(*s));
	if (v)
		read_bytes(v->name, strlen(v->name));
	if ((*spans)++ < 64) { /* the recorder caches methods and threads, too */
		read_method(s->method);
		read_thread(s->thread);
	}
}

static void on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	for (size_t i = 0; i < n; i++)
		on_span(context, &s[i], v);
}

static void on_cover(void *context, uint64_t tsc)
{
	read_so_far += tsc;
}

static void on_open_call(void *context, const struct open_call *c)
{
	read_bytes(c, sizeof(*c));
}

#define QUEUE 9

/* Where pieces are copied to; a piece for QUEUE is fed as a batch of the queue. */
static const struct {
	uint32_t at, step;
} places[] = {
	{FRT_HEADER_AT, 1},    {FRT_LOADERS_AT, 16}, {FRT_CLASSES_AT, 16}, {FRT_METHODS_AT, 16}, {FRT_SKIPS_AT, 16},
	{FRT_THREADS_AT, 128}, {FRT_STRINGS_AT, 1},  {FRT_SLOTS_AT, 8},	   {FRT_RINGS_AT, 32},	 {0, 0},
	{FRT_STACKS_AT, 32},   {FRT_FRAMES_AT, 24},
};
#define PLACES (sizeof(places) / sizeof(*places))

static void feed_batch(struct streams *streams, const uint8_t *bytes, size_t size, unsigned int index)
{
	uint64_t offset = 0;
	uint8_t *exact;

	if (size < 8)
		return;
	memcpy(&offset, bytes, 8);
	exact = malloc(size - 8 ? size - 8 : 1);
	if (!exact)
		return;
	memcpy(exact, bytes + 8, size - 8);
	streams_feed(streams, index == 0xffff ? UINT32_MAX : index, offset, exact, size - 8);
	free(exact);
}

/* Copy the pieces into the segment. Pieces for the queue are fed to `streams`, if it is given. */
static void lay(const uint8_t *data, size_t size, struct streams *streams)
{
	while (size >= 4) {
		unsigned int place = data[0] % PLACES, index = data[1] | data[2] << 8;
		size_t length = data[3] < size - 4 ? data[3] : size - 4;
		uint64_t at = places[place].at + (uint64_t)index * places[place].step;

		if (place == QUEUE && streams)
			feed_batch(streams, data + 4, length, index);
		else if (place != QUEUE && at + length <= FRT_SEGMENT_SIZE)
			memcpy(segment.base + at, data + 4, length);
		data += 4 + length;
		size -= 4 + length;
	}
}

static void read_tables(void)
{
	const struct frt_skip *skip;
	struct segment_totals totals;

	for (uint32_t i = 0; i < 40; i++)
		read_method(i);
	for (uint32_t i = 0; i < 40 && (skip = segment_skip(&segment, i)); i++) {
		read_string(skip->class_name);
		read_string(skip->method);
		read_string(skip->descriptor);
	}
	for (uint32_t i = 0; i < 40; i++)
		read_thread(i);
	segment_totals(&segment, &totals);
	read_bytes(&totals, sizeof(totals));
	read_method(totals.oldest_method);
	open_calls_each(&segment, NULL, on_open_call, NULL);
}

static void on_stack(void *context, const struct stack *s)
{
	if (s->count > STACK_MOST || s->end > FRT_WALK_ENDS || !s->id || s->id >= FRT_STACK_UNTAKEN)
		abort();
	read_bytes(s->frame, s->count * sizeof(s->frame[0]));
}

static void read_stacks(struct stacks *stacks, bool all)
{
	const struct stack *s;

	stacks_read(stacks, all, on_stack, NULL);
	for (uint32_t id = 0; id < 40; id++) {
		s = stacks_find(stacks, segment_header(&segment)->stack_next % 40 + id);
		if (s)
			on_stack(NULL, s);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct streams streams;
	static struct stacks stacks;
	unsigned int spans = 0;
	struct stream_sink sink = {on_spans, on_cover, &spans};

	if (!segment.base)
		make_segment();
	madvise(segment.base, FRT_SEGMENT_SIZE, MADV_DONTNEED);
	streams_init(&streams, &sink);
	lay(data, size / 2, NULL);
	sweep_begin(&segment, &streams);
	stacks_begin(&stacks, &segment);
	lay(data, size, &streams); /* the target keeps writing */
	sweep(&segment, &streams);
	read_stacks(&stacks, false);
	read_tables();
	lay(data + size / 2, size - size / 2, &streams);
	sweep(&segment, &streams);
	sweep_finish(&segment, &streams);
	read_stacks(&stacks, true);
	streams_release(&streams);
	return 0;
}
