// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/holders.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/name_fit.h"
#include "user/trace/trace.h"

#include <stdlib.h>

#define NOTED_MOST    (1u << 20) /* 40 MB */
#define HOPS	      16	 /* from one thread to the next, at most */
#define JUST_NOW      1000000	 /* ns between the end of a call and the wake-up, on a busy machine */
#define TASK_ENDS     200000	 /* ns from the end of a task's call to the wake-up, on a busy machine */
#define CLOCKS_DIFFER 1000	 /* ns: the agent stamps calls, the kernel wake-ups */
#define WAKES_FOR     200000	 /* ns that the kernel takes to wake a thread, if that is not known */

void holders_release(struct holders *h)
{
	free(h->wait);
	free(h->by_end);
	free(h->held);
	free(h->by_request);
	map_release(&h->index);
	chunk_map_release(&h->stacks);
	*h = (struct holders){0};
}

enum wait_for holders_what(struct holders *h, const struct thread_wait *wait)
{
	uint32_t *known;
	char *reason;
	bool lock;

	if (wait->stack.kind != VALUE_KEY)
		return wait_is_for(wait);
	reason = thread_wait_reason(wait);
	lock = wait_is_for_lock(reason);
	free(reason);
	if (!lock)
		return WAIT_FOR_UNKNOWN;
	known = chunk_map_at(&h->stacks, wait->chunk, &wait->stack, 0);
	if (!*known)
		*known = 1 + wait_is_for(wait);
	return *known - 1;
}

uint32_t holders_note(struct holders *h, const struct noted_wait *wait)
{
	if (!wait->waker || h->count == NOTED_MOST)
		return 0;
	memory_reserve(&h->wait, &h->capacity, h->count + 1);
	h->wait[h->count++] = *wait;
	return h->count;
}

static struct noted_wait noted_wait_of(struct holders *h, const struct thread_wait *w)
{
	return (struct noted_wait){.start = w->start,
				   .end = w->start + w->duration,
				   .woken = w->woken,
				   .thread = threads_number(h->threads, w->chunk, &w->thread),
				   .waker = threads_number(h->threads, w->chunk, &w->waker)};
}

uint32_t holders_add(struct holders *h, const struct thread_wait *wait)
{
	enum wait_for what = holders_what(h, wait);
	struct noted_wait noted;

	if (what == WAIT_FOR_UNKNOWN)
		return 0;
	noted = noted_wait_of(h, wait);
	noted.what = what;
	return holders_note(h, &noted);
}

void holders_want(struct holders *h, const struct held *wait)
{
	struct held *held;

	if (h->wanted == HELD_MOST)
		return;
	memory_reserve(&h->held, &h->held_capacity, h->wanted + 1);
	held = &h->held[h->wanted++];
	*held = *wait;
	held->passed = wait->what == WAIT_FOR_LOCK ? wait->start + wait->duration : wait->woken;
	held->request = INT64_MAX;
}

void holders_want_number(struct holders *h, uint32_t number)
{
	const struct noted_wait *w = number ? &h->wait[number - 1] : NULL;

	if (w)
		holders_want(h, &(struct held){.thread = w->thread,
					       .holder = w->waker,
					       .what = w->what,
					       .start = w->start,
					       .duration = w->end - w->start,
					       .woken = w->woken});
}

static int noted_waits_compare(const void *a, const void *b, void *context)
{
	const struct noted_wait *wait = context, *x = &wait[*(const uint32_t *)a], *y = &wait[*(const uint32_t *)b];

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return (x->end > y->end) - (x->end < y->end);
}

static int held_compare(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->holder != y->holder)
		return (x->holder > y->holder) - (x->holder < y->holder);
	return (x->passed > y->passed) - (x->passed < y->passed);
}

