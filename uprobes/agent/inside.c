// SPDX-License-Identifier: BSD-2-Clause
/*
 * Taking back is safe because nobody else has seen the records: the sweep stops at `settled`, and a drain takes all up
 * to the head. A root that a drain has overtaken, or that has changed its carrier, is settled by a record instead.
 */
#include "uprobes/agent/inside.h"
#include "uprobes/agent/nesting.h"
#include "uprobes/agent/ring.h"
#include "uprobes/agent/sys.h"

#define BRIEF_SHARE 50	     /* of the needed time */
#define BRIEF_NS    1000000u /* at most */

#define TAKEN_TOGETHER 1024u /* spans for which one stands */

uint64_t inside_since = UINT64_MAX;
uint64_t inside_busy;
static bool any_taken; /* some struct frt_taken is not 0 */

/* Roots that have ended and had handed over tasks. Newer ones displace others. */
#define ENDED_LOG2 14
#define ENDED_BUSY 1u
static struct {
	uint64_t root, until; /* until: TSC; their tasks are recorded so long, 0: no more */
} ended[1u << ENDED_LOG2];
static bool any_ended;

/*
 * --until: roots that have handed over tasks. `left`: those that have not ended, and one for the root's own call. Who
 * hands over a task is one of them, so a root does not end meanwhile.
 */
#define UNTIL_LOG2    14
#define UNTIL_NEAR    16u
#define UNTIL_OWN     1u /* the root's own call has ended */
#define UNTIL_REACHED 2u /* the call that ends the root has ended (FRT_CONFIG_UNTIL_CALL) */
#define UNTIL_DECIDED 4u /* or the end of the root's own call was not seen: nothing is to be decided any more */
static struct until {
	uint64_t root, start, needed;
	uint32_t left;
	uint32_t state; /* UNTIL_*; who completes it decides */
	bool keep;	/* however long it takes */
} untils[1u << UNTIL_LOG2];
static bool any_until;

void inside_begin(void)
{
	if (any_until)
		memset(untils, 0, sizeof(untils));
	any_until = false;
	if (any_ended)
		memset(ended, 0, sizeof(ended));
	any_ended = false;
	if (any_taken)
		memset(control_taken(0), 0, (control->methods + 1ull) * sizeof(struct frt_taken));
	any_taken = false;
}

void inside_slot_begin(struct frt_slot *s)
{
	struct frt_inside *in = control_inside(s);

	if (in->root)
		__atomic_fetch_sub(&inside_busy, INSIDE_ROOT, __ATOMIC_SEQ_CST);
	in->root = in->named = 0;
	store_release(&in->settled, s->head);
}

/* A random number below `end`. Stamps have regular distances. */
static uint32_t inside_random(uint64_t stamp, uint32_t end)
{
	uint64_t random = stamp * FRT_CELL_HASH;

	random = (random ^ random >> 32) * FRT_CELL_HASH >> 32;
	return random * end >> 32;
}

static bool is_sample(uint64_t start)
{
	return inside_random(start, 100) < control_config(0)->keep;
}

