// SPDX-License-Identifier: BSD-2-Clause
/*
 * Claims: calls of one thread are nested or follow each other, and mostly come in the order of their ends. A claimed
 * range therefore grows at its ends and is skipped over: `skip` of a wait is the number of claimed waits from it on,
 * and is updated during the walk. So is `longest`, of these waits.
 */
#include "user/record/wait_join.h"
#include "user/record/kept_wait.h"
#include "user/record/pauses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define THREADS	       FRT_MAX_THREADS
#define FIRST_CAPACITY 16u
#define LEAST_CAPACITY 64u /* minimum that every thread may have; more than open calls can divide it into */

/* Of virtual threads there are many, most of them short-lived. None has a right to a minimum. */
#define FIRST_CAPACITY_VIRTUAL 8u
#define RECLAIM_OF	       16u /* threads are looked at when there is no room for the waits of another one */
#define RECLAIM_AFTER_NS       2000000000LL /* from the last wait; all spans that ended earlier have arrived */

enum kind { WAITS, USAGE, KINDS };

/* Threads with serials, virtual threads with their keys, and threads without a slot with theirs. */
enum lane { LANE_SERIAL, LANE_VIRTUAL, LANE_NATIVE, LANES };

struct thread {
	uint32_t serial;
	struct wait_timeline timeline[KINDS];
};

struct wait_join {
	struct wait_join_setup setup;
	/* indexed by serial or key % THREADS; the younger of two threads stays */
	struct thread *thread[LANES][THREADS];
	/* of the last wait of such a thread: most have none that reaches into a pause */
	int64_t last_end[LANES][THREADS];
	size_t used[LANES]; /* of `thread`; the rest is NULL */
	size_t hand;	    /* where wait_join_reclaim() goes on */
	struct wait_timeline pauses;
	int64_t known_from;
	size_t capacity; /* sum over the timelines of all threads */
};

int wait_join_new(struct wait_join **out, const struct wait_join_setup *setup, struct diag *d)
{
	struct wait_join *j = calloc(1, sizeof(*j));

	*out = NULL;
	if (!j || !pauses_init(&j->pauses)) {
		wait_join_free(j);
		return diag_errno(d, ENOMEM, "cannot make room for waits");
	}
	j->setup = *setup;
	j->setup.thread_limit = j->setup.thread_limit ?: WAIT_JOIN_THREAD_LIMIT;
	j->setup.limit = j->setup.limit ?: WAIT_JOIN_LIMIT;
	j->known_from = INT64_MIN;
	*out = j;
	return 0;
}

static void thread_free(struct wait_join *j, struct thread *t)
{
	for (int k = 0; t && k < KINDS; k++) {
		j->capacity -= t->timeline[k].capacity;
		wait_timeline_release(&t->timeline[k]);
	}
	free(t);
}

void wait_join_free(struct wait_join *j)
{
	if (!j)
		return;
	for (int lane = 0; lane < LANES; lane++)
		for (size_t i = 0; i < THREADS; i++)
			thread_free(j, j->thread[lane][i]);
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
		t->timeline[k].known_from = INT64_MIN;
	t->timeline[WAITS].payload_size = sizeof(struct kept_wait);
	return t;
}

static bool is_virtual(uint32_t thread)
{
	return thread & FRT_VIRTUAL_KEY;
}

static enum lane lane_of(uint32_t thread)
{
	if (is_virtual(thread))
		return LANE_VIRTUAL;
	return thread & FRT_NATIVE_KEY ? LANE_NATIVE : LANE_SERIAL;
}

/* Serials and keys, of 31 bits, wrap around. */
static bool is_younger(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 1) > 0;
}

static struct thread **wait_join_place(struct wait_join *j, uint32_t serial)
{
	return &j->thread[lane_of(serial)][serial % THREADS];
}

static const struct thread *wait_join_at(const struct wait_join *j, uint32_t serial)
{
	return j->thread[lane_of(serial)][serial % THREADS];
}