/* The last wait of a thread for a lock that ended at `moment` or earlier; NULL: none. */
static const struct noted_wait *holders_last_wait(const struct holders *h, uint32_t thread, int64_t moment)
{
	const struct noted_wait *last;
	size_t n = lower_bound(i, h->locks,
			       h->wait[h->by_end[i]].thread > thread ||
				       (h->wait[h->by_end[i]].thread == thread && h->wait[h->by_end[i]].end > moment));

	last = n ? &h->wait[h->by_end[n - 1]] : NULL;
	return last && last->thread == thread ? last : NULL;
}

/* Go on to the thread that made the holder wait for most of the time. */
static void held_follow(struct held *held, const struct holders *h)
{
	for (int hop = 0; hop < HOPS; hop++) {
		const struct noted_wait *w = holders_last_wait(h, held->holder, held->passed);
		int64_t from = w && w->start > held->start ? w->start : held->start;

		if (!w || w->waker == held->holder || w->end - from < (held->passed - held->start) / 2)
			return;
		held->passed = w->end;
		held->holder = w->waker;
	}
}

static int64_t held_middle(const struct held *held)
{
	return span_middle(held->start, held->duration);
}

static int held_compare_requests(const void *a, const void *b, void *context)
{
	const struct held *held = context, *x = &held[*(const uint32_t *)a], *y = &held[*(const uint32_t *)b];

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return (held_middle(x) > held_middle(y)) - (held_middle(x) < held_middle(y));
}

/* Indexes of the waits for locks, by thread and end. */
static void holders_sort_locks(struct holders *h)
{
	h->by_end = memory_need(calloc(h->count + 1, sizeof(*h->by_end)));
	for (uint32_t i = 0; i < h->count; i++)
		if (h->wait[i].what == WAIT_FOR_LOCK)
			h->by_end[h->locks++] = i;
	if (h->locks)
		qsort_r(h->by_end, h->locks, sizeof(*h->by_end), noted_waits_compare, h->wait);
}

/* Indexes of the wanted waits for tasks, by thread and middle. */
static void holders_sort_tasks(struct holders *h)
{
	h->by_request = memory_need(calloc(h->wanted + 1, sizeof(*h->by_request)));
	for (uint32_t i = 0; i < h->wanted; i++)
		if (h->held[i].what == WAIT_FOR_TASK)
			h->by_request[h->tasks++] = i;
	if (h->tasks)
		qsort_r(h->by_request, h->tasks, sizeof(*h->by_request), held_compare_requests, h->held);
}

void holders_settle(struct holders *h)
{
	if (!h->wanted)
		return;
	holders_sort_locks(h);
	for (size_t i = 0; i < h->wanted; i++)
		if (h->held[i].what == WAIT_FOR_LOCK)
			held_follow(&h->held[i], h);
	qsort(h->held, h->wanted, sizeof(*h->held), held_compare);
	for (uint32_t i = 0; i < h->wanted; i++)
		*memory_map_at(&h->index, h->held[i].thread, h->held[i].start) = i + 1;
	holders_sort_tasks(h);
}

static bool held_is_most(const struct held *held, int64_t overlap)
{
	return overlap > 0 && overlap >= (held->passed - held->start) / 2;
}

static int64_t held_overlap(const struct held *held, const struct held_call *call)
{
	int64_t end = call->end < held->passed ? call->end : held->passed;
	int64_t overlap = end - (call->start > held->start ? call->start : held->start);

	return overlap > 0 ? overlap : 0;
}

/* Of the calls that cover most of the wait the shortest one is best, else the one that covers most of it. */
static void held_offer_holder(struct held *held, const struct held_call *call)
{
	int64_t overlap = held_overlap(held, call);
	bool better = overlap > held->overlap;

	if (held_is_most(held, overlap) && held_is_most(held, held->overlap))
		better = call->end - call->start < held->best.end - held->best.start;
	if (!overlap || !better)
		return;
	held->overlap = overlap;
	held->best = *call;
}

/* The later of two calls that had ended; of one in the other, the outer one. */
static bool held_is_later(const struct held_call *call, const struct held_call *than)
{
	const struct span x = {call->start, call->end - call->start, 1}, y = {than->start, than->end - than->start, 0};

	if (!than->method || span_contains(&x, &y))
		return true;
	return !span_contains(&y, &x) && call->end > than->end;
}

