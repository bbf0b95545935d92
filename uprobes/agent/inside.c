// SPDX-License-Identifier: BSD-2-Clause
/*
 * Taking back is safe because nobody else has seen the records: the sweep stops at `settled`, and a drain takes all up
 * to the head. A root that a drain has overtaken, or that has changed its carrier, is settled by a record instead.
 */
#include "uprobes/agent/inside.h"
#include "uprobes/agent/ring.h"
#include "uprobes/agent/sys.h"

#define ROWS_LOG2 14
#define ROWS	  (1u << ROWS_LOG2)
#define PROBES	  32u
#define BUSY	  UINT64_MAX

uint64_t inside_since = UINT64_MAX;

/* A root of a virtual thread that is on no carrier. */
struct parked_root {
	uint64_t root, start, needed, spans;
	uint32_t method, flags;
};

static uint64_t ids[ROWS]; /* of the threads; 0: free */
static struct parked_root rows[ROWS];
static bool used; /* by this recording */

void inside_begin(void)
{
	if (used)
		memset(ids, 0, sizeof(ids));
	used = false;
}

void inside_slot_begin(struct frt_slot *s)
{
	struct frt_inside *in = control_inside(s);

	in->root = in->named = 0;
	store_release(&in->settled, s->head);
}

static bool is_sample(uint64_t start)
{
	uint64_t random = start * FRT_CELL_HASH;

	random = (random ^ random >> 32) * FRT_CELL_HASH >> 32; /* stamps have regular distances */
	return random * 100 >> 32 < control_config(0)->keep;
}

void inside_enter_root(struct frt_slot *s, uint64_t start, uint32_t method, uint64_t rule, uint64_t frame)
{
	struct frt_inside *in = control_inside(s);
	uint64_t needed = rule >> FRT_RULE_SHIFT;

	in->begun++;
	in->start = start;
	in->method = method;
	in->mark = s->head;
	in->spans = 0;
	in->frame = frame;
	in->flags = rule & FRT_RULE_THROWN ? FRT_INSIDE_THROWN : 0;
	in->needed = needed < FRT_RULE_UNTRACED >> FRT_RULE_SHIFT ? needed : FRT_ROOT_NEVER;
	if (in->needed && is_sample(start)) {
		in->needed = 0;
		in->flags |= FRT_INSIDE_SAMPLE;
	}
	in->root = (uint64_t)(s - control_slot(0) + 1) << 40 | (in->begun & ((1ULL << 40) - 1));
}

static void append_root(struct frt_slot *s, uint64_t now, uint64_t start, uint16_t flags)
{
	const struct frt_inside *in = control_inside(s);
	union {
		struct frt_root root;
		uint64_t words[FRT_RECORD_SIZE / 8];
	} r = {.root = {.number = in->root, .start = start, .needed = in->needed, .kind = FRT_ROOT, .flags = flags}};

	if (s->flags & FRT_SLOT_CARRIER)
		r.root.flags |= FRT_ROOT_VIRTUAL;
	ring_append(s, r.words, now);
}

/* It is named again in each half, so that a lost half does not take the name along. */
void inside_name_root(struct frt_slot *s, uint64_t now)
{
	struct frt_inside *in = control_inside(s);

	if (likely(in->named == in->root && in->named_at >= s->drained))
		return;
	in->named = in->root;
	in->named_at = s->head;
	append_root(s, now, in->start, FRT_ROOT_OPEN);
}

void inside_appended(struct frt_slot *s)
{
	control_inside(s)->spans++;
	inside_settle(s);
}

/* Also the name of a virtual thread may be among what is taken back. */
static void take_back(struct frt_slot *s)
{
	struct frt_inside *in = control_inside(s);

	in->named = s->vthread = 0;
	store_release(&s->head, in->mark);
}

/* The root has ended, and its spans, if there are any, are to be kept or not. */
static void close_root(struct frt_slot *s, uint64_t now, bool keep)
{
	struct frt_inside *in = control_inside(s);

	if (in->spans && !keep && !(in->flags & FRT_INSIDE_MOVED) && in->mark >= s->drained)
		take_back(s);
	else if (in->spans && (s->ring || ring_first(s, now)))
		append_root(s, now, in->spans, keep ? FRT_ROOT_KEPT : FRT_ROOT_DROPPED);
	else if (in->spans)
		in->lost++;
	in->root = in->named = 0;
	inside_settle(s);
}

bool inside_leave_root(struct frt_slot *s, uint64_t now, bool thrown)
{
	struct frt_inside *in = control_inside(s);
	bool sample = in->flags & FRT_INSIDE_SAMPLE;
	bool kept = (!sample && now - in->start >= in->needed) || (thrown && in->flags & FRT_INSIDE_THROWN);

	if (kept)
		in->kept++;
	else if (sample)
		in->samples++;
	else
		in->dropped++;
	close_root(s, now, kept || sample);
	return kept || sample;
}

void inside_lose_root(struct frt_slot *s)
{
	control_inside(s)->lost++;
	close_root(s, sys_tsc(), false);
}

static uint32_t inside_place_of(uint64_t id)
{
	return id * FRT_CELL_HASH >> (64 - ROWS_LOG2);
}

static bool park(uint64_t id, const struct parked_root *p)
{
	uint32_t place = inside_place_of(id);

	store_relaxed(&used, true);
	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t at = (place + i) % ROWS;
		uint64_t vacant = 0;

		if (load_relaxed(&ids[at]) ||
		    !__atomic_compare_exchange_n(&ids[at], &vacant, BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		rows[at] = *p;
		store_release(&ids[at], id);
		return true;
	}
	return false;
}

static bool unpark(uint64_t id, struct parked_root *p)
{
	uint32_t place = inside_place_of(id);

	for (uint32_t i = 0; i < PROBES && load_relaxed(&used); i++) {
		uint32_t at = (place + i) % ROWS;

		if (load_acquire(&ids[at]) != id)
			continue;
		*p = rows[at];
		store_release(&ids[at], 0);
		return true;
	}
	return false;
}

/* A root that is still open here was left without notice. */
void inside_mount(struct frt_slot *s, uint64_t java_id)
{
	struct frt_inside *in = control_inside(s);
	struct parked_root p;

	if (load_relaxed(&inside_since) == UINT64_MAX)
		return;
	if (in->root)
		inside_lose_root(s);
	if (!unpark(java_id, &p))
		return;
	in->start = p.start;
	in->needed = p.needed;
	in->spans = p.spans;
	in->method = p.method;
	in->flags = p.flags;
	in->root = p.root;
}

void inside_unmount(struct frt_slot *s, uint64_t java_id)
{
	struct frt_inside *in = control_inside(s);

	if (!in->root)
		return;
	if (!park(java_id, &(struct parked_root){.root = in->root,
						 .start = in->start,
						 .needed = in->needed,
						 .spans = in->spans,
						 .method = in->method,
						 .flags = in->flags | FRT_INSIDE_MOVED})) {
		inside_lose_root(s);
		return;
	}
	in->root = in->named = 0;
	inside_settle(s);
}

void inside_thread_ends(struct frt_slot *s, uint64_t java_id)
{
	(void)java_id;
	if (control_inside(s)->root)
		inside_lose_root(s);
}
