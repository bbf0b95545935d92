// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/thread_names.h"
#include "format/vec.h"
#include "user/hotspot/page_cache.h"
#include "user/hotspot/thread_name.h"
#include "user/hotspot/threads.h"
#include "user/text/monotonic.h"

#include <stdlib.h>

#define NAMES	  1024u
#define NAME_TEXT 256
#define TRIES	  3  /* an object may have moved while it was read */
#define REST	  20 /* reading that took 1 us is followed by 20 us without: it takes 5 % of the time at most */
#define BURST_NS  1000000000LL /* this much rest may be owed: 50 ms of reading at once */

struct java_thread {
	uint32_t tid;
	uint64_t address; /* of the JavaThread */
};

struct known_name {
	uint32_t tid, tries;
	bool checked, internal; /* internal: no Java thread */
	char kernel_name[16], name[NAME_TEXT];
};

struct thread_names {
	const struct hotspot_layout *layout;
	const struct mem *memory;
	struct page_cache pages;
	struct java_thread *thread; /* sorted by tid */
	size_t count, capacity;
	int64_t read_at, read_took; /* the list, CLOCK_MONOTONIC and ns; 0: not yet */
	int64_t rest_until;	    /* CLOCK_MONOTONIC: what reading has cost so far is 5 % of the time up to here */
	struct known_name known[NAMES];
};

struct thread_names *thread_names_new(const struct hotspot_layout *layout, const struct mem *memory)
{
	struct thread_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->layout = layout;
	n->memory = memory;
	page_cache_init(&n->pages, memory);
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
	n->thread[n->count++] = (struct java_thread){(uint32_t)tid, address};
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
	if (err) /* a part of the list would make a Java thread look internal */
		n->count = 0;
	if (n->count)
		qsort(n->thread, n->count, sizeof(n->thread[0]), names_compare);
	n->read_at = monotonic_ns();
	n->read_took = n->read_at - begin;
	names_charge(n, begin);
}

/* The thread in the last list, or in a new one if that is old. */
static const struct java_thread *names_find_now(struct thread_names *n, uint32_t tid)
{
	const struct java_thread *found = names_find(n, tid);

	if (found || !names_may_read(n) || monotonic_ns() - n->read_at < REST * n->read_took)
		return found;
	names_read_list(n);
	return names_find(n, tid);
}

static void names_read(struct thread_names *n, struct known_name *k)
{
	const struct java_thread *t;
	int64_t begin;

	if (!names_may_read(n))
		return;
	t = names_find_now(n, k->tid);
	begin = monotonic_ns();
	page_cache_clear(&n->pages);
	if (!t || hotspot_thread_name(n->layout, &n->pages.mem, t->address, k->kernel_name, k->name, sizeof(k->name)))
		k->name[0] = 0;
	k->tries++;
	names_charge(n, begin);
}

static struct known_name *names_row(struct thread_names *n, uint32_t tid, const char kernel_name[16])
{
	struct known_name *k = &n->known[tid % NAMES];

	if (k->tid != tid || memcmp(k->kernel_name, kernel_name, sizeof(k->kernel_name))) {
		*k = (struct known_name){.tid = tid};
		memcpy(k->kernel_name, kernel_name, sizeof(k->kernel_name));
	}
	return k;
}

bool thread_names_is_collector(struct thread_names *n, uint32_t tid, const char kernel_name[16])
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
	k = names_row(n, tid, kernel_name);
	if (!k->checked && names_may_read(n)) {
		names_read_list(n);
		k->internal = n->count && !names_find(n, tid);
		k->checked = n->count > 0;
	}
	return k->internal;
}

const char *thread_names_of(struct thread_names *n, uint32_t tid, const char kernel_name[16])
{
	struct known_name *k;

	if (strnlen(kernel_name, sizeof(k->kernel_name)) < HOTSPOT_KERNEL_NAME)
		return NULL;
	k = names_row(n, tid, kernel_name);
	if (!k->name[0] && k->tries < TRIES)
		names_read(n, k);
	return k->name[0] ? k->name : NULL;
}
