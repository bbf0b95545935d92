// SPDX-License-Identifier: BSD-2-Clause
/*
 * A call's children are known as the growth of `done` from its begin to its end, whatever became of the calls within: one
 * that has lost its exit does not grow it, but the calls that this one made have done so.
 *
 * A call that ends is the first one to need the levels below its own. All that are unknown then began after the last call
 * that ended, so `done` had one value when they did: the one when this call began.
 *
 * Whether a call is within another one of its method is looked up among the kept levels, after a look at the bits. It is
 * known of a deeper call when it begins: then its cell names the outermost open one among the deep levels.
 */
#include "uprobes/agent/nesting.h"
#include "uprobes/agent/recordings.h"

#define NEAR 64u /* levels that are searched for a call whose inner calls have lost their exits */

/* An open call that the slot does not keep. */
struct deep_level {
	uint64_t start;
	uint64_t done;
	uint32_t method;
	uint32_t repeated; /* 1: it is within another call of its method; REPEAT_UNKNOWN */
};

#define REPEAT_UNKNOWN 2u
#define DEEP_PER_CELL  (FRT_CELL_ROOM / sizeof(struct deep_level))

struct nesting nestings[FRT_MAX_SLOTS];

static uint32_t deep_capacity(const struct nesting *n)
{
	return n->deep ? DEEP_PER_CELL << (n->deep & 0xff) : 0;
}

static struct deep_level *deep_level(const struct nesting *n, uint32_t i)
{
	return (struct deep_level *)control_at(n->deep >> 8) + i;
}

/* The deep levels that are stored. */
static uint32_t deep_stored(const struct nesting *n)
{
	uint32_t capacity = deep_capacity(n);

	return n->deep_count < capacity ? n->deep_count : capacity;
}

/* Know the kept levels below `depth`. `done` is from when the unknown ones began. */
void nesting_settle(const struct frt_slot *s, struct nesting *n, uint32_t depth, uint64_t done)
{
	uint32_t level = depth < FRT_OPEN_CALLS ? depth : FRT_OPEN_CALLS, end = level;
	uint64_t methods;

	while (level && n->kept[level - 1].start != s->open[level - 1].start)
		level--;
	methods = level ? n->kept[level - 1].methods : 0;
	for (; level < end; level++) {
		methods |= nesting_bit(s->open[level].method);
		n->kept[level] = (struct nesting_level){s->open[level].start, done, methods};
	}
}

/* True if one of the kept levels below `depth`, which are known, is a call of the method. */
static bool is_kept_open(const struct frt_slot *s, const struct nesting *n, uint32_t depth, uint32_t method)
{
	if (!depth || !(n->kept[depth - 1].methods & nesting_bit(method)))
		return false;
	while (depth && s->open[depth - 1].method != method)
		depth--;
	return depth;
}

/* The same of the stored deep levels. Otherwise this one is to be the outermost. */
static bool is_deep_open(const struct nesting *n, struct frt_cell *c, uint32_t level)
{
	uint32_t at = c->open - 1;

	if (c->open && at < level && deep_level(n, at)->method == c->method)
		return true;
	c->open = level + 1;
	return false;
}

static void deep_open(struct frt_slot *s, struct nesting *n, uint32_t level, uint32_t method, uint64_t start)
{
	struct deep_level *l = deep_level(n, level);
	struct frt_cell *c;

	*l = (struct deep_level){.start = start, .done = n->done, .method = method};
	if (is_kept_open(s, n, FRT_OPEN_CALLS, method)) {
		l->repeated = 1;
		return;
	}
	c = timing_cell(s, method);
	l->repeated = c ? is_deep_open(n, c, level) : REPEAT_UNKNOWN;
}

static bool deep_grow(struct nesting *n)
{
	uint64_t bigger = timing_room(n->deep, sizeof(struct deep_level) * deep_stored(n));

	if (bigger)
		n->deep = bigger;
	return bigger;
}

