// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/roots.h"
#include "format/hash.h"
#include "format/vec.h"
#include "user/capture/held_spans.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS	   (1u << 14)
#define ROOTS_MOST (1u << 16) /* more than threads can be in; the agent may be forged */
#define LATE	   (1u << 14) /* ended roots whose spans have not all arrived, at most */
#define WAITING	   (1u << 14) /* roots that wait for tasks at a time: as many as the agent counts tasks of */

/* The span of a root's own call, with its values, and room for one more record. */
struct own_span {
	size_t count; /* with that room */
	bool is_virtual;
	struct stream_vthread vthread;
	struct frt_span record[];
};

enum root_state { ROOT_OPEN, ROOT_KEPT, ROOT_DROPPED };

struct root {
	struct root *next;	      /* in its bucket */
	struct root *before, *behind; /* among those of its slot that have not ended; see struct unended */
	uint64_t number, start, needed;
	uint64_t received, expected; /* spans; the latter is known when the root has ended */
	enum root_state state;
	bool ended, is_virtual, listed; /* listed: in such a list, or in that of roots that wait */
	bool waits;			/* its own call has ended, tasks of it have not */
	bool named;			/* by the thread where it began, not only by its tasks */
	bool tasks;			/* it has handed over some */
	struct held_spans held;
	struct own_span *own; /* --until: the span of its own call, until it is over */
	uint64_t until;	      /* when that was, TSC */
	struct stream_vthread vthread;
};

/* A root that a sweep has found to be over. Its calls of native methods are in the queue, before `until`. */
struct ended_root {
	uint64_t number, until;
};

/*
 * The roots of a platform thread that have not ended, oldest first. The thread is in one root at a time, and their numbers
 * grow, so a mark of one says that the older ones are over: the record of their end is lost.
 */
struct unended {
	struct root *oldest, *newest;
};

struct roots {
	struct stream_sink sink;
	size_t limit, held, count;
	struct roots_counts counts;
	uint64_t seed;
	struct root *bucket[BUCKETS];
	bool task[FRT_MAX_SLOTS];	 /* those spans are of a task of the root */
	uint64_t current[FRT_MAX_SLOTS]; /* root of the spans that follow in a stream; 0: unknown, or none */
	uint64_t
		undecided[FRT_MAX_SLOTS]; /* the root whose own call's span follows, and that has tasks left; 0: none */
	struct unended unended[FRT_MAX_SLOTS];
	uint64_t late[LATE];
	size_t late_at;
	struct unended waiting; /* the roots that wait, in the order in which they began to */
	size_t waits;
	uint64_t newest[FRT_MAX_SLOTS]; /* of a platform thread: the root that its stream has named last */
	bool natives;			/* see roots_expect_natives() */
	bool sweeping;
	uint64_t forgotten;	 /* before this position calls of roots may come whose end is forgotten; 0: none */
	struct ended_root *over; /* in the order of their ends; those of the current sweep begin at `swept` */
	size_t overs, over_capacity, swept;
};

struct roots *roots_new(const struct stream_sink *sink, size_t limit)
{
	struct roots *r = calloc(1, sizeof(*r));

	if (r) {
		r->sink = *sink;
		r->limit = limit;
		r->seed = hash_seed();
	}
	return r;
}

/* That of the slot in which the root began. NULL: the number is forged. */
static struct unended *unended_of(struct roots *r, uint64_t number)
{
	uint64_t slot = (number >> FRT_ROOT_SLOT_SHIFT) - 1;

	return slot < FRT_MAX_SLOTS ? &r->unended[slot] : NULL;
}

/* NULL: the number is forged. */
static struct unended *list_of(struct roots *r, const struct root *root)
{
	return root->waits ? &r->waiting : unended_of(r, root->number);
}

static void root_list(struct roots *r, struct root *root)
{
	struct unended *u = list_of(r, root);

	if (!u)
		return;
	root->behind = NULL;
	root->before = u->newest;
	*(u->newest ? &u->newest->behind : &u->oldest) = root;
	u->newest = root;
	root->listed = true;
}

static void root_unlist(struct roots *r, struct root *root)
{
	struct unended *u = list_of(r, root);

	if (!root->listed)
		return;
	*(root->before ? &root->before->behind : &u->oldest) = root->behind;
	*(root->behind ? &root->behind->before : &u->newest) = root->before;
	r->waits -= root->waits;
	root->listed = root->waits = false;
}

static struct root **root_place_of(struct roots *r, uint64_t number)
{
	struct root **at = &r->bucket[hash_number(r->seed, number) % BUCKETS];

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	return at;
}

