// SPDX-License-Identifier: BSD-2-Clause
/*
 * A slot counts its recorded calls and their cost; the spans that have arrived tell which methods these calls belong
 * to. Both are read once a second, and each span is charged the average cost over all slots. A span that has not
 * arrived yet is charged when it arrives. Of those that roots take back (--inside), and that never arrive, the agent
 * estimates the methods.
 */
#include "user/record/throttle.h"
#include "user/capture/cost.h"
#include "user/capture/timing.h"

#include <errno.h>
#include <stdlib.h>

#define WINDOW_NS      1000000000LL
#define BUSY_FRACTION  10 /* a thread below this fraction of the limit does not raise the limit of others */
#define RULE_THROTTLED (FRT_RULE_UNTRACED | FRT_RULE_TIMED)
#define UNHOOK_SHARE   .2 /* of --max-overhead, that the hooks of a method must take */

/* A slot's counters at the last check. */
struct seen {
	uint64_t recorded, exited;
};

/* Sums over all slots since the last check. */
struct work {
	double recorded, recording_ns;
	double hooked, hook_ns;	     /* of calls that were not recorded */
	uint64_t recorders, hookers; /* CALL_RATE_THREAD() of those that did much of it */
};

/* What a throttled method had counted at the last check. */
struct counted {
	uint64_t calls, ticks;
};

struct throttle {
	struct throttle_setup setup;
	struct call_rates rates;
	struct seen seen[FRT_MAX_SLOTS];
	uint64_t taken[FRT_MAX_METHODS]; /* calls taken back at the last check */
	struct throttle_load load[FRT_MAX_METHODS];
	uint32_t throttled[FRT_MAX_METHODS];
	size_t count;
	bool is_throttled[FRT_MAX_METHODS], is_unhooked[FRT_MAX_METHODS];
	bool is_timed[FRT_MAX_METHODS]; /* by -M, which wants all calls */
	struct timings sums;
	struct counted counted[FRT_MAX_METHODS]; /* as throttled[] */
	struct throttle_unhooked unhook[FRT_MAX_METHODS];
	size_t unhooked;
	bool hooks_found;
	int64_t since; /* 0: no check yet */
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
	struct throttle *t = calloc(1, sizeof(*t));

	*out = t;
	if (!t)
		return diag_errno(d, ENOMEM, "cannot throttle");
	t->setup = *setup;
	return 0;
}

void throttle_free(struct throttle *t)
{
	if (t)
		timings_release(&t->sums);
	free(t);
}

struct call_rates *throttle_rates(struct throttle *t)
{
	return &t->rates;
}

size_t throttle_methods(const struct throttle *t)
{
	return t->count;
}

uint32_t throttle_method(const struct throttle *t, size_t i)
{
	return t->throttled[i];
}

size_t throttle_unhooked(const struct throttle *t)
{
	return t->unhooked;
}

static void set_rule(const struct throttle *t, uint32_t method)
{
	uint64_t rule = RULE_THROTTLED | (t->is_unhooked[method] ? FRT_RULE_UNHOOKED : 0);

	__atomic_store_n(segment_rule(t->setup.segment, method), rule, __ATOMIC_RELAXED);
}

/* Increase of a slot's counter; a reused slot starts at 0. */
static uint64_t throttle_step(uint64_t *seen, uint64_t now)
{
	uint64_t was = *seen;

	*seen = now;
	return now < was ? now : now - was;
}