/* The thread to which a record is added. NULL: it is too old, or there is no memory. */
static struct thread *wait_join_thread_of(struct wait_join *j, uint32_t serial)
{
	struct thread **at = wait_join_place(j, serial);
	size_t *used = &j->used[lane_of(serial)];

	if (*at && is_younger(serial, (*at)->serial)) {
		thread_free(j, *at);
		*at = NULL;
	}
	if (!*at)
		*at = thread_new(serial);
	if (serial % THREADS >= *used)
		*used = serial % THREADS + 1;
	return *at && (*at)->serial == serial ? *at : NULL;
}

/* The JVM held up the thread, whatever it was about to wait for. */
static bool is_of_jvm(unsigned int reason)
{
	return reason == FRT_WAIT_GC || reason == FRT_WAIT_SAFEPOINT || reason == FRT_WAIT_TRACER ||
	       (reason >= FRT_WAIT_JIT && reason <= FRT_WAIT_JVM);
}

struct wait wait_join_describe(const void *details)
{
	const struct kept_wait *k = details;
	struct wait w = {.stacks = k->stacks,
			 .waker = k->waker,
			 .waker_origin = k->waker_origin,
			 .resource = is_of_jvm(k->reason) ? 0 : k->resource,
			 .owner = k->owner,
			 .syscall = k->syscall,
			 .reason = k->reason,
			 .ongoing = k->ongoing,
			 .by_interrupt = k->by_interrupt,
			 .shown = k->shown};

	memcpy(w.waker_name, k->waker_name, sizeof(w.waker_name));
	return w;
}

static void wait_join_show(const struct wait_timeline_interval *i, const struct kept_wait *k, uint32_t thread,
			   wait_join_visit *visit, void *context)
{
	struct wait w = wait_join_describe(k);

	w.off = i->begin;
	w.wake = i->middle;
	w.on = i->end;
	visit(context, thread, &w);
}

/* Show the unclaimed ones of the first n waits. */
static void wait_join_show_unclaimed(struct wait_join *j, const struct thread *t, size_t n, int64_t since)
{
	const struct wait_timeline *waits = &t->timeline[WAITS];

	for (size_t i = wait_timeline_find_end(waits, since); i < n; i++) {
		struct kept_wait *k = wait_timeline_payload(waits, i);

		if (!k->skip)
			wait_join_show(&waits->interval[i], k, t->serial, j->setup.dropped, j->setup.context);
	}
}

static void wait_join_note_claimed(const struct wait_timeline *waits, size_t first, uint32_t n, int64_t longest)
{
	struct kept_wait *k = wait_timeline_payload(waits, first);

	k->skip = n;
	k->longest = longest;
}

static void wait_join_coalesce(struct wait_join *j, struct thread *t, struct wait_timeline *timeline)
{
	bool waits = timeline == &t->timeline[WAITS];
	int64_t open[WAIT_JOIN_MOMENTS];
	size_t keep = timeline->capacity / 2, left;
	size_t moments = j->setup.open(j->setup.context, t->serial, open);

	if (waits && moments)
		wait_join_show_unclaimed(j, t, timeline->count - keep, open[0]);
	left = wait_timeline_coalesce(timeline, keep, open, moments);
	for (size_t i = 0; waits && i < left; i++)
		wait_join_note_claimed(timeline, i, 1, timeline->interval[i].longest);
}

/* Drop all waits of a virtual thread. Of calls that began before the end of the last one nothing is known then. */
static void wait_join_drop(struct wait_join *j, struct wait_timeline *waits)
{
	int64_t end = waits->interval[waits->count - 1].end;

	j->capacity -= waits->capacity;
	wait_timeline_release(waits);
	waits->known_from = end;
}

/* Make room by dropping the waits of some virtual threads that are in no call, and have been idle for a while. */
static void wait_join_reclaim(struct wait_join *j, int64_t now)
{
	int64_t open[WAIT_JOIN_MOMENTS];

	for (size_t i = 0; i < RECLAIM_OF && j->used[LANE_VIRTUAL]; i++) {
		struct thread *t = j->thread[LANE_VIRTUAL][j->hand++ % j->used[LANE_VIRTUAL]];
		struct wait_timeline *waits = t ? &t->timeline[WAITS] : NULL;

		if (!t || !waits->count || waits->interval[waits->count - 1].end > now - RECLAIM_AFTER_NS)
			continue;
		if (!j->setup.open(j->setup.context, t->serial, open))
			wait_join_drop(j, waits);
	}
}

