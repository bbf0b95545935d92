// SPDX-License-Identifier: BSD-2-Clause
#include "user/page/verdict.h"
#include "user/trace/sum.h"
#include "user/text/java_number.h"
#include "user/text/log.h"

#include <stdio.h>
#include <stdlib.h>

#define PAUSES_RULE  0.6  /* share of the difference from which on the JVM's pauses are the cause */
#define WORTH	     0.01 /* share of the time in all calls that slow calls must cost */
#define STEADY_MOST  2
#define KIND_STANDS  0.3 /* share of the blocked time from which on a kind is named */
#define CHAIN_LEAST  0.1 /* of the time of calls that have critical paths, to be named */
#define HOLDER_LEAST 0.3 /* likewise, of the waits for locks */

/* Means over calls, ns; the parts are of calls whose breakdown is known. */
struct verdict_means {
	double time, cpu, run_queue, blocked, pause;
};

static struct verdict_means verdict_means_of(const struct digest_split *s)
{
	double calls = s->calls ?: 1, known = s->time > 0 ? calls * s->known / s->time : 0;

	if (known <= 0)
		return (struct verdict_means){.time = s->time / calls};
	return (struct verdict_means){s->time / calls, s->cpu / known, s->run_queue / known, digest_blocked(s) / known,
				      s->pause / known};
}

static struct digest_split split_minus(const struct digest_split *a, const struct digest_split *b)
{
	return (struct digest_split){.calls = a->calls - b->calls,
				     .time = a->time - b->time,
				     .known = a->known - b->known,
				     .cpu = a->cpu - b->cpu,
				     .run_queue = a->run_queue - b->run_queue,
				     .pause = a->pause - b->pause};
}

/* The part that has most of the difference between the two. */
static void verdict_find_cause(struct verdict *v, const struct verdict_means *slow, const struct verdict_means *rest)
{
	double all = slow->time - rest->time;
	double parts[] = {
		[CAUSE_UNKNOWN] = 0,
		[CAUSE_CPU] = slow->cpu - rest->cpu,
		[CAUSE_RUN_QUEUE] = slow->run_queue - rest->run_queue,
		[CAUSE_BLOCKED] = slow->blocked - rest->blocked,
	};

	for (enum verdict_cause c = CAUSE_CPU; c <= CAUSE_BLOCKED; c++)
		if (parts[c] > parts[v->cause])
			v->cause = c;
	if (v->cause != CAUSE_UNKNOWN && slow->pause - rest->pause >= PAUSES_RULE * all)
		v->cause = CAUSE_PAUSE;
	v->share = v->cause == CAUSE_PAUSE ? (slow->pause - rest->pause) / all : parts[v->cause] / all;
	v->share = v->share < 1 ? v->share : 1;
}

/* The reason and place at which the slow calls waited longest. */
static void verdict_find_kind(struct verdict *v, const struct digest *d)
{
	struct aggregate places = {0};
	int64_t blocked = digest_blocked(&v->method->slow), most = 0;

	for (size_t i = 0; i < d->slow_waits.count; i++) {
		const struct group *g = &d->slow_waits.group[i];
		const struct wait_kind *kind = &d->kinds.kind[g->second];
		struct group *place;

		if (g->first != v->method->rank)
			continue;
		place = aggregate_of(&places, kind->reason, kind->place);
		sum_add(&place->total, g->total);
		if (place->total <= most)
			continue;
		most = place->total;
		v->kind = g->second;
	}
	aggregate_release(&places);
	v->kind_share = blocked > 0 ? (double)most / blocked : 0;
	v->kind_share = v->kind_share < 1 ? v->kind_share : 1;
	if (v->kind_share < KIND_STANDS)
		v->kind = UINT32_MAX;
}

/* The sum of a method that ended waits, or of a thread in an unknown one. */
static struct holder *holder_sum_of(struct holder **sums, size_t *count, size_t *capacity, const struct held *held)
{
	struct held_answer answer = held_answer(held);

	for (size_t i = 0; i < *count; i++)
		if ((*sums)[i].name == answer.method && (*sums)[i].how == answer.how &&
		    (answer.method || (*sums)[i].thread == held->holder))
			return &(*sums)[i];
	memory_reserve(sums, capacity, *count + 1);
	(*sums)[*count] = (struct holder){
		.name = answer.method, .how = answer.how, .thread = held->holder, .lock = held->what == WAIT_FOR_LOCK};
	return &(*sums)[(*count)++];
}

/* The share of a wait in which the call was open. */
static double held_share(const struct held *held)
{
	int64_t all = held->passed - held->start;

	return all > 0 ? (double)held_answer(held).overlap / all : 0;
}