static void root_empty(struct roots *r, struct root *root)
{
	r->held -= held_spans_empty(&root->held);
	r->held -= root->own ? root->own->count : 0;
	free(root->own);
	root->own = NULL;
}

static void root_remove(struct roots *r, struct root **at)
{
	struct root *root = *at;

	*at = root->next;
	root_unlist(r, root);
	root_empty(r, root);
	free(root);
	r->count--;
}

void roots_free(struct roots *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while (r->bucket[i])
			root_remove(r, &r->bucket[i]);
	free(r->over);
	free(r);
}

const struct roots_counts *roots_counts(const struct roots *r)
{
	return &r->counts;
}

/* NULL: there are too many, or there is no memory. */
static struct root *root_get(struct roots *r, uint64_t number)
{
	struct root **at = root_place_of(r, number);

	if (!*at && r->count < ROOTS_MOST) {
		*at = calloc(1, sizeof(**at));
		r->count += !!*at;
		if (*at) {
			(*at)->number = number;
			root_list(r, *at);
		}
	}
	return *at;
}

/* The span of its own call gets the time until the root was over, if that is known. */
static void root_deliver_own(struct roots *r, const struct root *root, struct own_span *own)
{
	struct frt_span *span = &own->record[0];
	struct frt_field f = {.number = FRT_FIELD_REQUEST, .size = 8, .form = FRT_FORM_INTEGER, .kind = FRT_FIELD};
	int64_t ticks = root->until - span->start;
	size_t n = own->count - 1; /* there is room for one more */

	if (root->until && ticks > 0) {
		f.flags = n > 1 ? 0 : FRT_FIELD_LAST;
		memcpy(f.data, &ticks, sizeof(ticks));
		memmove(span + 2, span + 1, (n - 1) * sizeof(*span));
		memcpy(span + 1, &f, sizeof(f));
		span->flags |= FRT_SPAN_FIELDS;
		n++;
	}
	r->sink.cover(r->sink.context, span->start + span->duration);
	r->sink.spans(r->sink.context, span, n, own->is_virtual ? &own->vthread : NULL);
}

static void root_keep(struct roots *r, struct root *root)
{
	struct held_owner owner = {.v = root->is_virtual ? &root->vthread : NULL, .tasks = root->tasks};
	struct own_span *own = root->own;

	root->state = ROOT_KEPT;
	root->own = NULL;
	r->counts.torn += held_spans_deliver(&root->held, &r->sink, &owner);
	root_empty(r, root);
	root->own = own;
}

/* It is known what becomes of the root. */
static void root_settle_own(struct roots *r, struct root *root)
{
	if (root->own && root->state == ROOT_KEPT)
		root_deliver_own(r, root, root->own);
	r->held -= root->own ? root->own->count : 0;
	free(root->own);
	root->own = NULL;
}

/* The end of the root is lost: it is unknown whether it is kept. */
static void root_give_up(struct roots *r, uint64_t number)
{
	struct root **at = root_place_of(r, number);

	if (!*at)
		return;
	r->counts.torn += held_spans_count(&(*at)->held) + !!(*at)->own;
	root_remove(r, at);
}

/* The stream of a platform thread is in this root now, or has left it. */
static void root_follows(struct roots *r, uint32_t slot, uint64_t number)
{
	const struct unended *u = &r->unended[slot];

	while (u->oldest && u->oldest->number < number)
		root_give_up(r, u->oldest->number);
	r->newest[slot] = number;
}

/* True if a platform thread's root with that number has been left. Its end has been processed, or is lost. */
static bool root_is_left(struct roots *r, uint64_t number)
{
	const struct unended *u = unended_of(r, number);

	return u && r->newest[u - r->unended] >= number;
}

/* A task of the root runs in this stream. It may be ahead of all that the root's own thread says, or long behind its end. */
static void root_has_task(struct roots *r, uint32_t slot, const struct frt_root *mark)
{
	struct root *root =
		*root_place_of(r, mark->number) || !root_is_left(r, mark->number) ? root_get(r, mark->number) : NULL;

	r->current[slot] = mark->number;
	r->task[slot] = true;
	if (!root)
		return;
	root->tasks = true;
	if (!root->named)
		root->needed = FRT_ROOT_NEVER;
}

/* Its own thread says whether it is virtual. */
static void root_is_named(struct root *root, const struct frt_root *mark)
{
	root->named = true;
	root->is_virtual = root->is_virtual && mark->flags & FRT_ROOT_VIRTUAL;
}

static void root_begins(struct roots *r, uint32_t slot, const struct frt_root *mark)
{
	struct root *root = root_get(r, mark->number);

	r->current[slot] = mark->number;
	r->task[slot] = false;
	if (!root)
		return;
	root_is_named(root, mark);
	if (mark->flags & FRT_ROOT_VIRTUAL && !root->waits)
		root_unlist(r, root);
	root->start = mark->start;
	root->needed = mark->needed;
	if (!mark->needed && root->state == ROOT_OPEN)
		root_keep(r, root);
}

