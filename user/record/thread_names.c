// SPDX-License-Identifier: BSD-2-Clause
/*
 * A kernel id is given again to another thread when its thread has ended. So a thread is known by its id and its start, and
 * what the JVM's memory says of an id belongs to it only if it is alive when that was read. Either /proc shows it
 * afterwards, with that start, or it wakes somebody later. It must also have the same name of the kernel's then: a thread
 * that has renamed itself meanwhile had another name when it woke. A Java id is never given again, and stays true.
 */
#include "user/record/thread_names.h"
#include "bpf/queue.h"
#include "format/vec.h"
#include "user/hotspot/threads.h"
#include "user/process/target.h"
#include "user/text/monotonic.h"

#include <stdlib.h>

#define NAMES	   1024u
#define TRIES	   3  /* an object may have moved while it was read */
#define REST	   20 /* reading that took 1 us is followed by 20 us without: it takes 5 % of the time at most */
#define BURST_NS   1000000000LL /* this much rest may be owed: 50 ms of reading at once */
#define RENEWAL_NS 1000000000LL /* a name may be changed */

struct java_thread {
	uint32_t tid;
	uint64_t address;      /* of the JavaThread */
	uint64_t stack, bytes; /* its stack, which lies below; 0: unknown */
};

struct known_name {
	uint32_t tid, started, tries;
	bool checked, internal; /* internal: no Java thread */
	char kernel_name[16];
	struct thread_object object; /* .java_id 0: unknown */
	struct thread_object seen;   /* what was read last, if seen_at is not 0: CLOCK_MONOTONIC */
	int64_t seen_at, known_at;
};

struct thread_names {
	const struct hotspot_layout *layout;
	const struct mem *memory;
	const struct target *target;
	struct java_thread *thread; /* sorted by tid */
	size_t count, capacity;
	bool stacks_read;
	int64_t read_at, read_took; /* the list, CLOCK_MONOTONIC and ns; 0: not yet */
	int64_t rest_until;	    /* CLOCK_MONOTONIC: what reading has cost so far is 5 % of the time up to here */
	struct known_name known[NAMES];
};

struct thread_names *thread_names_new(const struct hotspot_layout *layout, const struct mem *memory,
				      const struct target *target)
{
	struct thread_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->layout = layout;
	n->memory = memory;
	n->target = target;
	return n;
}

void thread_names_free(struct thread_names *n)
{
	if (n)
		free(n->thread);
	free(n);
}

static int names_add_thread(uint64_t address, int tid, void *context)
{
	struct thread_names *n = context;

	if (vec_reserve(&n->thread, &n->capacity, n->count + 1))
		return -ENOMEM;
	n->thread[n->count++] = (struct java_thread){.tid = (uint32_t)tid, .address = address};
	return 0;
}

