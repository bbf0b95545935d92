// SPDX-License-Identifier: BSD-2-Clause
#include "user/segment/segment.h"
#include "user/process/maps.h"
#include "user/text/io.h"

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
	s->fd = target_open_memfd(t, name, d);
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
	io_close(s->fd);
	native_rows_release(&s->natives);
	*s = (struct segment){.fd = -1};
}

/* One byte of the segment; 0 or -errno. The lock belongs to the open file description, so it ends with this process. */
static int lock_byte(int fd, int command, short type, uint32_t byte, bool *held)
{
	struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

	if (fcntl(fd, command, &l))
		return -errno;
	*held = l.l_type != F_UNLCK;
	return 0;
}

static bool byte_is_held(int fd, uint32_t byte)
{
	bool held = false;

	return !lock_byte(fd, F_OFD_GETLK, F_WRLCK, byte, &held) && held;
}

static bool try_lock(const struct segment *s, uint32_t byte)
{
	bool held = false;

	return !lock_byte(s->fd, F_OFD_SETLK, F_WRLCK, byte, &held);
}

static void owner_append(char *to, size_t size, const struct frt_owner *owner)
{
	size_t used = strlen(to);

	snprintf(to + used, size - used, "%sfrtrace pid %u (uid %u)%s%.*s", used ? ", " : "", owner->pid, owner->uid,
		 owner->what[0] ? ": " : "", (int)sizeof(owner->what), owner->what);
}

static int report_owners(const struct frt_header *h, struct diag *d)
{
	char owners[FRT_RECORDINGS * 128] = "";

	for (uint32_t i = 0; i < FRT_RECORDINGS; i++)
		owner_append(owners, sizeof(owners), &h->recording[i].owner);
	return diag_set(d, EBUSY, "cannot trace: %u recordings of this JVM run already, more are not possible: %s",
			FRT_RECORDINGS, owners);
}

int segment_claim(struct segment *s, struct diag *d)
{
	for (uint32_t i = 0; i < FRT_RECORDINGS; i++) {
		if (!try_lock(s, FRT_LOCK_RECORDING(i)))
			continue;
		s->recording = i;
		return 0;
	}
	if (errno != EAGAIN && errno != EACCES)
		return diag_errno(d, errno, "cannot lock the agent's control segment");
	return report_owners(segment_header(s), d);
}

bool segment_lock_command(const struct segment *s)
{
	return try_lock(s, FRT_LOCK_COMMAND);
}

void segment_unlock_command(const struct segment *s)
{
	bool held = false;

	lock_byte(s->fd, F_OFD_SETLK, F_UNLCK, FRT_LOCK_COMMAND, &held);
}

bool segment_beat(struct segment *s)
{
	struct frt_recording *r = segment_recording(s);

	__atomic_fetch_add(&r->heartbeat, 1, __ATOMIC_RELAXED);
	return __atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != FRT_IDLE;
}

/* Open the segment that an agent of any build has, and read its header. -ENOENT: there is none. */
static int open_any(const struct target *t, struct frt_header *h, struct diag *d)
{
	int fd = target_open_memfd(t, "frtrace-", d);

	if (fd >= 0 && pread(fd, h, sizeof(*h), 0) != sizeof(*h))
		memset(h, 0, sizeof(*h));
	return fd;
}

static bool is_our_build(const struct frt_header *h, const char *tag)
{
	return h->magic == FRT_MAGIC && !strncmp(h->tag, tag, sizeof(h->tag));
}

/* Earlier builds have a lock on the whole segment. */
static int check_other_build(int fd, struct diag *d)
{
	bool held = flock(fd, LOCK_EX | LOCK_NB);

	for (uint32_t i = 0; i < FRT_RECORDINGS; i++)
		held |= byte_is_held(fd, FRT_LOCK_RECORDING(i));
	return held ? diag_set(d, EBUSY, "cannot trace: another build of frtrace already traces this JVM") : 0;
}

static int check_rows(int fd, const struct frt_header *h, struct diag *d)
{
	for (uint32_t i = 0; i < FRT_RECORDINGS; i++)
		if (!byte_is_held(fd, FRT_LOCK_RECORDING(i)))
			return 0;
	return report_owners(h, d);
}

