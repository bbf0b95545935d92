// SPDX-License-Identifier: BSD-2-Clause
#include "user/segment/segment_make.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TEXT_MAX 0xffffu
#define BUCKETS	 (FRT_GROUPS * FRT_GROUP_BUCKETS)

/* A mapping of shared memory: it is sparse, and does not count as our data. */
static int map_new(struct segment *s, struct diag *d)
{
	s->fd = memfd_create("frtrace", MFD_CLOEXEC);
	if (s->fd < 0 || ftruncate(s->fd, FRT_SEGMENT_SIZE))
		return diag_errno(d, errno, "cannot make a segment");
	s->base = mmap(NULL, FRT_SEGMENT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->base == MAP_FAILED) {
		s->base = NULL;
		return diag_errno(d, errno, "cannot map a segment");
	}
	return 0;
}

int segment_make(struct segment *s, const struct target *t, struct diag *d)
{
	struct frt_header *h;
	int err;

	*s = (struct segment){.fd = -1};
	err = map_new(s, d);
	if (err) {
		segment_close(s);
		return err;
	}
	h = segment_header(s);
	h->magic = FRT_MAGIC;
	h->size = FRT_SEGMENT_SIZE;
	h->pid = t->ns_pid;
	h->state = h->recording[0].state = FRT_ACTIVE;
	h->epoch = h->numbers = h->recording[0].number = h->recording[0].founder = 1;
	h->loaders = h->strings = h->slots = 1; /* the boot loader, and what has number 0 */
	segment_own_slot(s)->epoch = h->epoch;
	return 0;
}

static uint32_t segment_add_string(struct segment *s, const char *text)
{
	struct frt_header *h = segment_header(s);
	size_t length = text ? strlen(text) : 0;
	uint32_t number = h->strings;
	unsigned char *to = (unsigned char *)s->base + FRT_STRINGS_AT + number;

	if (!length || length > TEXT_MAX || FRT_STRINGS_SIZE - number < length + 3)
		return 0;
	to[0] = length;
	to[1] = length >> 8;
	memcpy(to + 2, text, length);
	h->strings += length + 3;
	return number;
}

uint32_t segment_add_loader(struct segment *s, const char *type, const char *name)
{
	struct frt_header *h = segment_header(s);
	struct frt_loader *row = (struct frt_loader *)(s->base + FRT_LOADERS_AT) + h->loaders;

	if (h->loaders == FRT_MAX_LOADERS)
		return 0;
	row->type = segment_add_string(s, type);
	row->name = segment_add_string(s, name);
	return h->loaders++;
}

uint32_t segment_add_class(struct segment *s, const char *name, uint32_t loader)
{
	struct frt_header *h = segment_header(s);
	struct frt_class *row = (struct frt_class *)(s->base + FRT_CLASSES_AT) + h->classes + 1;

	if (h->classes + 1 == FRT_MAX_CLASSES || !(row->name = segment_add_string(s, name)))
		return 0;
	row->loader = loader;
	row->flags = FRT_CLASS_SEEN;
	return ++h->classes;
}

uint32_t segment_add_method(struct segment *s, const struct segment_new_method *m)
{
	struct frt_header *h = segment_header(s);
	struct frt_method *row = (struct frt_method *)(s->base + FRT_METHODS_AT) + h->methods + 1;

	if (h->methods + 1 == FRT_MAX_METHODS || !(row->name = segment_add_string(s, m->name)) ||
	    !(row->descriptor = segment_add_string(s, m->descriptor)))
		return 0;
	row->class_id = m->class_id;
	row->modifiers = m->modifiers;
	row->flags = m->flags | FRT_METHOD_FOR(s->recording);
	*segment_rule(s, h->methods + 1) = m->rule;
	return ++h->methods;
}

void segment_add_skip(struct segment *s, const char *class_name, const char *method, const char *descriptor,
		      uint32_t reason)
{
	struct frt_recording *r = segment_recording(s);
	struct frt_skip *row = (struct frt_skip *)(s->base + FRT_SKIPS_AT) + s->recording * FRT_MAX_SKIPS + r->skips;

	if (r->skips == FRT_MAX_SKIPS || !(row->class_name = segment_add_string(s, class_name)))
		return;
	row->method = segment_add_string(s, method);
	row->descriptor = segment_add_string(s, descriptor);
	row->reason = reason;
	r->skips++;
}

void segment_put_thread(struct segment *s, const struct frt_thread *row)
{
	((struct frt_thread *)(s->base + FRT_THREADS_AT))[row->serial % FRT_MAX_THREADS] = *row;
	segment_header(s)->thread_serial = row->serial;
}

/* See struct frt_histogram. */
static uint32_t histogram_bucket(uint64_t ticks)
{
	uint32_t e, bucket;

	if (ticks < 1u << FRT_OCTAVE_LOG2)
		return ticks;
	e = 63 - __builtin_clzll(ticks);
	bucket = ((e - FRT_OCTAVE_LOG2 + 1) << FRT_OCTAVE_LOG2) +
		 (ticks >> (e - FRT_OCTAVE_LOG2) & ((1u << FRT_OCTAVE_LOG2) - 1));
	return bucket < BUCKETS ? bucket : BUCKETS - 1; /* longer than days */
}

static void add_to_histogram(struct segment *s, uint32_t timed, uint64_t ticks)
{
	struct frt_histogram *h = (struct frt_histogram *)(s->base + FRT_HISTOGRAMS_AT) + timed;
	struct frt_header *header = segment_header(s);
	uint32_t bucket = histogram_bucket(ticks), *group = &h->group[bucket / FRT_GROUP_BUCKETS];

	if (!*group && header->groups + 1 < FRT_MAX_GROUPS)
		*group = ++header->groups;
	if (*group)
		((struct frt_group *)(s->base + FRT_GROUPS_AT))[*group].count[bucket % FRT_GROUP_BUCKETS]++;
	else
		header->unbucketed++;
}

void segment_add_call(struct segment *s, uint32_t method, uint64_t ticks, bool thrown)
{
	uint32_t timed = FRT_TIMED_METHOD(s->recording, method);
	struct frt_sum *sum = (struct frt_sum *)(s->base + FRT_SHARED_AT) + timed;

	if (!sum->count || ticks < sum->minimum)
		sum->minimum = ticks;
	if (ticks > sum->maximum)
		sum->maximum = ticks;
	sum->count++;
	sum->thrown += thrown;
	sum->total += ticks;
	sum->unknown = FRT_UNKNOWN_NESTED;
	sum->method = timed;
	add_to_histogram(s, timed, ticks);
}