/* No more will come of it, but calls of native methods that are in the queue. */
static void root_is_over(struct roots *r, struct root **at)
{
	if (r->sweeping && r->overs < ROOTS_MOST && !vec_reserve(&r->over, &r->over_capacity, r->overs + 1)) {
		r->over[r->overs++] = (struct ended_root){(*at)->number, UINT64_MAX};
		return;
	}
	if (r->sweeping)
		r->forgotten = UINT64_MAX;
	root_remove(r, at);
}

/* Spans of the root may still come from other streams. If they are lost, it is forgotten when many others have ended. */
static void root_is_late(struct roots *r, uint64_t number)
{
	uint64_t *place = &r->late[r->late_at++ % LATE];
	struct root **oldest = root_place_of(r, *place);

	if (*place && *oldest && (*oldest)->ended)
		root_is_over(r, oldest);
	*place = number;
}

static void root_ends(struct roots *r, uint32_t slot, const struct frt_root *mark)
{
	bool tasks = mark->flags & FRT_ROOT_TASKS, is_virtual = mark->flags & FRT_ROOT_VIRTUAL;
	struct root *root =
		is_virtual || tasks || r->sweeping ? root_get(r, mark->number) : *root_place_of(r, mark->number);

	r->current[slot] = 0;
	if (!root) {
		if (r->sweeping)
			r->forgotten = UINT64_MAX;
		return;
	}
	root_unlist(r, root);
	root->ended = true;
	root_is_named(root, mark);
	root->tasks |= tasks;
	root->until = mark->flags & FRT_ROOT_UNTIL ? mark->needed : 0;
	root->expected = tasks ? UINT64_MAX : mark->start; /* nobody knows how many its tasks will have */
	if (mark->flags & FRT_ROOT_KEPT && root->state == ROOT_OPEN) {
		root_keep(r, root);
	} else if (root->state == ROOT_OPEN) {
		root->state = ROOT_DROPPED;
		root_empty(r, root);
	}
	root_settle_own(r, root);
	if ((is_virtual || tasks) && root->received < root->expected)
		root_is_late(r, mark->number);
	else
		root_is_over(r, root_place_of(r, mark->number));
}

/* Its own call has ended, and tasks of it have not. Their last one says what becomes of it, perhaps it has done so. */
static void root_waits(struct roots *r, uint32_t slot, const struct frt_root *mark)
{
	struct root *root = root_get(r, mark->number);

	r->current[slot] = 0;
	r->undecided[slot] = mark->number;
	if (!root)
		return;
	root_is_named(root, mark);
	root->tasks = true;
	if (root->ended || root->waits)
		return;
	root_unlist(r, root);
	root->waits = true;
	root_list(r, root);
	if (++r->waits > WAITING) /* more than the agent tracks, so a decision was lost; give up the oldest */
		root_give_up(r, r->waiting.oldest->number);
}

uint64_t roots_waiting(const struct roots *r)
{
	return r->waiting.oldest ? r->waiting.oldest->number : 0;
}

static void root_take_own(struct roots *r, uint32_t slot, const struct frt_span *s, size_t n,
			  const struct stream_vthread *v)
{
	struct root *root = *root_place_of(r, r->undecided[slot]);
	struct own_span *own;

	r->undecided[slot] = 0;
	if (!root || root->own) {
		r->counts.torn++;
		return;
	}
	if (root->state == ROOT_DROPPED)
		return;
	own = n < r->limit - r->held ? malloc(sizeof(*own) + (n + 1) * sizeof(own->record[0])) : NULL;
	if (!own) {
		r->counts.excess++;
		return;
	}
	*own = (struct own_span){.count = n + 1, .is_virtual = v};
	if (v)
		own->vthread = *v;
	memcpy(own->record, s, n * sizeof(*s));
	root->own = own;
	r->held += n + 1;
	if (root->ended)
		root_settle_own(r, root);
}

void roots_mark(struct roots *r, uint32_t slot, const struct frt_root *mark)
{
	bool opens = mark->flags & FRT_ROOT_OPEN, decides = mark->flags & (FRT_ROOT_KEPT | FRT_ROOT_DROPPED);

	if (slot >= FRT_MAX_SLOTS || !mark->number)
		return;
	if (!(mark->flags & FRT_ROOT_VIRTUAL))
		root_follows(r, slot, mark->number);
	if (mark->flags & FRT_ROOT_TASK)
		root_has_task(r, slot, mark);
	else if (opens)
		root_begins(r, slot, mark);
	else if (!decides && mark->flags & FRT_ROOT_UNTIL)
		root_waits(r, slot, mark);
	else
		root_ends(r, slot, mark);
}

