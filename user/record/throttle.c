// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a slot has recorded, and what that cost, stands in the slot; of which
 * methods those calls were is known from the spans that have come in. Both are
 * looked at once a second: a span costs what one of all slots did on average. What has not come in yet counts when it does.
 */
#include "user/record/throttle.h"
#include "user/capture/cost.h"

#include <errno.h>
#include <stdlib.h>

#define WINDOW_NS     1000000000LL
#define BUSY_FRACTION 10 /* a thread with less than this part of the limit does not raise the limit of others */
#define RULE_BRAKED   (FRT_RULE_UNTRACED | FRT_RULE_TIMED)

/* A slot's counters at the last look. */
struct seen {
	uint64_t recorded, exited;
};

/* What all slots did since then. */
struct work {
	double recorded, recording_ns;
	double hooked, hook_ns;	     /* of calls that were not recorded */
	uint64_t recorders, hookers; /* CALL_RATE_THREAD() of those that did much of it */
};

struct throttle {
	struct throttle_setup setup;
	struct call_rates rates;
	struct seen seen[FRT_MAX_SLOTS];
	struct throttle_load load[FRT_MAX_METHODS];
	uint32_t braked[FRT_MAX_METHODS];
	size_t count;
	bool is_braked[FRT_MAX_METHODS];
	bool hooks_found;
	int64_t since; /* 0: there was no look yet */
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double allowed(const struct throttle_limit *limit, unsigned int threads)
{
	return limit->share * least(threads ? threads : 1, limit->cpus);
}

static int busiest_first(const void *a, const void *b)
{
	const struct throttle_load *x = a, *y = b;

	if (x->drop != y->drop)
		return y->drop - x->drop;
	return (y->cpus > x->cpus) - (y->cpus < x->cpus);
}

size_t throttle_choose(struct throttle_load *load, size_t n, const struct throttle_limit *limit)
{
	double sum = 0;
	size_t drops = 0;

	for (size_t i = 0; i < n; i++) {
		load[i].drop = load[i].cpus > allowed(limit, load[i].threads);
		drops += load[i].drop;
		sum += load[i].drop ? 0 : load[i].cpus;
	}
	qsort(load, n, sizeof(*load), busiest_first);
	for (; drops < n && sum > allowed(limit, limit->threads); drops++) {
		load[drops].drop = true;
		sum -= load[drops].cpus;
	}
	qsort(load, drops, sizeof(*load), busiest_first);
	return drops;
}

int throttle_new(struct throttle **out, const struct throttle_setup *setup, struct diag *d)
{
	struct throttle *b = calloc(1, sizeof(*b));

	*out = b;
	if (!b)
		return diag_errno(d, ENOMEM, "cannot make the brake");
	b->setup = *setup;
	return 0;
}

void throttle_free(struct throttle *b)
{
	free(b);
}

struct call_rates *throttle_rates(struct throttle *b)
{
	return &b->rates;
}

size_t throttle_methods(const struct throttle *b)
{
	return b->count;
}

uint32_t throttle_method(const struct throttle *b, size_t i)
{
	return b->braked[i];
}

static void set_rule(const struct throttle *b, uint32_t method)
{
	uint64_t *rules = (uint64_t *)(b->setup.segment->base + FRT_RULES_AT);

	__atomic_store_n(&rules[method], RULE_BRAKED, __ATOMIC_RELAXED);
}

/* How far a counter of a slot went; a slot that is used anew begins at 0. */
static uint64_t throttle_step(uint64_t *seen, const uint64_t *counter)
{
	uint64_t now = __atomic_load_n(counter, __ATOMIC_RELAXED), was = *seen;

	*seen = now;
	return now < was ? now : now - was;
}

static void throttle_add_slot(struct throttle *b, struct work *w, struct seen *seen, const struct frt_slot *slot,
			      double window_ns)
{
	double hooks = cost_of_hooks(b->setup.segment, b->setup.clock);
	double much = b->setup.share * window_ns / BUSY_FRACTION;
	uint64_t exited = throttle_step(&seen->exited, &slot->exited),
		 recorded = throttle_step(&seen->recorded, &slot->recorded);
	double recording_ns = recorded * (hooks + cost_of_recording(slot, b->setup.clock));
	double others = exited > recorded ? exited - recorded : 0;

	w->recorded += recorded;
	w->recording_ns += recording_ns;
	w->hooked += others;
	w->hook_ns += others * hooks;
	if (recording_ns >= much)
		w->recorders |= CALL_RATE_THREAD(slot->thread);
	if (others * hooks >= much)
		w->hookers |= CALL_RATE_THREAD(slot->thread);
}

static struct work look_at_slots(struct throttle *b, double window_ns)
{
	const struct segment *s = b->setup.segment;
	const struct frt_slot *slot;
	struct work w = {0};

	for (uint32_t i = 0; (slot = segment_slot(s, i)); i++)
		if (slot->epoch == segment_header(s)->epoch)
			throttle_add_slot(b, &w, &b->seen[i], slot, window_ns);
	return w;
}

/* The methods of which calls came in, but for those that are braked: of these some are on their way still. */
static size_t list_loads(struct throttle *b, const struct work *w, double window_ns)
{
	uint32_t methods = segment_header(b->setup.segment)->methods;
	double each_ns = w->recorded > 0 ? w->recording_ns / w->recorded : 0;
	size_t n = 0;

	for (uint32_t id = 1; id <= methods && id < FRT_MAX_METHODS; id++) {
		struct call_rate *r = &b->rates.of[id];

		if (r->calls && !b->is_braked[id])
			b->load[n++] =
				(struct throttle_load){.method = id,
						       .threads = __builtin_popcountll(r->threads & w->recorders),
						       .calls = r->calls * 1e9 / window_ns,
						       .cpus = r->calls * each_ns / window_ns};
		*r = (struct call_rate){0};
	}
	return n;
}

static void throttle_drop(struct throttle *b, uint32_t method)
{
	set_rule(b, method);
	b->is_braked[method] = true;
	b->braked[b->count++] = method;
}

static void look_at_hooks(struct throttle *b, const struct work *w, double window_ns, struct throttle_finding *out)
{
	struct throttle_limit limit = {b->setup.share, b->setup.cpus, 0};

	if (b->hooks_found || w->hook_ns / window_ns <= allowed(&limit, __builtin_popcountll(w->hookers)))
		return;
	b->hooks_found = true;
	out->hook_calls = w->hooked * 1e9 / window_ns;
	out->hook_cpus = w->hook_ns / window_ns;
}

static bool throttle_look(struct throttle *b, double window_ns, struct throttle_finding *out)
{
	struct work w = look_at_slots(b, window_ns);
	struct throttle_limit limit = {b->setup.share, b->setup.cpus, __builtin_popcountll(w.recorders)};
	size_t n = list_loads(b, &w, window_ns);

	out->load = b->load;
	out->methods = throttle_choose(b->load, n, &limit);
	for (size_t i = 0; i < out->methods; i++)
		throttle_drop(b, b->load[i].method);
	look_at_hooks(b, &w, window_ns, out);
	return out->methods || out->hook_calls > 0;
}

bool throttle_check(struct throttle *b, int64_t now, struct throttle_finding *out)
{
	int64_t window;

	*out = (struct throttle_finding){0};
	for (size_t i = 0; i < b->count; i++) /* whoever retransforms the class lets the agent set it anew */
		set_rule(b, b->braked[i]);
	if (!b->since)
		b->since = now;
	window = now - b->since;
	if (window < WINDOW_NS)
		return false;
	b->since = now;
	return throttle_look(b, window, out);
}
