// SPDX-License-Identifier: BSD-2-Clause
/*
 * Claims: calls of one thread lie in each other or behind each other, and come mostly in the order of their ends. So a
 * claimed stretch grows at its ends, and is jumped over: `skip` of a wait says how many from it on are claimed, and is
 * brought up to date by whoever walks there.
 */
#include "user/record/wait_join.h"
#include "user/record/wait_timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define THREADS	   FRT_MAX_THREADS
#define FIRST_ROOM 16u
#define LEAST_ROOM 64u /* that a thread may have in any case; more than open calls can cut it into */
#define PAUSES	   16384u

enum kind { WAITS, USAGE, KINDS };

/* What is kept of a wait besides its times. */
struct kept {
	uint32_t stack, kernel_stack;
	uint32_t waker, waker_process;
	char waker_name[16];
	uint32_t skip;
	uint16_t syscall;
	uint8_t reason;
	bool ongoing;
};

struct thread {
	uint32_t serial;
	struct wait_timeline track[KINDS];
};

struct wait_join {
	struct wait_join_setup setup;
	struct thread *thread[THREADS]; /* by serial % THREADS; of two the younger one */
	struct wait_timeline pauses;
	int64_t known_from;
	size_t capacity; /* in the tracks of all threads */
};

int wait_join_new(struct wait_join **out, const struct wait_join_setup *setup, struct diag *d)
{
	struct wait_join *j = calloc(1, sizeof(*j));

	*out = NULL;
	if (!j || !wait_timeline_reserve(&j->pauses, PAUSES)) {
		wait_join_free(j);
		return diag_errno(d, ENOMEM, "cannot make room for waits");
	}
	j->setup = *setup;
	j->setup.thread_limit = j->setup.thread_limit ?: WAIT_JOIN_THREAD_LIMIT;
	j->setup.limit = j->setup.limit ?: WAIT_JOIN_LIMIT;
	j->known_from = j->pauses.known_from = INT64_MIN;
	*out = j;
	return 0;
}

static void thread_free(struct wait_join *j, struct thread *t)
{
	for (int k = 0; t && k < KINDS; k++) {
		j->capacity -= t->track[k].capacity;
		wait_timeline_release(&t->track[k]);
	}
	free(t);
}

void wait_join_free(struct wait_join *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < THREADS; i++)
		thread_free(j, j->thread[i]);
	wait_timeline_release(&j->pauses);
	free(j);
}

static struct thread *thread_new(uint32_t serial)
{
	struct thread *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->serial = serial;
	for (int k = 0; k < KINDS; k++)
		t->track[k].known_from = INT64_MIN;
	t->track[WAITS].payload_size = sizeof(struct kept);
	return t;
}

