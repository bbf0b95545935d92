// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/segment.h"
#include "user/process/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WANTED_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

/*
 * Map through a descriptor of our own: children that attach inherit the mapping, and the lock must not survive in
 * them when we are killed.
 */
static void *map_aside(int fd)
{
	int other = memfd_open_again(fd);
	void *base;

	if (other < 0)
		return MAP_FAILED;
	base = mmap(NULL, FRT_SEGMENT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, other, 0);
	close(other);
	return base;
}

static int map_segment(struct segment *s, struct diag *d)
{
	struct stat st;
	int seals = fcntl(s->fd, F_GET_SEALS);
	void *base;

	if (fstat(s->fd, &st))
		return diag_errno(d, errno, "cannot stat the agent's control segment");
	if (seals < 0 || (seals & WANTED_SEALS) != WANTED_SEALS || st.st_size != FRT_SEGMENT_SIZE)
		return diag_set(d, EPROTO,
				"refuse the agent's control segment: size %lld or seals 0x%x are not as made",
				(long long)st.st_size, seals);
	base = map_aside(s->fd);
	if (base == MAP_FAILED)
		return diag_errno(d, errno, "cannot map the agent's control segment");
	s->base = base;
	return 0;
}

int segment_open(struct segment *s, const struct target *t, const char *tag, struct diag *d)
{
	char name[64];
	int err;

	*s = (struct segment){.fd = -1};
	snprintf(name, sizeof(name), "frtrace-%s", tag);
	s->fd = target_open_memfd(t, name, NULL, 0, d);
	if (s->fd < 0)
		return s->fd;
	err = map_segment(s, d);
	if (!err && segment_header(s)->magic != FRT_MAGIC)
		err = diag_set(d, EPROTO, "refuse the agent's control segment: wrong magic number");
	if (err)
		segment_close(s);
	return err;
}

void segment_close(struct segment *s)
{
	if (s->base)
		munmap(s->base, FRT_SEGMENT_SIZE);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct segment){.fd = -1};
}

static int segment_report_holder(const struct frt_owner *owner, struct diag *d)
{
	char what[sizeof(owner->what) + 1];

	snprintf(what, sizeof(what), "%.*s", (int)sizeof(owner->what), owner->what);
	return diag_set(d, EBUSY,
			"cannot trace: frtrace pid %u (uid %u) already traces this JVM%s%s; stop that one first",
			owner->pid, owner->uid, what[0] ? ": " : "", what);
}

int segment_lock(struct segment *s, struct diag *d)
{
	if (!flock(s->fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno != EWOULDBLOCK)
		return diag_errno(d, errno, "cannot lock the agent's control segment");
	return segment_report_holder(&segment_header(s)->owner, d);
}

bool segment_beat(struct segment *s)
{
	struct frt_header *h = segment_header(s);

	__atomic_fetch_add(&h->heartbeat, 1, __ATOMIC_RELAXED);
	return __atomic_load_n(&h->state, __ATOMIC_ACQUIRE) != FRT_IDLE;
}

int segment_check_free(const struct target *t, struct diag *d)
{
	struct diag ignored;
	struct frt_header header;
	int fd, err = 0;

	fd = target_open_memfd(t, "frtrace-", NULL, 0, &ignored);
	if (fd < 0)
		return fd == -ENOENT ? 0 : diag_set(d, -fd, "%s", ignored.text);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		if (pread(fd, &header, sizeof(header), 0) == sizeof(header))
			err = segment_report_holder(&header.owner, d);
		else
			err = diag_set(d, EBUSY, "cannot trace: another frtrace already traces this JVM");
	}
	close(fd);
	return err;
}

static uint32_t segment_fill(const uint32_t *count, uint32_t limit)
{
	uint32_t n = __atomic_load_n(count, __ATOMIC_ACQUIRE);

	return n < limit ? n : limit;
}

const struct frt_slot *segment_slot(const struct segment *s, uint32_t number)
{
	if (number >= segment_fill(&segment_header(s)->slots, FRT_MAX_SLOTS))
		return NULL;
	return (const struct frt_slot *)(s->base + FRT_SLOTS_AT) + number;
}

const struct frt_class *segment_class(const struct segment *s, uint32_t id)
{
	if (!id || id > segment_fill(&segment_header(s)->classes, FRT_MAX_CLASSES - 1))
		return NULL;
	return (const struct frt_class *)(s->base + FRT_CLASSES_AT) + id;
}

const struct frt_method *segment_method(const struct segment *s, uint32_t id)
{
	if (!id || id > segment_fill(&segment_header(s)->methods, FRT_MAX_METHODS - 1))
		return NULL;
	return (const struct frt_method *)(s->base + FRT_METHODS_AT) + id;
}

const struct frt_loader *segment_loader(const struct segment *s, uint32_t number)
{
	if (number >= segment_fill(&segment_header(s)->loaders, FRT_MAX_LOADERS))
		return NULL;
	return (const struct frt_loader *)(s->base + FRT_LOADERS_AT) + number;
}

uint32_t segment_skips(const struct segment *s)
{
	return segment_fill(&segment_header(s)->skips, FRT_MAX_SKIPS);
}

