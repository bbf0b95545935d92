// SPDX-License-Identifier: BSD-2-Clause
/*
 * A perf buffer is a page with positions and a ring of records, which the kernel writes at data_head and which are free
 * again when data_tail has passed them (perf_event_open(2)). Both only grow. A record has a header of 8 bytes and a
 * multiple of 8 bytes in all, so a header lies in one piece; what follows it may begin again at the start of the ring. In
 * a sample of PERF_SAMPLE_RAW a length of 4 bytes follows, then what the program has output, padded.
 *
 * In one buffer records stand in the order of their outputs. One that was reserved earlier may stand behind later ones: its
 * program was preempted. It is passed on in its turn and then marked, because its place is not free before those in front
 * of it are passed on, too. The marks are bits of our own: we may not write into the ring.
 */
#include "user/capture/perfbuf.h"
#include "bpf/queue.h"
#include "format/vec.h"
#include "user/text/io.h"
#include "user/text/log.h"
#include "user/process/tsc.h"
#include "user/text/monotonic.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORDS	  131072 /* in a pass at most, of all CPUs */
#define SMALLEST  32	 /* pages: a buffer must hold some of the largest records */
#define WAKE_PART 16
#define LOOKS	  100

struct perf_cpu {
	struct perf_buffer *buffer; /* NULL: offline */
	struct perf_event_mmap_page *page;
	const uint8_t *ring;
	uint8_t *passed_on; /* a bit for each 8 bytes of it: the record that begins there */
	uint64_t size, tail;
	struct frt_staging *staging;
};

/* A record that is there. */
struct found {
	uint64_t at, position;
	uint32_t cpu, size;
};

struct perfbuf {
	struct perfbuf_setup setup;
	int epoll;
	struct perf_cpu *cpu;
	struct frt_staging *staging; /* mapped, of all CPUs */
	struct found *found;	     /* by this pass, in the order of their times */
	size_t capacity, count, next;
	uint64_t until, consumed;
	uint64_t record[UINT16_MAX / 8 + 1]; /* a copy of one */
};

/* ---- opening */

static size_t staging_size(const struct perfbuf *p)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (p->setup.cpus * sizeof(struct frt_staging) + page - 1) / page * page;
}

static enum bpf_perf_event_ret never_called(void *context, int cpu, struct perf_event_header *event)
{
	return LIBBPF_PERF_EVENT_CONT;
}

/* Returns 0, too, if the CPU is offline. */
static int perf_cpu_open(struct perfbuf *p, int number, size_t pages)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_BPF_OUTPUT,
				       .sample_type = PERF_SAMPLE_RAW,
				       .sample_period = 1,
				       .watermark = 1};
	DECLARE_LIBBPF_OPTS(perf_buffer_raw_opts, only, .cpu_cnt = 1, .cpus = &number, .map_keys = &number);
	struct epoll_event event = {.events = EPOLLIN};
	struct perf_cpu *c = &p->cpu[number];
	size_t page = sysconf(_SC_PAGESIZE), unused;
	void *at;

	attr.wakeup_watermark = pages * page / WAKE_PART;
	c->staging = &p->staging[number];
	c->buffer = perf_buffer__new_raw(p->setup.map_fd, pages, &attr, never_called, NULL, &only);
	if (!c->buffer)
		return errno == ENODEV || errno == ENXIO ? 0 : -errno;
	if (perf_buffer__buffer(c->buffer, 0, &at, &unused) ||
	    epoll_ctl(p->epoll, EPOLL_CTL_ADD, perf_buffer__epoll_fd(c->buffer), &event))
		return -errno;
	c->page = at;
	c->ring = (uint8_t *)at + page;
	c->size = pages * page;
	c->passed_on = calloc(c->size / 64, 1);
	if (!c->passed_on)
		return -ENOMEM;
	__atomic_store_n(&c->staging->size, c->size, __ATOMIC_RELEASE);
	return 0;
}

static void perf_cpus_close(struct perfbuf *p)
{
	for (int i = 0; p->cpu && i < p->setup.cpus; i++) {
		perf_buffer__free(p->cpu[i].buffer);
		free(p->cpu[i].passed_on);
		p->cpu[i] = (struct perf_cpu){.tail = 0};
	}
}

/* How much memory may be locked depends on rights and limits. */
static int perf_cpus_open(struct perfbuf *p)
{
	size_t most = p->setup.size / p->setup.cpus / sysconf(_SC_PAGESIZE), pages = SMALLEST;
	bool open = false;
	int err;

	while (pages * 2 <= most)
		pages *= 2;
	for (;; pages /= 2) {
		err = 0;
		for (int i = 0; i < p->setup.cpus && !err; i++)
			err = perf_cpu_open(p, i, pages);
		if ((err != -EPERM && err != -ENOMEM) || pages <= SMALLEST)
			break;
		perf_cpus_close(p);
	}
	for (int i = 0; i < p->setup.cpus && !open; i++)
		open = p->cpu[i].buffer;
	if (!err && !open)
		return -ENODEV;
	if (!err && p->setup.size)
		log_detail("perf buffers of %zu KiB", pages * sysconf(_SC_PAGESIZE) / 1024);
	return err;
}