static bool wait_join_grow(struct wait_join *j, const struct thread *t, struct wait_timeline *timeline, int64_t now)
{
	size_t first = is_virtual(t->serial) ? FIRST_CAPACITY_VIRTUAL : FIRST_CAPACITY;
	size_t before = timeline->capacity, after = before ? 2 * before : first;
	bool grown, more = is_virtual(t->serial) || after > LEAST_CAPACITY || after > j->setup.thread_limit;

	if (more && j->capacity + after - before > j->setup.limit)
		wait_join_reclaim(j, now);
	if (more && (after > j->setup.thread_limit || j->capacity + after - before > j->setup.limit))
		return false;
	grown = wait_timeline_reserve(timeline, after);
	j->capacity += timeline->capacity - before;
	return grown;
}

/* Can the absence of a thread's data mean that it had none? */
static bool has_nothing(const struct wait_join *j, uint32_t serial)
{
	const struct thread *t = wait_join_at(j, serial);

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
		t->timeline[WAITS].known_from = INT64_MAX;
	if (t && o->flags & FRT_OWNER_NO_USAGE)
		t->timeline[USAGE].known_from = INT64_MAX;
	if (!o || (!t && has_nothing(j, o->thread))) /* unknown thread, or no memory */
		wait_join_lost(j, INT64_MAX);
}

/* Preempted threads have no blocked time. */
static unsigned int class_of(unsigned int reason)
{
	return reason > FRT_WAIT_PREEMPTED && reason < FRT_WAIT_REASONS ? reason - FRT_WAIT_FUTEX
									: FRT_WAIT_OTHER - FRT_WAIT_FUTEX;
}

_Static_assert(FRT_WAIT_REASONS - FRT_WAIT_FUTEX == WAIT_TIMELINE_CLASSES, "a class for each reason");

/*
 * The timeline, with space for one more interval that ended at `end`. NULL: the thread is too old, or there is no
 * memory.
 */
static struct wait_timeline *wait_join_timeline_of(struct wait_join *j, uint32_t serial, enum kind kind, int64_t end)
{
	struct thread *t = wait_join_thread_of(j, serial);
	struct wait_timeline *timeline = t ? &t->timeline[kind] : NULL;

	if (t && timeline->count == timeline->capacity && !wait_join_grow(j, t, timeline, end) && timeline->capacity)
		wait_join_coalesce(j, t, timeline);
	if (t ? timeline->count < timeline->capacity : !has_nothing(j, serial))
		return timeline;
	if (t && is_virtual(serial))
		timeline->known_from = end;
	else /* no memory */
		wait_join_lost(j, end);
	return NULL;
}

void wait_join_wait(struct wait_join *j, const struct frt_wait *w, const struct wait_stack_ids *stacks)
{
	uint64_t wake = w->reason == FRT_WAIT_PREEMPTED || w->wake < w->off ? w->off : w->wake;
	struct wait_timeline *timeline = wait_join_timeline_of(j, w->thread, WAITS, w->on);
	unsigned int reason;
	size_t first;

	if (!timeline)
		return;
	wake = wake > w->on ? w->on : wake;
	reason = pauses_reason(&j->pauses, w->reason, w->off, wake);
	first = reason == FRT_WAIT_FUTEX ? kept_wait_first_part(timeline, w) : timeline->count;
	if (first < timeline->count) {
		wait_timeline_extend(timeline, first, wake, w->on, !(w->flags & FRT_WAIT_ONGOING) || wake < w->on);
		kept_wait_continue(wait_timeline_payload(timeline, first), w, *stacks);
	} else {
		kept_wait_fill(wait_timeline_append(timeline, class_of(reason), w->off, wake, w->on), w, reason,
			       stacks);
	}
	((struct kept_wait *)wait_timeline_payload(timeline, timeline->count - 1))->wake = wake;
	j->last_end[lane_of(w->thread)][w->thread % THREADS] = w->on;
}