/* Serials go round. */
static bool is_younger(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

/* For what comes of that thread; NULL: it is too old, or there is no memory. */
static struct thread *wait_join_thread_of(struct wait_join *j, uint32_t serial)
{
	struct thread **at = &j->thread[serial % THREADS];

	if (*at && is_younger(serial, (*at)->serial)) {
		thread_free(j, *at);
		*at = NULL;
	}
	if (!*at)
		*at = thread_new(serial);
	return *at && (*at)->serial == serial ? *at : NULL;
}

static void wait_join_tell(const struct wait_timeline_interval *i, const struct kept *k, uint32_t thread,
			   wait_join_visit *visit, void *context)
{
	struct wait w = {.off = i->begin,
			 .wake = i->middle,
			 .on = i->end,
			 .stack = k->stack,
			 .kernel_stack = k->kernel_stack,
			 .waker = k->waker,
			 .waker_process = k->waker_process,
			 .syscall = k->syscall,
			 .reason = k->reason,
			 .ongoing = k->ongoing};

	memcpy(w.waker_name, k->waker_name, sizeof(w.waker_name));
	visit(context, thread, &w);
}

/* Those that no call has claimed, of the first n. */
static void wait_join_offer(struct wait_join *j, const struct thread *t, size_t n, int64_t since)
{
	const struct wait_timeline *waits = &t->track[WAITS];

	for (size_t i = wait_timeline_find_end(waits, since); i < n; i++) {
		struct kept *k = wait_timeline_payload(waits, i);

		if (!k->skip)
			wait_join_tell(&waits->interval[i], k, t->serial, j->setup.folded, j->setup.context);
	}
}

static void wait_join_fold(struct wait_join *j, struct thread *t, struct wait_timeline *track)
{
	bool waits = track == &t->track[WAITS];
	int64_t open[WAIT_JOIN_MOMENTS];
	size_t keep = track->capacity / 2, left;
	size_t moments = j->setup.open(j->setup.context, t->serial, open);

	if (waits && moments)
		wait_join_offer(j, t, track->count - keep, open[0]);
	left = wait_timeline_coalesce(track, keep, open, moments);
	for (size_t i = 0; waits && i < left; i++)
		((struct kept *)wait_timeline_payload(track, i))->skip = 1;
}

static bool wait_join_grow(struct wait_join *j, struct wait_timeline *track)
{
	size_t before = track->capacity, after = before ? 2 * before : FIRST_ROOM;
	bool grown;

	if (after > LEAST_ROOM && (after > j->setup.thread_limit || j->capacity + before > j->setup.limit))
		return false;
	grown = wait_timeline_reserve(track, after);
	j->capacity += track->capacity - before;
	return grown;
}

/* Is a thread that has nothing known to have had nothing? */
static bool has_nothing(const struct wait_join *j, uint32_t serial)
{
	const struct thread *t = j->thread[serial % THREADS];

	return !t || is_younger(serial, t->serial);
}

void wait_join_lost(struct wait_join *j, int64_t now)
{
	if (now > j->known_from)
		j->known_from = now;
}

void wait_join_unobserved(struct wait_join *j, const struct frt_slot_owner *o)
{
	struct thread *t = o ? wait_join_thread_of(j, o->thread) : NULL;

	if (t && o->flags & FRT_OWNER_NO_WAITS)
		t->track[WAITS].known_from = INT64_MAX;
	if (t && o->flags & FRT_OWNER_NO_USAGE)
		t->track[USAGE].known_from = INT64_MAX;
	if (!o || (!t && has_nothing(j, o->thread))) /* which one is not known, or there is no memory */
		wait_join_lost(j, INT64_MAX);
}

/* Of preempted ones nothing is blocked time. */
static unsigned int class_of(unsigned int reason)
{
	return reason > FRT_WAIT_PREEMPTED && reason < FRT_WAIT_REASONS ? reason - FRT_WAIT_FUTEX
									: FRT_WAIT_OTHER - FRT_WAIT_FUTEX;
}

_Static_assert(FRT_WAIT_REASONS - FRT_WAIT_FUTEX == WAIT_TIMELINE_CLASSES, "a class for each reason");

/* With room for one more that ended at `end`. NULL: it is of a thread that is too old, or there is no memory. */
static struct wait_timeline *wait_join_track_of(struct wait_join *j, uint32_t serial, enum kind kind, int64_t end)
{
	struct thread *t = wait_join_thread_of(j, serial);
	struct wait_timeline *track = t ? &t->track[kind] : NULL;

	if (t && track->count == track->capacity && !wait_join_grow(j, track) && track->capacity)
		wait_join_fold(j, t, track);
	if (t ? track->count == track->capacity : has_nothing(j, serial)) { /* no memory */
		wait_join_lost(j, end);
		return NULL;
	}
	return track;
}

void wait_join_wait(struct wait_join *j, const struct frt_wait *w, uint32_t stack, uint32_t kernel_stack)
{
	uint64_t wake = w->reason == FRT_WAIT_PREEMPTED || w->wake < w->off ? w->off : w->wake;
	struct wait_timeline *track = wait_join_track_of(j, w->thread, WAITS, w->on);
	struct kept *k;

	if (!track)
		return;
	k = wait_timeline_append(track, class_of(w->reason), w->off, wake > w->on ? w->on : wake, w->on);
	*k = (struct kept){.stack = stack,
			   .kernel_stack = kernel_stack,
			   .waker = w->waker,
			   .waker_process = w->waker_process,
			   .syscall = w->syscall,
			   .reason = w->reason,
			   .ongoing = w->flags & FRT_WAIT_ONGOING};
	memcpy(k->waker_name, w->waker_name, sizeof(k->waker_name));
}

/* What of the sums of a track of usage is what. */
enum { SYSCALLS, SYSCALL_NS, MAJOR_FAULTS, MINOR_FAULTS };

void wait_join_usage(struct wait_join *j, const struct frt_thread_usage *u)
{
	struct wait_timeline *track = wait_join_track_of(j, u->thread, USAGE, u->at);
	uint64_t what[WAIT_TIMELINE_CLASSES] = {[SYSCALLS] = u->syscalls,
						[SYSCALL_NS] = u->syscall_ns,
						[MAJOR_FAULTS] = u->major_faults,
						[MINOR_FAULTS] = u->minor_faults};

	if (track)
		wait_timeline_append_moment(track, u->at, what);
}

/* They come as they end: one that lies in another comes before it. What is kept is when there was any. */
void wait_join_pause(struct wait_join *j, const struct frt_pause *p)
{
	static const int64_t beginning = INT64_MIN;
	struct wait_timeline *t = &j->pauses;
	int64_t end = p->end;

	while (t->count && t->interval[t->count - 1].begin >= (int64_t)p->begin) {
		if (t->interval[--t->count].end > end)
			end = t->interval[t->count].end;
	}
	if (t->count == t->capacity)
		wait_timeline_coalesce(t, t->capacity / 2, &beginning, 1);
	wait_timeline_append(t, 0, p->begin, end, end);
}

static const struct thread *wait_join_find(const struct wait_join *j, uint32_t serial)
{
	const struct thread *t = j->thread[serial % THREADS];

	return t && t->serial == serial ? t : NULL;
}

static void split_waits(const struct wait_timeline *t, int64_t start, int64_t end, struct wait_join_split *out)
{
	struct wait_timeline_sums sums;

	if (!wait_timeline_sum(t, start, end, &sums))
		return;
	out->blocked = 0;
	for (unsigned int c = 0; c < WAIT_TIMELINE_CLASSES; c++) {
		out->blocked_on[FRT_WAIT_FUTEX + c] = sums.first[c];
		out->blocked += sums.first[c];
	}
	out->run_queue = sums.second;
}

static void split_usage(const struct wait_timeline *t, int64_t start, int64_t end, struct wait_join_split *out)
{
	struct wait_timeline_sums sums;

	if (!wait_timeline_sum(t, start, end, &sums))
		return;
	out->syscalls = sums.first[SYSCALLS];
	out->syscall_ns = sums.first[SYSCALL_NS];
	out->major_faults = sums.first[MAJOR_FAULTS];
	out->minor_faults = sums.first[MINOR_FAULTS];
}

static void split_thread(const struct thread *t, int64_t start, int64_t end, struct wait_join_split *out)
{
	split_waits(&t->track[WAITS], start, end, out);
	split_usage(&t->track[USAGE], start, end, out);
}

void wait_join_split(const struct wait_join *j, uint32_t thread, int64_t start, int64_t end,
		     struct wait_join_split *out)
{
	static const struct thread nothing = {.track = {[0 ... KINDS - 1] = {.known_from = INT64_MIN}}};
	const struct thread *t = wait_join_find(j, thread);
	struct wait_timeline_sums sums;

	*out = (struct wait_join_split){WAIT_JOIN_MISSING, WAIT_JOIN_MISSING, WAIT_JOIN_MISSING, WAIT_JOIN_MISSING,
					WAIT_JOIN_MISSING, WAIT_JOIN_MISSING, WAIT_JOIN_MISSING, {0}};
	if (start < j->known_from)
		return;
	if (wait_timeline_sum(&j->pauses, start, end, &sums))
		out->pause = sums.first[0];
	if (thread != FRT_NO_THREAD && (t || has_nothing(j, thread)))
		split_thread(t ? t : &nothing, start, end, out);
}

void wait_join_claim(struct wait_join *j, uint32_t thread, int64_t start, int64_t end, wait_join_visit *visit,
		     void *context)
{
	const struct thread *t = wait_join_find(j, thread);
	const struct wait_timeline *waits = t ? &t->track[WAITS] : NULL;
	size_t first = t ? wait_timeline_find_end(waits, start) : 0, i = first;

	while (t && i < waits->count && waits->interval[i].begin < end) {
		struct kept *k = wait_timeline_payload(waits, i);

		if (!k->skip) {
			wait_join_tell(&waits->interval[i], k, thread, visit, context);
			k->skip = 1;
		}
		i += k->skip;
	}
	if (i > first)
		((struct kept *)wait_timeline_payload(waits, first))->skip = i - first;
}

size_t wait_join_kept(const struct wait_join *j)
{
	size_t n = 0;

	for (size_t i = 0; i < THREADS; i++)
		for (int k = 0; j->thread[i] && k < KINDS; k++)
			n += j->thread[i]->track[k].count;
	return n;
}