uint64_t nesting_enter_deep(struct frt_slot *s, uint32_t depth, uint32_t method, uint64_t start)
{
	struct nesting *n = nesting_of(s);
	uint32_t level;

	if (depth == FRT_OPEN_CALLS)
		n->deep_count = 0; /* the others have lost their exits */
	if (!(load_relaxed(control_rule(0, method)) & FRT_RULE_TIMED) || load_relaxed(&recordings_shared))
		return start;
	nesting_settle(s, n, FRT_OPEN_CALLS, n->done);
	level = n->deep_count++;
	if (level < deep_capacity(n) || (level == deep_capacity(n) && deep_grow(n)))
		deep_open(s, n, level, method, start);
	return start;
}

/* The number of the stored level that began then, or -1. */
static int64_t deep_find(const struct nesting *n, uint64_t start)
{
	uint32_t stored = deep_stored(n);

	for (uint32_t i = 0; i < stored && i < NEAR; i++)
		if (deep_level(n, stored - 1 - i)->start == start)
			return stored - 1 - i;
	return -1;
}

/* The method's calls are not known in these respects. */
static void nesting_forget(struct frt_cell *c, uint32_t method, uint32_t unknown)
{
	set_bits(c ? &c->unknown : &timing_shared(method)->unknown, unknown);
}

void nesting_miss(struct frt_slot *s, uint32_t method)
{
	nesting_forget(timing_cell(s, method), method, FRT_UNKNOWN_NESTED);
}

/* The call that has ended is at no known level: so much is missing in the innermost one that is open. */
static void level_miss(struct frt_slot *s, struct nesting *n, uint32_t method, uint64_t end)
{
	nesting_settle(s, n, s->depth, n->done);
	n->missed = end;
	nesting_miss(s, method);
}

static void nested_add(struct frt_slot *s, struct frt_cell *c, uint32_t method, uint64_t children, uint64_t repeated)
{
	struct frt_nested *to = c ? timing_nested(s, c) : &timing_shared(method)->nested;

	if (c) {
		to->children += children;
		to->repeated += repeated;
	} else {
		add_relaxed(&to->children, children);
		add_relaxed(&to->repeated, repeated);
	}
}

/* Something was missed in the call, if it was the innermost open one then. */
static void nesting_take_missed(struct nesting *n, struct frt_cell *c, uint32_t method, uint64_t start)
{
	if (likely(start >= n->missed))
		return;
	nesting_forget(c, method, FRT_UNKNOWN_SELF);
	n->missed = 0;
}

/* A kept call has ended, whose level is known, or that may be within another one of its method. */
void nesting_add(struct frt_slot *s, struct nesting *n, uint64_t start, uint32_t method, uint64_t duration,
		 uint64_t children)
{
	struct frt_cell *c = s->cells ? timing_place(s->cells, method) : NULL;
	bool repeated = is_kept_open(s, n, s->depth, method);

	if (unlikely(!c || c->method != method))
		c = timing_cell(s, method);
	nested_add(s, c, method, children, repeated ? duration : 0);
	nesting_take_missed(n, c, method, start);
}

static void leave_deep(struct frt_slot *s, struct nesting *n, uint64_t start, uint32_t method, uint64_t duration)
{
	int64_t i = deep_find(n, start);
	struct deep_level *l;
	struct frt_cell *c;

	if (i < 0) {
		n->deep_count -= n->deep_count > deep_capacity(n);
		level_miss(s, n, method, start + duration);
		return;
	}
	n->deep_count = i;
	c = timing_cell(s, method);
	l = deep_level(n, i);
	nested_add(s, c, method, n->done - l->done, l->repeated == 1 ? duration : 0);
	n->done = l->done + duration;
	if (l->repeated == REPEAT_UNKNOWN)
		nesting_forget(c, method, FRT_UNKNOWN_REPEAT);
	nesting_take_missed(n, c, method, start);
}

void nesting_leave(struct frt_slot *s, uint64_t start, uint32_t method, uint64_t duration)
{
	if (s->flags & FRT_SLOT_CARRIER)
		nesting_miss(s, method);
	else if (s->depth >= FRT_OPEN_CALLS)
		leave_deep(s, nesting_of(s), start, method, duration);
	else if (s->open[s->depth].start == start)
		nesting_leave_innermost(s, start, method, duration);
	else
		level_miss(s, nesting_of(s), method, start + duration);
}