/* Classes of a usage timeline's sums. */
enum { SYSCALLS, SYSCALL_NS, MAJOR_FAULTS, MINOR_FAULTS };

void wait_join_usage(struct wait_join *j, const struct frt_thread_usage *u)
{
	struct wait_timeline *timeline = wait_join_timeline_of(j, u->thread, USAGE, u->at);
	uint64_t what[WAIT_TIMELINE_CLASSES] = {[SYSCALLS] = u->syscalls,
						[SYSCALL_NS] = u->syscall_ns,
						[MAJOR_FAULTS] = u->major_faults,
						[MINOR_FAULTS] = u->minor_faults};

	if (timeline)
		wait_timeline_append_moment(timeline, u->at, what);
}

/* A thread may be back, and its wait may have arrived, before the pause that it waited for is over. */
static void wait_join_review(const struct wait_join *j, struct wait_timeline *waits, int64_t since)
{
	for (size_t i = wait_timeline_find_end(waits, since); i < waits->count; i++) {
		const struct wait_timeline_interval *w = &waits->interval[i];
		struct kept_wait *k = wait_timeline_payload(waits, i);
		unsigned int reason = pauses_reason(&j->pauses, k->reason, w->begin, w->middle);

		if (reason == k->reason || wait_timeline_is_coalesced(waits, i))
			continue;
		k->reason = reason;
		wait_timeline_reclass(waits, i, class_of(reason));
	}
}

void wait_join_pause(struct wait_join *j, const struct frt_pause *p)
{
	pauses_add(&j->pauses, p);
	for (int v = 0; v < LANES; v++)
		for (size_t i = 0; i < j->used[v]; i++)
			if (j->last_end[v][i] > (int64_t)p->begin && j->thread[v][i])
				wait_join_review(j, &j->thread[v][i]->timeline[WAITS], p->begin);
}