/* Did it wait for locks for most of the time? The JVM's own ones, such as its compilers', are at any place. */
static bool verdict_is_lock(const struct holders *h, uint32_t rank)
{
	int64_t more = 0;

	for (size_t i = 0; i < h->wanted; i++)
		if (h->held[i].mark == rank)
			sum_add(&more, h->held[i].what == WAIT_FOR_LOCK ? h->held[i].duration : -h->held[i].duration);
	return more > 0;
}

/* Of the waits for locks, or of the others: of those that took longer. */
static struct holder verdict_find_holder(const struct holders *h, uint32_t rank)
{
	struct holder *sums = NULL, *sum, most = {0};
	bool lock = verdict_is_lock(h, rank);
	size_t count = 0, capacity = 0;
	int64_t total = 0;

	for (const struct held *held = h->held; held < h->held + h->wanted; held++) {
		if (held->mark != rank || (held->what == WAIT_FOR_LOCK) != lock)
			continue;
		sum_add(&total, held->duration);
		sum = holder_sum_of(&sums, &count, &capacity, held);
		sum_add(&sum->ended, held->duration);
		sum_add(&sum->within, sum->name ? held->duration * held_share(held) : held->duration);
		sum->threads |= sum->thread != held->holder;
	}
	for (size_t i = 0; i < count; i++)
		if (sums[i].ended > most.ended)
			most = sums[i];
	free(sums);
	most.total = total;
	return most;
}

static void verdict_find_chain(struct verdict *v, const struct digest_method *m)
{
	const struct chain_kind *longest = chain_end_longest(&m->chain);

	if (!longest || longest->total < CHAIN_LEAST * m->path_time)
		return;
	v->chain = longest;
	v->chain_share = (double)longest->total / m->path_time;
	v->chain_share = v->chain_share < 1 ? v->chain_share : 1;
}

static void verdict_make(struct verdict *v, const struct digest *d, const struct digest_method *m)
{
	struct digest_split others = split_minus(&m->all, &m->slow);
	struct verdict_means slow = verdict_means_of(&m->slow), rest = {0};

	*v = (struct verdict){.method = m, .slow = m->slow_from > 0, .kind = UINT32_MAX};
	if (v->slow && others.calls)
		rest = verdict_means_of(&others);
	v->excess = (slow.time - rest.time) * m->slow.calls;
	verdict_find_chain(v, m);
	verdict_find_cause(v, &slow, &rest);
	if (v->cause == CAUSE_BLOCKED)
		verdict_find_kind(v, d);
	if (v->kind == UINT32_MAX || !d->kinds.kind[v->kind].lock)
		return;
	v->holder = verdict_find_holder(&d->holders, m->rank);
	if (v->holder.ended < HOLDER_LEAST * v->holder.total)
		v->holder = (struct holder){0};
}

/* Slow calls before those that are all alike; what costs most before the rest. */
static int verdict_compare(const void *a, const void *b)
{
	const struct verdict *x = a, *y = b;

	if (x->slow != y->slow)
		return y->slow - x->slow;
	return (x->excess < y->excess) - (x->excess > y->excess);
}

static bool verdict_alike(double a, double b)
{
	return a > 0 && b > 0 && a / b > 0.95 && b / a > 0.95;
}

/* True if `inner` is about the same time: as many calls were slow, for the same reason and as long. */
static bool verdict_is_same(const struct verdict *outer, const struct verdict *inner)
{
	return outer->slow == inner->slow && outer->cause == inner->cause && outer->kind == inner->kind &&
	       verdict_alike(outer->method->slow.calls, inner->method->slow.calls) &&
	       verdict_alike(outer->excess, inner->excess);
}

/* Add it to an earlier verdict about the same time. False: there is none. */
static bool verdict_fold(struct verdict *out, size_t count, const struct verdict *v)
{
	for (size_t i = 0; i < count; i++) {
		if (!verdict_is_same(&out[i], v) || out[i].sames == VERDICT_SAME)
			continue;
		out[i].same[out[i].sames++] = v->method;
		return true;
	}
	return false;
}

size_t verdict_find(const struct digest *d, struct verdict out[VERDICTS])
{
	struct verdict *all = memory_need(calloc(d->charted + 1, sizeof(*all)));
	size_t n = 0, steady = 0;

	for (uint32_t rank = 0; rank < d->charted; rank++)
		verdict_make(&all[rank], d, digest_ranked(d, rank));
	qsort(all, d->charted, sizeof(*all), verdict_compare);
	for (uint32_t i = 0; i < d->charted && n < VERDICTS; i++) {
		if (all[i].excess < WORTH * d->all.time || (!all[i].slow && steady++ >= STEADY_MOST))
			continue;
		if (!verdict_fold(out, n, &all[i]))
			out[n++] = all[i];
	}
	free(all);
	return n;
}