int segment_check_free(const struct target *t, const char *tag, struct diag *d)
{
	struct frt_header header;
	struct diag why;
	int fd = open_any(t, &header, &why), err;

	if (fd < 0)
		return fd == -ENOENT ? 0 : diag_set(d, -fd, "%s", why.text);
	err = is_our_build(&header, tag) ? check_rows(fd, &header, d) : check_other_build(fd, d);
	close(fd);
	return err;
}

bool segment_owner(const struct target *t, const char *tag, uint32_t i, struct frt_owner *out)
{
	struct frt_header header;
	struct diag ignored;
	int fd = open_any(t, &header, &ignored);
	bool held = fd >= 0 && is_our_build(&header, tag) && byte_is_held(fd, FRT_LOCK_RECORDING(i));

	if (held)
		*out = header.recording[i].owner;
	io_close(fd);
	return held;
}

static struct segment_stacks all_stacks(const struct segment *s)
{
	const struct frt_header *h = segment_header(s);

	return (struct segment_stacks){h->stacks_lost, h->stacks_off, h->stacks_unasked, h->stacks_refused};
}

void segment_note_losses(struct segment *s, uint32_t *epoch)
{
	if (*epoch && *epoch != segment_header(s)->epoch)
		s->before = (struct segment_stacks){0}; /* it began a new epoch, and the counters anew */
	else if (!*epoch)
		s->before = all_stacks(s);
	*epoch = segment_header(s)->epoch;
}