static void held_offer_waker(struct held *held, const struct held_call *call)
{
	if (call->end <= held->passed) {
		if (held_is_later(call, &held->ended))
			held->ended = *call;
	} else if (!held->open.method || call->start > held->open.start) {
		held->open = *call;
	}
}

/* The first of those that a thread ended at `moment` or later. */
static size_t holders_from(const struct holders *h, uint32_t thread, int64_t moment)
{
	return lower_bound(n, h->wanted,
			   h->held[n].holder > thread || (h->held[n].holder == thread && h->held[n].passed >= moment));
}

/* The waits in a call of their thread. */
static void holders_add_request(struct holders *h, uint32_t thread, const struct held_call *call)
{
	size_t i = lower_bound(n, h->tasks,
			       h->held[h->by_request[n]].thread > thread ||
				       (h->held[h->by_request[n]].thread == thread &&
					held_middle(&h->held[h->by_request[n]]) >= call->start));

	for (; i < h->tasks; i++) {
		struct held *held = &h->held[h->by_request[i]];

		if (held->thread != thread || held_middle(held) >= call->end)
			return;
		if (call->start < held->request)
			held->request = call->start;
	}
}

/* A call that covers most of a wait ends at most by its own duration before that does. */
void holders_on_call(struct holders *h, uint32_t thread, uint32_t method, int64_t start, int64_t duration)
{
	const struct held_call call = {method, start, start + duration};
	int64_t last = call.end + (duration > JUST_NOW ? duration : JUST_NOW);

	if (!thread)
		return;
	for (size_t i = holders_from(h, thread, start); i < h->wanted; i++) {
		struct held *held = &h->held[i];

		if (held->holder != thread || held->passed > last)
			break;
		if (held->what == WAIT_FOR_LOCK)
			held_offer_holder(held, &call);
		else
			held_offer_waker(held, &call);
	}
	holders_add_request(h, thread, &call);
}

/* A thread did something else than to end the waits that it ended just after that, between `from` and `moment`. */
static void holders_disturb(struct holders *h, uint32_t thread, int64_t from, int64_t moment)
{
	for (size_t i = holders_from(h, thread, from + 1); thread && i < h->wanted; i++) {
		struct held *held = &h->held[i];

		if (held->holder != thread || held->passed - moment > JUST_NOW)
			return;
		if (moment > held->disturbed)
			held->disturbed = moment;
	}
}

void holders_on_wait(struct holders *h, const struct noted_wait *wait)
{
	holders_disturb(h, wait->thread, wait->end, wait->end);
	if (wait->woken == INT64_MIN)
		holders_disturb(h, wait->waker, wait->end - WAKES_FOR, wait->end);
	else
		holders_disturb(h, wait->waker, wait->woken, wait->woken);
}

void holders_read_wait(struct holders *h, const struct thread_wait *wait)
{
	struct noted_wait noted;

	if (!h->wanted)
		return;
	noted = noted_wait_of(h, wait);
	holders_on_wait(h, &noted);
}

static int holders_take_wait(const struct thread_wait *wait, void *context)
{
	holders_read_wait(context, wait);
	return 0;
}

void holders_read_call(struct holders *h, const struct call *call)
{
	if (h->wanted)
		holders_on_call(h, threads_number(h->threads, call->chunk, &call->thread),
				method_names_number(h->names, call->chunk, &call->method), call->start, call->duration);
}

static int holders_take_call(const struct call *call, void *context)
{
	holders_read_call(context, call);
	return 0;
}

void holders_read(struct holders *h, struct jfr_file *file)
{
	static const struct trace_ops ops = {.wait = holders_take_wait, .call = holders_take_call};

	holders_settle(h);
	if (h->wanted)
		trace_read_again(file, &(struct trace_reader){&ops, h, NULL}, 1);
}