static void throttle_add_slot(struct throttle *t, struct work *w, struct seen *seen, const struct frt_slot *slot,
			      const struct frt_share *counts, double window_ns)
{
	double hooks = cost_of_hooks(t->setup.segment, t->setup.clock);
	double much = t->setup.share * window_ns / BUSY_FRACTION;
	uint64_t exited = throttle_step(&seen->exited, counts->exited),
		 recorded = throttle_step(&seen->recorded, counts->recorded);
	double recording_ns = recorded * (hooks + cost_of_recording(slot, t->setup.clock));
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

static struct work read_slots(struct throttle *t, double window_ns)
{
	const struct segment *s = t->setup.segment;
	const struct frt_slot *slot;
	struct work w = {0};

	for (uint32_t i = 0; (slot = segment_slot(s, i)); i++) {
		struct frt_share counts = {0};

		if (segment_add_slot(s, slot, &counts))
			throttle_add_slot(t, &w, &t->seen[i], slot, &counts, window_ns);
	}
	return w;
}

/* Add the calls of a method that were taken back since the last check. */
static void rates_add_taken(struct throttle *t, uint32_t method)
{
	const struct frt_taken *taken = segment_taken(t->setup.segment, method);
	struct call_rate *r = &t->rates.of[method];
	uint64_t calls = throttle_step(&t->taken[method], __atomic_load_n(&taken->calls, __ATOMIC_RELAXED));

	r->calls += calls;
	r->threads |= calls ? __atomic_load_n(&taken->threads, __ATOMIC_RELAXED) : 0;
}

/*
 * List the methods with new calls. Throttled ones are left out: their last recorded calls may still be in flight. So are
 * roots, without which nothing would be recorded.
 */
static size_t list_loads(struct throttle *t, const struct work *w, double window_ns)
{
	uint32_t methods = segment_header(t->setup.segment)->methods;
	double each_ns = w->recorded > 0 ? w->recording_ns / w->recorded : 0;
	bool inside = segment_recording(t->setup.segment)->inside;
	size_t n = 0;

	for (uint32_t id = 1; id <= methods && id < FRT_MAX_METHODS; id++) {
		struct call_rate *r = &t->rates.of[id];

		if (inside)
			rates_add_taken(t, id);
		if (r->calls && !t->is_throttled[id] &&
		    !(*segment_rule(t->setup.segment, id) & (FRT_RULE_ROOT | FRT_RULE_UNTIL)))
			t->load[n++] =
				(struct throttle_load){.method = id,
						       .threads = __builtin_popcountll(r->threads & w->recorders),
						       .calls = r->calls * 1e9 / window_ns,
						       .cpus = r->calls * each_ns / window_ns};
		*r = (struct call_rate){0};
	}
	return n;
}

static void throttle_apply(struct throttle *t, uint32_t method)
{
	t->is_timed[method] = timing_is_wanted(t->setup.segment, method);
	set_rule(t, method);
	t->is_throttled[method] = true;
	t->throttled[t->count++] = method;
}

static void check_hooks(struct throttle *t, const struct work *w, double window_ns, struct throttle_finding *out)
{
	struct throttle_limit limit = {t->setup.share, t->setup.cpus, 0};

	if (t->hooks_found || w->hook_ns / window_ns <= allowed(&limit, __builtin_popcountll(w->hookers)))
		return;
	t->hooks_found = true;
	out->hook_calls = w->hooked * 1e9 / window_ns;
	out->hook_cpus = w->hook_ns / window_ns;
}

/* Is the throttled method, with these new calls, as short as its hooks are dear? */
static bool is_too_short(const struct throttle *t, const struct timing *sum, const struct counted *before,
			 double window_ns, struct throttle_unhooked *out)
{
	double calls = sum->count - before->calls, hooks = cost_of_hooks(t->setup.segment, t->setup.clock);

	if (sum->count <= before->calls || sum->total < before->ticks)
		return false;
	out->calls = sum->count;
	out->mean_ns = clock_ns_of_ticks(t->setup.clock, sum->total - before->ticks) / calls;
	out->cpus = calls * hooks / window_ns;
	return out->mean_ns < t->setup.unhook_ns && out->cpus > t->setup.share * UNHOOK_SHARE;
}

/* Mark the throttled methods that are to lose their hooks, and take their calls off the work. */
static void check_short(struct throttle *t, struct work *w, size_t throttled, double window_ns,
			struct throttle_finding *out)
{
	out->unhook = t->unhook;
	if (!t->setup.unhook_ns || !throttled)
		return;
	timings_read(&t->sums, t->setup.segment);
	for (size_t i = 0; i < throttled; i++) {
		uint32_t method = t->throttled[i];
		const struct timing *sum = &t->sums.of[method];
		struct throttle_unhooked *u = &t->unhook[out->unhooks];

		if (!t->is_unhooked[method] && !t->is_timed[method] &&
		    is_too_short(t, sum, &t->counted[i], window_ns, u)) {
			u->method = method;
			w->hook_ns -= u->cpus * window_ns;
			w->hooked -= u->cpus * window_ns / cost_of_hooks(t->setup.segment, t->setup.clock);
			t->is_unhooked[method] = true;
			t->unhooked++;
			set_rule(t, method);
			out->unhooks++;
		}
		t->counted[i] = (struct counted){sum->count, sum->total};
	}
}

static bool throttle_check_window(struct throttle *t, double window_ns, struct throttle_finding *out)
{
	struct work w = read_slots(t, window_ns);
	struct throttle_limit limit = {t->setup.share, t->setup.cpus, __builtin_popcountll(w.recorders)};
	size_t n = list_loads(t, &w, window_ns), before = t->count;

	out->load = t->load;
	for (size_t i = 0; i < n; i++)
		out->all_cpus += t->load[i].cpus;
	out->methods = throttle_choose(t->load, n, &limit);
	for (size_t i = 0; i < out->methods; i++)
		throttle_apply(t, t->load[i].method);
	check_short(t, &w, before, window_ns, out);
	check_hooks(t, &w, window_ns, out);
	return out->methods || out->unhooks || out->hook_calls > 0;
}

bool throttle_check(struct throttle *t, int64_t now, struct throttle_finding *out)
{
	int64_t window;

	*out = (struct throttle_finding){0};
	for (size_t i = 0; i < t->count; i++) /* the agent resets the rule when somebody retransforms the class */
		set_rule(t, t->throttled[i]);
	if (!t->since)
		t->since = now;
	window = now - t->since;
	if (window < WINDOW_NS)
		return false;
	t->since = now;
	return throttle_check_window(t, window, out);
}