static uint64_t more_than(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

struct segment_stacks segment_stacks(const struct segment *s)
{
	struct segment_stacks now = all_stacks(s);

	return (struct segment_stacks){more_than(now.lost, s->before.lost), more_than(now.off, s->before.off),
				       more_than(now.unasked, s->before.unasked),
				       more_than(now.refused, s->before.refused)};
}

bool segment_is_shared(const struct segment *s)
{
	const struct frt_header *h = segment_header(s);

	for (uint32_t i = 0; i < FRT_RECORDINGS; i++)
		if (i != s->recording && __atomic_load_n(&h->recording[i].state, __ATOMIC_RELAXED) != FRT_IDLE)
			return true;
	return false;
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
	return segment_fill(&segment_recording(s)->skips, FRT_MAX_SKIPS);
}

const struct frt_skip *segment_skip(const struct segment *s, uint32_t i)
{
	if (i >= segment_skips(s))
		return NULL;
	return (const struct frt_skip *)(s->base + FRT_SKIPS_AT) + s->recording * FRT_MAX_SKIPS + i;
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

	if ((serial & (FRT_VIRTUAL_KEY | FRT_NATIVE_KEY)) == FRT_NATIVE_KEY)
		return native_rows_thread(&s->natives, serial, out);
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
static bool is_dead_call(const struct segment *s, const struct frt_slot *slot, uint32_t i)
{
	return segment_has_dump(s, slot->open_dump_epoch) && slot->open_dump_dead >> i & 1 &&
	       slot->open[i].start <= slot->open_dump_at;
}

bool segment_has_call(const struct segment *s, uint32_t method, uint64_t start)
{
	return start >= segment_recording(s)->since &&
	       (method >= FRT_MAX_METHODS || *segment_rule(s, method) != FRT_RULE_UNTRACED);
}

static void add_oldest(const struct segment *s, const struct frt_slot *slot, struct segment_totals *t)
{
	uint32_t depth = slot->depth < FRT_OPEN_CALLS ? slot->depth : FRT_OPEN_CALLS, i = 0;

	if (slot->flags & FRT_SLOT_CARRIER)
		return;
	while (i < depth &&
	       (is_dead_call(s, slot, i) || !segment_has_call(s, slot->open[i].method, slot->open[i].start)))
		i++;
	if (i < depth && (!t->oldest_start || slot->open[i].start < t->oldest_start)) {
		t->oldest_start = slot->open[i].start;
		t->oldest_method = slot->open[i].method;
	}
}

/*
 * A slot and a share have the same counters. `exited` is read before `entered`: a call in between counts as open.
 */
#define ADD_COUNTERS(sum, from)                                                      \
	do {                                                                         \
		(sum)->exited += __atomic_load_n(&(from)->exited, __ATOMIC_ACQUIRE); \
		(sum)->entered += (from)->entered;                                   \
		(sum)->thrown += (from)->thrown;                                     \
		(sum)->recorded += (from)->recorded;                                 \
		(sum)->unrecorded += (from)->unrecorded;                             \
		(sum)->lost_exits += (from)->lost_exits;                             \
		(sum)->moved_exits += (from)->moved_exits;                           \
		if ((from)->longest > (sum)->longest)                                \
			(sum)->longest = (from)->longest;                            \
	} while (0)

bool segment_add_slot(const struct segment *s, const struct frt_slot *slot, struct frt_share *sum)
{
	const struct frt_recording *r = segment_recording(s);
	uint64_t number = slot - (const struct frt_slot *)(s->base + FRT_SLOTS_AT);
	const struct frt_share *share =
		(const struct frt_share *)(s->base + FRT_SHARES_AT) + number * FRT_RECORDINGS + s->recording;
	bool shared;

	if (slot->epoch != segment_header(s)->epoch)
		return false;
	shared = r->number && __atomic_load_n(&share->number, __ATOMIC_ACQUIRE) == r->number;
	if (shared)
		ADD_COUNTERS(sum, share);
	if (r->founder) /* it has counted in the slot itself */
		ADD_COUNTERS(sum, slot);
	return r->founder || shared;
}

void segment_totals(const struct segment *s, struct segment_totals *t)
{
	const struct frt_recording *r = segment_recording(s);
	struct frt_share sum = {0};
	const struct frt_slot *slot;
	uint64_t ended;

	for (uint32_t i = 0; (slot = segment_slot(s, i)); i++)
		segment_add_slot(s, slot, &sum);
	*t = (struct segment_totals){.entered = sum.entered,
				     .exited = sum.exited,
				     .thrown = sum.thrown,
				     .recorded = sum.recorded,
				     .unrecorded = sum.unrecorded,
				     .lost_exits = sum.lost_exits + r->dead_calls,
				     .moved_exits = sum.moved_exits,
				     .unslotted = r->unslotted,
				     .longest = sum.longest,
				     .ring_bytes = segment_header(s)->ring_used};
	for (uint32_t i = 0; (slot = segment_slot(s, i)); i++)
		if (slot->epoch == segment_header(s)->epoch)
			add_oldest(s, slot, t);
	for (size_t i = 0; i < s->natives.sums; i++) {
		t->entered += s->natives.sum[i].sum.count;
		t->exited += s->natives.sum[i].sum.count;
		t->thrown += s->natives.sum[i].sum.thrown;
	}
	for (size_t i = 0; i < s->natives.opens; i++)
		t->entered += segment_has_call(s, s->natives.open[i].method, s->natives.open[i].start);
	ended = t->exited + t->lost_exits;
	t->open = t->entered > ended ? t->entered - ended : 0;
}

void segment_roots(const struct segment *s, struct segment_roots *out)
{
	const struct frt_inside *inside = (const struct frt_inside *)(s->base + FRT_INSIDES_AT);
	const struct frt_slot *slot;

	*out = (struct segment_roots){0};
	for (uint32_t i = 0; (slot = segment_slot(s, i)); i++) {
		if (slot->epoch != segment_header(s)->epoch)
			continue;
		out->kept += inside[i].kept;
		out->samples += inside[i].samples;
		out->dropped += inside[i].dropped;
		out->lost += inside[i].lost;
		out->begun += inside[i].begun;
	}
}

void segment_hooked_classes(const struct segment *s, struct segment_classes *out)
{
	const struct frt_method *m;

	memset(out, 0, sizeof(*out));
	for (uint32_t id = 1; (m = segment_method(s, id)); id++) {
		uint32_t class_id = m->class_id;

		if (segment_is_hooked(s, m) && class_id < FRT_MAX_CLASSES)
			out->word[class_id / 64] |= 1ULL << class_id % 64;
	}
}

uint32_t segment_count_hooked(const struct segment *s, uint32_t *classes)
{
	struct segment_classes set;
	const struct frt_method *m;
	uint32_t n = 0;

	for (uint32_t id = 1; (m = segment_method(s, id)); id++)
		n += segment_is_hooked(s, m);
	segment_hooked_classes(s, &set);
	*classes = 0;
	for (uint32_t id = 1; segment_class(s, id); id++)
		*classes += segment_classes_has(&set, id);
	return n;
}