static int holders_note_wait(const struct thread_wait *wait, void *context)
{
	holders_want_number(context, holders_add(context, wait));
	return 0;
}

void holders_read_all(struct holders *h, struct jfr_file *file)
{
	trace_read_again(file, &(struct trace_reader){&(struct trace_ops){.wait = holders_note_wait}, h, NULL}, 1);
	holders_read(h, file);
}

const struct held *holders_of_wait(const struct holders *h, uint32_t thread, int64_t start, int64_t duration)
{
	uint32_t n = map_get(&h->index, thread, start);

	return n && h->held[n - 1].duration == duration ? &h->held[n - 1] : NULL;
}

const struct held *holders_of_number(const struct holders *h, uint32_t number)
{
	const struct noted_wait *w = number ? &h->wait[number - 1] : NULL;

	return w ? holders_of_wait(h, w->thread, w->start, w->end - w->start) : NULL;
}

/* Is the call that ended last the task that the thread waited for? */
static bool held_is_after(const struct held *held)
{
	const struct held_call *c = &held->ended;

	return held->what == WAIT_FOR_TASK && c->method && c->start >= held->request &&
	       held->passed - c->end <= TASK_ENDS && held->disturbed <= c->end &&
	       (!held->open.method || held->open.start < c->start);
}

static bool held_is_in(const struct held *held)
{
	const struct held_call *c = &held->open;

	return c->method && held->passed - c->start >= CLOCKS_DIFFER &&
	       (held->what != WAIT_FOR_TASK || c->start >= held->request);
}

struct held_answer held_answer(const struct held *held)
{
	const struct held_call *call = NULL;
	enum held_how how = HELD_UNKNOWN;

	if (!held)
		return (struct held_answer){0};
	if (held->what == WAIT_FOR_LOCK) {
		call = &held->best;
		how = call->method && held_is_most(held, held->overlap) ? HELD_BY : HELD_UNKNOWN;
	} else if (held_is_after(held)) {
		call = &held->ended;
		how = HELD_AFTER;
	} else if (held_is_in(held)) {
		call = &held->open;
		how = HELD_IN;
	}
	if (how == HELD_UNKNOWN)
		return (struct held_answer){0};
	return (struct held_answer){how, call->method, call->start, call->end - call->start, held_overlap(held, call)};
}

/* "a.Report.write() 812 ms", in `width` columns. */
static void holders_put_call(const struct holders *h, struct held_answer answer, struct bytes *out, size_t width)
{
	size_t used = strlen(" 1,234 ms");

	name_fit(out, method_names_text(h->names, answer.method), width > used ? width - used : 0, false);
	bytes_printf(out, " %s", log_time(answer.duration));
}

bool holders_put(const struct holders *h, const struct held *held, struct bytes *out, size_t width)
{
	struct held_answer answer = held_answer(held);
	const char *thread;
	size_t used;

	if (answer.how != HELD_BY)
		return false;
	thread = h->threads->thread[held->holder - 1].name;
	bytes_printf(out, "held by \"%s\": ", thread);
	used = strlen("held by \"\": ") + name_columns(thread);
	holders_put_call(h, answer, out, width > used ? width - used : 0);
	return true;
}

static const char *held_preposition(enum held_how how)
{
	return how == HELD_AFTER ? "after " : how == HELD_IN ? "in " : "";
}

bool holders_put_waker(const struct holders *h, const struct held *held, bool placed, struct bytes *out, size_t width)
{
	struct held_answer answer = held_answer(held);
	const char *word = held_preposition(answer.how);

	if (answer.how != HELD_AFTER && (answer.how != HELD_IN || placed))
		return false;
	put_text(out, word);
	holders_put_call(h, answer, out, width > strlen(word) ? width - strlen(word) : 0);
	return true;
}

bool holders_put_kind(const struct holders *h, struct held_answer answer, struct bytes *out)
{
	if (answer.how == HELD_UNKNOWN)
		return false;
	put_text(out, held_preposition(answer.how));
	put_text(out, method_names_text(h->names, answer.method));
	return true;
}