int perfbuf_open(struct perfbuf **out, const struct perfbuf_setup *setup, struct diag *d)
{
	struct perfbuf *p = calloc(1, sizeof(*p));
	void *staging;
	int err;

	*out = NULL;
	if (!p)
		return diag_errno(d, ENOMEM, "cannot open the queue");
	p->setup = *setup;
	p->epoll = epoll_create1(EPOLL_CLOEXEC);
	p->cpu = calloc(setup->cpus, sizeof(*p->cpu));
	staging = mmap(NULL, staging_size(p), PROT_READ | PROT_WRITE, MAP_SHARED, setup->staging_fd, 0);
	if (staging != MAP_FAILED)
		p->staging = staging;
	if (p->epoll < 0 || !p->cpu || !p->staging)
		err = -errno;
	else
		err = perf_cpus_open(p);
	if (err) {
		err = diag_errno(d, -err, "cannot open perf buffers");
		perfbuf_close(p);
		return err;
	}
	*out = p;
	return 0;
}

void perfbuf_close(struct perfbuf *p)
{
	if (!p)
		return;
	perf_cpus_close(p);
	if (p->staging)
		munmap(p->staging, staging_size(p));
	io_close(p->epoll);
	free(p->cpu);
	free(p->found);
	free(p);
}

int perfbuf_fd(const struct perfbuf *p)
{
	return p->epoll;
}

/* ---- one CPU's buffer */

static const struct perf_event_header *perf_cpu_header(const struct perf_cpu *c, uint64_t position)
{
	return (const struct perf_event_header *)(c->ring + position % c->size);
}

static uint8_t *perf_cpu_mark(const struct perf_cpu *c, uint64_t position, uint8_t *bit)
{
	uint64_t word = position % c->size / 8;

	*bit = 1u << word % 8;
	return &c->passed_on[word / 8];
}

static bool perf_cpu_is_passed(const struct perf_cpu *c, uint64_t position)
{
	uint8_t bit;

	return *perf_cpu_mark(c, position, &bit) & bit;
}

static void perf_cpu_set_passed(const struct perf_cpu *c, uint64_t position, bool passed)
{
	uint8_t bit, *mark = perf_cpu_mark(c, position, &bit);

	*mark = passed ? *mark | bit : *mark & ~bit;
}

static void perf_cpu_copy(const struct perf_cpu *c, void *to, uint64_t position, size_t size)
{
	size_t at = position % c->size, first = size < c->size - at ? size : c->size - at;

	memcpy(to, c->ring + at, first);
	memcpy((uint8_t *)to + first, c->ring, size - first);
}

#define SAMPLE_LENGTH sizeof(struct perf_event_header) /* places in a sample, in bytes */
#define SAMPLE_TIME   (SAMPLE_LENGTH + sizeof(uint32_t))
#define SAMPLE_RECORD (SAMPLE_TIME + sizeof(uint64_t))

/* Free what has been passed on at the beginning. */
static void perf_cpu_release(struct perf_cpu *c, uint64_t end)
{
	uint64_t from = c->tail;

	while (c->tail < end && perf_cpu_is_passed(c, c->tail)) {
		perf_cpu_set_passed(c, c->tail, false);
		c->tail += perf_cpu_header(c, c->tail)->size;
	}
	__atomic_store_n(&c->page->data_tail, c->tail, __ATOMIC_RELEASE);
	__atomic_fetch_add(&c->staging->consumed, c->tail - from, __ATOMIC_RELEASE);
}

/* ---- passes */

/* The time of a claimed record that is older than `at`, else `at`; 0: one has no time yet. */
static uint64_t oldest_claimed(const struct frt_staging *s, uint64_t at)
{
	uint32_t claimed = __atomic_load_n(&s->claimed, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i <= FRT_STAGED_PLACES && claimed >> i; i++) {
		const struct frt_staged *place = (const struct frt_staged *)(s->places + i * FRT_STAGED_SMALL);
		uint64_t since = __atomic_load_n(&place->at, __ATOMIC_ACQUIRE);

		if (claimed >> i & 1 && since < at)
			at = since;
	}
	return at;
}

/* No record from before this time is missing in the buffers. What is claimed after the look has a later time than now. */
static uint64_t perfbuf_settled(const struct perfbuf *p)
{
	uint64_t at = 0;

	for (int looks = 0; !at && looks < LOOKS; looks++) {
		at = monotonic_ns();
		tsc_order(); /* the clock is read before the places are */
		for (int i = 0; i < p->setup.cpus; i++)
			if (p->cpu[i].buffer)
				at = oldest_claimed(p->cpu[i].staging, at);
	}
	return at;
}

/*
 * Look at the record at *position and step over it. Returns false if it is not one that we can pass on: it has been, or
 * it is the kernel's own, whose room the programs do not know of.
 */