static int names_compare(const void *a, const void *b)
{
	const struct java_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static const struct java_thread *names_find(const struct thread_names *n, uint32_t tid)
{
	struct java_thread wanted = {.tid = tid};

	return n->count ? bsearch(&wanted, n->thread, n->count, sizeof(wanted), names_compare) : NULL;
}

/* The JVM chooses how many threads and names there are. */
static bool names_may_read(const struct thread_names *n)
{
	return n->rest_until - monotonic_ns() < BURST_NS;
}

static void names_charge(struct thread_names *n, int64_t begin)
{
	int64_t now = monotonic_ns();

	n->rest_until = (n->rest_until > begin ? n->rest_until : begin) + REST * (now - begin);
}

static void names_read_list(struct thread_names *n)
{
	int64_t begin = monotonic_ns();
	int err = -EAGAIN;

	for (int i = 0; i < TRIES && err == -EAGAIN; i++) {
		n->count = 0;
		err = hotspot_each_thread(n->layout, n->memory, names_add_thread, n);
	}
	n->stacks_read = false;
	if (err) /* a part of the list would make a Java thread look internal */
		n->count = 0;
	if (n->count)
		qsort(n->thread, n->count, sizeof(n->thread[0]), names_compare);
	n->read_at = monotonic_ns();
	n->read_took = n->read_at - begin;
	names_charge(n, begin);
}

/* In a list that was read after `since`. */
static const struct java_thread *names_find_since(struct thread_names *n, uint32_t tid, int64_t since)
{
	if (n->read_at <= since)
		names_read_list(n);
	return n->read_at > since ? names_find(n, tid) : NULL;
}

/* The thread was alive, and had the same name of the kernel's, when it was read. */
static void names_accept(struct known_name *k)
{
	if (!k->object.java_id || k->object.java_id == k->seen.java_id) {
		k->object = k->seen;
		k->known_at = k->seen_at;
	}
	k->seen_at = 0;
}

static bool names_read_object(const struct thread_names *n, struct known_name *k, uint64_t java_thread)
{
	uint32_t tid;

	return !thread_object_read(&k->seen, n->layout, n->memory, java_thread) &&
	       !hotspot_thread_tid(n->layout, n->memory, java_thread, &tid) && tid == k->tid;
}

/* Where there is a list that was read after `then`, or may be read now. */
static bool names_renew(struct thread_names *n, int64_t then)
{
	if (n->read_at <= then && names_may_read(n) && monotonic_ns() - n->read_at >= REST * n->read_took)
		names_read_list(n);
	return n->read_at > then;
}

static void names_read_stacks(struct thread_names *n)
{
	const struct hotspot_layout *l = n->layout;
	int64_t begin = monotonic_ns();

	n->stacks_read = true;
	if (l->thread_stack_size == FRT_NO_OFFSET || l->walk.thread_stack_base == FRT_NO_OFFSET)
		return;
	for (size_t i = 0; i < n->count; i++) {
		struct java_thread *t = &n->thread[i];

		if (mem_u64(n->memory, t->address + l->walk.thread_stack_base, &t->stack) ||
		    mem_u64(n->memory, t->address + l->thread_stack_size, &t->bytes))
			t->stack = t->bytes = 0;
	}
	names_charge(n, begin);
}

uint32_t thread_names_owner(struct thread_names *n, uint64_t owner, int64_t then)
{
	if (!names_renew(n, then))
		return 0;
	for (size_t i = 0; i < n->count; i++)
		if (n->thread[i].address == owner)
			return n->thread[i].tid;
	if (!n->stacks_read)
		names_read_stacks(n);
	for (size_t i = 0; i < n->count; i++)
		if (owner < n->thread[i].stack && n->thread[i].stack - owner <= n->thread[i].bytes)
			return n->thread[i].tid;
	return 0;
}

bool thread_names_read(struct thread_names *n, uint32_t tid, struct thread_object *out)
{
	const struct java_thread *t = names_find(n, tid);

	return t && !thread_object_read(out, n->layout, n->memory, t->address);
}

/* An older list may have a thread that had this id before. If the Java id is known, it tells whether it is the same one. */
static void names_read(struct thread_names *n, struct known_name *k, int64_t woke)
{
	int64_t since = k->object.java_id ? 0 : woke, begin;
	const struct java_thread *t;

	if (!names_may_read(n) || (n->read_at <= since && monotonic_ns() - n->read_at < REST * n->read_took))
		return;
	t = names_find_since(n, k->tid, since);
	begin = monotonic_ns();
	k->tries++;
	k->seen_at = 0;
	if (t && names_read_object(n, k, t->address)) {
		k->seen_at = monotonic_ns();
		k->tries = 0;
		if (target_task_is(n->target, k->tid, k->kernel_name, k->started, FRT_STARTED_SHIFT))
			names_accept(k);
	}
	names_charge(n, begin);
}

static struct known_name *names_row(struct thread_names *n, uint32_t tid, uint32_t started, const char kernel_name[16])
{
	struct known_name *k = &n->known[(tid + started * 31) % NAMES];

	if (k->tid != tid || k->started != started || memcmp(k->kernel_name, kernel_name, sizeof(k->kernel_name))) {
		*k = (struct known_name){.tid = tid, .started = started};
		memcpy(k->kernel_name, kernel_name, sizeof(k->kernel_name));
	}
	return k;
}

bool thread_names_is_collector(struct thread_names *n, uint32_t tid, uint32_t started, const char kernel_name[16])
{
	/* of JDK 8 to 28, cut by the kernel */
	static const char *const begins[] = {
		"G1 ",	     "GC Thread#", "GC task thread#", "Gang worker#", "Concurrent Mar", "ZDriver",
		"ZDirector", "ZWorker",	   "XDriver",	      "XDirector",    "XWorker",	"Shenand"};
	struct known_name *k;
	bool is_one = false;

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		is_one |= !strncmp(kernel_name, begins[i], strlen(begins[i]));
	if (!is_one)
		return false;
	k = names_row(n, tid, started, kernel_name);
	if (!k->checked && names_may_read(n)) {
		names_read_list(n);
		k->internal = n->count && !names_find(n, tid);
		k->checked = n->count > 0;
	}
	return k->internal;
}

void thread_names_see(struct thread_names *n, uint32_t tid, uint32_t started, const char kernel_name[16], int64_t woke)
{
	struct known_name *k;

	if (!n->layout->thread_fields.id || !started)
		return;
	k = names_row(n, tid, started, kernel_name);
	if (k->seen_at && woke >= k->seen_at)
		names_accept(k);
	if (k->tries < TRIES && (!k->object.java_id || monotonic_ns() - k->known_at > RENEWAL_NS))
		names_read(n, k, woke);
}

const struct thread_object *thread_names_of(const struct thread_names *n, uint32_t tid, uint32_t started,
					    const char kernel_name[16])
{
	const struct known_name *k = &n->known[(tid + started * 31) % NAMES];

	if (k->tid != tid || k->started != started || memcmp(k->kernel_name, kernel_name, sizeof(k->kernel_name)))
		return NULL;
	return k->object.java_id ? &k->object : NULL;
}