static bool is_long_enough(const struct root *root, const struct frt_span *s, size_t n)
{
	const struct frt_span *last = s->flags & FRT_SPAN_FIELDS ? s : &s[n - 1];
	uint64_t end = last->start + last->duration;

	return root->needed != FRT_ROOT_NEVER && end > root->start && end - root->start >= root->needed;
}

static void root_hold(struct roots *r, struct root *root, const struct frt_span *s, size_t n, bool task,
		      const struct stream_vthread *v)
{
	if (n <= r->limit - r->held && held_spans_add(&root->held, s, n, task, v))
		r->held += n;
	else
		r->counts.excess += stream_spans(s, n);
}

void roots_take(struct roots *r, uint32_t slot, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	struct root **at = root_place_of(r, slot < FRT_MAX_SLOTS ? r->current[slot] : 0), *root = *at;
	bool task = slot < FRT_MAX_SLOTS && r->task[slot];

	if (s->flags & FRT_SPAN_ROOT && slot < FRT_MAX_SLOTS && r->undecided[slot]) {
		size_t own = stream_set_size(s, n); /* a root without anything inside may be next */

		root_take_own(r, slot, s, own, v);
		if (own < n)
			roots_take(r, slot, s + own, n - own, v);
		return;
	}
	if (s->flags & FRT_SPAN_ROOT) {
		r->sink.spans(r->sink.context, s, n, v);
		return;
	}
	if (!root) {
		r->counts.torn += stream_spans(s, n);
		return;
	}
	root->received += stream_spans(s, n);
	if (!task)
		root->is_virtual = v;
	if (v && !task)
		root->vthread = *v;
	if (root->state == ROOT_OPEN && !task && is_long_enough(root, s, n))
		root_keep(r, root);
	if (root->state == ROOT_KEPT)
		r->sink.spans(r->sink.context, s, n, v);
	else if (root->state == ROOT_OPEN)
		root_hold(r, root, s, n, task, v);
	if (root->ended && root->received >= root->expected)
		root_is_over(r, at);
}

void roots_take_native(struct roots *r, uint64_t number, uint64_t due, const struct frt_span *s,
		       const struct stream_vthread *v)
{
	struct root *root = *root_place_of(r, number);

	if (!root && !r->forgotten && (v || !root_is_left(r, number)))
		root = root_get(r, number);
	if (!number || !root) {
		r->counts.torn++;
		return;
	}
	if (v && !root->is_virtual && !root->tasks) {
		root_unlist(r, root);
		root->is_virtual = true;
		root->vthread = *v;
	}
	if (root->state == ROOT_OPEN && due && s->start + s->duration >= due)
		root_keep(r, root);
	if (root->state == ROOT_DROPPED)
		return;
	root_hold(r, root, s, 1, v, v);
	if (root->state == ROOT_KEPT)
		root_keep(r, root);
}

void roots_expect_natives(struct roots *r)
{
	r->natives = true;
}

void roots_begin_sweep(struct roots *r)
{
	r->sweeping = r->natives;
	r->swept = r->overs;
}

void roots_end_sweep(struct roots *r, uint64_t position)
{
	r->sweeping = false;
	for (size_t i = r->swept; i < r->overs; i++)
		r->over[i].until = position;
	if (r->forgotten == UINT64_MAX)
		r->forgotten = position;
}

bool roots_have_ended(const struct roots *r)
{
	return r->overs || r->forgotten;
}

void roots_release(struct roots *r, uint64_t position)
{
	size_t n = 0;

	for (; n < r->overs && r->over[n].until <= position; n++) {
		struct root **at = root_place_of(r, r->over[n].number);

		if (*at)
			root_remove(r, at);
	}
	if (n)
		memmove(r->over, r->over + n, (r->overs - n) * sizeof(r->over[0]));
	r->overs -= n;
	if (r->forgotten <= position)
		r->forgotten = 0;
}

void roots_gap(struct roots *r, uint32_t slot)
{
	if (slot < FRT_MAX_SLOTS)
		r->current[slot] = r->undecided[slot] = 0;
}

void roots_finish(struct roots *r)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct root *root = r->bucket[i]; root; root = root->next) {
			bool known = root->named || !root->tasks || !root_is_left(r, root->number);

			r->counts.open += !root->ended && known;
			if (root->state == ROOT_OPEN && known)
				root_keep(r, root);
			else
				r->counts.torn += held_spans_count(&root->held);
			root_settle_own(r, root);
		}
	}
}