static bool perf_cpu_look(struct perf_cpu *c, uint64_t *position, struct found *f)
{
	const struct perf_event_header *h = perf_cpu_header(c, *position);
	uint32_t length;

	f->position = *position;
	*position += h->size;
	if (perf_cpu_is_passed(c, f->position))
		return false;
	if (h->type == PERF_RECORD_SAMPLE && h->size >= SAMPLE_RECORD) {
		perf_cpu_copy(c, &length, f->position + SAMPLE_LENGTH, sizeof(length));
		perf_cpu_copy(c, &f->at, f->position + SAMPLE_TIME, sizeof(f->at));
		f->size = length - sizeof(f->at);
		if (length >= sizeof(f->at) && length <= h->size - SAMPLE_TIME)
			return true;
	} else {
		__atomic_fetch_add(&c->staging->produced, h->size, __ATOMIC_RELAXED);
	}
	perf_cpu_set_passed(c, f->position, true);
	return false;
}

/*
 * Collect the CPU's records from before p->until. If there are too many, p->until is moved back, so that this pass ends
 * with those that have been collected; one behind them that was output late comes late then.
 */
static void perf_cpu_collect(struct perfbuf *p, uint32_t number)
{
	struct perf_cpu *c = &p->cpu[number];
	uint64_t head = __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE), position = c->tail, latest = 0;
	size_t most = p->count + RECORDS / p->setup.cpus;
	struct found f = {.cpu = number};

	while (position < head && perf_cpu_header(c, position)->size >= sizeof(struct perf_event_header)) {
		if (!perf_cpu_look(c, &position, &f) || f.at >= p->until)
			continue;
		if (p->count == most || vec_reserve(&p->found, &p->capacity, p->count + 1)) {
			p->until = latest + 1;
			break;
		}
		p->found[p->count++] = f;
		latest = f.at > latest ? f.at : latest;
	}
	perf_cpu_release(c, position);
}

static int found_compare(const void *one, const void *other)
{
	const struct found *a = one, *b = other;

	return a->at != b->at ? (a->at < b->at ? -1 : 1) : (a->position > b->position) - (a->position < b->position);
}

static void perfbuf_collect(struct perfbuf *p)
{
	p->count = p->next = 0;
	p->until = perfbuf_settled(p);
	if (p->until <= p->consumed)
		return;
	for (int i = 0; i < p->setup.cpus; i++)
		if (p->cpu[i].buffer)
			perf_cpu_collect(p, i);
	if (p->count)
		qsort(p->found, p->count, sizeof(*p->found), found_compare);
	while (p->count && p->found[p->count - 1].at >= p->until)
		p->count--;
}

/* Returns what the receiver returned. */
static int perfbuf_pass_on(struct perfbuf *p, const struct found *f)
{
	struct perf_cpu *c = &p->cpu[f->cpu];

	perf_cpu_copy(c, p->record, f->position + SAMPLE_RECORD, f->size);
	perf_cpu_set_passed(c, f->position, true);
	if (f->position == c->tail)
		perf_cpu_release(c, __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE));
	return p->setup.record(p->setup.context, p->record, f->size);
}

void perfbuf_consume(struct perfbuf *p)
{
	bool stopped = false;

	do {
		if (p->next == p->count)
			perfbuf_collect(p);
		while (p->next < p->count && !stopped)
			stopped = perfbuf_pass_on(p, &p->found[p->next++]);
		if (p->next == p->count && p->until > p->consumed)
			p->consumed = p->until;
	} while (p->count && !stopped);
}

uint64_t perfbuf_unread(struct perfbuf *p)
{
	uint64_t count = 0;

	for (int i = 0; i < p->setup.cpus; i++) {
		struct perf_cpu *c = &p->cpu[i];
		uint64_t head = c->buffer ? __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE) : 0;
		struct found f;

		for (uint64_t position = c->tail;
		     position < head && perf_cpu_header(c, position)->size >= sizeof(struct perf_event_header);)
			count += perf_cpu_look(c, &position, &f);
		if (c->buffer)
			count += __builtin_popcount(__atomic_load_n(&c->staging->claimed, __ATOMIC_ACQUIRE));
	}
	return count;
}

uint64_t perfbuf_lost(const struct perfbuf *p, unsigned int kind)
{
	uint64_t lost = 0;

	for (int i = 0; i < p->setup.cpus; i++)
		lost += __atomic_load_n(&p->staging[i].lost[kind], __ATOMIC_RELAXED);
	return lost;
}

uint64_t perfbuf_consumed(const struct perfbuf *p)
{
	return p->consumed;
}

bool perfbuf_is_filled(const struct perfbuf *p, unsigned int part)
{
	for (int i = 0; i < p->setup.cpus; i++) {
		const struct perf_cpu *c = &p->cpu[i];

		if (c->buffer && __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE) - c->tail > c->size / part)
			return true;
	}
	return false;
}