static const struct thread *wait_join_find(const struct wait_join *j, uint32_t serial)
{
	const struct thread *t = wait_join_at(j, serial);

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

static void split_thread(const struct wait_join *j, uint32_t serial, const struct thread *t, int64_t start, int64_t end,
			 struct wait_join_split *out)
{
	split_waits(&t->timeline[WAITS], start, end, out);
	if (!is_virtual(serial)) /* the kernel counts for the carrier */
		split_usage(&t->timeline[USAGE], start, end, out);
	if (out->pause > 0 && out->blocked != WAIT_JOIN_MISSING)
		out->pause = pauses_stood_still(&j->pauses, &t->timeline[WAITS], start, end, out->pause);
}

void wait_join_split(const struct wait_join *j, uint32_t thread, int64_t start, int64_t end,
		     struct wait_join_split *out)
{
	static const struct thread nothing = {.timeline = {[0 ... KINDS - 1] = {.known_from = INT64_MIN}}};
	const struct thread *t = wait_join_find(j, thread);

	*out = (struct wait_join_split){WAIT_JOIN_MISSING, WAIT_JOIN_MISSING, WAIT_JOIN_MISSING, WAIT_JOIN_MISSING,
					WAIT_JOIN_MISSING, WAIT_JOIN_MISSING, WAIT_JOIN_MISSING, {0}};
	if (start < j->known_from)
		return;
	pauses_sum(&j->pauses, start, end, &out->pause);
	if (thread != FRT_NO_THREAD && (t || has_nothing(j, thread)))
		split_thread(j, thread, t ? t : &nothing, start, end, out);
}

static int64_t latest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

int64_t wait_join_quiet_from(const struct wait_join *j, uint32_t thread)
{
	const struct thread *t = wait_join_find(j, thread);
	int64_t from = latest(j->known_from, wait_timeline_quiet_from(&j->pauses));

	if (thread == FRT_NO_THREAD || (!t && !has_nothing(j, thread)))
		return INT64_MAX;
	for (int k = 0; t && k < KINDS; k++)
		from = latest(from, wait_timeline_quiet_from(&t->timeline[k]));
	return from;
}

int64_t wait_join_claim(struct wait_join *j, uint32_t thread, int64_t start, int64_t end, wait_join_visit *visit,
			void *context)
{
	const struct thread *t = wait_join_find(j, thread);
	const struct wait_timeline *waits = t ? &t->timeline[WAITS] : NULL;
	size_t first = t ? wait_timeline_find_end(waits, start) : 0, i = first;
	int64_t longest = 0;

	while (t && i < waits->count && waits->interval[i].begin < end) {
		struct kept_wait *k = wait_timeline_payload(waits, i);

		if (!k->skip) {
			wait_join_show(&waits->interval[i], k, thread, visit, context);
			wait_join_note_claimed(waits, i, 1, waits->interval[i].longest);
		}
		longest = k->longest > longest ? k->longest : longest;
		i += k->skip;
	}
	if (i > first)
		wait_join_note_claimed(waits, first, i - first, longest);
	return longest;
}

/* The number of waits that have certainly ended: the next record may continue the last one. */
static size_t wait_join_ended(const struct wait_timeline *waits)
{
	size_t i = waits->count;
	const struct kept_wait *k;

	do {
		k = i ? wait_timeline_payload(waits, --i) : NULL;
	} while (k && k->reason == FRT_WAIT_PREEMPTED);
	return k && kept_wait_found_free(k) ? i : waits->count;
}

void wait_join_show_open(struct wait_join *j, uint32_t thread, int64_t start, wait_join_visit *visit, void *context)
{
	const struct thread *t = wait_join_find(j, thread);
	const struct wait_timeline *waits = t ? &t->timeline[WAITS] : NULL;
	size_t end = t ? wait_join_ended(waits) : 0;
	struct kept_wait *k;

	for (size_t i = t ? wait_timeline_find_end(waits, start) : 0; i < end; i += k->skip ?: 1) {
		k = wait_timeline_payload(waits, i);
		if (k->skip || k->shown)
			continue;
		wait_join_show(&waits->interval[i], k, thread, visit, context);
		k->shown = true;
	}
}

struct path_gap wait_join_before(const struct wait_join *j, uint32_t thread, int64_t before, int64_t observed)
{
	const struct thread *t = wait_join_find(j, thread);
	const struct wait_timeline *waits = t ? &t->timeline[WAITS] : NULL;
	size_t i = t ? wait_timeline_find_begin(waits, before) : 0;
	int64_t known = t ? latest(j->known_from, waits->known_from) : j->known_from;
	const struct wait_timeline_interval *last = i ? &waits->interval[i - 1] : NULL;
	struct kept_wait *kept = i ? wait_timeline_payload(waits, i - 1) : NULL;

	if (!last && (t || has_nothing(j, thread)))
		known = latest(known, observed);
	else if (!last)
		known = before;
	if (!last || last->end <= known)
		return (struct path_gap){
			.off = INT64_MIN, .on = known < before ? known : before, .kind = PATH_GAP_UNKNOWN};
	if (kept->forgotten || wait_timeline_is_coalesced(waits, i - 1))
		return (struct path_gap){.off = last->begin, .on = last->end, .kind = PATH_GAP_UNKNOWN};
	if (before <= kept->owned_from)
		return (struct path_gap){.off = last->begin, .on = before, .kind = PATH_GAP_UNKNOWN, .details = kept};
	return (struct path_gap){.kind = kept_wait_found_free(kept) && !kept->owner ? PATH_GAP_UNKNOWN : PATH_GAP_WAIT,
				 .off = latest(kept->owned_from, last->begin),
				 .wake = latest(kept->wake, last->begin),
				 .on = last->end,
				 .details = kept};
}

size_t wait_join_kept(const struct wait_join *j)
{
	size_t n = 0;

	for (size_t i = 0; i < 2 * THREADS; i++)
		for (int k = 0; j->thread[i / THREADS][i % THREADS] && k < KINDS; k++)
			n += j->thread[i / THREADS][i % THREADS]->timeline[k].count;
	return n;
}