struct share {
	char text[16];
};

static struct share share_of(double part)
{
	struct share s;

	snprintf(s.text, sizeof(s.text), part < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * part);
	return s;
}

static const char *mean_time(int64_t ns, uint64_t calls)
{
	double mean = (double)ns / (calls ?: 1);

	return log_time(mean > 0 ? mean : 0);
}

void verdict_put_what(struct bytes *out, const struct verdict *v, const struct digest *d)
{
	const struct digest_split *all = &v->method->all, *slow = &v->method->slow;

	if (!v->slow && all->calls == 1)
		bytes_printf(out, "One call took %s.", mean_time(all->time, 1));
	else if (!v->slow)
		bytes_printf(out, "%s calls took %s on average, the longest %s.", log_count(all->calls),
			     mean_time(all->time, all->calls), mean_time(all->most, 1));
	else
		bytes_printf(out, "%s of its calls (%s of %s) took %s or more: %s on average, the others %s.",
			     share_of((double)slow->calls / all->calls).text, log_count(slow->calls),
			     log_count(all->calls), mean_time(v->method->slow_from, 1),
			     mean_time(slow->time, slow->calls),
			     mean_time(all->time - slow->time, all->calls - slow->calls));
}

static void verdict_put_kind(struct bytes *out, const struct verdict *v, const struct wait_kinds *kinds)
{
	const struct wait_kind *kind = v->kind < kinds->count ? &kinds->kind[v->kind] : NULL;

	put_text(out, "blocked");
	if (!kind)
		return;
	bytes_printf(out, ", %s of it in %s", share_of(v->kind_share).text, kinds->text.text[kind->reason]);
	if (kind->lock)
		put_text(out, " (a lock, a queue or a park)");
	if (kind->place)
		bytes_printf(out, " at %s", kinds->text.text[kind->place]);
}

void verdict_put_why(struct bytes *out, const struct verdict *v, const struct digest *d)
{
	if (v->cause == CAUSE_UNKNOWN) {
		put_text(out, "This recording does not say where their time went.");
		return;
	}
	bytes_printf(out, "%s of %s is time ", share_of(v->share).text, v->slow ? "the difference" : "that");
	switch (v->cause) {
	case CAUSE_UNKNOWN: break;
	case CAUSE_CPU: put_text(out, "on a CPU"); break;
	case CAUSE_RUN_QUEUE: put_text(out, "in the run queue: the threads could run, but got no CPU"); break;
	case CAUSE_BLOCKED: verdict_put_kind(out, v, &d->kinds); break;
	case CAUSE_PAUSE: put_text(out, "in which the JVM stood still"); break;
	}
	put_text(out, ".");
}

/* Nobody holds a future or a queue: who fills it may have had nothing to do until then. */
void verdict_put_who(struct bytes *out, const struct verdict *v, const struct digest *d)
{
	const struct holder *h = &v->holder;
	const char *threads = h->threads ? "threads such as" : "the thread", *thread, *method;

	if (!h->ended || !h->thread)
		return;
	thread = d->threads.thread[h->thread - 1].name;
	method = h->name ? method_names_text(&d->names, h->name) : NULL;
	if (!h->lock)
		bytes_printf(out, "%s of that was ended by %s \"%s\"", share_of((double)h->ended / h->total).text,
			     threads, thread);
	else
		bytes_printf(out, "For %s of that time it was held by ", share_of((double)h->within / h->total).text);
	if (h->how == HELD_AFTER)
		bytes_printf(out, ", after %s, which took %s of the time", method,
			     share_of((double)h->within / h->ended).text);
	else if (h->how == HELD_IN)
		bytes_printf(out, ", which %s in %s for %s of the time", h->threads ? "were" : "was", method,
			     share_of((double)h->within / h->ended).text);
	else if (h->lock && method)
		bytes_printf(out, "%s on %s \"%s\"", method, threads, thread);
	else if (h->lock)
		bytes_printf(out, "%s \"%s\", in code that is not traced", threads, thread);
	put_text(out, ".");
}

void verdict_put_chain(struct bytes *out, const struct verdict *v, const struct digest *d)
{
	if (v->chain)
		bytes_printf(out, "At the end of the chain, for %s of the time: %s.", share_of(v->chain_share).text,
			     d->path_texts.text[v->chain->what]);
}

void verdict_put_same(struct bytes *out, const struct verdict *v, const struct digest *d)
{
	for (size_t i = 0; i < v->sames; i++)
		bytes_printf(out, "%s%s", i ? ", " : "The same time shows in ",
			     method_names_text(&d->names, v->same[i]->name));
	put_text(out, v->sames ? "." : "");
}
