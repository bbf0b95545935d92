// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_segment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GUARD 4096u

struct segment fake_segment_new(void)
{
	char *at = mmap(NULL, FRT_SEGMENT_SIZE + 2 * GUARD, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct segment s = {.fd = memfd_create("fake", MFD_CLOEXEC), .base = at + GUARD};

	if (at == MAP_FAILED || FRT_SEGMENT_SIZE % GUARD || mprotect(at, GUARD, PROT_NONE) ||
	    mprotect(s.base + FRT_SEGMENT_SIZE, GUARD, PROT_NONE))
		abort();
	*segment_header(&s) = (struct frt_header){.magic = FRT_MAGIC,
						  .size = FRT_SEGMENT_SIZE,
						  .state = FRT_ACTIVE,
						  .epoch = 1,
						  .loaders = 1,
						  .strings = 1,
						  .ring_cap = 4u << 20,
						  .recording = {{.state = FRT_ACTIVE, .founder = 1}},
						  .stack_next = 1ULL << 32};
	return s;
}

void fake_segment_free(struct segment *s)
{
	munmap(s->base - GUARD, FRT_SEGMENT_SIZE + 2 * GUARD);
	close(s->fd);
	s->fd = -1;
	s->base = NULL;
}

uint32_t fake_string(struct segment *s, const char *text)
{
	struct frt_header *h = segment_header(s);
	uint32_t number = h->strings;
	unsigned char *at = (unsigned char *)s->base + FRT_STRINGS_AT + number;
	size_t length = text ? strlen(text) : 0;

	if (!text)
		return 0;
	at[0] = length & 0xff;
	at[1] = length >> 8;
	memcpy(at + 2, text, length + 1);
	h->strings += length + 3;
	return number;
}

uint32_t fake_loader(struct segment *s, const char *type, const char *name)
{
	struct frt_loader *rows = (struct frt_loader *)(s->base + FRT_LOADERS_AT);
	uint32_t number = segment_header(s)->loaders++;

	rows[number] = (struct frt_loader){.type = fake_string(s, type), .name = fake_string(s, name)};
	return number;
}

uint32_t fake_class(struct segment *s, const char *name, uint32_t loader, uint32_t flags)
{
	struct frt_class *rows = (struct frt_class *)(s->base + FRT_CLASSES_AT);
	uint32_t id = ++segment_header(s)->classes;

	rows[id] = (struct frt_class){fake_string(s, name), loader, 1, flags};
	return id;
}

uint32_t fake_method(struct segment *s, uint32_t class_id, const char *name, const char *descriptor, uint16_t flags)
{
	struct frt_method *rows = (struct frt_method *)(s->base + FRT_METHODS_AT);
	uint32_t id = ++segment_header(s)->methods;

	rows[id] = (struct frt_method){class_id, fake_string(s, name), fake_string(s, descriptor), 1, flags};
	return id;
}

void fake_skip(struct segment *s, const char *class_name, const char *method, const char *descriptor, uint32_t reason)
{
	struct frt_skip *rows = (struct frt_skip *)(s->base + FRT_SKIPS_AT);

	rows[segment_header(s)->recording[0].skips++] = (struct frt_skip){
		fake_string(s, class_name), fake_string(s, method), fake_string(s, descriptor), reason};
}

struct frt_thread *fake_thread(struct segment *s, uint32_t serial, const char *name, const char *group)
{
	struct frt_thread *row = (struct frt_thread *)(s->base + FRT_THREADS_AT) + serial % FRT_MAX_THREADS;

	*row = (struct frt_thread){.serial = serial, .tid = 4000 + serial, .java_id = serial};
	row->name_length = strlen(name);
	row->group_length = strlen(group);
	memcpy(row->name, name, row->name_length);
	memcpy(row->group, group, row->group_length);
	return row;
}

struct frt_slot *fake_slot(struct segment *s, uint32_t log2, uint64_t head)
{
	struct frt_header *h = segment_header(s);
	struct frt_slot *slot = (struct frt_slot *)(s->base + FRT_SLOTS_AT) + h->slots++;

	slot->ring = (FRT_RINGS_AT + h->ring_used) << 8 | log2;
	slot->head = head;
	slot->epoch = h->epoch;
	h->ring_used += 1u << log2;
	return slot;
}

void fake_append(struct segment *s, struct frt_slot *slot, const void *record)
{
	uint64_t size = 1ULL << (slot->ring & 0xff);

	memcpy(s->base + (slot->ring >> 8) + slot->head % size, record, FRT_RECORD_SIZE);
	slot->head += FRT_RECORD_SIZE;
}

struct frt_span fake_span(uint64_t start, uint32_t method, uint32_t thread, uint16_t flags)
{
	return (struct frt_span){
		.start = start, .duration = 10, .method = method, .thread = thread, .kind = FRT_SPAN, .flags = flags};
}

struct frt_stack *fake_stack_row(struct segment *s, uint32_t id)
{
	return (struct frt_stack *)(s->base + FRT_STACKS_AT) + id % FRT_STACKS;
}

struct frt_frame *fake_frame(struct segment *s, uint32_t row)
{
	return (struct frt_frame *)(s->base + FRT_FRAMES_AT) + row % FRT_STACK_FRAMES;
}

uint32_t fake_stack_reserve(struct segment *s, uint32_t count, uint32_t *first)
{
	struct frt_header *h = segment_header(s);
	uint32_t id = h->stack_next >> 32;

	*first = h->stack_next;
	h->stack_next = (uint64_t)FRT_STACK_AFTER(id) << 32 | (uint32_t)(*first + count);
	fake_stack_row(s, id)->id = 0;
	return id;
}

uint32_t fake_stack(struct segment *s, const struct frt_frame *frames, uint32_t count, uint8_t end, uint8_t flags)
{
	uint32_t first, id = fake_stack_reserve(s, count, &first);

	for (uint32_t i = 0; i < count; i++)
		*fake_frame(s, first + i) = frames[i];
	*fake_stack_row(s, id) =
		(struct frt_stack){.id = id, .first = first, .count = count, .end = end, .flags = flags};
	return id;
}

/* The bucket of a duration: 1 << FRT_OCTAVE_LOG2 of them for each power of two. */
static uint32_t bucket_of_duration(uint64_t d)
{
	uint32_t e = 0;

	while (d >> e >= 2u << FRT_OCTAVE_LOG2)
		e++;
	return (e << FRT_OCTAVE_LOG2) + (d >> e);
}

void fake_timed_call(struct segment *s, uint32_t method, uint64_t duration, bool thrown)
{
	struct frt_sum *sum = (struct frt_sum *)(s->base + FRT_SHARED_AT) + method;
	struct frt_histogram *h = (struct frt_histogram *)(s->base + FRT_HISTOGRAMS_AT) + method;
	struct frt_group *groups = (struct frt_group *)(s->base + FRT_GROUPS_AT);
	uint32_t bucket = bucket_of_duration(duration), *g = &h->group[bucket / FRT_GROUP_BUCKETS];

	sum->minimum = sum->count && sum->minimum < duration ? sum->minimum : duration;
	sum->maximum = sum->maximum > duration ? sum->maximum : duration;
	sum->total += duration;
	sum->thrown += thrown;
	sum->count++;
	if (!*g)
		*g = ++segment_header(s)->groups;
	groups[*g].count[bucket % FRT_GROUP_BUCKETS]++;
}

struct clock fake_clock(void)
{
	struct clock c = {.pairs = 2};

	c.pair[1] = (struct clock_pair){1ULL << 62, 1LL << 62, 3};
	return c;
}