const struct frt_skip *segment_skip(const struct segment *s, uint32_t i)
{
	if (i >= segment_fill(&segment_header(s)->skips, FRT_MAX_SKIPS))
		return NULL;
	return (const struct frt_skip *)(s->base + FRT_SKIPS_AT) + i;
}

const struct frt_virtual_call *segment_virtual_call(const struct segment *s, uint32_t i)
{
	if (i >= FRT_VIRTUAL_CALLS || !segment_header(s)->virtual_used)
		return NULL;
	return (const struct frt_virtual_call *)(s->base + FRT_VIRTUAL_AT) + i;
}

const struct frt_virtual_name *segment_virtual_name(const struct segment *s, uint32_t i)
{
	return i < FRT_VIRTUAL_CALLS ? (const struct frt_virtual_name *)(s->base + FRT_VIRTUAL_NAMES_AT) + i : NULL;
}

bool segment_thread(const struct segment *s, uint32_t serial, struct frt_thread *out)
{
	const struct frt_thread *row = (const struct frt_thread *)(s->base + FRT_THREADS_AT) + serial % FRT_MAX_THREADS;

	if (serial == FRT_NO_THREAD || __atomic_load_n(&row->serial, __ATOMIC_ACQUIRE) != serial)
		return false;
	memcpy(out, row, sizeof(*out));
	if (out->name_length > sizeof(out->name))
		out->name_length = sizeof(out->name);
	if (out->group_length > sizeof(out->group))
		out->group_length = sizeof(out->group);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&row->serial, __ATOMIC_ACQUIRE) == serial;
}

uint32_t segment_tid(const struct segment *s, uint32_t serial)
{
	const struct frt_thread *row = (const struct frt_thread *)(s->base + FRT_THREADS_AT) + serial % FRT_MAX_THREADS;

	return serial != FRT_NO_THREAD && __atomic_load_n(&row->serial, __ATOMIC_ACQUIRE) == serial ? row->tid : 0;
}

size_t segment_string(const struct segment *s, uint32_t number, char *out, size_t size)
{
	const unsigned char *heap = (const unsigned char *)s->base + FRT_STRINGS_AT;
	uint32_t end = segment_fill(&segment_header(s)->strings, FRT_STRINGS_SIZE);
	size_t length = 0;

	if (number && number < end && end - number >= 3) {
		length = __atomic_load_n(&heap[number], __ATOMIC_RELAXED) |
			 __atomic_load_n(&heap[number + 1], __ATOMIC_RELAXED) << 8;
		if (number + 2 + length > end)
			length = 0;
	}
	if (length >= size)
		length = size - 1;
	if (length)
		memcpy(out, heap + number + 2, length);
	out[length] = 0;
	return length;
}

/* The last open-call dump found it on no stack. A bit is about the call that was there at the time of the dump. */
static bool is_dead_call(const struct frt_slot *slot, uint32_t i, const struct frt_header *h)
{
	return slot->open_dump_epoch == h->open_dump && slot->open_dump_dead >> i & 1 &&
	       slot->open[i].start <= slot->open_dump_at;
}

static void add_oldest(const struct frt_slot *slot, const struct frt_header *h, struct segment_totals *t)
{
	uint32_t depth = slot->depth < FRT_OPEN_CALLS ? slot->depth : FRT_OPEN_CALLS, i = 0;

	if (slot->flags & FRT_SLOT_CARRIER)
		return;
	while (i < depth && is_dead_call(slot, i, h))
		i++;
	if (i < depth && (!t->oldest_start || slot->open[i].start < t->oldest_start)) {
		t->oldest_start = slot->open[i].start;
		t->oldest_method = slot->open[i].method;
	}
}

void segment_totals(const struct segment *s, struct segment_totals *t)
{
	const struct frt_header *h = segment_header(s);
	const struct frt_slot *slot;
	uint64_t ended;

	*t = (struct segment_totals){
		.unslotted = h->unslotted, .lost_exits = h->dead_calls, .ring_bytes = h->ring_used};
	for (uint32_t i = 0; (slot = segment_slot(s, i)); i++) {
		if (slot->epoch != h->epoch)
			continue;
		t->exited += slot->exited; /* before `entered`: a call in between counts as open */
		t->entered += slot->entered;
		t->thrown += slot->thrown;
		t->recorded += slot->recorded;
		t->unrecorded += slot->unrecorded;
		t->lost_exits += slot->lost_exits;
		t->moved_exits += slot->moved_exits;
		if (slot->longest > t->longest)
			t->longest = slot->longest;
		add_oldest(slot, h, t);
	}
	ended = t->exited + t->lost_exits;
	t->open = t->entered > ended ? t->entered - ended : 0;
}

uint32_t segment_count_hooked(const struct segment *s, uint32_t *classes)
{
	const struct frt_method *m;
	const struct frt_class *c;
	uint32_t n = 0;

	for (uint32_t id = 1; (m = segment_method(s, id)); id++)
		n += !!(m->flags & FRT_METHOD_HOOKED);
	*classes = 0;
	for (uint32_t id = 1; (c = segment_class(s, id)); id++)
		*classes += segment_class_is_traced(c);
	return n;
}