/* A thread is in few longer calls at a time, so that their stacks take no part of its time worth mentioning. */
static uint32_t brief_ticks(uint64_t needed)
{
	uint64_t most = BRIEF_NS * (control_config(0)->tick_scale >> 20) >> 12, share = needed / BRIEF_SHARE;

	most = most < UINT32_MAX ? most : UINT32_MAX;
	return share < most ? share : most;
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
	in->brief = brief_ticks(in->needed);
	if (in->needed && is_sample(start)) {
		in->needed = 0;
		in->flags |= FRT_INSIDE_SAMPLE;
	}
	__atomic_fetch_add(&inside_busy, INSIDE_ROOT, __ATOMIC_SEQ_CST);
	in->root = (uint64_t)(s - control_slot(0) + 1) << FRT_ROOT_SLOT_SHIFT |
		   (in->begun & ((1ULL << FRT_ROOT_SLOT_SHIFT) - 1));
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
	if (in->flags & FRT_INSIDE_TASK)
		r.root.flags |= FRT_ROOT_TASK | FRT_ROOT_VIRTUAL;
	else if (in->flags & FRT_INSIDE_TASKS && !(flags & FRT_ROOT_OPEN))
		r.root.flags |= FRT_ROOT_TASKS;
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

/* What is about to be taken back has a span, and some may have values. */
static __attribute__((noinline)) void count_taken(struct frt_slot *s, uint64_t now)
{
	struct frt_inside *in = control_inside(s);
	uint32_t records = (s->head - in->mark) / FRT_RECORD_SIZE, at = inside_random(now, records);
	struct frt_taken *taken;
	struct frt_span span;

	for (uint32_t i = 0; i < records; i++) {
		uint64_t offset = in->mark + (at + i) % records * FRT_RECORD_SIZE;

		memcpy(&span, ring_at(s) + (offset & (ring_size(s) - 1)), sizeof(span));
		if (span.kind != FRT_SPAN)
			continue;
		store_relaxed(&any_taken, true);
		taken = control_taken(span.method);
		add_relaxed(&taken->calls, in->taken);
		__atomic_fetch_or(&taken->threads, 1ull << s->thread % 64, __ATOMIC_RELAXED);
		break;
	}
	in->taken = 0;
}

/* Also the name of a virtual thread may be among what is taken back. */
static void take_back(struct frt_slot *s, uint64_t now)
{
	struct frt_inside *in = control_inside(s);

	in->taken += in->spans;
	if (unlikely(in->taken >= TAKEN_TOGETHER))
		count_taken(s, now);
	in->named = s->vthread = 0;
	store_release(&s->head, in->mark);
}

/* `end`: when the root has ended; 0: unknown. */
static void append_decision(struct frt_slot *s, uint64_t root, uint64_t now, uint64_t end, uint16_t verdict)
{
	union {
		struct frt_root root;
		uint64_t words[FRT_RECORD_SIZE / 8];
	} r = {.root = {.number = root, .needed = end, .kind = FRT_ROOT}};

	r.root.flags = verdict | FRT_ROOT_UNTIL | FRT_ROOT_TASKS | FRT_ROOT_VIRTUAL;
	ring_append(s, r.words, now);
}

/* Nothing of the root that the thread itself may be in can be taken back any more: the record must stay. */
static void until_decide(struct frt_slot *s, uint64_t root, uint64_t now, uint64_t end, bool keep)
{
	struct frt_inside *in = control_inside(s);

	if (!s->ring && !ring_first(s, now))
		return;
	if (keep)
		in->kept++;
	else
		in->dropped++;
	in->flags |= FRT_INSIDE_MOVED;
	in->named = 0;
	append_decision(s, root, now, end, keep ? FRT_ROOT_KEPT : FRT_ROOT_DROPPED);
	inside_settle(s);
}

static uint32_t ended_place_of(uint64_t root)
{
	return root * FRT_CELL_HASH >> (64 - ENDED_LOG2);
}

static void ended_put(uint64_t root, uint64_t now, bool keep)
{
	uint64_t bound = (unsigned __int128)FRT_TASK_SECONDS * 1000000000u * control_config(0)->tick_scale >> 32;
	uint32_t at = ended_place_of(root);
	uint64_t older = load_relaxed(&ended[at].root);

	if (older == ENDED_BUSY || !__atomic_compare_exchange_n(&ended[at].root, &older, ENDED_BUSY, false,
								__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return;
	store_release(&ended[at].until, keep ? now + bound : 0);
	store_release(&ended[at].root, root);
	store_relaxed(&any_ended, true);
}

bool inside_is_over(uint64_t root, uint64_t now)
{
	uint32_t at = ended_place_of(root);

	return load_acquire(&ended[at].root) == root && now >= load_acquire(&ended[at].until) &&
	       load_acquire(&ended[at].root) == root;
}

static struct until *until_find(uint64_t root)
{
	uint32_t at = root * FRT_CELL_HASH >> (64 - UNTIL_LOG2);

	for (uint32_t i = 0; i < UNTIL_NEAR && load_relaxed(&any_until); i++) {
		struct until *u = &untils[(at + i) % (1u << UNTIL_LOG2)];

		if (load_acquire(&u->root) == root)
			return u;
	}
	return NULL;
}

/* A task more. Without a row, because there is none near, the root ends with its own call. */
static void until_add(const struct frt_inside *in)
{
	uint32_t at = in->root * FRT_CELL_HASH >> (64 - UNTIL_LOG2);
	struct until *u = until_find(in->root);

	if (u) {
		__atomic_fetch_add(&u->left, 1, __ATOMIC_SEQ_CST);
		return;
	}
	for (uint32_t i = 0; i < UNTIL_NEAR && !(in->flags & (FRT_INSIDE_TASKS | FRT_INSIDE_TASK)); i++) {
		uint64_t vacant = 0;

		u = &untils[(at + i) % (1u << UNTIL_LOG2)];
		if (load_relaxed(&u->root) || !__atomic_compare_exchange_n(&u->root, &vacant, ENDED_BUSY, false,
									   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		u->start = in->start;
		u->needed = in->needed;
		u->keep = in->flags & FRT_INSIDE_SAMPLE;
		u->state = 0;
		u->left = 2;
		store_relaxed(&any_until, true);
		store_release(&u->root, in->root);
		return;
	}
}

/* What ends is the root's own call, or a task. True: something is left. */
static bool until_waits(struct until *u)
{
	return u && __atomic_sub_fetch(&u->left, 1, __ATOMIC_SEQ_CST);
}

static bool ends_with_call(void)
{
	return load_relaxed(&control_config(0)->flags) & FRT_CONFIG_UNTIL_CALL;
}

static bool until_keeps(const struct until *u, uint64_t now)
{
	return u->keep || now - u->start >= u->needed;
}

/* What is known of the root, and now this, too. Returns what was known before. */
static uint32_t until_note(struct until *u, uint32_t state)
{
	return __atomic_fetch_or(&u->state, state, __ATOMIC_SEQ_CST);
}

void inside_task_over(struct frt_slot *s, uint64_t root, uint64_t now)
{
	struct until *u = until_find(root);
	bool keep, decided;

	if (!u || until_waits(u))
		return;
	keep = until_keeps(u, now);
	decided = load_relaxed(&u->state) & UNTIL_DECIDED;
	store_release(&u->root, 0);
	if (!decided && s)
		until_decide(s, root, now, ends_with_call() ? 0 : now, keep);
}

/* The tasks of the root may go on: theirs is the row. */
static void until_reach(struct frt_slot *s, struct until *u, uint64_t now)
{
	bool keep = until_keeps(u, now);
	uint64_t root = u->root;

	until_note(u, UNTIL_DECIDED);
	ended_put(root, now, keep);
	until_decide(s, root, now, now, keep);
}

void inside_reach_end(struct frt_slot *s, uint64_t now)
{
	struct frt_inside *in = control_inside(s);
	struct until *u;

	if (!(in->flags & FRT_INSIDE_TASK)) {
		in->flags |= FRT_INSIDE_REACHED;
		return;
	}
	u = until_find(in->root);
	if (u && until_note(u, UNTIL_REACHED) == UNTIL_OWN)
		until_reach(s, u, now);
}

/* It is known when the root has ended: with its own call, as the one that ends it came before. Its span gets that time. */
static void append_end(struct frt_slot *s, uint64_t now)
{
	uint64_t root = control_inside(s)->root;

	append_root(s, now, control_inside(s)->spans, FRT_ROOT_UNTIL);
	append_decision(s, root, now, now, FRT_ROOT_KEPT);
}

/* The root has ended, and its spans, if there are any, are to be kept or not. `seen`: it has, by a call that ends it. */
static void close_root(struct frt_slot *s, uint64_t now, bool keep, bool seen)
{
	struct frt_inside *in = control_inside(s);

	seen = seen && keep;
	if (in->flags & FRT_INSIDE_TASKS)
		ended_put(in->root, now, keep);
	if (in->spans && !keep && !(in->flags & FRT_INSIDE_MOVED) && in->mark >= s->drained) {
		take_back(s, now);
		in->spans = 0;
	}
	if (!in->spans && !seen && !(in->flags & FRT_INSIDE_TASKS) &&
	    !(load_relaxed(&control_config(0)->flags) & FRT_CONFIG_ROOT_ENDS))
		;
	else if (!s->ring && !ring_first(s, now))
		in->lost++;
	else if (seen)
		append_end(s, now);
	else
		append_root(s, now, in->spans, keep ? FRT_ROOT_KEPT : FRT_ROOT_DROPPED);
	in->root = in->named = 0;
	__atomic_fetch_sub(&inside_busy, INSIDE_ROOT, __ATOMIC_SEQ_CST);
	inside_settle(s);
}

static void until_leave(struct until *u)
{
	if (!until_waits(u)) /* otherwise its last task frees the row: others may be about to count in it */
		store_release(&u->root, 0);
}

/* The own call of the root is over. */
static void end_own_call(struct frt_slot *s, uint64_t now)
{
	struct frt_inside *in = control_inside(s);

	if (s->ring || ring_first(s, now))
		append_root(s, now, in->spans, FRT_ROOT_UNTIL);
	in->root = in->named = 0;
	__atomic_fetch_sub(&inside_busy, INSIDE_ROOT, __ATOMIC_SEQ_CST);
	inside_settle(s);
}

/* The own call of the root is over. True: the root is not. *seen: it has ended by a call that ends it. */
static bool root_outlives_call(struct frt_slot *s, uint64_t now, bool thrown, bool *seen)
{
	struct frt_inside *in = control_inside(s);
	struct until *u = in->flags & FRT_INSIDE_TASKS ? until_find(in->root) : NULL;
	uint32_t reached = in->flags & FRT_INSIDE_REACHED ? UNTIL_REACHED : 0;

	*seen = reached;
	if (!u)
		return false;
	if (thrown && in->flags & FRT_INSIDE_THROWN)
		u->keep = true;
	if ((until_note(u, UNTIL_OWN | reached) | reached) & UNTIL_REACHED) {
		*seen = true;
		until_note(u, UNTIL_DECIDED);
		until_leave(u);
		return false;
	}
	if (!until_waits(u)) {
		store_release(&u->root, 0);
		return false;
	}
	end_own_call(s, now);
	return true;
}

bool inside_leave_root(struct frt_slot *s, uint64_t now, bool thrown)
{
	struct frt_inside *in = control_inside(s);
	bool sample = in->flags & FRT_INSIDE_SAMPLE, seen;
	bool kept = (!sample && now - in->start >= in->needed) || (thrown && in->flags & FRT_INSIDE_THROWN);

	if (root_outlives_call(s, now, thrown, &seen))
		return true;
	if (kept)
		in->kept++;
	else if (sample)
		in->samples++;
	else
		in->dropped++;
	close_root(s, now, kept || sample, seen);
	return kept || sample;
}

void inside_lose_root(struct frt_slot *s)
{
	struct until *until;

	if (!control_inside(s)->root)
		return;
	if (control_inside(s)->flags & FRT_INSIDE_TASK) {
		inside_suspend_root(s);
		return;
	}
	until = until_find(control_inside(s)->root);
	if (until) {
		until_note(until, UNTIL_DECIDED);
		until_leave(until);
	}
	control_inside(s)->lost++;
	close_root(s, slot_stamp(s), false, false);
}

void inside_copy_root(const struct frt_slot *s, struct inside_root *out)
{
	const struct frt_inside *in = control_inside(s);

	*out = (struct inside_root){.number = in->root,
				    .start = in->start,
				    .needed = in->needed,
				    .spans = in->spans,
				    .frame = in->frame,
				    .method = in->method,
				    .brief = in->brief,
				    .flags = in->flags | FRT_INSIDE_MOVED};
}

void inside_suspend_root(struct frt_slot *s)
{
	struct frt_inside *in = control_inside(s);

	if (!in->root)
		return;
	in->root = in->named = 0;
	__atomic_fetch_sub(&inside_busy, INSIDE_ROOT, __ATOMIC_SEQ_CST);
	inside_settle(s);
}

void inside_resume_root(struct frt_slot *s, const struct inside_root *root)
{
	struct frt_inside *in = control_inside(s);

	in->start = root->start;
	in->needed = root->needed;
	in->spans = root->spans;
	in->frame = root->frame;
	in->method = root->method;
	in->brief = root->brief;
	in->flags = root->flags;
	in->root = root->number;
	__atomic_fetch_add(&inside_busy, INSIDE_ROOT, __ATOMIC_SEQ_CST);
}

void inside_hand_over(struct frt_slot *s, uint64_t now, struct inside_root *out)
{
	struct frt_inside *in = control_inside(s);

	out->number = 0;
	if (!in->root)
		return;
	if (load_relaxed(&control_config(0)->flags) & FRT_CONFIG_UNTIL)
		until_add(in);
	in->flags |= FRT_INSIDE_TASKS;
	inside_copy_root(s, out);
	out->flags |= FRT_INSIDE_TASK;
	if (now - in->start >= in->needed) /* it will be kept, so each stack is worth its price */
		out->brief = 0;
	out->needed = FRT_ROOT_NEVER;
	out->method = FRT_NO_METHOD;
	out->frame = UINT64_MAX;
	out->spans = 0;
}

void inside_switch_root(struct frt_slot *s, const struct inside_root *to, struct inside_root *before)
{
	if (before)
		inside_copy_root(s, before);
	inside_suspend_root(s);
	if (to->number)
		inside_resume_root(s, to);
}
